"""Lost power under a server: caches as they may be when only what was synced is sure, at moments of uploads.

The end of each kind of upload is always one of them, with nothing left but what was synced."""

import copy
import os
import shutil

from board import Tally
from power import fate_by
from powering import Disk
from shimming import Shim, progress
from uploading import ACTS, Place, tidy, wait_for_end


def run(work):
    tally, place, shim = Tally("http-power"), Place(work), Shim(work)
    states, syncs = work.count(3, 1200), 0
    kinds = [work.dice.choice(ACTS[:3])] if work.quick else ACTS
    for index, kind in enumerate(kinds):
        act, lines, disk = recorded(place, shim, kind)
        syncs += sum(line.startswith("sync ") for line in lines)
        share = states // len(kinds) + (index < states % len(kinds)) - 1
        cuts = [(work.dice.randint(0, len(lines)), fate_by(work.dice)) for _ in range(share)]
        # What was told has to be there when all that was not synced is gone: no sync is left out.
        cuts.append((len(lines), "nothing"))
        played = answers = 0
        for moment, fate in sorted(cuts):
            for line in lines[played:moment]:
                # The first thing on its standard output is where it listens.
                if line.startswith("answer ") and bytes.fromhex(line[7:]).startswith(b"HTTP/1.1 "):
                    answers += 1
                elif not line.startswith("answer "):
                    disk.play(line)
            played = moment
            client = copy.copy(act)
            client.told = act.told[:answers]
            faults = list(judge(work, place, client, disk, fate))
            after = lines[moment - 1][:60] if moment else "the beginning"
            tally.faults += [f"{kind.name}, {fate} after step {moment} ({after}): {fault}" for fault in faults]
            tally.tried += 1
            progress(tally, states)
    tally.notes = f"{syncs} syncs in {len(kinds)} kinds of uploads"
    return [tally]


def recorded(place, shim, kind):
    """A clean run from the server's beginning, what it does, and the disk before it."""
    log = os.path.join(shim.folder, "power.log")
    # The copy that `fresh` makes is what the disk begins with.
    server = place.fresh()
    server.kill()
    disk = Disk(server.petspot.cache, grows=is_upload)
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
    return act, lines, disk


def is_upload(path):
    """Whether it is an upload's bytes, whose size is the offset: it only grows."""
    return os.path.basename(os.path.dirname(path)) == "uploads" and "." not in os.path.basename(path)


def judge(work, place, act, disk, fate):
    """Yields what is wrong with the cache after a power cut now."""
    path = os.path.join(work.folder, "cut")
    shutil.rmtree(path, ignore_errors=True)
    disk.materialize(path, fate, work.dice)
    with place.serve(path) as server:
        yield from act.faults()
        yield from tidy(server)
