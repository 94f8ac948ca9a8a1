"""The driver: hits scenes with a fault at chosen points, and checks what must hold afterwards. `table` has its lines.

A scene is a cache or a folder in its initial state, and a command that changes it (see `caches.Scene`). A fault
lists the points at which it can hit a scene, and hits one. The scene then judges what is left: `judge_kill` after a
kill, `judge_failure` after a command that ended by itself, `judge_repeat` after a repetition."""

import dataclasses
import errno
import itertools
import os
import statistics
import time
from collections.abc import Callable

import caches
import invariants
from board import Tally, spread
from clocks import Clock
from disk import Mount, judge_locked
from petspot import kill_after
from shimming import Shim, build, need, outlived, run

ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE", "EINTR", "ENOMEM")
# System calls of the decoders and of their start, which our library can't intercept.
TRACED = {
    "clone3": ("EAGAIN", "ENOMEM"),
    "execve": ("EACCES", "ENOMEM", "EIO"),
    "socketpair": ("EMFILE", "ENFILE", "ENOMEM"),
    "openat": ("EMFILE", "EACCES", "EIO"),
    "sendto": ("EIO", "ENOBUFS"),
    "recvfrom": ("EIO", "ENOMEM"),
    "seccomp": ("EINVAL", "ENOSYS"),
    "landlock_create_ruleset": ("ENOSYS", "EOPNOTSUPP"),
    "prlimit64": ("EPERM",),
}
# Calls that only look.
READS = {"open", "read", "readdir", "stat", "lstat", "fstat", "fstatat", "access", "flock"}


@dataclasses.dataclass
class Point:
    """A point at which a fault hits."""

    what: str
    settings: object = None
    call: str = ""  # the call to be hit, and afterwards the one that was hit
    allowed: set = frozenset()  # exit codes that only this point may cause

    def __str__(self):
        return f"{self.what} ({self.call})" if self.call else self.what


@dataclasses.dataclass
class Line:
    """A line of the board: a fault, its scenes, and how many of all points are tried."""

    name: str
    fault: Callable  # makes the fault
    scenes: Callable  # makes the scenes
    quick: int
    full: int | None = None  # all points
    needs_root: bool = False

    def __call__(self, work):
        tally = Tally(self.name)
        if self.needs_root and os.geteuid() != 0:
            tally.notes = "skipped: mounting needs root"
            return tally
        scenes, fault = self.scenes(work), self.fault(work)
        try:
            points = [(scene, point) for scene in scenes for point in fault.points(scene)]
            chosen = spread(work, work.count(self.quick, self.full or len(points)), points)
            for scene, point in fault.ordered(chosen):
                faults = [*fault.strike(scene, point)]
                tally.add(f"{scene.name}, {point}", faults)
                tally.progress(len(chosen))
            tally.add("at the end", fault.finish(), tries=0)
        finally:
            fault.close()
        notes = [fault.notes(tally, len(points)), *(scene.notes for scene in scenes)]
        tally.notes = ", ".join(filter(None, notes))
        return tally


def during(around, part):
    """Returns a part of a class that runs while something is mounted."""

    def run(work):
        with around(work):
            return part(work)

    return run


class Fault:
    """A fault of calls to the C library. `points` lists where it can hit a scene; `strike` hits one and yields the
    faults afterwards."""

    reads = 0  # 1 if calls that change nothing are counted too

    def __init__(self, work):
        self.work, self.shim, self.hits = work, Shim(work), 0

    def calls(self, scene, **settings):
        calls = self.shim.run(scene.command(scene.fresh()), reads=self.reads).log
        settings |= {"reads": self.reads}
        return [Point(f"call {at}", {"at": at} | settings, call) for at, call in enumerate(calls, 1)]

    def run(self, scene, point):
        petspot = scene.fresh()
        answer = self.shim.run(scene.command(petspot), **point.settings)
        point.call = answer.log[0] if answer.log else point.call
        return petspot, answer

    def ordered(self, points):
        return points

    def finish(self):
        """Returns the faults after the last point."""
        return ()

    def close(self):
        """Ends what runs."""

    def notes(self, tally, points):
        return ""


class Kill(Fault):
    """SIGKILL at a call that changes a file, counted over all threads."""

    def points(self, scene):
        return self.calls(scene, do="kill")

    def strike(self, scene, point):
        petspot, answer = self.run(scene, point)
        self.hits += answer.exit == "signal 9"
        yield from invariants.outlived(answer.left)
        yield from scene.judge_kill(petspot)

    def notes(self, tally, points):
        tally.expect_some(self.hits, "killed")
        return f"{self.hits} killed of {points} calls"


class KillLater(Fault):
    """SIGKILL at a random moment. `moments` is the number of points of a scene."""

    def __init__(self, work, moments):
        self.work, self.moments, self.hits, self.seconds = work, moments, 0, 0

    def points(self, scene):
        self.seconds = statistics.median(self.undisturbed(scene) for _ in range(1 if self.work.quick else 3))
        longest = scene.longest(self.seconds, self.moments)
        delays = (self.work.dice.uniform(0, longest) for _ in range(self.moments))
        return [Point(f"killed after {delay:.4f} s", delay) for delay in delays]

    def undisturbed(self, scene):
        """Returns the seconds that the command takes."""
        petspot = scene.fresh()
        start = time.monotonic()
        petspot.run(*scene.arguments, timeout=600)
        seconds = time.monotonic() - start
        if [*caches.differences(scene.uninterrupted(), caches.contents(petspot), "again", scene.is_ordered)]:
            raise SystemExit(f"{scene.name}: two undisturbed runs differ")
        return seconds

    def kill(self, scene, petspot, point):
        was_killed, session = kill_after(scene.command(petspot), point.settings)
        self.hits += was_killed
        yield from invariants.outlived(outlived(session))
        return was_killed

    def strike(self, scene, point):
        petspot = scene.fresh()
        yield from self.kill(scene, petspot, point)
        yield from scene.judge_kill(petspot)

    def notes(self, tally, points):
        tally.expect_some(self.hits, "killed")
        return f"{self.hits} killed"


class KillAgain(KillLater):
    """SIGKILL at a random moment, at the same cache until the command completes."""

    scene, petspot, ends = None, None, 0

    def strike(self, scene, point):
        self.scene, self.petspot = scene, self.petspot or scene.fresh()
        was_killed = yield from self.kill(scene, self.petspot, point)
        yield from invariants.verified(self.petspot.run, timeout=600)
        # Now and then completes a cache that was killed in one place, so that later kills vary.
        if not was_killed or self.work.dice.random() < scene.impatience:
            yield from self.finish()

    def finish(self):
        if self.petspot:
            self.ends += 1
            yield from self.scene.judge_end(self.petspot)
            self.petspot = None

    def notes(self, tally, points):
        killed = f"{super().notes(tally, points)} in {self.seconds * 1000:.0f} ms each"
        return f"{killed}, {self.ends} caches compared at the end"


class Failure(Fault):
    """A call that fails with an error, once, or permanently as on a broken disk."""

    reads, named, late = 1, 0, 0

    def points(self, scene):
        for point, error, more in itertools.product(self.calls(scene), ERRORS, (False, True)):
            if not (more and error == "EINTR"):
                settings = point.settings | {"do": getattr(errno, error), "more": more}
                yield Point(f"{error} at {point.what}{' and later' if more else ''}", settings, point.call)

    def strike(self, scene, point):
        petspot, answer = self.run(scene, point)
        if answer.exit not in (0, 65):
            self.hits += 1
            self.named += names(answer, point.what.split()[0])
        yield from invariants.outlived(answer.left)
        for fault in scene.judge_failure(petspot, answer, point):
            if point.settings["more"] and caches.LATE in fault and "/database" in point.call:
                # The disk failed permanently in the last step of a commit. The command can't know the outcome or
                # undo it.
                self.late += 1
            else:
                yield fault

    def notes(self, tally, points):
        late = f"{self.late} when the disk failed for good in a commit"
        return f"{self.hits} told of {points} points, {self.named} in the system's words; {late}"


def names(answer, error):
    """Returns whether a message contains the system's error text."""
    words = {"ENOSPC": "disk is full", "EDQUOT": "quota"}
    return words.get(error, os.strerror(getattr(errno, error)).lower()) in answer.errors.lower()


class Unreadable(Fault):
    """A look at a file that fails, or a read that ends early. `errors` returns what can happen at a call."""

    reads = 1

    def __init__(self, work, errors):
        super().__init__(work)
        self.errors = errors

    def points(self, scene):
        for point in self.calls(scene):
            name, _, path = point.call.partition(" ")
            if name in READS and path.startswith(scene.folder):
                for error in self.errors(name, path):
                    more = error == errno.EMFILE and scene.keeps_descriptors
                    what = f"{errno.errorcode.get(error, error)} at {point.what}"
                    yield Point(what, point.settings | {"do": error, "more": more}, point.call)

    def strike(self, scene, point):
        petspot, answer = self.run(scene, point)
        self.hits += answer.exit not in (0, scene.clean_exit)
        yield from invariants.outlived(answer.left)
        yield from scene.judge_failure(petspot, answer, point)

    def notes(self, tally, points):
        return f"{self.hits} told, of {points} points"


class ShortWrite(Fault):
    """A write that accepts only half of the bytes. The command must end as with complete writes."""

    def points(self, scene):
        points = [*self.calls(scene, do="short", more=False), *self.calls(scene, do="short", more=True)]
        return [point for point in points if point.call.startswith("write")]

    def strike(self, scene, point):
        petspot, answer = self.run(scene, point)
        yield from invariants.outlived(answer.left)
        yield from scene.judge_failure(petspot, answer, point)
        if answer.exit != scene.clean_exit:
            yield f"exit {answer.exit}"


class TracedFailure(Fault):
    """A system call that fails under strace."""

    def points(self, scene):
        need("strace", "strace")
        for name, errors in TRACED.items():
            count = 30 if name in ("openat", "recvfrom", "sendto") else 6
            for error, index in itertools.product(errors, range(1, count + 1)):
                inject = ["-e", f"trace={name}", "-e", f"inject={name}:error={error}:when={index}"]
                yield Point(f"{error} at {name} {index}", inject)

    def strike(self, scene, point):
        petspot = scene.fresh()
        answer = run(["strace", "-f", "-qq", "-o", "/dev/null", *point.settings, *scene.command(petspot)])
        # To fail a call, strace turns it into one that the sandbox forbids, so the decoder crashes.
        point.allowed = {65} if "decoder died" in answer.errors else set()
        # libdispatch ends a process if it can't read which of its own threads are busy.
        if "_dispatch_workq_monitor_pools" in answer.errors:
            point.allowed.add(answer.exit)
            self.hits += 1
        yield from invariants.outlived(answer.left)
        yield from scene.judge_failure(petspot, answer, point)

    def notes(self, tally, points):
        return f"{self.hits} ended by libdispatch, which could not read /proc"


class FullDisk(Fault):
    """A disk with few bytes or inodes left, and then with space again."""

    def __init__(self, work, room, inodes=()):
        self.amounts, self.hits = [*((free, "bytes") for free in room), *((free, "inodes") for free in inodes)], 0

    def points(self, scene):
        return [Point(f"{free} {kind} free", (free, kind)) for free, kind in self.amounts]

    def strike(self, scene, point):
        with Mount(scene.work, f"size=16m,nr_inodes={scene.inodes}") as mount:
            petspot = scene.copy(os.path.join(mount.path, "cache"))
            mount.fill(*point.settings)
            answer = petspot.run(*scene.arguments)
            self.hits += answer.exit == 74
            yield from invariants.succeeded(scene.name, answer, 74, scene.clean_exit)
            if answer.exit == 74 and (answer.code != "storage-full" or "disk is full" not in answer.errors):
                yield f"does not say that the disk is full: {answer.errors.strip()}"
            elif answer.exit == 74 and os.path.join(mount.path, "cache") not in answer.errors:
                yield f"does not name the disk: {answer.errors.strip()}"
            if os.path.exists(caches.catalog(petspot)) and scene.name != "attach-new":
                yield from scene.judge(petspot)
            mount.release()
            yield from scene.judge_repeat(petspot)

    def notes(self, tally, points):
        return f"{self.hits} were too full"


class ReadOnlyDisk(Fault):
    """A disk that is read-only when the command starts, and writable again later."""

    def points(self, scene):
        return [Point("read-only")]

    def strike(self, scene, point):
        with Mount(scene.work, "size=16m") as mount:
            petspot = scene.copy(os.path.join(mount.path, "cache"))
            mount.remount("ro")
            yield from judge_locked(petspot.run(*scene.arguments), "read-only file system")
            mount.remount("rw")
            yield from scene.judge(petspot)
            yield from scene.judge_repeat(petspot)


class WrongClock(Fault):
    """A clock that is wrong, jumps or runs backwards. `settings` returns (name, settings) pairs."""

    def __init__(self, work, settings):
        self.library, self.settings = build(work, "clock.c"), [*settings(work)]

    def points(self, scene):
        return [Point(name, settings) for name, settings in self.settings]

    def strike(self, scene, point):
        return scene.judge_clock(Clock(self.library, scene.fresh(), point.settings))
