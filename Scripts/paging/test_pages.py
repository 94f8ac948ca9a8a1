"""Uses the pages of a real server in Chromium, as a person would."""

import contextlib

import pytest
from conftest import check
from paging.registry import CHECKS
from paging.world import World


@pytest.fixture(scope="session")
def shared(request, binary):
    world = World(binary, request.config.option.screens)
    yield world
    if world.shared:
        world.shared.stop()


@pytest.fixture
def world(shared):
    """Provides the browsers and servers of one check, and closes them after it."""
    yield shared
    shared.tidy()


@pytest.mark.parametrize(
    "name", [check(name, sentence, slow=seconds >= 15) for name, (sentence, _, seconds) in CHECKS.items()]
)
def test_page(name, world):
    try:
        CHECKS[name][1](world)
    except Exception as fault:
        for ended in world.ended():
            fault.add_note(ended)
        with contextlib.suppress(Exception):  # the browser may be gone
            world.shoot(name)
        raise
