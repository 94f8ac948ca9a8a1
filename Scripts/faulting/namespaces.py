"""Two containers at one volume, each with processes of its own: a sweep in one takes nothing from the other's living."""

import os
import signal
import subprocess
import time

import board
import caches
import pictures

APART = ["unshare", "-pf", "--kill-child", "--mount-proc"]
QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
FILES, QUICK_FILES = 400, 60


def run(work):
    if subprocess.run([*APART, "true"], **QUIET).returncode != 0:
        yield board.Tally("namespaces", notes="not tried: unshare -pf is not permitted here")
        return
    yield living(work)
    yield dead(work)


def apart(petspot, *arguments):
    """A command in a PID namespace of its own, and its answer's exit code and text."""
    done = subprocess.run([*APART, *petspot.command(*arguments)], stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    return done.returncode, done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


def living(work):
    """An import in one namespace, sweeps in others as long as it runs: it loses nothing."""
    tally, rounds = board.Tally("namespaces: living"), work.count(2, 50)
    count = QUICK_FILES if work.quick else FILES
    folder = os.path.join(work.folder, "photos")
    pictures.folder(folder, count, work.dice)
    for number in range(rounds):
        petspot = work.petspot(f"living-{number}")
        caches.expect(petspot, "status")
        command = [*APART, *petspot.command("import", folder)]
        importing = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        output = os.path.join(work.folder, "import-output")
        sweeps = 0
        with open(output, "wb") as file:
            reader = subprocess.Popen(["cat"], stdin=importing.stdout, stdout=file)
            while importing.poll() is None:
                exit, text = apart(petspot, "sweep")
                sweeps += 1
                if exit != 0:
                    tally.faults.append(f"round {number}: sweep ends in {exit}: {text.strip()}")
                elif '"removedBlobs":0' not in text:
                    tally.faults.append(f"round {number}: a sweep took from the living: {text.strip()}")
            reader.wait()
        errors = importing.stderr.read().decode(errors="replace")
        importing.stdout.close()
        importing.stderr.close()
        if importing.returncode != 0:
            tally.faults.append(f"round {number}: import ends in {importing.returncode}: {errors[-300:]}")
        tally.faults += [f"round {number}: {fault}" for fault in whole(petspot, count)]
        tally.tried += sweeps
    tally.notes = f"sweeps beside {rounds} imports of {count} files"
    return tally


def dead(work):
    """An import that is killed in its namespace: what it left is swept by another one."""
    tally, rounds = board.Tally("namespaces: dead"), work.count(3, 100)
    count = QUICK_FILES if work.quick else FILES
    folder = os.path.join(work.folder, "photos")
    left = 0
    for number in range(rounds):
        petspot = work.petspot(f"dead-{number}")
        caches.expect(petspot, "status")
        importing = subprocess.Popen([*APART, *petspot.command("import", folder)], start_new_session=True, **QUIET)
        deadline = time.monotonic() + 20
        while not petspot.leftovers() and importing.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(work.dice.random() * 0.05)
        try:
            os.killpg(importing.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        importing.wait()
        wait_for_end(petspot)
        left += len(petspot.leftovers())
        exit, text = apart(petspot, "sweep")
        locks = [name for name in os.listdir(os.path.join(petspot.cache, "database")) if name.endswith(".lock")]
        if exit != 0 or petspot.leftovers() or locks:
            tally.faults.append(f"round {number}: exit {exit}, left {petspot.leftovers()} {locks}: {text.strip()}")
        again = petspot.run("import", folder, timeout=600)
        if again.exit != 0:
            tally.faults.append(f"round {number}: the import does not go on: {again.exit} {again.errors[-300:]}")
        tally.faults += [f"round {number}: {fault}" for fault in whole(petspot, count)]
        tally.tried += 1
    tally.notes = f"{left} files left behind"
    return tally


def wait_for_end(petspot):
    """Waits until no process works at the cache any more: the kernel ends a namespace a moment after
    its first process."""
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
    verified = petspot.run("verify", "--all", timeout=600)
    if verified.exit != 0:
        yield f"verify: exit {verified.exit} {verified.output[-300:]}"
    photos = len(petspot.run("list").objects)
    if photos != count:
        yield f"{photos} of {count} photos"
