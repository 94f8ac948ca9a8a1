"""Reads the rules in Operating.md, and watches a server with those rules only."""

import os
import re
import threading
import time
import urllib.request
from pathlib import Path

DAYS = 144  # Simulated days are this many times shorter: one day of a rule takes ten minutes.
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400 / DAYS}
SERIES = r"[a-z][a-z_]+(?:\{[^}]*\})?"
FOLLOWS = "what follows from a trouble"


def table(text, title):
    """Returns the rows of the table with this title, as lists of cells."""
    rows = text[text.index(f"| {title} |") :].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


class Article:
    """The article's metrics, alert rules, and troubles with their log lines."""

    def __init__(self, root):
        text = Path(root, "Sources/PetSpotServer/PetSpotServer.docc/Operating.md").read_text("utf-8")
        self.metrics = [name for row in table(text, "metric") for name in re.findall(r"`([a-z_]+)`", row[0])]
        self.troubles, self.lines = {}, []
        for kind, lines, alerts, _ in table(text, "trouble"):
            self.troubles |= dict.fromkeys(re.findall(r"`(\w+)`", alerts), kind)
            for line in re.findall(r"`([^`]+)`", lines):
                self.lines.append((re.compile(re.escape(line).replace("…", ".+")), kind))
        rule = r"- alert: (\w+)\n +expr: (.*?)(?:\n +for: (\d+)([smhd]))?(?=\n +- alert|\n\n)"
        self.rules = [
            Rule(name, expression, int(number or 0) * UNITS[unit or "s"])
            for name, expression, number, unit in re.findall(rule, text, re.S)
        ]

    def kind(self, line):
        """Returns the trouble that a line of the log or the journal reports, or None."""
        level = re.search(r"(?:^| )level=(\w+)", line)
        if not line.startswith("<3>") and (level is None or level[1] not in ("warning", "error", "critical")):
            return None
        said = re.search(r'message=(?:"((?:[^"\\]|\\.)*)"|(\S+))', line)
        message = line[3:] if said is None else said[1] or said[2]
        return next((kind for pattern, kind in self.lines if pattern.fullmatch(message)), FOLLOWS)

    def faults(self):
        """Yields what the article lacks, as sentences."""
        used = {name for rule in self.rules for name in re.findall(r"\b(?:petspot|http)_[a-z_]+", rule.expression)}
        yield from (f"no metric {name} in the table" for name in used - set(self.metrics))
        yield from (f"no trouble for {rule.name}" for rule in self.rules if rule.name not in self.troubles)
        yield from (f"no rule for {name}" for name in self.troubles.keys() - {rule.name for rule in self.rules})


class Rule:
    """A Prometheus alert. It supports the part of the language that the article uses."""

    def __init__(self, name, expression, seconds):
        self.name, self.seconds, self.since, self.fires = name, seconds, None, False
        self.expression = " ".join(expression.replace(">-", "").split())

    def look(self, history):
        """Returns whether the rule starts to fire with the newest samples."""
        now = history[-1][0]

        def value(series, at=-1):
            name, _, labels = series.partition("{")
            wanted = set(filter(None, labels.rstrip("}").split(",")))
            found = [
                number for key, number in history[at][1].items()
                if key.partition("{")[0] == name and wanted <= set(key.partition("{")[2].rstrip("}").split(","))
            ]  # fmt: skip
            return max(found, default=0)

        def increase(series, seconds):
            begin = next(at for at, (moment, _) in enumerate(history) if moment >= now - seconds)
            return value(series) - value(series, begin)

        def written(found):
            if found[1]:
                return f"increase({found[1]!r}, {int(found[2]) * UNITS[found[3]]})"
            return str(time.time()) if found[0] == "time()" else f"value({found[0]!r})"

        text = self.expression.replace("86400", str(UNITS["d"]))
        text = re.sub(rf"increase\(({SERIES})\[(\d+)([smhd])\]\)|time\(\)|{SERIES}", written, text)
        holds = eval(text, {"__builtins__": {}, "value": value, "increase": increase})
        self.since = (self.since or now) if holds else None
        fires = holds and now - self.since >= self.seconds
        self.fires, before = fires, self.fires
        return fires and not before


class Reader(threading.Thread):
    """Reads logs and metrics until it is stopped. `found` has moments, troubles and their evidence."""

    def __init__(self, article, port, logs):
        super().__init__(daemon=True)
        self.article, self.port, self.logs = article, port, dict.fromkeys(logs, 0)
        self.found, self.history, self.over = [], [], threading.Event()

    def run(self):
        while not self.over.wait(1):
            for path in self.logs:
                self.read(path)
            self.history.append((time.monotonic(), self.scrape()))
            for rule in self.article.rules:
                if rule.look(self.history):
                    self.note(self.article.troubles.get(rule.name, FOLLOWS), rule.name)

    def note(self, kind, what):
        self.found.append((time.monotonic(), kind, what))
        print(f"           reader: {kind} ({what[:150]})", flush=True)

    def read(self, path):
        """Reads new complete lines."""
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8", errors="replace") as file:
            file.seek(self.logs[path])
            text = file.read()
        whole = text[: text.rfind("\n") + 1]
        self.logs[path] += len(whole.encode())
        for line in whole.splitlines():
            if kind := self.article.kind(line):
                self.note(kind, line)

    def scrape(self):
        """Returns the current samples. If the server is down, returns only `up`."""
        up = 'up{job="petspot"}'
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:
            return {up: 0}
        return {up: 1} | {name: float(value) for name, _, value in (
            line.rpartition(" ") for line in lines if line and line[0] != "#")}  # fmt: skip

    def stop(self):
        self.over.set()
        self.join()
