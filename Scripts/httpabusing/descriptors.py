"""Rows 171 to 179 and 187: descriptors and connections that run out, metrics, one client's log lines, decoders when
memory runs out, and requests that arrive faster than their responses leave."""

import contextlib
import json
import os
import random
import re
import resource
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import raw
from pictures import png
from rows import API, Skip, certificate_in, row
from shortages import limit_leaving
from watching import descriptors, read

MOST = 2  # seconds for each of an honest client's requests


class Honest:
    """A client that requests health, a page and a list again and again. See `looking.py`."""

    def __init__(self, row, server, certificate=None):
        self.row, self.server = row, server
        self.arguments = [str(server.port), str(MOST * row.work.slowness), *([certificate] if certificate else [])]

    def __enter__(self):
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(os.path.dirname(__file__), "looking.py"), *self.arguments],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
        return self

    def __exit__(self, *_):
        saw, row = json.loads(self.process.communicate(timeout=60)[0]), self.row
        row.case("the server lives", self.server.runs, f"it ended with {self.server.process.poll()}")
        row.case("others are served meanwhile", saw["count"] > 0 and not saw["failed"], "; ".join(saw["failed"][:3]))
        row.note = f"{row.note} {saw['count']} looks, {saw['longest']:.2f} s at most".strip()


class Held:
    """Connections from some addresses that are reopened when the server closes them."""

    def __init__(self, server, sources, each, opening, port=None):
        self.server, self.opening, self.port = server, opening, port or server.port
        self.dice = random.Random(1)
        self.sources = [source for source in sources for _ in range(each)]
        self.connections = dict.fromkeys(range(len(self.sources)))

    def fill(self):
        """Reopens closed connections. Returns the number of open ones."""
        for number, connection in self.connections.items():
            # A connection whose picture wasn't read doesn't notice that it was closed.
            if connection and self.lives(connection) and self.dice.random() > 0.05:
                continue
            if connection:
                connection.close()
            with contextlib.suppress(OSError):
                self.connections[number] = raw.Connection(
                    self.port, self.sources[number], timeout=2, receive_buffer=4096)  # fmt: skip
                self.connections[number].send(self.opening)
        return sum(map(bool, self.connections.values()))

    @staticmethod
    def lives(connection):
        try:
            return bool(connection.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except BlockingIOError:
            return True
        except OSError:
            return False

    def close(self):
        for connection in filter(None, self.connections.values()):
            connection.close()


@contextlib.contextmanager
def requests(row, server, count):
    """Runs `count` clients that request lists all the time."""
    ends = threading.Event()

    def ask(source):
        while not ends.is_set():
            with contextlib.suppress(OSError, raw.Broken), server.connect(source, timeout=5) as connection:
                while not ends.is_set():
                    connection.send(raw.request("GET", f"{API}?limit=20"))
                    connection.read()

    threads = [threading.Thread(target=ask, args=[row.work.address()]) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ends.set()
        for thread in threads:
            thread.join()


def needs(count):
    """Raises this process's limit of descriptors, or skips the row."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < count:
        raise Skip(f"{hard} descriptors are too few")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count), hard))


def shown(row, server):
    """Returns the address of a picture that doesn't fit into a connection's buffers."""
    owner = row.create(server)
    body = raw.form(raw.part(png(row.work.dice, 1200)))
    row.expect("a picture", row.upload(owner, body, server=server, timeout=120), 201)
    return row.photo_of(owner, server)


def unread(row, limit, addresses, each, seconds):
    """Lets unread pictures take all descriptors while other clients send requests."""
    needs(addresses * each + 300)
    with row.own_server("descriptors", descriptors=limit) as server:
        picture = raw.request("GET", shown(row, server))
        held = Held(server, [row.work.address() for _ in range(addresses)], each, picture)
        most = 0
        with requests(row, server, 20), Honest(row, server):
            begin = time.monotonic()
            while time.monotonic() - begin < seconds and server.runs:
                held.fill()
                most = max(most, len(descriptors(server.pid)))
                time.sleep(0.5)
        held.close()
        row.case("some descriptors are always free", most < limit - 16, f"{most} of {limit}")
        row.note += f", {most} of {limit} descriptors"
        row.expect("afterwards", server.ask("GET", "/api/health", source=row.work.address()), 200)


@row(171, "unread pictures of three addresses, 1,024 descriptors, while requests run")
def few_descriptors(row):
    unread(row, 1024, 3, 225, 8 if row.work.quick else 45)


@row(172, "unread pictures of 42 addresses, 20,000 descriptors, while requests run", slow=True)
def many_descriptors(row):
    unread(row, 20_000, 42, 242, 60)


@row(173, "idle connections take all slots, with and without TLS")
def idle(row):
    needs(4000)
    certificate, key = certificate_in(row.work.folder)
    for tls, options in (
        (None, []), (certificate, ["--tls-certificate", certificate, "--tls-key", key])
    ):  # fmt: skip
        with row.own_server("idle", *options, descriptors=4096) as server:
            held = Held(server, [row.work.address() for _ in range(42)], 80, b"")
            with Honest(row, server, tls):
                begin = time.monotonic()
                while time.monotonic() - begin < (8 if row.work.quick else 20):
                    held.fill()
                    time.sleep(0.3)
            held.close()


@row(174, "the metrics port")
def metrics(row):
    port = free_port()
    with row.own_server("metrics", "--host", "0.0.0.0", "--metrics-port", str(port), descriptors=1024) as server:
        server.wait(lambda: listens(port), 10)
        row.case("only on this machine", not listens(port, "127.0.0.2"))
        with raw.Connection(port, row.work.address(), witness=server.witness) as connection:
            connection.send(raw.request("GET", "/metrics", {"Host": "127.0.0.1"}))
            row.expect("two hosts", connection.read(), 400)
        with raw.Connection(port, row.work.address()) as connection:
            connection.send(raw.head("POST", "/metrics", {"Transfer-Encoding": "chunked"}))
            taken = connection.send(*[raw.chunks(bytes(1 << 20))[:-5]] * 60)
            row.case("a body without end is cut off", taken < 50 << 20 and connection.closes(20), f"{taken >> 20} MiB")
        sockets = server.sockets()
        held = Held(server, [row.work.address() for _ in range(16)], 100, b"", port)
        with requests(row, server, 10), Honest(row, server):
            begin = time.monotonic()
            while time.monotonic() - begin < (6 if row.work.quick else 40):
                held.fill()
                time.sleep(0.3)
                more = server.sockets() - sockets
            row.case("32 connections", more < 32 + 8 + 20, f"{more} more sockets")
            with raw.Connection(port, row.work.address(), timeout=MOST) as connection:
                connection.send(raw.request("GET", "/metrics"))
                row.expect("metrics beside them", connection.read(), 200)
        held.close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def listens(port, address="127.0.0.1"):
    with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=1):
        return True
    return False


@row(175, "addresses that can't be listened on")
def addresses(row):
    with row.own_server("taken") as server:
        port, cache = str(server.port), server.petspot.cache
        for what, arguments, exit, words in (
            ("the port", ["--port", port], 69, ["Port " + port, "--port"]),
            ("the metrics port", ["--port", "0", "--metrics-port", port], 69, ["Port " + port, "--metrics-port"]),
            ("a host without an address", ["--host", "host.invalid"], 69, ["host.invalid", "--host"]),
            ("a base URL with a path", ["--base-url", "https://a.example/pets"], 64, ["--base-url", "/pets"]),
        ):
            for language in ("C", "pl_PL.UTF-8"):
                found = subprocess.run(
                    [row.work.binary, "serve", *arguments, "--cache", cache], env=os.environ | {"LC_ALL": language},
                    stdin=subprocess.DEVNULL, capture_output=True, timeout=60)  # fmt: skip
                text = found.stderr.decode()
                row.case(f"{what}, in {language}: exit code", found.returncode == exit, f"{found.returncode}: {text}")
                row.case(f"{what}, in {language}: words", all(word in text for word in words), text[-300:])
                polish = any(word in text for word in ("zajmuje", "nasłuchiwać", "ścieżki"))
                row.case(f"{what}: in {language}", polish == (language != "C"), text[-300:])


def up(port):
    """Returns the metrics' value of each store."""
    with raw.Connection(port) as connection:
        connection.send(raw.request("GET", "/metrics"))
        text = connection.read().body.decode()
    return {name: int(value) for name, value in re.findall(r"^petspot_(\w+)_up (\d)$", text, re.MULTILINE)}


@row(177, "a client that fills the log")
def log(row):
    each, connections = 100 if row.work.quick else 1250, 16
    with row.own_server("log") as server:
        source, other = row.work.address(), row.work.address()

        def flood(_):
            with server.connect(source, timeout=60) as connection:
                connection.send(*[raw.request("GET", "/x")] * each)
                return sum(connection.read().status == 404 for _ in range(each))

        with Honest(row, server), ThreadPoolExecutor(connections) as pool:
            answered = sum(pool.map(flood, range(connections)))
        row.case("all get a response", answered == each * connections, f"{answered}")
        row.expect("another client", server.ask("GET", "/other", source=other), 404)
        row.case("it ends", server.stop() == 0)
        lines = read(server.log).decode().splitlines()
        refused = sum("status=404" in line for line in lines)
        # 100 per minute, possibly in two minutes, and one of the other client.
        row.case("few lines", 101 <= refused <= 301, f"{refused} lines")
        summary = [line for line in lines if '"requests not logged"' in line]
        counted = sum(int(re.search(r"status-404=(\d+)", line)[1]) for line in summary)
        row.case("and their count", counted == answered + 1 - refused, f"{refused} lines, {summary}")
        row.case("with its address", summary and all(f"client={source}" in line for line in summary), f"{summary}")


@row(178, "which process the kernel kills first when memory runs out")
def memory(row):
    def score(pid):
        return int(read(f"/proc/{pid}/oom_score_adj"))

    with row.own_server("memory") as server:
        row.expect("a photo", row.upload(row.create(server), server=server), 201)
        server.wait(server.decoders, 10)
        scores = [score(pid) for pid in server.decoders()]
        row.case("decoders", scores and set(scores) == {1000}, f"{scores}")
        row.case("not the server", score(server.pid) < 1000, f"{score(server.pid)}")


@row(179, "a connection when no descriptor is left")
def refused(row):
    with row.own_server("refused") as server:
        server.ask("GET", "/", source=row.work.address())
        # They take the free descriptors below the highest one.
        filling = [server.connect(row.work.address()) for _ in range(20)]
        server.wait(lambda: server.sockets() >= 20, 5)
        soft, hard = resource.prlimit(server.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (limit_leaving(server, 1) - 1, hard))
        for number in range(5):
            begin = time.monotonic()
            with server.connect(row.work.address(), timeout=10) as connection:
                connection.send(raw.request("GET", API))
                closed = connection.closes(10)
            took = time.monotonic() - begin
            row.case(f"{number}: it is refused at once", closed and took < MOST, f"{took:.1f} s")
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (soft, hard))
        row.case("the server lives", server.runs)
        row.case("it accepts again", server.wait(lambda: accepts(row, server), 5))
        for connection in filling:
            connection.close()


def accepts(row, server):
    with contextlib.suppress(OSError, raw.Broken):
        answer = server.ask("GET", API, source=row.work.address(), timeout=2)
        return answer is not None and answer.status == 200
    return False


@row(187, "bursts of requests that don't wait for responses")
def bursts(row):
    needs(600)
    with row.own_server("bursts") as server:
        server.ask("GET", "/")
        memory, source = server.memory(), row.work.address()
        for path in ("/none", "/"):
            burst = raw.request("GET", path) * (60_000 // len(raw.request("GET", path)))
            held = [server.connect(source, timeout=60) for _ in range(200)]
            with Honest(row, server):
                begin = time.monotonic()
                for connection in held:
                    with contextlib.suppress(OSError):
                        connection.socket.setblocking(False)
                        connection.socket.send(burst)
                time.sleep(max(0, begin + (6 if row.work.quick else 20) - time.monotonic()))
            for connection in held:
                connection.close()
            time.sleep(2)
            before = server.processor_seconds()
            time.sleep(2)
            busy = server.processor_seconds() - before
            row.case(f"{path}: no work for clients that left", busy < 1, f"{busy:.1f} s of 2")
        grown = server.memory() - memory
        row.case("memory grows by less than 100 MB", grown < 100 << 20, f"{grown >> 20} MiB")
