"""SIGKILL at every call of `attach` that changes a file: into an empty cache, and over a photo."""

from board import Tally
from caches import Scene
from shimming import Shim, progress, spread


def run(work):
    yield kill_calls(work, "kill-attach-calls", ("attach-new", "attach"), quick=5)


def kill_calls(work, name, scenes, quick):
    return kill_scenes(work, name, [Scene(work, scene) for scene in scenes], quick)


def kill_scenes(work, name, scenes, quick):
    """One line: kills at counted calls (shim.c), all threads counted together."""
    tally, shim, points = Tally(name), Shim(work), []
    for scene in scenes:
        _, calls = shim.calls(scene.fresh().command(*scene.arguments))
        points += [(scene, number, calls[number - 1]) for number in range(1, len(calls) + 1)]
    killed = 0
    chosen = spread(work, work.count(quick, len(points)), points)
    for scene, number, call in chosen:
        petspot = scene.fresh()
        answer = shim.run(petspot.command(*scene.arguments), at=number, do="kill")
        killed += answer.exit == "signal 9"
        tally.tried += 1
        faults = [f"{answer.left} processes outlive it"] if answer.left else []
        faults += scene.judge(petspot)
        faults += scene.judge_sweep(petspot)
        faults += scene.judge_repeat(petspot)
        tally.faults += [f"{scene.name}, call {number} ({answer.hit or call}): {fault}" for fault in faults]
        progress(tally, len(chosen))
    tally.expect_some(killed, "killed")
    tally.notes = f"{killed} killed of {len(points)} calls"
    return tally
