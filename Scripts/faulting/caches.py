"""The caches that fault classes start from, the commands that change them, and the checks afterwards."""

import hashlib
import os
import shutil
import sqlite3

import invariants
from board import IMAGES
from files import LONG_AGO, digest, digests, read, write
from petspot import Petspot

EARLIER = os.path.join(IMAGES, "baseline-444.jpg")
PHOTO = os.path.join(IMAGES, "gps-exif.jpg")
SMALL = ("baseline-420.jpg", "color-key.png", "animated.gif", "alpha-lossless.webp", "brand-mif1.heic", "crc.png")
ASIDE = {"sequence", "id", "savedAtMilliseconds", "seal"}  # columns filled by chance or the clock


class Scene:
    """A cache in its initial state and a command that changes it. `earlier` is the photo that the draft shows
    before."""

    def __init__(self, work, name):
        self.work, self.name = work, name
        self.begin = work.path(f"{name}-begin")
        self.earlier = None
        self.arguments, self.sources = getattr(self, "scene_" + name.replace("-", "_"))(work.new_petspot(f"{name}-begin"))
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

    def uninterrupted(self):
        """Returns the contents of the cache after an undisturbed run."""
        if self.end is None:
            petspot = self.fresh()
            answer = petspot.run(*self.arguments)
            if answer.exit not in (0, 65):
                raise SystemExit(f"{self.name} fails undisturbed: {answer.exit} {answer.errors}")
            self.end, self.clean_exit = contents(petspot), answer.exit
        return self.end

    def judge(self, petspot):
        """Yields the faults of the cache, whatever happened to the command."""
        yield from invariants.shown(petspot, self.earlier if self.name != "remove" else None)
        yield from invariants.verified(petspot.run)
        for path, before in self.digests.items():
            if digest(path) != before:
                yield f"the source {os.path.basename(path)} was changed"

    def judge_kill(self, petspot):
        """Yields the faults after a kill, then sweeps and repeats the command."""
        yield from self.judge(petspot)
        yield from invariants.swept(petspot)
        yield from self.judge_repeat(petspot)

    def judge_repeat(self, petspot, ordered=True):
        """Repeats the command, which must end as if it had never been interrupted. If a file couldn't be read the
        first time, it comes later in the library, and `ordered` is false."""
        yield from invariants.succeeded("the command once more", petspot.run(*self.arguments), 65)
        wanted, found = self.uninterrupted(), contents(petspot)
        if set(found["blobs"]) > set(wanted["blobs"]):
            # Blobs that lost their record are garbage, which a sweep removes once they are old.
            for path, _ in found["blobs"]:
                os.utime(os.path.join(petspot.cache, path), (LONG_AGO, LONG_AGO))
            yield from invariants.swept(petspot)
            found = contents(petspot)
        yield from differences(wanted, found, "after the repetition", ordered)


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
