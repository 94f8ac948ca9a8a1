"""Caches to hurt: how they begin, what is done to them, and what must hold afterwards."""

import hashlib
import os
import shutil
import sqlite3

from board import IMAGES
from petspot import Petspot, blob_fault

EARLIER = os.path.join(IMAGES, "baseline-444.jpg")
PHOTO = os.path.join(IMAGES, "gps-exif.jpg")
SMALL = ("baseline-420.jpg", "color-key.png", "animated.gif", "alpha-lossless.webp", "brand-mif1.heic", "crc.png")


class Scene:
    """A cache as it begins and a command that changes it. `earlier` is what the draft shows before."""

    def __init__(self, work, name):
        self.work, self.name = work, name
        self.begin = os.path.join(work.folder, f"{name}-begin")
        self.earlier = None
        shutil.rmtree(self.begin, ignore_errors=True)
        petspot = Petspot(work.binary, self.begin)
        self.arguments, self.sources = getattr(self, "scene_" + name.replace("-", "_"))(petspot)
        self.digests = {path: digest(path) for path in self.sources}
        self.end, self.clean_exit = None, 0
        self.uninterrupted()

    def scene_attach_new(self, petspot):
        return ["attach", PHOTO], [PHOTO]

    def scene_attach(self, petspot):
        self.earlier = expect(petspot, "attach", EARLIER).photo
        return ["attach", PHOTO], [PHOTO]

    def scene_remove(self, petspot):
        self.earlier = expect(petspot, "attach", EARLIER).photo
        return ["remove"], []

    def scene_import(self, petspot, count=20):
        """An import into a cache that is there; a look would make none."""
        folder = os.path.join(self.work.folder, f"{self.name}-photos")
        small_photos(folder, 0)
        expect(petspot, "import", folder)
        sources = small_photos(folder, count)
        return ["import", folder, "--jobs", "1"], sources

    def scene_import_few(self, petspot):
        return self.scene_import(petspot, 4)

    def scene_sweep(self, petspot):
        """Rubbish of all kinds, and a photo that stays."""
        self.earlier = expect(petspot, "attach", EARLIER).photo
        for number in range(3):
            name = hashlib.sha256(b"rubbish %d" % number).hexdigest()
            shard = os.path.join(self.begin, "blobs", name[:2])
            os.makedirs(shard, exist_ok=True)
            path = os.path.join(shard, name[2:] + ".jpg")
            with open(path, "wb") as file:
                file.write(b"rubbish %d" % number)
            os.utime(path, (1_600_000_000, 1_600_000_000))
            with open(os.path.join(self.begin, "incoming", f"1-1-0-{number}"), "wb") as file:
                file.write(b"unfinished")
        return ["sweep"], []

    def fresh(self, name="cache"):
        """The cache as it begins, in a place of its own."""
        path = os.path.join(self.work.folder, name)
        shutil.rmtree(path, ignore_errors=True)
        if os.path.isdir(self.begin):
            shutil.copytree(self.begin, path, symlinks=True)
        return Petspot(self.work.binary, path)

    def uninterrupted(self):
        """What the cache holds when nothing goes wrong."""
        if self.end is None:
            petspot = self.fresh()
            answer = petspot.run(*self.arguments)
            if answer.exit not in (0, 65):
                raise SystemExit(f"{self.name} fails undisturbed: {answer.exit} {answer.errors}")
            self.end, self.clean_exit = contents(petspot), answer.exit
        return self.end

    def judge(self, petspot):
        """Yields what is wrong with the cache after whatever happened to the command."""
        answer = petspot.run("status")
        if answer.exit != 0 or answer.status not in ("empty", "confirmed"):
            yield f"status {answer.status}, exit {answer.exit}: {answer.errors.strip()}"
        elif answer.status == "confirmed":
            if fault := blob_fault(answer.photo):
                yield fault
        elif self.earlier and self.name != "remove":
            yield "the earlier photo is lost"
        verified = petspot.run("verify", "--all")
        if verified.exit != 0:
            yield f"verify: exit {verified.exit} {verified.output.strip()} {verified.errors.strip()}"
        for path, before in self.digests.items():
            if digest(path) != before:
                yield f"the source {os.path.basename(path)} was changed"

    def judge_sweep(self, petspot):
        swept = petspot.run("sweep")
        if swept.exit != 0 or petspot.leftovers():
            yield f"after sweep incoming holds {petspot.leftovers()}, exit {swept.exit}: {swept.errors.strip()}"

    def judge_repeat(self, petspot, ordered=True):
        """The same command again ends as if it never had been interrupted. A file that could not be
        read the first time comes later in the library: `ordered` false."""
        answer = petspot.run(*self.arguments)
        if answer.exit not in (0, 65):
            yield f"the command does not work again: exit {answer.exit} {answer.errors.strip()}"
        wanted, found = self.uninterrupted(), contents(petspot)
        if set(found["blobs"]) > set(wanted["blobs"]):
            # What lost its record is rubbish, for the sweep that finds it old.
            for path in found["blobs"]:
                os.utime(os.path.join(petspot.cache, path), (1_600_000_000, 1_600_000_000))
            yield from self.judge_sweep(petspot)
            found = contents(petspot)
        for key, value in wanted.items():
            if found[key] != value and (ordered or sorted(found[key]) != sorted(value)):
                yield f"{key} after the repetition: {found.get(key)}, uninterrupted: {value}"


def expect(petspot, *arguments):
    answer = petspot.run(*arguments)
    if answer.exit != 0:
        raise SystemExit(f"petspot {arguments} does not work undisturbed: {answer.exit} {answer.errors}")
    return answer


def small_photos(folder, count):
    """Different small photos: comments and trailing bytes make copies of one differ."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    paths = []
    for number in range(count):
        name = SMALL[number % len(SMALL)]
        with open(os.path.join(IMAGES, name), "rb") as file:
            data = file.read()
        if number >= len(SMALL) and name.endswith(".jpg"):
            data = data[:2] + b"\xff\xfe\x00\x04%02d" % number + data[2:]
        elif number >= len(SMALL):
            data += b"copy %d" % number
        paths.append(os.path.join(folder, f"{number:02}-{name}"))
        with open(paths[-1], "wb") as file:
            file.write(data)
        os.utime(paths[-1], (1_700_000_000 + number, 1_700_000_000 + number))
    return paths


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def rows(petspot, query):
    """Rows of the catalog; none when there is no catalog or no such table yet."""
    path = os.path.join(petspot.cache, "database", "catalog.sqlite")
    if not os.path.exists(path):
        return []
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError:
        return []
    finally:
        connection.close()


def blobs(petspot):
    """Paths of stored pictures below the cache."""
    found = set()
    for kind in ("blobs", "previews", "sizes"):
        for parent, _, names in os.walk(os.path.join(petspot.cache, kind)):
            found |= {os.path.relpath(os.path.join(parent, name), petspot.cache) for name in names}
    return found


def contents(petspot):
    """All that a cache holds, identifiers, times and inodes aside."""
    photo = "fileName, sourceSHA256, blobSHA256, blobSizeBytes, previewSHA256, normalizationMethod"
    named = "(SELECT fileName FROM photo WHERE photo.id = photo)"
    library = f"SELECT {photo} FROM photo JOIN library_photo ON library_photo.photo = photo.id ORDER BY sequence"
    return {
        "library": rows(petspot, library),
        "drafts": rows(petspot, f"SELECT draft, state, {named} FROM attachment ORDER BY draft"),
        "photos": rows(petspot, f"SELECT {photo} FROM photo ORDER BY sequence"),
        "files": rows(petspot, f"SELECT path, sha256, tier, refusal, {named} FROM source_file ORDER BY path"),
        "sizes": rows(petspot, "SELECT rung, format, blob, sha256, is_stored FROM photo_size ORDER BY rung, format, blob"),
        "blobs": sorted(blobs(petspot)),
    }
