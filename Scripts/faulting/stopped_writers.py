"""Writers stopped between a picture's PUT and its record while sweeps without any grace run: nothing acknowledged goes."""

import concurrent.futures
import itertools
import os
import shutil
import signal
import threading
import time

import caches
import pictures
import postgresservers
import s3servers
from board import Tally
from petspot import Petspot
from s3 import TOLD, walk
from s3_relay import Relay
from watching import Watched

PHOTOS = 10  # of an import, two pictures each
LANES = 3
MOST_STOPS = 4  # of one writer
LIMIT = 120  # seconds a writer may take
# A writer whose last sign of life is that old counts as gone.
AGED = "SET search_path = petspot; UPDATE worker SET seen_at = seen_at - interval '1 hour'"
NAMED = "SET search_path = petspot; SELECT nonce FROM object WHERE state = 'named'"


def run(work):
    database = postgresservers.Server(os.path.join(work.folder, "postgres"))
    objects = s3servers.Server(os.path.join(work.folder, "s3"))
    environment = os.environ.copy()
    os.environ.update(objects.environment | {"PETSPOT_GRACE_SECONDS": "-1"})
    try:
        yield stopped(work, database, objects)
    finally:
        os.environ.clear()
        os.environ.update(environment)
        objects.stop()
        database.stop()


def stopped(work, database, objects):
    """Writers, some beside each other, until so many stops were made."""
    tally, count, numbers = Tally("writers stopped before the record"), work.count(4, 500), itertools.count()
    scenes = []

    def lane():
        idle = 0
        while (left := count - sum(scene.stops for scene in scenes)) > 0 and idle < 10:
            scene = Scene(work, database, objects, f"stopped_{next(numbers)}")
            scenes.append(scene)
            faults = [*scene.run(min(work.dice.randint(1, MOST_STOPS), left)), *scene.judge()]
            scene.close()
            tally.faults.extend(f"{scene.name}, {' '.join(scene.call)}: {fault}" for fault in faults)
            idle = 0 if scene.stops else idle + 1
            if not work.quick and (faults or len(scenes) % 20 == 0):
                print(f"writers stopped: {count - left + scene.stops} of {count}, {len(tally.faults)} failed", *faults, flush=True)

    lanes = 1 if work.quick else LANES
    with concurrent.futures.ThreadPoolExecutor(lanes) as pool:
        for done in [pool.submit(lane) for _ in range(lanes)]:
            done.result()
    stops, aged, swept, blocked, told = (
        sum(getattr(scene, name) for scene in scenes) for name in ("stops", "aged", "swept", "blocked", "told")
    )
    tally.tried = stops
    tally.notes = f"{len(scenes)} writers, {aged} stops past their lease, {swept} objects swept beside them, {blocked} sweeps"
    tally.notes += f" had to wait for a record and said so, {told} writers gave up and said so"
    return tally


class Scene:
    """A writer whose requests pass a relay that knows when its PUT was done, and sweepers beside it."""

    def __init__(self, work, database, objects, name):
        self.dice, self.database, self.objects, self.name = work.dice, database, objects, name
        self.folder = os.path.join(work.folder, name)
        os.makedirs(self.folder)
        self.records = ["--database", database.make(name)]
        self.sound = [*self.records, "--blobs", objects.url(name)]
        self.writer, self.judges = (Petspot(work.binary, os.path.join(self.folder, part)) for part in ("writer", "judge"))
        self.stops = self.aged = self.swept = self.told = self.blocked = 0
        self.faults, self.lock, self.hurting = [], threading.Lock(), []
        self.relay = Relay(objects.port, {}, 0, self.answered)
        photos = os.path.join(self.folder, "photos")
        pictures.folder(photos, PHOTOS, self.dice)
        self.call = self.dice.choice([["attach", caches.PHOTO], ["import", photos, "--jobs", str(self.dice.randint(1, 2))]])
        # Rubbish of another writer, and pictures that are on record: there is always something to look at.
        self.ask("attach", caches.EARLIER, "--draft", "earlier")

    def ask(self, *arguments):
        return self.judges.run(*arguments, *self.sound, timeout=LIMIT)

    def run(self, stops):
        """What it comes to, stopped so often."""
        puts = range(2 if self.call[0] == "attach" else 2 * PHOTOS)
        self.moments = set(self.dice.sample(puts, min(stops, len(puts))))
        self.puts = 0
        command = self.writer.command(*self.call, *self.records, "--blobs", self.objects.url(self.name, self.relay.endpoint))
        self.process = Watched(command, self.folder)
        self.answer = self.process.end(LIMIT)
        for thread in self.hurting:
            thread.join()
        return self.faults

    def answered(self, line):
        if not line.startswith("PUT"):
            return
        with self.lock:
            number, self.puts = self.puts, self.puts + 1
            if number not in self.moments:
                return
            wait = self.dice.choice([0, 0, self.dice.uniform(0, 0.05)])
            if wait:  # it hears of its PUT, and is stopped somewhere on its way to the record
                self.hurting.append(threading.Thread(target=self.hurt, args=(wait,)))
                self.hurting[-1].start()
        if not wait:
            self.hurt(0)

    def hurt(self, wait):
        time.sleep(wait)
        with self.lock:
            if not self.process.runs:
                return
            self.process.process.send_signal(signal.SIGSTOP)
            try:
                self.stops += 1
                if self.dice.random() < 0.7:
                    self.database.sql(AGED, self.name)
                    self.aged += 1
                self.sweep()
            finally:
                self.process.process.send_signal(signal.SIGCONT)
            # And one while it goes on.
            if self.dice.random() < 0.3:
                self.sweep()

    def sweep(self):
        answer = self.ask("sweep")
        self.swept += answer.json.get("removedBlobs", 0)
        self.blocked += answer.exit == 75
        if answer.exit not in (0, 75):
            self.faults.append(f"sweep: exit {answer.exit}: {answer.errors[-300:]}")

    def judge(self):
        """Whatever was acknowledged is there, whole; once swept the store holds what is named and nothing else."""
        answer = self.answer
        # Whoever was taken for gone is interrupted, and by nobody.
        is_over = answer.exit == 130 and self.aged and "reason" not in answer.json.get("error", {"reason": ""})
        if answer.exit in TOLD or is_over:
            self.told += 1
        elif answer.exit != 0:
            yield f"exit {answer.exit}: {answer.errors.strip()[-300:]}"
        listed = {photo["id"] for photo in self.ask("list").objects}
        told = {line["id"] for line in answer.objects if line.get("outcome") == "imported"}
        if lost := told - listed:
            yield f"{len(lost)} of {len(told)} photos that were told are not there"
        if self.call[0] == "import" and answer.exit == 0 and len(told) != PHOTOS:
            yield f"{len(told)} photos imported instead of {PHOTOS}"
        if self.call[0] == "attach" and answer.exit == 0 and self.ask("status").status != "confirmed":
            yield "attach said that it was done, and status does not show it"
        if self.ask("status", "--draft", "earlier").status != "confirmed":
            yield "the earlier photo is gone"
        self.database.sql(AGED, self.name)
        for command in (["verify", "--all"], ["sweep"], ["verify", "--all"]):
            found = self.ask(*command)
            if found.exit != 0 or found.json.get("damaged") or found.json.get("missing"):
                yield f"{command[0]}: exit {found.exit}, {found.json}, {found.errors[-300:]}"
        named = set(self.database.sql(NAMED, self.name).split())
        base = f"http://127.0.0.1:{self.objects.filer}/buckets/{self.objects.bucket}/{self.name}"
        left = {key.split("/")[-2] for key in walk(base)}
        if named != left:
            yield f"{len(named - left)} named objects are gone, {len(left - named)} without a name are left"
        again = self.ask(*self.call)
        if again.exit != 0 or self.call[0] == "import" and len(self.ask("list").objects) < PHOTOS:
            yield f"once more: exit {again.exit}: {again.errors.strip()[-300:]}"

    def close(self):
        self.relay.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
