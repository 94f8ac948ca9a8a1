"""`Scripts/bench cluster`: workers of a shared import on PostgreSQL and S3. It measures how they scale, the cost of
network delay, their requests, the time of claims, and memory growth."""

import json
import os
import random
import re
import signal
import subprocess
import time

import results
from clustering import Held, Place, Stores, pictures, tiny
from comparing import files_in, folder_of, fresh, median, once, read_once
from measuring import Sampler, load_note

CORES = 0.2  # cores per worker when many of them run
LEAST_SCALING, LEAST_KEPT = 0.9, 0.87
WAYS = (1, 20)  # milliseconds of a round trip to the database and to the store
MOST_PUTS, MOST_ROUND_TRIPS = 2.0, 0.5
MOST_CLAIM, CLAIMERS = 50, 8  # milliseconds; workers
MOST_GROWTH = 1.0  # MiB per 10,000 objects
DONE = "SELECT coalesce(sum(imported + duplicates + unchanged + skipped + failed), 0) FROM import_part"


def main(arguments):
    """Measures each part separately. The figures of other parts stay as they were."""
    path = os.path.join(results.FOLDER, "cluster.json")
    for name in arguments.parts:
        load = load_note()
        stores = Stores(cores={max(os.sched_getaffinity(0))} if name == "network" else None)
        try:
            found = PARTS[name](arguments, stores)
        finally:
            stores.stop()
        figures = json.load(open(path)) if os.path.exists(path) else {}
        figures[name] = found | {"load": [load, os.getloadavg()[0]], "commit": results.environment.commit()}
        print(f"{name}: {figures[name]}", flush=True)
        results.write("cluster", text(figures, load), figures, keep=not arguments.dry)


# The measurements


def scaling(arguments, stores):
    """Measures the seconds for one folder with a growing number of workers."""
    folder = noise(arguments.photos)
    seconds = {}
    for count in arguments.workers:
        place = Place(stores, f"scaling_{count}")
        place.lay(arguments.binary, folder, part=4)
        groups = [Held(f"worker-{number}", CORES) for number in range(count)]

        def start(place=place, groups=groups):
            for group in groups:
                place.start(arguments.binary, "worker", "--jobs", "1", held=group)

        seconds[count] = place.work(start)
        place.end()
        for group in groups:
            group.end()
    return {"photos": arguments.photos, "seconds": seconds}


def noise(count):
    """Returns a folder of pictures of 400 by 400 pixels. Every fourth has 16 bits and must be encoded again."""

    def make(folder):
        dice = random.Random(count)
        for number in range(count):
            with open(os.path.join(folder, f"{number:05}.png"), "wb") as file:
                file.write(pictures.png(dice, 400, 8 if number % 4 else 16))

    return once(f"noise-400-{count}", make)


def network(arguments, stores):
    """Measures one worker with distant stores against an import into a cache folder, in pairs, each on one core.
    The stores and the relays are on the other core."""
    folder = folder_of("carry", arguments.large)
    read_once(files_in(folder))
    own, theirs = ({core} for core in (min(os.sched_getaffinity(0)), max(os.sched_getaffinity(0))))
    pairs, passed = [], None
    for number in range(arguments.rounds):
        held = Held("own", None)

        def begin(held=held):
            held.take()
            os.sched_setaffinity(0, own)

        command = [arguments.binary, "import", folder, "--cache", fresh("cluster-own"), "--jobs", "2", "--json"]
        start = time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=begin)
        embedded = time.monotonic() - start
        place = Place(stores, f"network_{number}", WAYS, theirs)
        place.lay(arguments.binary, folder, part=64)
        far = place.work(lambda: place.start(arguments.binary, "worker", "--once", "--jobs", "2", held=held, cores=own))
        passed = place.end()
        held.end()
        pairs.append((embedded, far))
    fresh("cluster-own")
    return {"photos": arguments.large, "pairs": pairs, "database": passed[0], "store": passed[1]}


def claims(arguments, stores):
    """Measures how long the server takes for the transaction of a claim, with many parts and a long-running reader."""
    place = Place(stores, "claims")
    place.lay(arguments.binary, tiny(arguments.objects), part=1)
    reader = subprocess.Popen(["psql", "-X", "-q", place.url], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    reader.stdin.write("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM petspot.import_part;\n")
    reader.stdin.flush()
    log = os.path.join(stores.database.folder, "log")
    place.ask("ALTER DATABASE claims SET log_min_duration_statement = 0")
    stores.database.sql("ALTER SYSTEM SET log_line_prefix = '%p '", "postgres")
    stores.database.sql("SELECT pg_reload_conf()", "postgres")
    begin = os.path.getsize(log)
    for _ in range(CLAIMERS):
        place.start(arguments.binary, "worker", "--jobs", "1")
    time.sleep(arguments.seconds)
    parts = place.ask("SELECT count(*) FROM import_part")
    place.end()
    reader.kill()
    reader.wait()
    found = sorted(claimed(log, begin))
    return {
        "parts": int(parts), "claims": len(found), "median": median(found), "p99": found[len(found) * 99 // 100],
        "longest": found[-1],
    }  # fmt: skip


def claimed(log, begin):
    """Yields the milliseconds of each transaction in the log that claimed a part."""
    lasted, claiming = {}, set()  # by the server's process id
    with open(log, errors="replace") as file:
        file.seek(begin)
        for line in file:
            found = re.match(r"(\d+) LOG:  duration: ([\d.]+) ms  [^:]*: (.*)", line)
            if not found:
                continue
            process, milliseconds, text = found[1], float(found[2]), found[3]
            if text.startswith("BEGIN"):
                lasted[process] = 0
                claiming.discard(process)
            if process in lasted:
                lasted[process] += milliseconds
            if "WITH next" in text:
                claiming.add(process)
            if text.startswith("COMMIT") and process in lasted:
                total = lasted.pop(process)
                if process in claiming:
                    yield total


def memory(arguments, stores):
    """Measures the resident bytes of one worker and its decoders, after a tenth of all objects and at the end."""
    place, done, samples = Place(stores, "memory"), 0, []
    place.lay(arguments.binary, tiny(arguments.objects), part=1000)
    worker = place.start(arguments.binary, "worker", "--once", "--jobs", "2")
    sampler = Sampler(worker.pid, time.monotonic(), 0.2)
    sampler.start()
    start = time.monotonic()
    while worker.poll() is None and done < arguments.objects:
        time.sleep(2)
        done = int(place.ask(DONE) or done)
        samples.append((time.monotonic() - start, done))
    seconds = time.monotonic() - start
    worker.send_signal(signal.SIGTERM)
    place.end()
    sampler.stop()
    early, late = (at(samples, sampler.samples, share, arguments.objects) for share in (0.1, 0.95))
    slope = (late - early) / 1048576 / (0.85 * arguments.objects) * 10_000
    return {"objects": done, "seconds": seconds, "early": early, "late": late, "slope": slope, "peak": sampler.peak}


def at(samples, sizes, share, objects):
    """Returns the median size around the moment when this share of the objects was done."""
    moment = next(moment for moment, done in samples if done >= share * objects)
    around = max(0.05 * samples[-1][0], 2)
    return median(size for when, size, _ in sizes if abs(when - moment) <= around)


PARTS = {"scaling": scaling, "network": network, "claims": claims, "memory": memory}


# The report


def text(figures, load):
    found, rows, notes = [], [], []
    for name, row in figures.items():
        before, after = row["load"]
        notes.append(f"{TELLING[name](row, found, rows)} Load {before:.1f} before, {after:.1f} after, at {row['commit']}.")
    return "\n".join([
        results.header("Workers on PostgreSQL and S3", load, notes),
        *([results.table(("workers", "seconds", "photos a second", "of one worker's, each"), rows), ""] if rows else []),
        "## Checks", "", results.checks(found), "",
    ])  # fmt: skip


def told_scaling(row, found, rows):
    seconds = {int(count): value for count, value in row["seconds"].items()}
    shares = {count: seconds[1] / value / count for count, value in seconds.items()}
    for count, value in seconds.items():
        rows.append((count, f"{value:.1f}", f"{row['photos'] / value:.2f}", f"{shares[count]:.2f}"))
    worst = min(shares.values())
    found.append(("photos a second of N workers, of N times one's", f"{worst:.2f}", f"≥ {LEAST_SCALING}", worst >= LEAST_SCALING))
    return (
        f"Scaling: {row['photos']} photos, each worker with its decoder in a control group of {CORES} core, "
        "PostgreSQL and SeaweedFS in one without a limit, all of them before other work on the machine."
    )


def told_network(row, found, rows):
    kept = median(embedded / far for embedded, far in row["pairs"])
    puts = row["store"].get("PUT", 0) / row["photos"]
    trips = row["database"]["roundTrips"] / row["photos"]
    found.append((f"speed with {WAYS[1]} ms to the store and {WAYS[0]} ms to the database", f"{kept:.2f}", f"≥ {LEAST_KEPT}", kept >= LEAST_KEPT))
    found.append(("PUT a photo", f"{puts:.2f}", f"≤ {MOST_PUTS:.0f}", puts <= MOST_PUTS))
    found.append(("round trips to the database a photo", f"{trips:.2f}", f"≤ {MOST_ROUND_TRIPS}", trips <= MOST_ROUND_TRIPS))
    return (
        f"Network: {row['photos']} photos of 3 megapixels and more, {len(row['pairs'])} pairs, the importer on one core, "
        f"the stores and the relays on the other; {row['database']['roundTrips']} round trips to the database in all."
    )


def told_claims(row, found, rows):
    found.append((f"claim at {row['parts']:,} parts, p99", f"{row['p99']:.1f} ms", f"< {MOST_CLAIM} ms", row["p99"] < MOST_CLAIM))
    return (
        f"Claims: {row['claims']:,} by {CLAIMERS} workers beside a reader in REPEATABLE READ, whole transactions by the "
        f"server's log: median {row['median']:.2f} ms, longest {row['longest']:.0f} ms."
    )


def told_memory(row, found, rows):
    found.append(("a worker's memory, MiB for 10,000 objects more", f"{row['slope']:.2f}", f"< {MOST_GROWTH}", row["slope"] < MOST_GROWTH))
    sizes = ", ".join(results.mebibytes(row[key]) for key in ("early", "late", "peak"))
    return f"Memory: {row['objects']:,} objects in {row['seconds']:.0f} s; after a tenth, at the end, at most: {sizes} with decoders."


TELLING = {"scaling": told_scaling, "network": told_network, "claims": told_claims, "memory": told_memory}
