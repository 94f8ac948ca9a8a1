"""Runs every class of the scoreboard."""

import random
import tempfile
import time

import pytest
from board import Tally, Work, keep
from conftest import check
from table import CLASSES


@pytest.fixture
def folder():
    """A folder that other users can enter, unlike pytest's own. It is removed after the class."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        yield folder


def lines(name, work):
    """Yields the lines of the board of a class."""
    for part in CLASSES[name][1:]:
        made = part(work)
        yield from [made] if isinstance(made, Tally) else made


@pytest.mark.parametrize("name", [check(name, title) for name, (title, *_) in CLASSES.items()])
def test_class(name, request, binary, folder, say):
    option = request.config.option
    work = Work(binary, folder, option.quick, option.scale, random.Random(f"{option.seed} {name}"))
    begin, kept = time.monotonic(), []
    for tally in lines(name, work):
        tally.expect_some(tally.tried or tally.notes, "tried")  # a note says why a class can't run here
        tally.seconds, begin = time.monotonic() - begin, time.monotonic()
        kept.append(tally)
        say(f"\n  {tally.line()}")
    # Saves after each class, so that a long run that ends early keeps its results.
    if not option.quick and option.scale >= 1:
        keep(kept, option.seed)
    if faults := [f"{tally.name}: {fault}" for tally in kept for fault in tally.faults[:20]]:
        pytest.fail("\n".join(faults), pytrace=False)
