"""`Scripts/bench attach`: attaches one photo, in pairs with vips."""

import os
import subprocess

import results
from comparing import WORK, folder_of, fresh, median, read_once
from measuring import load_note, measure
from photos import kinds, name

MOST = 1.5  # at most this many times vips' time, for an upright or rotated JPEG
CASES = {  # kind of photo: (title, operation of vips, its output)
    "jpeg": ("upright JPEG", ["autorot"], "out.jpg[strip,Q=90]"),
    "jpeg-rotated": ("rotated JPEG", ["autorot"], "out.jpg[strip,Q=90]"),
    "heic": ("HEIC, Display P3", ["icc_transform"], "out.jpg[strip,Q=90]"),
    "png": ("PNG screenshot", ["copy"], "out.png[strip]"),
    "webp": ("lossy WebP", ["copy"], "out.webp[strip,Q=90]"),
    "gif": ("animated GIF", ["copy"], "out.gif[strip]"),
}


def photo_of(kind):
    """Returns the first photo of a kind. It has 12 megapixels if phones produce that kind."""
    set_name = kind.split("-")[0]
    listed = kinds(set_name, 30)
    wanted = [case for case in CASES if case.split("-")[0] == set_name]
    folder = folder_of(set_name, 1 + max(map(listed.index, wanted)))
    return os.path.join(folder, name(listed.index(kind), kind))


def main(arguments):
    load, rows, found, figures = load_note(), [], [], {}
    for kind, (title, operation, output) in CASES.items():
        path = photo_of(kind)
        read_once([path])
        ours, theirs = pairs(arguments, path, operation, output)
        ratio = median(a.wall / b.wall for a, b in zip(ours, theirs))
        cpu = median(a.cpu / b.cpu for a, b in zip(ours, theirs))
        wall = [median(cost.wall for cost in side) * 1000 for side in (ours, theirs)]
        rows.append((title, f"{wall[0]:.0f}", f"{wall[1]:.0f}", f"{ratio:.2f}", f"{cpu:.2f}"))
        figures[kind] = {"petspotMs": wall[0], "vipsMs": wall[1], "ratio": ratio, "cpuRatio": cpu}
        if kind.startswith("jpeg"):
            found.append((f"attach, {title}", f"{ratio:.2f}", f"≤ {MOST}", ratio <= MOST))
    notes = [
        f"{arguments.pairs} pairs (A B A B …); medians of time, and of the ratio of each pair.",
        "petspot: decode, encode or carry over, preview, proof, synced files, database; vips: decode and encode only.",
        "Each attach is of a new photo into an existing cache (removed again between the runs).",
    ]
    columns = ("", "petspot attach, ms", "vips, ms", "time ratio", "CPU ratio")
    text = "\n".join([
        results.header("Attach one photo", load, notes), results.table(columns, rows), "",
        "## Checks", "", results.checks(found), "",
    ])  # fmt: skip
    results.write("attach", text, figures, keep=not arguments.dry)


def pairs(arguments, path, operation, output):
    cache = fresh("attach")
    attach = [arguments.binary, "attach", path, "--cache", cache, "--json"]
    remove = [arguments.binary, "remove", "--cache", cache, "--quiet"]
    out = os.path.join(WORK, output)
    source = path + "[n=-1]" if path.endswith((".gif", ".webp")) else path
    vips = ["vips", *operation, source, out] + (["srgb"] if operation == ["icc_transform"] else [])
    ours, theirs = [], []
    for number in range(arguments.pairs + 1):
        for command, costs in ((attach, ours), (vips, theirs)):
            cost = measure(command, cores=arguments.cores, interval=0.005)
            if cost.exit != 0:
                subprocess.run(command)
                raise SystemExit(f"bench: {' '.join(command)} ended with {cost.exit}")
            if number > 0:  # the first pair only warms up
                costs.append(cost)
        subprocess.run(remove, check=True, stdout=subprocess.DEVNULL)
    fresh("attach")
    return ours, theirs
