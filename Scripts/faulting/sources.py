"""Originals and the store under `import --delete-source`: caches as sources, files exchanged, kills."""

import os
import shutil
import subprocess
import time

import caches
from board import IMAGES, Tally
from shimming import Shim, build, progress, spread

PLAIN = ("gps-exif.jpg", "orientation-6.jpg", "color-key.png")
# They hold what their stored photo does not; the last three have the pixels of another.
LOSSY = ("motion-photo.jpg", "depth-map.heic", "gradient-16-bit.png", "rgb-16-bit.png", "everything.heic")
DELETE = ("import", "--delete-source", "--yes", "--jobs", "1")


def run(work):
    yield stores(work)
    yield lossy(work)
    yield exchanged(work)
    yield killed(work)


def photos(work, name, images=PLAIN):
    """A folder of photos that count as written long ago."""
    folder = os.path.join(work.folder, name)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for number, image in enumerate(images):
        path = os.path.join(folder, image)
        shutil.copy(os.path.join(IMAGES, image), path)
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))
    return folder


def filled(work):
    """A cache with a few photos, and nothing left of their originals."""
    first, petspot = work.petspot("first"), work.petspot("victim")
    if not os.path.exists(first.cache):
        folder = photos(work, "first-photos")
        caches.expect(first, "import", folder)
        shutil.rmtree(folder)
    for cache in (petspot.cache, work.petspot("other").cache):
        shutil.rmtree(cache, ignore_errors=True)
    shutil.copytree(first.cache, petspot.cache)
    return petspot


def stored(petspot):
    """What lies in the store, by path and digest."""
    return {path: caches.digest(os.path.join(petspot.cache, path)) for path in caches.blobs(petspot)}


# Caches as sources


def stores(work):
    """Every way to a stored picture: none may be deleted."""
    tally = Tally("sources: caches as sources")
    ways = {
        "the cache": lambda cache, way: cache,
        "blobs": lambda cache, way: os.path.join(cache, "blobs"),
        "previews": lambda cache, way: os.path.join(cache, "previews"),
        "a shard": lambda cache, way: os.path.dirname(blob(cache)),
        "a blob": lambda cache, way: blob(cache),
        "by a dotted path": lambda cache, way: os.path.join(cache, "incoming", "..", "blobs"),
        "a link": lambda cache, way: linked(os.path.join(cache, "blobs"), way),
        "a link above": lambda cache, way: os.path.join(linked(cache, way), "blobs"),
        "links that are followed": lambda cache, way: below(os.path.join(cache, "blobs"), way),
        "hard links": hard_links,
        "hard links of previews": lambda cache, way: hard_links(cache, way, "previews"),
        "copies under their names": copies,
    }
    extra = ([], ["--follow-symlinks"], ["--follow-outside"], ["--hidden", "--delete-lossy-source"])
    for name, make in ways.items():
        for options in extra[-1:] if work.quick else extra:
            for own in (True,) if work.quick else (True, False):
                petspot = filled(work)
                way = os.path.join(work.folder, "way")
                remove(way)
                source = make(petspot.cache, way)
                before = stored(petspot)
                user = petspot if own else work.petspot("other")
                answer = user.run(*DELETE, source, *supported(user, options))
                tally.tried += 1
                what = f"{name}, {'own' if own else 'another'} cache, {options}"
                # Another cache's picture is safe under its own name; nothing tells that it has two.
                links = not own and name.startswith("hard links")
                tally.faults += [f"{what}: {fault}" for fault in intact(petspot, before, answer, links)]
    mounts = 0
    for part in ("", "blobs", "previews", "blobs/shard"):
        for own in (True,) if work.quick else (True, False):
            mounts += mounted(work, tally, part, own)
    tally.notes = f"{mounts} by bind mounts" if mounts else "bind mounts are not allowed here"
    return tally


def blob(cache, kind="blobs"):
    parents = ((parent, names) for parent, _, names in os.walk(os.path.join(cache, kind)) if names)
    parent, names = next(parents)
    return os.path.join(parent, names[0])


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def linked(target, way):
    os.symlink(target, way)
    return way


def below(target, way):
    os.mkdir(way)
    os.symlink(target, os.path.join(way, "link"))
    return way


def hard_links(cache, way, kind="blobs"):
    os.mkdir(way)
    for parent, _, names in os.walk(os.path.join(cache, kind)):
        for number, name in enumerate(names):
            os.link(os.path.join(parent, name), os.path.join(way, f"{os.path.basename(parent)}{number}{name[-4:]}"))
    return way


def copies(cache, way):
    shutil.copytree(os.path.join(cache, "blobs"), way)
    return way


def supported(petspot, options):
    """Without what an older program does not know."""
    known = subprocess.run([petspot.binary, "import", "--help"], capture_output=True, text=True).stdout
    return [option for option in options if option in known]


def intact(petspot, before, answer, allowing=False):
    """Yields what is missing of a store."""
    if answer.exit not in (0, 65):
        yield f"exit {answer.exit}: {answer.errors.strip()[-300:]}"
    after = stored(petspot)
    if gone := [path for path in before if after.get(path) != before[path]]:
        yield f"{len(gone)} of {len(before)} stored pictures are gone"
    if not allowing and any(line.get("sourceDeleted") for line in answer.objects):
        yield "a stored picture, or a link to one, was deleted"


def mounted(work, tally, part, own):
    """The store under another path, in a mount namespace of its own; 0 where that is not allowed."""
    petspot = filled(work)
    target = os.path.dirname(blob(petspot.cache)) if part.endswith("shard") else os.path.join(petspot.cache, part)
    way = os.path.join(work.folder, "way")
    remove(way)
    os.mkdir(way)
    before = stored(petspot)
    user = petspot if own else work.petspot("other")
    script = 'mount --bind "$0" "$1" || exit 99; shift; exec "$@"'
    inside = ["unshare", "-m", "sh", "-c", script, target, way, *user.command(*DELETE, way)]
    if not shutil.which("unshare"):
        return 0
    done = subprocess.run(inside, capture_output=True, text=True)
    if done.returncode == 99 or "unshare" in done.stderr:
        return 0
    tally.tried += 1
    what = f"bind mount of {part or 'the cache'}, {'own' if own else 'another'} cache"
    after = stored(petspot)
    if gone := [path for path in before if after.get(path) != before[path]]:
        tally.faults.append(f"{what}: {len(gone)} of {len(before)} stored pictures are gone")
    return 1


# Originals that hold more than their photo


def lossy(work):
    tally = Tally("sources: originals with losses")
    for again in (False, True):
        petspot = work.petspot("lossy")
        shutil.rmtree(petspot.cache, ignore_errors=True)
        folder = photos(work, "lossy-photos", LOSSY)
        if again:
            caches.expect(petspot, "import", folder)
        answer = petspot.run(*DELETE, folder)
        for image in LOSSY:
            tally.tried += 1
            if not os.path.exists(os.path.join(folder, image)):
                tally.faults.append(f"{image}: deleted, and with it what its photo does not hold")
        kept = sum(bool(line.get("sourceKept")) for line in answer.objects)
        if kept != len(LOSSY):
            tally.faults.append(f"{kept} of {len(LOSSY)} originals are told as kept")
    return tally


# A file exchanged between read and delete


def exchanged(work):
    """Another file is renamed over the original again and again while it is imported and deleted,
    with calls slowed down by a library of ours: whatever is deleted was stored before."""
    tally = Tally("sources: files exchanged")
    slow = build(work, "slow.c")
    rounds = work.count(3, 400)
    deleted = 0
    for number in range(rounds):
        petspot = work.petspot("exchanged")
        shutil.rmtree(petspot.cache, ignore_errors=True)
        folder = photos(work, "exchanged-photos", PLAIN[:1])
        path = os.path.join(folder, PLAIN[0])
        others = os.path.join(work.folder, "others")
        shutil.rmtree(others, ignore_errors=True)
        os.mkdir(others)
        mark, pause = os.path.join(work.folder, "slow"), work.dice.choice((20_000, 60_000))
        environment = os.environ | {"LD_PRELOAD": slow, "SLOW_LOG": mark, "SLOW_US": str(pause)}
        if os.path.exists(mark):
            os.unlink(mark)
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(petspot.command(*DELETE, folder), env=environment, **pipes)
        # The slowed call says when the original is about to go; then it is exchanged, now or a bit later.
        deadline = time.monotonic() + 30
        while not os.path.exists(mark) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.0005)
        time.sleep(work.dice.choice((0, 0, 0.005, 0.02)))
        made = os.path.join(others, "new")
        with open(made, "wb") as file:
            file.write(b"never imported %d" % number)
        fresh = caches.digest(made)
        os.replace(made, path)
        process.communicate()
        tally.tried += 1
        left = {caches.digest(os.path.join(folder, name)) for name in os.listdir(folder)}
        if fresh not in left:
            tally.faults.append(f"round {number}: a file that was never read is gone")
        if len(caches.rows(petspot, "SELECT id FROM photo")) < 1 and len(left) < 2:
            tally.faults.append(f"round {number}: neither original nor stored photo")
        deleted += len(left) == 1
    tally.notes = f"{deleted} originals gone, by deletion or by the exchange"
    return tally


# Kills


def killed(work):
    """SIGKILL at each call that changes a file while originals are deleted, and the same run again."""
    tally, shim = Tally("sources: kills while deleting"), Shim(work)
    images = (*PLAIN, LOSSY[0])
    petspot = work.petspot("killed")

    def begin():
        shutil.rmtree(petspot.cache, ignore_errors=True)
        folder = photos(work, "killed-photos", images)
        caches.expect(petspot, "import", folder)
        return folder

    folder = begin()
    digests = {image: caches.digest(os.path.join(folder, image)) for image in images}
    _, calls = shim.calls(petspot.command(*DELETE, folder))
    points = list(range(1, len(calls) + 1))
    hidden = 0
    chosen = spread(work, work.count(4, len(points)), points)
    for number in chosen:
        folder = begin()
        shim.run(petspot.command(*DELETE, folder), at=number, do="kill")
        tally.tried += 1
        names = os.listdir(folder)
        hidden += any(name.startswith(".petspot-delete-") for name in names)
        left = {caches.digest(os.path.join(folder, name)) for name in names}
        faults = []
        if digests[LOSSY[0]] not in left:
            faults.append("the original with losses is gone")
        if petspot.run("verify", "--all").exit != 0:
            faults.append("a stored photo is damaged or gone")
        # Without deletion: what is left under a hidden name is seen.
        seen = petspot.run("import", folder).json
        if seen.get("files") != len(names):
            faults.append(f"{seen.get('files')} files are told of, there are {names}")
        petspot.run(*DELETE, folder)
        if os.listdir(folder) != [LOSSY[0]]:
            faults.append(f"after the repetition there are {os.listdir(folder)}")
        tally.faults += [f"call {number} ({calls[number - 1]}): {fault}" for fault in faults]
        progress(tally, len(chosen))
    tally.notes = f"{hidden} times an original lay under a hidden name"
    return tally
