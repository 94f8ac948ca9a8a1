"""`Scripts/bench search`: searches for words in many announcements over HTTP, by several concurrent readers."""

import bisect
import http.client
import itertools
import random
import sqlite3
import threading
import time
import urllib.parse

import landing
import results
import running
from comparing import fresh
from holding import percentile
from measuring import load_note

MOST, WORDS, VOCABULARY = 50.0, 26, 30_000  # milliseconds of 99 in 100 searches; words per announcement, and in all
SYLLABLES = [first + second for first in "bcdfghklmnprstwz" for second in "aeiouy"]
SPECIES = {"dog": ("dog", "pies"), "cat": ("cat", "kot")}


class Words:
    """Words with frequencies by Zipf's law, the same ones every time."""

    def __init__(self):
        chance, found = random.Random(53), {}
        while len(found) < VOCABULARY:
            syllables = (chance.choice(SYLLABLES) for _ in range(chance.randint(2, 4)))
            found["".join(syllables) + chance.choice(["", "k", "n", "s", "r"])] = True
        self.all, self.sums = list(found), list(itertools.accumulate(1 / (rank + 1) for rank in range(VOCABULARY)))

    def one(self, chance):
        return self.all[min(bisect.bisect(self.sums, chance.random() * self.sums[-1]), VOCABULARY - 1)]

    def searches(self, count):
        """Yields searches of one to three words. Half of them lack a letter, and some are limited to one species."""
        chance = random.Random(99)
        for _ in range(count):
            words = [self.one(chance) for _ in range(chance.randint(1, 3))]
            if chance.random() < 0.5:
                slip = chance.randrange(1, len(words[0]))
                words[0] = words[0][:slip] + words[0][slip + 1 :]
            query = {"q": " ".join(words), "species": chance.choice(["", "", *SPECIES])}
            yield "/api/v1/announcements?limit=20&" + urllib.parse.urlencode({key: text for key, text in query.items() if text})


def main(arguments):
    load, cache, words = load_note(), fresh("search"), Words()
    landing.fill(landing.catalog(cache), arguments.announcements, landing.attached(arguments, cache))
    describe(landing.catalog(cache), words)
    with running.petspot(arguments, "--no-client-limits", cache=cache) as service:
        asked(service, words.searches(200), arguments.readers)
        before, begin = service.cpu(), time.monotonic()
        took = asked(service, words.searches(arguments.searches), arguments.readers)
        cpu, seconds = (service.cpu() - before) * 1000 / len(took), time.monotonic() - begin
    fresh("search")
    p50, p95, p99 = (percentile(took, share) for share in (50, 95, 99))
    row = (len(took), f"{len(took) / seconds:.0f}", *(f"{value:.1f}" for value in (p50, p95, p99, took[-1], cpu)))
    notes = [
        f"{arguments.announcements:,} announcements of {WORDS} words each, {arguments.readers} readers who ask without a pause; "
        "answers of 20 announcements, HTTP and JSON in it; milliseconds.",
    ]
    columns = ("searches", "a second", "p50", "p95", "p99", "slowest", "CPU a search")
    text = "\n".join([
        results.header("Searches", load, notes), results.table(columns, [row]), "", "## Checks", "",
        results.checks([("a search, p99, ms", f"{p99:.1f}", f"< {MOST:.0f}", p99 < MOST)]), "",
    ])  # fmt: skip
    results.write("search", text, {"announcements": arguments.announcements, "row": row}, keep=not arguments.dry)


def describe(path, words):
    """Gives each announcement words, and adds them to the index as a write would."""
    chance, found = random.Random(7), []
    database = sqlite3.connect(path)
    with database:
        for number, species in database.execute("SELECT number, species FROM announcement").fetchall():
            own = [words.one(chance) for _ in range(WORDS)]
            folded = [*own, *SPECIES[species]]
            database.execute(
                "UPDATE announcement SET description = ?, search = ? WHERE number = ?",
                (" ".join(own), " " + " ".join(folded), number),
            )
            found += [(word, number) for word in {*folded, "=" + species}]
        database.executemany("INSERT INTO announcement_word VALUES (?, ?)", sorted(found))
    database.close()


def asked(service, searches, readers):
    """Returns the milliseconds of the responses, fastest first."""
    took, lock = [], threading.Lock()

    def read():
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        while True:
            with lock:
                address = next(searches, None)
            if not address:
                return
            begin = time.perf_counter()
            connection.request("GET", address)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, f"{address}: {answer.status}"
            took.append((time.perf_counter() - begin) * 1000)

    threads = [threading.Thread(target=read) for _ in range(readers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(took)
