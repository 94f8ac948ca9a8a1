"""Observes a running petspot from outside: its decoders, its descriptors, and how it ends."""

import os
import signal
import subprocess
import time

from petspot import Answer, exit_of
from shimming import end_session, outlived

LOOK = 0.004  # seconds between two looks
STANDSTILL = 8  # seconds without a look that mean the machine was suspended
PATIENCE = 3  # seconds that a dead decoder may stay uncollected


class Watched:
    """A command in its own session. Its output goes to files, so that it never waits for a reader."""

    def __init__(self, command, folder, name="watched", environment=None):
        self.paths = [os.path.join(folder, f"{name}.{suffix}") for suffix in ("out", "err")]
        with open(self.paths[0], "wb") as out, open(self.paths[1], "wb") as err:
            pipes = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err}
            self.process = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)
        self.start = time.monotonic()
        # The largest number of descriptors, and of those without a file, such as sockets; and the time each zombie
        # was first seen.
        self.descriptors, self.sockets, self.dead = 0, 0, {}
        self.longest_dead = 0.0
        self.last_look, self.longest_gap = self.start, 0.0

    @property
    def seconds(self):
        return time.monotonic() - self.start

    @property
    def stood_still(self):
        """Whether there was no look for so long that the machine must have been suspended. Times mean nothing then,
        neither the test's nor petspot's."""
        return max(self.longest_gap, time.monotonic() - self.last_look) > STANDSTILL

    @property
    def runs(self):
        return self.process.poll() is None

    def look(self):
        """Records descriptors and zombies. Returns the living decoders."""
        pid, living = self.process.pid, []
        held = descriptors(pid)
        self.descriptors = max(self.descriptors, len(held))
        self.sockets = max(self.sockets, sum(not target.startswith("/") for target in held))
        seen = {}
        for child in children(pid):
            state = states(child, [child])
            if state == "Z":
                seen[child] = self.dead.get(child, time.monotonic())
            elif is_decoder(child):
                living.append(child)
        self.dead = seen
        now = time.monotonic()
        self.longest_gap = max(self.longest_gap, now - self.last_look)
        self.last_look = now
        self.longest_dead = max([self.longest_dead, *(now - since for since in seen.values())])
        return living

    def watch(self, seconds):
        """Looks repeatedly for so many seconds, or until the command ends."""
        until = time.monotonic() + seconds
        while self.runs and time.monotonic() < until:
            self.look()
            time.sleep(LOOK)

    def busy_decoder(self, caged):
        """Returns a decoder that is computing now, inside its sandbox if `caged` is true. Returns None if the
        command ends first."""
        while self.runs:
            for child in self.look():
                computes = "R" in states(child, listed(f"/proc/{child}/task"))
                if computes and (is_caged(child) or not caged):
                    return child
            time.sleep(LOOK / 4)
        return None

    def kill_decoder(self, pause, caged):
        """Kills a computing decoder some time after one began. Returns `decoding` if it was inside its sandbox,
        else `starting`. Returns None if the command ends first."""
        if self.busy_decoder(caged) is None:
            return None
        self.watch(pause)
        pid = self.busy_decoder(caged)
        if pid is None:
            return None
        moment = "decoding" if is_caged(pid) else "starting"
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:  # it ended with its parent
            return None
        return moment

    def end(self, limit):
        """Waits for the end. Returns the answer, `timeout` after the limit. `left` is the number of processes that
        outlive it."""
        self.watch(max(0, limit - self.seconds))
        hangs = self.runs
        if hangs:
            end_session(self.process.pid)
        code = self.process.wait()
        output, errors = map(read, self.paths)
        answer = Answer("timeout" if hangs else exit_of(code), output, errors)
        answer.left = outlived(self.process.pid)
        return answer


def children(pid):
    """Returns the child processes of all threads, including dead ones."""
    texts = (read(f"/proc/{pid}/task/{task}/children") for task in listed(f"/proc/{pid}/task"))
    return [int(child) for text in texts for child in text.split()]


def descriptors(pid):
    """Returns the targets of a process's descriptors."""
    found = []
    for number in listed(f"/proc/{pid}/fd"):
        try:
            found.append(os.readlink(f"/proc/{pid}/fd/{number}"))
        except OSError:
            continue
    return found


def is_decoder(pid):
    return b"decode-worker" in read(f"/proc/{pid}/cmdline").split(b"\0")


def is_caged(pid):
    """Returns whether its system calls are filtered. From then on it works on photos."""
    return b"Seccomp:\t2" in read(f"/proc/{pid}/status")


def heeds(pid, number):
    """Returns whether the process catches, blocks or ignores a signal, so that it isn't simply ended by it."""
    lines = dict(line.split(b":", 1) for line in read(f"/proc/{pid}/status").splitlines())
    sets = (int(lines.get(name, b"0"), 16) for name in (b"SigCgt", b"SigBlk", b"SigIgn"))
    return any(each >> number - 1 & 1 for each in sets)


def states(pid, tasks):
    """Returns the state letters of the threads as one text."""
    stats = (read(f"/proc/{pid}/task/{task}/stat") for task in tasks)
    return "".join(stat.rpartition(b") ")[2][:1].decode() for stat in stats)


def listed(path):
    try:
        return os.listdir(path)
    except OSError:
        return []


def read(path):
    """Returns a file's bytes. Empty if the file or its process is gone."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
