"""Attempts to escape from a decoder's sandbox."""

import os
import re
import signal

import caches
from board import ROOT, Tally
from files import digest, read
from petspot import Petspot, default_binary

HOSTILE = os.path.join(ROOT, "Tests", "HostileDecoder", "EscapeAttempt.swift")
WRITTEN = "/tmp/petspot-escaped"  # the file that write-file creates if it escapes
DENIED = {0: "refused", f"signal {signal.SIGSYS.value}": "ended"}


def escapes(work):
    """Attempts to escape from a decoder's sandbox: each is denied and leaves no trace outside."""
    tally, petspot, attacks = Tally("escapes"), work.petspot(), names()
    caches.expect(petspot, "attach", caches.PHOTO)
    ends = [attack(petspot, name, tally) for name in attacks]
    loose = [name for name in attacks if exit_of(petspot, name, "--without-seccomp") != 0]
    kinds = ", ".join(f"{ends.count(kind)} {kind}" for kind in DENIED.values())
    tally.notes = f"{kinds}; without the filter of system calls {len(attacks) - len(loose)} are denied"
    if loose:
        tally.notes += f", not {', '.join(loose)}"
    remove_written()
    yield tally


def names():
    """Returns the names of the attacks that the hostile decoder knows."""
    cases = re.findall(r"^  case ([^\n=]+)(?: = \"([^\"]+)\")?$", read(HOSTILE).decode(), re.MULTILINE)
    return [name for words, text in cases for name in ([text] if text else words.split(", "))]


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
