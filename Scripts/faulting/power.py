"""Lost power: caches as they may be when only what was synced is sure, at moments of five commands.

The end of each command is always one of them, with nothing left but what was synced."""

import json
import os
import shutil

import caches
from board import Tally
from caches import Scene
from petspot import Petspot, blob_fault
from powering import FATES, Disk
from shimming import Shim, progress

SCENES = ("attach-new", "attach", "remove", "import", "sweep")


def run(work):
    tally, shim = Tally("power"), Shim(work)
    states, syncs = work.count(13, 1200), 0
    for index, name in enumerate(SCENES):
        scene = Scene(work, name)
        lines, disk = recorded(scene, shim)
        syncs += sum(line.startswith("sync ") for line in lines)
        share = states // len(SCENES) + (index < states % len(SCENES)) - 1
        cuts = [(work.dice.randint(0, len(lines)), fate_by(work.dice)) for _ in range(share)]
        # What was told has to be there when all that was not synced is gone: no sync is left out.
        cuts.append((len(lines), "nothing"))
        played = 0
        for moment, fate in sorted(cuts):
            for line in lines[played:moment]:
                disk.play(line)
            played = moment
            faults = list(judge(work, scene, disk, fate))
            after = lines[moment - 1][:60] if moment else "the beginning"
            tally.faults += [f"{name}, {fate} after step {moment} ({after}): {fault}" for fault in faults]
            tally.tried += 1
            progress(tally, states)
    tally.notes = f"{syncs} syncs in {len(SCENES)} commands"
    return [tally]


def fate_by(dice):
    return dice.choice((*FATES, "mixed", "mixed", "mixed"))


def recorded(scene, shim):
    """What a clean run does, and the disk before it."""
    petspot = scene.fresh()
    disk = Disk(petspot.cache)
    answer, lines = shim.calls(petspot.command(*scene.arguments), data=1)
    if answer.exit != scene.clean_exit:
        raise SystemExit(f"power: {scene.name} fails undisturbed: exit {answer.exit} {answer.errors}")
    return lines, disk


def judge(work, scene, disk, fate):
    """Yields what is wrong with the cache after a power cut now."""
    path = os.path.join(work.folder, "cut")
    shutil.rmtree(path, ignore_errors=True)
    disk.materialize(path, fate, work.dice)
    petspot = Petspot(work.binary, path)
    told = [json.loads(line) for line in disk.told.split(b"\n")[:-1]]
    verified = petspot.run("verify", "--all")
    if verified.exit != 0:
        yield f"verify: exit {verified.exit} {verified.output.strip()[-300:]} {verified.errors.strip()[-300:]}"
        return
    if scene.name == "import":
        yield from judge_import(petspot, told)
        return
    answer = petspot.run("status")
    if answer.exit != 0 or answer.status not in ("empty", "confirmed"):
        yield f"status {answer.status}, exit {answer.exit}: {answer.errors.strip()}"
    elif answer.status == "confirmed" and (fault := blob_fault(answer.photo)):
        yield fault
    if told and scene.arguments[0] in ("attach", "remove"):
        if answer.status != told[-1]["status"] or answer.photo.get("id") != told[-1].get("photo", {}).get("id"):
            yield f"told {told[-1]['status']}, and now it is {answer.status}"
    elif answer.status == "empty" and scene.earlier and scene.name != "remove":
        yield "the earlier photo is lost"


def judge_import(petspot, told):
    library = {row[0] for row in caches.rows(petspot, "SELECT photo FROM library_photo")}
    for line in told:
        if line.get("outcome") == "imported" and line["id"] not in library:
            yield f"{os.path.basename(line['path'])} was told as imported and is lost"
