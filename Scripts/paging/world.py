"""The context of checks. Importing it registers all checks."""

import os

from . import checks_back, checks_changes, checks_fields, checks_finding, checks_landing, checks_lines, checks_looks, checks_neighbors, checks_photo, checks_report, checks_sizes, checks_tabs  # noqa: F401
from .browser import Browser
from .server import Server


class World:
    """The context of a check: one server for all checks that do it no harm, and browsers that are closed after the
    check."""

    def __init__(self, binary, screens):
        self.binary, self.screens = binary, screens
        self.shared, self.open_browsers, self.own = None, [], []

    @property
    def server(self):
        if not self.shared:
            self.shared = Server(self.binary)
        return self.shared

    def own_server(self, *options, **environment):
        """Starts a server that the check may kill, or that has no announcements yet."""
        self.own.append(Server(self.binary, *options, **environment))
        return self.own[-1]

    def mailing_server(self):
        """Starts a server that asks for e-mail addresses. Its mail server is always unreachable."""
        return self.own_server("--mail", "smtp://127.0.0.1:9?from=petspot@example.org")

    def browser(self, server=None, **options):
        self.open_browsers.append(Browser(server or self.server, **options))
        return self.open_browsers[-1]

    def ended(self):
        """Yields the servers that have ended, with the end of their logs."""
        for server in [self.shared, *self.own]:
            if server and server.process.poll() is not None:
                yield f"the server has ended with {server.process.returncode}: {server.log()[-500:]}"

    def shoot(self, name):
        for index, browser in enumerate(self.open_browsers if self.screens else []):
            os.makedirs(self.screens, exist_ok=True)
            browser.shoot(os.path.join(self.screens, f"check-{name}-{index}.png"))

    def tidy(self):
        for browser in self.open_browsers:
            browser.driver.quit()
        for server in self.own:
            server.stop()
        self.open_browsers, self.own = [], []
