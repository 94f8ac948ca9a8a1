"""Helpers of `Scripts/bench cluster`: stores, workers limited to a part of a core, runs, and delayed networks."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import environment
from comparing import HERE, WORK, once

sys.path += [os.path.join(environment.ROOT, "Scripts", part) for part in ("support", "faulting")]
import pictures  # noqa: E402
import postgresservers  # noqa: E402
import s3servers  # noqa: E402

PERIOD = 100_000  # microseconds
VERSION_1, VERSION_2 = "/sys/fs/cgroup/cpu", "/sys/fs/cgroup"


class Held:
    """A control group that may use so many cores, with priority over all other work."""

    def __init__(self, name, cores):
        is_new = os.path.exists(f"{VERSION_2}/cgroup.controllers")
        self.path = os.path.join(VERSION_2 if is_new else VERSION_1, f"petspot-bench-{name}")
        quota = str(round(cores * PERIOD)) if cores else "max" if is_new else "-1"
        limits = {"cpu.max": f"{quota} {PERIOD}", "cpu.weight": "10000"}
        if not is_new:
            limits = {"cpu.cfs_period_us": str(PERIOD), "cpu.cfs_quota_us": quota, "cpu.shares": "65536"}
        try:
            os.makedirs(self.path, exist_ok=True)
            for name, value in limits.items():
                with open(os.path.join(self.path, name), "w") as file:
                    file.write(value)
        except OSError as error:
            sys.exit(f"bench: no control group for the CPU can be made ({error}); run it as root")

    def take(self, pid=0):
        with open(os.path.join(self.path, "cgroup.procs"), "w") as file:
            file.write(str(pid))

    def end(self):
        for _ in range(50):
            try:
                return os.rmdir(self.path)
            except OSError:  # a process in it is about to end
                time.sleep(0.1)


class Stores:
    """PostgreSQL and SeaweedFS. Each run has its own database and prefix."""

    def __init__(self, cores=None):
        os.makedirs(WORK, exist_ok=True)
        self.folder = tempfile.mkdtemp(prefix="cluster-", dir=WORK)
        self.database = postgresservers.Server(os.path.join(self.folder, "postgres"))
        self.objects = s3servers.Server(os.path.join(self.folder, "s3"))
        os.environ.update(self.objects.environment)
        self.group = Held("stores", None)
        for server in (self.database, self.objects):
            self.group.take(server.process.pid)
            if cores:
                for task in os.listdir(f"/proc/{server.process.pid}/task"):
                    os.sched_setaffinity(int(task), cores)

    def stop(self):
        self.objects.stop()
        self.database.stop()
        self.group.end()
        shutil.rmtree(self.folder, ignore_errors=True)


class Place:
    """A database and a prefix. `ways` has the milliseconds of a round trip to the database and to the store."""

    def __init__(self, stores, name, ways=None, cores=None):
        self.stores, self.name = stores, name
        self.url = stores.database.make(name)
        self.direct = ["--database", self.url, "--blobs", stores.objects.url(name)]
        self.options, self.relays = self.direct, []
        if ways:
            ports = (stores.database.port, stores.objects.port)
            self.relays = [Way(port, way, stores.group, cores) for port, way in zip(ports, ways)]
            database = self.url.replace(f":{stores.database.port}/", f":{self.relays[0].port}/")
            endpoint = f"http://127.0.0.1:{self.relays[1].port}"
            self.options = ["--database", database, "--blobs", stores.objects.url(name, endpoint)]
        self.processes = []

    def start(self, binary, *arguments, direct=False, variables=None, held=None, cores=None, log=None):
        """Starts a command with these stores and its own cache."""
        number = len(self.processes)
        cache = os.path.join(self.stores.folder, f"{self.name}-{number}")

        def begin():
            if held:
                held.take()
            if cores:
                os.sched_setaffinity(0, cores)

        with open(log or os.path.join(self.stores.folder, f"{self.name}-{number}.log"), "wb") as out:
            process = subprocess.Popen(
                [binary, *arguments, "--cache", cache, "--json", *(self.direct if direct else self.options)],
                stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, **(variables or {})},
                start_new_session=True, preexec_fn=begin,
            )  # fmt: skip
        self.processes.append(process)
        return process

    def lay(self, binary, folder, part):
        """Prepares a run for workers. The requesting process is killed as soon as all parts are recorded."""
        asks = self.start(binary, "import", folder, "--distribute", direct=True, variables={"PETSPOT_PART_FILES": str(part)})
        while self.ask("SELECT count(*) FROM import_run WHERE state = 'working'") != "1":
            if asks.poll() is not None:
                sys.exit(f"bench: import --distribute ended: {list(self.last_words())}")
            time.sleep(0.1)
        asks.kill()
        asks.wait()

    def ask(self, text):
        return self.stores.database.sql(f"SET search_path = petspot; {text}", self.name)

    def work(self, workers):
        """Starts workers with `workers`. Returns the seconds of the run by the database's clock."""
        begin = float(self.ask("SELECT extract(epoch FROM clock_timestamp())"))
        workers()
        while self.ask("SELECT count(*) FROM import_run WHERE state <> 'done'") != "0":
            if all(process.poll() is not None for process in self.processes):
                sys.exit(f"bench: no worker is left: {list(self.last_words())}")
            time.sleep(0.3)
        return float(self.ask("SELECT extract(epoch FROM max(ended_at)) FROM import_run")) - begin

    def last_words(self):
        """Yields the exit codes of its commands and the end of their logs."""
        for number, process in enumerate(self.processes):
            with open(os.path.join(self.stores.folder, f"{self.name}-{number}.log"), errors="replace") as log:
                yield process.returncode, log.read()[-300:]

    def end(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return [relay.end() for relay in self.relays]


class Way:
    """A process that relays a port with a delay."""

    def __init__(self, target, milliseconds, group, cores):
        def begin():
            group.take()
            if cores:
                os.sched_setaffinity(0, cores)

        command = [sys.executable, os.path.join(HERE, "delaying.py"), str(target), str(milliseconds)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, preexec_fn=begin)
        self.port = int(self.process.stdout.readline())

    def end(self):
        """Ends the relay. Returns its counts."""
        counts, _ = self.process.communicate("\n")
        return json.loads(counts)


def tiny(count):
    """Returns a folder of PNGs of 24 by 24 pixels, a thousand per subfolder."""

    def make(folder):
        dice = random.Random(count)
        for number in range(count):
            place = os.path.join(folder, f"{number // 1000:03}")
            if number % 1000 == 0:
                os.makedirs(place, exist_ok=True)
            path = os.path.join(place, f"{number:06}.png")
            with open(path, "wb") as file:
                file.write(pictures.png(dice))
            os.utime(path, (1_790_000_000, 1_790_000_000))

    return once(f"tiny-{count}", make)
