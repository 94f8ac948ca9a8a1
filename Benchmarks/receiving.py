"""`Scripts/bench uploads`: the page `results/uploads.md`. It compares durable photo uploads with services of the peers,
which either process a photo as petspot does or only store it; and the quality of sizes, measured by `scoring`. Each
part replaces its own section of the page and keeps the others."""

import json
import os
import shlex
import sys

import environment
import results
import scoring
import uploading
from comparing import files_in, folder_of, read_once
from measuring import load_note

PAGE = "uploads"
WORKS = {
    "processed": """A 201 means the same in each row: an upright photo without metadata, a preview of 320 pixels and a
JPEG of at most 1280 pixels exist; all files and their folders are synced; a row in SQLite (`synchronous=FULL`) records
them.""",
    "stored": """A peer's 201 means that the upload, as it came, and its folder are synced and that a row in SQLite
(`synchronous=FULL`) records it. The photo can't be shown yet: it may be damaged, turned or hostile, and has its metadata.
petspot has no such state, so its row includes all of its work.""",
}
# A figure, how it is shown, and whether a larger one is better.
COMPARED = [
    ("rate", "photos a second", "{:.1f}", True), ("cpuMs", "CPU ms a photo", "{:.0f}", False),
    ("p50", "p50 ms", "{:.0f}", False), ("p95", "p95 ms", "{:.0f}", False), ("peak", "peak memory", "", False),
]  # fmt: skip


def main(arguments):
    path = os.path.join(results.FOLDER, PAGE + ".json")
    sections = {}
    if os.path.exists(path):
        with open(path) as file:
            sections = json.load(file)
    for part in arguments.parts:
        load = load_note()
        section = scoring.measured(arguments) if part == "sizes" else compared(arguments, part)
        section["stamp"], section["command"] = results.stamp(load), command(arguments)
        sections[f"{part}-{section['set']}"] = section
    results.write(PAGE, page(sections), sections, keep=not arguments.dry)


def command(arguments):
    """Returns the command of this run, without paths of this machine."""
    paths = (arguments.folder, arguments.binary)
    return "Scripts/bench " + shlex.join("PATH" if os.path.abspath(word) in paths else word for word in sys.argv[1:])


def compared(arguments, work):
    """Returns the figures of services that do this work."""
    files = files_in(arguments.folder or folder_of(arguments.set, arguments.photos))
    read_once(files)
    rounds = {name: [] for name in ["petspot", *arguments.contenders]}
    for number in range(arguments.rounds):
        for name, runs in rounds.items():
            runs.append(uploading.one_round(arguments, name, files, work))
            if arguments.folder:  # its names are nobody else's business
                runs[-1]["failed"] = ["a photo of the folder"] * len(runs[-1]["failed"])
            print(f"round {number + 1}: {uploading.NAMES[name]:<34}{runs[-1]['wall']:8.2f} s, CPU {runs[-1]['cpu']:.2f} s", flush=True)
    kind = "folder" if arguments.folder else arguments.set
    figures = {name: uploading.summary(runs) for name, runs in rounds.items()}
    for row in figures.values():
        del row["runs"]
    return {
        "work": work, "set": kind, "files": len(files), "bytes": sum(map(os.path.getsize, files)), "figures": figures,
        "clients": arguments.clients, "processes": arguments.processes, "cores": arguments.cores,
        "rounds": arguments.rounds, "quality": arguments.quality,
        "versions": [*environment.versions()[:3], *environment.web_versions(), *environment.rails_versions()],
    }  # fmt: skip


def page(sections):
    """Returns the page with the sections that were measured so far."""
    text = [
        "# Durable photo uploads", "",
        "An upload is durable if a power cut after its response can't undo it. This page compares petspot with services "
        "that one would write with today's libraries, including the rows where petspot loses. Compare figures of one table only. "
        "The photos are synthetic and the same every time. `Benchmarks/README.md` describes the programs.", "",
    ]  # fmt: skip
    lost = []
    for name in sorted(sections, key=lambda name: (name.startswith("sizes"), name)):
        told, losses = scoring.told(sections[name]) if name.startswith("sizes") else upload_section(sections[name])
        text += [*told, ""]
        lost += losses
    text += ["## Where petspot loses", ""]
    text += [results.table(("", "figure", "petspot", "the other"), lost) if lost else "Nowhere in these tables.", ""]
    return "\n".join(text)


def upload_section(section):
    """Returns the lines of a comparison, and the rows where petspot is worse."""
    figures, kind = section["figures"], {"mixed": "a fifth of them HEIC", "carry": "no HEIC", "folder": "a private folder"}
    title = f"{section['work'].capitalize()}, {kind.get(section['set'], section['set'])}"
    lines = [
        f"## {title}", "", section["stamp"], "", f"`{section['command']}`", "", WORKS[section["work"]].replace("\n", " "), "",
        f"* {section['files']} photos, {section['bytes'] / 1e6:.0f} MB, by {section['clients']} clients, each photo over a "
        f"connection of its own. {section['processes']} worker processes of each peer. {section['cores']} cores, which the "
        "clients use too.",
        f"* Rounds in turn: {section['rounds']}. Medians; latencies of all rounds together. Spread is the largest deviation "
        f"from the median time. Peers encode at quality {section['quality']}, as petspot where it encodes.",
        "* Only petspot checks a password, decodes in a sandbox, and verifies a photo before and after.",
        "* Rails stores the original or the processed photo by Active Storage, and sizes as its variants. Syncing was added to it. "
        "It commits the photo's row before it writes the file, so a power cut before the response may leave a row without one.",
        *(f"* {line}" for line in uploading.failures(figures)),
        "* " + ", ".join(section["versions"]), "",
        uploading.table(figures),
    ]  # fmt: skip
    ours, lost = figures["petspot"], []
    for name, row in figures.items():
        for figure, words, form, is_more_better in COMPARED:
            shown = [results.mebibytes(one[figure]) if figure == "peak" else form.format(one[figure]) for one in (ours, row)]
            if shown[0] != shown[1] and (row[figure] > ours[figure]) == is_more_better:
                lost.append((f"{title}: {uploading.NAMES[name]}", words, *shown))
    return lines, lost
