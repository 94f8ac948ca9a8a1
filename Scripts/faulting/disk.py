"""Disks that are full or read-only, and folders of another user."""

import os
import shutil
import subprocess

import caches
import invariants
from board import Tally
from calls import Fault, Point, drive, scenes
from petspot import Petspot, run

PAGE = 4096
NOBODY = 65534
# Folders and files to make unwritable.
LOCKED = (".", "incoming", "blobs", "previews", "database", "database/catalog.sqlite", "every shard")


def disk(work):
    """Full disks (tmpfs with few bytes or few inodes), read-only disks, and folders of another user."""
    if os.geteuid() != 0:
        yield Tally("disk", notes="skipped: mounting needs root")
        return
    some = scenes(work, *("attach",) if work.quick else ("attach", "attach-new", "import-few"))
    size = os.path.getsize(caches.PHOTO)
    room = [*(pages * PAGE for pages in range(48)), size - 1, size, size + PAGE]
    yield drive(work, "disk: full", FullDisk(room, range(16)), some, quick=4)
    more = scenes(work, *("remove",) if work.quick else ("attach", "attach-new", "import-few", "remove", "sweep"))
    yield drive(work, "disk: read-only", ReadOnlyDisk(), more, quick=1)
    yield foreign(work)


class Mount:
    """A mounted tmpfs."""

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

    def fill(self, free, kind="bytes"):
        """Leaves `free` bytes, rounded down to a page, or `free` inodes."""
        state = os.statvfs(self.path)
        if kind == "bytes":
            size = max(0, state.f_bavail - free // PAGE) * state.f_bsize
            with open(os.path.join(self.path, "filler"), "wb") as file:
                if size:
                    os.posix_fallocate(file.fileno(), 0, size)
            return
        os.mkdir(folder := os.path.join(self.path, "fillers"))
        for number in range(max(0, os.statvfs(self.path).f_favail - free)):
            open(os.path.join(folder, str(number)), "w").close()

    def release(self):
        shutil.rmtree(os.path.join(self.path, "fillers"), ignore_errors=True)
        if os.path.exists(filler := os.path.join(self.path, "filler")):
            os.unlink(filler)


class FullDisk(Fault):
    """A disk with few bytes or inodes left, and then with space again."""

    def __init__(self, room, inodes):
        self.amounts, self.hits = [*((free, "bytes") for free in room), *((free, "inodes") for free in inodes)], 0

    def points(self, scene):
        return [Point(f"{free} {kind} free", (free, kind)) for free, kind in self.amounts]

    def strike(self, scene, point):
        with Mount(scene.work, "size=16m,nr_inodes=400") as mount:
            petspot = scene.copy(os.path.join(mount.path, "cache"))
            mount.fill(*point.settings)
            answer = petspot.run(*scene.arguments)
            self.hits += answer.exit == 74
            yield from invariants.succeeded(scene.arguments[0], answer, 74, scene.clean_exit)
            if answer.exit == 74 and (answer.code != "storage-full" or "disk is full" not in answer.errors):
                yield f"does not say that the disk is full: {answer.errors.strip()}"
            elif answer.exit == 74 and petspot.cache not in answer.errors:
                yield f"does not name the disk: {answer.errors.strip()}"
            if os.path.exists(caches.catalog(petspot)) and scene.name != "attach-new":
                yield from scene.judge(petspot)
            mount.release()
            yield from scene.judge_repeat(petspot)

    def notes(self, tally, points):
        return f"{self.hits} were too full"


class ReadOnlyDisk(Fault):
    """A disk that is read-only when the command starts, and writable again later."""

    def __init__(self):
        pass

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


def judge_locked(answer, words):
    if answer.exit not in (73, 74):
        yield f"exit {answer.exit}: {answer.errors.strip()}"
    elif words not in answer.errors.lower():
        yield f"does not name the cause: {answer.errors.strip()}"


def foreign(work):
    """Runs petspot as another user, with a part of the cache that it can't write."""
    tally = Tally("disk: permissions")
    os.chmod(work.folder, 0o711)
    binary = shutil.copy(work.binary, work.folder)
    folder = work.new_folder("photos")
    earlier_photo, photo = (shutil.copy(path, folder) for path in (caches.EARLIER, caches.PHOTO))
    for path in (earlier_photo, photo):
        os.chmod(path, 0o444)

    def run_as_other(*arguments):
        return run(petspot.command(*arguments), user=NOBODY, group=NOBODY, extra_groups=[], cwd="/")

    for part in LOCKED[:2] if work.quick else LOCKED:
        petspot = Petspot(binary, work.new_folder("foreign"))
        os.chown(petspot.cache, NOBODY, NOBODY)
        earlier = run_as_other("attach", earlier_photo)
        for path in locked_paths(petspot.cache, part):
            os.chmod(path, 0o444 if os.path.isfile(path) else 0o555)
        answer = run_as_other("attach", photo)
        faults = [*invariants.succeeded("the attach before", earlier), *judge_locked(answer, "permission denied")]
        for path in locked_paths(petspot.cache, part):
            os.chmod(path, 0o755)
        status = run_as_other("status")
        if status.photo.get("id") != earlier.photo.get("id"):
            faults.append(f"the earlier photo is lost: {status.output} {status.errors}")
        tally.add(f"{part} locked", faults)
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
