"""Runs many commands at one cache at the same time."""

import collections
import os
import shutil
import time

import caches
import invariants
import pictures
from board import Tally
from files import digests
from watching import Watched

WRITERS, FILES, ROUNDS = 8, 1000, 20
QUICK_WRITERS, QUICK_FILES = 3, 30
OPENERS = 6
LIMIT, ROUND_LIMIT = 600, 3600  # seconds that one process may take; seconds that a round may take
KILL_EACH, QUICK_KILL_EACH = 1.0, 0.15  # seconds between two kills
PAUSE = 0.2  # seconds between two runs of the commands that repeat
DRAFTS = 20
# The text that the commands print for programs and people if another process holds the cache.
BUSY = ('"busy"', "Another PetSpot holds")


def concurrent_imports(work):
    """Eight imports into one cache, with attach, verify, sweep and a kill every second: one record per photo."""
    yield opening(work)
    yield importing(work)


def opening(work):
    """Runs the first commands at a new cache at the same moment. Each one must create the cache or use it."""
    tally, count = Tally("concurrent-imports: new cache"), work.count(5, 500)
    nothing = work.new_folder("nothing")
    for number in range(count):
        petspot = work.petspot(f"new-{number}")
        # Commands that only read don't create a cache.
        command = petspot.command("import", nothing)
        openers = [Watched(command, work.folder, f"open-{place}") for place in range(OPENERS)]
        faults = [fault for opener in openers for fault in run_faults(opener.end(LIMIT))]
        tally.add(f"cache {number}: import", faults, tries=OPENERS)
        shutil.rmtree(petspot.cache)
    tally.notes = f"{OPENERS} at each of {count}"
    return tally


def importing(work):
    tally = Tally("concurrent-imports")
    writers, files = (QUICK_WRITERS, QUICK_FILES) if work.quick else (WRITERS, FILES)
    folders = make_folders(work, writers, files)
    whole = work.petspot("whole")
    tally.add("undisturbed", run_faults(whole.run("import", *sorted(set(folders)), timeout=LIMIT)), tries=0)
    expected = library(whole)
    rounds, kills, seconds = work.count(1, ROUNDS), 0, 0.0
    for number in range(rounds):
        crowd = Crowd(work, folders)
        crowd.work_until_done()
        tally.add(f"round {number + 1}", crowd.faults + list(judge(crowd.petspot, expected)), tries=crowd.started)
        tally.progress(f"{rounds} rounds", step=1)
        kills, seconds = kills + crowd.kills, max(seconds, crowd.seconds)
    tally.notes = f"{rounds} rounds of {writers} imports of {files} files, {kills} processes killed,"
    tally.notes += f" {seconds:.0f} s at most"
    return tally


def make_folders(work, writers, files):
    """Returns the folder of each writer. Half of them use the same folder. Of the other folders, every second one
    shares half of its files' bytes with the first folder."""
    common = os.path.join(work.folder, "common")
    paths = pictures.folder(common, files, work.dice)
    folders = [common] * (writers // 2)
    for number in range(writers - len(folders)):
        folder = os.path.join(work.folder, f"own-{number}")
        copies = paths[: files // 2] if number % 2 else []
        pictures.folder(folder, files - len(copies), work.dice)
        for path in copies:
            shutil.copy2(path, os.path.join(folder, "copy-" + os.path.basename(path)))
        folders.append(folder)
    return folders


class Task:
    """A command that is restarted until it ends by itself, or endlessly if `beside` is true."""

    def __init__(self, name, arguments, beside=False):
        self.name, self.arguments, self.beside = name, arguments, beside
        self.watched, self.is_done, self.was_killed, self.rests_until = None, False, False, 0.0


class Crowd:
    """One round, with all processes at one cache."""

    def __init__(self, work, folders):
        self.work, self.petspot = work, work.new_petspot()
        self.photos = [os.path.join(folders[0], name) for name in sorted(os.listdir(folders[0]))]
        self.tasks = [Task(f"import {number}", ["import", folder]) for number, folder in enumerate(folders)]
        self.tasks += [
            Task("verify", ["verify", "--all"], beside=True),
            Task("sweep", ["sweep"], beside=True),
            Task("attach", ["attach"], beside=True),
        ]
        self.started, self.kills, self.faults, self.seconds = 0, 0, [], 0.0

    def work_until_done(self):
        begin = time.monotonic()
        kill_each = QUICK_KILL_EACH if self.work.quick else KILL_EACH
        next_kill = begin + kill_each
        while not all(task.is_done for task in self.tasks if not task.beside):
            for task in self.tasks:
                self.care_for(task)
            if time.monotonic() > next_kill:
                next_kill = time.monotonic() + kill_each
                self.kill_one()
            if time.monotonic() - begin > ROUND_LIMIT:
                self.faults.append(f"not done after {ROUND_LIMIT} s")
                break
            time.sleep(0.01)
        for task in self.tasks:
            if task.watched:
                self.collect(task)
        self.seconds = time.monotonic() - begin

    def care_for(self, task):
        if task.watched and (not task.watched.runs or task.watched.seconds > LIMIT):
            self.collect(task)
        if not task.watched and not task.is_done and time.monotonic() > task.rests_until:
            name = task.name.replace(" ", "-")
            arguments = task.arguments + (self.any_photo() if task.name == "attach" else [])
            task.watched = Watched(self.petspot.command(*arguments), self.work.folder, name)
            self.started += 1

    def any_photo(self):
        dice = self.work.dice
        return [dice.choice(self.photos), "--draft", str(dice.randrange(DRAFTS))]

    def kill_one(self):
        running = [task for task in self.tasks if task.watched and task.watched.runs]
        if not running:
            return
        task = self.work.dice.choice(running)
        # Only the process itself. Its decoders must notice.
        task.watched.process.kill()
        task.was_killed = True
        self.kills += 1

    def collect(self, task):
        """Judges a finished run, and decides whether the task runs again."""
        answer = task.watched.end(LIMIT)
        self.faults += [f"{task.name}: {fault}" for fault in invariants.outlived(answer.left)]
        is_killed = task.was_killed and answer.exit == "signal 9"
        if not is_killed:
            self.faults += [f"{task.name}: {fault}" for fault in run_faults(answer)]
            task.is_done = not task.beside
        task.watched, task.was_killed, task.rests_until = None, False, time.monotonic() + PAUSE * task.beside


def run_faults(answer):
    yield from invariants.succeeded("it", answer)
    if answer.exit == 0 and any(word in answer.output + answer.errors for word in BUSY):
        yield f"tells of a busy cache: {answer.errors[-300:]}"
    if not answer.objects and answer.exit == 0:
        yield "prints nothing"


def judge(petspot, expected):
    """Yields the faults after all processes have ended."""
    yield from invariants.swept(petspot)
    yield from invariants.verified(petspot.run, timeout=LIMIT)
    found = library(petspot)
    for part, values in expected.items():
        more, fewer = found[part] - values, values - found[part]
        if more or fewer:
            yield f"{part}: {more.total()} too many, {fewer.total()} missing, such as {next(iter(more or fewer))}"


def library(petspot):
    """Returns what the cache holds, with counts, whoever stored it."""
    source = "(SELECT sourceSHA256 FROM photo WHERE id = photo)"
    queries = {
        "photos": "SELECT sourceSHA256, blobSHA256 FROM photo JOIN library_photo ON library_photo.photo = photo.id",
        "files": f"SELECT path, sha256, refusal, {source} FROM source_file",
        "integrity": "PRAGMA integrity_check",
        "broken references": "PRAGMA foreign_key_check",
    }
    found = {part: collections.Counter(caches.rows(petspot, query)) for part, query in queries.items()}
    return found | {"blobs": collections.Counter(digests(petspot.cache, "blobs", "previews", "sizes").items())}
