"""One import of 1,500 files, killed again and again and resumed: its library equals an undisturbed one's.

They are small photos, most of them distinct, with duplicates, hard links and files that are refused
between them. Blobs and previews are compared byte for byte, rows value for value; ids and times aside."""

import os
import shutil
import sqlite3
import sys
import time

from board import IMAGES, Tally
from petspot import ROOT, blob_fault, kill_after

sys.path.insert(0, os.path.join(ROOT, "Scripts", "testimages"))

PHOTOS = 1500
# What two imports of the same folder may differ in: random names, and when it was.
PHOTO_COLUMNS_ASIDE = {"sequence", "id", "savedAtMilliseconds", "seal"}


def run(work):
    tally = Tally("resume-import")
    photos = os.path.join(work.folder, "photos")
    make_photos(photos, work.count(120, PHOTOS))
    whole = work.petspot("whole")
    (seconds, answer), (again, _) = timed(whole, photos), timed(whole, photos)
    expected = library(whole.cache)
    kills, most, imports = work.count(8, 50), 0, 0
    # Starting, and a few parts of the whole: one import is killed and resumed dozens of times.
    longest = again + 4 * seconds / kills
    while tally.tried < kills:
        imports += 1
        shutil.rmtree(os.path.join(work.folder, "killed"), ignore_errors=True)
        petspot = work.petspot("killed")
        while tally.tried < kills and kill_after(petspot.command("import", photos), work.dice.uniform(0, longest))[0]:
            tally.tried += 1
            most = max(most, len(petspot.leftovers()) // 2)
            tally.faults += [f"kill {tally.tried}: {what}" for what in judge(petspot)]
        done = petspot.run("import", photos, timeout=600)
        tally.faults += [f"after kill {tally.tried}: {what}" for what in compare(petspot, done, expected, answer.json)]
    files = answer.json.get("files")
    tally.notes = f"{imports} imports of {files} files, at most {most} photos prepared again after a kill"
    yield tally


def timed(petspot, photos):
    """Seconds an undisturbed import takes, and its answer."""
    start = time.monotonic()
    answer = petspot.run("import", photos, timeout=600)
    return time.monotonic() - start, answer


def judge(petspot):
    """What is wrong right after a kill: every photo that is listed has to be whole."""
    listed = petspot.run("list", "--limit", "1000000")
    if listed.exit != 0:
        yield f"list: exit {listed.exit} {listed.errors.strip()}"
    for photo in listed.objects:
        if fault := blob_fault(photo):
            yield f"photo {photo['id']}: {fault}"


def compare(petspot, done, expected, totals):
    """What differs once the import has come to its end."""
    if done.json.get("files") != totals.get("files") or done.exit != 65:
        yield f"last run: exit {done.exit}, {done.json}"
    if left := petspot.leftovers():
        yield f"incoming holds {left}"
    found = library(petspot.cache)
    for part, rows in expected.items():
        missing, extra = difference(rows, found[part])
        if missing or extra:
            yield f"{part}: {len(missing)} missing, {len(extra)} extra, such as {(missing or extra)[0]}"
    if petspot.run("verify", "--all", timeout=600).exit != 0:
        yield "verify --all fails"


def difference(one, other):
    return [row for row in one if row not in other], [row for row in other if row not in one]


def library(cache):
    """Files by content, and the rows of the catalog with photos named by their source's digest."""
    with sqlite3.connect(f"file:{cache}/database/catalog.sqlite?mode=ro", uri=True) as catalog:
        catalog.row_factory = sqlite3.Row
        photos = {row["id"]: dict(row) for row in catalog.execute("SELECT * FROM photo ORDER BY sequence")}
        digests = {name: row["sourceSHA256"] for name, row in photos.items()}
        tables = {
            "photo": [{k: v for k, v in row.items() if k not in PHOTO_COLUMNS_ASIDE} for row in photos.values()],
            "library_photo": [
                (digests[row["photo"]], row["perceptual_hash"]) for row in catalog.execute("SELECT * FROM library_photo")
            ],
            "source_file": [
                dict(row) | {"photo": digests.get(row["photo"])} for row in catalog.execute("SELECT * FROM source_file")
            ],
        }
    return tables | {kind: sorted(files_below(os.path.join(cache, kind))) for kind in ("blobs", "previews")}


def files_below(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                yield os.path.relpath(path, folder), file.read()


def make_photos(folder, count):
    """Distinct PNGs, every tenth file a copy, a hard link or something that is refused."""
    import pixels

    for number in range(count):
        path = os.path.join(folder, f"{number // 50}", f"{number:04}.png")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        kind = number % 40
        if kind == 9:
            shutil.copyfile(os.path.join(folder, "0", "0001.png"), path)
        elif kind == 19:
            os.link(os.path.join(folder, "0", "0002.png"), path)
        elif kind == 29:
            write(path, b"no photo %d" % number)
        elif kind == 39:
            write(path, b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR%d" % number)
        elif kind % 4 == 1:
            append_to_copy(os.path.join(IMAGES, "orientation-6.jpg"), path, number)
        else:
            write(path, pixels.png(pixels.gradient(48 + number % 7, 36 + number % 5, step=number)))
    # Files of the last two seconds count as still being written.
    for place, _, names in os.walk(folder):
        for name in names:
            os.utime(os.path.join(place, name), (1_700_000_000, 1_700_000_000))


def append_to_copy(source, path, number):
    """A JPEG with a comment of its own right after its start: other bytes, equal pixels."""
    with open(source, "rb") as file:
        data = file.read()
    comment = b"%08d" % number
    write(path, data[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + data[2:])


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
