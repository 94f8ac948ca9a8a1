"""The driver of faults that hit one command at one moment: kills and failing system calls. `disk` has full disks.

A fault lists the points at which it can hit a scene of `caches`, hits one, and checks what must hold afterwards.
A class is one line of the board: a fault, its scenes, and how many of all points are tried."""

import dataclasses
import errno
import itertools
import os

import caches
import invariants
from board import Tally, spread
from petspot import blob_fault
from shimming import Shim, need, run

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
# Exit codes for problems of the machine. 66 is an unreadable source, 65 an import with failed files.
MACHINE = {66, 69, 73, 74, 75}
LATE = "but the photo is attached"


def kill_attach_calls(work):
    """SIGKILL at every call of `attach` that changes a file, with an empty cache and with an earlier photo."""
    yield drive(work, "kill-attach-calls", Kill(work), scenes(work, "attach-new", "attach"), quick=5)


def kill_import_calls(work):
    """SIGKILL at every call that changes a file, during an import of 20 small files."""
    yield drive(work, "kill-import-calls", Kill(work), scenes(work, "import"), quick=3)


def errors(work):
    """Failing system calls: each of eight errors at calls of `attach` and `import`, once and permanently."""
    need("strace", "strace")
    chosen = scenes(work, *("attach", "import-few") if work.quick else ("attach", "attach-new", "import-few"))
    yield drive(work, "errors", Failure(work), chosen, quick=6, full=2400)
    yield drive(work, "errors: short writes", ShortWrite(work), chosen, quick=1)
    yield drive(work, "errors: starting and serving", TracedFailure(work), chosen, quick=2)


# The driver


@dataclasses.dataclass
class Point:
    """A point at which a fault hits."""

    what: str
    settings: object = None
    call: str = ""  # the call to be hit, and afterwards the one that was hit

    def __str__(self):
        return f"{self.what} ({self.call})" if self.call else self.what


def scenes(work, *names):
    return [caches.Scene(work, name) for name in names]


def drive(work, name, fault, scenes, quick, full=None):
    """Hits scenes at points of a fault, and counts what doesn't hold afterwards."""
    tally = Tally(name)
    points = [(scene, point) for scene in scenes for point in fault.points(scene)]
    chosen = spread(work, work.count(quick, full or len(points)), points)
    for scene, point in chosen:
        faults = [*fault.strike(scene, point)]
        tally.add(f"{scene.name}, {point}", faults)
        tally.progress(len(chosen))
    tally.notes = fault.notes(tally, len(points))
    return tally


class Fault:
    """A fault of calls to the C library. `points` lists where it can hit a scene; `strike` hits one and yields the
    faults afterwards."""

    reads = 0  # 1 if calls that change nothing are counted too

    def __init__(self, work):
        self.shim, self.hits = Shim(work), 0

    def calls(self, scene, **settings):
        calls = self.shim.run(scene.command(scene.fresh()), reads=self.reads).log
        return [Point(f"call {at}", {"at": at, "reads": self.reads} | settings, call) for at, call in enumerate(calls, 1)]

    def run(self, scene, point):
        petspot = scene.fresh()
        answer = self.shim.run(scene.command(petspot), **point.settings)
        point.call = answer.log[0] if answer.log else point.call
        return petspot, answer

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
        for fault in judge(scene, petspot, answer):
            if point.settings["more"] and LATE in fault and "/database" in point.call:
                # The disk failed permanently in the last step of a commit. The command can't know the outcome or
                # undo it.
                self.late += 1
            else:
                yield fault

    def notes(self, tally, points):
        late = f"{self.late} when the disk failed for good in a commit"
        return f"{self.hits} told, {self.named} in the system's words; {late}"


class ShortWrite(Fault):
    """A write that accepts only half of the bytes. The command must end as with complete writes."""

    def points(self, scene):
        points = [*self.calls(scene, do="short", more=False), *self.calls(scene, do="short", more=True)]
        return [point for point in points if point.call.startswith("write")]

    def strike(self, scene, point):
        petspot, answer = self.run(scene, point)
        yield from judge(scene, petspot, answer)
        if answer.exit != scene.clean_exit:
            yield f"exit {answer.exit}"


class TracedFailure(Fault):
    """A system call that fails under strace."""

    def points(self, scene):
        for name, errors in TRACED.items():
            count = 30 if name in ("openat", "recvfrom", "sendto") else 6
            for error, index in itertools.product(errors, range(1, count + 1)):
                inject = ["-e", f"trace={name}", "-e", f"inject={name}:error={error}:when={index}"]
                yield Point(f"{error} at {name} {index}", inject)

    def strike(self, scene, point):
        petspot = scene.fresh()
        answer = run(["strace", "-f", "-qq", "-o", "/dev/null", *point.settings, *scene.command(petspot)])
        # To fail a call, strace turns it into one that the sandbox forbids, so the decoder crashes.
        allowed = {65} if "decoder died" in answer.errors else set()
        # libdispatch ends a process if it can't read which of its own threads are busy.
        if "_dispatch_workq_monitor_pools" in answer.errors:
            allowed.add(answer.exit)
            self.hits += 1
        yield from judge(scene, petspot, answer, allowed)

    def notes(self, tally, points):
        return f"{self.hits} ended by libdispatch, which could not read /proc"


# Checks after a failed call


def judge(scene, petspot, answer, allowed=frozenset()):
    """Yields the faults of an answer and of the cache that it leaves."""
    imports = scene.arguments[0] == "import"
    yield from invariants.succeeded(scene.arguments[0], answer, scene.clean_exit, *MACHINE, *allowed, *[65] * imports)
    yield from invariants.outlived(answer.left)
    if answer.exit not in (0, 65) and not answer.errors.strip():
        yield f"exit {answer.exit} without a word"
    yield from judge_import(petspot, answer) if imports else judge_attach(scene, petspot, answer)
    yield from scene.judge(petspot)
    yield from scene.judge_repeat(petspot, ordered=False)


def judge_attach(scene, petspot, answer):
    photo = petspot.run("status").photo
    if answer.exit == 0:
        if photo.get("id") != answer.photo.get("id") or not photo:
            yield "exit 0, but status does not show the photo"
    elif photo and photo["source"]["sha256"] == scene.digests[caches.PHOTO]:
        yield f"exit {answer.exit}, {LATE}: {answer.errors.strip()}"
    elif scene.earlier and photo.get("id") != scene.earlier["id"]:
        yield "the earlier photo is lost"


def judge_import(petspot, answer):
    """Every photo that is reported as imported must be recorded and complete."""
    library = {row[0] for row in caches.rows(petspot, "SELECT photo FROM library_photo")}
    for line in answer.objects:
        if line.get("outcome") == "imported":
            if line["id"] not in library:
                yield f"{os.path.basename(line['path'])} was told as imported and is not on record"
            elif fault := blob_fault(line["photo"]):
                yield fault


def names(answer, error):
    """Returns whether a message contains the system's error text."""
    words = {"ENOSPC": "disk is full", "EDQUOT": "quota"}
    return words.get(error, os.strerror(getattr(errno, error)).lower()) in answer.errors.lower()
