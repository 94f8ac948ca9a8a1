"""Rows 63 to 67: full disks, missing descriptors, busy slots, decompression bombs, killed decoders and locked
catalogs."""

import contextlib
import itertools
import os
import resource
import signal
import sqlite3
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import caches
import raw
from board import IMAGES
from disk import Mount
from pictures import png
from rows import API, JSON, Skip, content, row
from watching import is_caged, listed, states


@row(63, "a full disk and a read-only disk", root=True)
def full_disk(row):
    try:
        mount = Mount(row.work, "size=24m,nr_inodes=2000")
    except subprocess.CalledProcessError:
        raise Skip("a tmpfs cannot be mounted here") from None
    with mount, row.own_server("disk", cache=os.path.join(mount.path, "cache")) as server:
        owner = row.create(server)
        row.expect("with space", row.upload(owner, server=server), 201)
        old, photo = row.picture(owner, server), raw.form(raw.part(png(row.work.dice, 400)))
        amounts = (0, 4096, 65_536, 300_000, 500_000) if row.work.quick else [0, 4096, *range(16_384, 700_000, 32_768)]
        for free in amounts:
            mount.fill(free)
            answer = row.upload(owner, photo, server=server)
            row.expect(f"{free} bytes free", answer, 507, 201)
            if answer and answer.status == 507:
                row.case("the code is STORAGE_FULL", answer.code == "STORAGE_FULL")
                row.case("the old photo stays", row.picture(owner, server) == old)
            else:
                old = row.picture(owner, server)
            mount.release()
        mount.fill(0)
        answer = server.ask("POST", API, JSON, row.report(), row.work.address())
        row.expect("no space for an announcement", answer, 507, 503, 201)
        mount.release()
        mount.fill(0, "inodes")
        row.expect("no inodes", row.upload(owner, photo, server=server), 507, 201)
        mount.release()
        row.expect("space again", row.upload(owner, server=server), 201)
        old, server.may_fail = row.picture(owner, server), True
        remount = ["mount", "-o", "remount,ro", mount.path]
        if subprocess.run(remount, capture_output=True).returncode == 0:
            row.expect("read-only", row.upload(owner, photo, server=server), 500, 503, 507)
            mount.remount("rw")
        else:
            row.note = "it cannot be made read-only while the server writes"
        server.may_fail = False
        row.case("the old photo stays", row.picture(owner, server) == old)
        row.expect("writable again", row.upload(owner, photo, server=server), 201)
        row.case("verify", server.petspot.run("verify", "--all").exit == 0)
        server.stop()


@row(64, "no free descriptors")
def no_descriptors(row):
    with row.own_server("descriptors") as server:
        owner = row.create(server)
        row.expect("with enough", row.upload(owner, server=server), 201)
        old, body, seen = row.picture(owner, server), raw.form(raw.part(png(row.work.dice, 60, depth=16))), []
        soft, hard = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
        for left in (1, 2, 3, 5, 8) if row.work.quick else range(1, 16):
            with server.connect(row.work.address(), timeout=30) as connection:
                connection.send(row.opening(owner, len(body)))
                time.sleep(0.05)
                resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (limit_leaving(server, left), hard))
                connection.send(body)
                answer = connection.read()
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (soft, hard))
            seen.append(answer and answer.status)
            if row.expect(f"{left} left", answer, 201, 503) and answer.status == 503:
                row.case("it has a Retry-After", answer["retry-after"])
                row.case("the old photo stays", row.picture(owner, server) == old)
            old = row.picture(owner, server)
        # Without any descriptor the server can't accept connections. Those that wait are served as soon as it can.
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (3, hard))
        with server.connect(row.work.address(), timeout=30) as connection:
            connection.send(raw.request("GET", API))
            time.sleep(1)
            resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (soft, hard))
            row.expect("one that had to wait", connection.read(), 200)
        row.case("the server lives", server.runs)
        row.expect("enough again", row.upload(owner, server=server), 201)
        row.note = f"answers: {seen}"
    first_without(row)


def first_without(row):
    """Nothing that a server does for the first time may need a descriptor. It reads its own files at startup."""
    for path, fields, body in (("/", {}, None), ("/nowhere", {}, None), (API, JSON, b"{}"), (API, JSON, row.report())):
        with row.own_server("first") as server:
            hard = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)[1]
            with server.connect(row.work.address(), timeout=30) as connection:
                connection.send(raw.request("GET", "/api/v1/announcements"))
                connection.read()
                resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (3, hard))
                connection.send(raw.request("POST" if body else "GET", path, fields, body))
                answer = connection.read()
                resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (hard, hard))
            row.expect(f"the first {path}", answer, 200, 201, 400, 404, 503)
            if row.case(f"the server survives the first {path}", server.runs):
                row.case("its pages have their texts", b"home.hero.title" in server.ask("GET", "/").body)


def limit_leaving(server, left):
    """Returns the limit with which `left` descriptors can still be opened. A new descriptor takes the lowest free
    number."""
    used = {int(number) for number in listed(f"/proc/{server.pid}/fd")}
    free = (number for number in itertools.count() if number not in used)
    return next(itertools.islice(free, left - 1, None)) + 1


@row(65, "one more upload while 64 are unfinished")
def crowd(row):
    with row.own_server("crowd") as server:
        owner = row.create(server)
        opening = row.opening(owner, 100_000) + raw.form(raw.part(b"x"))[:100]
        waiting = [server.connect(row.work.address()) for _ in range(64)]
        for connection in waiting:
            connection.send(opening)
        # The server checks the passwords one at a time.
        row.server.wait(lambda: server.ask("GET", "/api/health").status != 200, 3)
        # None of the uploads needs a decoder yet, so the server asks for one more body.
        for _ in range(3):
            with server.connect(row.work.address()) as connection:
                connection.send(row.opening(owner, 100_000, Expect="100-continue"))
                while not connection.received and connection.fill():
                    pass
                row.case("one more", connection.received.startswith(b"HTTP/1.1 100"), f"{connection.received[:40]!r}")
        row.expect("one more, whole", row.upload(owner, server=server), 201)
        row.expect("pages are still served", server.ask("GET", API), 200)
        for connection in waiting:
            connection.close()
        row.case("nothing is kept", server.wait(lambda: not server.nameless(), 20))


BOMBS = [
    "zlib-bomb-20000.png",
    "canvas-65000.png",
    "canvas-65535.jpg",
    "canvas-65535.gif",
    "canvas-65536.webp",
    "half.gif",
]
BOMBS += [
    "half.webp",
    "scans-900.jpg",
    "tiles-10000.heic",
    "many-items.heic",
    "solid-16383.webp",
    "cut-732.jpg",
    "crc.png",
]


@row(66, "50 decompression bombs among 100 photos")
def bombs(row):
    owners = [row.create() for _ in range(4 if row.work.quick else 10)]
    normal, bad = (8, 6) if row.work.quick else (100, 50)
    kinds = [None] * normal + [BOMBS[number % len(BOMBS)] for number in range(bad)]
    row.work.dice.shuffle(kinds)
    work = [(owners[number % len(owners)], kind) for number, kind in enumerate(kinds)]

    def one(owner):
        found = []
        for whose, kind in work:
            if whose is owner:
                photo = png(row.work.dice, 40, depth=16) if kind is None else content(os.path.join(IMAGES, kind))
                found.append((kind, row.upload(owner, raw.form(raw.part(photo)), timeout=120)))
        return found

    with ThreadPoolExecutor(len(owners)) as pool:
        for kind, answer in (pair for found in pool.map(one, owners) for pair in found):
            if kind is None:
                row.expect("a photo", answer, 201)
            elif row.expect(kind, answer, 422, code="INVALID_PHOTO"):
                row.case(f"{kind}: its reason", answer.error.get("reason"))


@row(67, "killed decoders, and a catalog that is locked by another process")
def held(row):
    with row.own_server("held") as server:
        owner = row.create(server)
        row.expect("at first", row.upload(owner, server=server), 201)
        old, killed, failed = row.picture(owner, server), 0, 0
        for _ in range(1 if row.work.quick else 20):
            slow = raw.form(raw.part(png(row.work.dice, 1000, depth=16)))
            with ThreadPoolExecutor(1) as pool:
                running = pool.submit(row.upload, owner, slow, None, server)
                killed += kill_busy(server, running)
                answer = running.result()
            failed += answer is None or answer.status != 201
            row.expect("a killed decoder", answer, 201, 422, 503)
            shown = row.picture(owner, server)
            row.case("a whole photo is shown", shown == old or answer.status == 201)
            old = shown
            row.expect("the next", row.upload(owner, server=server), 201)
            old = row.picture(owner, server)
        row.note = f"{killed} killed, {failed} uploads failed"
        if row.work.quick:
            return
        catalog = caches.catalog(server.petspot)
        with contextlib.closing(sqlite3.connect(catalog, isolation_level=None, timeout=30)) as db:
            db.execute("BEGIN EXCLUSIVE")
            acts = {
                "a create": lambda: server.ask("POST", API, JSON, row.report(), row.work.address(), timeout=30),
                "an upload": lambda: row.upload(owner, server=server, timeout=30),
            }
            for what, act in acts.items():
                begin = time.monotonic()
                answer = act()
                took = time.monotonic() - begin
                row.expect(f"{what} meanwhile", answer, 503, code="UNAVAILABLE")
                row.case(f"{what} has a Retry-After", answer and answer["retry-after"])
                row.case(f"{what} waits for 10 s at most", took < 14, f"{took:.0f} s")
            db.execute("ROLLBACK")
        row.expect("afterwards", row.upload(owner, server=server), 201)
        row.case("verify", server.petspot.run("verify", "--all").exit == 0)


def kill_busy(server, running):
    """Kills a computing decoder. Returns the number of killed ones."""
    while not running.done():
        for child in server.decoders():
            if "R" in states(child, listed(f"/proc/{child}/task")) and is_caged(child):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
                    return 1
        time.sleep(0.001)
    return 0
