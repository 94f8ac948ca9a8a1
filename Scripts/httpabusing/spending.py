"""Rows 110 to 114: what one client can use up, and what remains for others."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import raw
from files import write
from owners import close
from pictures import png
from rows import API, JSON, row

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@row(110, "announcements while 40 threads guess codes")
def guessing_beside(row):
    with row.own_server("guesses") as server:
        ids = [row.create(server)[0] for _ in range(10 if row.work.quick else 50)]
        guesser, over, guesses = row.work.address(), threading.Event(), []

        def guess(number):
            while not over.is_set():
                answer = close(server, (ids[number % len(ids)], f"GUESS-{number}"), guesser)
                guesses.append(answer.status if answer else None)
                number += 1
                time.sleep(0.05)  # because one address has only 28,000 ports per minute

        with ThreadPoolExecutor(40) as pool:
            running = [pool.submit(guess, number) for number in range(40)]
            time.sleep(1)
            answers, longest = [], 0
            for number in range(15):
                begin = time.monotonic()
                # The guesser's own address may also announce.
                source = guesser if number % 3 == 0 else row.work.address()
                answers.append(server.ask("POST", API, JSON, row.report(), source, timeout=60))
                longest = max(longest, time.monotonic() - begin)
            over.set()
            for job in running:
                job.result()
        for answer in answers:
            row.expect("an honest announcement", answer, 201)
        row.case("none waits long", longest < 3 * row.work.slowness, f"{longest:.1f} s")
        row.case("guesses are 403 or 429", set(guesses) <= {403, 429}, f"{set(guesses)}")
        row.note = f"{len(guesses)} guesses, {guesses.count(403)} compared, announcing took {longest:.1f} s at most"


@row(111, "wrong codes of a neighbor with the same address")
def neighbor(row):
    with row.own_server("neighbor") as server:
        owner, other, address = row.create(server), row.create(server), row.work.address()
        server.stop()
        server.start()  # the server remembers no tries
        for number in range(5):
            row.expect("a neighbor's wrong code", close(server, (owner[0], f"WRONG-{number}"), address), 403)
        # Also at another announcement, until no try is left there.
        found = [close(server, (other[0], f"WRONG-{number}"), address) for number in range(10)]
        row.expect("the last of ten more", found[-1], 429)
        row.case("it has a Retry-After", found[-1]["retry-after"] is not None)
        row.expect("the owner at the same address", close(server, owner, address), 204)


@row(112, "announced chips can't be probed")
def chips(row):
    chip, other, address = "985112003456789", "985112009876543", row.work.address()
    row.expect("it is announced", row.upload(row.create(microchipNumber=chip)), 201)

    def announce(chip, source=address):
        return row.server.ask("POST", API, JSON, row.report(microchipNumber=chip), source, timeout=60)

    found = [announce(chip) for _ in range(12)]
    row.expect("first", found[0], 409, code="CONFLICT", field="microchipNumber")
    row.expect("soon", found[-1], 429, code="TOO_MANY_REQUESTS")
    row.case("few get a 409", sum(answer.status == 409 for answer in found) <= 7)
    row.case("it has a Retry-After", found[-1]["retry-after"] is not None)
    row.expect("a free chip, too", announce(other), 429)
    row.expect("an announcement without a chip", announce(None), 201)
    row.expect("another client", announce(other, row.work.address()), 201)


class Browser:
    """A draft in a browser, with one client address."""

    def __init__(self, row, server, address):
        self.row, self.server, self.address = row, server, address
        answer = server.ask("GET", "/report/chip", source=address)
        self.cookie = {"Cookie": answer["set-cookie"].split(";")[0]}

    def send(self, picture):
        body = raw.form(raw.part(picture, b'name="photo"; filename="noise.png"', (b"Content-Type: image/png",)))
        return self.server.ask("POST", "/report/photo", self.cookie | raw.form_type(), body, self.address, timeout=60)

    @property
    def status(self):
        return self.server.ask("GET", "/report/photo/status", self.cookie, source=self.address).json["status"]


@row(113, "old drafts are deleted only within their client's share")
def shares(row):
    # A client's share is a twentieth, 500 KB: it fits three of these pictures, but not four.
    with row.own_server("shares", "--draft-space", "10000000") as server:
        stranger, small, large = row.work.address(), [png(row.work.dice, 200) for _ in range(8)], png(row.work.dice, 420)
        neighbor = Browser(row, server, row.work.address())
        row.expect("a neighbor's photo", neighbor.send(small[0]), 303)
        own = server.petspot.run("attach", write(row.work.folder + "/own.png", small[1]))
        row.case("one from the command line", own.exit == 0)
        published = row.create(server)
        row.expect("an announced one", row.upload(published, raw.form(raw.part(small[2])), server=server), 201)
        browsers = []
        for number, picture in enumerate(small):
            browsers.append(Browser(row, server, stranger))
            row.expect(f"photo {number}", browsers[-1].send(picture), 303)
        found = [browser.status for browser in browsers]
        row.case("its oldest are deleted", found[:4] == ["empty"] * 4, f"{found}")
        row.case("its newest stay", found[-3:] == ["confirmed"] * 3, f"{found}")
        row.case("it stays within its share", sum(status == "confirmed" for status in found) <= 4, f"{found}")
        answer = Browser(row, server, stranger).send(large)
        row.expect("one that is larger than the share", answer, 429)
        row.case("it has a Retry-After", answer["retry-after"] is not None)
        row.case("nothing was deleted for it", browsers[-1].status == "confirmed")
        row.case("the neighbor's stays", neighbor.status == "confirmed")
        row.case("the command line's stays", server.petspot.run("status").status == "confirmed")
        row.case("the announced one stays", row.picture(published, server) is not None)
        with open(server.log, encoding="utf-8", errors="replace") as log:
            row.case("the log reports deletions", "drafts deleted to make room" in log.read())
        swept = server.petspot.run("sweep", "--draft-space", "200000")
        row.case("sweep reports deletions", swept.json.get("removedDraftsOverSpace", 0) >= 2, f"{swept.output}")
        row.case("the command line's stays", server.petspot.run("status").status == "confirmed")


@row(114, "300 drafts at once")
def rapid(row):
    with row.own_server("rapid") as server:
        address = row.work.address()
        with ThreadPoolExecutor(16) as pool:
            found = list(
                pool.map(
                    lambda number: server.ask("POST", "/report/chip", FORM, b"chip=%d" % (10**14 + number), address, 60),
                    range(300),
                )
            )
        statuses = [answer.status for answer in found if answer]
        row.case("all get a response", len(statuses) == 300 and set(statuses) <= {303, 429}, f"{set(statuses)}")
        row.case("few are created", statuses.count(303) <= 100, f"{statuses.count(303)}")
        row.case("refusals have a Retry-After", all(answer["retry-after"] for answer in found if answer.status == 429))
        other = server.ask("POST", "/report/chip", FORM, b"chip=985112003456789", row.work.address(), 60)
        row.expect("another client's", other, 303)
        row.note = f"{statuses.count(303)} made"
