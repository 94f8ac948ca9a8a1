"""Rows 130 to 134: searches and lists in a large store, and clients that don't wait for the responses."""

import contextlib
import os
import random
import socket
import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import raw
from flooding import looks
from rows import API, JSON, median, row
from watching import read

COUNT = 20_000
# Each search scans all announcements: half of them have the one word, half the other (see `fill`).
VAIN = ("lake pond", "pond red lake", "wears lake pond")
FAMILY = "👨‍👩‍👧‍👦"


def search(words, path=API, limit=100):
    return f"{path}?q={words.replace(' ', '+')}&limit={limit}"


def cell(latitude, longitude, level=26):
    """Returns the code of a place, by which places are found: interleaved bits of longitude and latitude."""
    x, y = (int(share * (1 << level)) for share in ((longitude + 180) / 360, (latitude + 90) / 180))
    return sum((x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1 for bit in range(level))


def fill(row, server, count, **texts):
    """Copies an announcement with its photo until there are `count`, each at its own place and one second apart."""
    owner = row.create(server, **texts)
    row.expect("a photo", row.upload(owner, server=server), 201)
    server.stop()
    dice = random.Random(count)
    database = sqlite3.connect(os.path.join(server.petspot.cache, "database", "catalog.sqlite"))
    with contextlib.closing(database), database:
        names = [column[1] for column in database.execute("PRAGMA table_info(announcement)")]
        # Unique columns can't be copied.
        own = {
            name
            for index in database.execute("PRAGMA index_list(announcement)") if index[2]
            for *_, name in database.execute(f"PRAGMA index_info({index[1]})")
        }  # fmt: skip
        names = [name for name in names if name != "number"]
        (first,) = database.execute(f"SELECT {', '.join(names)} FROM announcement WHERE id = ?", owner[:1])
        for number in range(1, count):
            copy = dict(zip(names, first))
            place = dice.uniform(49, 55), dice.uniform(14, 24)
            copy |= dict.fromkeys(own & copy.keys()) | {"latitude": place[0], "longitude": place[1], "cell": cell(*place)}
            for name in ("id", "idempotency_key"):
                copy[name] = "%08x-0000-4000-8000-%012x" % (number, dice.getrandbits(48))
            copy["short_code"] = copy["id"]
            for name in ("created_at", "updated_at"):
                copy[name] -= 1000 * number
            marks = ", ".join("?" * len(copy))
            # Many announcements have one of the two words and none has both, so a search for both scans all.
            other = {"lake": "pond"} if number % 2 else {}
            copy["search"] = " ".join(other.get(word, word) for word in copy["search"].split(" "))
            made = database.execute(f"INSERT INTO announcement ({', '.join(copy)}) VALUES ({marks})", [*copy.values()])
            words = {other.get(word, word) for (word,) in database.execute(
                "SELECT word FROM announcement_word JOIN announcement ON announcement = number WHERE id = ?", owner[:1])}  # fmt: skip
            database.executemany("INSERT INTO announcement_word VALUES (?, ?)", [(word, made.lastrowid) for word in words])
    server.start()
    found = server.ask("GET", f"{API}?limit=100", timeout=60)
    row.case("the store has all of them", len(found.json["announcements"]) == 100, found)


def rests(server):
    """Returns whether the server uses no processor time for a while."""
    before = server.processor_seconds()
    time.sleep(0.5)
    return server.processor_seconds() - before < 0.1


@row(130, "abandoned searches")
def departed(row):
    with row.own_server("departed") as server:
        fill(row, server, COUNT, description="She ran away at the lake and wears a red collar. " * 5)
        before = server.processor_seconds()
        alone = max(row.timed(server, search(words), "a search alone", 2) for words in VAIN * 3)
        each = (server.processor_seconds() - before) / 9
        notes = [f"alone {alone:.2f} s, {each * 1000:.0f} ms of a core"]
        for what, path, sources in (
            ("one client's", API, [row.work.address()] * 60),
            ("one client's of the page", "/announcements", [row.work.address()] * 60),
            ("many clients'", API, [row.work.address() for _ in range(60)]),
        ):
            before = server.processor_seconds()
            for number, source in enumerate(sources):
                with server.connect(source) as connection:
                    connection.send(raw.request("GET", search(VAIN[number % 3], path)))
            longest = looks(row, server, f"beside {what}")
            found = row.timed(server, search("red", limit=20), f"a search beside {what}", 5)
            row.case(f"{what} end", server.wait(lambda: rests(server), 20))
            spent = server.processor_seconds() - before
            row.case(f"{what} cost less than half of 60", spent < 30 * each + 0.3, f"{spent:.1f} s of a core")
            notes.append(f"{what}: health and a page {longest:.2f} s, a search {found:.2f} s, {spent:.1f} s of a core")
        # A client that has closed its half of the connection no longer wants a response.
        before = server.processor_seconds()
        halves = [server.connect(row.work.address(), timeout=60) for _ in range(60)]
        for number, connection in enumerate(halves):
            connection.send(raw.request("GET", search(VAIN[number % 3])))
            connection.socket.shutdown(socket.SHUT_WR)
        longest = looks(row, server, "beside 60 that are half closed")
        statuses = [answer.status if answer else None for answer in (connection.read() for connection in halves)]
        row.case("they get a response or are refused", set(statuses) <= {200, 503, None}, set(statuses))
        row.case("most end early", statuses.count(200) < 45, f"{statuses.count(200)} answered")
        row.case("they end", server.wait(lambda: rests(server), 20))
        spent = server.processor_seconds() - before
        notes.append(f"60 half closed: {longest:.2f} s, {statuses.count(200)} answered, {spent:.1f} s of a core")
        for connection in halves:
            connection.close()
        row.note = "; ".join(notes)


@row(131, "searches on 32 connections of one client")
def greedy(row):
    with row.own_server("greedy") as server:
        fill(row, server, COUNT, description="She ran away at the lake and wears a red collar. " * 5)
        source, over, answers = row.work.address(), threading.Event(), []

        def ask(number):
            with server.connect(source, timeout=60) as connection:
                while not over.is_set():
                    connection.send(raw.request("GET", search(VAIN[number % 3])))
                    answer = connection.read()
                    answers.append(answer)
                    if answer is None or answer.status == 429:
                        time.sleep(0.1)

        with ThreadPoolExecutor(32) as pool:
            jobs = [pool.submit(ask, number) for number in range(32)]
            time.sleep(1)
            longest = found = created = 0
            for number in range(3):
                longest = max(longest, looks(row, server, f"round {number}"))
                found = max(found, row.timed(server, search("red", limit=20), "another's search", 5))
                begin = time.monotonic()
                row.expect("an announcement", server.ask("POST", API, JSON, row.report(), row.work.address(), 60), 201)
                created = max(created, time.monotonic() - begin)
            over.set()
            for job in jobs:
                job.result()
        row.case("it doesn't wait for them", created < 2 * row.work.slowness, f"{created:.2f} s")
        statuses = [answer.status if answer else None for answer in answers]
        row.case("the client's searches succeed or are refused", set(statuses) <= {200, 429}, set(statuses))
        row.case("with Retry-After", all(answer["retry-after"] for answer in answers if answer.status == 429))
        row.note = f"{statuses.count(200)} of its searches answered, {statuses.count(429)} refused; "
        row.note += f"health and a page {longest:.2f} s, another's search {found:.2f} s, an announcement {created:.2f} s"


@row(132, "the last pages of 20,000 announcements")
def deep(row):
    nearest = f"{API}?sort=distanceFromUser&lat=52.23&lng=21.01"
    with row.own_server("deep") as server:
        fill(row, server, COUNT, description="She ran away at the lake and wears a red collar. " * 5)

        def last(path, count):
            """Returns the cursor after `count` parts of a list."""
            after = ""
            for _ in range(count):
                after = "&after=" + server.ask("GET", f"{path}&limit=100{after}", timeout=60).json["next"]
            return after

        # After the 500 oldest ones there are 19,500 newer ones.
        oldest, far = last(f"{API}?sort=createdAtAscending", 5), last(nearest, 30)
        first = f"{API}?limit=20"
        notes = []
        with server.connect(row.work.address(), timeout=60) as connection:
            for what, path in {
                "the first part": first, "the last part": first + oldest,
                "its page": "/announcements?" + oldest[1:], "the 3,000th nearest": f"{nearest}&limit=20{far}",
            }.items():  # fmt: skip
                times = []
                for _ in range(9):
                    begin = time.monotonic()
                    connection.send(raw.request("GET", path))
                    answer = connection.read()
                    times.append(time.monotonic() - begin)
                    row.expect(what, answer, 200)
                took = median(times)
                row.case(f"{what} takes 100 ms at most", took < 0.1, f"{took * 1000:.0f} ms")
                notes.append(f"{what} {took * 1000:.0f} ms")
        # A search finds everything at once, and must return it in the same parts as a list.
        found, parts, after = server.ask("GET", search("red"), timeout=60).json, [], ""
        for _ in range(5):
            part = server.ask("GET", search("red", limit=20) + after, timeout=60).json
            parts, after = parts + part["announcements"], "&after=" + part["next"]
        row.case("a search of 100 is five of 20", found["announcements"] == parts and len(parts) == 100)
        row.case("and continues at the same place", found["next"] == after[7:], found["next"])
        items = server.ask("GET", f"{first}{oldest}").json["announcements"]
        newest = server.ask("GET", first).json["announcements"]
        row.case("it is the last one", len(items) == 20 and items[0]["createdAt"] < newest[-1]["createdAt"])
        row.case("and shows others", not {one["id"] for one in items} & {one["id"] for one in newest})
        row.note = ", ".join(notes)


@row(133, "long lists that clients don't read")
def unread(row):
    count = 60 if row.work.quick else 250
    with row.own_server("unread-lists") as server:
        # The largest number of bytes that 500 characters may have.
        fill(row, server, 200, description=FAMILY * 320)
        size = len(server.ask("GET", f"{API}?limit=100", timeout=60).body)
        row.case("a list is long", size > 800_000, f"{size} bytes")
        source, most, longest = row.work.address(), 0, 0
        waiting = [server.connect(source, receive_buffer=4096) for _ in range(count)]
        for connection in waiting:
            connection.send(raw.request("GET", f"{API}?limit=100"))
        begin, quiet = time.monotonic(), 0
        while time.monotonic() - begin < 12:
            most = max(most, server.memory())
            if time.monotonic() - quiet > 3:
                longest, quiet = max(longest, looks(row, server, "meanwhile")), time.monotonic()
            time.sleep(0.1)
        row.case(f"{count} of them take 400 MB at most", most < 400_000_000, f"{most >> 20} MiB")
        served = 0
        for connection in waiting:
            with contextlib.suppress(OSError):
                served += bool(connection.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
            connection.close()
        row.case("they were served", served > count // 2, f"{served}")
        row.note = f"{most >> 20} MiB for {count} lists of {size >> 10} KiB, {served} served; health and a page {longest:.2f} s"


@row(134, "1,000 pages of one client that disconnects at once")
def hurried(row):
    count, notes = 200 if row.work.quick else 1000, []
    with row.own_server("hurried") as server:
        fill(row, server, 200, description="She ran away at the lake and wears a red collar. " * 5)
        for path in ("/announcements?near=1", "/announcements?lat=52.23&lng=21.01&sort=nearest"):
            before = server.processor_seconds()
            for _ in range(60):
                row.expect(f"{path} alone", server.ask("GET", path, source=row.work.address()), 200)
            each, source = (server.processor_seconds() - before) / 60, row.work.address()
            before = server.processor_seconds()
            for _ in range(count):
                with server.connect(source) as connection:
                    connection.send(raw.request("GET", path))
            longest = looks(row, server, f"behind {count} of {path}")
            row.case(f"{count} of {path} end", server.wait(lambda: rests(server), 20))
            spent = server.processor_seconds() - before
            row.case(f"{count} of {path} cost less than half", spent < count * each / 2 + 0.2, f"{spent:.2f} s")
            notes.append(f"{path} {longest:.2f} s, {spent:.2f} s of a core instead of {count * each:.2f}")
        server.stop()
        log = read(server.log).decode()
    row.case("nothing failed", "level=error" not in log, log[-500:])
    row.note = "health and a page: " + ", ".join(notes)
