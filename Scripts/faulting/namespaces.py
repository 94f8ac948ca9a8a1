"""Two containers with one volume and separate PID namespaces."""

import os
import signal
import time

import caches
import invariants
import pictures
from board import Tally
from petspot import run
from watching import Watched

APART = ["unshare", "-pf", "--kill-child", "--mount-proc"]
FILES, QUICK_FILES = 400, 60


def namespaces(work):
    """Two containers with one volume and separate PID namespaces: a sweep removes nothing that the other uses."""
    if run([*APART, "true"]).exit != 0:
        yield Tally("namespaces", notes="not tried: unshare -pf is not permitted here")
        return
    count = QUICK_FILES if work.quick else FILES
    pictures.folder(work.path("photos"), count, work.dice)
    yield living(work, count)
    yield dead(work, count)


def begin(work, name):
    """Creates a new cache and starts an import into it in its own PID namespace."""
    petspot = work.petspot(name)
    caches.expect(petspot, "status")
    return petspot, Watched([*APART, *petspot.command("import", work.path("photos"))], work.folder)


def sweep(petspot):
    """Runs a sweep in another namespace."""
    return run([*APART, *petspot.command("sweep")], timeout=600)


def living(work, count):
    """Runs sweeps in other namespaces during an import. The import must lose nothing."""
    tally, rounds = Tally("namespaces: living"), work.count(2, 50)
    for number in range(rounds):
        petspot, importing = begin(work, f"living-{number}")
        sweeps, faults = 0, []
        while importing.runs:
            answer = sweep(petspot)
            sweeps += 1
            faults += invariants.succeeded("sweep", answer)
            if answer.json.get("removedBlobs") != 0:
                faults.append(f"a sweep took from the living: {answer.output.strip()}")
        faults += [*invariants.succeeded("import", importing.end(600)), *whole(petspot, count)]
        tally.add(f"round {number}", faults, tries=sweeps)
    tally.notes = f"sweeps beside {rounds} imports of {count} files"
    return tally


def dead(work, count):
    """Kills an import in its namespace. A sweep in another namespace must remove what it left."""
    tally, left = Tally("namespaces: dead"), 0
    for number in range(work.count(3, 100)):
        petspot, importing = begin(work, f"dead-{number}")
        deadline = time.monotonic() + 20
        while not petspot.leftovers() and importing.runs and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(work.dice.random() * 0.05)
        try:
            os.killpg(importing.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        importing.process.wait()
        wait_for_end(petspot)
        left += len(petspot.leftovers())
        faults = [*invariants.succeeded("sweep", sweep(petspot)), *invariants.emptied(petspot)]
        if locks := [name for name in os.listdir(os.path.join(petspot.cache, "database")) if name.endswith(".lock")]:
            faults.append(f"left {locks}")
        again = petspot.run("import", work.path("photos"), timeout=600)
        faults += [*invariants.succeeded("the import once more", again), *whole(petspot, count)]
        tally.add(f"round {number}", faults)
    tally.notes = f"{left} files left behind"
    return tally


def wait_for_end(petspot):
    """Waits until no process uses the cache. The kernel ends a namespace shortly after its first process."""
    deadline = time.monotonic() + 5
    name = petspot.cache.encode()
    while time.monotonic() < deadline:
        running = []
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    running += [process] if name in file.read() else []
            except OSError:
                pass
        if not running:
            return
        time.sleep(0.01)


def whole(petspot, count):
    yield from invariants.verified(petspot.run, timeout=600)
    photos = len(petspot.run("list").objects)
    if photos != count:
        yield f"{photos} of {count} photos"
