"""Files that can't be read, and files that aren't petspot's: none of them may cause another file to disappear."""

import hashlib
import itertools
import os
import shutil
import sqlite3
import time
from errno import EACCES, EIO, EMFILE, ENOLCK, errorcode

import caches
import invariants
from board import Tally, spread
from files import LONG_AGO, digest, read, write
from petspot import Petspot
from shimming import Shim, build, run

READS = {"open", "read", "readdir", "stat", "lstat", "fstat", "fstatat", "access", "flock"}
NAMED = ("/blobs/", "/previews/", "/sizes/", "/incoming", "/photos", "/out", "/moved")
CLOCKS = {"1970": 1, "2100": 4_102_500_000}


def unreadable(work):
    """Files that can't be read, foreign files, newer catalogs and wrong clocks: no file is deleted by mistake.

    Each look at a file fails or ends early, in every command that deletes or overwrites. No file may disappear unless
    it is petspot's own and superfluous, and no command may report success if it failed."""
    shim = Shim(work)
    worlds = [World(work, name, make) for name, make in WORLDS.items()]
    for world in worlds:
        yield failing(work, shim, world)
    yield newer(worlds)
    yield wrong_clocks(work, [world for world in worlds if world.name in ("sweep", "verify")])


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


class World:
    """A cache with photos and folders next to it, always at the same path, and a command that changes them."""

    def __init__(self, work, name, make):
        self.work, self.name = work, name
        self.folder, self.begin = work.new_folder("world"), work.path(f"{name}-begin")
        self.petspot, self.foreign = Petspot(work.binary, self.path("cache")), []
        self.arguments = make(self)
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

    def command(self):
        return self.petspot.command(*self.arguments)

    def held(self, database=False):
        """Returns the digest of every file by its path, without files that processes keep for themselves."""
        found = {}
        for parent, folders, names in os.walk(self.folder):
            for name in names + [name for name in folders if os.path.islink(os.path.join(parent, name))]:
                path = os.path.join(parent, name)
                found[os.path.relpath(path, self.folder)] = os.readlink(path) if os.path.islink(path) else digest(path)
        own = ("cache/database/owner-", "moved/database/") + ("cache/database/catalog.sqlite",) * (not database)
        return {path: what for path, what in found.items() if path in self.foreign or not path.startswith(own)}

    def judge(self, answer, naming=""):
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
        if naming and answer.exit not in (0, 65) and not naming.is_in(answer):
            yield f"exit {answer.exit} does not name {naming.path}: {answer.errors.strip()}"

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
    yield world.put(f"cache/incoming/1-1-0-7/precious.txt", b"in a folder")
    yield world.put(f"cache/crashes/{'e' * 64}/precious.txt", b"in a folder")
    for path in (f"blobs/11/{hexes[::-1][2:]}.jpg", "incoming/1-1-0-9", f"crashes/{'f' * 64}", f"uploads/{hexes[:32]}"):
        link = f"cache/{path}"
        os.makedirs(os.path.dirname(world.path(link)), exist_ok=True)
        os.symlink(world.path("outside/precious.jpg"), world.path(link))
        yield link


# Faults


class Naming:
    """A path that a message must name, if petspot opened it for the user's data."""

    def __init__(self, call):
        self.path = call.partition(" ")[2]

    def __bool__(self):
        return any(name in self.path for name in NAMED)

    def is_in(self, answer):
        text = answer.errors + answer.output
        return any(name and name in text for name in (os.path.basename(self.path), os.path.basename(os.path.dirname(self.path))))


def failing(work, shim, world):
    tally = Tally(f"unreadable: {world.name}")
    world.fresh()
    log = shim.run(world.command(), reads=1).log
    points = []
    for at, call in enumerate(log, 1):
        name, _, path = call.partition(" ")
        if name in READS and path.startswith(world.folder):
            ends = ["short"] + ["end"] * ("/database/" not in path) if name == "read" else []
            points += itertools.product([at], [ENOLCK] if name == "flock" else [EIO, EACCES, EMFILE, *ends])
    told = 0
    chosen = spread(work, work.count(6, min(400, len(points))), points)
    for at, what in chosen:
        world.fresh()
        answer = shim.run(world.command(), reads=1, at=at, do=what)
        call = answer.log[0] if answer.log else "nothing"
        told += answer.exit not in (0, world.clean_exit)
        # A lack of descriptors concerns the machine, not a file.
        naming = Naming(call) if what in (EIO, EACCES) else ""
        word = errorcode.get(what, what)
        faults = [*invariants.outlived(answer.left), *world.judge(answer, naming), *world.judge_repeat()]
        tally.add(f"{word} at {call.replace(world.folder, '')}", faults)
        tally.progress(len(chosen))
    tally.notes = f"{told} told, of {len(points)} points"
    return tally


def newer(worlds):
    """Every command must refuse a catalog of a newer version and change nothing."""
    tally = Tally("unreadable: newer catalogs")
    for world in worlds:
        world.fresh()
        if not os.path.exists(caches.catalog(world.petspot)):
            continue
        with sqlite3.connect(caches.catalog(world.petspot)) as db:
            db.execute("UPDATE store SET schema = 'a later one'")
        before = world.held(database=True)
        answer = world.petspot.run(*world.arguments)
        faults = [f"exit {answer.exit}: {answer.errors.strip()}"] if answer.exit != 74 else []
        if (after := world.held(database=True)) != before:
            faults.append(f"it was changed: {sorted({*after.items()} ^ {*before.items()})[:4]}")
        tally.add(world.name, faults)
    return tally


def wrong_clocks(work, worlds):
    """With clocks of 1970 and 2100, recorded and foreign files must stay."""
    tally, library = Tally("unreadable: clocks"), build(work, "clock.c")
    for world, (year, moment) in itertools.product(worlds, CLOCKS.items()):
        world.fresh()
        environment = os.environ | {"LD_PRELOAD": library, "CLOCK_SHIFT": str(moment - int(time.time()))}
        answer = run(world.command(), environment=environment)
        faults = [*invariants.succeeded(world.name, answer, world.clean_exit), *world.judge(answer)]
        tally.add(f"{world.name} in {year}", [fault for fault in faults if not fault.startswith("exit 0")])
    return tally
