"""Runs petspot with our library between it and the C library (shim.c), or under strace."""

import os
import shutil
import signal
import subprocess
import sys
import time

from petspot import Answer, exit_of

HERE = os.path.dirname(os.path.abspath(__file__))
MISSING = 69


def need(tool, package):
    """Ends the script with the package's name if a tool isn't installed."""
    if not shutil.which(tool):
        print(f"faults: {tool} is missing; install it: sudo apt-get install {package}", file=sys.stderr)
        sys.exit(MISSING)


def build(work, name="shim.c"):
    """Compiles one of our libraries into the work folder."""
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        need("cc", "gcc")
    path = os.path.join(work.folder, name.replace(".c", ".so"))
    source = os.path.join(HERE, name)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", path, source, "-ldl"], check=True)
    return path


class Shim:
    """One compiled library for many runs."""

    def __init__(self, work):
        self.library, self.folder = build(work), work.folder

    def environment(self, **settings):
        """Returns the environment for these settings: `at=5, do="kill"` becomes SHIM_AT=5 SHIM_DO=kill."""
        chosen = {f"SHIM_{name.upper()}": str(value) for name, value in settings.items() if value}
        return os.environ | chosen | {"LD_PRELOAD": self.library, "PETSPOT_BUSY_SECONDS": "1"}

    def run(self, command, **settings):
        """Runs a command. The answer's `log` has a line for each counted call, as `name path`. With `at` it has
        only the call that was hit, and with `data=1` the lines that `powering` plays back."""
        log = os.path.join(self.folder, "shim.log")
        answer = run(command, environment=self.environment(log=log, **settings))
        answer.log = taken(log)
        return answer


class Orders:
    """Orders for the calls of a running server."""

    def __init__(self, shim):
        self.path, self.log = (os.path.join(shim.folder, name) for name in ("orders", "orders.log"))
        self.environment = shim.environment(log=self.log, orders=self.path)

    def give(self, at=-1, do="0", more=False):
        """Counts calls from 1 from now on. Without a number, calls are only logged."""
        self.end()
        with open(f"{self.path}.new", "w") as file:
            file.write(f"{at} {do} {int(more)}")
        os.rename(f"{self.path}.new", self.path)

    def end(self):
        """Withdraws the orders. Returns the lines of the log since the last orders."""
        if os.path.exists(self.path):
            os.unlink(self.path)
        return taken(self.log)


def taken(log):
    """Empties a log and returns its lines. A call that was hit appears as its name and path."""
    if not os.path.exists(log):
        return []
    with open(log) as file:
        lines = file.read().splitlines()
    os.truncate(log, 0)
    return [line.removeprefix("hit ") for line in lines]


def run(command, environment=None, timeout=60):
    """Runs a command in its own session. The answer's `left` is the number of processes that outlive it."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, env=environment, start_new_session=True, **pipes)
    try:
        output, errors = process.communicate(timeout=timeout)
        answer = Answer(exit_of(process.returncode), output, errors)
    except subprocess.TimeoutExpired:
        end_session(process.pid)
        process.communicate()
        answer = Answer("timeout")
    answer.left = outlived(process.pid)
    return answer


def outlived(session, limit=2):
    """Waits up to `limit` seconds for the processes of a session to end, kills the others, and returns their
    number."""
    deadline = time.monotonic() + limit
    while members(session):
        if time.monotonic() > deadline:
            return end_session(session)
        time.sleep(0.005)
    return 0


def end_session(session):
    pids = members(session)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    return len(pids)


def members(session):
    """Returns the living processes of a session."""
    pids = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] not in "ZX":
            pids.append(int(name))
    return pids
