"""Backups that are killed at each step, on full disks, with damaged, unreadable or foreign files, with wrong
clocks, and with snapshots older than an erasure."""

import errno
import functools
import hashlib
import os
import re
import shutil
import sqlite3
import time

import caches
import invariants
from board import Tally, spread
from files import digests, read, write
from petspot import Petspot
from shimming import Shim

REPORT = ("--number", "616093901234567"), ("--species", "dog", "--race", "Mongrel", "--gender", "male"), (
    "--name", "Ola Nowak", "--phone", "+48 600 700 800")  # fmt: skip
DAY = 86_400
SHARD = re.compile(r"^\w*stat\w* .*/(?:blobs|previews)/[0-9a-f]{2}$")


class Store:
    """A store with photos and an announcement, and a folder with a current backup and four old ones. `erased` is
    the store after its announcement was erased."""

    def __init__(self, work):
        self.work, self.shim = work, Shim(work)
        self.petspot = petspot = work.new_petspot("store")
        folder = work.new_folder("photos")
        caches.small_photos(folder, 6, refused=False)
        caches.expect(petspot, "import", folder)
        caches.expect(petspot, "report", "chip", *REPORT[0])
        caches.expect(petspot, "report", "photo", caches.PHOTO)
        caches.expect(petspot, "report", "describe", *REPORT[1])
        caches.expect(petspot, "report", "contact", *REPORT[2])
        answer = caches.expect(petspot, "report", "submit").json
        self.id, self.password = answer["announcement"]["id"], answer["managementPassword"]
        self.folder = work.new_folder("backup")
        for days in (100, 90, 80, 70, 0):
            caches.expect(petspot, "backup", self.folder, "--keep", "1000")
            for name in snapshots(self.folder)[-1:]:
                moment = time.strftime("%Y-%m-%dT%H-%M-%S", time.gmtime(time.time() - days * DAY))
                rename(self.folder, name, moment + name[19:])
        # A new photo for the next backup to copy.
        caches.expect(petspot, "attach", "--draft", "other", caches.EARLIER)
        self.erased = Petspot(work.binary, shutil.copytree(petspot.cache, work.path("erased")))
        caches.expect(self.erased, "announcements", "erase", self.id, "--password", self.password)

    def copy(self, name="copied"):
        """Returns a copy of the folder of backups."""
        shutil.rmtree(self.work.path(name), ignore_errors=True)
        return shutil.copytree(self.folder, self.work.path(name), symlinks=True)

    def judge(self, folder, count=None, erased=False):
        """Yields the faults of a folder of backups. A restore of its newest snapshot must be complete."""
        target = self.work.new_petspot("restored")
        answer = target.run("restore", folder)
        if answer.exit != 0:
            yield f"not restored, exit {answer.exit}: {answer.errors.strip()}"
            return
        if target.run("verify", "--all").exit != 0:
            yield "the restored store is damaged"
        if (target.run("announcements", "show", self.id).exit != 0) != erased:
            yield "the announcement is back" if erased else "the announcement is lost"
        if count and len(snapshots(folder)) < count:
            yield f"{len(snapshots(folder))} snapshots are left"


@functools.lru_cache(maxsize=1)
def stored(work):
    """Returns the store that all lines use."""
    return Store(work)


def snapshots(folder):
    return sorted(os.listdir(os.path.join(folder, "snapshots")))


def rename(folder, old, new):
    os.rename(os.path.join(folder, "snapshots", old), os.path.join(folder, "snapshots", new))


class BackupScene:
    """A backup into a copy of the folder of backups: the next one, or one that erases."""

    clean_exit, inodes, folder, keeps_descriptors, notes = 0, 2000, "", True, ""

    def __init__(self, store, name):
        self.store, self.name, self.work, self.is_erasing = store, name, store.work, name == "erase"
        self.petspot = store.erased if self.is_erasing else store.petspot
        caches.expect(self.petspot, "backup", folder := store.copy())
        self.after = set(digests(folder))

    @property
    def arguments(self):
        return ["backup", self.place]

    def command(self, petspot):
        return petspot.command(*self.arguments)

    def copy(self, path):
        self.place = shutil.copytree(self.store.folder, path, symlinks=True)
        return self.petspot

    def fresh(self):
        self.place = self.store.copy()
        return self.petspot

    def judge(self, petspot):
        """Before the next run, too, a backup can be restored. What is to be erased may still be there."""
        return () if self.is_erasing else self.store.judge(self.place, 3)

    def judge_kill(self, petspot):
        yield from self.judge(petspot)
        yield from self.judge_repeat(petspot)

    def judge_repeat(self, petspot):
        """The next run must complete the work."""
        yield from invariants.succeeded("again", petspot.run(*self.arguments))
        yield from self.store.judge(self.place, 3, erased=self.is_erasing)
        if self.is_erasing:
            yield from traces(self.place, self.store.id)
        if left := os.listdir(os.path.join(self.place, "incoming")):
            yield f"left in incoming: {left}"

    def judge_failure(self, petspot, answer, point):
        """The run may delete only what a complete run deletes, and nothing if it fails."""
        before, now = digests(self.store.folder), digests(self.place)
        yield from (f"lost {name}" for name in before.keys() - now if name in self.after or answer.exit != 0)
        yield from (f"{name} was changed" for name in before.keys() & now if now[name] != before[name])
        yield from invariants.succeeded("backup", answer, 65, *caches.MACHINE)
        if answer.exit and not answer.errors.strip():
            yield "says nothing"
        yield from self.judge_repeat(petspot)

    def judge_clock(self, clock):
        """The newest snapshots must stay, and the next runs with the right clock must succeed."""
        before, answer = snapshots(self.place), clock.run(*self.arguments, "--prove")
        yield from invariants.succeeded("backup", answer)
        # Snapshots that are old by any clock may be deleted; at least three of all remain.
        yield from (f"lost {each}" for each in before[-2:] if each not in snapshots(self.place))
        for _ in range(3):
            yield from self.judge_repeat(self.petspot)
        if before[-1] not in snapshots(self.place):
            yield "lost the newest"
        yield from self.store.judge(self.place, 4)


class RestoreScene:
    """A restore into a new cache."""

    name, notes = "restore", ""

    def __init__(self, store):
        self.store, petspot = store, store.work.new_petspot("restored")
        caches.expect(petspot, "restore", store.folder)
        self.count = petspot.run("verify", "--all").json["checked"]

    def fresh(self):
        return self.store.work.new_petspot("restored")

    def command(self, petspot):
        return petspot.command("restore", self.store.folder)

    def judge_kill(self, petspot):
        # A restore that had finished before the kill finds a store that isn't empty (exit code 73).
        yield from invariants.succeeded("again", petspot.run("restore", self.store.folder), 73)
        if petspot.run("verify", "--all").json.get("checked") != self.count:
            yield "not all photos are restored"


def scenes(*names):
    """Returns a function that makes these scenes."""
    return lambda work: [
        RestoreScene(stored(work)) if name == "restore" else BackupScene(stored(work), name) for name in names
    ]


def traces(folder, *secrets):
    """Yields the places in a folder that still contain erased data."""
    for top, _, names in os.walk(folder):
        for file in names:
            data = read(os.path.join(top, file))
            yield from (f"{secret} in {file}" for secret in (*secrets, "600 700 800") if secret.encode() in data)


def errors(name, path):
    """Returns what can happen at a call that looks."""
    return [errno.EIO, errno.EACCES, errno.EMFILE, errno.ENOMEM]


def unreadable(work):
    """Fails looks at folders of pictures, and puts folders in place of files."""
    tally, store = Tally("backups: unreadable folders"), stored(work)
    undisturbed = store.shim.run(store.petspot.command("backup", store.copy()), reads=1)
    shards = [(at, call) for at, call in enumerate(undisturbed.log, 1) if SHARD.search(call)]
    for at, call in spread(work, work.count(2, 40), shards):
        tally.add(f"EIO at {call}", unlooked(store, at, os.path.basename(call), undisturbed.json))
    files = sorted(name for name in digests(store.folder) if name.startswith(("snapshots", "blobs", "previews")))
    for path in spread(work, work.count(4, 100), files):
        tally.add(f"a folder in place of {path}", replaced(store, path))
    return tally


def unlooked(store, at, shard, undisturbed):
    """Fails a look at a folder of pictures. The backup must name and count it, and still contain all photos."""
    folder = store.copy()
    names = set(digests(folder))
    answer = store.shim.run(store.petspot.command("backup", folder), at=at, do=str(errno.EIO), reads=1)
    if answer.exit != 65 or f"/{shard}" not in answer.errors:
        yield f"exit {answer.exit}: {answer.errors.strip()}"
    elif (answer.json["damagedFiles"], answer.json["photos"]) != (1, undisturbed["photos"]):
        yield f"not all is in the backup: {answer.json}"
    yield from (f"lost {name}" for name in names - set(digests(folder)))


def replaced(store, path):
    """Replaces a snapshot or picture by a folder, so that it can't be read."""
    folder = store.copy()
    os.unlink(os.path.join(folder, path))
    os.mkdir(os.path.join(folder, path))
    names = set(digests(folder))
    unprove(store.petspot)
    answer = store.petspot.run("backup", folder, "--prove")
    if answer.exit == 0:
        yield "exit 0"
    if path not in answer.errors and os.path.basename(path) not in answer.errors:
        yield f"is not named: {answer.errors.strip()}"
    yield from (f"lost {name}" for name in names - set(digests(folder)))


def flipped(work):
    """Flips one bit in each file. The next run must name the file and delete nothing, or replace it from the store."""
    tally, store = Tally("backups: flipped bytes"), stored(work)
    files = sorted(name for name in digests(store.folder) if not name.startswith("database"))
    for path in spread(work, work.count(6, len(files)), files):
        folder = store.copy()
        place = os.path.join(folder, path)
        whole = read(place)
        at = work.dice.randrange(len(whole))
        write(place, whole[:at] + bytes([whole[at] ^ 1 << work.dice.randrange(8)]) + whole[at + 1 :])
        names = set(digests(folder))
        unprove(store.petspot)
        answer = store.petspot.run("backup", folder, "--prove", "--keep", "0")
        faults = []
        if path.startswith(("blobs", "previews")):
            if answer.exit != 0 or read(place) != whole:
                faults.append(f"not replaced, exit {answer.exit}: {answer.errors.strip()}")
        else:
            if answer.exit not in (65, 69) or os.path.basename(path) not in answer.errors:
                faults.append(f"not found, exit {answer.exit}: {answer.errors.strip()}")
            faults += [f"lost {name}" for name in names - set(digests(folder))]
        tally.add(path, faults)
    return tally


def unprove(petspot):
    """Makes the next proof check all pictures, as the first one does."""
    with sqlite3.connect(os.path.join(petspot.cache, "database", "catalog.sqlite")) as catalog:
        catalog.execute("DELETE FROM regular_job WHERE name = 'prove'")
    catalog.close()


def erased(work):
    """The next run must add what an older folder lacks, and erase from it what was erased in the store."""
    tally, store = Tally("backups: erased"), stored(work)
    old, folder = store.copy("old"), store.copy()
    for name in (old, folder):
        answer = store.erased.run("backup", name, "--keep", "1000")
        faults = [] if answer.exit == 0 else [f"exit {answer.exit}: {answer.errors.strip()}"]
        faults += traces(name, store.id)
        for snapshot in snapshots(name):
            target = work.new_petspot("restored")
            answer = target.run("restore", name, "--snapshot", snapshot)
            shown = target.run("announcements", "show", store.id)
            if answer.exit != 0 or shown.exit == 0:
                faults.append(f"{snapshot}: restored with {answer.exit}, announcement: {shown.output[:80]}")
        tally.add(os.path.basename(name), faults)
    return tally


def foreign(work):
    """Uses foreign folders, links, and files of another version. They must be refused or named, and left unchanged."""
    tally, store = Tally("backups: foreign"), stored(work)
    snapshot, shard = snapshots(store.folder)[0], sorted(os.listdir(os.path.join(store.folder, "blobs")))[0]
    links = {"snapshots": 73, "blobs": 73, f"blobs/{shard}": 73, "petspot-backup": 73, f"snapshots/{snapshot}": 65}
    home = ("thesis.tex", "Pictures/a.jpg", "snapshots/monday/disk.img", "blobs/ab/cd.jpg")
    restic = ("config", "data/00/a", "index/b", "keys/c", "snapshots/d", "locks/e")
    earlier = ("lock", "snapshots/2026-11-01T00-00-00.000Z/manifest.json", "pictures/blobs/a")
    beside = ("letter", "snapshots/notes.txt", "snapshots/monday/disk.img", "blobs/letter", "previews/ab/letter.txt")
    for name, make, exit in (
        ("a home folder", lambda folder: tree(folder, *home), 73),
        ("restic's folder", lambda folder: tree(folder, *restic), 73),
        ("a backup of an earlier format", lambda folder: tree(folder, *earlier), 73),
        ("a later marker", lambda folder: marked(store, folder, b"petspot-backup 2 more\n"), 69),
        ("a later snapshot", lambda folder: later(store, folder), 69),
        ("files beside ours", lambda folder: tree(shutil.copytree(store.folder, folder), *beside), 0),
        *((f"{path} is a link", lambda folder, path=path: linked(store, folder, path), links[path]) for path in links),
    ):
        around = work.new_folder("around")
        folder = os.path.join(around, "folder")
        make(folder)
        before = digests(around)
        answer = store.petspot.run("backup", folder, "--keep", "1000" if exit == 0 else "0")
        after = digests(around)
        faults = [] if answer.exit == exit else [f"exit {answer.exit}: {answer.errors.strip()}"]
        faults += [f"{path} is gone or changed" for path, digest in before.items() if after.get(path) != digest]
        if exit == 73 and set(after) != set(before):
            faults.append(f"wrote {set(after) - set(before)}")
        tally.add(name, faults)
    return tally


def tree(folder, *names):
    for name in names:
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        write(os.path.join(folder, name), b"mine")


def marked(store, folder, text):
    shutil.copytree(store.folder, folder)
    write(os.path.join(folder, "petspot-backup"), text)


def later(store, folder):
    shutil.copytree(store.folder, folder)
    place = os.path.join(folder, "snapshots", snapshots(folder)[0])
    with sqlite3.connect(place) as file:
        file.execute("UPDATE store SET schema = 'later'")
    file.close()
    rename(folder, snapshots(folder)[0], snapshots(folder)[0][:25] + hashlib.sha256(read(place)).hexdigest() + ".sqlite")


def linked(store, folder, name):
    shutil.copytree(store.folder, folder)
    outside = os.path.join(os.path.dirname(folder), "outside")
    os.rename(os.path.join(folder, name), outside)
    os.symlink(outside, os.path.join(folder, name))
