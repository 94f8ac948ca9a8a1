"""Rows 63, 64 and 66: read-only disks, missing descriptors and decompression bombs."""

import itertools
import os
import resource
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import raw
from board import IMAGES
from disk import Mount
from pictures import png
from rows import API, JSON, Skip, content, row
from watching import listed


@row(63, "a disk that becomes read-only", root=True)
def read_only(row):
    """`faults http-errors` fills the disk."""
    try:
        mount = Mount(row.work, "size=24m,nr_inodes=2000")
    except subprocess.CalledProcessError:
        raise Skip("a tmpfs cannot be mounted here") from None
    with mount, row.own_server("disk", cache=os.path.join(mount.path, "cache")) as server:
        owner, photo = row.create(server), raw.form(raw.part(png(row.work.dice, 400)))
        row.expect("writable", row.upload(owner, server=server), 201)
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


BOMBS = [
    "zlib-bomb-20000.png", "canvas-65000.png", "canvas-65535.jpg", "canvas-65535.gif", "canvas-65536.webp", "half.gif",
    "half.webp", "scans-900.jpg", "tiles-10000.heic", "many-items.heic", "solid-16383.webp", "cut-732.jpg", "crc.png",
]  # fmt: skip


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
