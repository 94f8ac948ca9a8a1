"""Originals and stores while originals are deleted."""

import os
import pty
import shutil
import subprocess
import time

import caches
import invariants
from board import IMAGES, Tally
from files import LONG_AGO, below, digest, digests, write
from petspot import run
from shimming import build

PLAIN = ("gps-exif.jpg", "orientation-6.jpg", "color-key.png")
# Originals that hold more than their stored photo. The last three have the pixels of another one.
LOSSY = ("motion-photo.jpg", "depth-map.heic", "gradient-16-bit.png", "rgb-16-bit.png", "everything.heic")
DELETE = ("import", "--delete-source", "--yes", "--jobs", "1")


def photos(work, name, images=PLAIN):
    """Creates a folder of photos with an old modification time."""
    folder = work.new_folder(name)
    for number, image in enumerate(images):
        path = shutil.copy(os.path.join(IMAGES, image), folder)
        os.utime(path, (LONG_AGO + number, LONG_AGO + number))
    return folder


def filled(work):
    """Creates a cache with a few photos whose originals are gone."""
    first = work.petspot("first")
    if not os.path.exists(first.cache):
        folder = photos(work, "first-photos")
        caches.expect(first, "import", folder)
        shutil.rmtree(folder)
    work.new_petspot("other")
    petspot = work.new_petspot("victim")
    shutil.copytree(first.cache, petspot.cache)
    return petspot


def stored(petspot):
    """Returns the files of the store by path, with their digests."""
    return digests(petspot.cache, "blobs", "previews", "sizes")


# Caches as sources


def stores(work):
    """Tries every path to a stored picture. None may be deleted."""
    tally = Tally("sources: caches as sources")
    ways = {
        "the cache": lambda cache, way: cache,
        "blobs": lambda cache, way: os.path.join(cache, "blobs"),
        "previews": lambda cache, way: os.path.join(cache, "previews"),
        "a shard": lambda cache, way: os.path.dirname(blob(cache)),
        "a blob": lambda cache, way: blob(cache),
        "by a dotted path": lambda cache, way: os.path.join(cache, "incoming", "..", "blobs"),
        "a link": lambda cache, way: linked(os.path.join(cache, "blobs"), way),
        "a link above": lambda cache, way: os.path.join(linked(cache, way), "blobs"),
        "links that are followed": lambda cache, way: link_inside(os.path.join(cache, "blobs"), way),
        "hard links": hard_links,
        "hard links of previews": lambda cache, way: hard_links(cache, way, "previews"),
        "copies under their names": copies,
    }
    extra = ([], ["--follow-symlinks"], ["--hidden", "--delete-lossy-source"])
    both = (True,) if work.quick else (True, False)
    for name, make in ways.items():
        for options in extra[-1:] if work.quick else extra:
            for own in both:
                petspot = filled(work)
                way = work.path("way")
                remove(way)
                source = make(petspot.cache, way)
                before = stored(petspot)
                user = petspot if own else work.petspot("other")
                answer = user.run(*DELETE, source, *options)
                # A hard link in another cache may be deleted: the picture keeps its own name, and that cache can't
                # know of it.
                links = not own and name.startswith("hard links")
                faults = [*invariants.succeeded("import", answer, 65), *intact(petspot, before)]
                if not links and any(line.get("sourceDeleted") for line in answer.objects):
                    faults.append("a stored picture, or a link to one, was deleted")
                tally.add(f"{name}, {'own' if own else 'another'} cache, {options}", faults)
    mounts = sum(mounted(work, tally, part, own) for part in ("", "blobs", "previews", "blobs/shard") for own in both)
    tally.notes = f"{mounts} by bind mounts" if mounts else "bind mounts are not allowed here"
    return tally


def blob(cache):
    return next(below(cache, "blobs"))


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def linked(target, way):
    os.symlink(target, way)
    return way


def link_inside(target, way):
    os.mkdir(way)
    os.symlink(target, os.path.join(way, "link"))
    return way


def hard_links(cache, way, kind="blobs"):
    os.mkdir(way)
    for parent, _, names in os.walk(os.path.join(cache, kind)):
        for number, name in enumerate(names):
            os.link(os.path.join(parent, name), os.path.join(way, f"{os.path.basename(parent)}{number}{name[-4:]}"))
    return way


def copies(cache, way):
    shutil.copytree(os.path.join(cache, "blobs"), way)
    return way


def intact(petspot, before):
    """Yields the faults of a store that lacks files."""
    after = stored(petspot)
    if gone := [path for path in before if after.get(path) != before[path]]:
        yield f"{len(gone)} of {len(before)} stored pictures are gone"


def mounted(work, tally, part, own):
    """Imports the store through a bind mount in its own mount namespace. Returns false if that isn't allowed."""
    petspot, way = filled(work), work.path("way")
    target = os.path.dirname(blob(petspot.cache)) if part.endswith("shard") else os.path.join(petspot.cache, part)
    remove(way)
    os.mkdir(way)
    before = stored(petspot)
    user = petspot if own else work.petspot("other")
    script = 'mount --bind "$0" "$1" || exit 99; shift; exec "$@"'
    if not shutil.which("unshare"):
        return False
    answer = run(["unshare", "-m", "sh", "-c", script, target, way, *user.command(*DELETE, way)])
    if answer.exit == 99 or "unshare" in answer.errors:
        return False
    tally.add(f"bind mount of {part or 'the cache'}, {'own' if own else 'another'} cache", intact(petspot, before))
    return True


# Originals that hold more than their photo


def lossy(work):
    tally = Tally("sources: originals with losses")
    for again in (False, True):
        petspot, folder = work.new_petspot("lossy"), photos(work, "lossy-photos", LOSSY)
        if again:
            caches.expect(petspot, "import", folder)
        answer = petspot.run(*DELETE, folder)
        for image in LOSSY:
            is_there = os.path.exists(os.path.join(folder, image))
            tally.add(image, [] if is_there else ["deleted, and with it what its photo does not hold"])
        kept = sum(bool(line.get("sourceKept")) for line in answer.objects)
        if kept != len(LOSSY):
            tally.faults.append(f"{kept} of {len(LOSSY)} originals are told as kept")
    return tally


# A file that is exchanged between reading and deleting


def exchanged(work):
    """Renames another file over the original while it is imported and deleted, with calls slowed down by our
    library. Whatever is deleted must have been stored before."""
    tally, slow, deleted = Tally("sources: files exchanged"), build(work, "slow.c"), 0
    for number in range(work.count(3, 400)):
        petspot, folder = work.new_petspot("exchanged"), photos(work, "exchanged-photos", PLAIN[:1])
        mark, pause = work.path("slow"), work.dice.choice((20_000, 60_000))
        environment = os.environ | {"LD_PRELOAD": slow, "SLOW_LOG": mark, "SLOW_US": str(pause)}
        if os.path.exists(mark):
            os.unlink(mark)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(petspot.command(*DELETE, folder), env=environment, **pipes)
        # The slowed call reports that the original is about to be deleted. Then the file is exchanged, at once or a
        # bit later.
        deadline = time.monotonic() + 30
        while not os.path.exists(mark) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.0005)
        time.sleep(work.dice.choice((0, 0, 0.005, 0.02)))
        made = write(work.path("new"), b"never imported %d" % number)
        fresh = digest(made)
        os.replace(made, os.path.join(folder, PLAIN[0]))
        process.communicate()
        left, faults = set(digests(folder).values()), []
        if fresh not in left:
            faults.append("a file that was never read is gone")
        if not caches.rows(petspot, "SELECT id FROM photo") and len(left) < 2:
            faults.append("neither original nor stored photo")
        tally.add(f"round {number}", faults)
        deleted += len(left) == 1
    tally.notes = f"{deleted} originals gone, by deletion or by the exchange"
    return tally


# Kills


class DeletingScene(caches.Scene):
    """An import that deletes the originals of photos that it imported before, except for the one with losses."""

    images, hidden = (*PLAIN, LOSSY[0]), 0

    @property
    def notes(self):
        return f"{self.hidden} times an original lay under a hidden name"

    def scene_deleting(self, petspot):
        self.folder = photos(self.work, "deleted-photos", self.images)
        self.lossy = digest(os.path.join(self.folder, LOSSY[0]))
        return [*DELETE, self.folder], []

    def scene_moving(self, petspot):
        self.scene_deleting(petspot)
        self.moved = self.work.path("moved-photos")
        return ["import", "--move-source", self.moved, "--yes", "--jobs", "1", self.folder], []

    def fresh(self):
        petspot = self.work.new_petspot()
        photos(self.work, "deleted-photos", self.images)
        caches.expect(petspot, "import", self.folder)
        return petspot

    def judge_kill(self, petspot):
        names = os.listdir(self.folder)
        self.hidden += any(name.startswith(".petspot-delete-") for name in names)
        if self.lossy not in digests(self.folder).values():
            yield "the original with losses is gone"
        yield from invariants.verified(petspot.run)
        # An import without deletion must find files with a hidden name, and restore their own names.
        seen = petspot.run("import", self.folder).json
        if seen.get("files") != len(names):
            yield f"{seen.get('files')} files are told of, there are {names}"
        if set(os.listdir(self.folder)) - set(self.images):
            yield f"after an import there are {os.listdir(self.folder)}"
        petspot.run(*self.arguments)
        if os.listdir(self.folder) != [LOSSY[0]]:
            yield f"after the repetition there are {os.listdir(self.folder)}"


def deleting(work):
    return [DeletingScene(work, "deleting")]


def only_copies(work):
    return [OnlyCopies(work, name) for name in ("deleting", "moving")]


class OnlyCopies(DeletingScene):
    """Also runs every command that removes photos, confirmed by a script and at a terminal."""

    def judge_kill(self, petspot):
        answer = petspot.run(*self.arguments) if self.work.dice.random() < 0.3 else None
        before, there = self.listed(petspot), set(digests(self.folder).values())
        runs = [str(run["id"]) for run in petspot.run("runs").objects]
        commands = [("forget", photo) for photo in before.values()] + [("runs", "undo", run, "--yes") for run in runs]
        for command in [("forget", *before.values()), *commands, ("remove",), ("sweep",), ("verify", "--repair"), ("sweep",)]:
            petspot.run(*command)
        for command in commands:
            at_terminal(petspot.command(*command[:3]), "yes")
        if lost := set(before) - set(self.listed(petspot)) - there:
            yield f"{len(lost)} of {len(before)} photos are nowhere now{answer and ', after a second run' or ''}"
        for command in commands:
            petspot.run(*command, "--only-copies")
        if left := self.listed(petspot):
            yield f"{len(left)} photos stay although only copies may go"
        shutil.rmtree(getattr(self, "moved", ""), ignore_errors=True)

    @staticmethod
    def listed(petspot):
        """Returns the ids of photos by the digests of their originals."""
        return {photo["source"]["sha256"]: photo["id"] for photo in petspot.run("list").objects}


def at_terminal(command, answer):
    """Runs a command at its own terminal, where every question gets this answer."""
    main, other = pty.openpty()
    os.write(main, f"{answer}\n".encode() * 3)
    process = subprocess.Popen([part for part in command if part != "--json"], stdin=other, stdout=subprocess.DEVNULL, stderr=other)
    os.close(other)
    process.wait(timeout=60)
    os.close(main)
