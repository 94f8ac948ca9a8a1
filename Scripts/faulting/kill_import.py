"""SIGKILL of an import of 20 small files at random moments; the same cache goes on until it is full."""

import statistics
import time

from board import Tally
from caches import Scene, contents
from petspot import kill_after
from shimming import outlived, progress


def run(work):
    tally, scene = Tally("kill-import"), Scene(work, "import")
    seconds = statistics.median(run_time(scene) for _ in range(1 if scene.work.quick else 3))
    petspot, count, killed, ends = scene.fresh(), work.count(8, 5000), 0, 0
    while tally.tried < count:
        was_killed, session = kill_after(petspot.command(*scene.arguments), work.dice.uniform(0, 1.05 * seconds))
        left = outlived(session)
        killed += was_killed
        tally.tried += 1
        faults = [f"{left} processes outlive it"] if left else []
        verified = petspot.run("verify", "--all")
        if verified.exit != 0:
            faults.append(f"verify: exit {verified.exit} {verified.output.strip()} {verified.errors.strip()}")
        # Now and then a cache that was killed in one place is completed, so that later kills vary.
        if not was_killed or work.dice.random() < 0.15:
            ends += 1
            faults += scene.judge_sweep(petspot)
            faults += scene.judge_repeat(petspot)
            petspot = scene.fresh()
        tally.faults += [f"kill {tally.tried}: {fault}" for fault in faults]
        progress(tally, count)
    tally.expect_some(killed, "killed")
    tally.notes = f"{killed} killed in {seconds * 1000:.0f} ms each, {ends} caches compared at the end"
    return [tally]


def run_time(scene):
    petspot = scene.fresh()
    start = time.monotonic()
    petspot.run(*scene.arguments)
    seconds = time.monotonic() - start
    if contents(petspot) != scene.uninterrupted():
        raise SystemExit("kill-import: two undisturbed imports differ")
    return seconds
