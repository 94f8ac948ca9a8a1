"""Ways out of a decoder's cage, tried from inside it: each is denied, and leaves no trace outside."""

import os
import signal

import board
import caches
from petspot import Petspot, default_binary

# As in Tests/HostileDecoder/EscapeAttempt.swift.
ATTACKS = [
    "open-file",
    "open-database",
    "write-file",
    "connect",
    "bind",
    "execute",
    "trace",
    "kill-parent",
    "mount",
    "set-user",
    "io-uring",
    "execute-memory",
    "limit-processor",
    "limit-memory",
    "limit-old",
    "limit-parent",
    "ignore-limit",
    "scheduler",
    "affinity",
    "priority",
    "io-priority",
    "timer",
    "dumpable",
    "namespace",
]
WRITTEN = "/tmp/petspot-escaped"  # what write-file makes when it gets out
DENIED = {0: "refused", f"signal {signal.SIGSYS.value}": "ended"}


def run(work):
    tally, petspot = board.Tally("escapes"), work.petspot()
    caches.expect(petspot, "attach", caches.PHOTO)
    database = os.path.join(petspot.cache, "database", "catalog.sqlite")
    ends = {name: attack(petspot, name, database, tally) for name in ATTACKS}
    loose = [name for name in ATTACKS if exit_of(petspot, name, database, "--without-seccomp") != 0]
    kinds = ", ".join(f"{list(ends.values()).count(kind)} {kind}" for kind in DENIED.values())
    tally.notes = f"{kinds}; without the filter of system calls {len(ATTACKS) - len(loose)} are denied"
    if loose:
        tally.notes += f", not {', '.join(loose)}"
    remove_written()
    return [tally]


def attack(petspot, name, database, tally):
    """Tries one way out; how it was denied, or None."""
    signals = []
    before = signal.signal(signal.SIGWINCH, lambda number, _: signals.append(number))
    remove_written()
    digest = caches.digest(database)
    exit = exit_of(petspot, name, database)
    tally.tried += 1
    if exit not in DENIED:
        tally.faults.append(f"{name}: ends in {exit}")
    if signals:
        tally.faults.append(f"{name}: its parent got a signal")
    if os.path.exists(WRITTEN):
        tally.faults.append(f"{name}: wrote {WRITTEN}")
    if caches.digest(database) != digest:
        tally.faults.append(f"{name}: changed the database")
    signal.signal(signal.SIGWINCH, before)
    return DENIED.get(exit)


def exit_of(petspot, name, database, *options):
    """0 denied, 1 got out, 70 no cage; or the signal that ended it."""
    hostile = Petspot(default_binary("debug", "release", product="HostileDecoder"), petspot.cache)
    return hostile.run("--attack", name, database, *options, plain=True, timeout=30).exit


def remove_written():
    if os.path.exists(WRITTEN):
        os.unlink(WRITTEN)
