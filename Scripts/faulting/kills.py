"""Imports and attachments that are killed at random moments."""

import os
import shutil
import sys
import time

import caches
import invariants
from board import IMAGES
from files import LONG_AGO, below, read, write
from petspot import ROOT

sys.path.append(os.path.join(ROOT, "Scripts", "testimages"))

ATTACHED = ("portrait-phone.heic", "orientation-6.jpg", "gps-exif.jpg", "animated.gif", "gradient-16-bit.png")


def attachments(work):
    photos = [os.path.join(IMAGES, name) for name in (ATTACHED[1:2] if work.quick else ATTACHED)]
    return [caches.Scene(work, name, photo) for name in ("attach-new", "attach") for photo in photos]


class ManyPhotos(caches.Scene):
    """An import of 1,500 files, killed and resumed many times. Most files are distinct small photos; between them
    are duplicates, hard links and files that are refused."""

    impatience, is_ordered = 0, False

    def scene_many(self, petspot):
        folder = self.work.path("many-photos")
        self.make_photos(folder, self.work.count(120, 1500))
        return ["import", folder], []

    def longest(self, seconds, kills):
        """An import is killed and resumed dozens of times. The time to start isn't part of what is resumed."""
        petspot = self.fresh()
        petspot.run(*self.arguments, timeout=600)
        begin = time.monotonic()
        self.totals = petspot.run(*self.arguments, timeout=600).json
        return time.monotonic() - begin + 4 * seconds / kills

    def judge_end(self, petspot):
        done = petspot.run(*self.arguments, timeout=600)
        if done.json.get("files") != self.totals.get("files") or done.exit != 65:
            yield f"last run: exit {done.exit}, {done.json}"
        yield from invariants.emptied(petspot)
        yield from super().judge_end(petspot)
        yield from invariants.verified(petspot.run, timeout=600)

    def make_photos(self, folder, count):
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
