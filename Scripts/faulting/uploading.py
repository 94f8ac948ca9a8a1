"""The requests of clients to a server that is disturbed, the responses they got, and the checks afterwards."""

import functools
import hashlib
import itertools
import os
import shutil

import caches
import invariants
import raw
from caches import EARLIER, PHOTO
from files import LONG_AGO, read
from petspot import blob_path
from resumable import Upload
from rows import API, JSON, Entry, Row
from rows import Work as RowWork
from serving import Server

OPTIONS = ["--no-client-limits"]
PATIENCE = 120  # seconds for a response, because other processes use the machine too
DYING = 20  # seconds for a decoder to notice that its server is dead


class Place:
    """A cache whose announcement and browser draft show EARLIER, and a server with a copy of it."""

    def __init__(self, work):
        self.work, self.begin = work, os.path.join(work.folder, "http-begin")
        self.row = plain_row(work)
        self.pictures = Pictures(work)
        with self.serve(self.begin) as server:
            self.owner = self.row.create()
            cookie = server.ask("GET", "/report/chip")["set-cookie"]
            self.cookie = {"Cookie": cookie.split(";")[0]}
            for act in (Form(self, EARLIER), Page(self, EARLIER)):
                act.send()
                if not act.is_done:
                    raise SystemExit(f"{act.name} does not work undisturbed: {act.answer}")
            server.stop()

    def serve(self, cache, environment=None):
        """Starts a server. All acts use the last one."""
        self.row.server = Server(self.row.work, options=OPTIONS, environment=environment, cache=cache)
        self.row.server.patience = PATIENCE
        return self.row.server

    def fresh(self, environment=None):
        """Starts a server with a copy of the initial cache."""
        cache = os.path.join(self.work.folder, "http")
        shutil.rmtree(cache, ignore_errors=True)
        shutil.copytree(self.begin, cache)
        return self.serve(cache, environment)

    def again(self, environment=None):
        """Restarts the same server."""
        self.row.server.environment = environment
        self.row.server.start()
        return self.row.server


@functools.lru_cache(maxsize=1)
def prepared(work):
    """Returns the place that all lines of a class use."""
    return Place(work)


def plain_row(work):
    """Returns a row of the http-abuse suite, for its request helpers."""
    return Row(Entry(0, "", None, False, False), RowWork(work.binary, work.folder, work.quick, work.dice))


class Pictures:
    """The command line's results for photos, each computed once."""

    def __init__(self, work):
        self.petspot, self.known = work.petspot("expected"), {}

    def made(self, path):
        """Returns the stored picture and its preview."""
        if path not in self.known:
            photo = caches.expect(self.petspot, "attach", path).photo
            preview = os.path.join(self.petspot.cache, photo["preview"]["path"])
            self.known[path] = read(blob_path(photo)), read(preview)
        return self.known[path]


# Acts of a client


class Act:
    """Requests that send one photo. `told` has the content of each good response, in order; with `whole` of them
    the act is done. `before` is what was shown at the start."""

    whole, notes = 1, ""

    def __init__(self, place, path=PHOTO, before=...):
        self.place, self.row, self.path = place, place.row, path
        self.told, self.answer = [], None
        self.expected = self.wanted(path)
        self.before = self.wanted(EARLIER) if before is ... else before

    @property
    def is_done(self):
        return len(self.told) == self.whole

    def take(self, function, *statuses):
        """Sends a request. Keeps the response and returns it if it is good."""
        try:
            self.answer = function()
        except (OSError, raw.Broken):
            self.answer = None
        return self.answer if self.answer and self.answer.status in statuses else None

    def faults(self):
        """Yields the faults once the server runs again. The client repeats whatever it got no response for."""
        shown = self.shown()
        if shown != self.expected and (self.is_done or shown != self.before):
            yield f"{self.tells()}, and shown is {told_of(shown)}"
        yield from self.resume()
        if not self.is_done:
            yield f"the repetition is answered {self.answer} {self.answer and self.answer.body[:200]}"
        elif (shown := self.shown()) != self.expected:
            yield f"after the repetition {told_of(shown)} is shown"

    def resume(self):
        """Repeats the act unless all of it was acknowledged. Yields faults."""
        if not self.is_done:
            self.send()
        return ()

    def tells(self):
        return f"told {len(self.told)} of {self.whole}"


class Form(Act):
    """One form with a photo, for an announcement."""

    name = "form"

    def wanted(self, path):
        return self.place.pictures.made(path)[0]

    def send(self):
        if self.take(lambda: self.row.upload(self.place.owner, path=self.path, timeout=PATIENCE), 201):
            self.told = [self.answer.json["photoUrl"]]

    def shown(self):
        return self.row.picture(self.place.owner)


class Tus(Form):
    """The photo in three pieces with tus. `told` has 0 for the creation, and each acknowledged offset."""

    name = "tus"
    whole = 4

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.bytes, self.upload = read(self.path), None
        size = len(self.bytes)
        self.ends = [0, size // 3, 2 * size // 3, size]

    def send(self):
        """Continues at the last acknowledged offset."""
        if not self.told:
            made = self.take(self.create, 201)
            self.told = [0] if made else []
        while self.told and not self.is_done:
            start = self.told[-1]
            end = next(end for end in self.ends if end > start)
            piece = self.bytes[start:end]
            if not self.take(lambda start=start, piece=piece: self.upload.patch(start, piece), 204):
                break
            self.note(int(self.answer["upload-offset"]))

    def create(self):
        self.upload = Upload(self.row, self.place.owner, len(self.bytes))
        return self.upload.answer

    def note(self, offset):
        self.told = [end for end in self.ends if end < offset] + [offset]

    def resume(self):
        if self.told and not self.is_done:
            if not self.take(self.upload.head, 200):
                yield f"{self.tells()}, and HEAD is {self.answer}"
                self.told = []
            else:
                offset = int(self.answer["upload-offset"])
                if offset < self.told[-1]:
                    yield f"offset {self.told[-1]} was told, and now it is {offset}"
                self.note(offset)
        self.send()


class Page(Act):
    """The form of the photo page, from a browser with a draft."""

    name = "page"

    def wanted(self, path):
        picture, preview = self.place.pictures.made(path)
        return preview, hashlib.sha256(picture).hexdigest()

    def send(self):
        body = raw.form(raw.part(read(self.path)))
        fields = self.place.cookie | raw.form_type()
        if self.take(lambda: self.row.server.ask("POST", "/report/photo", fields, body), 303):
            # A refused photo redirects back to its own step.
            self.told = [self.answer["location"]] if self.answer["location"] != "/report/photo" else []

    def shown(self):
        answer = self.row.server.ask("GET", "/report/photo/preview", self.place.cookie)
        drafts = "SELECT blobSHA256 FROM photo JOIN attachment ON attachment.photo = photo.id WHERE draft LIKE 'web-%'"
        blobs = caches.rows(self.row.server.petspot, drafts)
        return answer.body if answer.status == 200 else None, blobs[0][0] if len(blobs) == 1 else None


class Create(Act):
    """An announcement with its own key, which must be created only once."""

    name = "create"
    numbers = itertools.count(1)

    def __init__(self, place, path=PHOTO, before=...):
        self.key = f"key-of-a-create-{next(Create.numbers)}"
        super().__init__(place, path, False)

    def wanted(self, path):
        return True

    def send(self):
        body, fields = self.row.report(petName=self.key), JSON | {"Idempotency-Key": self.key}
        if self.take(lambda: self.row.server.ask("POST", API, fields, body), 201):
            found = self.answer.json["id"], self.answer.json["managementPassword"]
            if self.told and self.told != [found]:
                self.told = ["two"]
            else:
                self.told = [found]

    def resume(self):
        self.send()
        if self.told == ["two"]:
            yield "one key gave two announcements"

    def shown(self):
        """Returns true if exactly one announcement exists and has the acknowledged id."""
        query = f"SELECT id FROM announcement WHERE pet_name = '{self.key}'"
        found = [row[0] for row in caches.rows(self.row.server.petspot, query)]
        if not found:
            return False
        if len(found) > 1 or (self.told and self.told[0][0] != found[0]):
            return found
        return self.row.server.ask("GET", f"{API}/{found[0]}").status == 200


ACTS = (Form, Tus, Page, Create)


def told_of(shown):
    """Returns a short description of what is shown."""
    if isinstance(shown, bytes):
        return f"{len(shown)} bytes {hashlib.sha256(shown).hexdigest()[:12]}"
    return str(shown)[:200]


# Checks of the whole cache


def verify(server):
    """Yields the faults that the command line finds in the cache while the server runs."""
    return invariants.verified(server.petspot.run, timeout=PATIENCE)


def tidy(server):
    """Yields the faults of the cache and of all responses, and the files that `sweep` and a restarted server leave."""
    petspot = server.petspot
    yield from verify(server)
    yield from invariants.swept(petspot)
    for fault, count in server.faults.items():
        # Error pages are for people and have no JSON.
        if "of type text/html" not in fault:
            yield f"{fault} ({count} times)"
    if not strays(petspot):
        return
    for path in strays(petspot):
        os.utime(path, (LONG_AGO, LONG_AGO))
    server.kill()
    server.environment = None
    server.start()
    if not server.wait(lambda: not strays(petspot), 10):
        yield f"a new server leaves {strays(petspot)} lying"


def strays(petspot):
    """Returns the files of uploads that nobody can continue."""
    folder = os.path.join(petspot.cache, "uploads")
    names = set(os.listdir(folder)) if os.path.isdir(folder) else set()
    found = []
    for name in names:
        record = f"{name[:32]}.json"
        if name != record and (name != name[:32] or record not in names or has_ended(os.path.join(folder, record))):
            found.append(os.path.join(folder, name))
    return found


def has_ended(record):
    try:
        return b'"outcome"' in read(record)
    except FileNotFoundError:
        return False


def wait_for_end(server, seconds=0.3):
    """Returns whether the server ends by itself within that time."""
    return server.wait(lambda: not server.runs, seconds)
