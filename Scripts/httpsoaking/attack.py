"""Ten minutes at the limit of descriptors: all attacks of the rows at once, together with ordinary clients."""

import contextlib
import os
import threading
import time
from urllib.parse import urlencode

import postgresservers
import raw
from codes import lost
from descriptors import Held, Honest, needs, shown
from judging import heavy
from mailing import Mailbox
from photosizes import LARGE
from rows import PHOTO, Row
from s3servers import free_ports
from serving import Server

LIMIT = 1024
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
GROWN = 100 << 20  # bytes by which memory may have grown at the end


class Attack:
    """A server and its attackers. The faults that ordinary clients see count for `row`."""

    def __init__(self, work, database):
        self.row, self.work = Row(None, work), work
        self.over, self.sent, self.stored, self.longest = threading.Event(), 0, [], 0
        self.box = Mailbox(work.folder)
        (self.metrics,) = free_ports(1)
        options = ("--metrics-port", str(self.metrics), "--mail", f"smtp://127.0.0.1:{self.box.port}?from=pets@example.org")
        environment = os.environ | ({"PETSPOT_DATABASE": database} if database else {})
        # A folder of pictures belongs to one database.
        name = "attacked-postgres" if database else "attacked"
        self.server = Server(work, name, options, environment, descriptors=LIMIT)
        self.heavy = [raw.form(raw.part(photo)) for photo in heavy(8)]

    def held(self, addresses, each, opening, port=None):
        """Keeps connections open that have sent `opening`, or nothing."""
        held = Held(self.server, [self.work.address() for _ in range(addresses)], each, opening, port)
        while not self.over.wait(0.5):
            held.fill()
        held.close()

    def again(self, act):
        """Repeats an action, whatever the response is."""
        while not self.over.is_set():
            with contextlib.suppress(OSError, raw.Broken):
                act()
                self.sent += 1
            time.sleep(0.05)

    def lost_code(self):
        self.server.ask("POST", lost(self.victim), FORM, urlencode({"email": "ada@example.org"}).encode(), self.work.address())

    def heavy_photo(self, number):
        owner = self.row.create(self.server)
        self.row.upload(owner, self.heavy[number], server=self.server, source=self.greedy, timeout=60)

    def leaving_stream(self):
        with self.server.connect(self.work.address(), timeout=5) as connection:
            connection.send(raw.request("GET", "/report/photo/status", {"Accept": "text/event-stream"}))
            time.sleep(0.2)

    def phone(self):
        """Uploads photos as an ordinary client. Each must get its response within five seconds, and must stay."""
        while not self.over.wait(2):
            begin = time.monotonic()
            try:
                owner = self.row.create(self.server)
                path = PHOTO if "debug" in self.work.binary else LARGE
                answer = self.row.upload(owner, server=self.server, path=path, timeout=60)
            except Exception as error:  # Skip, a closed connection
                self.row.case("a phone's photo", False, f"{type(error).__name__} {error}")
                continue
            took = time.monotonic() - begin
            self.longest = max(self.longest, took)
            if self.row.expect("a phone's photo", answer, 201):
                self.stored.append(owner)
            self.row.case("a phone's photo within 5 s", took < 5 * self.work.slowness, f"{took:.1f} s")

    def run(self, minutes):
        """Runs the attack. Returns the faults."""
        row, server = self.row, self.server
        picture = raw.request("GET", shown(row, server))
        self.victim, self.greedy = row.create(server, email="ada@example.org"), self.work.address()
        time.sleep(2)
        memory = server.memory()
        acts = [
            lambda: self.held(3, 225, picture), lambda: self.held(42, 10, b""), lambda: self.held(8, 20, b"GET / HT"),
            lambda: self.held(16, 20, b"", self.metrics), lambda: self.again(self.lost_code),
            lambda: self.again(self.leaving_stream), self.phone,
            *[lambda number=number: self.again(lambda: self.heavy_photo(number)) for number in range(4)],
        ]  # fmt: skip
        threads = [threading.Thread(target=act) for act in acts]
        with Honest(row, server):
            for thread in threads:
                thread.start()
            time.sleep(minutes * 60)
            self.over.set()
            for thread in threads:
                thread.join()
        grown = server.wait(lambda: server.memory() - memory < GROWN, 60)
        row.case("memory returns", grown, f"{server.memory() - memory >> 20} MiB more")
        lost_photos = [owner[0] for owner in self.stored if row.picture(owner, server) is None]
        row.case("no photo is lost", not lost_photos, lost_photos)
        row.case("it ends when asked", (code := server.stop()) == 0, code)
        self.box.stop()
        print(f"{self.sent:,} attacks, {len(self.stored)} photos ({self.longest:.1f} s at most), {row.note}", flush=True)
        return row.faults + [f"{fault} ({count} times)" for fault, count in server.faults.items()]


def attack(arguments, work):
    """Attacks a server on SQLite, and then one on PostgreSQL. Returns the faults."""
    needs(4096)
    faults = Attack(work, None).run(arguments.minutes)
    records = postgresservers.Server(os.path.join(work.folder, "postgres"))
    try:
        faults += [f"PostgreSQL: {fault}" for fault in Attack(work, records.make("attack")).run(arguments.minutes)]
    finally:
        records.stop()
    return faults
