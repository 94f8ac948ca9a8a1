"""The context of the fault classes, their tallies, and the scoreboard file."""

import dataclasses
import datetime
import json
import os
import random
import shutil
import sys

from petspot import ROOT, Petspot

RESULTS = os.path.join(ROOT, "Benchmarks", "results")
IMAGES = os.path.join(ROOT, "TestImages")


@dataclasses.dataclass(eq=False)
class Work:
    """The context of a class."""

    binary: str
    folder: str  # the class's own folder, empty, removed afterwards
    quick: bool
    scale: float
    dice: random.Random

    def count(self, quick, full):
        """Returns the quick or the full number of tries; the full one is scaled."""
        return quick if self.quick else max(1, round(full * self.scale))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def new_folder(self, name):
        """Creates an empty folder and removes what was there."""
        shutil.rmtree(self.path(name), ignore_errors=True)
        os.makedirs(self.path(name))
        return self.path(name)

    def petspot(self, cache="cache"):
        return Petspot(self.binary, self.path(cache))

    def new_petspot(self, cache="cache"):
        """Returns a petspot whose cache doesn't exist yet."""
        shutil.rmtree(self.path(cache), ignore_errors=True)
        return self.petspot(cache)


def spread(work, count, points):
    """Returns `count` of the points, chosen at random but evenly spread. Returns all of them if there aren't more."""
    if count >= len(points):
        return points
    width = len(points) / count
    return [points[int((number + work.dice.random()) * width)] for number in range(count)]


@dataclasses.dataclass
class Tally:
    """One line of the scoreboard."""

    name: str
    tried: int = 0
    faults: list = dataclasses.field(default_factory=list)  # one sentence each
    notes: str = ""
    seconds: float = 0

    def add(self, where, faults, tries=1):
        """Counts one or more tries and their faults. A fault of None is ignored."""
        self.tried += tries
        self.faults += [f"{where}: {fault}" for fault in faults if fault]

    def progress(self, total="many", step=100):
        """Prints a line from time to time during a long run."""
        if self.tried % step == 0:
            print(f"{self.name}: {self.tried} of {total}, {len(self.faults)} failed", file=sys.stderr, flush=True)
            for fault in self.faults[-3:]:
                print(f"  {fault[:300]}", file=sys.stderr, flush=True)

    def expect_some(self, count, what):
        """Adds a fault if `count` is 0, because a class that never did its work proves nothing."""
        if not count:
            self.faults.append(f"nothing was {what}")

    @property
    def verdict(self):
        if self.faults:
            return str(len(self.faults))
        return f"0 (< {300 / self.tried:.2g} %)" if self.tried else "0 (nothing tried)"

    def line(self):
        notes = f" · {self.notes}" if self.notes else ""
        return f"{self.name:34} tried {self.tried:6}  failed {self.verdict}{notes}  [{self.seconds:.0f} s]"


def keep(tallies, seed):
    """Replaces these lines of the scoreboard. The other lines keep the results of earlier runs."""
    path = os.path.join(RESULTS, "faults.json")
    try:
        with open(path) as file:
            rows = json.load(file)
    except FileNotFoundError:
        rows = {}
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    for tally in tallies:
        row = {"tried": tally.tried, "failed": len(tally.faults), "notes": tally.notes}
        rows[tally.name] = row | {"seconds": round(tally.seconds), "seed": seed, "day": today}
    with open(path, "w") as file:
        json.dump(rows, file, indent=1)
        file.write("\n")
    sys.path.insert(0, os.path.join(ROOT, "Benchmarks"))
    import results

    lines = []
    for name, row in rows.items():
        tally = Tally(name, row["tried"], [None] * row["failed"], row["notes"])
        lines.append((name, tally.tried, tally.verdict, tally.notes, row["day"]))
    text = "# What broke, of what was tried\n\nThe last full run of each class (`Scripts/faults`); 3/N beside every zero.\n\n"
    with open(os.path.join(RESULTS, "faults.md"), "w") as file:
        file.write(text + results.table(("class", "tried", "failed", "notes", "day"), lines) + "\n")
