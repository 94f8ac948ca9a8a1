"""PostgreSQL failures: commands must succeed, or give up with an error."""

import collections
import json
import shutil
import threading
import time

import caches
import invariants
from board import Tally
from relays import COMMIT_KINDS, CommitRelay
from stores import Case, beside, database

FIRST = 16


def postgres(work):
    """PostgreSQL with sixteen first starts at once, connections cut at COMMIT, and restarts under load."""
    with database(work) as server:
        yield first_starts(work, server)
        yield cut(work, server)
        yield restarted(work, server)


class Photos:
    """A folder, the number of its files, and the number of photos that an undisturbed import makes of them."""

    def __init__(self, work, count):
        self.folder = work.path(f"{count}-photos")
        self.files = len(caches.small_photos(self.folder, count, refused=False))
        petspot = work.petspot(f"{count}-undisturbed")
        petspot.run("import", self.folder)
        self.listed = len(petspot.run("list").objects)


def judge(case, photos):
    """A repeated import must complete, and another one must find nothing left to do."""
    yield from case.judge()
    case.run("remove")  # the earlier removal may have been cut off
    last, again = case.run("import", photos.folder), case.run("import", photos.folder)
    if last.exit != 0 or again.exit != 0 or again.json.get("unchanged") != photos.files:
        yield f"import again: {last.exit} {json.dumps(last.json)}, {again.exit} {json.dumps(again.json)}"
    if (listed := len(case.run("list").objects)) != photos.listed:
        yield f"{listed} photos are listed instead of {photos.listed}"
    shutil.rmtree(case.petspot.cache)


def first_starts(work, server):
    """Sixteen commands start at an empty database at once. The first creates the tables, and all must succeed."""
    tally = Tally("postgres: first starts", notes=f"{FIRST} at once")
    for number in range(work.count(1, 200)):
        case = Case(work, f"first_{number}", server)
        answers = beside(FIRST, lambda one, case=case: case.run("attach", caches.PHOTO, "--draft", f"d{one}"))
        faults = [invariants.ended("attach", answer) for answer in answers if answer.exit or answer.status != "confirmed"]
        tally.add(case.name, [*faults, *case.judge()], tries=FIRST)
        shutil.rmtree(case.petspot.cache)
    return tally


def cut(work, server):
    tally, counts, photos = Tally("postgres: cut at a commit"), collections.Counter(), Photos(work, 4)
    calls = [("attach", caches.EARLIER), ("attach", caches.PHOTO), ("status",), ("import", photos.folder), ("remove",), ("sweep",)]
    while tally.tried < (count := work.count(6, 1000)):
        counts["rounds"] += 1
        case = Case(work, f"cut_{counts['rounds']}", server)
        case.run("sweep")  # creates the tables
        relay = CommitRelay(server.port, work.dice.choice((0.1, 0.3, 0.6)), work.dice.random())
        faults = [fault for call in calls for fault in case.judge_command(call, counts, port=relay.port)]
        relay.stop()
        counts.update(relay.counts)
        tally.add(case.name, [*faults, *judge(case, photos)], tries=sum(relay.counts.values()))
        tally.progress(count)
    kinds = ", ".join(f"{counts[kind]} {kind}" for kind in COMMIT_KINDS)
    tally.notes = f"{kinds}; {counts['gave up']} commands gave up and said so"
    return tally


def restarted(work, server):
    """Runs commands one after another while the server is stopped at once and restarted."""
    tally, counts = Tally("postgres: restarts"), collections.Counter()
    photos, count = Photos(work, 6 if work.quick else 20), work.count(2, 200)
    calls = (("attach", caches.PHOTO), ("import", photos.folder), ("remove",), ("status",))
    while tally.tried < count:
        counts["rounds"] += 1
        case = Case(work, f"restart_{counts['rounds']}", server)
        load = Load(case, calls, counts)
        restarts = min(5, count - tally.tried)
        for _ in range(restarts):
            time.sleep(work.dice.uniform(0.1, 1.5))
            server.restart()
        tally.add(case.name, [*load.end(), *judge(case, photos)], tries=restarts)
    tally.notes = f"{counts['gave up']} of {counts['commands']} commands gave up and said so"
    return tally


class Load(threading.Thread):
    """Runs commands one after another until `end` is called."""

    def __init__(self, case, calls, counts):
        super().__init__(daemon=True)
        self.case, self.calls, self.counts, self.faults, self.over = case, calls, counts, [], threading.Event()
        self.start()

    def run(self):
        while not self.over.is_set():
            for call in self.calls:
                self.faults += self.case.judge_command(call, self.counts, is_sound=False)

    def end(self):
        self.over.set()
        self.join()
        return self.faults
