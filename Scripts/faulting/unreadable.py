"""Files that can't be read, and files that aren't petspot's: none of them may cause another file to disappear."""

import functools
import hashlib
import os
import shutil
import sqlite3
from errno import EACCES, EIO, EMFILE, ENOLCK

import caches
import invariants
from board import Tally
from files import LONG_AGO, digest, read, write
from petspot import Petspot

NAMED = ("/blobs/", "/previews/", "/sizes/", "/incoming", "/photos", "/out", "/moved")


def errors(name, path):
    """Returns what can happen at a look: an errno, a read of half of the bytes, or one without bytes."""
    if name == "flock":
        return [ENOLCK]
    ends = ["short"] + ["end"] * ("/database/" not in path) if name == "read" else []
    return [EIO, EACCES, EMFILE, *ends]


# Worlds


def attached(world):
    caches.expect(world.petspot, "attach", caches.EARLIER)
    return ["attach", caches.PHOTO]


def removed(world):
    caches.expect(world.petspot, "attach", caches.EARLIER)
    return ["remove"]


def imported(world, *options):
    caches.small_photos(world.path("photos"), 5, refused=False)
    return ["import", world.path("photos"), "--jobs", "1", *options]


def known(world):
    """Imports the photos. Returns their ids, the first stored first."""
    caches.expect(world.petspot, *imported(world))
    return [photo["id"] for photo in world.petspot.run("list").objects][::-1]


def moving_originals(world):
    os.makedirs(world.path("moved"))
    return imported(world, "--move-source", world.path("moved"), "--yes")


def forgetting(world):
    return ["forget", *known(world)[:2]]


def undoing(world):
    known(world)
    return ["runs", "undo", "1", "--yes"]


def exporting(world):
    """Exports into a folder where another file already has a copy's name."""
    known(world)
    os.makedirs(world.path("out"))
    write(world.path("out", "00-baseline-420.jpg"), b"another picture")
    return ["export", "--all", "--to", world.path("out")]


def moving(world):
    known(world)
    return ["move", "--to-cache", world.path("moved")]


def sweeping(world):
    """Creates garbage of all kinds, and photos that must stay."""
    known(world)
    for number in range(2):
        data = b"rubbish %d" % number
        name = hashlib.sha256(data).hexdigest()
        world.put(f"cache/blobs/{name[:2]}/{name[2:]}.jpg", data)
        world.put(f"cache/incoming/1-1-0-{number}", b"unfinished %d" % number)
    world.put(f"cache/crashes/{'0' * 64}", b"crashed")
    return ["sweep"]


def repairing(world):
    """Flips a bit of one blob, deletes another, and puts a third blob's bytes under a wrong name."""
    known(world)
    blobs = sorted(path for path in world.held() if path.startswith("cache/blobs/"))
    paths = [world.path(path) for path in blobs]
    data = [read(path) for path in paths]
    for path, other in zip(paths, (data[0][:-1] + bytes([data[0][-1] ^ 1]), None, data[3])):
        os.unlink(path)
        if other is not None:
            write(path, other)
    return ["verify", "--repair"]


WORLDS = {
    "sweep": sweeping, "verify": repairing, "attach": attached, "remove": removed, "forget": forgetting,
    "undo": undoing, "delete": lambda world: imported(world, "--delete-source", "--yes"),
    "move-source": moving_originals, "export": exporting, "move": moving,
}  # fmt: skip


@functools.cache
def world(work, name):
    return World(work, name)


def worlds(*names):
    """Returns a function that makes these worlds, each one once."""
    return lambda work: [world(work, name) for name in names]


class World:
    """A cache with photos and folders next to it, always at the same path, and a command that changes them."""

    notes, keeps_descriptors = "", False

    def __init__(self, work, name):
        self.work, self.name = work, name
        self.folder, self.begin = work.new_folder("world"), work.path(f"{name}-begin")
        self.petspot, self.foreign = Petspot(work.binary, self.path("cache")), []
        self.arguments = WORLDS[name](self)
        self.foreign = [*plant(self)]
        os.rename(self.folder, self.begin)
        self.fresh()
        self.before = self.held()
        answer = self.petspot.run(*self.arguments)
        if answer.exit not in (0, 65):
            raise SystemExit(f"{name} fails undisturbed: {answer.exit} {answer.errors}")
        self.end, self.clean_exit = self.held(), answer.exit

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def put(self, path, data):
        """Writes a file with an old modification time."""
        os.makedirs(os.path.dirname(self.path(path)), exist_ok=True)
        write(self.path(path), data, LONG_AGO)
        return path

    def fresh(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.begin, self.folder, symlinks=True)
        return self.petspot

    def command(self, petspot):
        return petspot.command(*self.arguments)

    def held(self, database=False):
        """Returns the digest of every file by its path, without files that processes keep for themselves."""
        found = {}
        for parent, folders, names in os.walk(self.folder):
            for name in names + [name for name in folders if os.path.islink(os.path.join(parent, name))]:
                path = os.path.join(parent, name)
                found[os.path.relpath(path, self.folder)] = os.readlink(path) if os.path.islink(path) else digest(path)
        own = ("cache/database/owner-", "moved/database/") + ("cache/database/catalog.sqlite",) * (not database)
        return {path: what for path, what in found.items() if path in self.foreign or not path.startswith(own)}

    def judge_failure(self, petspot, answer, point):
        """The command may delete only its own, must name what it couldn't read, and must succeed when repeated."""
        yield from self.judge(answer)
        # A lack of descriptors concerns the machine, not a file.
        path = point.call.partition(" ")[2] if point.settings["do"] in (EIO, EACCES) else ""
        words = [os.path.basename(path), os.path.basename(os.path.dirname(path))]
        if any(name in path for name in NAMED) and answer.exit not in (0, 65):
            if not any(word and word in answer.errors + answer.output for word in words):
                yield f"exit {answer.exit} does not name {path}: {answer.errors.strip()}"
        yield from self.judge_repeat()

    def judge_clock(self, clock):
        """With a wrong clock, recorded and foreign files must stay."""
        answer = clock.run(*self.arguments)
        yield from invariants.succeeded(self.name, answer, self.clean_exit)
        yield from (fault for fault in self.judge(answer) if not fault.startswith("exit 0"))

    def judge(self, answer):
        """Yields what a disturbed run did wrong."""
        after = self.held()
        whole, kept = set(after.values()), set(self.end.values())
        for path, what in self.before.items():
            if path in self.foreign and after.get(path) != what:
                yield f"{path}, which is not ours, was changed"
            elif what not in whole and what in kept:
                yield f"{path} disappeared"
        yield from self.judge_originals(after)
        if isinstance(answer.exit, str):
            yield f"{answer.exit}: {answer.errors[-300:]}"
        elif answer.exit == 0 and whole != kept and not is_told(answer):
            yield from self.judge_rubbish("exit 0, but it was not done")
        elif answer.exit and not answer.errors.strip():
            yield f"exit {answer.exit} without a word"

    def judge_originals(self, after):
        """A missing original must have a photo, or be at its destination."""
        whole = set(after.values())
        gone = [path for path, what in self.before.items() if path.startswith("photos/") and what not in whole]
        if gone:
            photos = {photo["source"]["sha256"] for photo in self.petspot.run("list").objects}
            damaged = [line for line in self.petspot.run("verify", "--all").objects if line.get("event") == "photo"]
            yield from (f"{path} is gone without a photo" for path in gone if self.before[path] not in photos)
            yield from (f"its photo is damaged: {line}" for line in damaged if line.get("id"))

    def judge_repeat(self):
        """A repeated command must end as if it had never been disturbed."""
        # A photo that is already forgotten would end the command, so each one is forgotten separately.
        for arguments in [["forget", id] for id in self.arguments[1:]] if self.name == "forget" else [self.arguments]:
            self.petspot.run(*arguments)
        if set(self.held().values()) != set(self.end.values()):
            yield from self.judge_rubbish("once more it ends otherwise")

    def judge_rubbish(self, fault):
        """Yields the fault unless the surplus consists only of pictures that a sweep removes once they are old. A
        commit isn't undone because a picture couldn't be deleted."""
        for path in self.held():
            if path.startswith("cache/") and path not in self.foreign:
                os.utime(self.path(path), (LONG_AGO, LONG_AGO))
        self.petspot.run("sweep")
        after = self.held()
        if set(after.values()) != set(self.end.values()):
            yield f"{fault}: {sorted({*after.items()} ^ {*self.end.items()})[:4]}"


def is_told(answer):
    """Returns whether an import reports inputs that failed or were skipped, or originals that were kept."""
    return any(line.get("outcome") in ("failed", "skipped") or line.get("keptSources") for line in answer.objects)


def plant(world):
    """Plants foreign files whose names are almost like petspot's. Yields their paths."""
    hexes = "0123456789abcdef" * 4
    yield world.put("outside/precious.jpg", b"precious")
    for path in (
        "incoming/notes.txt", "incoming/2024-05-06-IMG.jpg", "incoming/1-1-0-x.jpg", f"incoming/{hexes[:32]}-copy.jpg",
        "incoming/upload-1-1.part", "blobs/README", "blobs/00/holiday.jpg", f"blobs/00/{hexes[2:]}.jpg.bak",
        f"blobs/00/{hexes[2:].upper()}.jpg", "previews/00/.directory", "sizes/00/cat.webp", "crashes/notes.txt",
        f"crashes/{hexes[:63]}", f"crashes/{hexes}.txt", "quarantine/mine.jpg", f"uploads/{hexes[:32]}.json.bak",
        f"database/owner-{hexes[:32]}.lock.bak", "database/owner-mine.lock", "database/notes.sqlite",
    ):  # fmt: skip
        yield world.put(f"cache/{path}", b"not ours: " + path.encode())
    # A folder at the place of a picture, and links with petspot's own names.
    yield world.put(f"cache/blobs/11/{hexes[2:]}.jpg/precious.txt", b"in a folder")
    yield world.put("cache/incoming/1-1-0-7/precious.txt", b"in a folder")
    yield world.put(f"cache/crashes/{'e' * 64}/precious.txt", b"in a folder")
    for path in (f"blobs/11/{hexes[::-1][2:]}.jpg", "incoming/1-1-0-9", f"crashes/{'f' * 64}", f"uploads/{hexes[:32]}"):
        link = f"cache/{path}"
        os.makedirs(os.path.dirname(world.path(link)), exist_ok=True)
        os.symlink(world.path("outside/precious.jpg"), world.path(link))
        yield link


def newer(work):
    """Every command must refuse a catalog of a newer version and change nothing."""
    tally = Tally("unreadable: newer catalogs")
    for world in worlds(*WORLDS)(work):
        world.fresh()
        if not os.path.exists(caches.catalog(world.petspot)):
            continue
        with sqlite3.connect(caches.catalog(world.petspot)) as db:
            db.execute("UPDATE store SET schema = 'a later one'")
        before = world.held(database=True)
        for arguments in (world.arguments, ["status"], ["list"]):
            answer = world.petspot.run(*arguments)
            faults = [f"exit {answer.exit}: {answer.errors.strip()}"] if answer.exit != 74 or not answer.code else []
            if (after := world.held(database=True)) != before:
                faults.append(f"it was changed: {sorted({*after.items()} ^ {*before.items()})[:4]}")
            tally.add(f"{world.name}, {arguments[0]}", faults)
    return tally
