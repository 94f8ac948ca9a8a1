"""Kills imports at random moments."""

import os
import shutil
import statistics
import sys
import time

import caches
import invariants
from board import IMAGES, Tally
from files import LONG_AGO, below, read, write
from petspot import ROOT, blob_fault, kill_after
from shimming import outlived

sys.path.insert(0, os.path.join(ROOT, "Scripts", "testimages"))
PHOTOS = 1500


def kill_import(work):
    """SIGKILL of an import of 20 small files at random moments, at the same cache until it completes."""
    tally, scene = Tally("kill-import"), caches.Scene(work, "import")
    seconds = statistics.median(run_time(scene) for _ in range(1 if work.quick else 3))
    petspot, count, killed, ends = scene.fresh(), work.count(8, 5000), 0, 0
    while tally.tried < count:
        was_killed, session = kill_after(scene.command(petspot), work.dice.uniform(0, 1.05 * seconds))
        killed += was_killed
        faults = [*invariants.outlived(outlived(session)), *invariants.verified(petspot.run)]
        # Now and then completes a cache that was killed in one place, so that later kills vary.
        if not was_killed or work.dice.random() < 0.15:
            ends += 1
            faults += [*invariants.swept(petspot), *scene.judge_repeat(petspot)]
            petspot = scene.fresh()
        tally.add(f"kill {tally.tried + 1}", faults)
        tally.progress(count)
    tally.expect_some(killed, "killed")
    tally.notes = f"{killed} killed in {seconds * 1000:.0f} ms each, {ends} caches compared at the end"
    yield tally


def run_time(scene):
    petspot = scene.fresh()
    start = time.monotonic()
    petspot.run(*scene.arguments)
    seconds = time.monotonic() - start
    if caches.contents(petspot) != scene.uninterrupted():
        raise SystemExit("kill-import: two undisturbed imports differ")
    return seconds


def resume_import(work):
    """One import of 1,500 files, killed and resumed many times: its library equals that of an undisturbed import.

    The files are small photos. Most are distinct; between them are duplicates, hard links and files that are
    refused."""
    tally, photos, whole = Tally("resume-import"), work.path("photos"), work.petspot("whole")
    make_photos(photos, work.count(120, PHOTOS))
    (seconds, answer), (again, _) = timed(whole, photos), timed(whole, photos)
    expected = caches.contents(whole)
    kills, most, imports = work.count(8, 50), 0, 0
    # The time to start, and a few parts of the whole, so that one import is killed and resumed dozens of times.
    longest = again + 4 * seconds / kills
    while tally.tried < kills:
        imports += 1
        petspot = work.new_petspot("killed")
        while tally.tried < kills and kill_after(petspot.command("import", photos), work.dice.uniform(0, longest))[0]:
            most = max(most, len(petspot.leftovers()) // 2)
            tally.add(f"kill {tally.tried + 1}", judge_listed(petspot))
        done = petspot.run("import", photos, timeout=600)
        tally.add(f"after kill {tally.tried}", judge_end(petspot, done, expected, answer.json), tries=0)
    files = answer.json.get("files")
    tally.notes = f"{imports} imports of {files} files, at most {most} photos prepared again after a kill"
    yield tally


def timed(petspot, photos):
    """Returns the seconds of an undisturbed import, and its answer."""
    start = time.monotonic()
    answer = petspot.run("import", photos, timeout=600)
    return time.monotonic() - start, answer


def judge_listed(petspot):
    """Yields the faults right after a kill. Every listed photo must be complete."""
    listed = petspot.run("list", "--limit", "1000000")
    yield from invariants.succeeded("list", listed)
    for photo in listed.objects:
        if fault := blob_fault(photo):
            yield f"photo {photo['id']}: {fault}"


def judge_end(petspot, done, expected, totals):
    """Yields the differences after the import has completed."""
    if done.json.get("files") != totals.get("files") or done.exit != 65:
        yield f"last run: exit {done.exit}, {done.json}"
    yield from invariants.emptied(petspot)
    yield from caches.differences(expected, caches.contents(petspot), "at the end", ordered=False)
    yield from invariants.verified(petspot.run, timeout=600)


def make_photos(folder, count):
    """Writes distinct PNGs. Every tenth file is a copy, a hard link or a file that is refused."""
    import pixels

    turned = read(os.path.join(IMAGES, "orientation-6.jpg"))
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
        elif kind % 4 == 1:  # other bytes, equal pixels
            write(path, turned[:2] + b"\xff\xfe\0\x0a%08d" % number + turned[2:])
        else:
            write(path, pixels.png(pixels.gradient(48 + number % 7, 36 + number % 5, step=number)))
    for path in below(folder):
        os.utime(path, (LONG_AGO, LONG_AGO))
