"""`Scripts/bench jail`: the cost of decoding in sandboxed processes, against decoding inside petspot, in pairs."""

import os
import subprocess

import environment
import results
from comparing import files_in, folder_of, fresh, import_command, median, read_once, run
from measuring import load_note

LEAST_THROUGHPUT, MOST_MORE = 0.95, 60  # relative to the throughput without a sandbox; milliseconds
OPEN = ["--decode-in-process"]
# The variables that decoders get otherwise (DecoderWorker.swift): no foreign loaders, the same memory settings.
AS_DECODERS = {
    "VIPSHOME": "/nonexistent",
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_MAX_": "0",
    "MALLOC_TRIM_THRESHOLD_": "268435456",
}
SMALL = "small files"
PHOTO = os.path.join(environment.ROOT, "TestImages", "baseline-420.jpg")


def main(arguments):
    load, figures, rows, found = load_note(), {}, [], []
    for name, folder in folders(arguments).items():
        files = files_in(folder)
        read_once(files)
        figures[name] = row = importing(arguments, folder)
        rows.append((f"import {len(files):,} {name}", *cells(row, "s", 1)))
        # For photos of 64 by 48 pixels, the round trip to a decoder costs as much as decoding. It is reported
        # without a bound.
        if name != SMALL:
            throughput = row["throughput"]
            holds = throughput >= LEAST_THROUGHPUT
            found.append((f"import of {name}, throughput", f"{throughput:.3f}", f"≥ {LEAST_THROUGHPUT}", holds))
    figures["attach"] = row = attaching(arguments)
    rows.append(("attach one small photo", *cells(row, "ms", 1000)))
    more = row["more"] * 1000
    found.append(("attach, more time", f"{more:.0f} ms", f"≤ {MOST_MORE} ms", more <= MOST_MORE))
    notes = [
        f"{arguments.rounds} pairs of imports, {arguments.pairs} of attaches (A B A B …); medians.",
        "With: decoders are processes, caged by Landlock, seccomp and limits; without: the same code inside petspot.",
        f"{arguments.processes} jobs on {arguments.cores} cores; without, memory is allocated as decoders do.",
    ]
    columns = ("", "with", "without", "throughput with / without", "CPU ratio")
    text = "\n".join([
        results.header("What the cage costs", load, notes), results.table(columns, rows), "",
        "## Checks", "", results.checks(found), "",
    ])  # fmt: skip
    results.write("jail", text, figures, keep=not arguments.dry)


def folders(arguments):
    if arguments.folder:
        return {"photos": arguments.folder}
    return {"photos": folder_of("mixed", arguments.photos), SMALL: folder_of("small", arguments.small)}


def importing(arguments, folder):
    def command(cache):
        return import_command(arguments.binary, [folder], cache, arguments.processes)

    def essence(answer):
        return [answer.get(key) for key in ("files", "imported", "duplicates", "failed")]

    return pairs(arguments, command, arguments.rounds, essence)


def attaching(arguments):
    def command(cache):
        return [arguments.binary, "attach", PHOTO, "--cache", cache, "--json"]

    def essence(answer):
        return answer.get("photo", {}).get("blob", {}).get("sha256")

    return pairs(arguments, command, arguments.pairs, essence)


def pairs(arguments, command, count, essence):
    """Runs a command with the sandbox and without, in turn, each with a new cache. Both must have the same result."""
    caged, uncaged = [], []
    for number in range(count + 1):
        answers = []
        for options, variables, costs in (([], {}, caged), (OPEN, AS_DECODERS, uncaged)):
            cache = fresh("jail")
            status = [arguments.binary, "status", "--cache", cache]
            subprocess.run(status, check=True, stdout=subprocess.DEVNULL)  # creates the cache
            cost, answer = run("jail", command(cache) + options, variables, cores=arguments.cores)
            answers.append(essence(answer))
            if number > 0:  # the first pair only warms up
                costs.append(cost)
        if answers[0] != answers[1] or not answers[0]:
            raise SystemExit(f"bench: with the cage {answers[0]}, without {answers[1]} {answer.get('error', '')}")
    fresh("jail")
    return {
        "with": median(cost.wall for cost in caged), "without": median(cost.wall for cost in uncaged),
        "more": median(one.wall - other.wall for one, other in zip(caged, uncaged)),
        "throughput": median(other.wall / one.wall for one, other in zip(caged, uncaged)),
        "cpuRatio": median(one.cpu / other.cpu for one, other in zip(caged, uncaged)),
        "runs": {"with": [cost.wall for cost in caged], "without": [cost.wall for cost in uncaged]},
    }  # fmt: skip


def cells(row, unit, scale):
    digits = 0 if scale > 1 else 2
    times = [f"{row[side] * scale:.{digits}f} {unit}" for side in ("with", "without")]
    return [*times, f"{row['throughput']:.3f}", f"{row['cpuRatio']:.3f}"]
