"""Backups that are killed at each step, on full disks, damaged, and older than an erasure."""

import json
import os
import shutil

import caches
from board import Tally, spread
from disk import Mount
from files import read, write
from shimming import Shim

REPORT = ("--number", "616093901234567"), ("--species", "dog", "--race", "Mongrel", "--gender", "male"), (
    "--name", "Ola Nowak", "--phone", "+48 600 700 800")  # fmt: skip


def backups(work):
    """A backup and a restore: SIGKILL at every call that changes a file, full disks, a flipped byte in each file, and
    an erasure between an old copy of the folder and the next run."""
    store = Store(work)
    yield killed(work, store)
    yield full(work, store)
    yield flipped(work, store)
    yield erased(work, store)


class Store:
    """A store with photos and an announcement, and a folder with its backup."""

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
        self.folder = work.path("backup")
        caches.expect(petspot, "backup", self.folder)
        # What the next run has to copy.
        caches.expect(petspot, "attach", "--draft", "other", caches.EARLIER)

    def copy(self, name="copied"):
        """A copy of the folder of backups."""
        shutil.rmtree(self.work.path(name), ignore_errors=True)
        return shutil.copytree(self.folder, self.work.path(name))

    def judge(self, folder, snapshots=None):
        """What is wrong with a folder of backups: a restore of its newest snapshot has to be whole."""
        target = self.work.new_petspot("restored")
        answer = target.run("restore", folder)
        if answer.exit != 0:
            yield f"not restored, exit {answer.exit}: {answer.errors.strip()}"
            return
        if target.run("verify", "--all").exit != 0:
            yield "the restored store is damaged"
        if snapshots and len(os.listdir(os.path.join(folder, "snapshots"))) < snapshots:
            yield "a snapshot is missing"


def killed(work, store):
    """SIGKILL at calls of backup and restore; what was there stays whole, and the next run ends the work."""
    tally = Tally("backups: killed")
    folder = store.copy()
    calls = store.shim.run(store.petspot.command("backup", folder)).log
    for at in spread(work, work.count(8, len(calls)), range(1, len(calls) + 1)):
        folder = store.copy()
        answer = store.shim.run(store.petspot.command("backup", folder), at=at, do="kill")
        faults = [*store.judge(folder)]
        again = store.petspot.run("backup", folder)
        faults += [f"again: exit {again.exit}: {again.errors.strip()}"] if again.exit else store.judge(folder, 2)
        tally.add(f"backup, call {at} ({answer.log})", faults)
    target = work.new_petspot("restored")
    calls = store.shim.run(target.command("restore", store.folder)).log
    count = target.run("verify", "--all").json["checked"]
    for at in spread(work, work.count(8, len(calls)), range(1, len(calls) + 1)):
        target = work.new_petspot("restored")
        answer = store.shim.run(target.command("restore", store.folder), at=at, do="kill")
        again = target.run("restore", store.folder)
        # One that had ended before it was killed finds a store that isn't empty.
        faults = [] if again.exit in (0, 73) else [f"again: exit {again.exit}: {again.errors.strip()}"]
        if target.run("verify", "--all").json.get("checked") != count:
            faults.append("not all photos are restored")
        tally.add(f"restore, call {at} ({answer.log})", faults)
    return tally


def full(work, store):
    """Disks with little room; then with more."""
    tally = Tally("backups: full disks")
    if os.geteuid() != 0:
        tally.notes = "skipped: mounting needs root"
        return tally
    for pages in spread(work, work.count(4, 40), range(0, 80, 2)):
        with Mount(work, "size=16m,nr_inodes=2000") as mount:
            folder = shutil.copytree(store.folder, os.path.join(mount.path, "backup"))
            mount.fill(pages * 4096)
            answer = store.petspot.run("backup", folder)
            faults = [] if answer.exit in (0, 74) else [f"exit {answer.exit}: {answer.errors.strip()}"]
            if answer.exit == 74 and "full" not in answer.errors:
                faults.append(f"does not say that the disk is full: {answer.errors.strip()}")
            mount.release()
            faults += store.judge(folder)
            if store.petspot.run("backup", folder).exit != 0:
                faults.append("not backed up with room again")
            tally.add(f"{pages} pages free", faults)
    return tally


def flipped(work, store):
    """One bit of each file: found by restore, or of no consequence."""
    tally = Tally("backups: flipped bytes")
    folder = store.copy()
    files = [os.path.join(top, name) for top, _, names in os.walk(folder) for name in names]
    for path in spread(work, work.count(6, len(files)), sorted(files)):
        whole = read(path)
        if not whole:
            continue
        place = work.dice.randrange(len(whole))
        write(path, whole[:place] + bytes([whole[place] ^ 1 << work.dice.randrange(8)]) + whole[place + 1 :])
        target = work.new_petspot("restored")
        answer = target.run("restore", folder)
        found = answer.exit in (65, 66)
        tally.add(os.path.relpath(path, folder), [None if found else f"not found, exit {answer.exit}"])
        write(path, whole)
    return tally


def erased(work, store):
    """An older version of the folder gets what it lacks, and loses what was erased, with the next run."""
    tally = Tally("backups: erased")
    old, folder = store.copy("old"), store.copy()
    caches.expect(store.petspot, "announcements", "erase", store.id, "--password", store.password)
    for name in (old, folder):
        answer = store.petspot.run("backup", name)
        faults = [] if answer.exit == 0 else [f"exit {answer.exit}: {answer.errors.strip()}"]
        for top, _, names in os.walk(name):
            for file in names:
                data = read(os.path.join(top, file))
                faults += [f"{secret} in {file}" for secret in (store.id, "600 700 800") if secret.encode() in data]
        for snapshot in sorted(os.listdir(os.path.join(name, "snapshots"))):
            target = work.new_petspot("restored")
            answer = target.run("restore", name, "--snapshot", snapshot)
            shown = target.run("announcements", "show", store.id)
            if answer.exit != 0 or shown.exit == 0:
                faults.append(f"{snapshot}: restored with {answer.exit}, announcement: {json.dumps(shown.json)[:80]}")
        tally.add(os.path.basename(name), faults)
    return tally
