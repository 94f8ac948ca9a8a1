"""Two servers with one database and one object store."""

import json
import os
import random
import time

import pictures
import raw
from board import Tally
from files import read
from resumable import BYTES, Upload
from rows import API
from serving import Server
from stores import Case, beside, database, objects, share
from uploading import plain_row

PAIRS = 6
PATIENCE = 90  # seconds, because a killed server counts as alive for 30


def servers(work):
    """Two servers with one database and one object store: one is killed during an upload, the other continues it."""
    with database(work) as records, objects(work) as store:
        photos = pictures.folder(work.path("photos"), 4, work.dice)
        # Runs several pairs at once, because most of a round is waiting until a killed server counts as dead.
        count, lanes = work.count(4, 300), 1 if work.quick else PAIRS
        shares = [some for number in range(lanes) if (some := share(count, lanes, number))]
        pairs = [Pair(work, f"uploads_{number}", records, store, photos) for number in range(len(shares))]
        beside(len(pairs), lambda number: pairs[number].run(shares[number]))
    tally = Tally("upload goes on at another server", count, [fault for pair in pairs for fault in pair.faults])
    tally.notes = f"{sum(pair.waited for pair in pairs)} while the photo was made, {len(pairs)} pairs of servers"
    yield tally


class Pair:
    """Two servers with the same announcements."""

    def __init__(self, work, name, database, objects, photos):
        self.dice, self.photos, self.row = random.Random(work.dice.random()), photos, plain_row(work)
        self.waited, self.faults, self.digests = 0, [], {}
        options = ["--no-client-limits", *Case(work, name, database, objects).stores()]
        self.servers = [Server(work, f"{place}-{name}", options, os.environ.copy()) for place in ("one", "other")]
        for server in self.servers:
            server.patience = PATIENCE

    def run(self, count):
        try:
            for number in range(count):
                self.round(number)
        finally:
            for server in self.servers:
                if server.runs:
                    server.kill()

    def round(self, number):
        # Appended bytes make the body longer than a piece. The picture stays the same, because data after its end
        # is cut off.
        photo = read(self.dice.choice(self.photos)) + self.dice.randbytes(self.dice.choice([0, 300_000, 900_000]))
        first, second = self.servers if number % 2 else reversed(self.servers)
        seconds = self.dice.uniform(0, 0.6)
        upload = self.begin(first, photo)
        acknowledged = self.send_until_killed(first, upload, photo, seconds)
        self.row.server = second
        if fault := self.finish(upload, photo, acknowledged):
            self.faults.append(f"round {number}, {len(photo)} bytes, killed after {seconds:.2f} s: {fault}")
        self.faults += [f"round {number}: {found}" for found in second.faults]
        second.faults.clear()
        first.start()

    def begin(self, server, photo):
        self.row.server = server
        return Upload(self.row, self.row.create(), len(photo))

    def send_until_killed(self, server, upload, photo, seconds):
        """Returns the last offset that was acknowledged before the server died."""
        end, offset, size = time.monotonic() + seconds, 0, max(len(photo) // 12, 1)
        while time.monotonic() < end and offset + size < len(photo):
            answer = upload.patch(offset, photo[offset : offset + size])
            if answer.status != 204:
                raise SystemExit(f"{answer.status} while nobody was hurt")
            offset += size
        fields = upload.fields | BYTES | {"Upload-Offset": offset, "Content-Length": len(photo) - offset}
        with server.connect(timeout=PATIENCE) as connection:
            connection.send(raw.head("PATCH", upload.path, fields) + photo[offset:])
            time.sleep(max(0, end - time.monotonic()))
            server.kill()
        return offset

    def finish(self, upload, photo, acknowledged):
        """Returns the fault, or None."""
        end, has_waited = time.monotonic() + PATIENCE, False
        while time.monotonic() < end:
            answer = upload.head()
            # 503: the dead server still holds the photo that it was decoding.
            if answer.status in (423, 503):
                self.waited, has_waited = self.waited + (not has_waited), True
                time.sleep(1)
                continue
            if answer.status != 200:
                return f"HEAD is {answer.status}"
            offset = int(answer["upload-offset"])
            if offset < acknowledged:
                return f"{acknowledged} bytes were told to be safe, {offset} are"
            answer = upload.patch(offset, photo[offset:])
            if answer.status == 204:
                whole = self.shown(upload) == self.whole(photo)
                return None if whole else "another picture than of the same bytes at once"
            if answer.status not in (409, 423, 503):
                return f"PATCH at {offset} is {answer.status}"
            time.sleep(1)
        return f"not finished in {PATIENCE} s"

    def shown(self, upload):
        return json.loads(self.row.server.ask("GET", f"{API}/{upload.owner[0]}").body).get("photoSHA256")

    def whole(self, photo):
        """Returns the digest of the picture if the photo is sent in a single request."""
        if photo not in self.digests:
            upload = self.begin(self.row.server, photo)
            upload.patch(0, photo)
            self.digests[photo] = self.shown(upload)
        return self.digests[photo]
