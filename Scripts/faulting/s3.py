"""An object store behind a failing network, and one that is killed."""

import collections
import itertools
import json
import random
import shutil
import threading

import caches
import invariants
import s3servers
from board import Tally
from petspot import kill_after
from relays import S3_KINDS, ObjectRelay
from stores import GAVE_UP, Case, beside, environment, objects, share

LANES, LANES_OF_SLOW = 3, 12
MANY = 40  # photos of a larger import
STORES = 3  # stores at the same time, because a store takes seconds to start
KILLS = 5  # kills of one case
PHOTOS = 12


def s3(work):
    """Pictures in S3 behind a network with errors 500 and 503, resets, and slow, cut, flipped or stale data."""
    with objects(work, "server") as server:
        for kind in work.dice.sample(S3_KINDS, 3) if work.quick else S3_KINDS:
            yield relayed(work, server, kind)
        yield killed(work, server)


def relayed(work, server, kind):
    """Runs rounds, some of them concurrently, until enough requests met this kind of harm."""
    # A slow response only costs time.
    lanes = 1 if work.quick else LANES_OF_SLOW if kind == "slow" else LANES
    rounds = Rounds(work, server, kind)
    beside(lanes, lambda lane: rounds.run(work.count(10, 5000)))
    notes = "{commands} commands, {requests} requests, {gave up} commands gave up and said so"
    return Tally(f"s3: {kind}", rounds.counts[kind], rounds.faults, notes.format_map(rounds.counts))


class Rounds:
    """Commands over a relay with one kind of harm. Each round has its own cache."""

    def __init__(self, work, server, kind):
        self.work, self.server, self.kind = work, server, kind
        self.numbers, self.counts, self.faults = itertools.count(), collections.Counter({"gave up": 0}), []
        few, many = (work.path(f"{kind}-{name}") for name in ("few", "many"))
        caches.small_photos(few, 3)
        caches.small_photos(many, MANY)
        # A command retries at most a tenth of its requests, plus ten. With higher rates many commands would give
        # up.
        self.kinds_of_round = [(few, (0.1, 0.3, 0.5)), (many, (0.03, 0.1))]

    def run(self, count):
        while self.counts[self.kind] < count and len(self.faults) < 50:
            case = Case(self.work, f"{self.kind}-{next(self.numbers)}", objects=self.server)
            photos, chances = self.kinds_of_round[0 if self.work.quick else self.work.dice.random() < 0.7]
            relay = ObjectRelay(self.server.port, {self.kind: self.work.dice.choice(chances)}, self.work.dice.random())
            faults = []
            for call in self.calls(photos):
                faults += case.judge_command(call, self.counts, endpoint=relay.endpoint)
            self.counts.update(relay.counts, requests=relay.requests)
            relay.stop()
            self.faults += [f"{case.name}: {fault}" for fault in [*faults, *case.judge()]]
            shutil.rmtree(case.petspot.cache, ignore_errors=True)

    def calls(self, photos):
        calls = [("attach", caches.PHOTO), ("status",), ("import", photos), ("sweep",), ("verify", "--all"), ("remove",)]
        if not self.work.quick:
            calls += [("sweep", "--shard", "1/2"), ("import", photos), ("verify", "--all"), ("sweep", "--shard", "1/2")]
        # Data that arrives wrong twice counts as damage, as it should. TLS prevents that case.
        return [call for call in calls if self.kind != "flipped" or call[0] != "verify"]


def killed(work, server):
    tally, photos, hit = Tally("s3: kills"), work.path("kill-photos"), 0
    caches.small_photos(photos, 3)
    for number in range(work.count(2, 150)):
        case = Case(work, f"kill-{number}", objects=server)
        for _ in range(3):
            call = work.dice.choice([("attach", caches.PHOTO), ("import", photos), ("sweep",), ("remove",)])
            hit += kill_after(case.petspot.command(*call, *case.stores()), work.dice.uniform(0.05, 1.5))[0]
        tally.add(case.name, case.judge(), tries=3)
        shutil.rmtree(case.petspot.cache, ignore_errors=True)
    tally.notes = f"{hit} were still running"
    return tally


# A store that is killed


def store_kills(work):
    """An object store that is killed under load and restarted: nothing that was acknowledged is lost."""
    count, photos = work.count(2, 100), work.path("photos")
    caches.small_photos(photos, PHOTOS, refused=False)
    lanes = 1 if work.quick else min(STORES, count)
    keys = {"AWS_ACCESS_KEY_ID": s3servers.Server.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": s3servers.Server.SECRET}
    with environment(**keys):
        stores = beside(lanes, lambda number: Store(work, number, photos).run(share(count, lanes, number)))
    sums = {name: sum(getattr(store, name) for store in stores) for name in ("kills", "commands", "gave_up", "acknowledged")}
    notes = f"{sums['commands']} commands beside, {sums['gave_up']} gave up and said so,"
    notes += f" {sums['acknowledged']} photos acknowledged"
    yield Tally("s3: store killed", sums["kills"], [fault for store in stores for fault in store.faults], notes)


class Store:
    """A server that is killed, and its writers. The relay keeps its address although the server's port changes."""

    def __init__(self, work, number, photos):
        self.work, self.number, self.photos = work, number, photos
        self.dice = random.Random(work.dice.random())
        self.server = s3servers.Server(work.path(f"server-{number}"))
        self.relay = ObjectRelay(self.server.port, {}, 0)
        self.kills = self.commands = self.gave_up = self.acknowledged = 0
        self.faults, self.lock = [], threading.Lock()

    def run(self, count):
        try:
            for round in itertools.takewhile(lambda _: self.kills < count, itertools.count()):
                over, cases = threading.Event(), []
                writers = [threading.Thread(target=self.write, args=(f"{round}-{letter}", over, cases)) for letter in "ab"]
                for writer in writers:
                    writer.start()
                for _ in range(min(KILLS, count - self.kills)):
                    over.wait(self.dice.uniform(0.1, 3))
                    self.server.restart()
                    self.relay.target = self.server.port
                    self.kills += 1
                over.set()
                for writer in writers:
                    writer.join()
                for case, answers in cases:
                    self.faults += [f"{case.name}: {fault}" for fault in self.judge(case, answers)]
            self.relay.stop()
        finally:
            self.server.stop()
        return self

    def write(self, name, over, cases):
        """Runs commands until the round is over. Each sequence of commands uses a new cache, so that it stores new
        photos."""
        for number in itertools.takewhile(lambda _: not over.is_set(), itertools.count()):
            case, answers = Case(self.work, f"store-{self.number}-{name}-{number}", objects=self.server), []
            with self.lock:
                cases.append((case, answers))
            for call in (("attach", caches.PHOTO), ("import", self.photos), ("sweep",), ("verify", "--all"), ("remove",)):
                answers.append((call[0], case.run(*call, endpoint=self.relay.endpoint)))

    def judge(self, case, answers):
        """Yields the faults once the store serves again."""

        def run(*arguments):
            return case.run(*arguments, endpoint=self.relay.endpoint)

        for call, answer in answers:
            self.commands, self.gave_up = self.commands + 1, self.gave_up + (answer.exit in GAVE_UP)
            self.acknowledged += sum(line.get("outcome") == "imported" for line in answer.objects)
            yield from invariants.succeeded(call, answer, *GAVE_UP)
            yield from invariants.listed(run, answer)
        yield from case.judge()
        again = run("import", self.photos)
        if again.exit != 0:
            yield f"import again: exit {again.exit} {json.dumps(again.json)}"
        shutil.rmtree(case.petspot.cache, ignore_errors=True)
