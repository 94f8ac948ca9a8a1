"""Decoders that are killed while they decode a photo."""

import collections
import os
import shutil

import caches
import invariants
import pictures
from board import IMAGES, Tally
from files import LONG_AGO, write
from watching import PATIENCE, Watched

PHOTOS = 26  # big photos; a few small ones and two that are refused are added
SIDES = range(400, 1000, 60)
LIMIT = 120  # seconds that an attach or an import may take
# Allowed beyond an undisturbed run: each job may close one decoder while it starts another, and a group of pictures
# stays open until it is synced.
MORE_SOCKETS, MORE_DESCRIPTORS = 4, 140
MOST_FAULTS = 100  # more faults would teach nothing new
REFUSED = ("cut-20.png", "foreign.bmp")
SMALL = ("orientation-6.jpg", "portrait-phone.heic", "animated.gif", "alpha-lossy.webp")


def worker_kills(work):
    """SIGKILL of decoders in the middle of a photo: it is retried or refused cleanly, and no other is harmed."""
    folder = work.new_folder("photos")
    for number in range(PHOTOS):
        data = pictures.png(work.dice, work.dice.choice(SIDES), 16 if number % 3 else 8)
        write(os.path.join(folder, f"{number:02}-big.png"), data)
    for name in SMALL + REFUSED:
        shutil.copy(os.path.join(IMAGES, name), folder)
    photos = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    for path in photos:
        os.utime(path, (LONG_AGO, LONG_AGO))
    total = work.count(6, 1000)
    big = sorted((path for path in photos if path.endswith("-big.png")), key=os.path.getsize)
    yield attaching(work, big[-8:], total // 3)
    yield importing(work, folder, total - total // 3)


class Killer:
    """Commands whose decoders are killed, with the moments of the kills."""

    def __init__(self, work):
        self.work, self.still, self.moments = work, 0, collections.Counter()

    def run(self, command, most, pause):
        """Runs a command and kills decoders. Returns the watched command, its answer and the number of kills, or
        None if the machine was suspended."""
        watched, dice, moments = Watched(command, self.work.folder), self.work.dice, []
        while len(moments) < most and (moment := watched.kill_decoder(dice.uniform(0, pause), dice.random() < 0.8)):
            moments.append(moment)
        answer = watched.end(LIMIT)
        if watched.stood_still:
            self.still += 1
            return None
        self.moments.update(moments)
        return watched, answer, len(moments)

    @property
    def notes(self):
        text = f"{self.moments['decoding']} killed in a photo, {self.moments['starting']} while they got ready"
        return text + (f"; {self.still} not judged, the machine stood still" if self.still else "")


def judge_end(watched, answer, petspot):
    if answer.exit == "timeout":
        yield f"it hangs, {LIMIT} s"
    yield from invariants.outlived(answer.left)
    if watched.longest_dead > PATIENCE:
        yield f"a dead decoder was not collected for {watched.longest_dead:.1f} s"
    yield from invariants.emptied(petspot)


# One photo


def attaching(work, photos, total):
    """One kill must go unnoticed. Two must cause a clear error, and the earlier photo stays."""
    tally, petspot, killer, refused = Tally("worker-kills: attach"), work.petspot(), Killer(work), 0
    clean = {path: caches.expect(petspot, "attach", path).photo["blob"]["sha256"] for path in photos}
    while tally.tried < total and len(tally.faults) < MOST_FAULTS:
        earlier, path = petspot.run("status").photo, work.dice.choice(photos)
        if not (done := killer.run(petspot.command("attach", path), work.dice.choice((1, 1, 2)), 0.15)):
            continue
        watched, answer, killed = done
        refused += answer.exit != 0
        faults = [*judge_end(watched, answer, petspot), *judge_attach(answer, killed, petspot, earlier, clean[path])]
        if work.dice.random() < 0.1:
            faults += invariants.verified(petspot.run)
        tally.add(f"{killed} kills in attach of {os.path.basename(path)}", faults, tries=killed)
        tally.progress(total)
    tally.faults += invariants.verified(petspot.run)
    tally.notes = f"{killer.notes}; {refused} told as an error, each after two kills"
    return tally


def judge_attach(answer, killed, petspot, earlier, blob):
    if answer.exit == 0:
        if answer.photo.get("blob", {}).get("sha256") != blob:
            yield "it stored another picture than without a kill"
        return
    if killed < 2 or answer.exit != 75 or answer.json.get("error", {}).get("what") != "decoder-killed":
        yield f"exit {answer.exit}: {answer.output.strip()} {answer.errors.strip()}"
    if "petspot: " not in answer.errors:
        yield "it tells people nothing"
    if petspot.run("status").photo != earlier:
        yield "the earlier photo is not what it was"


# Many photos


def importing(work, folder, total):
    """Only photos whose decoder was killed twice may fail, and the next import must store them."""
    tally, petspot, killer = Tally("worker-kills: import"), work.petspot("clean"), Killer(work)
    undisturbed = Watched(petspot.command("import", folder), work.folder)
    expected, clean = outcomes(undisturbed.end(LIMIT)), caches.contents(petspot)
    imports, failed, held = 0, 0, 0
    while tally.tried < total and len(tally.faults) < MOST_FAULTS:
        imports += 1
        petspot = work.new_petspot("killed")
        # Sometimes so fast that a photo loses two decoders.
        pause = work.dice.choice((0.03, 0.1, 0.3))
        if not (done := killer.run(petspot.command("import", folder), total - tally.tried, pause)):
            continue
        watched, answer, killed = done
        held = max(held, watched.sockets)
        faults = [*judge_end(watched, answer, petspot), *judge_import(answer, expected, killed)]
        faults += judge_descriptors(watched, undisturbed)
        failed += sum(outcome == "decoder-killed" for outcome, _ in outcomes(answer).values())
        faults += invariants.verified(petspot.run)
        # The next import must complete the cache.
        again = petspot.run("import", folder, timeout=LIMIT)
        if again.exit != 65:
            faults.append(invariants.ended("the next import", again))
        faults += caches.differences(clean, caches.contents(petspot), "after the next import", ordered=False)
        tally.add(f"{killed} kills in import {imports}", faults, tries=killed)
        tally.progress(total, step=1)
    tally.notes = f"{killer.notes}; {imports} imports of {len(expected)} files, {failed} told as an error"
    tally.notes += f" after two kills; at most {held} sockets and pipes held, {undisturbed.sockets} undisturbed"
    return tally


def outcomes(answer):
    """Returns the outcome of each file: a word, the reason of a failure, and the blob's digest."""
    files = (line for line in answer.objects if line.get("event") == "file")
    return {
        line["path"]: (
            line.get("what") or line.get("code") or line["outcome"],
            line.get("photo", {}).get("blob", {}).get("sha256"),
        )
        for line in files
    }


def judge_import(answer, expected, killed):
    if answer.exit != 65:  # some files are always refused
        yield f"exit {answer.exit}: {answer.errors.strip()[-300:]}"
    found = outcomes(answer)
    lost = 0
    for path in expected.keys() | found.keys():
        lost += found.get(path, ("",))[0] == "decoder-killed"
        if found.get(path) not in (expected.get(path), ("decoder-killed", None)):
            yield f"{os.path.basename(path)} comes to {found.get(path)}, undisturbed {expected.get(path)}"
    if 2 * lost > killed:
        yield f"{lost} photos failed"


def judge_descriptors(watched, undisturbed):
    """The number of open files is random, but sockets may not grow with each decoder."""
    if watched.sockets > undisturbed.sockets + MORE_SOCKETS:
        yield f"it holds {watched.sockets} sockets and pipes, {undisturbed.sockets} undisturbed"
    if watched.descriptors > undisturbed.descriptors + MORE_DESCRIPTORS:
        yield f"it holds {watched.descriptors} descriptors, {undisturbed.descriptors} undisturbed"
