"""Runs petspot from scripts. Relies on its contract: exit codes, and JSON on standard output."""

import hashlib
import json
import os
import signal
import subprocess
import time
from urllib.parse import unquote, urlparse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def default_binary(*configurations, product="petspot"):
    """Returns the first of these configurations' binaries that is built."""
    paths = [os.path.join(ROOT, ".build", name, product) for name in configurations]
    return next((path for path in paths if os.access(path, os.X_OK)), paths[0])


class Answer:
    """The result of one run. `exit` is the exit code, `signal N` or `timeout`."""

    def __init__(self, exit, output=b"", errors=b""):
        self.exit, self.errors = exit, errors.decode(errors="replace")
        self.output = output.decode(errors="replace")
        self.objects, self.is_json = [], True
        for line in self.output.splitlines():
            try:
                self.objects.append(json.loads(line))
            except ValueError:
                self.is_json = False
        if not self.is_json:  # the output is one object over several lines
            try:
                self.objects, self.is_json = [json.loads(self.output)], True
            except ValueError:
                self.objects = []

    @property
    def json(self):
        return self.objects[-1] if self.objects else {}

    @property
    def code(self):
        return self.json.get("error", {}).get("code")

    @property
    def photo(self):
        return self.json.get("photo") or {}

    @property
    def status(self):
        return self.json.get("status")


def exit_of(code):
    """Converts a return code to an exit code, or to the signal that ended the process."""
    return code if code >= 0 else f"signal {-code}"


def run(command, timeout=60, **options):
    """Runs a command until it ends and returns its answer."""
    options = {"stdin": subprocess.DEVNULL, "capture_output": True} | options
    try:
        done = subprocess.run(command, timeout=timeout, **options)
    except subprocess.TimeoutExpired:
        return Answer("timeout")
    return Answer(exit_of(done.returncode), done.stdout, done.stderr)


class Petspot:
    def __init__(self, binary, cache):
        self.binary, self.cache = os.path.abspath(binary), cache

    def command(self, *arguments):
        """Returns the whole command line. Everything except usage errors prints JSON and uses this cache."""
        return [self.binary, *arguments, "--json", "--cache", self.cache]

    def run(self, *arguments, plain=False, **options):
        return run([self.binary, *arguments] if plain else self.command(*arguments), **options)

    def leftovers(self):
        """Returns the names in incoming/."""
        folder = os.path.join(self.cache, "incoming")
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def kill_after(command, seconds):
    """Starts a command in its own session and kills the whole session after `seconds`. Returns whether the command
    was still running, and the session's id."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    process = subprocess.Popen(command, start_new_session=True, **quiet)
    time.sleep(seconds)
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return process.wait() == -signal.SIGKILL, process.pid


def blob_path(photo):
    return unquote(urlparse(photo["cachedURL"]).path)


def blob_fault(photo):
    """Returns the fault of a confirmed photo's blob, or None."""
    try:
        with open(blob_path(photo), "rb") as file:
            data = file.read()
    except OSError as error:
        return f"blob: {error.strerror}"
    if len(data) != photo["blob"]["sizeBytes"]:
        return f"blob has {len(data)} bytes, recorded {photo['blob']['sizeBytes']}"
    if hashlib.sha256(data).hexdigest() != photo["blob"]["sha256"]:
        return "blob's digest differs from the recorded one"
    return None
