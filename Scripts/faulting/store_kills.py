"""A store of objects killed under load and started again: nothing acknowledged is lost, commands say that they gave up."""

import concurrent.futures
import json
import os
import random
import shutil
import threading

import caches
import s3servers
from board import Tally
from s3 import TOLD, Case
from s3_relay import Relay

STORES = 3  # beside each other: a store takes seconds to start
KILLS = 5  # of one case
WRITERS = 2
PHOTOS = 12


def run(work):
    environment = os.environ.copy()
    os.environ.update(AWS_ACCESS_KEY_ID=s3servers.Server.ACCESS_KEY, AWS_SECRET_ACCESS_KEY=s3servers.Server.SECRET)
    try:
        yield killed(work)
    finally:
        os.environ.clear()
        os.environ.update(environment)


def killed(work):
    tally, count = Tally("s3: store killed"), work.count(2, 100)
    photos = os.path.join(work.folder, "photos")
    caches.small_photos(photos, PHOTOS)
    os.unlink(os.path.join(photos, "05-crc.png"))
    os.unlink(os.path.join(photos, "11-crc.png"))
    lanes = 1 if work.quick else min(STORES, count)
    shares = [count // lanes + (number < count % lanes) for number in range(lanes)]
    stores = [Store(work, number, photos) for number in range(len(shares))]
    try:
        with concurrent.futures.ThreadPoolExecutor(len(stores)) as pool:
            for done in [pool.submit(store.run, share) for store, share in zip(stores, shares)]:
                done.result()
    finally:
        for store in stores:
            store.server.stop()
    tally.tried = sum(store.kills for store in stores)
    tally.faults = [fault for store in stores for fault in store.faults]
    commands, told, done = (sum(getattr(store, name) for store in stores) for name in ("commands", "told", "acknowledged"))
    tally.notes = f"{commands} commands beside, {told} gave up and said so, {done} photos acknowledged"
    return tally


class Store:
    """A server that is killed, and those who write to it; the relay keeps its address when its port changes."""

    def __init__(self, work, number, photos):
        self.work, self.number, self.photos = work, number, photos
        self.dice = random.Random(work.dice.random())
        self.server = s3servers.Server(os.path.join(work.folder, f"server-{number}"))
        self.relay = Relay(self.server.port, {}, 0)
        self.kills = self.commands = self.told = self.acknowledged = self.cases = 0
        self.faults = []

    def run(self, count):
        while self.kills < count:
            self.cases += 1
            writers = [Writer(self, f"store-{self.number}-{self.cases}-{letter}") for letter in "ab"[:WRITERS]]
            threads = [threading.Thread(target=writer.write) for writer in writers]
            for thread in threads:
                thread.start()
            for _ in range(min(KILLS, count - self.kills)):
                threading.Event().wait(self.dice.uniform(0.1, 3))
                self.server.restart()
                self.relay.target = self.server.port
                self.kills += 1
            for writer, thread in zip(writers, threads):
                writer.over.set()
                thread.join()
                self.faults += writer.judge()
                self.commands, self.told = self.commands + writer.commands, self.told + writer.told
                self.acknowledged += writer.acknowledged
        self.relay.stop()


class Writer:
    """Commands one after another until it is over, each few of them with a new cache: new photos are to be
    stored, not the same ones found again."""

    def __init__(self, store, name):
        self.store, self.name, self.over = store, name, threading.Event()
        self.commands = self.told = 0
        self.cases, self.faults = [], []  # each case with the photos that were told

    @property
    def acknowledged(self):
        return sum(len(told) for _, told in self.cases)

    def ask(self, case, *arguments):
        return case.run(*arguments, endpoint=self.store.relay.endpoint)

    def write(self):
        while not self.over.is_set():
            case, known = Case(self.store.work, self.store.server, f"{self.name}-{len(self.cases)}"), set()
            self.cases.append((case, known))
            for call in (("attach", caches.PHOTO), ("import", self.store.photos), ("sweep",), ("verify", "--all"), ("remove",)):
                answer = self.ask(case, *call)
                self.commands += 1
                known |= {line["id"] for line in answer.objects if line.get("outcome") == "imported"}
                if answer.exit in TOLD:
                    self.told += 1
                elif answer.exit != 0:
                    said = f"{answer.output.strip()[-200:]} {answer.errors.strip()[-300:]}"
                    self.faults.append(f"{case.name}: {call[0]}: exit {answer.exit}: {said}")

    def judge(self):
        """Once the store serves again."""
        yield from self.faults
        for case, known in self.cases:
            listed = {photo["id"] for photo in self.ask(case, "list").objects}
            if lost := known - listed:
                yield f"{case.name}: {len(lost)} photos that were told are not there"
            yield from (f"{case.name}: {fault}" for fault in case.judge())
            again = self.ask(case, "import", self.store.photos)
            if again.exit != 0:
                yield f"{case.name}: import again: exit {again.exit} {json.dumps(again.json)}"
            shutil.rmtree(case.cache, ignore_errors=True)
