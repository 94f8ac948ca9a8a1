"""Row 121: clients that waste the work of making sizes."""

import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from board import IMAGES
from rows import API, PHOTO, row

LARGE = os.path.join(IMAGES, "large.jpg")


def made(server):
    """Returns the number of sizes in the cache."""
    return sum(len(files) for _, _, files in os.walk(os.path.join(server.petspot.cache, "sizes")))


def sizes_of(server, owner):
    """Returns the paths of an announcement's sizes."""
    return ["/" + one["url"].split("/", 3)[3] for one in server.ask("GET", f"{API}/{owner[0]}").json["photoSizes"]]


@row(121, "one client requests all sizes of many photos")
def all_sizes(row):
    with row.own_server("all-sizes") as server:
        owners = [row.create(server) for _ in range(6 if row.work.quick else 40)]
        for owner in owners:
            # A debug build takes minutes for all sizes of a large photo.
            path = PHOTO if "debug" in row.work.binary else LARGE
            row.expect("a photo", row.upload(owner, server=server, path=path), 201)
        paths = [path for owner in owners for path in sizes_of(server, owner)]
        greedy, other, over, found = row.work.address(), row.work.address(), threading.Event(), []

        def take(path):
            if not over.is_set():
                answer = server.ask("GET", path, source=greedy, timeout=120)
                found.append((answer.status, answer["retry-after"]) if answer else (None, None))

        with ThreadPoolExecutor(64) as pool:
            jobs = [pool.submit(take, path) for path in paths]
            time.sleep(1)
            longest = 0
            for number in range(20):
                begin = time.monotonic()
                page = server.ask("GET", "/" if number % 2 else f"/announcements/{owners[0][0]}", source=other, timeout=60)
                longest = max(longest, time.monotonic() - begin)
                row.expect("another's page", page, 200)
                time.sleep(0.05)
            begin = time.monotonic()
            own = server.ask("GET", paths[-1], source=other, timeout=120)
            waited = time.monotonic() - begin
            row.expect("another's size", own, 200)
            over.set()
            for job in jobs:
                job.result()
        row.case("others' pages take 200 ms at most", longest < 0.2 * row.work.slowness, f"{longest * 1000:.0f} ms")
        row.case("another's size waits only for a few of them", waited < 5 * row.work.slowness, f"{waited:.1f} s")
        statuses = {status for status, _ in found}
        row.case("the client gets its sizes, or 429", statuses <= {200, 429}, statuses)
        row.case("its refused requests get a Retry-After", all(wait for status, wait in found if status == 429))
        row.note = f"{len(found)} asked, {sum(status == 429 for status, _ in found)} of them 429; a page {longest * 1000:.0f} ms"
