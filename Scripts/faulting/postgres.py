"""PostgreSQL that sixteen make tables in at once, that is cut off at a COMMIT, and that is restarted under load."""

import concurrent.futures
import json
import os
import shutil
import threading

import caches
import postgresservers
from board import Tally
from petspot import Petspot
from postgres_relay import Relay

FIRST = 16
# Not reachable, failed, busy: what a command may come to when the database does not let it.
TOLD = {69, 74, 75}


def run(work):
    server = postgresservers.Server(os.path.join(work.folder, "postgres"))
    try:
        yield first_starts(work, server)
        yield cut(work, server)
        yield restarted(work, server)
    finally:
        server.stop()


class Case:
    """A cache whose records are in a database of its own."""

    def __init__(self, work, server, name):
        self.database = server.make(name)
        self.cache = os.path.join(work.folder, name)
        self.petspot = Petspot(work.binary, self.cache)

    def run(self, *arguments, port=None):
        database = self.database
        if port:
            host, _, name = database.rpartition("/")
            database = f"{host.rpartition(':')[0]}:{port}/{name}"
        return self.petspot.run(*arguments, "--database", database, timeout=300)

    def judge(self):
        """Every photo on record is whole, and a sweep leaves what is named."""
        answer = self.run("verify", "--all")
        if answer.exit != 0 or answer.json.get("damaged") or answer.json.get("missing"):
            yield f"verify: exit {answer.exit}, {answer.json}, {answer.errors[-200:]}"
        if (answer := self.run("sweep")).exit != 0:
            yield f"sweep: exit {answer.exit}, {answer.errors[-200:]}"

    def judge_import(self, photos):
        """Done once more it comes to its end, and then there is nothing left to do."""
        self.run("remove")  # which may have been cut off, too
        last = self.run("import", photos.folder)
        again = self.run("import", photos.folder)
        if last.exit != 0 or again.exit != 0 or again.json.get("unchanged") != photos.files:
            yield f"import again: {last.exit} {json.dumps(last.json)}, {again.exit} {json.dumps(again.json)}"
        if (listed := len(self.run("list").objects)) != photos.listed:
            yield f"{listed} photos are listed instead of {photos.listed}"


class Photos:
    """A folder, how many of its files are taken, and how many photos an undisturbed import makes of them."""

    def __init__(self, work, count):
        self.folder = os.path.join(work.folder, f"{count}-photos")
        paths = caches.small_photos(self.folder, count)
        for path in (refused := [path for path in paths if path.endswith("crc.png")]):
            os.unlink(path)
        self.files = len(paths) - len(refused)
        petspot = work.petspot(f"{count}-undisturbed")
        petspot.run("import", self.folder)
        self.listed = len(petspot.run("list").objects)


def first_starts(work, server):
    """Whoever comes first makes the tables, and nobody notices."""
    tally = Tally("postgres: first starts")
    for number in range(work.count(1, 200)):
        case = Case(work, server, f"first_{number}")
        with concurrent.futures.ThreadPoolExecutor(FIRST) as pool:
            answers = list(pool.map(lambda one: case.run("attach", caches.PHOTO, "--draft", f"d{one}"), range(FIRST)))
        tally.tried += FIRST
        for answer in answers:
            if answer.exit != 0 or answer.status != "confirmed":
                tally.faults.append(f"{case.petspot.cache}: exit {answer.exit}: {answer.errors.strip()[-300:]}")
        tally.faults += case.judge()
        shutil.rmtree(case.cache)
    tally.notes = f"{FIRST} at once"
    return tally


def cut(work, server):
    tally, told, number = Tally("postgres: cut at a commit"), 0, 0
    cuts = dict.fromkeys(("before", "sent", "answered"), 0)
    photos = Photos(work, 4)
    count = work.count(6, 1000)
    while tally.tried < count:
        case, number = Case(work, server, f"cut_{number}"), number + 1
        case.run("sweep")  # the tables
        relay = Relay(server.port, work.dice.choice((0.1, 0.3, 0.6)), work.dice.random())
        calls = [("attach", caches.EARLIER), ("attach", caches.PHOTO), ("status",), ("import", photos.folder), ("remove",), ("sweep",)]
        for call in calls:
            answer = case.run(*call, port=relay.port)
            status = case.run("status").status
            if answer.exit in TOLD:
                told += 1
            elif answer.exit != 0 and not (call[0] == "import" and answer.exit == 65):
                tally.faults.append(f"{case.cache}: {call[0]}: exit {answer.exit}: {answer.errors.strip()[-300:]}")
            elif call[0] in ("attach", "remove") and status != ("confirmed" if call[0] == "attach" else "empty"):
                tally.faults.append(f"{case.cache}: {call[0]} said that it was done, and the status is {status}")
        relay.stop()
        tally.tried += sum(relay.cuts.values())
        cuts = {kind: cuts[kind] + relay.cuts[kind] for kind in cuts}
        faults = [*case.judge(), *case.judge_import(photos)]
        tally.faults += [f"{case.cache}: {fault}" for fault in faults]
        shutil.rmtree(case.cache)
    kinds = ", ".join(f"{count} {kind}" for kind, count in cuts.items())
    tally.notes = f"{kinds}; {told} commands gave up and said so"
    return tally


def restarted(work, server):
    """Commands one after another while the server is ended at once and started again."""
    tally, told, number, done = Tally("postgres: restarts"), 0, 0, 0
    photos = Photos(work, 6 if work.quick else 20)
    count = work.count(2, 200)
    while tally.tried < count:
        case, number = Case(work, server, f"restart_{number}"), number + 1
        over, answers = threading.Event(), []

        def load(case=case, over=over, answers=answers):
            while not over.is_set():
                for call in (("attach", caches.PHOTO), ("import", photos.folder), ("remove",), ("status",)):
                    answers.append((call[0], case.run(*call)))

        thread = threading.Thread(target=load)
        thread.start()
        for _ in range(min(5, count - tally.tried)):
            over.wait(work.dice.uniform(0.1, 1.5))
            server.restart()
            tally.tried += 1
        over.set()
        thread.join()
        done += len(answers)
        for name, answer in answers:
            if answer.exit in TOLD:
                told += 1
            elif answer.exit not in (0, 65) or answer.exit == 65 and name != "import":
                tally.faults.append(f"{case.cache}: {name}: exit {answer.exit}: {answer.errors.strip()[-300:]}")
        faults = [*case.judge(), *case.judge_import(photos)]
        tally.faults += [f"{case.cache}: {fault}" for fault in faults]
        shutil.rmtree(case.cache)
    tally.notes = f"{told} of {done} commands gave up and said so"
    return tally
