"""Pictures in S3 behind a network that answers 500 and 503 before and after the effect, resets, cuts, flips and lies."""

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
    tally = Tally(f"s3: {kind}")
    told = requests = met = 0
    photos = os.path.join(work.folder, f"{kind}-photos")
    caches.small_photos(photos, 3)
    for number in range(work.count(1, 60)):
        case = Case(work, server, f"{kind}-{number}")
        relay = Relay(server.port, {kind: work.dice.choice((0.1, 0.3, 0.5))}, work.dice.random())
        calls = [("attach", caches.PHOTO), ("status",), ("import", photos), ("sweep",), ("verify", "--all"), ("remove",)]
        if kind == "flipped":
            # What arrives wrong twice is damage to it, as it should be; TLS keeps this from happening.
            calls.remove(("verify", "--all"))
        for call in calls:
            answer = case.run(*call, endpoint=relay.endpoint)
            tally.tried += 1
            if answer.exit in TOLD:
                told += 1
            elif answer.exit != 0 and not (call[0] in ("import", "verify") and answer.exit == 65):
                tally.faults.append(f"{' '.join(call)}: exit {answer.exit}: {answer.errors.strip()[-300:]}")
            elif call[0] == "attach" and case.run("status").status != "confirmed":
                tally.faults.append("attach said that it was done, and status does not show it")
        requests, met = requests + relay.requests, met + relay.counts[kind]
        relay.stop()
        tally.faults += [f"{case.name}: {fault}" for fault in case.judge()]
        shutil.rmtree(case.cache, ignore_errors=True)
    tally.notes = f"{met} of {requests} requests met it, {told} commands gave up and said so"
    return tally


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
