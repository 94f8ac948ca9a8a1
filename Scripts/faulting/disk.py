"""Disks, and folders of another user."""

import os
import shutil
import subprocess

import caches
import invariants
from board import Tally
from petspot import Petspot, run

PAGE = 4096
NOBODY = 65534
# Folders and files to make unwritable.
LOCKED = (".", "incoming", "blobs", "previews", "database", "database/catalog.sqlite", "every shard")


def room(pages, photo=None):
    """Returns sizes of free space: so many pages, and around a photo's size."""
    size = [os.path.getsize(photo)] if photo else []
    return [*(number * PAGE for number in range(pages)), *(each + more for each in size for more in (-1, 0, PAGE))]


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


def judge_locked(answer, words):
    if answer.exit not in (73, 74):
        yield f"exit {answer.exit}: {answer.errors.strip()}"
    elif words not in answer.errors.lower():
        yield f"does not name the cause: {answer.errors.strip()}"


def permissions(work):
    """Runs petspot as another user, with a part of the cache that it can't write."""
    tally = Tally("disk: permissions")
    if os.geteuid() != 0:
        tally.notes = "skipped: changing users needs root"
        return tally
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
