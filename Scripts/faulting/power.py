"""Lost power: caches as they may be when only what was synced is sure."""

import copy
import json
import os

import caches
import invariants
from board import Tally
from petspot import Petspot
from powering import FATES, Disk
from shimming import Shim
from uploading import ACTS, Place, tidy, wait_for_end


def power(work):
    """Lost power: caches as they may be when only what was synced is sure, at moments of five commands."""
    tally, shim, syncs = Tally("power"), Shim(work), 0
    names = ("attach-new", "attach", "remove", "import", "sweep")
    for name, share in shares(names, work.count(13, 1200)):
        scene = caches.Scene(work, name)
        petspot = scene.fresh()
        disk = Disk(petspot.cache)
        answer = shim.run(scene.command(petspot), data=1)
        if answer.exit != scene.clean_exit:
            raise SystemExit(f"power: {name} fails undisturbed: exit {answer.exit} {answer.errors}")
        syncs += count_syncs(answer.log)

        def judge(path, answers, scene=scene):
            said = [json.loads(line) for line in b"".join(answers).split(b"\n")[:-1]]
            return judge_command(scene, Petspot(work.binary, path), said)

        cut(work, tally, name, disk, answer.log, share, judge)
    tally.notes = f"{syncs} syncs in {len(names)} commands"
    yield tally


def http_power(work):
    """Lost power under a server: caches as they may be when only what was synced is sure, at moments of uploads."""
    tally, place, shim, syncs = Tally("http-power"), Place(work), Shim(work), 0
    kinds = [work.dice.choice(ACTS[:3])] if work.quick else ACTS
    for kind, share in shares(kinds, work.count(3, 1200)):
        # The copy that `fresh` makes is what the disk begins with.
        server = place.fresh()
        server.kill()
        disk = Disk(server.petspot.cache, grows=is_upload)
        log = work.path("power.log")
        place.again(shim.environment(log=log, data=1))
        act = kind(place)
        act.send()
        wait_for_end(server)
        server.kill()
        if not act.is_done:
            raise SystemExit(f"http-power: {kind.name} fails undisturbed: {act.answer}")
        with open(log) as file:
            lines = file.read().splitlines()
        os.unlink(log)
        syncs += count_syncs(lines)

        def judge(path, answers, act=act):
            client = copy.copy(act)
            # The first thing on a server's standard output is where it listens.
            client.told = act.told[: sum(answer.startswith(b"HTTP/1.1 ") for answer in answers)]
            with place.serve(path) as server:
                yield from client.faults()
                yield from tidy(server)

        cut(work, tally, kind.name, disk, lines, share, judge)
    tally.notes = f"{syncs} syncs in {len(kinds)} kinds of uploads"
    yield tally


def shares(kinds, count):
    """Each kind with how many of all states are its."""
    return [(kind, count // len(kinds) + (index < count % len(kinds))) for index, kind in enumerate(kinds)]


def count_syncs(lines):
    return sum(line.startswith("sync ") for line in lines)


def is_upload(path):
    """Whether it is an upload's bytes, whose size is the offset: it only grows."""
    return os.path.basename(os.path.dirname(path)) == "uploads" and "." not in os.path.basename(path)


def cut(work, tally, name, disk, lines, count, judge):
    """Cuts the power at moments of a run and judges what is left, given the answers so far. The end is always
    one of them, with nothing left but what was synced: what was told has to be there then."""
    fates = (*FATES, "mixed", "mixed", "mixed")
    cuts = [(work.dice.randint(0, len(lines)), work.dice.choice(fates)) for _ in range(count - 1)]
    cuts.append((len(lines), "nothing"))
    played, answers = 0, []
    for moment, fate in sorted(cuts):
        for line in lines[played:moment]:
            if line.startswith("answer "):
                answers.append(bytes.fromhex(line[len("answer ") :]))
            else:
                disk.play(line)
        played = moment
        path = work.new_petspot("cut").cache
        disk.materialize(path, fate, work.dice)
        after = lines[moment - 1][:60] if moment else "the beginning"
        tally.add(f"{name}, {fate} after step {moment} ({after})", judge(path, answers))
        tally.progress()


def judge_command(scene, petspot, said):
    """Yields what is wrong with the cache after a power cut now."""
    damaged = [*invariants.verified(petspot.run)]
    if damaged:
        yield from damaged
    elif scene.name == "import":
        library = {row[0] for row in caches.rows(petspot, "SELECT photo FROM library_photo")}
        for line in said:
            if line.get("outcome") == "imported" and line["id"] not in library:
                yield f"{os.path.basename(line['path'])} was told as imported and is lost"
    else:
        settled = said and scene.arguments[0] in ("attach", "remove")
        yield from invariants.shown(petspot, scene.earlier if scene.name != "remove" and not settled else None)
        answer = petspot.run("status")
        if settled and (answer.status, answer.photo.get("id")) != (said[-1]["status"], said[-1].get("photo", {}).get("id")):
            yield f"told {said[-1]['status']}, and now it is {answer.status}"
