"""Catalogs that a command can't use."""

import contextlib
import os
import shutil
import sqlite3
import subprocess

import caches
import pictures
from board import Tally
from caches import catalog
from files import digests, read, write
from petspot import run

COMMANDS = [("status",), ("list",), ("verify", "--all"), ("sweep",), ("import", "photos"), ("attach", "photo")]
QUICK = ("status", "sweep", "attach")
# Root, without the capabilities that let it ignore file modes.
ORDINARY = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"]


def databases(work):
    """Catalogs that are damaged, lost, locked or unreachable: a clear error, and no picture changes."""
    base = Base(work)
    for case in (damaged, lost, journals, busy, unusable):
        tally = Tally(f"databases: {case.__doc__}")
        case(base, tally)
        yield tally


class Base:
    """A cache with photos. Every fault gets a copy of it."""

    def __init__(self, work):
        self.work, self.number = work, 0
        self.photos = work.path("photos")
        self.photo = pictures.folder(self.photos, 6, work.dice)[0]
        self.petspot = work.petspot("whole")
        caches.expect(self.petspot, "import", self.photos)
        caches.expect(self.petspot, "attach", self.photo)

    def copy(self):
        self.number += 1
        petspot = self.work.petspot(f"copy-{self.number}")
        shutil.copytree(self.petspot.cache, petspot.cache)
        return petspot

    def check(self, tally, petspot, what, exits, commands=COMMANDS, prefix=()):
        """Runs commands. Each must end with one of its exit codes and leave every picture in place."""
        places = {"photos": self.photos, "photo": self.photo}
        for command in commands:
            if self.work.quick and command[0] not in QUICK:
                continue
            before, faults = stored(petspot.cache), []
            words = [*prefix, *petspot.command(*(places.get(word, word) for word in command))]
            answer = run(words, env=os.environ | {"PETSPOT_BUSY_SECONDS": "0.3"})
            if answer.exit not in exits.get(command[0], exits["else"]):
                faults.append(f"ends in {answer.exit}: {answer.errors.strip()[-200:]}")
            elif answer.exit not in (0, 65) and not (answer.code and "petspot: " in answer.errors):
                faults.append(f"says nothing: {answer.output!r} {answer.errors!r}")
            faults += [f"lost {path}" for path in before - stored(petspot.cache)]
            tally.add(f"{what}: {command[0]}", faults)


def stored(cache):
    """Returns the digests of all pictures. A picture that was moved to quarantine isn't lost."""
    return set(digests(cache, "blobs", "previews", "quarantine").values())


def damaged(base, tally):
    """damaged files"""
    whole = read(catalog(base.petspot))
    dice, page = base.work.dice, 4096
    cases = {
        "magic": b"no database, no!" + whole[16:],
        "page size": whole[:16] + b"\0\3" + whole[18:],
        "header": whole[:16] + dice.randbytes(84) + whole[100:],
        "noise": dice.randbytes(len(whole)),
        "cut in a page": whole[: len(whole) // 2 + 100],
        "cut to a byte": whole[:1],
        "first page empty": bytes(page) + whole[page:],
    }
    for number in range(base.work.count(4, 60)):
        at = page * dice.randrange(1, len(whole) // page)
        kind = dice.choice(["zeros", "noise", "bit"])
        patch = {"zeros": bytes(page), "noise": dice.randbytes(page)}.get(kind)
        if patch is None:
            bit = at + dice.randrange(page)
            at, patch = bit, bytes([whole[bit] ^ 1 << dice.randrange(8)])
        cases[f"{kind} at {at}"] = whole[:at] + patch + whole[at + len(patch) :]
    for what, data in cases.items():
        petspot = base.copy()
        write(catalog(petspot), data)
        # A single bit may be in a file name or in free space, and then everything works.
        sure = " at " not in what and what != "cut to a byte"  # SQLite treats that as an empty file
        base.check(tally, petspot, what, {"else": {74} if sure else {0, 65, 74}})


def lost(base, tally):
    """lost ones"""
    for what in ("deleted", "empty"):
        petspot = base.copy()
        os.unlink(catalog(petspot))
        if what == "empty":
            write(catalog(petspot), b"")
        base.check(tally, petspot, what, {"else": {0}, "verify": {65}})
        told = petspot.run("verify", "--all")
        # The import has stored its photos again. Only the attachment's own record was new.
        is_sound = told.exit in (0, 65) and not told.json.get("damaged") and not told.json.get("missing")
        tally.add(what, [] if is_sound else [f"verify says {told.output}"])


def journals(base, tally):
    """journals cut off, foreign, kept and deleted"""
    for what in ("kept", "deleted", "cut", "noise"):
        petspot = base.copy()
        spill(catalog(petspot))
        journal = catalog(petspot) + "-journal"
        if what == "deleted":
            os.unlink(journal)
        elif what == "cut":
            os.truncate(journal, os.path.getsize(journal) // 2)
        elif what == "noise":
            write(journal, base.work.dice.randbytes(5000))
        sound = what == "kept"
        base.check(tally, petspot, f"journal {what}", {"else": {0} if sound else {0, 65, 74}})


def spill(path):
    """Leaves the catalog as a kill in the middle of a large transaction does: half written, with a journal."""
    copy = path + ".copy"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA cache_size = 1")
        db.execute("BEGIN")
        db.execute("UPDATE photo SET fileName = fileName || hex(randomblob(900))")
        db.execute("UPDATE source_file SET refusal = hex(randomblob(900)), photo = NULL, tier = NULL")
        shutil.copy(path, copy)
        shutil.copy(path + "-journal", copy + "-journal")
        db.execute("ROLLBACK")
    os.replace(copy, path)
    os.replace(copy + "-journal", path + "-journal")


def busy(base, tally):
    """held by another process"""
    for lock, reads in (("IMMEDIATE", 0), ("EXCLUSIVE", 75)):
        petspot = base.copy()
        with contextlib.closing(sqlite3.connect(catalog(petspot), isolation_level=None)) as db:
            db.execute(f"BEGIN {lock}")
            writing = [command for command in COMMANDS if command[0] in ("attach", "import", "sweep")]
            reading = [command for command in COMMANDS if command not in writing]
            # An import that finds nothing new doesn't write.
            base.check(tally, petspot, lock, {"else": {75}, "import": {75, reads}}, writing)
            base.check(tally, petspot, lock, {"else": {reads}}, reading)
            db.execute("ROLLBACK")
        base.check(tally, petspot, f"after {lock}", {"else": {0}})


def unusable(base, tally):
    """folders that cannot be used"""
    work = base.work
    petspot = work.petspot("file")
    write(petspot.cache, b"mine")
    base.check(tally, petspot, "a file", {"else": {73}})
    petspot = work.petspot("dangling")
    os.symlink(work.path("nowhere"), petspot.cache)
    base.check(tally, petspot, "a dangling link", {"else": {73}})
    whole, petspot = base.copy(), work.petspot("link")
    os.symlink(whole.cache, petspot.cache)
    base.check(tally, petspot, "a link", {"else": {0}})
    base.check(tally, work.petspot("not/there/yet"), "a missing one", {"else": {0}})
    for name in ("blobs", "incoming", "database"):
        petspot = base.copy()
        moved = work.path(f"moved-{base.number}")
        os.rename(os.path.join(petspot.cache, name), moved)
        os.symlink(moved, os.path.join(petspot.cache, name))
        base.check(tally, petspot, f"{name} is a link", {"else": {73}})
    petspot = base.copy()
    os.unlink(catalog(petspot))
    os.mkdir(catalog(petspot))
    base.check(tally, petspot, "the catalog is a folder", {"else": {73, 74}})
    for what, path, mode in (("read-only", "", 0o500), ("unreadable catalog", "database/catalog.sqlite", 0)):
        petspot = base.copy()
        path = os.path.join(petspot.cache, path)
        os.chmod(path, mode)
        prefix = ORDINARY if os.geteuid() == 0 else ()
        base.check(tally, petspot, what, {"else": {73, 74}}, prefix=prefix)
        os.chmod(path, 0o700)
        base.check(tally, petspot, f"after {what}", {"else": {0}})
    petspot = base.copy()
    if run(["chattr", "+i", catalog(petspot)]).exit == 0:
        writing = [("attach", "photo")]
        base.check(tally, petspot, "immutable catalog", {"else": {73, 74}}, writing)
        subprocess.run(["chattr", "-i", catalog(petspot)], check=True)
    else:
        tally.notes = "chattr cannot be tried here"
