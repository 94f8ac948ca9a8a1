"""Which damaged photos petspot inspect and other programs find, and what that costs."""

import os
import random
import shutil
import subprocess
import sys

import environment
import results
from measuring import load_note

sys.path += [os.path.join(environment.ROOT, "Scripts", name) for name in ("faulting", "support")]  # last, because names of modules repeat
import damage  # noqa: E402

NEEDED = {"jpeginfo": "jpeginfo", "pngcheck": "pngcheck", "identify": "imagemagick", "djpeg": "libjpeg-turbo-progs"}
ALL = ("jpg", "png", "gif", "webp", "heic")
# Each program with its command and the formats that it knows.
JUDGES = {
    "petspot inspect": (["petspot", "inspect"], ALL), "jpeginfo -c": (["jpeginfo", "-c"], ("jpg",)),
    "pngcheck": (["pngcheck", "-q"], ("png",)),
    "identify -regard-warnings": (["identify", "-regard-warnings", "-verbose"], ALL),
}  # fmt: skip
NOTES = (
    "Photos with random colors, cut, or with sectors and blocks lost, zeroed or of another photo, by the generators of "
    "`Scripts/faults damage`.",
    "Only damage that an independent decoder shows is counted: libjpeg-turbo, or Pillow with libheif.",
    "A program finds damage if it exits with another code than 0.",
)


def main(arguments):
    missing = [package for program, package in NEEDED.items() if not shutil.which(program)]
    if missing:
        sys.exit(f"bench: install {' '.join(missing)} (Scripts/bootstrap --bench)")
    load = load_note()
    photos = list(make(os.path.join(environment.ROOT, ".build", "bench-damage"), arguments.photos))
    rows, figures = [], []
    for name, (command, suffixes) in JUDGES.items():
        command = [arguments.binary if command[0] == "petspot" else command[0], *command[1:]]
        for suffix in suffixes:
            verdicts = [(is_damaged, refuses(command, path)) for path, kind, is_damaged in photos if kind == suffix]
            found = [verdict for is_damaged, verdict in verdicts if is_damaged]
            alarms = [verdict for is_damaged, verdict in verdicts if not is_damaged]
            rows.append((f"`{name}`", suffix, f"{sum(found)} of {len(found)}", f"{sum(alarms)} of {len(alarms)}"))
            figures.append(
                {"program": name, "format": suffix, "found": sum(found), "damaged": len(found), "alarms": sum(alarms), "whole": len(alarms)}
            )
    text = results.header("Damaged photos, and who finds them", load, NOTES)
    text += "\n" + results.table(("program", "format", "damaged photos found", "false alarms"), rows)
    results.write("damage", text, figures, keep=not arguments.dry)


def refuses(command, path):
    return subprocess.run([*command, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0


def make(folder, count):
    """Makes photos, and each of them damaged in every way. Yields (path, suffix, whether it is damaged)."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    dice = random.Random(46)
    for format in damage.FORMATS.values():
        photos = [format.make(dice) for _ in range(count)]
        for number, data in enumerate(photos):
            yield save(folder, f"{number:03}-whole", format, data), format.suffix, False
            shown = format.shown(data)[0]
            for name, change in damage.DAMAGES.items():
                at = dice.randrange(format.start(data), len(data) - len(format.end))
                changed = change(data, at, format, photos[number - 1])
                if format.shown(changed)[0] != shown:
                    yield save(folder, f"{number:03}-{name}", format, changed), format.suffix, True


def save(folder, name, format, data):
    path = os.path.join(folder, f"{name}.{format.suffix}")
    with open(path, "wb") as file:
        file.write(data)
    return path
