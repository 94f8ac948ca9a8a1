"""Clocks that are wrong, jump and run backwards."""

import os
import time

import invariants
from caches import EARLIER, PHOTO, Scene, contents
from shimming import run as run_command
from watching import Watched

YEAR = 365 * 86_400
DAY = 86_400


def settings(work):
    """Returns wrong, jumping and drifting clocks."""
    now = int(time.time())
    yield from far(work)
    for name, moment in (("2037", 2_145_000_000), ("2040", 2_209_000_000)):
        yield name, {"shift": moment - now}
    for years in (-10, 10):
        for _ in range(10):
            look = work.dice.randint(1, 120)
            yield f"{years:+} years at look {look}", {"jump": f"{look},{years * YEAR}"}
    for seconds in (-1, -3600, 1, 86_400):
        yield f"{seconds:+} s at each look", {"drift": seconds}


def far(work):
    """Returns the clocks of 1970 and 2100."""
    return [(name, {"shift": moment - int(time.time())}) for name, moment in (("1970", 1), ("2100", 4_102_500_000))]


class Clock:
    def __init__(self, library, petspot, settings):
        self.library, self.petspot, self.settings = library, petspot, settings

    def environment(self, settings):
        chosen = {f"CLOCK_{name.upper()}": str(value) for name, value in settings.items()}
        return os.environ | chosen | {"LD_PRELOAD": self.library}

    def run(self, *arguments, **settings):
        return run_command(self.petspot.command(*arguments), environment=self.environment(settings or self.settings))


class ClockedImport(Scene):
    """An import, an attach and sweeps with a wrong clock: the order of photos, owners, and what a sweep deletes."""

    def judge_clock(self, clock):
        yield from self.judge_order(clock)
        yield from self.judge_import(clock)
        yield from self.judge_sweep(clock)

    def judge_order(self, clock):
        """Photos must be listed in the order in which they were recorded, whatever the clock showed."""
        photos = []
        for settings, photo in ((clock.settings, EARLIER), ({"shift": -20 * YEAR}, PHOTO)):
            answer = clock.run("attach", photo, "--draft", os.path.basename(photo), **settings)
            yield from invariants.succeeded("attach", answer)
            photos.insert(0, answer.photo.get("id"))
        listed = [photo["id"] for photo in clock.run("list").objects]
        if listed != photos:
            yield f"listed {listed}, recorded {photos}"

    def judge_import(self, clock):
        """An import must end the same while a sweep with another clock looks for garbage."""
        environment = clock.environment({"shift": 3600})
        sweep = Watched(clock.petspot.command("sweep"), self.work.folder, environment=environment)
        answer = clock.run(*self.arguments)
        yield from invariants.succeeded("sweep", sweep.end(60))
        if answer.exit != self.clean_exit:
            yield invariants.ended("import", answer)
        if not 0 <= answer.json.get("seconds", -1) < 60:
            yield f"import took {answer.json.get('seconds')} seconds"
        for key in ("library", "files"):
            if contents(clock.petspot)[key] != self.uninterrupted()[key]:
                yield f"{key} differs from an import with the right clock"

    def judge_sweep(self, clock):
        """A draft that was just changed must survive a sweep, even if the clock goes back afterwards."""
        for settings in ({"shift": -20 * YEAR}, {"shift": -20 * YEAR + 6 * DAY}, {"shift": -40 * YEAR}):
            answer = clock.run("sweep", **settings)
            status = clock.run("status", "--draft", os.path.basename(PHOTO))
            if answer.exit != 0 or status.status != "confirmed":
                yield f"sweep with {settings}: exit {answer.exit}, then {status.status}"
        yield from invariants.verified(clock.run)
