"""`Scripts/bench carry`: imports photos that need no new encoding, against encoding them again."""

import os

import environment
import results
from comparing import HERE, files_in, folder_of, fresh, import_command, median, read_once, run
from measuring import load_note

MOST = {"jpeg": 0.85, "png": 0.35, "webp": 0.35}


def main(arguments):
    load, rows, found, figures = load_note(), [], [], {}
    for kind, most in MOST.items():
        files = upright(kind, arguments.photos)
        read_once(files)
        ours, theirs = [], []
        for _ in range(arguments.rounds):
            cache = fresh("carry")
            cost, answer = run("carry", import_command(arguments.binary, files, cache, 1), cores=1)
            if answer.get("imported") != len(files):
                raise SystemExit(f"bench: {answer.get('imported')} of {len(files)} photos imported")
            ours.append(cost)
            again = [environment.PYTHON, os.path.join(HERE, "reencode.py"), fresh("again"), str(arguments.quality), *files]
            theirs.append(run("again", again, {"VIPS_CONCURRENCY": "1"}, cores=1)[0])
        ratio = median(a.wall / b.wall for a, b in zip(ours, theirs))
        cpu = median(a.cpu / b.cpu for a, b in zip(ours, theirs))
        each = [median(cost.wall for cost in side) / len(files) * 1000 for side in (ours, theirs)]
        rows.append((kind, len(files), f"{each[0]:.0f}", f"{each[1]:.0f}", f"{ratio:.2f}", f"{cpu:.2f}"))
        found.append((f"{kind}: time against encoding again", f"{ratio:.2f}", f"≤ {most}", ratio <= most))
        figures[kind] = {"files": len(files), "petspotMs": each[0], "pyvipsMs": each[1], "ratio": ratio, "cpuRatio": cpu}
    fresh("carry"), fresh("again")
    notes = [
        f"{arguments.rounds} rounds in pairs; one process each, both on the same one core; start of the process included.",
        f"petspot import --jobs 1, previews, proof, synced files and database included; pyvips: decode and encode (Q={arguments.quality}) only.",
        *environment.versions(),
    ]
    text = "\n".join([
        results.header("Carrying over against encoding again", load, notes),
        results.table(("", "photos", "petspot, ms a photo", "pyvips, ms a photo", "time ratio", "CPU ratio"), rows), "",
        "## Checks", "", results.checks(found), "",
    ])  # fmt: skip
    results.write("carry", text, figures, keep=not arguments.dry)


def upright(kind, count):
    """Returns photos of one kind whose pixels need no change."""
    return [path for path in files_in(folder_of(kind, count)) if "rotated" not in path]
