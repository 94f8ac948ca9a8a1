"""Stores with bit rot."""

import os
import sqlite3

import pictures
from board import Tally
from caches import catalog
from files import digest, digests, read, write

KINDS = ("blobs", "previews", "quarantine")
# Facts that can't be proved from the files: the order and time of storing, and their seal.
UNPROVABLE = {"sequence", "savedAtMilliseconds", "seal"}
# The statements that alter the record of a photo.
ALTERED = [
    "UPDATE photo SET blobSizeBytes = blobSizeBytes + 1 WHERE id = ?",
    "UPDATE photo SET blobWidth = blobWidth + 1 WHERE id = ?",
    "UPDATE photo SET blobHeight = -blobHeight WHERE id = ?",
    "UPDATE photo SET blobFrameCount = 0 WHERE id = ?",
    "UPDATE photo SET blobFormat = 'gif' WHERE id = ?",
    "UPDATE photo SET blobFormat = '../../etc' WHERE id = ?",
    "UPDATE photo SET blobSHA256 = substr(blobSHA256, 2) || '0' WHERE id = ?",
    "UPDATE photo SET blobSHA256 = '../../../etc/passwd' WHERE id = ?",
    "UPDATE photo SET previewSHA256 = blobSHA256 WHERE id = ?",
    "UPDATE photo SET previewSizeBytes = 1 WHERE id = ?",
    "UPDATE photo SET previewWidth = 0 WHERE id = ?",
    "UPDATE photo SET previewFormat = '' WHERE id = ?",
    "UPDATE photo SET pixelWidth = pixelWidth * 2 WHERE id = ?",
    "UPDATE photo SET pixelHeight = 1 WHERE id = ?",
    "UPDATE photo SET fileSizeBytes = fileSizeBytes + 100 WHERE id = ?",
    "UPDATE photo SET fileSizeBytes = -1 WHERE id = ?",
    "UPDATE photo SET pixelWidth = 0 WHERE id = ?",
    "UPDATE photo SET uti = 'public.jpeg' WHERE id = ?",
    "UPDATE photo SET fileName = 'other.png' WHERE id = ?",
    "UPDATE photo SET sourceSHA256 = '' WHERE id = ?",
    "UPDATE photo SET sourceOrientation = 9 WHERE id = ?",
    "UPDATE photo SET normalizationMethod = 'magic' WHERE id = ?",
    "UPDATE photo SET normalizationReasons = '[' WHERE id = ?",
    "UPDATE photo SET savedAtMilliseconds = savedAtMilliseconds + 1000 WHERE id = ?",
    "UPDATE photo SET seal = NULL WHERE id = ?",
    "UPDATE library_photo SET perceptual_hash = perceptual_hash + 1 WHERE photo = ?",
    "DELETE FROM photo WHERE id = ?",
]


def rot(work):
    """Flipped bits, truncated, swapped and deleted files, and altered records: all are found, named and repaired."""
    counts = {"flips": work.count(25, 500), "cuts": work.count(5, 100), "swaps": work.count(5, 100)}
    counts |= {"deletions": work.count(5, 100), "altered rows": work.count(len(ALTERED), 2 * len(ALTERED))}
    total = sum(counts.values()) + counts["swaps"]  # two files each
    petspot = work.petspot()
    pictures.folder(work.path("photos"), total + 20, work.dice)
    imported = petspot.run("import", work.path("photos"), timeout=3600)
    photos = [line for line in imported.objects if line.get("outcome") == "imported"]
    if imported.exit != 0 or len(photos) != total + 20:
        yield Tally("rot", faults=[f"{len(photos)} of {total + 20} imported, exit {imported.exit}"])
        return
    files_before, records_before = digests(petspot.cache, *KINDS), records(petspot)
    work.dice.shuffle(photos)
    expected, saved = damage(petspot, photos, counts, work.dice)

    def verify(*options):
        return petspot.run("verify", "--all", *options, timeout=3600)

    found = Tally("rot: found", tried=len(expected), notes=", ".join(f"{count} {name}" for name, count in counts.items()))
    damaged = digests(petspot.cache, *KINDS)
    rehearsed = verify("--dry-run")
    if digests(petspot.cache, *KINDS) != damaged:
        found.faults.append("a dry run changed files")
    for name, answer in (("dry run", rehearsed), ("verify", verify())):
        found.add(name, misnamed(expected, answer), tries=0)
    held = set(digests(petspot.cache, *KINDS).values())
    found.faults += [f"{path}: its bytes are gone" for path, digest in saved.items() if digest not in held]
    yield found

    mended = Tally("rot: repaired", tried=len(expected))
    repaired, again = verify("--repair"), verify()
    if repaired.exit != 0 or again.exit != 0:
        mended.faults.append(f"exits {repaired.exit}, then {again.exit}: {again.output[-400:]} {again.errors}")
    mended.faults += [f"not repaired: {line}" for line in repaired.objects if line.get("repaired") is False]
    now = digests(petspot.cache, *KINDS)
    mended.faults += [f"{path} is not what it was" for path in sorted(files_before) if now.get(path) != files_before[path]]
    records_now = records(petspot)
    altered = [id for id in records_before.keys() | records_now.keys() if records_before.get(id) != records_now.get(id)]
    mended.faults += [f"the record of {id} is not what it was" for id in altered]
    yield mended


def records(petspot):
    """Returns every photo's record by its id."""
    with sqlite3.connect(catalog(petspot)) as db:
        db.row_factory = sqlite3.Row
        hashes = "SELECT photo AS id, perceptual_hash FROM library_photo"
        photos = [dict(row) for row in db.execute(f"SELECT * FROM photo NATURAL JOIN ({hashes})")]
    return {row["id"]: {key: value for key, value in row.items() if key not in UNPROVABLE} for row in photos}


def damage(petspot, photos, counts, dice):
    """Damages files and records. Returns what verify must report for each photo, and the digests of the damaged
    files."""
    expected, saved = {}, {}
    photos = iter(photos)

    def take(count):
        for _ in range(count):
            photo = next(photos)
            yield photo["id"], os.path.join(petspot.cache, photo["photo"]["blob"]["path"])

    for id, path in take(counts["flips"]):
        data = bytearray(read(path))
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        expected[id] = "digest"
        saved[path] = replaced(path, data)
    for id, path in take(counts["cuts"]):
        data = read(path)
        expected[id] = "size"
        saved[path] = replaced(path, data[: dice.randrange(len(data))])
    for _ in range(counts["swaps"]):
        (one, path), (other, other_path) = take(2)
        data, other_data = read(path), read(other_path)
        expected[one] = expected[other] = "swapped"
        saved[path], saved[other_path] = replaced(path, other_data), replaced(other_path, data)
    for id, path in take(counts["deletions"]):
        expected[id] = "missing"
        os.unlink(path)
    with sqlite3.connect(catalog(petspot)) as db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        for number, (id, _) in enumerate(take(counts["altered rows"])):
            statement = ALTERED[number % len(ALTERED)]
            db.execute(statement, (id,))
            expected[id] = "reference" if statement.startswith("DELETE") else "record"
    return expected, saved


def replaced(path, data):
    """Replaces a file and returns the digest of its new bytes."""
    os.unlink(path)  # it is read-only
    return digest(write(path, data))


def misnamed(expected, answer):
    """Yields the differences between a verification's report and the damage."""
    said = {line["id"]: line["problem"] for line in answer.objects if line.get("event") == "photo"}
    for id, problem in expected.items():
        if said.get(id) != problem:
            yield f"{id}: {problem} is told as {said.get(id)}"
    for id in set(said) - set(expected):
        yield f"{id}: nothing is wrong but {said[id]} is told"
    if answer.exit != 65:
        yield f"exit {answer.exit} {answer.errors[-200:]}"
