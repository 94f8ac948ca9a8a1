"""Starts, observes and ends a server."""

import json
import os
import signal
import socket
import subprocess
import sys
import time

import environment
from comparing import HERE, WORK, fresh
from measuring import Sampler, descriptors, resident_bytes, tree

TICK = os.sysconf("SC_CLK_TCK")


class Service:
    """A server on 127.0.0.1. `path` is the path for photos of an announcement, and `folder` has its data."""

    def __init__(self, name, cores=2):
        self.name, self.cores = name, cores
        self.errors = os.path.join(WORK, f"{name}.err")
        self.process, self.port, self.folder, self.path = None, None, None, "/announcements/{}/photos"

    def start(self, command, variables=None):
        def pin():
            os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: self.cores]))

        with open(self.errors, "wb") as errors:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, cwd=HERE,
                env={**os.environ, **(variables or {})}, start_new_session=True, preexec_fn=pin,
            )  # fmt: skip
        # Samples rarely, because looking into a worker's /proc delays its end, which would count for the server.
        self.sampler = Sampler(self.process.pid, time.monotonic(), 0.5)
        self.sampler.start()

    def wait(self, seconds=60):
        """Waits until the port accepts connections."""
        deadline = time.monotonic() + seconds
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    with open(self.errors, errors="replace") as errors:
                        sys.exit(f"bench: {self.name} does not start: {errors.read()[-1000:]}")
                time.sleep(0.05)

    def cpu(self):
        """Returns the CPU seconds of the process tree so far, including processes that have ended."""
        total = 0
        for pid in tree(self.process.pid):
            try:
                with open(f"/proc/{pid}/stat") as file:
                    total += sum(map(int, file.read().rpartition(") ")[2].split()[11:15]))
            except OSError:
                continue
        return total / TICK

    def own_cpu(self):
        """Returns the CPU seconds of the process alone."""
        with open(f"/proc/{self.process.pid}/stat") as file:
            return sum(map(int, file.read().rpartition(") ")[2].split()[11:13])) / TICK

    def memory(self):
        """Returns the resident bytes of the process alone."""
        return resident_bytes(self.process.pid)

    def descriptors(self):
        return descriptors(self.process.pid)

    def stop(self):
        self.sampler.stop()
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


def petspot(arguments, *options, cache=None):
    """Starts `petspot serve`, with a new cache if none is given."""
    service = Service("petspot", arguments.cores)
    service.folder, service.path = cache or fresh("petspot"), "/api/v1/announcements/{}/photos"
    service.start([arguments.binary, "serve", "--port", "0", "--json", "--cache", service.folder, *options])
    line = service.process.stdout.readline()
    try:
        service.port = int(json.loads(line)["url"].rpartition(":")[2])
    except ValueError:
        service.port = 0
    service.wait()
    return service


def peer(arguments, name, work="processed"):
    """Starts one of `ALL_PEERS` with the given number of worker processes. `work` is "processed" or "stored"."""
    service = Service(name, arguments.cores)
    service.folder = fresh(name)
    os.makedirs(service.folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        service.port = free.getsockname()[1]
    program = os.path.join(os.path.dirname(environment.PYTHON), ALL_PEERS[name][0])
    command = [part.format(port=service.port, workers=arguments.processes) for part in ALL_PEERS[name][1:]]
    service.start([program, *command], {
        "PEER_FOLDER": service.folder, "PEER_QUALITY": str(arguments.quality), "PEER_WORK": work,
        "VIPS_CONCURRENCY": "1",
    })  # fmt: skip
    service.wait()
    return service


PEERS = {
    "fastapi": [
        "uvicorn", "--factory", "web_peers:fastapi_service", "--port", "{port}", "--workers", "{workers}",
        "--log-level", "warning", "--no-access-log",
    ],
    "granian": [
        "granian", "--interface", "asgi", "--factory", "web_peers:granian_service", "--port", "{port}", "--workers", "{workers}",
        "--log-level", "warning", "--no-access-log",
    ],
    "flask": ["gunicorn", "web_peers:flask_service()", "--bind", "127.0.0.1:{port}", "--workers", "{workers}",
              "--timeout", "120", "--log-level", "warning"],
}  # fmt: skip
ALL_PEERS = PEERS | {
    "rails": ["/usr/bin/puma", "--environment", "production", "--workers", "{workers}", "--preload", "--quiet",
              "--bind", "tcp://127.0.0.1:{port}", "rails_peer.ru"],
}  # fmt: skip
