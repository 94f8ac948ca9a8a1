"""Runs the checks one after the other, each with browsers of its own, and counts."""

import os
import sys
import time
import traceback

from petspot import default_binary

from . import checks_fields, checks_landing, checks_lines, checks_looks, checks_neighbors, checks_photo, checks_report, checks_sizes, checks_tabs  # noqa: F401
from .browser import Browser
from .registry import CHECKS
from .server import Server


class World:
    """What a check works with: one server for all that do not hurt it, browsers that are closed after it."""

    def __init__(self, binary, screens):
        self.binary, self.screens = binary, screens
        self.shared, self.open_browsers, self.own = None, [], []

    @property
    def server(self):
        if not self.shared:
            self.shared = Server(self.binary)
        return self.shared

    def own_server(self, *options, **environment):
        """A server that the check may kill, or that has nothing announced yet."""
        self.own.append(Server(self.binary, *options, **environment))
        return self.own[-1]

    def browser(self, server=None, **options):
        self.open_browsers.append(Browser(server or self.server, **options))
        return self.open_browsers[-1]

    def shoot(self, number):
        for index, browser in enumerate(self.open_browsers if self.screens else []):
            os.makedirs(self.screens, exist_ok=True)
            browser.shoot(os.path.join(self.screens, f"check-{number}-{index}.png"))

    def tidy(self):
        for browser in self.open_browsers:
            browser.driver.quit()
        for server in self.own:
            server.stop()
        self.open_browsers, self.own = [], []


def wanted(text):
    """Numbers of `5,12-16`; all without a text."""
    numbers = set()
    for part in (text or "").split(","):
        first, _, last = part.partition("-")
        if first:
            numbers.update(range(int(first), int(last or first) + 1))
    return [number for number in sorted(CHECKS) if not text or number in numbers]


def all_checks(options):
    """The exit code: 0 when all passed."""
    numbers = [number for number in wanted(options.only) if not options.quick or CHECKS[number][2] < 15]
    if options.list:
        for number in numbers:
            print(f"check {number} {CHECKS[number][0]}")
        return 0
    world = World(options.binary or default_binary("debug", "release"), options.screens)
    failed = []
    try:
        for number in numbers:
            if not run(world, number):
                failed.append(number)
    finally:
        if world.shared:
            world.shared.stop()
    print(f"{len(numbers) - len(failed)} passed, {len(failed)} failed" + (f": {failed}" if failed else ""))
    return 1 if failed or not numbers else 0


def run(world, number):
    name, function, _ = CHECKS[number]
    print(f"check {number} {name} … ", end="", flush=True)
    start = time.monotonic()
    try:
        function(world)
        print(f"ok ({time.monotonic() - start:.1f} s)", flush=True)
        return True
    except Exception as fault:  # noqa: BLE001 - one broken check must not end the others
        print("FAILED", flush=True)
        where = traceback.extract_tb(sys.exc_info()[2])
        place = next((f"{frame.name} line {frame.lineno}" for frame in reversed(where) if "checks_" in frame.filename), "")
        print(f"  {place}: {str(fault).splitlines()[0] if str(fault) else type(fault).__name__}", flush=True)
        for server in [world.shared, *world.own]:
            if server and server.process.poll() is not None:
                print(f"  the server has ended with {server.process.returncode}: {server.log()[-500:]}", flush=True)
        try:
            world.shoot(number)
        except Exception:  # noqa: BLE001 - the browser may be gone
            pass
        return False
    finally:
        world.tidy()
