"""Runs every class of the scoreboard."""

import importlib
import random
import tempfile
import time

import pytest
from board import Work, keep
from conftest import check

# Functions of these modules. The first line of a function's docstring is its title. Given `Work`, it yields lines
# of the scoreboard.
CLASSES = """calls.kill_attach_calls calls.kill_import_calls sources.sources sets.sets damage.damage
  heics.random_heics calls.errors power.power
disk.disk kills.kill_import clocks.clocks rot.rot databases.databases hostile.hostile kills.resume_import
concurrent_imports.concurrent_imports namespaces.namespaces worker_kills.worker_kills escapes.escapes leaks.leaks
two_at_once.two_at_once http_calls.http_calls http_kills.http_kills power.http_power http_errors.http_errors sizes.sizes
postgres.postgres s3.s3 s3.store_kills workers.workers stopped_writers.stopped_writers servers.servers
backups.backups unreadable.unreadable"""
FUNCTIONS = [getattr(importlib.import_module(module), name) for module, name in (each.split(".") for each in CLASSES.split())]
NAMES = {function.__name__.replace("_", "-"): function for function in FUNCTIONS}


@pytest.fixture
def folder():
    """A folder that other users can enter, unlike pytest's own. It is removed after the class."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder:
        yield folder


@pytest.mark.parametrize("name", [check(name, each.__doc__.splitlines()[0]) for name, each in NAMES.items()])
def test_class(name, request, binary, folder, say):
    option = request.config.option
    work = Work(binary, folder, option.quick, option.scale, random.Random(f"{option.seed} {name}"))
    begin, kept = time.monotonic(), []
    for tally in NAMES[name](work):
        tally.expect_some(tally.tried or tally.notes, "tried")  # a note says why a class can't run here
        tally.seconds, begin = time.monotonic() - begin, time.monotonic()
        kept.append(tally)
        say(f"\n  {tally.line()}")
    # Saves after each class, so that a long run that ends early keeps its results.
    if not option.quick and option.scale >= 1:
        keep(kept, option.seed)
    if faults := [f"{tally.name}: {fault}" for tally in kept for fault in tally.faults[:20]]:
        pytest.fail("\n".join(faults), pytrace=False)
