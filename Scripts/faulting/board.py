"""What the classes of faults share: what they are given, what they count, and where it is kept."""

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


@dataclasses.dataclass
class Work:
    """What a class is given."""

    binary: str
    folder: str  # its own, empty, removed afterwards
    quick: bool
    scale: float
    dice: random.Random

    def count(self, quick, full):
        """How often: the quick or the full number, the latter scaled."""
        return quick if self.quick else max(1, round(full * self.scale))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def new_folder(self, name):
        """An empty folder in place of what lay there."""
        shutil.rmtree(self.path(name), ignore_errors=True)
        os.makedirs(self.path(name))
        return self.path(name)

    def petspot(self, cache="cache"):
        return Petspot(self.binary, self.path(cache))

    def new_petspot(self, cache="cache"):
        """One whose cache isn't there yet."""
        shutil.rmtree(self.path(cache), ignore_errors=True)
        return self.petspot(cache)


def spread(work, count, points):
    """`count` of `points`, each part of them as likely as any other; all when there are not more."""
    if count >= len(points):
        return points
    width = len(points) / count
    return [points[int((number + work.dice.random()) * width)] for number in range(count)]


@dataclasses.dataclass
class Tally:
    """One line of the board."""

    name: str
    tried: int = 0
    faults: list = dataclasses.field(default_factory=list)  # one sentence each
    notes: str = ""
    seconds: float = 0

    def add(self, where, faults, tries=1):
        """Counts a try, or some, and what was wrong; None is no fault."""
        self.tried += tries
        self.faults += [f"{where}: {fault}" for fault in faults if fault]

    def progress(self, total="many", step=100):
        """A line now and then, for whoever waits for a long run."""
        if self.tried % step == 0:
            print(f"{self.name}: {self.tried} of {total}, {len(self.faults)} failed", file=sys.stderr, flush=True)
            for fault in self.faults[-3:]:
                print(f"  {fault[:300]}", file=sys.stderr, flush=True)

    def expect_some(self, count, what):
        """A class that never did what it is for has proved nothing."""
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
    """Replaces these lines of the board; the others stay as the run before left them."""
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
