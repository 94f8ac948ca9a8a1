"""Clocks that are wrong, jump and run backwards: order, owners and what a sweep deletes."""

import os
import subprocess
import time

from board import Tally
from caches import EARLIER, PHOTO, Scene, contents
from shimming import build, progress, run as run_command

YEAR = 365 * 86_400
DAY = 86_400


def run(work):
    tally, library = Tally("clocks"), build(work, "clock.c")
    scene = Scene(work, "import")
    cases = list(clocks(work))
    if work.quick:
        cases = work.dice.sample(cases, 2)
    for name, settings in cases:
        petspot = scene.fresh()
        clock = Clock(library, petspot, settings)
        faults = [*judge_order(clock), *judge_import(scene, petspot, clock), *judge_sweep(clock)]
        tally.tried += 1
        tally.faults += [f"{name}: {fault}" for fault in faults]
        progress(tally, len(cases), 20)
    return [tally]


def clocks(work):
    now = int(time.time())
    for name, moment in (("1970", 1), ("2037", 2_145_000_000), ("2040", 2_209_000_000), ("2100", 4_102_500_000)):
        yield name, {"shift": moment - now}
    for years in (-10, 10):
        for _ in range(10):
            look = work.dice.randint(1, 120)
            yield f"{years:+} years at look {look}", {"jump": f"{look},{years * YEAR}"}
    for seconds in (-1, -3600, 1, 86_400):
        yield f"{seconds:+} s at each look", {"drift": seconds}


class Clock:
    def __init__(self, library, petspot, settings):
        self.library, self.petspot, self.settings = library, petspot, settings

    def environment(self, settings):
        chosen = {f"CLOCK_{name.upper()}": str(value) for name, value in settings.items()}
        return os.environ | chosen | {"LD_PRELOAD": self.library}

    def run(self, *arguments, **settings):
        return run_command(self.petspot.command(*arguments), environment=self.environment(settings or self.settings))


def judge_order(clock):
    """Photos are listed by the order of recording, whatever the clock said."""
    photos = []
    for settings, photo in ((clock.settings, EARLIER), ({"shift": -20 * YEAR}, PHOTO)):
        answer = clock.run("attach", photo, "--draft", os.path.basename(photo), **settings)
        if answer.exit != 0:
            yield f"attach: exit {answer.exit} {answer.errors.strip()}"
        photos.insert(0, answer.photo.get("id"))
    listed = [photo["id"] for photo in clock.run("list").objects]
    if listed != photos:
        yield f"listed {listed}, recorded {photos}"


def judge_import(scene, petspot, clock):
    """An import ends the same, while a sweep of another clock looks for rubbish."""
    environment = clock.environment({"shift": 3600})
    sweep = subprocess.Popen(
        petspot.command("sweep"), env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    answer = clock.run(*scene.arguments)
    errors = sweep.communicate(timeout=60)[1]
    if sweep.returncode != 0:
        yield f"sweep: exit {sweep.returncode} {errors.decode().strip()}"
    if answer.exit != scene.clean_exit:
        yield f"import: exit {answer.exit} {answer.errors.strip()}"
    if not 0 <= answer.json.get("seconds", -1) < 60:
        yield f"import took {answer.json.get('seconds')} seconds"
    for key in ("library", "files"):
        if contents(petspot)[key] != scene.uninterrupted()[key]:
            yield f"{key} differs from an import with the right clock"


def judge_sweep(clock):
    """A draft that was touched a moment ago stays, also when the clock goes back afterwards."""
    for settings in ({"shift": -20 * YEAR}, {"shift": -20 * YEAR + 6 * DAY}, {"shift": -40 * YEAR}):
        answer = clock.run("sweep", **settings)
        status = clock.run("status", "--draft", os.path.basename(PHOTO))
        if answer.exit != 0 or status.status != "confirmed":
            yield f"sweep with {settings}: exit {answer.exit}, then {status.status}"
    verified = clock.run("verify", "--all")
    if verified.exit != 0:
        yield f"verify: {verified.output.strip()} {verified.errors.strip()}"
