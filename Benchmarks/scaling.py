"""`Scripts/bench scale`: many small files. Does the cost stay linear, and memory flat?"""

import shutil

import results
from comparing import folder_of, fresh, median, run
from measuring import load_note

MOST_SLOPE, MOST_DEVIATION = 1.0, 0.20  # MiB per 10,000 files; share of the cost per file
MOST_AGAIN, MOST_LIST = 40e-6, 0.1  # seconds per file; seconds
# Runs of some seconds are unreliable, because earlier runs still write to the disk.
SHORT, RUNS_OF_SHORT = 50_000, 3


def main(arguments):
    load, rows, figures = load_note(), [], {}
    for count in arguments.counts:
        row = figures[count] = one(arguments, count)
        rows.append((
            f"{count:,}", f"{row['seconds']:.1f}", f"{row['perFileMs']:.3f}", f"{row['cpuPerFileMs']:.3f}",
            results.mebibytes(row["peak"]), f"{row['slope']:.2f}",
            f"{row['descriptors'][0]} … {row['descriptors'][1]}", f"{row['again']:.2f}", row["againBytesRead"],
            f"{row['list'] * 1000:.0f}", f"{row['verify']:.2f}", f"{row['sweep']:.2f}",
        ))  # fmt: skip
        print(f"{count} files: {row['seconds']:.1f} s, again {row['again']:.2f} s", flush=True)
    largest, most_again = figures[max(figures)], MOST_AGAIN * max(figures)
    found = [
        deviation("time per file", figures, "perFileMs"),
        deviation("processor time per file", figures, "cpuPerFileMs"),
        ("memory slope, MiB for 10,000 files", f"{largest['slope']:.2f}", f"< {MOST_SLOPE}", largest["slope"] < MOST_SLOPE),
        ("descriptors, late against early", f"{largest['descriptors']}", "equal", largest["descriptors"][1] <= largest["descriptors"][0] + 2),
        ("second run, s", f"{largest['again']:.2f}", f"< {most_again:g}", largest["again"] < most_again),
        ("second run, bytes of photos read", largest["againBytesRead"], "0", largest["againBytesRead"] == 0),
        ("list --limit 20, s", f"{largest['list']:.3f}", f"< {MOST_LIST}", largest["list"] < MOST_LIST),
    ]  # fmt: skip
    notes = [
        f"Below {SHORT:,} files the median of {RUNS_OF_SHORT} runs.",
        f"Distinct JPEGs of 64 by 48 pixels, a thousand a folder; {arguments.processes} jobs on {arguments.cores} cores.",
        "Slope: resident memory of the whole process tree, medians of the second and the ninth tenth of the run.",
    ]
    columns = (
        "files", "import s", "ms a file", "processor ms a file", "peak memory", "MiB for 10k files", "descriptors",
        "again s", "again bytes read", "list ms", "verify s", "sweep s",
    )  # fmt: skip
    text = "\n".join([
        results.header("Many small files", load, notes), results.table(columns, rows), "",
        "## Checks", "", results.checks(found), "",
    ])  # fmt: skip
    results.write("scale", text, figures, keep=not arguments.dry)


def deviation(what, figures, name):
    """Returns a check of how much the costs per file differ."""
    each = [row[name] for row in figures.values()]
    share = max(each) / min(each) - 1
    return f"{what}, largest against smallest", f"{share * 100:.0f} %", "≤ 20 %", share <= MOST_DEVIATION


def one(arguments, count):
    folder, cache = folder_of("small", count), fresh("scale")
    command = [arguments.binary, "import", folder, "--cache", cache, "--jobs", str(arguments.processes), "--json"]
    walls, processor = [], []
    for _ in range(RUNS_OF_SHORT if count < SHORT else 1):
        fresh("scale")
        cost, answer = run("scale", command, cores=arguments.cores)
        if answer.get("imported") != count:
            raise SystemExit(f"bench: {answer} of {count} files")
        walls.append(cost.wall)
        processor.append(cost.cpu)
    seconds, cpu = median(walls), median(processor)
    again, second = run("scale-again", command, cores=arguments.cores)
    if second.get("unchanged") != count:
        raise SystemExit(f"bench: second run: {second}")
    listing = [arguments.binary, "list", "--limit", "20", "--cache", cache, "--json"]
    listed = median(run("scale-list", listing, cores=arguments.cores)[0].wall for _ in range(5))
    kept = {}
    for name in ("verify", "sweep"):
        told, _ = run(f"scale-{name}", [arguments.binary, name, "--cache", cache, "--json"], cores=arguments.cores)
        if told.exit != 0:
            raise SystemExit(f"bench: {name} ends in {told.exit}")
        kept[name] = told.wall
    shutil.rmtree(cache)
    early, late = tenth(cost.samples, 1), tenth(cost.samples, 8)
    slope = (late[0] - early[0]) / 1048576 / (count * 0.7) * 10_000
    return {
        "seconds": seconds, "perFileMs": seconds / count * 1000, "cpu": cpu, "cpuPerFileMs": cpu / count * 1000,
        "peak": cost.peak, "slope": slope, "descriptors": (int(early[1]), int(late[1])), "again": again.wall,
        "againBytesRead": second.get("bytesRead"), "list": listed, **kept,
    }  # fmt: skip


def tenth(samples, which):
    """Returns the medians of memory and descriptors in one tenth of a run."""
    size = max(1, len(samples) // 10)
    part = samples[which * size : (which + 1) * size] or samples[-size:]
    return median(sample[1] for sample in part), median(sample[2] for sample in part)
