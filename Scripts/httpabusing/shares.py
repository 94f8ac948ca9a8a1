"""Rows 90 to 96: a client can spend only its own share of slots, memory and caches."""

import base64
import contextlib
import itertools
import os
import time
from concurrent.futures import ThreadPoolExecutor

import raw
from pictures import png
from resumable import TUS
from rows import API, JSON, PHOTO, content, row

BASE64 = "/api/announcements"
SLOW = 1_000_000  # the length that a slow body claims, in bytes


def opened(row, server, owner, count, sources):
    """Opens connections that have sent the beginning of a photo."""
    opening = row.opening(owner, SLOW) + raw.form(raw.part(b"\xff\xd8"))[:300]
    found = []
    for source in itertools.islice(itertools.cycle(sources), count):
        with contextlib.suppress(OSError):
            found.append(server.connect(source, timeout=30))
            found[-1].send(opening)
    return found


def honest(row, server, owner, what):
    """Sends an upload, a page request and an announcement as other clients. Returns the seconds."""
    begin = time.monotonic()
    row.expect(f"{what}: an upload", row.upload(owner, server=server), 201)
    row.expect(f"{what}: a page", server.ask("GET", "/report/chip", source=row.work.address()), 200)
    answer = server.ask("POST", API, JSON, row.report(), row.work.address(), timeout=60)
    row.expect(f"{what}: an announcement", answer, 201)
    return time.monotonic() - begin


@row(90, "slow bodies of one client and of many")
def slow_bodies(row):
    with row.own_server("slow") as server:
        owner, source = row.create(server), row.work.address()
        usual = honest(row, server, owner, "alone")
        for count in (64,) if row.work.quick else (64, 400):
            waiting = opened(row, server, owner, count, [source])
            row.case("some are accepted", server.wait(lambda: server.nameless() or len(waiting) > 32, 5))
            took = honest(row, server, owner, f"beside {count} of one client")
            row.case("others aren't delayed", took < 3 * usual + 2 * row.work.slowness, f"{took:.1f} s, not {usual:.1f}")
            refused = []
            # Only the client's share of connections gets responses, in any order. The others get none.
            for connection in waiting[:64]:
                with contextlib.suppress(OSError, raw.Broken):
                    refused.append(connection.read())
            surplus = [answer for answer in refused if answer and answer.status == 429]
            row.case(
                "the surplus gets 429 with Retry-After",
                len(surplus) >= 24 and all(answer["retry-after"] for answer in surplus),
                ", ".join(map(str, refused)),
            )
            for connection in waiting:
                connection.close()
        # As many connections as there are slots. The slowest one is dropped to make room.
        count = 100 if row.work.quick else 700
        waiting = opened(row, server, owner, count, [row.work.address() for _ in range(count // 20)])
        honest(row, server, owner, f"beside {count} of {count // 20} clients")
        for connection in waiting:
            connection.close()
        row.case("nothing is kept", server.wait(lambda: not server.nameless(), 20))


@row(91, "a body slower than 8 KB per second", slow=True)
def pace(row):
    owner, photo, before = row.borrow(), raw.form(raw.part(png(row.work.dice, 640))), row.server.nameless()
    openings = {
        "a form": (row.opening(owner, SLOW) + photo[:300], photo[:1400]),
        "JSON": (raw.head("POST", API, JSON | {"Content-Length": 90_000}) + b"{", b" "),
        "chunks": (raw.head("POST", API, JSON | {"Transfer-Encoding": "chunked"}) + b"10000\r\n{", b" "),
    }
    with ThreadPoolExecutor(len(openings)) as pool:
        list(pool.map(lambda what: dripped(row, what, *openings[what]), openings))
    row.case("nothing is kept", row.server.wait(lambda: row.server.nameless() == before, 10))
    # A phone at 400 kbit/s, with a pause.
    with row.server.connect(row.work.address(), timeout=60) as connection:
        connection.send(row.opening(owner, len(photo)))
        for start in range(0, len(photo), 50_000):
            time.sleep(11 if start == 500_000 else 1)
            connection.send(photo[start : start + 50_000])
        row.expect(f"{len(photo) >> 10} KiB at 400 kbit/s", connection.read(), 201)


def dripped(row, what, opening, piece):
    """Sends an opening, then a piece each second, until the server responds."""
    with row.server.connect(row.work.address(), timeout=1) as connection:
        connection.send(opening)
        answer, begin = None, time.monotonic()
        while answer is None and time.monotonic() - begin < 60:
            connection.send(piece)
            with contextlib.suppress(OSError, raw.Broken):
                answer = connection.read()
        took = time.monotonic() - begin
        if row.expect(what, answer, 408, code="REQUEST_TIMEOUT"):
            row.case(f"{what}: its connection ends", connection.closes(15))
        row.case(f"{what}: after 20 to 30 seconds", 18 < took < 40, f"{took:.0f} s")


def creation(server, owner, address):
    fields = raw.basic(*owner) | TUS | {"Upload-Length": 1000, "X-Forwarded-For": address}
    return server.ask("POST", f"{API}/{owner[0]}/uploads", fields, b"", timeout=60)


@row(92, "one client with many addresses")
def many_addresses(row):
    with row.own_server("shares", "--trust-proxy", "127.0.0.0/8") as server:
        owner = row.create(server)
        made = [
            creation(server, owner, f"2001:db8:0:1::{number:x}").status
            for number in range(1, 26)
            for _ in range(1 if row.work.quick else 8)
        ]
        row.case("a /64 has 8 uploads", made.count(201) == 8 and set(made) == {201, 429}, f"{made.count(201)} made")
        row.expect("another client", creation(server, owner, "2001:db8:0:2::1"), 201)
        for number in range(25):
            for _ in range(8):
                creation(server, owner, f"2001:db8:1:{number:x}::1")
        row.expect("another beside 25 clients with 8", creation(server, owner, "192.0.2.7"), 201)
        found = [
            server.ask("POST", API, JSON | {"X-Forwarded-For": f"2001:db8:0:3::{number:x}"}, b"{}").status
            for number in range(1, 100)
        ]
        row.case("a /64 has 60 announcements at once", 429 in found and found.count(400) < 90, f"{found.count(400)}")
        answer = server.ask("POST", API, JSON | {"X-Forwarded-For": "2001:db8:0:4::1"}, b"{}")
        row.expect("another client's", answer, 400)


@row(93, "unfinished JSON with photos")
def unfinished(row):
    count, size = (8, 12 << 20) if row.work.quick else (60, 26 << 20)
    with row.own_server("unfinished") as server:
        photo = base64.b64encode(content(PHOTO)).decode()
        body = row.report(photo=photo)
        row.expect("one", server.ask("POST", BASE64, JSON, body, row.work.address(), timeout=60), 201)
        memory, waiting, most = server.memory(), [], 0
        piece = base64.b64encode(os.urandom(3 << 18))
        for _ in range(count):
            waiting.append(server.connect(row.work.address(), timeout=60))
            waiting[-1].send(raw.head("POST", BASE64, JSON | {"Content-Length": size}), b'{"photo":"')
        for _ in range(size // len(piece) - 1):
            for connection in waiting:
                connection.send(piece)
            most = max(most, server.memory() - memory)
        time.sleep(1)
        most = max(most, server.memory() - memory)
        row.case(f"{count} of {size >> 20} MiB cost less than 64 MB", most < 64_000_000, f"{most >> 20} MiB more")
        row.note = f"{most >> 20} MiB for {count} of {size >> 20} MiB"
        for connection in waiting:
            connection.close()
        row.case("nothing is kept", server.wait(lambda: not server.nameless(), 20))


@row(94, "pictures that clients don't read")
def unread(row):
    count = 60 if row.work.quick else 250
    with row.own_server("unread") as server:
        owner = row.create(server)
        body = raw.form(raw.part(png(row.work.dice, 2200)))
        row.expect(f"a picture of {len(body) >> 20} MiB", row.upload(owner, body, server=server, timeout=120), 201)
        path = row.photo_of(owner, server)
        server.ask("GET", path, timeout=60)
        time.sleep(2)
        memory, sockets, most = server.memory(), server.sockets(), 0
        waiting = [server.connect(row.work.address(), receive_buffer=4096) for _ in range(count)]
        for connection in waiting:
            connection.send(raw.request("GET", path))
        begin = time.monotonic()
        while time.monotonic() - begin < (8 if row.work.quick else 20):
            most = max(most, server.memory() - memory)
            time.sleep(0.1)
        row.case(f"{count} cost less than 64 MB", most < 64_000_000, f"{most >> 20} MiB more")
        row.case("they were served", server.sockets() >= sockets + count // 2, f"{server.sockets() - sockets}")
        row.note = f"{most >> 20} MiB for {count} of {len(body) >> 20} MiB"
        for connection in waiting:
            connection.close()


@row(96, "memory that a response leaves on an idle connection")
def answered(row):
    count, asks = 600, raw.request("GET", "/api/health")
    with row.own_server("idle") as server:
        for _ in range(200):
            server.ask("GET", "/api/health", source=row.work.address())
        sources, held = [row.work.address() for _ in range(20)], []

        def cost(opening):
            memory = server.memory()
            for number in range(count):
                held.append(server.connect(sources[number % 20], timeout=10))
                held[-1].send(opening)
                if opening:
                    row.expect("an answer", held[-1].read(), 200)
            time.sleep(1)
            return (server.memory() - memory) / count

        silent, full = cost(b""), cost(asks)
        row.case("less than 4 KiB", full - silent < 4 << 10, f"{full - silent:.0f} bytes")
        row.note = f"{silent:.0f} bytes without, {full:.0f} with one"
        for connection in held:
            connection.close()


@row(95, "Cache-Control of previews and pages")
def caches(row):
    """`AnnouncementsOverHTTPTests` has the picture's."""
    owner = row.create()
    row.expect("a photo", row.upload(owner), 201)
    answer = row.server.ask("GET", row.photo_of(owner) + "-preview")
    caching = answer["cache-control"]
    row.case("five minutes at most", caching == "public, max-age=300, must-revalidate", caching)
    cookie = (row.server.ask("GET", "/report/chip")["set-cookie"] or "").split(";")[0]
    for page in ("/report/chip", "/report/photo", f"/announcements/{owner[0]}"):
        answer = row.server.ask("GET", page, {"Cookie": cookie})
        row.case(f"{page} is never cached", answer.status in (200, 303) and "no-store" in answer["cache-control"])
