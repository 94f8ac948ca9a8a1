"""`Scripts/bench landing`: the five newest and the five nearest of many announcements."""

import heapq
import json
import math
import os
import random
import sqlite3
import tempfile
import uuid
from datetime import date, timedelta

import environment
import results
from comparing import WORK, median, run
from measuring import load_note

MOST, LIMIT = 50.0, 5  # milliseconds of a query; announcements requested
CITY, OCEAN, POLE = (52.2297, 21.0122), (35.0, -40.0), (90.0, 0.0)
EUROPE = ((36.0, 70.0), (-10.0, 30.0))  # degrees north, degrees east
QUERIES = {
    "newest": None,
    "nearest, from the city": CITY,
    "nearest, from the ocean": OCEAN,
    "nearest, from the pole": POLE,
}  # fmt: skip
FIRST_DAY, YEAR = date(2025, 1, 1), 365 * 86_400_000  # created within a year, in milliseconds


def main(arguments):
    load, figures = load_note(), {}
    with tempfile.TemporaryDirectory(prefix="petspot-landing-") as folder:
        empty, full = os.path.join(folder, "empty"), os.path.join(folder, "full")
        fill(catalog(full), arguments.announcements, attached(arguments, full))
        for name, point in QUERIES.items():
            figures[name] = one(arguments, empty, full, name, point)
        size = os.path.getsize(catalog(full))
    rows = [
        (name, *(f"{row[key]:.1f}" for key in ("empty", "full", "query", "slowest", "cpu")), row["answer"])
        for name, row in figures.items()
    ]
    found = []
    for name, row in figures.items():
        found += [
            (f"{name}, ms", f"{row['query']:.1f}", f"< {MOST:.0f}", row["query"] < MOST),
            (f"{name}, ids of brute force", row["answer"], "same", row["answer"] == "same"),
        ]
    notes = [
        f"{arguments.announcements:,} announcements, half of them in one city and the others all over Europe; "
        f"one in 20 closed, one in 20 without a place; catalog of {results.mebibytes(size)}.",
        f"Whole processes, `petspot announcements --limit {LIMIT} --json`, medians of {arguments.rounds} rounds in ms.",
        "Query: with the announcements less the same command on an empty catalog just before, round by round.",
        "Answers are compared, in order, with those of a look at every row in Python.",
    ]
    columns = ("the five", "empty catalog", "full catalog", "query", "slowest query", "query CPU", "answer")
    text = "\n".join([
        results.header("The landing list", load, notes), results.table(columns, rows), "",
        "## Checks", "", results.checks(found), "",
    ])  # fmt: skip
    results.write("landing", text, {"announcements": arguments.announcements, **figures}, keep=not arguments.dry)


def one(arguments, empty, full, name, point):
    """Returns milliseconds. The first run of each kind reads the file into the page cache and isn't counted."""
    wanted, rounds, is_same = brute_force(catalog(full), point), [], True
    for _ in range(arguments.rounds + 1):
        before, nothing = ask(arguments, empty, point)
        cost, ids = ask(arguments, full, point)
        if nothing:
            raise SystemExit(f"bench: {nothing} of an empty catalog")
        is_same = is_same and ids == wanted
        rounds.append((before, cost))
    rounds = rounds[1:]
    queries = [(cost.wall - before.wall) * 1000 for before, cost in rounds]
    print(f"{name}: {median(queries):.1f} ms", flush=True)
    return {
        "empty": median(before.wall for before, _ in rounds) * 1000,
        "full": median(cost.wall for _, cost in rounds) * 1000,
        "query": median(queries), "slowest": max(queries),
        "cpu": median(cost.cpu - before.cpu for before, cost in rounds) * 1000,
        "answer": "same" if is_same else "different",
    }  # fmt: skip


def command(arguments, cache, point):
    near = [] if point is None else ["--near", f"{point[0]},{point[1]}", "--sort", "nearest"]
    return [arguments.binary, "announcements", "--limit", str(LIMIT), *near, "--json", "--cache", cache]


def ask(arguments, cache, point):
    """Returns the cost, and the ids in the order of the response."""
    cost, _ = run("landing", command(arguments, cache, point), cores=arguments.cores)
    if cost.exit != 0:
        raise SystemExit(f"bench: petspot announcements ended with {cost.exit}")
    with open(os.path.join(WORK, "landing.out")) as file:
        return cost, [json.loads(line)["id"] for line in file if line.strip()]


def catalog(cache):
    return os.path.join(cache, "database", "catalog.sqlite")


def attached(arguments, cache):
    """Attaches a photo and returns its id and digest, because an announcement without a photo is on no list. Also
    creates the tables, as the first write does."""
    run("landing", [arguments.binary, "report", "chip", "--draft", "bench", "--json", "--cache", cache])
    picture = os.path.join(environment.ROOT, "TestImages", "baseline-444.jpg")
    _, told = run("landing", [arguments.binary, "attach", picture, "--json", "--cache", cache])
    return told["photo"]["id"], told["photo"]["blob"]["sha256"]


def fill(path, count, photo):
    """Adds the same announcements every time, each with this photo (`attached`)."""
    values = random.Random(58)
    database = sqlite3.connect(path)
    with database:
        database.executemany(
            """
            INSERT INTO announcement (
              id, idempotency_key, pet_name, species, breed, sex, age, status, latitude, longitude, cell,
              description, contact_name, contact_phone, email, disappeared_on,
              created_at, updated_at, closed_at, password_hash, fingerprint, short_code, photo_id, photo_sha256
            ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            ((*announcement(values, number), *photo) for number in range(count)),
        )
    database.close()


def announcement(values, number):
    name, key = (str(uuid.UUID(int=values.getrandbits(128), version=4)) for _ in range(2))
    created = values.randrange(YEAR)
    day = (FIRST_DAY + timedelta(milliseconds=created)).isoformat()
    created += (FIRST_DAY - date(1970, 1, 1)).days * 86_400_000
    latitude, longitude = position(values, number)
    if values.randrange(20) == 0:
        latitude = longitude = None
    return (
        name, key.upper(), f"Pet {number}", values.choice(("dog", "cat")), None, values.choice(("male", "female")),
        values.randrange(15), "Lost", latitude, longitude, None if latitude is None else cell(latitude, longitude),
        "Shy, wears a red collar, answers to whistling. " * values.randrange(5), "A person", "+48600100200",
        "person@example.org", day, created, created, created if values.randrange(20) == 0 else None, "-",
        "-", f"{number:05}",
    )  # fmt: skip


def position(values, number):
    """Returns degrees, rounded to about a meter."""
    if number % 2:
        return tuple(round(values.gauss(middle, 0.07), 5) for middle in CITY)
    return tuple(round(values.uniform(*bounds), 5) for bounds in EUROPE)


def cell(latitude, longitude):
    """Returns the code of a place, as `code(of:)` in Sources/ReportFlow/Persistence/Announcements/GeoCell.swift."""
    deepest = 26
    x, y = (
        min(int(share * (1 << deepest)), (1 << deepest) - 1)
        for share in ((longitude + 180) / 360, (latitude + 90) / 180)
    )
    return sum((x >> bit & 1) << 2 * bit | (y >> bit & 1) << 2 * bit + 1 for bit in range(deepest))


def brute_force(path, point):
    """Returns the ids in order: nearest first, then newest, then most recently created."""
    database = sqlite3.connect(path)
    rows = database.execute(
        "SELECT id, number, created_at, latitude, longitude FROM announcement NOT INDEXED WHERE closed_at IS NULL"
    )
    keys = (
        (0 if point is None else distance(point, (latitude, longitude)), -created, -number, name)
        for name, number, created, latitude, longitude in rows
    )
    nearest = [key[-1] for key in heapq.nsmallest(LIMIT, keys)]
    database.close()
    return nearest


def distance(here, there):
    """Returns kilometers by the haversine formula. Missing places are the farthest."""
    if there[0] is None:
        return math.inf
    latitude = math.sin(math.radians(there[0] - here[0]) / 2)
    longitude = math.sin(math.radians(there[1] - here[1]) / 2)
    cosines = math.cos(math.radians(here[0])) * math.cos(math.radians(there[0]))
    return 2 * 6371.0 * math.asin(math.sqrt(min(1, latitude * latitude + cosines * longitude * longitude)))
