"""Rows 115 to 117: a client that fills the disk, a nearly full disk, and floods of changes."""

import base64
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor

import raw
from files import below
from pictures import png
from rows import API, JSON, row


def stored(server):
    """Returns the bytes of photos in the cache."""
    return sum(map(os.path.getsize, below(server.petspot.cache, "blobs", "previews")))


def looks(row, server, what):
    """Requests health and a page as another client. Each must take at most 2 s. Returns the longest time."""
    longest = max(row.timed(server, path, f"{what}: {path}") for path in ("/api/health", "/"))
    row.case(f"{what}: health and a page take 2 s at most", longest < 2, f"{longest:.1f} s")
    return longest


def announce(row, server, picture, source):
    """Creates an announcement with its photo in one request."""
    report = json.loads(row.report()) | {"photo": base64.b64encode(picture).decode()}
    return server.ask("POST", "/api/announcements", JSON, json.dumps(report).encode(), source, 60)


@row(115, "one client fills the disk with announcements")
def fills(row):
    # A client's share is a twentieth, 1 MB: seven or eight of these pictures.
    with row.own_server("fills", "--photo-space", "20MB") as server:
        greedy, found = row.work.address(), []
        for _ in range(12 if row.work.quick else 24):
            found.append(announce(row, server, png(row.work.dice, 200), greedy))
        statuses = [answer.status for answer in found]
        row.case("all get a response", set(statuses) == {201, 429}, f"{statuses}")
        row.case("it stays within its share", stored(server) <= 1_000_000, f"{stored(server)} bytes")
        row.case("it gets its share", stored(server) > 700_000, f"{stored(server)} bytes")
        row.expect("the last", found[-1], 429, code="TOO_MANY_REQUESTS")
        row.case("it gets a Retry-After", int(found[-1]["retry-after"] or 0) > 86_400, found[-1]["retry-after"])
        first = next(answer.json for answer in found if answer.status == 201)
        owner = (first["id"], first["managementPassword"])
        erased = server.ask("DELETE", f"{API}/{owner[0]}?erase=true", raw.basic(*owner), source=greedy)
        row.expect("it can erase", erased, 204)
        row.expect("erasing doesn't restore its share", announce(row, server, png(row.work.dice, 200), greedy), 429)
        row.expect("it can announce without a photo", server.ask("POST", API, JSON, row.report(), greedy), 201)
        server.stop()
        server.start()
        row.expect("a restart doesn't restore it either", announce(row, server, png(row.work.dice, 200), greedy), 429)
        row.expect("another client's", announce(row, server, png(row.work.dice, 200), row.work.address()), 201)
        large = announce(row, server, png(row.work.dice, 640), row.work.address())
        row.expect("one larger than a whole share", large, 429)
        looks(row, server, "afterwards")
        row.note = f"{statuses.count(201)} of {len(statuses)} stored, {stored(server)} bytes"


@row(116, "a disk with less space than is kept free")
def low(row):
    """`SharesOverHTTPTests` has what is refused after it was sent, and what is still possible."""
    with row.own_server("room") as server:
        owner = row.create(server)
        server.stop()
        server.options += ["--keep-free", "1000TB"]
        server.start()
        fields = {"Content-Length": 5_000_000, "Expect": "100-continue"}
        acts = {
            "a photo": (f"{API}/{owner[0]}/photos", raw.basic(*owner) | raw.form_type()),
            "an announcement with a photo": ("/api/announcements", JSON),
            "a draft's photo": ("/report/photo", raw.form_type()),
        }
        for what, (path, more) in acts.items():
            with server.connect(row.work.address()) as connection:
                connection.send(raw.head("POST", path, fields | more))
                row.expect(f"{what}, before its body is read", connection.read(), 507, code="STORAGE_FULL")
        looks(row, server, "meanwhile")
        change = server.ask("PATCH", f"{API}/{owner[0]}", raw.basic(*owner) | JSON, b'{"petName": "Rex"}')
        row.expect("the announcement can be changed", change, 200)


@row(117, "a flood of changes")
def changes(row):
    with row.own_server("changes") as server:
        greedy, owner = row.work.address(), row.create(server)
        fields, count = raw.basic(*owner) | JSON, 200 if row.work.quick else 1000

        def change(number):
            body = json.dumps({"petName": f"Rex {number}"}).encode()
            return server.ask("PATCH", f"{API}/{owner[0]}", fields, body, greedy, 60)

        begin = time.monotonic()
        with ThreadPoolExecutor(16) as pool:
            jobs = [pool.submit(change, number) for number in range(count)]
            time.sleep(0.5)
            longest = looks(row, server, "beside it")
            at = time.monotonic()
            created = server.ask("POST", API, JSON, row.report(), row.work.address(), timeout=60)
            row.expect("another client announces", created, 201)
            row.case("within 2 s", time.monotonic() - at < 2 * row.work.slowness, f"{time.monotonic() - at:.1f} s")
            found = [job.result() for job in jobs]
        took = time.monotonic() - begin
        statuses = [answer and answer.status for answer in found]
        row.case("they are 200 or 429", set(statuses) == {200, 429}, f"{set(statuses)}")
        row.case("60 and one a second", statuses.count(200) <= 62 + took, f"{statuses.count(200)} in {took:.1f} s")
        row.case("they get a Retry-After", all(answer["retry-after"] for answer in found if answer.status == 429))
        row.expect("the owner may from another address", row.upload(owner, server=server), 201)
        row.note = f"{statuses.count(200)} of {count} in {took:.1f} s, a page {longest * 1000:.0f} ms"
