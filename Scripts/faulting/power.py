"""Power loss: caches in any state in which only synced data is certain."""

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
    """Power loss at moments of five commands: caches in states in which only synced data is certain."""
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
    """Power loss at moments of a server's uploads: caches in states in which only synced data is certain."""
    tally, place, shim, syncs = Tally("http-power"), Place(work), Shim(work), 0
    kinds = [work.dice.choice(ACTS[:3])] if work.quick else ACTS
    for kind, share in shares(kinds, work.count(3, 1200)):
        # The disk starts with the copy that `fresh` makes.
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
            # The first line of a server's standard output is its address, so only HTTP responses count.
            client.told = act.told[: sum(answer.startswith(b"HTTP/1.1 ") for answer in answers)]
            with place.serve(path) as server:
                yield from client.faults()
                yield from tidy(server)

        cut(work, tally, kind.name, disk, lines, share, judge)
    tally.notes = f"{syncs} syncs in {len(kinds)} kinds of uploads"
    yield tally


def shares(kinds, count):
    """Returns each kind with its share of all states."""
    return [(kind, count // len(kinds) + (index < count % len(kinds))) for index, kind in enumerate(kinds)]


def count_syncs(lines):
    return sum(line.startswith("sync ") for line in lines)


def is_upload(path):
    """Returns whether a path contains an upload's bytes. Such a file only grows, because its size is the offset."""
    return os.path.basename(os.path.dirname(path)) == "uploads" and "." not in os.path.basename(path)


def cut(work, tally, name, disk, lines, count, judge):
    """Cuts the power at random moments of a run, and judges the remaining cache with the answers so far. The last
    cut is always at the end and keeps only what was synced, so everything acknowledged must be there."""
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
    """Yields the faults of the cache after a power cut at this moment."""
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
