"""Rows 1 to 5 and 7: slow connections, connections that stay open, and protocol changes."""

import contextlib
import os
import resource
import ssl
import subprocess
import threading
import time

import raw
from pictures import png
from rows import API, JSON, Skip, median, row

PATIENCE = 30  # seconds after which the server may close
SLACK = 10  # extra seconds for a busy machine


def latencies(row, count):
    """Returns the seconds of `count` ordinary requests, one after the other, each from its own address."""
    found = []
    for _ in range(count):
        begin = time.monotonic()
        row.expect("an ordinary request beside them", row.server.ask("GET", API, source=row.work.address()), 200)
        found.append(time.monotonic() - begin)
    return found


def many(row, count, opening=b""):
    """Opens `count` connections from a hundred addresses."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < count + 200:
        raise Skip(f"{hard} descriptors are too few")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, count + 200), hard))
    sources, found = [row.work.address() for _ in range(100)], []
    for number in range(count):
        with contextlib.suppress(OSError):
            found.append(row.server.connect(sources[number % 100], timeout=2))
            found[-1].send(opening)
    return found


@row(1, "headers at one byte per five seconds", slow=True)
def slow_headers(row):
    usual = median(latencies(row, 50))
    begin, waiting = time.monotonic(), many(row, 500, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
    before = len(waiting)
    beside = []
    while waiting and time.monotonic() - begin < PATIENCE + SLACK:
        if len(beside) < 100:
            beside += latencies(row, 10)
        time.sleep(max(0, 5 - (time.monotonic() - begin) % 5))
        for connection in list(waiting):
            if not connection.send(b"x") or connection.closes(0):
                waiting.remove(connection)
                connection.close()
    for connection in waiting:
        connection.close()
    row.case("all are closed in time", not waiting, f"{len(waiting)} of {before} are open after {PATIENCE + SLACK} s")
    # A few milliseconds are noise on any machine.
    row.case("others stay fast", median(beside) < 2 * usual + 0.005, f"{median(beside):.4f} s instead of {usual:.4f}")
    row.note = f"median {usual * 1000:.1f} ms, beside them {median(beside) * 1000:.1f} ms"


@row(2, "a body at one byte per ten seconds", slow=True)
def slow_body(row):
    owner, before = row.borrow(), row.server.nameless()
    start = raw.form(raw.part(b"\xff\xd8"))[:-60]
    heads = {
        "a form": row.opening(owner, 1_000_000) + start,
        "JSON": raw.head("POST", API, JSON | {"Content-Length": 50_000}) + b"{",
        "chunks": raw.head("POST", API, JSON | {"Transfer-Encoding": "chunked"}) + b"1000\r\n{",
    }
    for what, took, answer in together(lambda what: drip(row, heads[what]), heads):
        row.expect(what, answer, 408, code="REQUEST_TIMEOUT")
        row.case(f"{what} is cut off", took < PATIENCE + 15 + SLACK, f"it took {took:.0f} s")
    row.case("nothing is kept", row.server.wait(lambda: row.server.nameless() == before, 10))


def drip(row, opening):
    """Sends an opening, then a byte every ten seconds. Returns the seconds until the server responds, and the
    response."""
    with row.server.connect(row.work.address(), timeout=10) as connection:
        connection.send(opening)
        begin = time.monotonic()
        while time.monotonic() - begin < 70:
            with contextlib.suppress(raw.Broken):
                answer = connection.read()
                return time.monotonic() - begin, answer
            connection.send(b"x")
        return time.monotonic() - begin, None


def together(function, names):
    """Calls a function for all names at once. Returns (name, *result) of each."""
    found = []
    threads = [threading.Thread(target=lambda name=name: found.append((name, *function(name)))) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


@row(3, "a picture that is read at 100 bytes per second", slow=True)
def slow_reader(row):
    owner = row.borrow()
    row.expect("a large picture", row.upload(owner, raw.form(raw.part(png(row.work.dice, 1900)))), 201)
    path, sockets, memory = row.photo_of(owner), row.server.sockets(), row.server.memory()
    connections = [row.server.connect(row.work.address(), receive_buffer=4096) for _ in range(10)]
    for connection in connections:
        connection.send(raw.request("GET", path))
    begin = time.monotonic()
    row.case("they are served", row.server.wait(lambda: row.server.sockets() >= sockets + 10, 5))
    most = 0
    while row.server.sockets() > sockets and time.monotonic() - begin < PATIENCE + 15 + SLACK:
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.socket.recv(100)
        most = max(most, row.server.memory() - memory)
        time.sleep(1)
    took = time.monotonic() - begin
    row.case("they are closed in time", row.server.sockets() <= sockets, f"{row.server.sockets() - sockets} are open")
    row.case("memory stays flat", most < 40 << 20, f"{most >> 20} MiB more for 10 readers of 10 MB")
    row.note = f"{took:.0f} s, {most >> 20} MiB more"
    for connection in connections:
        connection.close()


@row(4, "2,000 idle connections", slow=True)
def idle(row):
    sockets = row.server.sockets()
    connections = many(row, 2000)
    begin = time.monotonic()
    held = row.server.sockets() - sockets
    row.case("a new client is served", served_within(row, 30), "not within 30 s")
    row.case("the server lives", row.server.runs)
    row.case(
        "they are closed in time", row.server.wait(lambda: row.server.sockets() <= sockets + 5, PATIENCE + 15 + SLACK),
        f"{row.server.sockets() - sockets} are open after {time.monotonic() - begin:.0f} s",
    )  # fmt: skip
    row.note = f"{held} held, back after {time.monotonic() - begin:.0f} s"
    for connection in connections:
        connection.close()


def served_within(row, seconds):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, raw.Broken):
            answer = row.server.ask("GET", API, source=row.work.address(), timeout=5)
            if answer is not None and answer.status == 200:
                return True
        time.sleep(0.5)
    return False


HELLO = bytes.fromhex("16030100c8010000c40303") + bytes(range(32)) + b"\0\0\x02\x13\x01" + bytes(200)


@row(5, "TLS on the plain port, half a handshake on the TLS port", slow=True)
def handshakes(row):
    with row.server.connect() as connection:
        connection.send(HELLO)
        found = [answer.status for answer in connection.answers()]
        row.case("a hello on the plain port", found in ([], [400]) and connection.closes(5), f"{found}")
    certificate, key = certificate_in(row.work.folder)
    with row.own_server("tls", "--tls-certificate", certificate, "--tls-key", key) as server:
        context = ssl.create_default_context(cafile=certificate)
        context.check_hostname = False
        with server.connect(tls=context) as connection:
            connection.send(raw.request("GET", "/api/health"))
            answer = connection.read()
            row.expect("an ordinary client", answer, 200)
            row.case("it gets Strict-Transport-Security", answer["strict-transport-security"])
        halves = [("half a hello", HELLO[:40]), ("nothing", b""), ("plain HTTP", raw.request("GET", "/api/health"))]
        for what, took in together(lambda name: (half(server, dict(halves)[name]),), dict(halves)):
            row.case(f"{what} is closed", took <= PATIENCE + SLACK, f"it took {took:.0f} s")


def half(server, opening):
    with server.connect() as connection:
        connection.send(opening)
        begin = time.monotonic()
        connection.closes(60)
        return time.monotonic() - begin


def certificate_in(folder):
    paths = [os.path.join(folder, name) for name in ("certificate.pem", "key.pem")]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    try:
        subprocess.run([*command, "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    except FileNotFoundError:
        raise Skip("openssl is not installed") from None
    return paths


@row(7, "CONNECT and Upgrade, followed by a flood")
def flood(row):
    openings = {
        "CONNECT": b"CONNECT 127.0.0.1:80 HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n",
        "Upgrade": raw.head("GET", "/api/health", {"Connection": "Upgrade", "Upgrade": "x"}),
        "h2c": raw.head("GET", "/api/health", {"Connection": "Upgrade, HTTP2-Settings", "Upgrade": "h2c"}),
    }
    piece, memory = bytes(1 << 20), row.server.memory()
    for what in ["CONNECT"] if row.work.quick else openings:
        opening = openings[what]
        with row.server.connect(timeout=5) as connection:
            connection.send(opening)
            taken, most = 0, 0
            while taken < 1 << 30 and connection.send(piece):
                taken += len(piece)
                most = max(most, row.server.memory() - memory)
            with contextlib.suppress(raw.Broken):
                row.case(f"{what} is answered or closed", connection.read() is not None or connection.is_over)
            row.case(f"{what} is closed", connection.closes(5))
            row.case(f"{what} costs no memory", most < 2 << 20, f"{most >> 10} KiB more after {taken >> 20} MiB")
