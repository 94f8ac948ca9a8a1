"""A server that is killed, or whose calls, disk, decoders or catalog fail while it keeps running.

Each upload must get a clear response, nothing may be lost, and a repeated upload must succeed."""

import collections
import contextlib
import errno
import itertools
import os
import shutil
import signal
import sqlite3
import threading
import time

import caches
import invariants
import pictures
from board import Tally, spread
from disk import Mount
from driving import ERRORS, Fault, Point
from files import write
from shimming import Orders, Shim, outlived
from uploading import ACTS, DYING, Create, Form, Page, Tus, prepared, tidy, verify, wait_for_end
from watching import Watched, is_caged, listed, states

CODES = {500: "INTERNAL", 503: "UNAVAILABLE", 507: "STORAGE_FULL"}
SLOW = 1000  # pixels per side, so that a decoder is busy for a while


def acts(quick):
    """Returns a function that chooses all acts, or so many in a quick run."""
    return lambda work: work.dice.sample(ACTS[:3], quick) if work.quick else ACTS


class ServerFault(Fault):
    """A fault of a server's calls. Its scenes are acts of a client."""

    def __init__(self, work):
        self.work, self.place, self.orders = work, prepared(work), Orders(Shim(work))
        self.killed, self.told = 0, collections.Counter()

    def points(self, kind):
        act = next_act(self.place, kind)
        self.orders.give()
        act.send()
        wait_for_end(self.place.row.server)
        if not act.is_done:
            raise SystemExit(f"{kind.name} fails undisturbed: {act.answer}")
        return [Point(f"call {number}", number, call) for number, call in enumerate(self.orders.end(), 1)]

    def hit(self, act, point, *orders):
        """Sends an act, and hits it at a call."""
        self.orders.give(*orders)
        act.send()
        self.told[act.answer and act.answer.status] += 1


class KilledServer(ServerFault):
    """SIGKILL of the server at a call that changes a file. Calls after the last response count too."""

    def points(self, kind):
        with self.place.fresh(self.orders.environment):
            return super().points(kind)

    def strike(self, kind, point):
        server = self.place.fresh(self.orders.environment)
        act = kind(self.place)
        self.hit(act, point, point.settings, "kill")
        self.killed += wait_for_end(server)
        if server.runs:
            server.kill()
        yield from invariants.outlived(outlived(server.pid, DYING))
        point.call = (self.orders.end() or [point.call])[0]
        self.place.again()
        yield from act.faults()
        yield from tidy(server)
        server.kill()

    def notes(self, tally, points):
        tally.expect_some(self.killed, "killed")
        return f"{self.killed} killed of {points} calls"


class FailingServer(ServerFault):
    """A call of a server that fails while it keeps running. Permanent EINTR is left out, because no process could
    make progress."""

    strikes = 0

    def __init__(self, work):
        super().__init__(work)
        self.server = self.place.fresh(self.orders.environment | {"SHIM_READS": "1"})
        self.server.may_fail = True

    def points(self, kind):
        for point, error, more in itertools.product(super().points(kind), ERRORS, (False, True)):
            if not (more and error == "EINTR"):
                what = f"{error} at {point.what}{' and later' if more else ''}"
                yield Point(what, (point.settings, getattr(errno, error), more), point.call)

    def ordered(self, points):
        self.work.dice.shuffle(points)
        return points

    def strike(self, kind, point):
        # Restarts now and then, so that work that a server does only once can fail too.
        if self.strikes % 50 == 0:
            yield from self.restarted()
        self.strikes += 1
        act = next_act(self.place, kind)
        self.hit(act, point, *point.settings)
        point.call = (self.orders.end() or [point.call])[0]
        yield from judge(act)
        if not self.server.runs:
            yield f"the server ends: {self.server.process.poll()}"
            self.place.again(self.server.environment)
        yield from act.faults()

    def restarted(self):
        """Ends the server with SIGTERM and starts it again."""
        yield from verify(self.server)
        if (code := self.server.stop()) != 0:
            yield f"it ends with {code}"
        self.place.again(self.server.environment)

    def finish(self):
        yield from self.restarted()
        yield from tidy(self.server)

    def close(self):
        if self.server.runs:
            self.server.kill()

    def notes(self, tally, points):
        return "answers: " + ", ".join(f"{count} {status}" for status, count in sorted(self.told.items(), key=str))


def next_act(place, kind, path=None):
    """Returns an act that sends this photo, or the one that isn't shown now."""
    act = kind(place)
    if kind is Create:
        return act
    shown = act.shown()
    if path is None:
        path = caches.EARLIER if shown == act.expected else caches.PHOTO
    return kind(place, path, shown)


def judge(act):
    """Yields the faults of the last response to an act."""
    answer = act.answer
    if act.is_done:
        return
    if answer is None:
        yield "no answer"
        return
    if answer.status not in CODES:
        yield f"answered {answer}: {answer.body[:200]}"
    elif act.name != "page" and answer.code != CODES[answer.status]:
        yield f"{answer.status} says {answer.code}"
    elif answer.status == 503 and act.name != "page" and not answer["retry-after"]:
        yield "503 without Retry-After"


def full(work):
    """Uploads to a disk with few bytes or inodes left, and then with space again."""
    tally, place = Tally("http-errors: full disk"), prepared(work)
    if os.geteuid() != 0:
        tally.notes = "skipped: mounting needs root"
        return tally
    kinds = [work.dice.choice((Form, Tus, Page))] if work.quick else ACTS
    amounts = [(4096 * pages, "bytes") for pages in range(64)] + [(free, "inodes") for free in range(16)]
    chosen, told = spread(work, work.count(2, len(amounts) * len(kinds)), [(k, *a) for k in kinds for a in amounts]), 0
    with Mount(work, "size=24m,nr_inodes=2000") as mount:
        cache = os.path.join(mount.path, "cache")
        shutil.copytree(place.begin, cache)
        with place.serve(cache) as server:
            for kind, free, what in chosen:
                act = next_act(place, kind)
                mount.fill(free, what)
                act.send()
                faults = list(judge(act))
                if not act.is_done and act.answer and act.answer.status == 507:
                    told += 1
                elif not act.is_done:
                    faults.append(f"it does not say that the disk is full: {act.answer}")
                mount.release()
                faults += act.faults()
                tally.add(f"{kind.name} with {free} {what} free", faults)
                tally.progress(len(chosen), 50)
            tally.faults += tidy(server)
            server.kill()
    tally.notes = f"{told} were too full"
    return tally


def killed_decoders(work):
    """Kills the decoder of an upload, once or twice."""
    tally, place = Tally("http-errors: decoders killed"), prepared(work)
    total, refused, tries = work.count(1, 300), 0, 0
    photos = [write(work.path(f"slow-{number}.png"), pictures.png(work.dice, SLOW, 16)) for number in range(2)]
    with place.fresh() as server:
        while tally.tried < total and tries < 3 * total:
            tries += 1
            act = next_act(place, work.dice.choice((Form, Tus, Page)), photos[tries % 2])
            sending = Sending(act)
            kills = sum(kill_busy(server, sending) for _ in range(work.dice.choice((1, 1, 2))))
            sending.join()
            faults = []
            if not act.is_done:
                refused += 1
                if kills < 2:
                    faults.append(f"one kill, and it is answered {act.answer}")
                elif act.answer is None or act.answer.status not in (303, 422, 503):
                    faults.append(f"answered {act.answer}")
            # Whatever the response was, the photo isn't at fault: another upload of it must succeed.
            faults += act.faults()
            tally.add(f"{act.name}, {kills} kills", faults, tries=kills)
            tally.progress(total, 25)
        tally.faults += tidy(server)
    tally.notes = f"{tries} uploads, {refused} told as an error"
    return tally


class Sending(threading.Thread):
    """An act in progress, on its own thread."""

    def __init__(self, act):
        super().__init__(target=act.send, daemon=True)
        self.start()

    def done(self):
        return not self.is_alive()


def kill_busy(server, running):
    """Kills a computing decoder. Returns the number of killed ones."""
    while not running.done():
        for child in server.decoders():
            if "R" in states(child, listed(f"/proc/{child}/task")) and is_caged(child):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                    return 1
        time.sleep(0.001)
    return 0


def held(work):
    """Another process holds the catalog, for shorter or longer than the server waits, or imports photos."""
    tally, place, waited = Tally("http-errors: catalog held"), prepared(work), 0
    with place.fresh(os.environ | {"PETSPOT_BUSY_SECONDS": "1"}) as server:
        catalog = caches.catalog(server.petspot)
        for number in range(work.count(2, 150)):
            act = next_act(place, work.dice.choice(ACTS))
            seconds = (work.dice.uniform(0, 0.5), 5)[number % 2]
            with contextlib.closing(sqlite3.connect(catalog, isolation_level=None, timeout=30)) as other:
                other.execute(work.dice.choice(("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE")))
                sending, begin = Sending(act), time.monotonic()
                sending.join(seconds)
                other.execute("ROLLBACK")
                sending.join()
            took = time.monotonic() - begin
            faults = list(judge(act))
            waited += act.is_done
            if not act.is_done and act.answer and act.answer.status != 503:
                faults.append(f"answered {act.answer}")
            if not act.is_done and seconds < 1:
                faults.append(f"held for {seconds:.1f} s, and it is answered {act.answer} after {took:.1f} s")
            faults += act.faults()
            tally.add(f"{act.name}, held for {seconds:.1f} s", faults)
            tally.progress(work.count(2, 150), 50)
        imports, before = work.count(1, 10), tally.tried
        for _ in range(imports):
            importing(work, place, server, tally)
        tally.faults += tidy(server)
    tally.notes = f"{waited} waited; {tally.tried - before} uploads beside {imports} imports"
    return tally


def importing(work, place, server, tally):
    """Sends uploads while the command line imports."""
    folder = work.path("import")
    caches.small_photos(folder, 20)
    watched = Watched(server.petspot.command("import", folder, "--jobs", "2"), work.folder)
    while watched.runs:
        act = next_act(place, work.dice.choice(ACTS))
        act.send()
        faults = list(judge(act))
        if not act.is_done and act.answer and act.answer.status != 503:
            faults.append(f"answered {act.answer}")
        tally.add(f"{act.name} beside an import", [*faults, *act.faults()])
    if (exit := watched.end(60).exit) not in (0, 65):
        tally.faults.append(f"the import ends in {exit}")
