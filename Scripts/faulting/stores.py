"""Caches whose records are in PostgreSQL or whose pictures are in S3, and what has to hold there."""

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

# Not reachable, failed, busy: what a command may come to when a store does not let it.
GAVE_UP = {69, 74, 75}


@contextlib.contextmanager
def environment(**settings):
    """Variables for every command that is started meanwhile."""
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
    """A server of objects, whose key every command is given meanwhile."""
    server = s3servers.Server(work.path(name))
    try:
        with environment(**server.environment):
            yield server
    finally:
        server.stop()


def beside(count, function):
    """Calls a function so many times at once, with the number of the call."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        return [done.result() for done in [pool.submit(function, number) for number in range(count)]]


def share(count, parts, number):
    """How many of `count` are one part's."""
    return count // parts + (number < count % parts)


class Case:
    """A cache whose records are in a database of its own, or whose pictures lie below a prefix of its own."""

    def __init__(self, work, name, database=None, objects=None):
        self.work, self.name, self.database, self.objects = work, name, database, objects
        self.petspot = work.petspot(name)
        self.address = database and database.make(name)

    def stores(self, port=None, endpoint=None):
        """Its options, through a relay at a port or an endpoint."""
        options = []
        if self.address:
            options += ["--database", self.address.replace(f":{self.database.port}/", f":{port or self.database.port}/")]
        if self.objects:
            options += ["--blobs", self.objects.url(self.name, endpoint)]
        return options

    def run(self, *arguments, port=None, endpoint=None, timeout=300):
        return self.petspot.run(*arguments, *self.stores(port, endpoint), timeout=timeout)

    def judge_command(self, call, counts, is_sound=True, **through):
        """Runs a command through whatever fails, counts it, and yields what it must not have come to. `is_sound`:
        whether what it did can be looked at without that."""
        answer = self.run(*call, **through)
        counts["commands"] += 1
        counts["gave up"] += answer.exit in GAVE_UP
        if isinstance(answer.exit, str):  # of one that crashed the beginning tells why
            yield f"{call[0]}: {answer.exit}: {answer.errors[:2000]}"
        else:
            yield from invariants.succeeded(call[0], answer, *GAVE_UP, *[65] * (call[0] in ("import", "verify")))
        shown = {"attach": "confirmed", "remove": "empty"}.get(call[0])
        if is_sound and shown and answer.exit == 0 and (status := self.run("status").status) != shown:
            yield f"{call[0]} said that it was done, and the status is {status}"

    def sql(self, text):
        return self.database.sql(f"SET search_path = petspot; {text}", self.name)

    def judge(self):
        """Over a sound network: every photo on record is whole, and a sweep leaves what is named."""
        yield from invariants.verified(self.run)
        yield from invariants.succeeded("sweep", self.run("sweep"))
        if self.objects:
            named = self.named()
            left = {key.split("/")[-2] for key in self.keys()}
            # Those without a record are left alone for ten minutes; they have a name.
            if named != left:
                yield f"{len(named - left)} named objects are gone, {len(left - named)} without a name are left"

    def named(self):
        """Objects that have a name."""
        if self.database:
            return set(self.sql("SELECT nonce FROM object WHERE state = 'named'").split())
        ledger = os.path.join(self.petspot.cache, "database", "objects.sqlite")
        if not os.path.exists(ledger):  # nothing makes one that is killed early or finds nothing to do
            return set()
        with contextlib.closing(sqlite3.connect(ledger)) as rows:
            return {row[0] for row in rows.execute("SELECT nonce FROM object WHERE state = 'named'")}

    def keys(self):
        """Keys below its prefix, asked of the server's own list of files."""
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
