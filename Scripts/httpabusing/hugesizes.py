"""Rows 122, 123 and 135: huge pictures from small files, and their sizes, in competition with ordinary requests."""

import contextlib
import signal
import struct
import subprocess
import time
import zlib
from concurrent.futures import ThreadPoolExecutor

import raw
from flooding import looks
from photosizes import LARGE, made, sizes_of
from rows import PHOTO, row
from watching import listed, states

SIDE = 12_000


def solid(color, sample_bytes=1, texts=(b"",)):
    """Returns PNGs of 144 megapixels and a single color that differ only in their texts. They are gray with 140 KB
    each, or 16-bit RGB with 6 bytes per pixel, which takes seconds to decode."""
    packer = zlib.compressobj(6 if sample_bytes == 1 else 1)
    data = b"".join(packer.compress(b"\0" + bytes([color]) * SIDE * sample_bytes) for _ in range(SIDE)) + packer.flush()
    depth = (8, 0) if sample_bytes == 1 else (16, 2)
    return [png(struct.pack(">IIBBBBB", SIDE, SIDE, *depth, 0, 0, 0), data, text) for text in texts]


def png(header, data, text):
    chunks = ((b"IHDR", header), (b"tEXt", b"Comment\0" + text), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def publish(row, server, count):
    """Publishes `count` huge pictures and returns the paths of all their sizes."""
    paths = []
    for number in range(count):
        owner = row.create(server)
        answer = row.upload(owner, raw.form(raw.part(*solid(number))), server=server, timeout=300)
        row.expect(f"a huge photo {number}", answer, 201)
        paths += sizes_of(server, owner)
    return paths


def ask_for(server, paths, source):
    """Requests these sizes in this order. Returns the waiting connections."""
    waiting = []
    for path in paths:
        waiting.append(server.connect(source, timeout=300))
        waiting[-1].send(raw.request("GET", path))
        time.sleep(0.01)
    return waiting


def busy(server):
    """Returns the number of decoders that are computing."""
    count = 0
    for child in server.decoders():
        with contextlib.suppress(OSError):
            count += "R" in states(child, listed(f"/proc/{child}/task"))
    return count


@row(122, "sizes of huge pictures don't delay an ordinary one", slow=True)
def inversion(row):
    with row.own_server("inversion") as server:
        paths = publish(row, server, 1 if row.work.quick else 3)
        owner = row.create(server)
        row.expect("an ordinary photo", row.upload(owner, server=server, path=LARGE), 201)
        own = sizes_of(server, owner)
        small = next(path for path in own if path.endswith("-320.jpg"))
        other = next(path for path in own if path.endswith("-320.webp"))
        # The server makes the link picture of each photo on its own, whoever else is waiting.
        links = (1 if row.work.quick else 3) + 1
        ready = server.wait(lambda: made(server) >= links and busy(server) == 0, 120 * row.work.slowness)
        row.case("nothing is being made", ready, f"{made(server)} of {links}")
        greedy = row.work.address()
        # The size that the greedy client requests last is also the one that another client waits for.
        waiting = ask_for(server, [*paths[:27], small], greedy)
        time.sleep(0.2)
        longest = 0
        for what, path in (("the size that it requested last", small), ("another one", other)):
            begin = time.monotonic()
            row.expect(what, server.ask("GET", path, source=row.work.address(), timeout=300), 200)
            took = time.monotonic() - begin
            row.case(f"{what} comes within 5 s", took < 5, f"{took:.1f} s")
            longest = max(longest, took)
        page = looks(row, server, "meanwhile")
        row.case("the greedy client's sizes are still being made", busy(server) > 0)
        for connection in waiting:
            connection.close()
        begin = time.monotonic()
        ended = server.wait(lambda: busy(server) == 0, 30)
        took = time.monotonic() - begin
        row.case("abandoned work ends", ended and took < 3, f"{took:.1f} s")
        row.expect("it can be requested again", server.ask("GET", paths[0], source=greedy, timeout=300), 200)
        row.note = f"{len(waiting)} asked for before; an honest size {longest:.1f} s, a page {page * 1000:.0f} ms"


@row(123, "SIGTERM while sizes of huge pictures are made", slow=True)
def ending(row):
    with row.own_server("ending") as server:
        waiting = ask_for(server, publish(row, server, 1 if row.work.quick else 3)[:27], row.work.address())
        row.case("they are being made", server.wait(lambda: busy(server) > 0, 10))
        begin = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        try:
            code = server.process.wait(60)
        except subprocess.TimeoutExpired:
            code = "hangs"
        took = time.monotonic() - begin
        row.case("it exits with 0", code == 0, f"{code}")
        row.case("within 20 s", took < 20, f"{took:.1f} s")
        for connection in waiting:
            with contextlib.suppress(OSError, raw.Broken):
                answer = connection.read()
                row.case("waiting clients get a response", answer is None or answer.status in (200, 503), answer)
            connection.close()
        row.note = f"{took:.1f} s, exit {code}"


@row(135, "huge uploads don't delay an ordinary one", slow=True)
def uploads(row):
    with row.own_server("huge-uploads") as server:
        count = 3 if row.work.quick else 6
        owners = [row.create(server) for _ in range(count + 1)]
        pictures = [raw.form(raw.part(one)) for one in solid(9, 6, [b"%d" % number for number in range(count + 1)])]
        mine = row.create(server)
        row.expect("an ordinary photo", row.upload(mine, server=server), 201)

        def send(number):
            begin = time.monotonic()
            row.expect("a huge one", row.upload(owners[number], pictures[number], server=server, timeout=300), 201)
            return time.monotonic() - begin

        alone, times, longest = send(count), [], 0
        with ThreadPoolExecutor(count) as pool:
            jobs = [pool.submit(send, number) for number in range(count)]
            row.case("they are being decoded", server.wait(lambda: busy(server) > 0, 10))
            while not all(job.done() for job in jobs):
                begin = time.monotonic()
                row.expect("an ordinary one meanwhile", row.upload(mine, server=server, path=PHOTO), 201)
                times.append(time.monotonic() - begin)
                longest = max(longest, looks(row, server, "meanwhile"))
                time.sleep(0.2)
            found = [job.result() for job in jobs]
        # If huge pictures held all decoders, an ordinary one would take as long as a huge one next to others.
        row.case("an ordinary one waits for none of them", max(times) < max(1, alone / 2), f"{max(times):.1f} s")
        row.note = (
            f"{len(times)} ordinary ones, {max(times):.1f} s at most; a huge one alone {alone:.1f} s, {count} at once "
            f"{min(found):.1f} to {max(found):.1f} s; health and a page {longest:.2f} s"
        )
