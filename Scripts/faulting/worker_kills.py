"""SIGKILL of decoders in the middle of a photo: it is tried again or refused cleanly, no other is harmed."""

import collections
import os
import shutil

import board
import caches
import pictures
from shimming import progress
from watching import PATIENCE, Watched

PHOTOS = 26  # big ones; with a few small ones and two that are refused
SIDES = range(400, 1000, 60)
LIMIT = 120  # seconds an attach or an import may take
# More than undisturbed: each job may close one decoder and start another; a group of pictures is open until it is synced.
MORE_SOCKETS, MORE_DESCRIPTORS = 4, 140
MOST_FAULTS = 100  # then there is nothing more to learn
REFUSED = ("cut-20.png", "foreign.bmp")
SMALL = ("orientation-6.jpg", "portrait-phone.heic", "animated.gif", "alpha-lossy.webp")


def run(work):
    photos = make_photos(work)
    total = work.count(6, 1000)
    big = [path for path in photos if path.endswith("-big.png")]
    yield attaching(work, sorted(big, key=os.path.getsize)[-8:], total // 3)
    yield importing(work, os.path.dirname(photos[0]), total - total // 3)


def make_photos(work):
    folder = os.path.join(work.folder, "photos")
    os.mkdir(folder)
    for number in range(PHOTOS):
        with open(os.path.join(folder, f"{number:02}-big.png"), "wb") as file:
            file.write(pictures.png(work.dice, work.dice.choice(SIDES), 16 if number % 3 else 8))
    for name in SMALL + REFUSED:
        shutil.copy(os.path.join(board.IMAGES, name), folder)
    paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
    for path in paths:
        os.utime(path, (1_700_000_000, 1_700_000_000))
    return paths


# One photo


def attaching(work, photos, total):
    """One kill is not noticed; two are an error that tells so, and the earlier photo stays."""
    tally, petspot = board.Tally("worker-kills: attach"), work.petspot()
    clean = {path: caches.expect(petspot, "attach", path).photo["blob"]["sha256"] for path in photos}
    refused, still, moments = 0, 0, collections.Counter()
    while tally.tried < total and len(tally.faults) < MOST_FAULTS:
        earlier, path = petspot.run("status").photo, work.dice.choice(photos)
        watched = Watched(petspot.command("attach", path), work.folder)
        when = list(kills(watched, work.dice.choice((1, 1, 2)), 0.15, work.dice))
        answer = watched.end(LIMIT)
        if watched.stood_still:
            still += 1
            continue
        killed = len(when)
        moments.update(when)
        refused += answer.exit != 0
        faults = [*end_faults(watched, answer, petspot), *attach_faults(answer, killed, petspot, earlier, clean[path])]
        if work.dice.random() < 0.1:
            faults += verify_faults(petspot)
        tally.faults += [f"{killed} kills in attach of {os.path.basename(path)}: {fault}" for fault in faults]
        tally.tried += killed
        progress(tally, total)
    tally.faults += verify_faults(petspot)
    tally.notes = f"{told(moments)}; {refused} told as an error, each after two kills{left_out(still)}"
    return tally


def attach_faults(answer, killed, petspot, earlier, blob):
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
    tally, petspot = board.Tally("worker-kills: import"), work.petspot("clean")
    undisturbed = Watched(petspot.command("import", folder), work.folder)
    expected, clean = outcomes(undisturbed.end(LIMIT)), caches.contents(petspot)
    imports, failed, held, still, moments = 0, 0, 0, 0, collections.Counter()
    while tally.tried < total and len(tally.faults) < MOST_FAULTS:
        imports += 1
        shutil.rmtree(os.path.join(work.folder, "killed"), ignore_errors=True)
        petspot = work.petspot("killed")
        watched = Watched(petspot.command("import", folder), work.folder)
        # Now and then so fast that a photo loses two decoders.
        when = list(kills(watched, total - tally.tried, work.dice.choice((0.03, 0.1, 0.3)), work.dice))
        answer = watched.end(LIMIT)
        if watched.stood_still:
            still += 1
            continue
        killed = len(when)
        moments.update(when)
        held = max(held, watched.sockets)
        faults = [*end_faults(watched, answer, petspot), *import_faults(answer, expected, killed)]
        faults += descriptor_faults(watched, undisturbed)
        failed += sum(outcome == "decoder-killed" for outcome, _ in outcomes(answer).values())
        faults += [*verify_faults(petspot), *again_faults(petspot, folder, clean)]
        tally.faults += [f"{killed} kills in import {imports}: {fault}" for fault in faults]
        tally.tried += killed
        progress(tally, total, step=1)
    tally.notes = f"{told(moments)}; {imports} imports of {len(expected)} files, {failed} told as an error"
    tally.notes += f" after two kills; at most {held} sockets and pipes held, {undisturbed.sockets} undisturbed"
    tally.notes += left_out(still)
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


def import_faults(answer, expected, killed):
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


def descriptor_faults(watched, undisturbed):
    """How many files are open at a time is chance; a socket for each decoder is not."""
    if watched.sockets > undisturbed.sockets + MORE_SOCKETS:
        yield f"it holds {watched.sockets} sockets and pipes, {undisturbed.sockets} undisturbed"
    if watched.descriptors > undisturbed.descriptors + MORE_DESCRIPTORS:
        yield f"it holds {watched.descriptors} descriptors, {undisturbed.descriptors} undisturbed"


def again_faults(petspot, folder, clean):
    """The next import makes it complete."""
    answer, found = petspot.run("import", folder, timeout=LIMIT), caches.contents(petspot)
    if answer.exit != 65:
        yield f"the next import ends in {answer.exit}: {answer.errors.strip()[-300:]}"
    for key, value in clean.items():
        if sorted(found[key]) != sorted(value):
            yield f"after the next import {key} are {found[key]}, undisturbed {value}"


# Both


def kills(watched, count, pause, dice):
    """Kills that many decoders, most of them in a photo; when each of them was killed."""
    for _ in range(count):
        moment = watched.kill_decoder(dice.uniform(0, pause), caged=dice.random() < 0.8)
        if moment is None:
            return
        yield moment


def told(moments):
    return f"{moments['decoding']} killed in a photo, {moments['starting']} while they got ready"


def left_out(count):
    return f"; {count} not judged, the machine stood still" if count else ""


def end_faults(watched, answer, petspot):
    if answer.exit == "timeout":
        yield f"it hangs, {LIMIT} s"
    if answer.left:
        yield f"{answer.left} processes outlive it"
    if watched.longest_dead > PATIENCE:
        yield f"a dead decoder was not collected for {watched.longest_dead:.1f} s"
    if petspot.leftovers():
        yield f"incoming/ holds {petspot.leftovers()}"


def verify_faults(petspot):
    verified = petspot.run("verify", "--all")
    if verified.exit != 0:
        yield f"verify: exit {verified.exit} {verified.output.strip()} {verified.errors.strip()}"
