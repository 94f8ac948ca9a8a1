"""`Scripts/bench import`: petspot and its peers on a folder of photos, and the theoretical limit."""

import results
from comparing import files_in, folder_of, fresh, import_command, median, peer_command, read_once, run, spread
from measuring import load_note

NAMES = {
    "petspot": "petspot import", "pillow": "Pillow + pillow-heif", "pyvips": "pyvips",
    "imagemagick": "ImageMagick", "limit": "limit (libvips alone)",
}  # fmt: skip
# The least throughput of petspot relative to the peer's.
BOUNDS = {
    "carry": {"pillow": 3.5, "pyvips": 3.5},
    "heic": {"pillow": 1.1, "pyvips": 1.6},
    "mixed": {"pillow": 1.8, "pyvips": 2.1},
}
MOST_MEMORY, MOST_OVER_LIMIT = 600 << 20, 1.2


def main(arguments):
    sets = [("folder", arguments.folder)] if arguments.folder else [(name, None) for name in arguments.sets]
    for set_name, folder in sets:
        folder = folder or folder_of(set_name, arguments.photos)
        compare(arguments, set_name, folder)


def compare(arguments, set_name, folder):
    files = files_in(folder)
    sizes = sum(map(size_of, files))
    read_once(files)
    load = load_note()
    contenders = ["petspot", *(name for name in arguments.contenders if name != "petspot"), "limit"]
    costs, answers = {name: [] for name in contenders}, {name: [] for name in contenders}
    for number in range(arguments.rounds):
        for name in contenders:
            if name == "imagemagick" and number > 0:
                continue  # too slow for more rounds, and no check depends on it
            out = fresh(name)
            if name == "petspot":
                command = import_command(arguments.binary, [folder], out, arguments.processes)
            else:
                command = peer_command(name, folder, out, arguments.processes, arguments.quality)
            cost, answer = run(name, command, cores=arguments.cores)
            print(f"round {number + 1}: {NAMES[name]:<24}{cost.wall:8.2f} s, CPU {cost.cpu:.2f} s", flush=True)
            costs[name].append(cost)
            answers[name].append(answer)
            fresh(name)
    tell(arguments, set_name, len(files), sizes, costs, answers, load)


def tell(arguments, set_name, count, sizes, costs, answers, load):
    figures = {name: summary(runs, min(map(done, answers[name]))) for name, runs in costs.items()}
    ours = figures["petspot"]
    rows = [
        (
            NAMES[name], f"{row['wall']:.2f}", f"{row['cpu']:.2f}", f"{row['busy']:.2f}", results.mebibytes(row["peak"]),
            row["photos"], f"{row['rate']:.1f}", f"{row['wall'] / ours['wall']:.2f}", f"{row['spread']:.0f} %",
        )
        for name, row in figures.items() if name != "limit"
    ]  # fmt: skip
    columns = ("", "wall s", "CPU s", f"cores busy of {arguments.cores}", "peak memory", "photos", "photos/s", "time vs. petspot", "spread")
    stages, our_stages = stage_medians(answers["limit"]), stage_medians(answers["petspot"])
    limit = stages.get("decode", 0) + stages.get("encode", 0)
    limit_rows, over = limit_table(stages, limit, ours, our_stages)
    notes = [
        f"{count} files, {sizes / 1e6:.0f} MB; {arguments.processes} processes each, on {arguments.cores} cores.",
        f"{arguments.rounds} rounds in turn; medians; spread is the farthest run from the median.",
        f"Peers encode JPEG and lossy WebP at quality {arguments.quality}; petspot at 95 where it encodes.",
        "petspot syncs every file to disk and proves it; the peers do neither.",
        *environment_notes(),
    ]
    bounds = BOUNDS.get(set_name, {})
    found = [
        (f"throughput over {NAMES[peer]}", f"{figures[peer]['wall'] / ours['wall']:.2f}", f"≥ {bound}", figures[peer]["wall"] >= bound * ours["wall"])
        for peer, bound in bounds.items() if peer in figures
    ]  # fmt: skip
    found += [
        ("cores busy", f"{ours['busy']:.2f}", "≥ 1.85", ours["busy"] >= 1.85),
        ("peak memory", results.mebibytes(ours["peak"]), "≤ 600 MiB", ours["peak"] <= MOST_MEMORY),
        ("CPU time over the limit", f"{over:.2f}", f"< {MOST_OVER_LIMIT}", over < MOST_OVER_LIMIT),
        ("photos done", ours["photos"], f"{count}", ours["photos"] == count),
    ]
    text = "\n".join([
        results.header(f"Import: {set_name}", load, notes), results.table(columns, rows), "",
        "## The limit", "", "One decode of each photo (an upright JPEG at reduced scale) plus one encode where pixels",
        "must change, with libvips alone (libheif for HEIC) and nothing around it; CPU seconds.", "", limit_rows, "",
        "## Checks", "", results.checks(found), "",
    ])  # fmt: skip
    kept = {"set": set_name, "files": count, "bytes": sizes, "load": load, "contenders": figures, "limit": stages}
    kept["petspotStages"] = our_stages
    kept["runs"] = {name: [{"wall": c.wall, "cpu": c.cpu, "peak": c.peak} for c in runs] for name, runs in costs.items()}
    results.write(f"import-{set_name}", text, kept, keep=not arguments.dry)


def summary(runs, photos):
    wall = median(run.wall for run in runs)
    return {
        "wall": wall, "cpu": median(run.cpu for run in runs), "busy": median(run.busy for run in runs),
        "peak": max(run.peak for run in runs), "photos": photos, "rate": photos / wall,
        "spread": spread([run.wall for run in runs]),
    }  # fmt: skip


def done(answer):
    """Returns the number of photos that a contender made, from petspot's or a peer's summary."""
    return answer["imported"] if "imported" in answer else answer.get("photos", 0)


def stage_medians(answers):
    """Returns the seconds of each stage, as medians of all rounds."""
    rounds = [answer.get("stages", {}) for answer in answers]
    return {name: median(stages.get(name, 0) for stages in rounds) for name in rounds[0]}


def limit_table(stages, limit, ours, ours_by_stage):
    extra = [(f"also needed here: {name}", f"{stages[name]:.2f}", "") for name in ("turn", "color") if stages.get(name)]
    over = ours["cpu"] / limit if limit else float("inf")
    rows = [
        ("decode", f"{stages.get('decode', 0):.2f}", ""), ("encode", f"{stages.get('encode', 0):.2f}", ""),
        ("**the limit**", f"{limit:.2f}", "1.00"), *extra,
        ("petspot, all in all", f"{ours['cpu']:.2f}", f"{over:.2f}"),
    ]  # fmt: skip
    # Thread seconds including waits. Their sum exceeds the CPU time if cores are scarce.
    rows += [
        (f"petspot: {name}", f"{seconds:.2f}", f"{seconds / limit:.2f}" if limit else "")
        for name, seconds in ours_by_stage.items() if seconds
    ]  # fmt: skip
    return results.table(("", "seconds", "of the limit"), rows), over


def environment_notes():
    import environment

    return [", ".join(environment.versions())]


def size_of(path):
    import os

    return os.path.getsize(path)
