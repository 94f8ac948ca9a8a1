"""Real full disks (tmpfs with few bytes or few inodes), read-only ones, and folders of somebody else."""

import os
import shutil
import subprocess

from board import Tally
from caches import EARLIER, PHOTO, Scene
from petspot import Answer, Petspot
from shimming import progress, spread

PAGE = 4096
NOBODY = 65534
# Folders and files that may not be written, and what `attach` may say then.
LOCKED = (".", "incoming", "blobs", "previews", "database", "database/catalog.sqlite", "every shard")


def run(work):
    if os.geteuid() != 0:
        yield Tally("disk", notes="skipped: mounting needs root")
        return
    yield full(work)
    yield read_only(work)
    yield foreign(work)


class Mount:
    """A tmpfs for the cache of a scene."""

    def __init__(self, work, options):
        self.path = os.path.join(work.folder, "disk")
        os.makedirs(self.path, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", self.path], check=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "-l", self.path], check=True)

    def remount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.path], check=True)

    def cache(self, scene):
        path = os.path.join(self.path, "cache")
        if os.path.isdir(scene.begin):
            shutil.copytree(scene.begin, path)
        return Petspot(scene.work.binary, path)

    def fill(self, free):
        """Leaves so many bytes, rounded down to a page."""
        state = os.statvfs(self.path)
        size = max(0, state.f_bavail - free // PAGE) * state.f_bsize
        with open(os.path.join(self.path, "filler"), "wb") as file:
            if size:
                os.posix_fallocate(file.fileno(), 0, size)

    def take_inodes(self, free):
        folder = os.path.join(self.path, "fillers")
        os.mkdir(folder)
        for number in range(max(0, os.statvfs(self.path).f_favail - free)):
            open(os.path.join(folder, str(number)), "w").close()

    def release(self):
        shutil.rmtree(os.path.join(self.path, "fillers"), ignore_errors=True)
        if os.path.exists(filler := os.path.join(self.path, "filler")):
            os.unlink(filler)


def full(work):
    tally = Tally("disk: full")
    names = ("attach",) if work.quick else ("attach", "attach-new", "import-few")
    scenes = [Scene(work, name) for name in names]
    size = os.path.getsize(PHOTO)
    amounts = [pages * PAGE for pages in range(48)] + [size - 1, size, size + PAGE]
    cases = [(scene, "bytes", free) for scene in scenes for free in amounts]
    cases += [(scene, "inodes", free) for scene in scenes for free in range(16)]
    chosen, told = spread(work, work.count(4, len(cases)), cases), 0
    for scene, kind, free in chosen:
        with Mount(work, "size=16m,nr_inodes=400") as mount:
            petspot = mount.cache(scene)
            mount.fill(free) if kind == "bytes" else mount.take_inodes(free)
            answer = petspot.run(*scene.arguments)
            told += answer.exit == 74
            faults = list(judge_full(scene, petspot, answer))
            mount.release()
            faults += scene.judge_repeat(petspot)
        tally.tried += 1
        tally.faults += [f"{scene.name} with {free} {kind} free: {fault}" for fault in faults]
        progress(tally, len(chosen), 50)
    tally.notes = f"{told} were too full"
    return tally


def judge_full(scene, petspot, answer):
    if answer.exit not in (74, scene.clean_exit):
        yield f"exit {answer.exit}: {answer.errors.strip()}"
    elif answer.exit == 74 and (answer.code != "storage-full" or "disk is full" not in answer.errors):
        yield f"does not say that the disk is full: {answer.errors.strip()}"
    elif answer.exit == 74 and petspot.cache not in answer.errors:
        yield f"does not name the disk: {answer.errors.strip()}"
    if os.path.exists(os.path.join(petspot.cache, "database", "catalog.sqlite")) and scene.name != "attach-new":
        yield from scene.judge(petspot)


def read_only(work):
    """A disk that is read-only when the command begins, and writable again later."""
    tally = Tally("disk: read-only")
    names = ("remove",) if work.quick else ("attach", "attach-new", "import-few", "remove", "sweep")
    for scene in (Scene(work, name) for name in names):
        with Mount(work, "size=16m") as mount:
            petspot = mount.cache(scene)
            mount.remount("ro")
            answer = petspot.run(*scene.arguments)
            faults = list(judge_locked(answer, "read-only file system"))
            mount.remount("rw")
            faults += [*scene.judge(petspot), *scene.judge_repeat(petspot)]
        tally.tried += 1
        tally.faults += [f"{scene.name}: {fault}" for fault in faults]
    return tally


def judge_locked(answer, words):
    if answer.exit not in (73, 74):
        yield f"exit {answer.exit}: {answer.errors.strip()}"
    elif words not in answer.errors.lower():
        yield f"does not name the cause: {answer.errors.strip()}"


def foreign(work):
    """Another user runs petspot; a part of the cache may not be written."""
    tally = Tally("disk: permissions")
    os.chmod(work.folder, 0o711)
    binary = shutil.copy(work.binary, work.folder)
    photos = os.path.join(work.folder, "photos")
    os.makedirs(photos, exist_ok=True)
    for photo in (EARLIER, PHOTO):
        os.chmod(shutil.copy(photo, photos), 0o444)
    parts = LOCKED[:2] if work.quick else LOCKED
    for part in parts:
        cache = os.path.join(work.folder, "foreign")
        shutil.rmtree(cache, ignore_errors=True)
        os.mkdir(cache)
        os.chown(cache, NOBODY, NOBODY)
        petspot = Petspot(binary, cache)
        earlier = run_as(petspot, "attach", os.path.join(photos, os.path.basename(EARLIER)))
        for path in locked_paths(cache, part):
            os.chmod(path, 0o444 if os.path.isfile(path) else 0o555)
        answer = run_as(petspot, "attach", os.path.join(photos, os.path.basename(PHOTO)))
        faults = [f"exit {earlier.exit} before: {earlier.errors}"] if earlier.exit != 0 else []
        faults += judge_locked(answer, "permission denied")
        for path in locked_paths(cache, part):
            os.chmod(path, 0o755)
        status = run_as(petspot, "status")
        if status.photo.get("id") != earlier.photo.get("id"):
            faults.append(f"the earlier photo is lost: {status.output} {status.errors}")
        tally.tried += 1
        tally.faults += [f"{part} locked: {fault}" for fault in faults]
    return tally


def locked_paths(cache, part):
    if part != "every shard":
        return [os.path.join(cache, part)]
    stores = [os.path.join(cache, kind) for kind in ("blobs", "previews")]
    for number in range(256):
        for store in stores:
            os.makedirs(shard := os.path.join(store, f"{number:02x}"), exist_ok=True)
            os.chown(shard, NOBODY, NOBODY)
    return [os.path.join(store, name) for store in stores for name in os.listdir(store)]


def run_as(petspot, *arguments):
    command = petspot.command(*arguments)
    done = subprocess.run(command, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", capture_output=True, timeout=60)
    return Answer(done.returncode if done.returncode >= 0 else f"signal {-done.returncode}", done.stdout, done.stderr)
