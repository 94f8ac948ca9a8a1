"""An operator's day in ten minutes: visitors, the timers' jobs, and problems that a reader of Operating.md's log
lines and alerts must find."""

import os
import random
import re
import shlex
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import postgresservers
import raw
import units
from article import FOLLOWS, Article, Reader
from disk import Mount
from petspot import ROOT, Petspot
from pictures import png
from rows import Row, Work
from s3servers import free_ports
from serving import Server
from visitor import Visitor
from watching import is_caged

FOUND = 60  # seconds within which a problem must be found
AFTER = 20  # seconds in which its last lines may still appear
OUTAGE, FULL, CRASHES = 75, 25, 7
TROUBLES = OUTAGE + 3 * FULL + 60
DATABASE, FILLING, DISK, DECODER, WORK = (
    "a store is away", "the disk fills up", "the disk is full", "a photo ended its decoder", "regular work failed",
)  # fmt: skip
# Findings that may follow any problem, such as failed photos that were in progress when it began.
ALWAYS = {FOLLOWS, "good photos fail"}


class Dated(list):
    """Sentences, each with the time when it was added."""

    def append(self, text):
        super().append(f"{time.strftime('%H:%M:%S', time.gmtime())} {text}")


class Day:
    """A server on a disk of one gigabyte, with its records in PostgreSQL, and the events of its day."""

    def __init__(self, arguments, work, folder, disk):
        self.work, self.folder, self.disk, self.faults, self.troubles = work, folder, disk, [], []
        self.over = threading.Event()
        self.quiet = max(5, (arguments.minutes * 60 - TROUBLES) / 6)
        self.begin, self.backup = time.monotonic(), os.path.join(folder, "backup")
        os.mkdir(self.backup)
        self.records = postgresservers.Server(os.path.join(folder, "postgres"))
        self.environment = os.environ | {"PETSPOT_DATABASE": self.records.make("day")}
        (self.metrics,) = free_ports(1)
        self.journal = os.path.join(folder, "journal")
        self.server = Server(work, options=("--metrics-port", str(self.metrics)), environment=self.environment,
                             cache=os.path.join(disk.path, "cache"))  # fmt: skip
        self.article = Article(ROOT)
        self.faults += self.article.faults()
        self.reader = Reader(self.article, self.metrics, [self.server.log, self.journal])
        self.visitors = [Visitor(self.server, number, arguments.seed) for number in range(arguments.clients)]

    def visit(self, visitor):
        visitor.surprises = Dated()
        while not self.over.is_set():
            visitor.stay(time.monotonic() + 5, 0.3)

    def say(self, text):
        print(f"{(time.monotonic() - self.begin) / 60:5.1f} min  {text}", flush=True)

    def rest(self, text):
        self.say(text)
        time.sleep(self.quiet)

    def run(self):
        """Runs the day, from the first visitor to a restored backup. Returns the faults."""
        threads = [threading.Thread(target=self.visit, args=(visitor,)) for visitor in self.visitors]
        for thread in [*threads, self.reader]:
            thread.start()
        try:
            self.rest("visitors come")
            self.fire("sweep", "verify", "backup")
            self.rest("the timers have fired")
            self.fill()
            self.rest("there is room again")
            self.lose_database()
            self.rest("the database is back")
            self.crash_decoders()
            self.rest("decoders live")
            self.fire("sweep", "verify", "backup")
            self.rest("the timers have fired again")
        finally:
            self.over.set()
            self.reader.stop()
        for thread in threads:
            thread.join()
        self.restore()
        return [*self.faults, *self.judged()]

    def trouble(self, *kinds):
        """Records that these problems begin now. `ended` records their end."""
        self.say(f"trouble: {', '.join(kinds)}")
        begun = [[kind, time.monotonic(), None] for kind in kinds]
        self.troubles += begun
        return begun

    def ended(self, troubles):
        for trouble in troubles:
            trouble[2] = time.monotonic()

    # The events.

    def fire(self, *jobs, fails=False):
        """Runs the commands of the units, and those of OnFailure. The metrics must show which succeeded."""
        for job in jobs:
            name, begin = f"petspot-{job}.service", int(time.time())
            command = re.search("^ExecStart=(.*)$", units.unit(name), re.M)[1]
            for path, here in {"/usr/bin/petspot": self.work.binary, "/var/lib/petspot-backup": self.backup,
                               "$$": "$", "%%": "%"}.items():  # fmt: skip
                command = command.replace(path, here)
            done = subprocess.run(shlex.split(command), capture_output=True, text=True,
                                  env=self.environment | {"PETSPOT_CACHE": self.server.petspot.cache})  # fmt: skip
            if done.returncode:
                report = [os.path.join(ROOT, "Scripts/packaging/report-failure"), name]
                with open(self.journal, "ab") as journal:
                    subprocess.run(report, stdout=journal, env={"PATH": "/usr/bin:/bin"}, check=True)
            series = f'petspot_last_success_timestamp_seconds{{job="{job}"}}'
            shown = fails or self.server.wait(lambda: self.reader.scrape().get(series, 0) >= begin, FOUND)
            if bool(done.returncode) != fails or not shown:
                self.faults.append(f"{name}: exit {done.returncode}, shown: {shown}, {done.stderr[-500:]}")

    def fill(self):
        """Fills the disk step by step, past the limits that the rules set for a gigabyte. 2 % must stay free."""
        Visitor.always = (429, 503, 507)
        for part, kind in ((0.08, FILLING), (0.03, FILLING), (0.015, DISK)):
            begun = self.trouble(kind)
            self.disk.release()
            self.disk.fill(int(part * (1 << 30)))
            time.sleep(FULL)
            self.ended(begun)
        self.disk.release()

    def lose_database(self):
        begun = self.trouble(DATABASE, WORK)
        self.records.stop()
        self.fire("sweep", fails=True)
        time.sleep(OUTAGE)
        self.records.start()
        self.ended(begun)

    def crash_decoders(self):
        """Kills decoders until enough of them were decoding a photo. The kill of an idle one isn't a problem."""
        Visitor.always = (429, 503, 422)
        row, begun, counted = Row(None, self.work), self.trouble(DECODER), 0
        row.server = self.server
        owner, end = row.create(), time.monotonic() + 2 * FOUND
        with ThreadPoolExecutor(1) as pool:
            while counted < CRASHES and time.monotonic() < end:
                photo = raw.form(raw.part(png(self.work.dice, 1000, depth=16)))
                running = pool.submit(row.upload, owner, photo)
                time.sleep(self.work.dice.uniform(0.1, 1))
                for decoder in filter(is_caged, self.server.decoders()):
                    os.kill(decoder, signal.SIGKILL)
                running.result()
                counted = self.reader.scrape().get("petspot_decoder_crashes_total", 0)
        self.ended(begun)
        if counted < CRASHES:
            self.faults.append(f"only {counted} decoders were counted")

    def restore(self):
        """Restores the backup into an empty database and folder. All pictures must be there and complete."""
        self.say("the backup is restored")
        target = Petspot(self.work.binary, os.path.join(self.folder, "restored"))
        database = ("--database", self.records.make("restored"))
        for words in (("restore", self.backup), ("verify", "--all")):
            done = target.run(*words, *database, timeout=600)
            if done.exit != 0:
                self.faults.append(f"{words[0]} ends with {done.exit}: {done.errors[-500:]}")
        if not done.json.get("checked"):
            self.faults.append(f"nothing is restored: {done.output}")
        if (code := self.server.stop()) != 0:
            self.faults.append(f"the server ends with {code}")

    # The findings of the reader.

    def judged(self):
        """Yields problems that weren't found in time, and findings without a problem."""
        for kind, begin, end in self.troubles:
            first = min((at for at, found, _ in self.reader.found if found == kind and at >= begin), default=None)
            took = None if first is None or first > end + AFTER else first - begin
            self.say(f"{kind}: found after {took:.1f} s" if took is not None else f"{kind}: NOT FOUND")
            if took is None or took > FOUND:
                yield f"not found within a minute: {kind}"
        for at, kind, what in self.reader.found:
            causes = [name for name, begin, end in self.troubles if begin <= at <= end + AFTER]
            if kind not in causes and not (causes and kind in ALWAYS):
                yield f"a false one, {kind}: {what[:300]}"
        served = {key.partition("{")[0] for _, samples in self.reader.history for key in samples} - {"up"}
        served = {re.sub("_(bucket|sum|count)$", "", name) for name in served}
        if served != set(self.article.metrics):
            yield f"metrics of the article and of the server differ: {served ^ set(self.article.metrics)}"
        seen = {name for _, kind, name in self.reader.found}
        for alert in ("PetSpotDatabaseDown", "PetSpotDiskFillsUp", "PetSpotDiskFull", "PetSpotDecoderCrashes"):
            if alert not in seen:
                yield f"{alert} did not fire"
        for visitor in self.visitors:
            yield from visitor.surprises[:5]
        yield from (f"{fault} ({count} times)" for fault, count in self.server.faults.items())


def day(arguments, binary, folder):
    """Runs a day. Returns the faults."""
    work = Work(binary, folder, False, random.Random(arguments.seed))
    with Mount(work, "size=1g") as disk:
        day = Day(arguments, work, folder, disk)
        try:
            return day.run()
        finally:
            if day.server.runs:
                day.server.kill()
            day.records.stop()
