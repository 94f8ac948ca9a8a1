"""Every class of the scoreboard."""

import random
import tempfile
import time

import board
import pytest
from conftest import check

# Modules of this folder, `kill-attach-calls` is kill_attach_calls.py. What one does is its docstring's first
# line; its `run(work)` gives Tally objects.
CLASSES = [
    "kill-attach-calls",
    "kill-import-calls",
    "sources",
    "damage",
    "errors",
    "power",
    "disk",
    "kill-import",
    "clocks",
    "rot",
    "databases",
    "hostile",
    "resume-import",
    "concurrent-imports",
    "namespaces",
    "worker-kills",
    "escapes",
    "leaks",
    "two-at-once",
    "http-calls",
    "http-kills",
    "http-power",
    "http-errors",
    "sizes",
    "postgres",
    "s3",
    "store-kills",
    "workers",
    "stopped-writers",
    "servers",
]


def title(name):
    return board.module(name).__doc__.splitlines()[0]


@pytest.fixture
def folder():
    """One that other users can be let into, which pytest's own cannot, and that is gone behind the class."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        yield folder


@pytest.mark.parametrize("name", [check(name, title(name)) for name in CLASSES])
def test_class(name, request, binary, folder, say):
    option = request.config.option
    work = board.Work(binary, folder, option.quick, option.scale, random.Random(f"{option.seed} {name}"))
    begin, kept = time.monotonic(), []
    for tally in board.module(name).run(work):
        tally.expect_some(tally.tried or tally.notes, "tried")  # notes say why a class cannot be tried here
        tally.seconds, begin = time.monotonic() - begin, time.monotonic()
        kept.append(tally)
        say(f"\n  {tally.line()}")
    # Class by class, so that a long run that ends early keeps what it has.
    if not option.quick and option.scale >= 1:
        board.keep(kept, option.seed)
    if faults := [f"{tally.name}: {fault}" for tally in kept for fault in tally.faults[:20]]:
        pytest.fail("\n".join(faults), pytrace=False)
