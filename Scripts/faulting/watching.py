"""A running petspot seen from outside: its decoders, its descriptors, and how it ends."""

import os
import signal
import subprocess
import time

from petspot import Answer, exit_of
from shimming import end_session, outlived

LOOK = 0.004  # seconds between two looks
STANDSTILL = 8  # seconds without a look
PATIENCE = 3  # seconds a dead decoder may wait to be collected


class Watched:
    """A command in a session of its own, with its output in files so that it never waits for us."""

    def __init__(self, command, folder, name="watched", environment=None):
        self.paths = [os.path.join(folder, f"{name}.{suffix}") for suffix in ("out", "err")]
        with open(self.paths[0], "wb") as out, open(self.paths[1], "wb") as err:
            pipes = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": err}
            self.process = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)
        self.start = time.monotonic()
        # The most descriptors it held; those of no file, such as sockets; since when each zombie is seen.
        self.descriptors, self.sockets, self.dead = 0, 0, {}
        self.longest_dead = 0.0
        self.last_look, self.longest_gap = self.start, 0.0

    @property
    def seconds(self):
        return time.monotonic() - self.start

    @property
    def stood_still(self):
        """Whether we did not get to look for so long that the machine must have been stopped: times tell
        nothing then, neither ours nor those that petspot takes."""
        return max(self.longest_gap, time.monotonic() - self.last_look) > STANDSTILL

    @property
    def runs(self):
        return self.process.poll() is None

    def look(self):
        """Notes descriptors and zombies; the decoders that live."""
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
        """Looks again and again, until then or its end."""
        until = time.monotonic() + seconds
        while self.runs and time.monotonic() < until:
            self.look()
            time.sleep(LOOK)

    def busy_decoder(self, caged):
        """A decoder that computes right now, with its cage closed if so wanted; None when the command
        ends first."""
        while self.runs:
            for child in self.look():
                computes = "R" in states(child, listed(f"/proc/{child}/task"))
                if computes and (is_caged(child) or not caged):
                    return child
            time.sleep(LOOK / 4)
        return None

    def kill_decoder(self, pause, caged):
        """Kills a decoder that computes, a while after one began to: `decoding` when its cage was
        closed, else `starting`. None when the command ends first."""
        if self.busy_decoder(caged) is None:
            return None
        self.watch(pause)
        pid = self.busy_decoder(caged)
        if pid is None:
            return None
        moment = "decoding" if is_caged(pid) else "starting"
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:  # it went with its parent
            return None
        return moment

    def end(self, limit):
        """Waits for its end: the answer, `timeout` behind the limit. `left` counts what outlives it."""
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
    """Its child processes, whichever thread started them, the dead ones too."""
    texts = (read(f"/proc/{pid}/task/{task}/children") for task in listed(f"/proc/{pid}/task"))
    return [int(child) for text in texts for child in text.split()]


def descriptors(pid):
    """What its descriptors lead to."""
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
    """Whether its system calls are filtered: from then on it works on photos."""
    return b"Seccomp:\t2" in read(f"/proc/{pid}/status")


def heeds(pid, number):
    """Whether a signal does not simply end it: it is caught, blocked or ignored."""
    lines = dict(line.split(b":", 1) for line in read(f"/proc/{pid}/status").splitlines())
    sets = (int(lines.get(name, b"0"), 16) for name in (b"SigCgt", b"SigBlk", b"SigIgn"))
    return any(each >> number - 1 & 1 for each in sets)


def states(pid, tasks):
    """The state's letter of each thread, in one text."""
    stats = (read(f"/proc/{pid}/task/{task}/stat") for task in tasks)
    return "".join(stat.rpartition(b") ")[2][:1].decode() for stat in stats)


def listed(path):
    try:
        return os.listdir(path)
    except OSError:
        return []


def read(path):
    """A file's bytes; none when it, or its process, is gone."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
