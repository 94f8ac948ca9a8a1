"""Two servers over one database and one store of objects: one is killed at any moment of an upload, which goes on
at the other."""

import base64
import concurrent.futures
import json
import os
import random
import time

import pictures
import postgresservers
import raw
import s3servers
from board import Tally
from serving import Server

API = "/api/v1/announcements"
TUS = {"Tus-Resumable": "1.0.0"}
BYTES = TUS | {"Content-Type": "application/offset+octet-stream"}
REPORT = {
    "ownerName": "Ola Nowak", "ownerPhone": "+48 600 111 222", "species": "dog", "breed": "Mongrel",
    "sex": "female", "dateOfDisappearance": "2026-01-05",
}  # fmt: skip
PAIRS = 6
PATIENCE = 90  # seconds: a killed server counts as alive for 30


def run(work):
    database = postgresservers.Server(os.path.join(work.folder, "postgres"))
    objects = s3servers.Server(os.path.join(work.folder, "s3"))
    try:
        yield killed(work, database, objects)
    finally:
        objects.stop()
        database.stop()


def killed(work, database, objects):
    """Pairs beside each other: most of a round is waiting until a killed server counts as dead."""
    tally, folder = Tally("upload goes on at another server"), os.path.join(work.folder, "photos")
    pictures.folder(folder, 4, work.dice)
    count, pairs = work.count(4, 300), 1 if work.quick else PAIRS
    shares = [count // pairs + (number < count % pairs) for number in range(pairs)]
    pairs = [Pair(work, number, database, objects) for number, share in enumerate(shares) if share]
    with concurrent.futures.ThreadPoolExecutor(len(pairs)) as pool:
        for done in [pool.submit(pair.run, share) for pair, share in zip(pairs, shares)]:
            done.result()
    tally.tried = sum(pair.tried for pair in pairs)
    tally.faults = [fault for pair in pairs for fault in pair.faults]
    tally.notes = f"{sum(pair.waited for pair in pairs)} while the photo was made, {len(pairs)} pairs of servers"
    return tally


class Pair:
    """Two servers that know the same announcements."""

    def __init__(self, work, number, database, objects):
        self.dice, self.photos = random.Random(work.dice.random()), os.path.join(work.folder, "photos")
        self.tried, self.waited, self.faults = 0, 0, []
        stores = ["--database", database.make(f"uploads_{number}"), "--blobs", objects.url(f"pets_{number}")]
        options, environment = ["--no-client-limits", *stores], os.environ | objects.environment
        self.servers = [Server(work, f"{name}-{number}", options, environment) for name in ("one", "other")]

    def run(self, count):
        try:
            for number in range(count):
                self.round(number)
        finally:
            for server in self.servers:
                if server.runs:
                    server.kill()

    def round(self, number):
        self.tried += 1
        with open(os.path.join(self.photos, self.dice.choice(sorted(os.listdir(self.photos)))), "rb") as file:
            # Longer than a piece, and the same picture: what is behind its end is cut off.
            photo = file.read() + self.dice.randbytes(self.dice.choice([0, 300_000, 900_000]))
        first, second = self.servers if number % 2 else reversed(self.servers)
        upload = Upload(first, photo)
        seconds = self.dice.uniform(0, 0.6)
        told = upload.send_until_killed(seconds)
        if fault := upload.finish(second, told):
            self.faults.append(f"round {number}, {len(photo)} bytes, killed after {seconds:.2f} s: {fault}")
        self.waited += upload.has_waited
        self.faults += [f"round {number}: {found}" for found in second.faults]
        second.faults.clear()
        first.start()


class Upload:
    """A photo on its way, in parts of a few thousand bytes."""

    def __init__(self, server, photo):
        self.server, self.photo, self.has_waited = server, photo, False
        answer = server.ask("POST", API, {"Content-Type": "application/json"}, json.dumps(REPORT).encode())
        made = json.loads(answer.body)
        self.id, self.owner = made["id"], raw.basic(made["id"], made["managementPassword"])
        name = base64.b64encode(b"rex.jpg").decode()
        fields = self.owner | TUS | {"Upload-Length": len(photo), "Upload-Metadata": f"filename {name}"}
        answer = server.ask("POST", f"{API}/{self.id}/uploads", fields, b"")
        self.path = "/" + answer["location"].split("/", 3)[3]

    def patch(self, server, offset, part, timeout=PATIENCE):
        fields = self.owner | BYTES | {"Upload-Offset": offset}
        return server.ask("PATCH", self.path, fields, part, timeout=timeout)

    def send_until_killed(self, seconds):
        """The last offset that was told before the server died."""
        end, told = time.monotonic() + seconds, 0
        part = max(len(self.photo) // 12, 1)
        while time.monotonic() < end and told + part < len(self.photo):
            answer = self.patch(self.server, told, self.photo[told : told + part])
            if answer.status != 204:
                raise SystemExit(f"{answer.status} while nobody was hurt")
            told += part
        rest = self.photo[told:]
        fields = self.owner | BYTES | {"Upload-Offset": told, "Content-Length": len(rest)}
        with self.server.connect(timeout=PATIENCE) as connection:
            connection.send(raw.head("PATCH", self.path, fields) + rest)
            time.sleep(max(0, end - time.monotonic()))
            self.server.kill()
        return told

    def finish(self, server, told):
        """What is wrong, or None."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            answer = server.ask("HEAD", self.path, self.owner | TUS, timeout=PATIENCE)
            # 503: the dead server still holds the photo that it was judging.
            if answer.status in (423, 503):
                self.has_waited = True
                time.sleep(1)
                continue
            if answer.status != 200:
                return f"HEAD is {answer.status}"
            offset = int(answer["upload-offset"])
            if offset < told:
                return f"{told} bytes were told to be safe, {offset} are"
            answer = self.patch(server, offset, self.photo[offset:])
            if answer.status == 204:
                return self.fault(server)
            if answer.status not in (409, 423, 503):
                return f"PATCH at {offset} is {answer.status}"
            time.sleep(1)
        return f"not finished in {PATIENCE} s"

    def fault(self, server):
        shown = json.loads(server.ask("GET", f"{API}/{self.id}").body)
        whole = Whole(server, self.photo)
        return None if shown.get("photoSHA256") == whole.digest else "another picture than of the same bytes at once"


class Whole:
    """The same photo in one request."""

    known = {}

    def __init__(self, server, photo):
        if photo not in self.known:
            upload = Upload(server, photo)
            upload.patch(server, 0, photo)
            shown = json.loads(server.ask("GET", f"{API}/{upload.id}").body)
            self.known[photo] = shown["photoSHA256"]
        self.digest = self.known[photo]
