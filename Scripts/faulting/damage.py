"""Damaged photos."""

import dataclasses
import itertools
import os
import re
import subprocess
from collections.abc import Callable

from board import Tally
from files import LONG_AGO, read, write
from pythons import environment


@dataclasses.dataclass
class Format:
    """What the class needs to know about a format. A new format is a new row of FORMATS."""

    suffix: str
    end: bytes  # the bytes at the end of a file
    make: Callable  # makes a photo with these dice
    start: Callable  # finds the start of a file's data
    shown: Callable  # returns the pixels and the decoder's warning
    is_quick: bool = False  # its decoder needs no packages from PyPI


def photo(dice):
    """Returns a PPM with random-walk colors, so that no two blocks are encoded alike."""
    width, height = dice.randrange(320, 900), dice.randrange(240, 700)
    rows = []
    for y in range(height):
        steps = (step % 15 - 7 for step in dice.randbytes(3 * width))
        colors = itertools.accumulate(steps, lambda sample, step: min(255, max(0, sample + step)), initial=y % 256)
        rows.append(bytes(itertools.islice(colors, 3 * width)))
    return b"P6\n%d %d\n255\n" % (width, height) + b"".join(rows)


# JPEG

CODINGS = (
    [], ["-progressive"], ["-restart", "1"], ["-sample", "1x1"], ["-optimize"], ["-restart", "9B", "-progressive"],
    ["-grayscale"], ["-arithmetic"],
)  # fmt: skip


def jpeg(dice):
    quality = str(dice.randrange(50, 96))
    command = ["cjpeg", "-quality", quality, *dice.choice(CODINGS)]
    return subprocess.run(command, input=photo(dice), stdout=subprocess.PIPE, check=True).stdout


def jpeg_shown(data):
    done = subprocess.run(["djpeg", "-pnm"], input=data, capture_output=True)
    # Up to 32 bytes after the last code are repaired (decision 73).
    surplus = re.compile(r"Corrupt JPEG data: ([0-9]+) extraneous bytes before marker")
    lines = done.stderr.decode().strip().splitlines()
    return done.stdout, "\n".join(line for line in lines if not (found := surplus.match(line)) or int(found[1]) > 32)


# The other formats, with Pillow

PACKAGES = ["pillow==13.0.0", "pillow-heif==1.8.1"]


def by_pillow(*arguments, data):
    python = os.path.join(environment("damage-venv", PACKAGES), "python")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "by_pillow.py")
    return subprocess.run([python, script, *arguments], input=data, capture_output=True)


def coded(format, *options):
    return lambda dice: by_pillow("make", format, *dice.choice(options), data=photo(dice)).stdout


def shown(data):
    done = by_pillow("show", data=data)
    return done.stdout, done.stderr.decode().strip()


def behind(mark, more):
    return lambda data: data.index(mark) + more


WEBPS = (["quality=60"], ["quality=92", "method=6"], ["lossless=1"])

FORMATS = {
    "JPEG": Format("jpg", b"\xff\xd9", jpeg, behind(b"\xff\xda", 14), jpeg_shown, is_quick=True),
    "PNG": Format("png", bytes(4) + b"IEND\xaeB`\x82", coded("PNG", [], ["compress_level=1"]), behind(b"IDAT", 4), shown),
    "GIF": Format("gif", b";", coded("GIF", [], ["interlace=0"]), lambda data: 900, shown),
    "WebP": Format("webp", b"", coded("WEBP", *WEBPS), lambda data: 40, shown),
    "HEIC": Format("heic", b"", coded("HEIF", ["quality=60"], ["quality=90"]), behind(b"mdat", 4), shown),
}


# Damages. Each takes a photo, a place in its data, its format and another photo.


def lost(count, instead=b""):
    return lambda data, at, format, other: data[:at] + instead + data[at + count :]


def spliced(data, at, other):
    """Returns a photo with a sector of another one. Its end stays, because a missing end alone is repaired."""
    return data[:at] + other[at : at + 512] + data[at + 512 :]


DAMAGES = {
    "end": lambda data, at, format, other: data[: len(data) - len(format.end)],
    "cut": lambda data, at, format, other: data[:at],
    "cut-and-ended": lambda data, at, format, other: data[:at] + format.end,
    "block-lost": lost(4096),
    "sector-lost": lost(512),
    "block-zeroed": lost(4096, bytes(4096)),
    "sector-zeroed": lost(512, bytes(512)),
    "others-sector": lambda data, at, format, other: spliced(data, min(at, len(data) - len(format.end) - 512), other),
    "others-tail": lambda data, at, format, other: data[:at] + other[min(at, len(other) - 99) :],
}


def damage(work):
    """Photos that are cut, or have lost, zeroed or foreign blocks: accepted only if every pixel is shown.

    An independent decoder judges. It must show an accepted photo without a warning, or like the undamaged photo. It
    must warn about a refused photo, or show it differently. No original of a refused photo may be deleted. Splices
    whose codes end exactly at the joint can't be detected."""
    for name, format in FORMATS.items():
        if format.is_quick or not work.quick:
            yield damaged(work, name, format)


def damaged(work, name, format):
    tally, folder = Tally(f"damage: {name}"), work.new_folder(format.suffix)
    photos = [format.make(work.dice) for _ in range(work.count(6, 200))]
    cases = {}
    for number, data in enumerate(photos):
        for damage, change in DAMAGES.items():
            at = work.dice.randrange(format.start(data), len(data) - len(format.end))
            changed = change(data, at, format, photos[number - 1])
            path = os.path.join(folder, f"{number:03}-{damage}.{format.suffix}")
            cases[write(path, changed, LONG_AGO)] = (changed, data)
    answer = work.petspot().run("import", folder, "--delete-source", "--yes", timeout=3600)
    outcomes = {line["path"]: line for line in answer.objects if "outcome" in line}
    whole = {data: format.shown(data)[0] for data in photos}
    taken = spliced = 0
    for path, (data, original) in cases.items():
        line, fault = outcomes.get(path, {}), None
        pixels, warning = format.shown(data)
        if line.get("outcome") in ("imported", "duplicate"):
            taken += 1
            spliced += not warning and pixels != whole[original]
            if warning and pixels != whole[original]:
                fault = f"it was taken: {warning}"
        elif line.get("code") != "corrupt":
            fault = line or answer.errors
        elif not warning and pixels == whole[original]:
            fault = "it was refused, but lacks nothing"
        elif not os.path.exists(path) or read(path) != data:
            fault = "it was refused, and its original is gone"
        tally.add(os.path.basename(path), [fault])
    tally.notes = f"{taken} taken, {spliced} of them spliced so that no decoder notices"
    tally.expect_some(taken, "taken")
    return tally
