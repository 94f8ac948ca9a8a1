"""Failing system calls: each of eight errors at calls of `attach` and `import`, once and for good."""

import errno
import os

import caches
from board import Tally
from caches import PHOTO, Scene
from petspot import blob_fault
from shimming import Shim, need, progress, run as run_command, spread

ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE", "EINTR", "ENOMEM")
# Of the decoders and of how they are started; our library is not in them.
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
# Exit codes that blame the machine; 66 is an unreadable source, 65 an import with failed files.
MACHINE = {66, 69, 73, 74, 75}
LATE = "but the photo is attached"


def run(work):
    need("strace", "strace")
    shim = Shim(work)
    names = ("attach", "import-few") if work.quick else ("attach", "attach-new", "import-few")
    scenes = [Scene(work, name) for name in names]
    yield failing(work, shim, scenes)
    yield short(work, shim, scenes)
    yield traced(work, scenes)


def failing(work, shim, scenes):
    tally = Tally("errors")
    triples = []
    for scene in scenes:
        _, calls = shim.calls(scene.fresh().command(*scene.arguments), reads=1)
        points = [(scene, number, call) for number, call in enumerate(calls, 1)]
        triples += [(*point, error, False) for point in points for error in ERRORS]
        # As a real disk does it: from then on for good.
        triples += [(*point, error, True) for point in points for error in ERRORS if error != "EINTR"]
    named = wrong = late = 0
    chosen = spread(work, work.count(6, 2400), triples)
    for scene, number, call, error, more in chosen:
        petspot = scene.fresh()
        settings = {"at": number, "do": getattr(errno, error), "more": more, "reads": 1}
        answer = shim.run(petspot.command(*scene.arguments), **settings)
        tally.tried += 1
        faults = list(judge(scene, petspot, answer))
        if answer.exit not in (0, 65):
            wrong += 1
            named += names(answer, error)
        if more and LATE in "".join(faults) and "/database" in answer.hit:
            # The disk failed for good within the last step of a commit: nobody can know, nor undo it.
            late += 1
            faults = [fault for fault in faults if LATE not in fault]
        where = f"{scene.name}, {error} at call {number}{' and later' if more else ''} ({answer.hit or call})"
        tally.faults += [f"{where}: {fault}" for fault in faults]
        progress(tally, len(chosen))
    tally.notes = f"{wrong} told, {named} in the system's words; {late} when the disk failed for good in a commit"
    return tally


def short(work, shim, scenes):
    """Writes that take half; all must come to the same end as whole ones."""
    tally = Tally("errors: short writes")
    points = []
    for scene in scenes:
        _, calls = shim.calls(scene.fresh().command(*scene.arguments))
        writes = [number for number, call in enumerate(calls, 1) if call.startswith("write")]
        points += [(scene, number, more) for number in writes for more in (False, True)]
    for scene, number, more in spread(work, work.count(1, len(points)), points):
        petspot = scene.fresh()
        answer = shim.run(petspot.command(*scene.arguments), at=number, do="short", more=more)
        tally.tried += 1
        faults = list(judge(scene, petspot, answer))
        if answer.exit != scene.clean_exit:
            faults.append(f"exit {answer.exit}")
        tally.faults += [f"{scene.name}, call {number}: {fault}" for fault in faults]
    return tally


def traced(work, scenes):
    tally = Tally("errors: starting and serving")
    triples = [
        (scene, name, error, index)
        for scene in scenes
        for name, errors in TRACED.items()
        for error in errors
        for index in (range(1, 31) if name in ("openat", "recvfrom", "sendto") else range(1, 7))
    ]
    ended = 0
    chosen = spread(work, work.count(2, len(triples)), triples)
    for scene, name, error, index in chosen:
        petspot = scene.fresh()
        inject = ["-e", f"trace={name}", "-e", f"inject={name}:error={error}:when={index}"]
        command = ["strace", "-f", "-qq", "-o", "/dev/null", *inject, *petspot.command(*scene.arguments)]
        answer = run_command(command)
        tally.tried += 1
        where = f"{scene.name}, {error} at {name} {index}"
        # To fail a call strace makes it one that the cage forbids: in there it is a crash.
        allowed = {65} if "decoder died" in answer.errors else set()
        # libdispatch ends a process when it may not read which threads of its own are busy.
        if "_dispatch_workq_monitor_pools" in answer.errors:
            allowed.add(answer.exit)
            ended += 1
        tally.faults += [f"{where}: {fault}" for fault in judge(scene, petspot, answer, allowed)]
        progress(tally, len(chosen), 100)
    tally.notes = f"{ended} ended by libdispatch, which could not read /proc"
    return tally


def judge(scene, petspot, answer, allowed=frozenset()):
    """Yields what is wrong with an answer and with the cache it leaves."""
    if answer.exit not in {0, scene.clean_exit} | MACHINE | allowed:
        if not (answer.exit == 65 and scene.arguments[0] == "import"):
            yield f"exit {answer.exit}: {answer.errors.strip()[-300:]}"
    if answer.left:
        yield f"{answer.left} processes outlive it"
    if answer.exit not in (0, 65) and not answer.errors.strip():
        yield f"exit {answer.exit} without a word"
    yield from judge_import(petspot, answer) if scene.arguments[0] == "import" else judge_attach(scene, petspot, answer)
    yield from scene.judge(petspot)
    yield from scene.judge_repeat(petspot, ordered=False)


def judge_attach(scene, petspot, answer):
    photo = petspot.run("status").photo
    if answer.exit == 0:
        if photo.get("id") != answer.photo.get("id") or not photo:
            yield "exit 0, but status does not show the photo"
    elif photo and photo["source"]["sha256"] == scene.digests[PHOTO]:
        yield f"exit {answer.exit}, {LATE}: {answer.errors.strip()}"
    elif scene.earlier and photo.get("id") != scene.earlier["id"]:
        yield "the earlier photo is lost"


def judge_import(petspot, answer):
    """What was told as imported is on record and whole."""
    library = {row[0] for row in caches.rows(petspot, "SELECT photo FROM library_photo")}
    for line in answer.objects:
        if line.get("outcome") == "imported":
            if line["id"] not in library:
                yield f"{os.path.basename(line['path'])} was told as imported and is not on record"
            elif fault := blob_fault(line["photo"]):
                yield fault


def names(answer, error):
    """Whether a message says what the system said."""
    words = {"ENOSPC": "disk is full", "EDQUOT": "quota"}
    return words.get(error, os.strerror(getattr(errno, error)).lower()) in answer.errors.lower()
