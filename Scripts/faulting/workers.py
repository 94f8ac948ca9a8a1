"""Workers of a shared import that are killed or stopped."""

import collections
import json
import os
import shutil
import signal
import time

import invariants
import pictures
from board import Tally
from files import LONG_AGO, read, write
from stores import Case, database, environment, objects
from watching import Watched, heeds

WORKERS, PHOTOS = 4, 1000
QUICK_WORKERS, QUICK_PHOTOS = 2, 40
LEASE = 1.0  # seconds
PART = 16  # files
LIMIT = 900  # seconds that a round may take
OUTCOMES = ("imported", "duplicates", "unchanged", "skipped", "failed")
COUNTS = ", ".join(f"sum({key})" for key in OUTCOMES)


def workers(work):
    """Workers of a shared import killed at any moment and stopped past their lease: exact totals, each photo once."""
    settings = {"PETSPOT_LEASE_SECONDS": str(LEASE), "PETSPOT_PART_FILES": str(PART)}
    with database(work) as records, objects(work) as store, environment(**settings):
        folder = Folder(work)
        yield hurt(work, records, store, folder, "killed", work.count(6, 1500))
        yield hurt(work, records, store, folder, "stopped", work.count(2, 300))


class Folder:
    """The photos to import and the expected totals."""

    def __init__(self, work):
        self.path = work.path("photos")
        photos = pictures.folder(self.path, QUICK_PHOTOS if work.quick else PHOTOS, work.dice)
        copies = photos[:: 5]
        for number, path in enumerate(copies):
            shutil.copy2(path, os.path.join(self.path, f"copy {number} é.png"))
        for name, data in (("notes.txt", b"no photo"), (".hidden", b"x"), ("cut.png", read(photos[0])[:60])):
            write(os.path.join(self.path, name), data, LONG_AGO)
        self.totals = {"imported": len(photos), "duplicates": len(copies), "unchanged": 0, "skipped": 2, "failed": 1}
        self.files = sum(self.totals.values())


def hurt(work, database, objects, folder, what, count):
    """Runs rounds until enough workers were hurt."""
    tally, number, slowest, followers = Tally(f"workers {what}"), 0, 0.0, 0
    while tally.tried < count:
        number += 1
        scene = Round(work, Case(work, f"{what}_{number}", database, objects), folder)
        scene.run(what, count - tally.tried)
        slowest, followers = max(slowest, scene.seconds), followers + scene.followers_killed
        tally.add(f"round {number}", [*scene.faults, *scene.judge()], tries=scene.hurt)
        tally.progress(count, step=1)
        if scene.hurt == 0:
            tally.faults.append(f"round {number}: nobody could be {what}")
            break
    tally.notes = f"{number} runs of {folder.files} files, {followers} followers killed, {slowest:.0f} s at most"
    return tally


class Round:
    """One run: the process that requested it, and its workers."""

    def __init__(self, work, case, folder):
        self.work, self.case, self.folder = work, case, folder
        self.workers = [None] * (QUICK_WORKERS if work.quick else WORKERS)
        self.follower, self.followers_killed = None, 0
        self.hurt, self.faults, self.seconds = 0, [], 0.0

    def start(self, cache, *arguments):
        command = self.work.petspot(cache).command(*arguments, *self.case.stores())
        return Watched(command, self.work.folder, cache)

    def start_worker(self, number):
        self.workers[number] = self.start(f"worker-{number}", "worker", "--jobs", "1")

    def start_follower(self):
        self.follower = self.start("asks", "import", self.folder.path, "--distribute")

    def run(self, what, most):
        begin, dice = time.monotonic(), self.work.dice
        for number in range(len(self.workers)):
            self.start_worker(number)
        self.start_follower()
        while self.follower.runs and time.monotonic() - begin < LIMIT:
            time.sleep(dice.uniform(0.05, 0.6))
            if self.hurt < most and self.follower.runs:
                if what == "killed":
                    self.kill(dice.randrange(len(self.workers)))
                else:
                    self.stop(dice.sample(self.workers, min(dice.randint(1, len(self.workers)), most - self.hurt)))
                # The requesting process may die too. A new request for the run continues it.
                if dice.random() < 0.1 and self.follower.runs:
                    self.follower.process.kill()
                    self.follower.end(10)
                    self.followers_killed += 1
                    self.start_follower()
        self.answer = self.follower.end(LIMIT)
        self.seconds = time.monotonic() - begin
        self.end_workers()

    def kill(self, number):
        # Only the process itself. Its decoders must notice.
        self.workers[number].process.kill()
        self.workers[number].end(10)
        self.hurt += 1
        self.start_worker(number)

    def stop(self, workers):
        """Stops workers beyond their lease, sometimes all of them. When they continue, they find that others have
        their parts."""
        for worker in workers:
            worker.process.send_signal(signal.SIGSTOP)
        time.sleep(LEASE + self.work.dice.uniform(0.2, 1))
        for worker in workers:
            worker.process.send_signal(signal.SIGCONT)
        self.hurt += len(workers)

    def end_workers(self):
        """A worker that gets SIGTERM must end within 20 s with success. One that has just started has claimed
        nothing and may be ended by the signal itself."""
        for worker in self.workers:
            worker.has_begun = heeds(worker.process.pid, signal.SIGTERM)
            worker.process.send_signal(signal.SIGTERM)
        for number, worker in enumerate(self.workers):
            answer = worker.end(worker.seconds + 20)
            if answer.exit not in ((0, 130) if worker.has_begun else (0, 130, "signal 15")) or answer.left:
                self.faults.append(f"{answer.left} left: {invariants.ended(f'worker {number}', answer)}")

    def judge(self):
        """Yields the faults of the finished run. There is one run, plus at most one for each follower that was
        killed just after its run had ended: the new request then starts a new run, which finds everything
        unchanged."""

        def asked(text):
            return (self.case.sql(text) or "-1").split()

        first, answer = self.folder.totals, self.answer
        photos, seen = first["imported"], first["imported"] + first["duplicates"]
        runs = asked("SELECT id FROM import_run ORDER BY id")
        if len(runs) > 1 + self.followers_killed:
            yield f"{len(runs)} runs, {self.followers_killed} followers killed"
        for run in runs:
            totals = first if run == runs[0] else first | {"imported": 0, "duplicates": 0, "unchanged": seen}
            counted = asked(f"SELECT {COUNTS} FROM import_part WHERE run = {run}")
            if counted != ["|".join(str(totals[key]) for key in OUTCOMES)]:
                yield f"run {run} counts {counted}"
        if answer.exit != 65:
            yield invariants.ended("import", answer)
        if {key: answer.json.get(key) for key in OUTCOMES} != totals or answer.json.get("files") != self.folder.files:
            yield f"totals are {answer.output.splitlines()[-1:]}"
        lines = [line for line in answer.objects if line.get("event") == "file"]
        if len({line["path"] for line in lines}) != self.folder.files or len(lines) != self.folder.files:
            yield f"{len(lines)} lines of {self.folder.files} files"
        told = collections.Counter(line["outcome"] for line in lines)
        expected = {key.rstrip("s") if key == "duplicates" else key: count for key, count in totals.items() if count}
        if told != expected:
            yield f"lines tell {told}"

        held = {
            "photos": ("SELECT count(*) FROM library_photo", photos),
            "digests": ('SELECT count(DISTINCT "sourceSHA256") FROM photo', photos),
            "records": ("SELECT count(*) FROM photo", photos),
            "files": ("SELECT count(*) FROM source_file", seen + 2),
            "inputs": ("SELECT count(outcome) FROM import_input", self.folder.files * len(runs)),
            "parts left": ("SELECT count(*) FROM import_part WHERE state <> 'done'", 0),
        }
        for what, (text, wanted) in held.items():
            if (found := asked(text)) != [str(wanted)]:
                yield f"{found[0]} {what} instead of {wanted}"
        yield from invariants.succeeded("sweep", self.case.run("sweep"))
        yield from invariants.verified(self.case.run)
        again = self.case.run("import", self.folder.path)
        if again.json.get("unchanged") != seen:
            yield f"once more: {json.dumps(again.json)}"
