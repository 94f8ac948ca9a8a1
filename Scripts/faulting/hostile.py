"""Hostile and broken files."""

import collections
import json
import os
import shutil

import invariants
from board import IMAGES, ROOT, Tally
from files import below, read, write

MUTATIONS = (150, 20_000)  # quick, full
BATCH = 200
WALL = 30  # seconds that one photo may take; the decoders' own limit is 20


def hostile(work):
    """Hostile and broken files through attach, import and inspect: no crash, no hang, no leftovers.

    The files are those of a folder (Scripts/faults --folder DIR), or the test images that must be refused, and
    mutations of all test images."""
    if given := os.environ.get("FAULTS_FOLDER"):
        yield from whole_folder(work, given)
        return
    images = json.loads(read(os.path.join(IMAGES, "manifest.json")))["images"]
    refused = work.new_folder("refused")
    for image in images:
        if image["expect"] != "accept":
            shutil.copy(os.path.join(IMAGES, image["file"]), refused)
    yield from whole_folder(work, refused, accepting=False)
    yield mutations(work, [image["file"] for image in images])


def whole_folder(work, folder, accepting=True):
    """Passes all files of a folder through import and inspect together, then one by one through attach."""
    paths = sorted(below(folder))
    together, single = Tally("hostile: import, inspect"), Tally("hostile: attach")
    together_checks(work.petspot("import"), folder, paths, together, accepting)
    yield together
    petspot = work.petspot("attach")
    count = min(len(paths), work.count(10, len(paths)))
    for path in sorted(work.dice.sample(paths, count)):
        attach(petspot, path, single)
    single.add("after attaching all", settled(petspot), tries=0)
    yield single


def mutations(work, names):
    """Passes batches of mutated images through import and inspect, and a few of each batch through attach."""
    tally = Tally("hostile: mutations")
    originals = [os.path.join(IMAGES, name) for name in names]
    originals = [path for path in originals if 16 < os.path.getsize(path) < 300_000]
    petspot, outcomes = work.petspot("mutations"), collections.Counter()
    count = work.count(*MUTATIONS)
    for start in range(0, count, BATCH):
        folder, paths = work.new_folder("batch"), []
        for number in range(start, min(start + BATCH, count)):
            source = work.dice.choice(originals)
            data = mutated(read(source), read(work.dice.choice(originals)), work.dice)
            paths.append(write(os.path.join(folder, f"{number}-{os.path.basename(source)}"), data))
        outcomes += together_checks(petspot, folder, paths, tally)
        for path in work.dice.sample(paths, min(len(paths), 3)):
            attach(petspot, path, tally)
        faulty = [path for path in paths if any(os.path.basename(path) in fault for fault in tally.faults)]
        keep(faulty)
    tally.add("at the end", settled(petspot), tries=0)
    tally.notes = ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items()))
    return tally


def mutated(data, other, dice):
    """Returns a picture with some bytes changed, moved, duplicated or removed."""
    data = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 4, 16))):
        if len(data) < 8:
            break
        at = dice.randrange(len(data))
        size = dice.choice((1, 2, 4, 16, 256))
        kind = dice.randrange(8)
        if kind == 0:
            data[at] ^= 1 << dice.randrange(8)
        elif kind == 1:  # lengths and sizes are near the start
            at = dice.randrange(min(len(data), 200))
            data[at : at + size] = dice.choice((b"\0", b"\xff", b"\x7f", b"\x80")) * min(size, 4)
        elif kind == 2:
            del data[at:]
        elif kind == 3:
            del data[at : at + size]
        elif kind == 4:
            data[at:at] = data[at : at + size]
        elif kind == 5:
            data[at : at + size] = dice.randbytes(size)
        elif kind == 6:
            data[at:] = other[dice.randrange(len(other)) :]
        else:
            data += other[: dice.randrange(len(other))]
    return bytes(data)


def together_checks(petspot, folder, paths, tally, accepting=True):
    """Runs import and inspect with all files in one process each. Returns how often each outcome was reported."""
    tally.tried += len(paths)
    name = os.path.basename(folder)
    limit = 60 + WALL * len(paths)
    imported = petspot.run("import", folder, "--hidden", timeout=limit)
    summary = imported.json
    if imported.exit not in (0, 65) or summary.get("event") != "summary":
        tally.faults.append(f"import of {name} ends in {imported.exit}: {imported.errors[-300:]}")
    told = collections.Counter(line["outcome"] for line in imported.objects if line.get("event") == "file")
    if told.total() != len(paths):
        tally.faults.append(f"import of {name} tells of {told.total()} of {len(paths)} files")
    for line in imported.objects:
        if line.get("code") == "fault":
            tally.faults.append(f"{line['path']}: {line.get('message')}")
        if not accepting and line.get("outcome") == "imported":
            tally.faults.append(f"{line['path']} is accepted")
    for start in range(0, len(paths), 500):
        group = paths[start : start + 500]
        inspected = petspot.run("inspect", *group, timeout=limit)
        if inspected.exit not in (0, 65, 66) or len(inspected.objects) != len(group):
            lines = f"{len(inspected.objects)} lines for {len(group)} files"
            tally.faults.append(f"inspect in {name} ends in {inspected.exit} with {lines}: {inspected.errors[-300:]}")
    tally.add(f"after {name}", settled(petspot), tries=0)
    return told


def attach(petspot, path, tally):
    answer = petspot.run("attach", path, timeout=WALL)
    said = answer.exit == 0 or (answer.code and answer.code != "fault" and "petspot: " in answer.errors)
    faults = [] if answer.exit in (0, 65, 66) and said else [f"exit {answer.exit}: {answer.errors[-300:]}"]
    tally.add(f"attach {path}", [*faults, *invariants.emptied(petspot)])


def settled(petspot):
    """Yields leftovers, and faults of the stored photos."""
    yield from invariants.emptied(petspot)
    yield from invariants.verified(petspot.run, timeout=3600)


def keep(paths):
    """Copies files that caused faults to a folder for inspection."""
    for path in paths[:20]:
        folder = os.path.join(ROOT, ".build", "faults")
        os.makedirs(folder, exist_ok=True)
        shutil.copy(path, folder)
