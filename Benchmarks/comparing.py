"""Shared by all modes: their work folders, and petspot as a contender."""

import json
import os
import shutil
import statistics
import subprocess
import sys

import environment
from measuring import measure

BUILD = os.path.join(environment.ROOT, ".build")
PHOTOS = os.path.join(BUILD, "bench-photos")
WORK = os.path.join(BUILD, "bench-work")
HERE = os.path.dirname(os.path.abspath(__file__))


def once(name, make):
    """Returns the folder with this name. `make` fills it on first use."""
    folder = os.path.join(PHOTOS, name)
    ready = folder + ".ready"
    if not os.path.exists(ready):
        print(f"Making {name} in .build/bench-photos …", file=sys.stderr)
        os.makedirs(folder, exist_ok=True)
        make(folder)
        open(ready, "w").close()
    return folder


def folder_of(set_name, count):
    """Returns the folder of a set, made on first use."""
    maker = [environment.PYTHON, os.path.join(HERE, "photos.py")]
    name = f"{set_name.replace(',', '-')}-{count}"
    return once(name, lambda folder: subprocess.run([*maker, folder, set_name, str(count)], check=True))


def files_in(folder):
    return sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)


def read_once(paths):
    """Reads the files into the page cache, so that the first contender doesn't pay for the disk."""
    for path in paths:
        with open(path, "rb") as file:
            while file.read(1 << 20):
                pass


def fresh(name):
    """Returns the path of a work folder that doesn't exist yet."""
    path = os.path.join(WORK, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(WORK, exist_ok=True)
    return path


def run(name, command, environment_variables=None, cores=None):
    """Runs a command. Returns its cost and the last JSON object that it printed."""
    os.makedirs(WORK, exist_ok=True)
    log, errors = (os.path.join(WORK, f"{name}.{suffix}") for suffix in ("out", "err"))
    with open(log, "wb") as out, open(errors, "wb") as err:
        cost = measure(command, cores=cores, environment=environment_variables, stdout=out, stderr=err)
    with open(log, "rb") as file:
        lines = [line for line in file.read().splitlines() if line.strip()]
    try:
        last = json.loads(lines[-1]) if lines else {}
    except ValueError:
        last = {}
    if cost.exit != 0 and not last:
        with open(errors, errors="replace") as file:
            sys.exit(f"bench: {name} ended with {cost.exit}: {file.read()[-2000:]}")
    return cost, last


def import_command(binary, paths, cache, jobs):
    return [binary, "import", *paths, "--cache", cache, "--jobs", str(jobs), "--json", "--verbose"]


def peer_command(contender, folder, out, processes, quality):
    script = os.path.join(HERE, "peers.py")
    options = ["--processes", str(processes), "--quality", str(quality)]
    return [environment.PYTHON, script, contender, folder, out, *options]


def median(values):
    return statistics.median(list(values))


def spread(values):
    """Returns the largest deviation from the median in percent."""
    middle = median(values)
    return max(abs(value - middle) for value in values) / middle * 100 if middle else 0.0
