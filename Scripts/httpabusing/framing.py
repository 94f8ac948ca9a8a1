"""Rows 6 and 8 to 16: heads, lengths, chunks, and requests hidden in others."""

import time

import raw
from rows import API, JSON, row

HEALTH = raw.request("GET", "/api/health")


def posting(*fields, body=b""):
    """Returns a POST of JSON with exactly these field lines."""
    lines = [b"POST " + API.encode() + b" HTTP/1.1", b"Host: 127.0.0.1", b"Content-Type: application/json", *fields]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


@row(6, "request heads beyond the limits")
def long_heads(row):
    row.refused("a field of 17 KiB", raw.request("GET", "/api/health", {"X-A": "a" * (17 << 10)}), statuses=(431,))
    row.refused("a list of 33 KiB", raw.request("GET", "/api/health", {f"X-{n}": "a" * 2000 for n in range(17)}), statuses=(431,))
    row.refused("101 fields", raw.request("GET", "/api/health", {f"X-{n}": "a" for n in range(101)}), statuses=(431,))
    row.refused(
        "a line of 1 MB", b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", statuses=(400, 414, 431)
    )
    fields = {f"X-{n}": "a" * 300 for n in range(90)}
    row.expect("90 fields of 27 KB", row.server.ask("GET", "/api/health", fields), 200)


@row(8, "pipelining and other versions")
def pipelining(row):
    kinds = [("GET", "/api/health", 200), ("GET", "/none", 404), ("PUT", "/api/health", 405), ("OPTIONS", API, 204)]
    chosen = [row.work.dice.choice(kinds) for _ in range(200)]
    with row.server.connect(row.work.address(), timeout=60) as connection:
        connection.send(b"".join(raw.request(method, path) for method, path, _ in chosen))
        statuses = []
        for method, _, _ in chosen:
            answer = connection.read(method)
            statuses.append(answer and answer.status)
        row.case("200 pipelined requests in their order", statuses == [kind[2] for kind in chosen], f"{statuses}")
    answer, closes = row.server.tell(b"GET /api/health HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")
    row.expect("HTTP/1.0", answer, 200)
    row.case("HTTP/1.0 without keep-alive is closed", closes)
    row.refused("HTTP/0.9", b"GET /api/health\r\n\r\n")
    row.refused("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(9), statuses=(400, 505))
    row.refused("HTTP/3.7", b"GET /api/health HTTP/3.7\r\nHost: 127.0.0.1\r\n\r\n", statuses=(400, 505))


@row(9, "invalid lengths")
def lengths(row):
    chunk = b'5\r\n{"a":\r\n0\r\n\r\n'
    row.refused("both lengths", posting(b"Content-Length: 5", b"Transfer-Encoding: chunked", body=chunk))
    row.refused("both, in reverse order", posting(b"Transfer-Encoding: chunked", b"Content-Length: 5", body=chunk))
    row.refused("two unequal", posting(b"Content-Length: 2", b"Content-Length: 3", body=b"{}x"))
    row.refused("two equal", posting(b"Content-Length: 2", b"Content-Length: 2", body=b"{}"))
    for text in (b"5, 5", b"-1", b"+5", b"18446744073709551616", b"0x5", b"5 5", b"5;", b"", b"\xd9\xa3"):
        row.refused(text.decode("latin1") or "empty", posting(b"Content-Length: " + text, body=b"{}   "))


@row(10, "transfer codings")
def codings(row):
    body = raw.chunks(row.report(species="?"))
    lines = [b"xchunked", b"chunked, identity", b"identity, chunked", b"gzip, chunked", b"chunked;q=1", b'"chunked"']
    lines += [b"chunked, chunked", b"\tchunked", b"chunked\t", b"Chunked", b"CHUNKED", b"identity", b"chunked,", b","]
    cases = {line.decode(): [b"Transfer-Encoding: " + line] for line in lines}
    cases |= {"twice": [b"Transfer-Encoding: chunked"] * 2, "CR": [b"Transfer-Encoding: chunked\r"]}
    cases |= {"space before colon": [b"Transfer-Encoding : chunked"], "tab name": [b"Transfer-Encoding\t: chunked"]}
    cases |= {"VT": [b"Transfer-Encoding: \x0bchunked"], "underscore": [b"Transfer_Encoding: chunked"]}
    for what, fields in cases.items():
        with row.server.connect(row.work.address(), timeout=row.silence) as connection:
            connection.send(posting(*fields, body=body) + HEALTH)
            found = connection.answers()
            codes = [answer.status if answer.status != 400 else answer.code for answer in found]
            # The server read chunks: the species is invalid, and the next request gets a response.
            as_chunks = codes == ["INVALID_FORMAT", 200]
            refused = [answer.status for answer in found] in ([400], [501]) and "INVALID_FORMAT" not in codes
            # An unknown field doesn't announce a body. The server sees an empty body, and then an invalid request.
            as_nothing = what == "underscore" and codes[:1] == ["INVALID_JSON"] and 200 not in codes
            row.case(what, as_chunks or (refused and connection.closes(5)) or as_nothing, f"{codes}")


@row(11, "invalid chunks")
def chunks(row):
    def chunked(body):
        return posting(b"Transfer-Encoding: chunked", body=body)

    # This number fits into 64 bits, so the only fault is the size.
    row.refused("2^63 bytes", chunked(b"8000000000000000\r\n" + bytes(200_000)), statuses=(400, 413))
    row.refused("2^64 bytes", chunked(b"10000000000000000\r\n{}\r\n0\r\n\r\n"))
    with row.server.connect(row.work.address(), timeout=10) as connection:
        connection.send(chunked(b"2;" + b"a" * 1_000_000 + b"\r\n{}\r\n0\r\n\r\n") + HEALTH)
        statuses = [answer and answer.status for answer in (connection.read(), connection.read())]
        # The server may skip or refuse it. Row 16 tests an endless one.
        row.case("an extension of 1 MB", statuses in ([400, 200], [400, None]), f"{statuses}")
    row.refused("no line end after a chunk", chunked(b"2\r\n{}0\r\n\r\n"))
    row.refused("a bare LF after the size", chunked(b"2\n{}\r\n0\r\n\r\n"))
    row.refused("a bare LF after the chunk", chunked(b"2\r\n{}\n0\r\n\r\n"))
    for size in (b"-2", b"+2", b"0x2", b" 2", b"", b"g", b"2 2", b"2_"):
        row.refused(f"size {size.decode()!r}", chunked(size + b"\r\n{}\r\n0\r\n\r\n"))


@row(12, "invalid field lines")
def field_lines(row):
    def with_line(line):
        return b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n" + line + b"\r\n\r\n"

    lines = {"folded": b"X-A: a\r\n b", "folded by a tab": b"X-A: a\r\n\tb", "space before colon": b"X-A : a"}
    lines |= {"NUL": b"X-A: a\0b", "CR": b"X-A: a\rb", "LF alone": b"X-A: a\nX-B: b", "no colon": b"X-A"}
    lines |= {"no name": b": a", "NUL in a name": b"X-\0: a", "space in a name": b"X A: a", "first folded": b" X-A: a"}
    for what, line in lines.items():
        row.refused(what, with_line(line))
    row.refused("a first line with three spaces", b"GET /api /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    row.refused("a CR in the path", b"GET /api\r/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")


@row(13, "trailers")
def trailers(row):
    for line in (
        b"Content-Length: 5",
        b"Host: evil.example",
        b"Authorization: Basic eDp5",
        b"Transfer-Encoding: chunked",
    ):
        body = raw.chunks(row.report())[:-2] + line + b"\r\n\r\n"
        with row.server.connect(row.work.address(), timeout=10) as connection:
            connection.send(posting(b"Transfer-Encoding: chunked", body=body) + HEALTH)
            statuses = [answer.status for answer in (connection.read(), connection.read()) if answer]
            row.case(line.decode(), statuses in ([201, 200], [400]), f"{statuses}")


@row(14, "requests hidden in others")
def smuggling(row):
    owner = row.borrow()
    hidden = HEALTH * 3

    def sees_one(what, *pieces):
        with row.server.connect(row.work.address(), timeout=row.silence) as connection:
            connection.send(*pieces)
            statuses = [answer.status for answer in connection.answers()]
            row.case(what, len(statuses) == 1 and 200 not in statuses, f"{statuses}")

    # No handler reads the body of these requests. The server must drop it and never parse it as a request.
    for what, path, fields in (
        ("404", "/none", {}),
        ("405", "/api/health", {}),
        ("401", f"{API}/{owner[0]}/photos", {}),
        ("415", API, {"Content-Type": "text/plain"}),
        ("413", API, JSON | {"Expect": "100-continue"}),
    ):
        if what == "413":
            sees_one(
                what,
                raw.head("POST", path, fields | {"Content-Length": 200_000}) + hidden + bytes(200_000 - len(hidden)),
            )
        else:
            sees_one(what, raw.request("POST", path, fields, hidden))
            sees_one(
                f"{what} in chunks",
                raw.head("POST", path, fields | {"Transfer-Encoding": "chunked"}) + raw.chunks(hidden),
            )
    sees_one("a GET with a body", raw.request("GET", "/none", {}, hidden))
    sees_one(
        "CL.TE",
        posting(b"Content-Length: %d" % (len(hidden) + 5), b"Transfer-Encoding: chunked", body=b"0\r\n\r\n" + hidden),
    )
    sees_one(
        "TE.CL", posting(b"Transfer-Encoding: chunked", b"Content-Length: 4", body=b"5c\r\n" + hidden + b"0\r\n\r\n")
    )
    sees_one("TE.TE", posting(b"Transfer-Encoding: chunked", b"Transfer-encoding: x", body=b"0\r\n\r\n" + hidden))
    sees_one("a hidden length", posting(b"X: x\rContent-Length: 5", body=hidden))
    sees_one("CONNECT", b"CONNECT /none HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" + hidden)


@row(15, "a body that ends before its length")
def early_end(row):
    owner = row.create()
    body = raw.form(raw.part(row.work.dice.randbytes(300_000)))
    heads = {
        "a form": row.opening(owner, len(body) + 9),
        "JSON": raw.head("POST", API, JSON | {"Content-Length": 5000}),
    }
    for what, opening in heads.items():
        for how in ("closed", "half closed", "reset"):
            with row.server.connect(row.work.address(), timeout=10) as connection:
                connection.send(opening + (body if what == "a form" else row.report()))
                if how == "half closed":
                    connection.socket.shutdown(1)
                    found = [answer.status for answer in connection.answers()]
                    row.case(f"{what}, {how}", found in ([], [400]), f"{found}")
                elif how == "reset":
                    connection.reset()
    row.case(
        "nothing is kept", row.server.wait(lambda: not row.server.nameless(), 10), f"{row.server.nameless()} files"
    )
    row.case("no photo is shown", row.photo_of(owner) is None)


@row(16, "20 MiB in chunks of one byte", slow=True)
def tiny_chunks(row):
    owner, before = row.borrow(), row.server.processor_seconds()
    piece = b"1\r\nx\r\n" * 65_536
    with row.server.connect(row.work.address(), timeout=120) as connection:
        opening = raw.basic(*owner) | raw.form_type() | {"Transfer-Encoding": "chunked"}
        connection.send(raw.head("POST", f"{API}/{owner[0]}/photos", opening))
        start = raw.form(raw.part(b""))[: -len(raw.BOUNDARY) - 8]
        connection.send(b"".join(b"1\r\n%c\r\n" % byte for byte in start))
        taken, size = 0, (20 << 20) // row.work.slowness
        while taken < size and connection.send(piece):
            taken += 65_536
        connection.send(b"0\r\n\r\n")
        try:
            answer = connection.read()
        except raw.Broken:
            answer = None
    spent = row.server.processor_seconds() - before
    status = answer.status if answer else "closed"
    row.case(
        "it costs little",
        spent < 10 or status == 408,
        f"{spent:.1f} s of CPU for {taken >> 20} MiB",
    )
    row.case("it is refused", status in (400, 408, 413, "closed"), f"{status}")
    row.note = f"{status} after {taken >> 20} MiB and {spent:.1f} s of CPU"
    endless_extension(row)


def endless_extension(row):
    """Sends a chunk extension without end. It isn't part of the body, but must be bounded as well."""
    memory, begin, taken = row.server.memory(), time.monotonic(), 0
    with row.server.connect(row.work.address(), timeout=30) as connection:
        connection.send(posting(b"Transfer-Encoding: chunked", body=b"2;"))
        while time.monotonic() - begin < 60 and connection.send(b"a" * 65_536):
            taken += 65_536
            time.sleep(0.05)
    took = time.monotonic() - begin
    row.case("an extension without end is cut off", took < 55, f"{taken >> 20} MiB in {took:.0f} s")
    row.case("it costs no memory", row.server.memory() - memory < 4 << 20)
