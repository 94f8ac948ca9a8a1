"""Pictures in S3 behind a network that answers 500 and 503 before and after the effect, resets, cuts, flips and lies."""

import concurrent.futures
import itertools
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import urllib.error
import urllib.request

import caches
import s3servers
from board import Tally
from petspot import Petspot
from s3_relay import KINDS, Relay

# Not reachable, failed, busy: what a command may come to when the store does not let it.
TOLD = {69, 74, 75}
LANES, LANES_OF_SLOW = 3, 12
MANY = 40  # photos of a larger import


def run(work):
    server = s3servers.Server(os.path.join(work.folder, "server"))
    try:
        environment = os.environ.copy()
        os.environ.update(server.environment)
        for kind in work.dice.sample(KINDS, 3) if work.quick else KINDS:
            yield relayed(work, server, kind)
        yield killed(work, server)
    finally:
        os.environ.clear()
        os.environ.update(environment)
        server.stop()


class Case:
    """A cache whose pictures lie below a prefix of their own."""

    def __init__(self, work, server, name):
        self.server, self.name = server, name
        self.cache = os.path.join(work.folder, name)
        self.petspot = Petspot(work.binary, self.cache)

    def run(self, *arguments, endpoint=None):
        return self.petspot.run(*arguments, "--blobs", self.server.url(self.name, endpoint), timeout=300)

    def kill(self, seconds, *arguments):
        command = self.petspot.command(*arguments, "--blobs", self.server.url(self.name))
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            process.wait(seconds)
            return False
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return True

    def judge(self):
        """Over a sound network: every photo on record is whole, and a sweep leaves what is named."""
        answer = self.run("verify", "--all")
        summary = answer.json
        if answer.exit != 0 or summary.get("damaged") or summary.get("missing"):
            yield f"verify: exit {answer.exit}, {summary}, {answer.errors[-200:]}"
        if (answer := self.run("sweep")).exit != 0:
            yield f"sweep: exit {answer.exit}, {answer.errors[-200:]}"
        named, ledger = set(), os.path.join(self.cache, "database", "objects.sqlite")
        if os.path.exists(ledger):  # nothing makes one that is killed early or finds nothing to do
            rows = sqlite3.connect(ledger)
            named = {row[0] for row in rows.execute("SELECT nonce FROM object WHERE state = 'named'")}
        left = {key.split("/")[-2] for key in self.keys()}
        # Those without a record are left alone for ten minutes; they have a name.
        if missing := named - left:
            yield f"{len(missing)} named objects are gone"
        if extra := left - named:
            yield f"{len(extra)} objects without a name are left"

    def keys(self, folder=""):
        """Keys below a prefix, asked of the server's own list of files."""
        base = f"http://127.0.0.1:{self.server.filer}/buckets/{self.server.bucket}/{self.name}"
        return list(walk(f"{base}{folder}"))


def walk(url):
    last = ""
    while True:
        asked = urllib.request.Request(f"{url}/?limit=1000&lastFileName={last}", headers={"Accept": "application/json"})
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                page = json.load(answer)
        except urllib.error.HTTPError:
            return
        for entry in page.get("Entries") or []:
            name = os.path.basename(entry["FullPath"])
            if entry["Mode"] & 1 << 31:  # Go's ModeDir
                yield from walk(f"{url}/{name}")
            else:
                yield f"{url}/{name}"
        if not page.get("ShouldDisplayLoadMore"):
            return
        last = page["LastFileName"]


def relayed(work, server, kind):
    """Rounds until so many requests met it, some beside each other."""
    tally, rounds, lanes = Tally(f"s3: {kind}"), Rounds(work, server, kind), 1
    if not work.quick:
        # A slow answer is waited for and costs nothing.
        lanes = LANES_OF_SLOW if kind == "slow" else LANES
    with concurrent.futures.ThreadPoolExecutor(lanes) as pool:
        for lane in [pool.submit(rounds.run, work.count(10, 5000)) for _ in range(lanes)]:
            lane.result()
    tally.tried, tally.faults = rounds.met, rounds.faults
    tally.notes = f"{rounds.commands} commands, {rounds.requests} requests, {rounds.told} commands gave up and said so"
    return tally


class Rounds:
    """Commands over a relay that does one kind of harm, each round in a cache of its own."""

    def __init__(self, work, server, kind):
        self.work, self.server, self.kind = work, server, kind
        self.numbers = itertools.count()
        self.met = self.requests = self.commands = self.told = 0
        self.faults = []
        few, many = (os.path.join(work.folder, f"{kind}-{name}") for name in ("few", "many"))
        caches.small_photos(few, 3)
        caches.small_photos(many, MANY)
        # A tenth of all requests may be tried again, and ten: with more than that many commands give up.
        self.kinds_of_round = [(few, (0.1, 0.3, 0.5)), (many, (0.03, 0.1))]

    def run(self, count):
        while self.met < count and len(self.faults) < 50:
            case = Case(self.work, self.server, f"{self.kind}-{next(self.numbers)}")
            photos, chances = self.kinds_of_round[0 if self.work.quick else self.work.dice.random() < 0.7]
            relay = Relay(self.server.port, {self.kind: self.work.dice.choice(chances)}, self.work.dice.random())
            for call in self.calls(photos):
                self.commands += 1
                if fault := self.fault(case, relay, call):
                    self.faults.append(f"{case.name}: {' '.join(call)}: {fault}")
            self.requests, self.met = self.requests + relay.requests, self.met + relay.counts[self.kind]
            relay.stop()
            self.faults += [f"{case.name}: {fault}" for fault in case.judge()]
            shutil.rmtree(case.cache, ignore_errors=True)

    def calls(self, photos):
        calls = [("attach", caches.PHOTO), ("status",), ("import", photos), ("sweep",), ("verify", "--all"), ("remove",)]
        if not self.work.quick:
            calls += [("sweep", "--shard", "1/2"), ("import", photos), ("verify", "--all"), ("sweep", "--shard", "1/2")]
        # What arrives wrong twice is damage to it, as it should be; TLS keeps this from happening.
        return [call for call in calls if self.kind != "flipped" or call[0] != "verify"]

    def fault(self, case, relay, call):
        """What is wrong with what a command came to, or None."""
        answer = case.run(*call, endpoint=relay.endpoint)
        if answer.exit in TOLD:
            self.told += 1
        elif answer.exit != 0 and not (call[0] in ("import", "verify") and answer.exit == 65):
            # Of one that crashed the beginning tells why.
            told = answer.errors.strip()
            return f"exit {answer.exit}: {told[:2000] if isinstance(answer.exit, str) else told[-300:]}"
        elif call[0] == "attach" and case.run("status").status != "confirmed":
            return "it said that it was done, and status does not show it"


def killed(work, server):
    tally = Tally("s3: kills")
    photos = os.path.join(work.folder, "kill-photos")
    caches.small_photos(photos, 3)
    hit = 0
    for number in range(work.count(2, 150)):
        case = Case(work, server, f"kill-{number}")
        for _ in range(3):
            call = work.dice.choice([("attach", caches.PHOTO), ("import", photos), ("sweep",), ("remove",)])
            hit += case.kill(work.dice.uniform(0.05, 1.5), *call)
            tally.tried += 1
        tally.faults += [f"{case.name}: {fault}" for fault in case.judge()]
        shutil.rmtree(case.cache, ignore_errors=True)
    tally.notes = f"{hit} were still running"
    return tally
