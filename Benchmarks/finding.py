"""`Scripts/bench find`: searches, and the first screen of `petspot browse`, in a large library. Three photos are
imported; the others are copies of one photo's rows with their own names, folders and days."""

import json
import os
import random
import shutil
import sqlite3
import subprocess
import time
import uuid

import environment
import results
from comparing import fresh, median
from measuring import load_note

MOST_LIST, MOST_SCREEN = 0.05, 0.2  # seconds


def main(arguments):
    load, cache, folder = load_note(), fresh("find"), fresh("find-photos")
    os.makedirs(os.path.join(folder, "rex"))
    for image, name in (("gps-exif.jpg", "rex/burek.jpg"), ("orientation-6.jpg", "b.jpg"), ("portrait-phone.heic", "c.heic")):
        shutil.copy(os.path.join(environment.ROOT, "TestImages", image), os.path.join(folder, name))
    command = [arguments.binary, "--cache", cache]
    subprocess.run([*command[:1], "import", folder, "--quiet", *command[1:]], check=True)
    fill(os.path.join(cache, "database", "catalog.sqlite"), arguments.photos)
    searches = {
        "a word": ["burek"], "a word of 1 in 400": ["trip-17/", "--limit", "20"],
        "a month": ["--taken", "2024-05"], "a folder": ["--folder", "2024/trip-17"],
        "20 by name": ["--sort", "name", "--limit", "20"],
        "20 by day": ["--sort", "taken", "--limit", "20"],
    }  # fmt: skip
    rows, found = [], []
    for name, words in searches.items():
        times = [timed([arguments.binary, "list", *words, *command[1:]]) for _ in range(arguments.rounds)]
        rows.append((f"list, {name}", *(f"{median(part) * 1000:.0f}" for part in zip(*times))))
        found.append((f"list, {name}, s", f"{median(t[0] for t in times):.3f}", f"< {MOST_LIST}", median(t[0] for t in times) < MOST_LIST))
    screen = first_screen([arguments.binary, "browse", "--json", *command[1:]], arguments.rounds)
    rows.append(("browse, first screen", f"{screen * 1000:.0f}", "–"))
    found.append(("browse, first screen, s", f"{screen:.3f}", f"< {MOST_SCREEN}", screen < MOST_SCREEN))
    notes = [f"{arguments.photos:,} photos; medians of {arguments.rounds} runs, with the start of the program where it is `list`."]
    text = "\n".join([
        results.header("Finding photos", load, notes), results.table(("what", "ms", "processor ms"), rows), "",
        "## Checks", "", results.checks(found), "",
    ])  # fmt: skip
    results.write("find", text, {"rows": rows}, keep=not arguments.dry)


def fill(path, count):
    """Adds copies of a photo's rows. petspot checks the seals only of rows that it prints."""
    chance = random.Random(1)
    with sqlite3.connect(path) as store:
        store.row_factory = sqlite3.Row
        photo, entry = (dict(store.execute(f"SELECT * FROM {table} LIMIT 1").fetchone()) for table in ("photo", "library_photo"))
        for number in range(count):
            name = str(uuid.UUID(int=chance.getrandbits(128), version=4)).upper()
            year = chance.randint(2010, 2026)
            day = f"{year}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}T10:00:00"
            file, place = f"IMG_{number:06}.JPG", f"{year}/trip-{number % 400}"
            photo |= {"sequence": None, "id": name, "fileName": file, "sourceCapturedAt": day}
            entry |= {"photo": name, "folder": place, "words": f"{place}/{file}".lower(), "taken": day}
            entry["perceptual_hash"] = chance.getrandbits(63)
            for table, row in (("photo", photo), ("library_photo", entry)):
                names = ", ".join(f'"{column}"' for column in row)
                marks = ", ".join("?" * len(row))
                store.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))


def timed(command):
    """Returns a command's seconds and processor seconds."""
    before, begin = os.times(), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    seconds, after = time.perf_counter() - begin, os.times()
    return seconds, after.children_user + after.children_system - before.children_user - before.children_system


def first_screen(command, rounds):
    server = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        url = json.loads(server.stdout.readline())["url"]
        return median(timed(["curl", "-sf", url])[0] for _ in range(rounds))
    finally:
        server.terminate()
        server.wait()
