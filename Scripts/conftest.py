"""The options, the selection of checks and the output that all suites share. See support/suite.py."""

import os
import random

import pytest
from petspot import default_binary


def pytest_addoption(parser):
    group = parser.getgroup("petspot")
    group.addoption("--only", "--rows", default="", metavar="LIST", help="only these numbers or names, such as 6,9-12")
    group.addoption("--quick", action="store_true", help="skip checks that wait long, and shorten the others")
    group.addoption("--list", action="store_true", help="list the checks and run none")
    group.addoption("--count", type=int, default=1, metavar="N", help="run each check N times")
    group.addoption("--binary", help="default: release if built, else debug; reversed by --quick")
    group.addoption("--seed", type=int, default=random.randrange(1 << 32))


def check(key, title, *, slow=False, root=False):
    """Returns the parameter of a test: one check of a suite's table, with its number or name."""
    name = key if isinstance(key, str) else f"{key} {title}"
    return pytest.param(key, id=name, marks=pytest.mark.check(key, title=title, slow=slow, root=root))


@pytest.fixture(scope="session")
def binary(request):
    order = ("debug", "release") if request.config.option.quick else ("release", "debug")
    return os.path.abspath(request.config.option.binary or default_binary(*order))


@pytest.fixture
def say(request):
    """A function that prints a line at once, even if pytest captures output."""
    capture = request.config.pluginmanager.getplugin("capturemanager")

    def line(text):
        with capture.global_and_fixture_disabled():
            print(text, flush=True)

    return line


@pytest.fixture
def repetition():
    """The number of this run, if --count repeats the check."""


def pytest_generate_tests(metafunc):
    count = metafunc.config.option.count
    if count > 1:
        metafunc.fixturenames.append("repetition")
        metafunc.parametrize("repetition", range(1, count + 1), ids=lambda number: f"run {number}")


def pytest_report_header(config):
    return f"seed {config.option.seed}"


def wanted(text):
    """Parses `6,9-12,escapes` into a set of numbers and names."""
    chosen = set()
    for piece in filter(None, text.split(",")):
        first, _, last = piece.partition("-")
        if first.isdigit() and (last or first).isdigit():
            chosen |= set(range(int(first), int(last or first) + 1))
        else:
            chosen.add(piece)
    return chosen


def pytest_collection_modifyitems(config, items):
    only, kept, left = wanted(config.option.only), [], []
    known = {mark.args[0] for item in items for mark in item.iter_markers("check")}
    if unknown := only - known:
        raise pytest.UsageError(f"no such check: {', '.join(sorted(map(str, unknown)))}")
    for item in items:
        mark = item.get_closest_marker("check")
        chosen = mark is None or not only or mark.args[0] in only
        slow = config.option.quick and mark is not None and mark.kwargs["slow"]
        (kept if chosen and not slow else left).append(item)
        if mark is not None and mark.kwargs["root"] and os.geteuid() != 0:
            item.add_marker(pytest.mark.skip("needs root"))
    if left:
        config.hook.pytest_deselected(items=left)
    items[:] = kept


def pytest_runtestloop(session):
    if not session.config.option.list:
        return None
    for item in session.items:
        mark = item.get_closest_marker("check")
        if mark:
            facts = "".join(f" ({name})" for name in ("slow", "root") if mark.kwargs[name])
            print(f"{mark.args[0]!s:24} {mark.kwargs['title']}{facts}")
    return True


def pytest_report_teststatus(report):
    """Appends what a check counted to its verdict."""
    counted = dict(getattr(report, "user_properties", ())).get("counted")
    if report.when == "call" and counted and report.outcome in ("passed", "failed"):
        return report.outcome, report.outcome[0].upper(), f"{report.outcome.upper()} {counted}"
    return None
