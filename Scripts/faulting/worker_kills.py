"""Decoders killed in the middle of a photo."""

import collections
import os
import shutil

import caches
import invariants
import pictures
from board import IMAGES, Tally
from files import LONG_AGO, write
from watching import PATIENCE, Watched

PHOTOS = 26  # big ones; with a few small ones and two that are refused
SIDES = range(400, 1000, 60)
LIMIT = 120  # seconds an attach or an import may take
# More than undisturbed: each job may close one decoder and start another; a group of pictures is open until it is synced.
MORE_SOCKETS, MORE_DESCRIPTORS = 4, 140
MOST_FAULTS = 100  # then there is nothing more to learn
REFUSED = ("cut-20.png", "foreign.bmp")
SMALL = ("orientation-6.jpg", "portrait-phone.heic", "animated.gif", "alpha-lossy.webp")


def worker_kills(work):
    """SIGKILL of decoders in the middle of a photo: it is tried again or refused cleanly, no other is harmed."""
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
    """Commands whose decoders are killed, and when each was."""

    def __init__(self, work):
        self.work, self.still, self.moments = work, 0, collections.Counter()

    def run(self, command, most, pause):
        """A command and its answer, with how many of its decoders were killed, most of them in a photo; nothing
        when the machine stood still."""
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
    """One kill is not noticed; two are an error that tells so, and the earlier photo stays."""
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
    """Only a photo whose decoder was killed twice fails; the next import takes it."""
    tally, petspot, killer = Tally("worker-kills: import"), work.petspot("clean"), Killer(work)
    undisturbed = Watched(petspot.command("import", folder), work.folder)
    expected, clean = outcomes(undisturbed.end(LIMIT)), caches.contents(petspot)
    imports, failed, held = 0, 0, 0
    while tally.tried < total and len(tally.faults) < MOST_FAULTS:
        imports += 1
        petspot = work.new_petspot("killed")
        # Now and then so fast that a photo loses two decoders.
        pause = work.dice.choice((0.03, 0.1, 0.3))
        if not (done := killer.run(petspot.command("import", folder), total - tally.tried, pause)):
            continue
        watched, answer, killed = done
        held = max(held, watched.sockets)
        faults = [*judge_end(watched, answer, petspot), *judge_import(answer, expected, killed)]
        faults += judge_descriptors(watched, undisturbed)
        failed += sum(outcome == "decoder-killed" for outcome, _ in outcomes(answer).values())
        faults += invariants.verified(petspot.run)
        # The next import makes it complete.
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
    """What became of each file: a word, for a failure why, and the blob's digest."""
    files = (line for line in answer.objects if line.get("event") == "file")
    return {
        line["path"]: (
            line.get("what") or line.get("code") or line["outcome"],
            line.get("photo", {}).get("blob", {}).get("sha256"),
        )
        for line in files
    }


def judge_import(answer, expected, killed):
    if answer.exit != 65:  # some files are refused anyway
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
    """How many files are open at a time is chance; a socket for each decoder is not."""
    if watched.sockets > undisturbed.sockets + MORE_SOCKETS:
        yield f"it holds {watched.sockets} sockets and pipes, {undisturbed.sockets} undisturbed"
    if watched.descriptors > undisturbed.descriptors + MORE_DESCRIPTORS:
        yield f"it holds {watched.descriptors} descriptors, {undisturbed.descriptors} undisturbed"
