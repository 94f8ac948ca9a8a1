"""Caches with records in PostgreSQL or pictures in S3, and their checks."""

import concurrent.futures
import contextlib
import json
import os
import sqlite3
import urllib.error
import urllib.request

import invariants
import postgresservers
import s3servers

# Unreachable, failed, busy: the exit codes that are allowed while a store fails.
GAVE_UP = {69, 74, 75}


@contextlib.contextmanager
def environment(**settings):
    """Sets variables for every command that is started in the block."""
    before = os.environ.copy()
    os.environ.update(settings)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def database(work):
    server = postgresservers.Server(work.path("postgres"))
    try:
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def objects(work, name="s3"):
    """Starts an object server. Every command that is started in the block gets its key."""
    server = s3servers.Server(work.path(name))
    try:
        with environment(**server.environment):
            yield server
    finally:
        server.stop()


def beside(count, function):
    """Calls a function `count` times at once, with the number of the call."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return [done.result() for done in [pool.submit(function, number) for number in range(count)]]


def share(count, parts, number):
    """Returns a part's share of `count`."""
    return count // parts + (number < count % parts)


class Case:
    """A cache with its own database for records, or its own prefix for pictures."""

    def __init__(self, work, name, database=None, objects=None):
        self.work, self.name, self.database, self.objects = work, name, database, objects
        self.petspot = work.petspot(name)
        self.address = database and database.make(name)

    def stores(self, port=None, endpoint=None):
        """Returns the options for its stores, through a relay at a port or an endpoint."""
        options = []
        if self.address:
            options += ["--database", self.address.replace(f":{self.database.port}/", f":{port or self.database.port}/")]
        if self.objects:
            options += ["--blobs", self.objects.url(self.name, endpoint)]
        return options

    def run(self, *arguments, port=None, endpoint=None, timeout=300):
        return self.petspot.run(*arguments, *self.stores(port, endpoint), timeout=timeout)

    def judge_command(self, call, counts, is_sound=True, **through):
        """Runs a command through a failing store, counts it, and yields its faults. `is_sound` means that its
        result can be checked without the failure."""
        answer = self.run(*call, **through)
        counts["commands"] += 1
        counts["gave up"] += answer.exit in GAVE_UP
        if isinstance(answer.exit, str):  # after a crash the start of the output has the reason
            yield f"{call[0]}: {answer.exit}: {answer.errors[:2000]}"
        else:
            yield from invariants.succeeded(call[0], answer, *GAVE_UP, *[65] * (call[0] in ("import", "verify")))
        shown = {"attach": "confirmed", "remove": "empty"}.get(call[0])
        if is_sound and shown and answer.exit == 0 and (status := self.run("status").status) != shown:
            yield f"{call[0]} said that it was done, and the status is {status}"

    def sql(self, text):
        return self.database.sql(f"SET search_path = petspot; {text}", self.name)

    def judge(self):
        """Checks over a working network that every recorded photo is complete and that a sweep leaves exactly the
        named objects."""
        yield from invariants.verified(self.run)
        yield from invariants.succeeded("sweep", self.run("sweep"))
        if self.objects:
            named = self.named()
            left = {key.split("/")[-2] for key in self.keys()}
            # A sweep leaves objects without a record alone for ten minutes; they still have a name.
            if named != left:
                yield f"{len(named - left)} named objects are gone, {len(left - named)} without a name are left"

    def named(self):
        """Returns the objects that have a name."""
        if self.database:
            return set(self.sql("SELECT nonce FROM object WHERE state = 'named'").split())
        ledger = os.path.join(self.petspot.cache, "database", "objects.sqlite")
        if not os.path.exists(ledger):  # a run that is killed early or has nothing to do creates no ledger
            return set()
        with contextlib.closing(sqlite3.connect(ledger)) as rows:
            return {row[0] for row in rows.execute("SELECT nonce FROM object WHERE state = 'named'")}

    def keys(self):
        """Yields the keys below its prefix, from the server's own list of files."""
        return walk(f"http://127.0.0.1:{self.objects.filer}/buckets/{self.objects.bucket}/{self.name}")


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
