"""Faults while sizes of photos are made."""

import hashlib
import os
import shutil
import signal
import sqlite3
import threading
import time

import caches
import invariants
import raw
from board import IMAGES, Tally
from files import below
from relays import ObjectRelay
from rows import API
from serving import Server
from stores import objects
from uploading import OPTIONS, PATIENCE, plain_row

PHOTO = os.path.join(IMAGES, "large.jpg")
# Statuses of a server that couldn't make a size, after which a client asks again.
PASSING = {500, 503}


def exported(work):
    return [SizeScene(work, "export")]


class SizeScene(caches.Scene):
    """A photo that is exported in a size, which makes the size."""

    def scene_export(self, petspot):
        self.earlier = caches.expect(petspot, "attach", caches.EARLIER).photo
        return ["export", self.earlier["id"], "--size", "320", "--to", self.work.path("copies")], []

    def copy(self, path):
        shutil.rmtree(self.work.path("copies"), ignore_errors=True)
        return super().copy(path)


class Place:
    """A server and an announcement whose sizes are made and lost again and again."""

    def __init__(self, work, name, options=(), environment=None):
        self.work, self.row = work, plain_row(work)
        self.stores, self.environment = options, environment
        self.server = self.serve(name)
        self.folder = self.server.petspot.cache
        self.announce()

    def serve(self, name, cache=None):
        server = Server(self.row.work, name, [*OPTIONS, *self.stores], self.environment, cache)
        server.patience, server.may_fail = PATIENCE, True
        return server

    def announce(self):
        """Creates a new announcement. `paths` are the paths of its sizes."""
        self.owner = self.row.create(self.server)
        answer = self.row.upload(self.owner, server=self.server, timeout=PATIENCE, path=PHOTO)
        if answer.status != 201:
            raise SystemExit(f"sizes: an upload is {answer}")
        told = self.server.ask("GET", f"{API}/{self.owner[0]}").json
        self.photo = told["photoUrl"].rpartition("/")[2]
        paths = ["/" + one["url"].split("/", 3)[3] for one in told["photoSizes"]]
        # A debug build takes a minute for the larger ones.
        self.paths = paths[:4] if "debug" in self.work.binary else paths

    def records(self, sql, *values):
        with sqlite3.connect(caches.catalog(self.server.petspot), timeout=60) as rows:
            return rows.execute(sql, values).fetchall()

    def files(self):
        return list(below(self.folder, "sizes"))

    def lose(self):
        """Deletes all sizes, as if none had been made."""
        self.records("DELETE FROM photo_size")
        for path in self.files():
            os.unlink(path)

    def ask_beside(self, path, servers):
        """Requests a size from several servers at once. Returns their responses, None for each missing one, and a
        function that waits for them."""
        answers = [None] * len(servers)

        def ask(index):
            try:
                answers[index] = servers[index].ask("GET", path, timeout=PATIENCE)
            except OSError:
                pass  # the server was killed

        threads = [threading.Thread(target=ask, args=(index,)) for index in range(len(servers))]
        for thread in threads:
            thread.start()
        return answers, lambda: [thread.join() for thread in threads]

    def right(self):
        """Returns the digest of each size, and the average seconds to make one."""
        right, begin = {}, time.monotonic()
        for path in self.paths:
            answer = self.server.ask("GET", path)
            if answer.status != 200:
                raise SystemExit(f"sizes: {path} is {answer}")
            right[path] = hashlib.sha256(answer.body).digest()
        return right, (time.monotonic() - begin) / len(right)

    def once_back(self, path, server=None):
        """Returns the response after the server has noticed that its store is back. It checks every second."""
        until = time.monotonic() + 10
        while (answer := (server or self.server).ask("GET", path)) is not None and answer.status == 503:
            if time.monotonic() > until:
                break
            time.sleep(0.2)
        return answer

    def judge(self, path, right, server=None):
        """The size must be there and complete, and nothing half-made may remain."""
        answer = self.once_back(path, server)
        if answer is None or answer.status != 200:
            yield f"the next answer is {answer}"
        elif hashlib.sha256(answer.body).digest() != right[path]:
            yield "the next answer has other bytes"
        yield from invariants.verified(self.server.petspot.run, *self.stores, timeout=300)

    def faults(self, server=None):
        faults = (server or self.server).faults
        found = list(faults)
        faults.clear()
        return found


def fault_of(answer, right):
    """Returns the fault of a response during a disturbance, or None."""
    if answer is None or answer.status in PASSING:
        return None if answer is None or answer["cache-control"] == "no-store" else f"{answer.status} may be kept"
    if answer.status != 200:
        return f"an answer is {answer}"
    return None if hashlib.sha256(answer.body).digest() == right else "an answer has other bytes"


def dead_decoders(work):
    """SIGKILL of decoders while a size is made."""
    tally, killed = Tally("sizes: decoder killed"), 0
    place = Place(work, "dead-decoders")
    right, seconds = place.right()
    for number in range(work.count(3, 300)):
        path = work.dice.choice(place.paths)
        place.lose()
        answers, wait = place.ask_beside(path, [place.server])
        time.sleep(work.dice.uniform(0, 1.2 * seconds))
        for pid in place.server.decoders():
            try:
                os.kill(pid, signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                continue
        wait()
        faults = [fault_of(answers[0], right[path])] if answers[0] else ["no answer"]
        faults += [*(place.judge(path, right) if number % 10 == 0 else ()), *place.faults()]
        tally.add(f"round {number}, {path[-10:]}", faults)
        tally.progress(300)
    place.server.stop()
    tally.expect_some(killed, "killed")
    tally.notes = f"{killed} decoders"
    return tally


def two_servers(work):
    """Requests a size from two servers of one cache at once, and kills one of them now and then."""
    tally, killed = Tally("sizes: two servers at once"), 0
    place = Place(work, "two-servers")
    other = place.serve("other", place.folder)
    right, seconds = place.right()
    for number in range(work.count(3, 300)):
        path = work.dice.choice(place.paths)
        place.lose()
        answers, wait = place.ask_beside(path, [place.server, other, place.server, other])
        if number % 2:
            time.sleep(work.dice.uniform(0, 1.5 * seconds))
            other.kill()
            killed += 1
        wait()
        faults = [fault_of(answer, right[path]) for answer in answers]
        faults += [f"{answer} at a server that lives" for answer in answers[::2] if not answer or answer.status != 200]
        if len(place.files()) > 1:
            faults.append(f"{len(place.files())} files of one size")
        if number % 2:
            other.start()
        faults += [*(place.judge(path, right, other) if number % 10 < 2 else ()), *place.faults(), *place.faults(other)]
        tally.add(f"round {number}, {path[-10:]}", faults)
        tally.progress(300)
    for server in (other, place.server):
        server.stop()
    tally.faults += invariants.swept(place.server.petspot)
    tally.notes = f"{killed} killed meanwhile"
    return tally


def erased(work):
    """Erases an announcement while its sizes are made by the same server or another. No size may outlive the
    erasure."""
    tally, made = Tally("sizes: erasure"), 0
    place = Place(work, "erased")
    other = place.serve("other", place.folder)
    _, seconds = place.right()
    for number in range(work.count(3, 200)):
        if number:
            place.announce()
        if number % 3:
            place.lose()
        paths = work.dice.sample(place.paths, min(3, len(place.paths)))
        asked = [place.ask_beside(path, [place.server, other]) for path in paths]
        time.sleep(work.dice.uniform(0, 2 * seconds))
        erasing = work.dice.choice([place.server, other])
        answer = erasing.ask("DELETE", f"{API}/{place.owner[0]}?erase=true", raw.basic(*place.owner), timeout=PATIENCE)
        faults = [] if answer.status == 204 else [f"erasing is {answer}"]
        left = [len(place.files())]
        late = [place.server.ask("GET", path).status for path in paths] + [other.ask("GET", path).status for path in paths]
        if set(late) != {404}:
            faults.append(f"after the erasure sizes are {late}")
        for answers, wait in asked:
            wait()
            statuses = {one.status for one in answers if one}
            made += 200 in statuses
            if statuses - {200, 404, *PASSING}:
                faults.append(f"answers are {statuses}")
        # The server makes the link picture on its own, so it may still be in progress.
        left.append(len(place.files()))
        time.sleep(2 * seconds)
        left.append(len(place.files()))
        rows = place.records("SELECT photo, max_side, format FROM photo_size WHERE lower(photo) = ?", place.photo)
        if rows or any(left):
            faults.append(f"left: {rows}, files at once, after the last answer and later: {left}")
        faults += [*place.faults(), *place.faults(other)]
        tally.add(f"round {number}", faults)
        tally.progress(200)
    for server in (other, place.server):
        server.stop()
    tally.notes = f"{made} sizes were shown before"
    return tally


def store_gone(work):
    """The object store disappears while sizes are made, and comes back."""
    tally, told = Tally("sizes: store gone"), 0
    with objects(work, "store") as store:
        # The relay passes on or resets everything. The server's port doesn't change.
        relay = ObjectRelay(store.port, {}, work.dice.random())
        place = Place(work, "store-gone", ["--blobs", store.url("sizes", relay.endpoint)], os.environ.copy())
        right, seconds = place.right()
        for number in range(work.count(2, 60)):
            path = work.dice.choice(place.paths)
            place.records("UPDATE photo_size SET is_stored = 0") if number % 2 else place.records("DELETE FROM photo_size")
            answers, wait = place.ask_beside(path, [place.server])
            time.sleep(work.dice.uniform(0, seconds))
            relay.chances = {"reset-before": 1} if number % 4 < 2 else {"reset-after": 1}
            wait()
            told += answers[0] is not None and answers[0].status in PASSING
            relay.chances = {}
            faults = [fault_of(answers[0], right[path])] if answers[0] else ["no answer"]
            tag = place.once_back(path)["etag"]
            relay.chances = {"reset-before": 1}
            known = place.server.ask("GET", path, {"If-None-Match": tag})
            if known is None or known.status != 304:
                faults.append(f"without the store If-None-Match is {known}")
            relay.chances = {}
            faults += [*place.judge(path, right), *place.faults()]
            tally.add(f"round {number}, {path[-10:]}", faults)
        place.server.stop()
        relay.stop()
    tally.notes = f"{told} were told to come again"
    return tally
