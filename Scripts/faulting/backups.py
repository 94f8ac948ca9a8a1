"""Backups that are killed at each step, on full disks, with damaged, unreadable or foreign files, with wrong
clocks, and with snapshots older than an erasure."""

import errno
import hashlib
import os
import re
import shutil
import sqlite3
import time

import caches
from board import Tally, spread
from clocks import Clock
from disk import Mount
from files import digests, read, write
from petspot import Petspot
from shimming import Shim, build
from unreadable import READS

REPORT = ("--number", "616093901234567"), ("--species", "dog", "--race", "Mongrel", "--gender", "male"), (
    "--name", "Ola Nowak", "--phone", "+48 600 700 800")  # fmt: skip
DAY = 86_400
# Also fails calls that only look. Once descriptors run out, every later call fails too.
SHARD = re.compile(r"^\w*stat\w* .*/(?:blobs|previews)/[0-9a-f]{2}$")
UNREADABLE = [(errno.EIO, False), (errno.EACCES, False), (errno.EMFILE, True), (errno.ENOMEM, False)]


def backups(work):
    """Backs up, restores and erases in old snapshots, with kills, errors, full disks, damage and wrong clocks.

    SIGKILL at calls that change a file, errors at calls that only look, full disks, a flipped byte in each file,
    foreign folders, other versions, and clocks of 1970 and 2100."""
    store = Store(work)
    yield killed(work, store)
    yield unreadable(work, store)
    yield full(work, store)
    yield flipped(work, store)
    yield erased(work, store)
    yield foreign(work, store)
    yield clocks(work, store)


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


def snapshots(folder):
    return sorted(os.listdir(os.path.join(folder, "snapshots")))


def rename(folder, old, new):
    os.rename(os.path.join(folder, "snapshots", old), os.path.join(folder, "snapshots", new))


def killed(work, store):
    """Kills a backup, a backup that erases, and a restore. The next run must complete the work."""
    tally = Tally("backups: killed")
    for name, petspot in (("backup", store.petspot), ("erase", store.erased)):
        calls = store.shim.run(petspot.command("backup", store.copy())).log
        for at in spread(work, work.count(8, 150), range(1, len(calls) + 1)):
            folder = store.copy()
            answer = store.shim.run(petspot.command("backup", folder), at=at, do="kill")
            faults = [] if name == "erase" else [*store.judge(folder, 3)]
            again = petspot.run("backup", folder)
            faults += [f"again: exit {again.exit}: {again.errors.strip()}"] if again.exit else []
            faults += store.judge(folder, 3, erased=name == "erase")
            if name == "erase":
                faults += traces(folder, store.id)
            if left := os.listdir(os.path.join(folder, "incoming")):
                faults.append(f"left in incoming: {left}")
            tally.add(f"{name}, call {at} ({answer.log})", faults)
    target = work.new_petspot("restored")
    calls = store.shim.run(target.command("restore", store.folder)).log
    count = target.run("verify", "--all").json["checked"]
    for at in spread(work, work.count(8, 150), range(1, len(calls) + 1)):
        target = work.new_petspot("restored")
        answer = store.shim.run(target.command("restore", store.folder), at=at, do="kill")
        again = target.run("restore", store.folder)
        # A restore that had finished before the kill finds a store that isn't empty (exit code 73).
        faults = [] if again.exit in (0, 73) else [f"again: exit {again.exit}: {again.errors.strip()}"]
        if target.run("verify", "--all").json.get("checked") != count:
            faults.append("not all photos are restored")
        tally.add(f"restore, call {at} ({answer.log})", faults)
    return tally


def traces(folder, *secrets):
    """Yields the places in a folder that still contain erased data."""
    for top, _, names in os.walk(folder):
        for file in names:
            data = read(os.path.join(top, file))
            yield from (f"{secret} in {file}" for secret in (*secrets, "600 700 800") if secret.encode() in data)


def unreadable(work, store):
    """Fails each open, read, readdir and stat. The run must fail, and may delete only what a complete run deletes."""
    tally = Tally("backups: unreadable")
    folder = store.copy()
    undisturbed = store.shim.run(store.petspot.command("backup", folder), reads=1)
    after = set(digests(folder))
    calls = [at for at, call in enumerate(undisturbed.log, 1) if call.split()[0] in READS]
    for at in spread(work, work.count(12, 400), calls):
        code, more = work.dice.choice(UNREADABLE)
        folder = store.copy()
        before = digests(folder)
        answer = store.shim.run(store.petspot.command("backup", folder), at=at, do=str(code), more=more, reads=1)
        lost = set(before) - set(digests(folder))
        faults = [f"lost {name}" for name in lost if name in after or answer.exit != 0]
        faults += [f"{name} was changed" for name in before.keys() & digests(folder) if digests(folder)[name] != before[name]]
        if answer.exit not in (0, 65, 66, 69, 73, 74, 75):
            faults.append(f"exit {answer.exit}: {answer.errors.strip()}")
        if answer.exit and not answer.errors.strip():
            faults.append("says nothing")
        again = store.petspot.run("backup", folder)
        faults += [f"again: exit {again.exit}: {again.errors.strip()}"] if again.exit else store.judge(folder, 3)
        tally.add(f"{errno.errorcode[code]} at call {at} ({answer.log[:1]})", faults)
    shards = [(at, call) for at, call in enumerate(undisturbed.log, 1) if SHARD.search(call)]
    for at, call in spread(work, work.count(2, 40), shards):
        tally.add(f"EIO at {call}", unlooked(store, at, os.path.basename(call), undisturbed.json))
    for path in spread(work, work.count(4, 100), sorted(name for name in digests(store.folder) if name.startswith(("snapshots", "blobs", "previews")))):
        tally.add(f"a folder in place of {path}", replaced(work, store, path))
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


def replaced(work, store, path):
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


def full(work, store):
    """Backs up to disks with little space, and then with more."""
    tally = Tally("backups: full disks")
    if os.geteuid() != 0:
        tally.notes = "skipped: mounting needs root"
        return tally
    for pages in spread(work, work.count(4, 40), range(0, 320, 8)):
        petspot = store.erased if pages % 16 else store.petspot
        with Mount(work, "size=16m,nr_inodes=2000") as mount:
            folder = shutil.copytree(store.folder, os.path.join(mount.path, "backup"))
            mount.fill(pages * 4096)
            answer = petspot.run("backup", folder)
            faults = [] if answer.exit in (0, 74) else [f"exit {answer.exit}: {answer.errors.strip()}"]
            if answer.exit == 74 and "full" not in answer.errors:
                faults.append(f"does not say that the disk is full: {answer.errors.strip()}")
            mount.release()
            if petspot.run("backup", folder).exit != 0:
                faults.append("not backed up with room again")
            faults += store.judge(folder, 3, erased=petspot is store.erased)
            tally.add(f"{pages} pages free", faults)
    return tally


def flipped(work, store):
    """Flips one bit in each file. The next run must name the file and delete nothing, or replace it from the store."""
    tally = Tally("backups: flipped bytes")
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


def erased(work, store):
    """The next run must add what an older folder lacks, and erase from it what was erased in the store."""
    tally = Tally("backups: erased")
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


def foreign(work, store):
    """Uses foreign folders, links, and files of another version. They must be refused or named, and left unchanged."""
    tally = Tally("backups: foreign")
    for name, make, exits in (
        ("a home folder", lambda folder: home(folder), (73,)),
        ("restic's folder", lambda folder: tree(folder, "config", "data/00/a", "index/b", "keys/c", "snapshots/d", "locks/e"), (73,)),
        ("a backup of an earlier format", lambda folder: tree(folder, "lock", "snapshots/2026-11-01T00-00-00.000Z/manifest.json", "pictures/blobs/a"), (73,)),
        ("a later marker", lambda folder: marked(store, folder, b"petspot-backup 2 more\n"), (69,)),
        ("a later snapshot", lambda folder: later(store, folder), (69,)),
        ("snapshots is a link", lambda folder: linked(store, folder, "snapshots"), (73,)),
        ("blobs is a link", lambda folder: linked(store, folder, "blobs"), (73,)),
        ("a shard is a link", lambda folder: linked(store, folder, os.path.join("blobs", sorted(os.listdir(os.path.join(store.folder, "blobs")))[0])), (73,)),
        ("the marker is a link", lambda folder: linked(store, folder, "petspot-backup"), (73,)),
        ("a snapshot is a link", lambda folder: linked(store, folder, os.path.join("snapshots", snapshots(store.folder)[0])), (65,)),
        ("files beside ours", lambda folder: beside(store, folder), (0,)),
    ):  # fmt: skip
        around = work.new_folder("around")
        folder = os.path.join(around, "folder")
        make(folder)
        before = digests(around)
        answer = store.petspot.run("backup", folder, "--keep", "1000" if 0 in exits else "0")
        after = digests(around)
        faults = [] if answer.exit in exits else [f"exit {answer.exit}: {answer.errors.strip()}"]
        faults += [f"{path} is gone or changed" for path, digest in before.items() if after.get(path) != digest]
        if 73 in exits and set(after) != set(before):
            faults.append(f"wrote {set(after) - set(before)}")
        tally.add(name, faults)
    return tally


def tree(folder, *names):
    for name in names:
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        write(os.path.join(folder, name), b"mine")


def home(folder):
    tree(folder, "thesis.tex", "Pictures/a.jpg", "snapshots/monday/disk.img", "blobs/ab/cd.jpg")


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


def beside(store, folder):
    shutil.copytree(store.folder, folder)
    tree(folder, "letter", "snapshots/notes.txt", "snapshots/monday/disk.img", "blobs/letter", "previews/ab/letter.txt")


def clocks(work, store):
    """Sets the clock to 1970 and 2100 for one run each. The newest snapshots must stay, and the next run with the
    right clock must succeed."""
    tally = Tally("backups: clocks")
    library = build(work, "clock.c")
    for name, moment in (("1970", 1_000), ("2100", 4_102_500_000)):
        folder = store.copy()
        before = snapshots(folder)
        clock = Clock(library, store.petspot, {"shift": moment - int(time.time())})
        answer = clock.run("backup", folder, "--prove")
        faults = [] if answer.exit == 0 else [f"exit {answer.exit}: {answer.errors.strip()}"]
        # Snapshots that are old by any clock may be deleted; at least three of all remain.
        faults += [f"lost {each}" for each in before[-2:] if each not in snapshots(folder)]
        for _ in range(3):
            again = store.petspot.run("backup", folder)
            faults += [f"again: exit {again.exit}: {again.errors.strip()}"] if again.exit else []
        if before[-1] not in snapshots(folder):
            faults.append("lost the newest")
        faults += store.judge(folder, 4)
        tally.add(name, faults)
    return tally
