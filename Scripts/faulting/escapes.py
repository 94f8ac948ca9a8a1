"""Attempts to escape from a decoder's sandbox."""

import os
import signal

import caches
from board import Tally
from files import digest
from petspot import Petspot, default_binary

# The same names as in Tests/HostileDecoder/EscapeAttempt.swift.
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
WRITTEN = "/tmp/petspot-escaped"  # the file that write-file creates if it escapes
DENIED = {0: "refused", f"signal {signal.SIGSYS.value}": "ended"}


def escapes(work):
    """Attempts to escape from a decoder's sandbox: each is denied and leaves no trace outside."""
    tally, petspot = Tally("escapes"), work.petspot()
    caches.expect(petspot, "attach", caches.PHOTO)
    ends = [attack(petspot, name, tally) for name in ATTACKS]
    loose = [name for name in ATTACKS if exit_of(petspot, name, "--without-seccomp") != 0]
    kinds = ", ".join(f"{ends.count(kind)} {kind}" for kind in DENIED.values())
    tally.notes = f"{kinds}; without the filter of system calls {len(ATTACKS) - len(loose)} are denied"
    if loose:
        tally.notes += f", not {', '.join(loose)}"
    remove_written()
    yield tally


def attack(petspot, name, tally):
    """Tries one escape. Returns how it was denied, or None."""
    signals, faults = [], []
    before = signal.signal(signal.SIGWINCH, lambda number, _: signals.append(number))
    remove_written()
    database = digest(caches.catalog(petspot))
    exit = exit_of(petspot, name)
    if exit not in DENIED:
        faults.append(f"ends in {exit}")
    if signals:
        faults.append("its parent got a signal")
    if os.path.exists(WRITTEN):
        faults.append(f"wrote {WRITTEN}")
    if digest(caches.catalog(petspot)) != database:
        faults.append("changed the database")
    signal.signal(signal.SIGWINCH, before)
    tally.add(name, faults)
    return DENIED.get(exit)


def exit_of(petspot, name, *options):
    """Returns the exit code: 0 denied, 1 escaped, 70 no sandbox, or the signal that ended it."""
    hostile = Petspot(default_binary("debug", "release", product="HostileDecoder"), petspot.cache)
    return hostile.run("--attack", name, caches.catalog(petspot), *options, plain=True, timeout=30).exit


def remove_written():
    if os.path.exists(WRITTEN):
        os.unlink(WRITTEN)
