"""Moves photos together with the files that belong to them: all or none of a set moves, and nothing is lost."""

import contextlib
import os
import shutil
import socket
import stat
import subprocess
import threading
import time

import caches
import invariants
from board import IMAGES, Tally
from disk import Mount
from files import LONG_AGO, digest, digests, write
from petspot import exit_of

# Photos that have other files next to them.
PHOTOS = {"IMG_1.HEIC": "portrait-phone.heic", "IMG_2.jpg": "gps-exif.jpg"}
BESIDE = ("IMG_1.MOV", "IMG_1.AAE", "IMG_2.jpg.supplemental-meta.json")
FILM = "IMG_1.MOV"
FIVE_GB = 5_000_000_000


def move(folder, target):
    return ["import", folder, "--move-source", target, "--yes", "--delete-lossy-source", "--jobs", "1"]


def made(work):
    """Writes both sets with an old modification time."""
    folder = work.new_folder("sets")
    for name, image in PHOTOS.items():
        shutil.copy(os.path.join(IMAGES, image), os.path.join(folder, name))
    for name in BESIDE:
        write(os.path.join(folder, name), name.encode() * 50_000)
    for name in os.listdir(folder):
        os.utime(os.path.join(folder, name), (LONG_AGO, LONG_AGO))
    return folder


def places(work):
    """Returns an empty target on the same file system and one on another."""
    far = work.path("disk", "moved")
    shutil.rmtree(far, ignore_errors=True)
    return {"near": work.new_folder("moved"), "far": far}


# Odd files


@contextlib.contextmanager
def repeating(act):
    """Calls a function repeatedly during the block."""
    over = threading.Event()

    def acting():
        while not over.is_set():
            act()
            time.sleep(0.001)

    thread = threading.Thread(target=acting)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextlib.contextmanager
def growing(film):
    with open(film, "ab", 0) as file, repeating(lambda: file.write(b"more " * 1000)):
        yield


@contextlib.contextmanager
def reopened(film):
    """The film grows, but is closed between two writes."""
    with repeating(lambda: write_more(film)):
        yield


def write_more(film):
    # Only while it is there: a recreated name would be another file.
    with contextlib.suppress(FileNotFoundError), os.fdopen(os.open(film, os.O_WRONLY | os.O_APPEND), "ab", 0) as file:
        file.write(b"more")


@contextlib.contextmanager
def shrinking(film):
    with open(film, "r+b", 0) as file:
        size = [os.path.getsize(film)]

        def shrink():
            size[0] = max(1, size[0] - 10)
            file.truncate(size[0])

        with repeating(shrink):
            yield


@contextlib.contextmanager
def replaced(make, film):
    os.unlink(film)
    make(film)
    yield


def bind(path):
    with socket.socket(socket.AF_UNIX) as made_socket:
        made_socket.bind(path)


def link_to(path):
    with open(path + ".elsewhere", "w") as file:
        file.write("a film")
    os.symlink(path + ".elsewhere", path)


STAYING = {
    "growing": growing,
    "growing by bursts": reopened,
    "shrinking": shrinking,
    "a FIFO": lambda film: replaced(os.mkfifo, film),
    "a link": lambda film: replaced(link_to, film),
    "a folder": lambda film: replaced(os.mkdir, film),
    "a socket": lambda film: replaced(bind, film),
    "a device": lambda film: replaced(lambda path: os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5)), film),
}


def odd(work):
    tally = Tally("sets: odd films")
    for where, (name, meanwhile) in ((w, item) for w in ("near", "far", "deleting") for item in STAYING.items()):
        folder = made(work)
        target, film = places(work).get(where), os.path.join(folder, FILM)
        command = move(folder, target) if target else ["import", folder, "--delete-source", "--yes", "--delete-lossy-source"]
        with meanwhile(film):
            names = sorted(os.listdir(folder))
            inode = os.lstat(film).st_ino
            answer = work.new_petspot().run(*command, timeout=60)
        kept = {os.path.basename(row["path"]): row.get("sourceKept", {}).get("code") for row in answer.objects[:-1]}
        faults = [*invariants.succeeded("import", answer, 65)]
        if kept.get("IMG_1.HEIC") != ("changed" if target else "sidecar"):
            faults.append(f"told as {kept.get('IMG_1.HEIC')}")
        if not os.path.lexists(film) or os.lstat(film).st_ino != inode:
            faults.append("the film is not where it was")
        left = [entry for entry in names if entry not in os.listdir(folder) and not entry.startswith("IMG_2")]
        if left or any(entry.startswith("IMG_1") for entry in target and os.path.isdir(target) and os.listdir(target) or []):
            faults.append(f"torn: {os.listdir(folder)}")
        if target and not {"IMG_2.jpg", BESIDE[2]} <= set(os.listdir(target)):
            faults.append("the other set did not go")
        tally.add(f"{name}, {where}", faults)
    linked(work, tally)
    return tally


def linked(work, tally):
    """Moves a film that has a second hard link. The second name must keep its data."""
    for where, target in places(work).items():
        folder, second = made(work), work.path("second")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(second)
        os.link(os.path.join(folder, FILM), second)
        before = digests(folder)
        answer = work.new_petspot().run(*move(folder, target))
        faults = [*invariants.succeeded("import", answer)]
        if digests(target) != before or os.listdir(folder) or digest(second) != before[FILM]:
            faults.append(f"{os.listdir(folder)} left, {os.listdir(target)} moved")
        tally.add(f"a hard link, {where}", faults)


def full(work):
    """Moves to a file system without space for the film. Everything must stay, and no part may be left there."""
    tally = Tally("sets: full target")
    for free in (0, 4096, 100_000, 300_000, 440_000):
        folder, before = made(work), digests(work.path("sets"))
        target = places(work)["far"]
        state = os.statvfs(work.path("disk"))
        with open(work.path("disk", "filler"), "wb") as filler:
            if size := max(0, state.f_bavail * state.f_bsize - free):
                os.posix_fallocate(filler.fileno(), 0, size)
        answer = work.new_petspot().run(*move(folder, target))
        os.unlink(work.path("disk", "filler"))
        there = digests(target) if os.path.isdir(target) else {}
        faults = [*invariants.succeeded("import", answer, 65, 74)]
        if {**there, **digests(folder)} != before or set(there) & set(digests(folder)):
            faults.append(f"{os.listdir(folder)} left, {sorted(there)} there")
        if FILM in there:
            faults.append("the film fitted")
        told = [row["sourceKept"] for row in answer.objects[:-1] if row.get("sourceKept")]
        if answer.exit != 74 and not any("no space" in row["message"].lower() for row in told):
            faults.append(f"does not say that the disk is full: {told}")
        tally.add(f"{free} bytes free", faults)
    return tally


def large(work):
    """Moves a film of 5 GB to another file system with constant memory."""
    tally = Tally("sets: a film of 5 GB")
    with open("/proc/meminfo") as file:
        free = next(int(line.split()[1]) for line in file if line.startswith("MemAvailable"))
    if free < 10_000_000 or work.quick:
        tally.notes = "skipped: takes 10 GB of free memory and a minute"
        return tally
    with Mount(work, "size=6g"):
        folder = made(work)
        os.truncate(os.path.join(folder, FILM), FIVE_GB)
        os.utime(os.path.join(folder, FILM), (LONG_AGO, LONG_AGO))
        target = places(work)["far"]
        process = subprocess.Popen(work.new_petspot().command(*move(folder, target)), stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        code, faults = exit_of(os.waitstatus_to_exitcode(status)), []
        if os.listdir(folder) or os.path.getsize(os.path.join(target, FILM)) != FIVE_GB:
            faults.append(f"exit {code}, {os.listdir(folder)} left")
        if usage.ru_maxrss * 1024 > 300_000_000:
            faults.append(f"{usage.ru_maxrss // 1024} MB of memory")
        tally.add("moved", faults)
        tally.notes = f"{usage.ru_maxrss // 1024} MB of memory"
    return tally


# Kills and failing calls


def disk(work):
    """Mounts the other file system, on which a target can be."""
    return Mount(work, "size=64m")


def moves(work):
    return [MovingScene(work, "near"), MovingScene(work, "far")]


class MovingScene(caches.Scene):
    """An import that moves both sets, within a file system or to another."""

    def __init__(self, work, name):
        self.target = places(work)[name]
        super().__init__(work, name)

    def scene_near(self, petspot):
        self.folder = made(self.work)
        self.wanted = digests(self.folder)
        return move(self.folder, self.target), []

    scene_far = scene_near

    def fresh(self):
        places(self.work)
        made(self.work)
        return self.work.new_petspot()

    def there(self):
        return digests(self.target) if os.path.isdir(self.target) else {}

    def judge_failure(self, petspot, answer, point):
        yield from invariants.succeeded("import", answer, 65, *caches.MACHINE)
        for row in answer.objects:
            name = os.path.basename(row.get("path", ""))
            if row.get("sourceMovedTo") and self.there().get(name) != self.wanted.get(name):
                yield f"{name} was told as moved"
        yield from self.judge_kill(petspot)

    def judge_kill(self, petspot):
        """Whatever happened, nothing may be lost, the next import must restore names, and the next move must
        succeed."""
        if lost := set(self.wanted.values()) - set([*digests(self.folder).values(), *self.there().values()]):
            yield f"{len(lost)} files are lost"
        yield from invariants.succeeded("an import", petspot.run("import", self.folder), 65)
        if hidden := [name for name in os.listdir(self.folder) if name.startswith(".petspot")]:
            yield f"{hidden} after an import"
        yield from invariants.succeeded("the move once more", petspot.run(*self.arguments))
        if left := os.listdir(self.folder):
            yield f"{left} are left after the repetition"
        found = self.there()
        for stem in ("IMG_1", "IMG_2"):
            # Copies that a killed run had already named are never replaced. The set then gets a number.
            names = [name for name in self.wanted if name.startswith(stem)]
            wholes = [{name.replace(stem, stem + number): self.wanted[name] for name in names} for number in ("", "-2")]
            if not any(whole.items() <= found.items() for whole in wholes):
                yield f"{stem} is not whole: {sorted(found)}"
        if foreign := [name for name, value in found.items() if value not in self.wanted.values()]:
            yield f"{foreign} are there, too"
