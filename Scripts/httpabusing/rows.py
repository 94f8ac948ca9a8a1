"""The table of rows, their context, and how they count results."""

import contextlib
import dataclasses
import itertools
import json
import os
import random
import subprocess
import time

import raw
from board import IMAGES
from serving import Server

ROWS = {}
API = "/api/v1/announcements"
JSON = {"Content-Type": "application/json"}
PHOTO = os.path.join(IMAGES, "baseline-444.jpg")
OTHER = os.path.join(IMAGES, "color-key.png")


class Skip(Exception):
    """The reason why a row can't run here."""


@dataclasses.dataclass
class Entry:
    number: int
    title: str
    function: object
    slow: bool  # waits for more than ten seconds
    root: bool


def row(number, title, slow=False, root=False):
    """Adds a function to the table. The function takes a `Row`."""

    def enter(function):
        ROWS[number] = Entry(number, title, function, slow, root)
        return function

    return enter


@dataclasses.dataclass
class Work:
    """The context of all rows, with the `server` that they share."""

    binary: str
    folder: str  # empty, removed afterwards
    quick: bool
    dice: random.Random
    server: Server = None
    before: tuple = None  # memory and names in incoming/ of the warm server
    shared: tuple = None  # the announcement that `Row.borrow` returns
    addresses: object = dataclasses.field(default_factory=lambda: itertools.count(256 * 10))
    numbers: object = dataclasses.field(default_factory=itertools.count)

    @property
    def slowness(self):
        """The factor by which this binary may be slower than a release build."""
        return 10 if "debug" in self.binary else 1

    def address(self):
        """Returns an address of this machine that no request has come from yet."""
        number = next(self.addresses)
        return f"127.{number >> 16 & 127}.{number >> 8 & 255}.{number & 255 or 1}"


class Row:
    """A running row. Every `case` counts."""

    def __init__(self, entry, work):
        self.entry, self.work, self.server = entry, work, work.server
        self.tried, self.faults, self.note = 0, [], ""
        # The seconds of silence after which a row assumes that no more data will come.
        self.silence = 0.5 if work.quick else 3

    def case(self, what, holds, but=""):
        self.tried += 1
        if not holds:
            self.faults.append(f"{what}: {but}" if but else what)
        return holds

    def expect(self, what, answer, *statuses, code=None, field=None):
        """Checks that a response has one of these statuses, and the code and field of its error."""
        if answer is None:
            return self.case(what, False, f"no answer instead of {statuses}")
        holds = answer.status in statuses and code in (None, answer.code)
        holds = holds and field in (None, answer.error.get("field"))
        wanted = " or ".join(map(str, statuses)) + (f" {code}" if code else "") + (f" for {field}" if field else "")
        return self.case(what, holds, f"{answer} instead of {wanted}: {answer.body[:120]!r}")

    def refused(self, what, *pieces, statuses=(400,), timeout=15):
        """Checks that these bytes get exactly one response with one of these statuses, and that the connection
        closes."""
        with self.server.connect(self.work.address(), timeout=timeout) as connection:
            connection.send(*pieces)
            try:
                answers = connection.answers()
            except OSError as error:
                answers = [error]
            found = [getattr(answer, "status", answer) for answer in answers]
            holds = len(found) == 1 and found[0] in statuses and connection.closes(5)
            ending = "closed" if connection.is_over else "left open"
            return self.case(what, holds, f"{found} and {ending} instead of {statuses} and closed")

    # Helpers that most rows need.

    def report(self, **changes):
        """Returns the body of a report as in seed 046, without a photo. A value of None leaves out its key."""
        return json.dumps({key: value for key, value in (report() | changes).items() if value is not None}).encode()

    def create(self, server=None, **changes):
        """Creates an announcement as a new client. Returns its id and password."""
        server = server or self.server
        answer = server.ask("POST", API, JSON, self.report(**changes), self.work.address(), timeout=60)
        if answer is None or answer.status != 201:
            raise Skip(f"no announcement can be made: {answer}")
        return answer.json["id"], answer.json["managementPassword"]

    def borrow(self):
        """Returns an announcement that all rows share, for rows that don't care what it shows."""
        if self.work.shared is None:
            self.work.shared = self.create()
        return self.work.shared

    def upload(self, owner, body=None, fields=None, server=None, timeout=60, path=PHOTO, source=None):
        """Sends a form with a photo. Returns the response."""
        if body is None:
            body = raw.form(raw.part(content(path)))
        fields = raw.basic(*owner) | (raw.form_type() if fields is None else fields)
        server, source = server or self.server, source or self.work.address()
        return server.ask("POST", f"{API}/{owner[0]}/photos", fields, body, source, timeout)

    def opening(self, owner, length, **more):
        """Returns the head of a form with a photo whose body has `length` bytes."""
        fields = raw.basic(*owner) | raw.form_type() | {"Content-Length": length} | more
        return raw.head("POST", f"{API}/{owner[0]}/photos", fields)

    def photo_of(self, owner, server=None):
        """Returns the address of an announcement's photo without scheme and host, or None if it has no photo."""
        answer = (server or self.server).ask("GET", f"{API}/{owner[0]}")
        url = answer and answer.json.get("photoUrl")
        return "/" + url.split("/", 3)[3] if url else None

    def picture(self, owner, server=None):
        """Returns the bytes of an announcement's photo, or None if it has no photo."""
        server = server or self.server
        path = self.photo_of(owner, server)
        answer = path and server.ask("GET", path)
        return answer.body if answer and answer.status == 200 else None

    def timed(self, server, path, what=None, limit=None):
        """Returns the seconds that another client waits for a page or a list."""
        begin = time.monotonic()
        answer = server.ask("GET", path, {"Accept": "*/*"}, source=self.work.address(), timeout=60)
        took = time.monotonic() - begin
        self.expect(what or path, answer, 200)
        if limit:
            self.case(f"{what or path} takes {limit} s at most", took < limit, f"{took:.2f} s")
        return took

    def recorded(self):
        """Returns the number of recorded photos."""
        return len(self.server.petspot.run("list", "--limit", "1000000").objects)

    @contextlib.contextmanager
    def own_server(self, name, *options, **settings):
        """Starts a server for this row alone. Faults of its responses count for the row."""
        with Server(self.work, f"{name}-{next(self.work.numbers)}", options, **settings) as server:
            yield server
            self.faults += [f"{fault} ({count} times)" for fault, count in server.faults.items()]


def report():
    return {
        "species": "dog", "breed": "Beagle", "sex": "male", "dateOfDisappearance": "2026-11-01",
        "ownerName": "Ada Nowak", "ownerPhone": "+48 600 100 200", "petName": "Fox",
        "location": {"latitude": 52.22977, "longitude": 21.01178},
    }  # fmt: skip


def content(path):
    with open(path, "rb") as file:
        return file.read()


def median(values):
    return sorted(values)[len(values) // 2]


def certificate_in(folder):
    paths = [os.path.join(folder, name) for name in ("certificate.pem", "key.pem")]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    try:
        subprocess.run([*command, "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    except FileNotFoundError:
        raise Skip("openssl is not installed") from None
    return paths
