"""Writers that are stopped between a picture's PUT and its record."""

import itertools
import shutil
import signal
import threading
import time

import caches
import invariants
import pictures
from board import Tally
from relays import ObjectRelay
from stores import GAVE_UP, Case, beside, database, environment, objects
from watching import Watched

PHOTOS = 10  # photos of an import, with two pictures each
LANES = 3
MOST_STOPS = 4  # stops of one writer
LIMIT = 120  # seconds that a writer may take


def stopped_writers(work):
    """Writers stopped between a picture's PUT and its record, during sweeps: nothing acknowledged is lost."""
    tally, count, numbers, scenes = Tally("writers stopped before the record"), work.count(4, 500), itertools.count(), []

    def lane(_):
        idle = 0
        while (left := count - sum(scene.stops for scene in scenes)) > 0 and idle < 10:
            scene = Scene(work, records, store, f"stopped_{next(numbers)}")
            scenes.append(scene)
            faults = [*scene.run(min(work.dice.randint(1, MOST_STOPS), left)), *scene.judge()]
            scene.close()
            tally.add(f"{scene.case.name}, {' '.join(scene.call)}", faults, tries=scene.stops)
            tally.progress(count, step=20)
            idle = 0 if scene.stops else idle + 1

    with database(work) as records, objects(work) as store, environment(PETSPOT_GRACE_SECONDS="-1"):
        beside(1 if work.quick else LANES, lane)
    sums = {name: sum(getattr(scene, name) for scene in scenes) for name in ("aged", "swept", "blocked", "gave_up")}
    tally.notes = f"{len(scenes)} writers, {sums['aged']} stops past their lease, {sums['swept']} objects swept beside them,"
    tally.notes += f" {sums['blocked']} sweeps had to wait for a record and said so, {sums['gave_up']} writers gave up and said so"
    yield tally


class Scene:
    """A writer whose requests pass a relay that reports each completed PUT, and sweeps at the same time."""

    def __init__(self, work, database, objects, name):
        self.dice, self.folder, self.case = work.dice, work.new_folder(name), Case(work, name, database, objects)
        self.case.petspot = work.petspot(f"{name}/judge")
        self.writer = work.petspot(f"{name}/writer")
        self.stops = self.aged = self.swept = self.gave_up = self.blocked = self.puts = 0
        self.faults, self.lock, self.hurting = [], threading.Lock(), []
        self.relay = ObjectRelay(objects.port, {}, 0, self.answered)
        photos = work.path(name, "photos")
        pictures.folder(photos, PHOTOS, self.dice)
        self.call = self.dice.choice([["attach", caches.PHOTO], ["import", photos, "--jobs", str(self.dice.randint(1, 2))]])
        # An object of another writer and recorded pictures, so that a sweep always finds something.
        self.ask("attach", caches.EARLIER, "--draft", "earlier")

    def ask(self, *arguments, timeout=LIMIT):
        return self.case.run(*arguments, timeout=timeout)

    def run(self, stops):
        """Runs the writer, stopped `stops` times. Returns the faults."""
        puts = range(2 if self.call[0] == "attach" else 2 * PHOTOS)
        self.moments = set(self.dice.sample(puts, min(stops, len(puts))))
        command = self.writer.command(*self.call, *self.case.stores(endpoint=self.relay.endpoint))
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
            if wait:  # its PUT gets the response, and it is stopped on its way to the record
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
                    self.age()
                    self.aged += 1
                self.sweep()
            finally:
                self.process.process.send_signal(signal.SIGCONT)
            # Sometimes sweeps again while the writer continues.
            if self.dice.random() < 0.3:
                self.sweep()

    def age(self):
        """Makes the writer's last sign of life so old that it counts as gone."""
        self.case.sql("UPDATE worker SET seen_at = seen_at - interval '1 hour'")

    def sweep(self):
        answer = self.ask("sweep")
        self.swept += answer.json.get("removedBlobs", 0)
        self.blocked += answer.exit == 75
        self.faults += invariants.succeeded("sweep", answer, 75)

    def judge(self):
        """Everything acknowledged must be there and complete. After a sweep the store must hold exactly the named
        objects."""
        answer = self.answer
        # A writer that was declared gone ends as interrupted, without a reason.
        is_over = answer.exit == 130 and self.aged and "reason" not in answer.json.get("error", {"reason": ""})
        if answer.exit in GAVE_UP or is_over:
            self.gave_up += 1
        else:
            yield from invariants.succeeded(self.call[0], answer)
        yield from invariants.listed(self.ask, answer)
        imported = sum(line.get("outcome") == "imported" for line in answer.objects)
        if self.call[0] == "import" and answer.exit == 0 and imported != PHOTOS:
            yield f"{imported} photos imported instead of {PHOTOS}"
        if self.call[0] == "attach" and answer.exit == 0 and self.ask("status").status != "confirmed":
            yield "attach said that it was done, and status does not show it"
        if self.ask("status", "--draft", "earlier").status != "confirmed":
            yield "the earlier photo is gone"
        self.age()
        yield from self.case.judge()
        yield from invariants.verified(self.ask)
        again = self.ask(*self.call)
        if again.exit != 0 or self.call[0] == "import" and len(self.ask("list").objects) < PHOTOS:
            yield f"once more: {invariants.ended(self.call[0], again)}"

    def close(self):
        self.relay.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
