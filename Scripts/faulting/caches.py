"""The caches that fault classes start from, the commands that change them, and the checks afterwards."""

import hashlib
import os
import shutil
import sqlite3

import invariants
from board import IMAGES
from files import LONG_AGO, digest, digests, read, write
from petspot import Petspot, blob_fault

EARLIER = os.path.join(IMAGES, "baseline-444.jpg")
PHOTO = os.path.join(IMAGES, "gps-exif.jpg")
SMALL = ("baseline-420.jpg", "color-key.png", "animated.gif", "alpha-lossless.webp", "brand-mif1.heic", "crc.png")
# Exit codes for problems of the machine. 66 is an unreadable source, 65 an import with failed files.
MACHINE = {66, 69, 73, 74, 75}
LATE = "but the photo is attached"
ASIDE = {"sequence", "id", "savedAtMilliseconds", "seal"}  # columns filled by chance or the clock


class Scene:
    """A cache in its initial state and a command that changes it. `earlier` is the photo that the draft shows
    before. Each method `judge_…` yields what doesn't hold."""

    earlier, inodes, notes = None, 400, ""
    is_ordered = True  # whether an interrupted command leaves the photos in the usual order
    impatience = 0.15  # the chance that a killed cache is completed, although it could be killed again

    def __init__(self, work, name, photo=PHOTO):
        self.work, self.name, self.photo = work, name, photo
        begin = f"{name}-{os.path.basename(photo)}-begin"
        self.begin, make = work.path(begin), getattr(self, "scene_" + name.replace("-", "_"))
        self.arguments, self.sources = make(work.new_petspot(begin))
        self.digests = {path: digest(path) for path in self.sources}
        self.end, self.clean_exit = None, 0
        self.uninterrupted()

    def scene_attach_new(self, petspot):
        return ["attach", self.photo], [self.photo]

    def scene_attach(self, petspot):
        self.earlier = expect(petspot, "attach", EARLIER).photo
        return self.scene_attach_new(petspot)

    def scene_remove(self, petspot):
        self.earlier = expect(petspot, "attach", EARLIER).photo
        return ["remove"], []

    def scene_import(self, petspot, count=20):
        """Imports into an existing cache. A scan alone would create none."""
        folder = self.work.path(f"{self.name}-photos")
        small_photos(folder, 0)
        expect(petspot, "import", folder)
        sources = small_photos(folder, count)
        return ["import", folder, "--jobs", "1"], sources

    def scene_import_few(self, petspot):
        return self.scene_import(petspot, 4)

    def scene_sweep(self, petspot):
        """Creates garbage of all kinds, and a photo that must stay."""
        self.earlier = expect(petspot, "attach", EARLIER).photo
        for number in range(3):
            data = b"rubbish %d" % number
            name = hashlib.sha256(data).hexdigest()
            shard = os.path.join(self.begin, "blobs", name[:2])
            os.makedirs(shard, exist_ok=True)
            write(os.path.join(shard, name[2:] + ".jpg"), data, LONG_AGO)
            write(os.path.join(self.begin, "incoming", f"1-1-0-{number}"), b"unfinished")
        return ["sweep"], []

    def copy(self, path):
        """Copies the initial cache to a path."""
        if os.path.isdir(self.begin):
            shutil.copytree(self.begin, path, symlinks=True)
        return Petspot(self.work.binary, path)

    def fresh(self):
        """Copies the initial cache to a new place."""
        return self.copy(self.work.new_petspot().cache)

    def command(self, petspot):
        return petspot.command(*self.arguments)

    def longest(self, seconds, kills):
        """Returns the longest time until one of so many kills, if the command takes so many seconds."""
        return 1.05 * seconds

    def uninterrupted(self):
        """Returns the contents of the cache after an undisturbed run."""
        if self.end is None:
            petspot = self.fresh()
            answer = petspot.run(*self.arguments, timeout=600)
            if answer.exit not in (0, 65):
                raise SystemExit(f"{self.name} fails undisturbed: {answer.exit} {answer.errors}")
            self.end, self.clean_exit = contents(petspot), answer.exit
        return self.end

    def judge(self, petspot):
        """Whatever happened to the command, the cache must be complete."""
        yield from invariants.shown(petspot, self.earlier if self.name != "remove" else None)
        yield from invariants.verified(petspot.run)
        for path, before in self.digests.items():
            if digest(path) != before:
                yield f"the source {os.path.basename(path)} was changed"

    def judge_kill(self, petspot):
        """After a kill, a sweep must tidy up, and the repeated command must succeed."""
        yield from self.judge(petspot)
        yield from self.judge_end(petspot)

    def judge_end(self, petspot):
        yield from invariants.swept(petspot)
        yield from self.judge_repeat(petspot)

    def judge_repeat(self, petspot):
        """A repeated command must end as if it had never been interrupted."""
        yield from self.repeated(petspot, self.is_ordered)

    def repeated(self, petspot, is_ordered):
        yield from invariants.succeeded("the command once more", petspot.run(*self.arguments, timeout=600), 65)
        wanted, found = self.uninterrupted(), contents(petspot)
        if set(found["blobs"]) > set(wanted["blobs"]):
            # Blobs that lost their record are garbage, which a sweep removes once they are old.
            for path, _ in found["blobs"]:
                os.utime(os.path.join(petspot.cache, path), (LONG_AGO, LONG_AGO))
            yield from invariants.swept(petspot)
            found = contents(petspot)
        yield from differences(wanted, found, "after the repetition", is_ordered)

    def judge_failure(self, petspot, answer, point):
        """A command that met a failure must do all of its work, or none of it and say so."""
        imports = self.arguments[0] == "import"
        allowed = (self.clean_exit, *MACHINE, *point.allowed, *[65] * imports)
        yield from invariants.succeeded(self.arguments[0], answer, *allowed)
        if answer.exit not in (0, 65) and not answer.errors.strip():
            yield f"exit {answer.exit} without a word"
        yield from told(petspot, answer) if imports else self.judge_attached(petspot, answer)
        yield from self.judge(petspot)
        # A file that couldn't be read the first time comes later in the library.
        yield from self.repeated(petspot, False)

    def judge_attached(self, petspot, answer):
        photo = petspot.run("status").photo
        if answer.exit == 0:
            if photo.get("id") != answer.photo.get("id") or not photo:
                yield "exit 0, but status does not show the photo"
        elif photo and photo["source"]["sha256"] == self.digests[self.photo]:
            yield f"exit {answer.exit}, {LATE}: {answer.errors.strip()}"
        elif self.earlier and photo.get("id") != self.earlier["id"]:
            yield "the earlier photo is lost"


def scenes(*names, quick=None):
    """Returns a function that makes these scenes, or only some of them in a quick run."""
    return lambda work: [Scene(work, name) for name in (quick if work.quick and quick else names)]


def told(petspot, answer):
    """Every photo that is reported as imported must be recorded and complete."""
    library = {row[0] for row in rows(petspot, "SELECT photo FROM library_photo")}
    for line in answer.objects:
        if line.get("outcome") == "imported":
            if line["id"] not in library:
                yield f"{os.path.basename(line['path'])} was told as imported and is not on record"
            elif fault := blob_fault(line["photo"]):
                yield fault


def differences(wanted, found, when, ordered=True):
    """Yields the differences between the expected and the actual contents of a cache."""
    for key, value in wanted.items():
        if found[key] != value and (ordered or sorted(found[key], key=repr) != sorted(value, key=repr)):
            yield f"{key} {when}: {found[key]}, undisturbed: {value}"


def expect(petspot, *arguments):
    answer = petspot.run(*arguments)
    if answer.exit != 0:
        raise SystemExit(f"petspot {arguments} does not work undisturbed: {answer.exit} {answer.errors}")
    return answer


def small_photos(folder, count, refused=True):
    """Creates different small photos. Comments and trailing bytes make copies of a photo differ. Without `refused`,
    leaves out those that an import refuses."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    paths = []
    for number in range(count):
        name = SMALL[number % len(SMALL)]
        data = read(os.path.join(IMAGES, name))
        if number >= len(SMALL) and name.endswith(".jpg"):
            data = data[:2] + b"\xff\xfe\x00\x04%02d" % number + data[2:]
        elif number >= len(SMALL):
            data += b"copy %d" % number
        if refused or name != "crc.png":
            paths.append(write(os.path.join(folder, f"{number:02}-{name}"), data, LONG_AGO + number))
    return paths


def catalog(petspot):
    return os.path.join(petspot.cache, "database", "catalog.sqlite")


def rows(petspot, query, aside=()):
    """Returns rows of the catalog without some columns. Empty if there is no catalog or no such table yet."""
    if not os.path.exists(catalog(petspot)):
        return []
    connection = sqlite3.connect(catalog(petspot))
    try:
        found = connection.execute(query)
        kept = [place for place, column in enumerate(found.description) if column[0] not in aside]
        return [tuple(row[place] for place in kept) for row in found]
    except sqlite3.OperationalError:
        return []
    finally:
        connection.close()


def contents(petspot):
    """Returns everything that a cache holds. Photos are identified by their source's digest because their names are
    random."""
    source = "(SELECT sourceSHA256 FROM photo WHERE photo.id = photo)"
    file = "path, device, inode, size, modified, sha256, tier, refusal"
    hashes = "JOIN library_photo ON library_photo.photo = photo.id"

    def table(query):
        return rows(petspot, query, ASIDE)

    return {
        "library": table(f"SELECT photo.*, perceptual_hash FROM photo {hashes} ORDER BY sequence"),
        "drafts": table(f"SELECT draft, state, {source} FROM attachment ORDER BY draft"),
        "photos": table("SELECT * FROM photo ORDER BY sequence"),
        "files": table(f"SELECT {file}, {source} FROM source_file ORDER BY path"),
        "sizes": table("SELECT max_side, format, blob, sha256, is_stored FROM photo_size ORDER BY max_side, format, blob"),
        "blobs": sorted(digests(petspot.cache, "blobs", "previews", "sizes").items()),
    }
