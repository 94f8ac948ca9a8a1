"""Rows 180, 185 and 186: the cost of decoding, requests that wait for a decoding photo, and event streams about it."""

import contextlib
import struct
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import raw
from flooding import looks
from hugesizes import png
from photosizes import LARGE
from resumable import BYTES, TUS
from rows import API, PHOTO, row

SIDE = 7060
PROXY = "127.9.9.9"


def heavy(count):
    """Returns PNGs of 49.8 megapixels with 16 bits per sample. They have some 400 KB, differ only in their texts,
    and take a decoder seconds."""
    packer = zlib.compressobj(1)
    data = b"".join(packer.compress(b"\0" + b"\x90\x10" * SIDE * 4) for _ in range(SIDE)) + packer.flush()
    return [png(struct.pack(">IIBBBBB", SIDE, SIDE, 16, 6, 0, 0, 0), data, b"%d" % number) for number in range(count)]


def uploaded(row, server, fields, photo):
    """Starts an upload whose photo is being decoded. Returns its path, its fields, and the connection that waits
    for the response."""
    owner = row.create(server)
    fields = fields | raw.basic(*owner) | TUS
    made = server.ask("POST", f"{API}/{owner[0]}/uploads", fields | {"Upload-Length": len(photo)}, b"", PROXY, 60)
    path = "/" + made["location"].split("/", 3)[3]
    connection = server.connect(PROXY, timeout=300)
    connection.send(raw.request("PATCH", path, fields | BYTES | {"Upload-Offset": 0}, photo))
    return path, fields, connection


@row(180, "heavy photos of one client don't delay another's", slow=True)
def heavy_before_light(row):
    with row.own_server("heavy") as server:
        count = 8
        greedy, over, sent = row.work.address(), threading.Event(), []
        owners, forms = [row.create(server) for _ in range(5 * count)], [raw.form(raw.part(one)) for one in heavy(count)]
        mine, path = row.create(server), PHOTO if "debug" in row.work.binary else LARGE
        row.expect("an ordinary one alone", row.upload(mine, server=server, path=path), 201)

        def send(number):
            while owners and not over.is_set():
                with contextlib.suppress(OSError, raw.Broken):
                    # A repeated photo gets a response without decoding, so each one goes to a new announcement.
                    answer = row.upload(owners.pop(), forms[number], server=server, source=greedy, timeout=300)
                    sent.append(answer and answer.status)

        with ThreadPoolExecutor(count) as pool:
            jobs = [pool.submit(send, number) for number in range(count)]
            time.sleep(3)
            times, longest = [], 0
            for _ in range(3):
                begin = time.monotonic()
                answer = row.upload(row.create(server), server=server, path=path, timeout=300)
                row.expect("an ordinary one meanwhile", answer, 201)
                times.append(time.monotonic() - begin)
                longest = max(longest, looks(row, server, "meanwhile"))
            over.set()
            for job in jobs:
                job.result()
        row.case("an ordinary one takes 5 s at most", max(times) < 5, f"{max(times):.1f} s")
        row.case("heavy ones are taken, too", 201 in sent, f"{sent}")
        row.note = (
            f"{max(times):.1f} s at most beside {count} heavy ones, health and a page {longest:.2f} s; "
            f"{len(sent)} heavy ones answered"
        )


@row(185, "abandoned requests for an upload that is being decoded", slow=True)
def heads(row):
    with row.own_server("heads", "--trust-proxy", "127.0.0.0/8") as server:
        fields = {"X-Forwarded-For": "198.51.100.7"}
        row.expect("a photo", row.upload(row.create(server), server=server), 201)
        time.sleep(1)
        memory = server.memory()
        waiting = [uploaded(row, server, fields, photo) for photo in heavy(6)]
        time.sleep(1)
        with contextlib.ExitStack() as open_ones:
            for other, theirs, _ in waiting[-2:]:
                one = open_ones.enter_context(server.connect(PROXY, timeout=60))
                one.send(raw.request("HEAD", other, theirs))
            time.sleep(0.5)
            # The second wait for one upload, and the third of one client, are refused.
            for what, (other, theirs, _) in (("the same upload", waiting[-1]), ("a third upload", waiting[-3])):
                for method in ("HEAD", "DELETE", "PATCH"):
                    more = BYTES | {"Upload-Offset": len(heavy(1)[0])} if method == "PATCH" else {}
                    begin = time.monotonic()
                    with server.connect(PROXY, timeout=60) as connection:
                        connection.send(raw.request(method, other, theirs | more, b"" if more else None))
                        answer = connection.read(method)
                    took = time.monotonic() - begin
                    row.expect(f"{method} of {what}", answer, 503)
                    row.case(f"{method} of {what} at once", took < 2, f"{took:.1f} s")
                    row.case(f"{method} of {what}: Retry-After", answer["retry-after"] == "1", answer["retry-after"])
        # Decoding continues all the time, so its cost is subtracted.
        before = server.processor_seconds()
        time.sleep(4)
        judging = server.processor_seconds() - before
        count = 1000 if row.work.quick else 4000
        for number in range(count):
            with contextlib.suppress(OSError), server.connect(PROXY, timeout=10) as connection:
                connection.send(raw.request("HEAD", *waiting[number % 6][:2]))
        longest = looks(row, server, "meanwhile")
        time.sleep(1)
        before = server.processor_seconds()
        time.sleep(4)
        busy = server.processor_seconds() - before
        row.case("no work for clients that left", busy < judging + 1.5, f"{busy:.1f} s of 4, {judging:.1f} before")
        grown = server.memory() - memory
        row.case("memory grows by less than 100 MB", grown < 100 << 20, f"{grown >> 20} MiB")
        for _, _, connection in waiting:
            connection.close()
        row.note = f"{count} HEADs left, {busy:.1f} s of 4 busy, {grown >> 20} MiB, health {longest:.2f} s"


def draft(server, source):
    """Returns the cookie of a new draft."""
    return {"Cookie": server.ask("GET", "/report/chip", source=source)["set-cookie"].split(";")[0]}


def stream(server, source, cookie):
    """Opens an event stream and reads its first status."""
    connection = server.connect(source, timeout=30)
    fields = {"Accept": "text/event-stream", "Connection": "close"}
    connection.send(raw.request("GET", "/report/photo/status", cookie | fields))
    while b'"status":' not in connection.received and connection.fill():
        pass
    return connection


@row(186, "event streams")
def streams(row):
    with row.own_server("streams") as server:
        source = row.work.address()
        cookie = draft(server, source)
        older, elsewhere = stream(server, source, cookie), stream(server, row.work.address(), cookie)
        newer = stream(server, source, cookie)
        row.case("a newer one of a draft and client ends the older one", older.closes(10))
        row.case("but no other stream", not elsewhere.closes(1) and not newer.closes(1))
        many = [stream(server, source, draft(server, source)) for _ in range(40)]
        time.sleep(2)
        server.ask("GET", "/api/health")
        living = sum(not one.closes(0.05) for one in many)
        row.case("one client has 32 at most", 16 <= living <= 32, f"{living}")
        for one in (*many, older, elsewhere, newer):
            one.close()
        count = 400 if row.work.quick else 2000
        sources = [row.work.address() for _ in range(count // 20)]
        drafts = [(sources[number % len(sources)], draft(server, sources[number % len(sources)])) for number in range(count)]
        # The memory of connections is reused, so only what a stream adds to its connection is new.
        memory, open_ones = server.memory(), []
        for source, _ in drafts:
            open_ones.append(server.connect(source))
            open_ones[-1].send(raw.request("GET", "/api/health"))
            open_ones[-1].read()
        connection = (server.memory() - memory) / count
        for one in open_ones:
            one.close()
        time.sleep(2)
        memory, open_ones = server.memory(), [stream(server, *one) for one in drafts]
        time.sleep(2)
        each = (server.memory() - memory) / count
        # Task frames are larger without optimization.
        most = 60_000 if "debug" in row.work.binary else 20_000
        row.case(f"each takes below {most // 1000} KB", each < most, f"{each:.0f} bytes")
        looks(row, server, "beside them")
        for one in open_ones:
            one.close()
        row.case("they end with their clients", server.wait(lambda: server.sockets() < 50, 5), f"{server.sockets()} sockets")
        row.note = f"{count} of {each:.0f} bytes on connections of {connection:.0f}"
