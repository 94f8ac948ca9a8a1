"""Rows 21 to 28 and 59: host names, paths, methods, and fields of every response."""

import raw
from rows import API, JSON, row

NOWHERE = "00000000-0000-4000-8000-000000000000"


@row(21, "invalid hosts")
def hosts(row):
    ask = row.server.ask
    for what, head in {
        "none": b"GET /api/health HTTP/1.1\r\n\r\n",
        "two": b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n",
        "two unequal": b"GET /api/health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n\r\n",
        "an absolute address": b"GET http://evil.example/api/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    }.items():
        with row.server.connect(row.work.address(), timeout=5) as connection:
            connection.send(head)
            row.expect(what, connection.read(), 400)
    for host in (
        "user@127.0.0.1",
        "",
        "127.0.0.1:x",
        "127.0.0.1:123456",
        "127.0.0.1/x",
        "127.0.0.1, x",
        "[::1",
        "a b",
        "\xe9",
    ):
        row.expect(host or "empty", ask("GET", "/api/health", host=host), 400)
    row.expect("our host in an absolute address", ask("GET", "http://127.0.0.1/api/health"), 200)


@row(22, "host names of other sites")
def names(row):
    ask = row.server.ask
    for host in ("evil.example", "127.0.0.1.evil.example", "0.0.0.0", "127.0.0.2", "localhost.", "2130706433", "[::2]"):
        answer = ask("GET", "/api/health", host=host)
        row.expect(host, answer, 421)
        row.case(f"{host}: the error names the option", "--base-url" in answer.error.get("message", ""), answer.error)
    row.expect("in an absolute address", ask("GET", "http://evil.example/api/health", host="evil.example"), 421)
    for host in ("localhost", "LOCALHOST:8080", f"127.0.0.1:{row.server.port}", "[::1]"):
        row.expect(host, ask("GET", "/api/health", host=host), 200)


@row(23, "forwarding fields from an untrusted client")
def forwarded(row):
    source = row.work.address()
    fields = {
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
        "Forwarded": "host=evil.example;proto=https",
    }
    answer = row.server.ask("POST", API, JSON | fields | {"X-Forwarded-Prefix": "/evil"}, row.report(), source)
    if row.expect("created", answer, 201):
        row.case("Location has our host", answer["location"].startswith(row.server.url + "/api/"), answer["location"])
    found = [
        row.server.ask(
            "POST", API, JSON | {"X-Forwarded-For": f"10.0.0.{number}", "X-Real-IP": f"10.0.1.{number}"}, b"{}", source
        )
        for number in range(90)
    ]
    throttled = [answer for answer in found if answer.status == 429]
    row.case("its requests count as those of its own address", throttled, "90 creates by one client, none refused")
    row.case("it gets a Retry-After", all(answer["retry-after"] for answer in throttled))


@row(24, "paths that try to leave their folder")
def paths(row):
    ask = row.server.ask
    for path in (
        "/../etc/passwd", "/images/../../etc/passwd", "/images/..%2f..%2fetc%2fpasswd", "/%2e%2e%2fetc/passwd",
        "/images/%2e%2e/%2e%2e/etc/passwd", "/images/x%00.jpg", "/images/%00", "/images\\..\\x", "/images/..%5cx",
        "/images/%c0%ae%c0%ae", "/images/%ff", "/images/%", "/images/%2", "/images/%zz", "/images/%252e%252e%252f",
        "/api/v1/announcements/%2e%2e", "/images/" + "a" * 8000, "/.git/config", "/incoming/",
        "/api/v1/announcements/..;/",
    ):  # fmt: skip
        row.expect(path[:60], ask("GET", path), 404)
    row.expect("*", ask("GET", "*"), 400, 404)
    for path in ("//api///health", "/api/health/", "/%61pi/health"):
        row.expect(path, ask("GET", path), 200)
    row.expect("a fragment", ask("GET", "/api/health#x"), 200, 400, 404)


@row(25, "invalid ids")
def ids(row):
    ask, owner = row.server.ask, row.create()
    for text in (
        "1",
        "x" * 36,
        owner[0].upper(),
        owner[0] + "0",
        "'%20or%201=1",
        "%E2%82%AC",
        "null",
        "-1",
        owner[0].replace("-", ""),
    ):
        row.expect(f"GET {text}", ask("GET", f"{API}/{text}"), 404)
        row.expect(f"DELETE {text}", ask("DELETE", f"{API}/{text}", raw.basic(text, "x")), 404)
        row.expect(
            f"photo of {text}", ask("POST", f"{API}/{text}/photos", raw.basic(text, "x") | raw.form_type(), b""), 404
        )
        row.expect(f"picture {text}", ask("GET", f"/images/{text}"), 404)
    row.expect("unknown", ask("GET", f"{API}/{NOWHERE}"), 404)
    row.expect("an unknown one's photo", ask("POST", f"{API}/{NOWHERE}/photos", raw.basic(NOWHERE, "x"), b""), 404)


@row(26, "other methods")
def methods(row):
    ask = row.server.ask
    for path, allowed in {
        "/api/health": {"GET"}, "/api/openapi.json": {"GET"}, API: {"GET", "POST"}, f"{API}/{NOWHERE}": {"GET",
        "PATCH", "DELETE"},
        f"{API}/{NOWHERE}/photos": {"POST", "PUT"}, "/api/announcements": {"POST"}, f"/images/{NOWHERE}": {"GET"},
    }.items():  # fmt: skip
        full = allowed | {"OPTIONS"} | ({"HEAD"} if "GET" in allowed else set())
        for method in {"GET", "PUT", "PATCH", "DELETE", "POST", "TRACE"} - allowed:
            answer = ask(method, path)
            if row.expect(f"{method} {path}", answer, 405, code="METHOD_NOT_ALLOWED"):
                row.case(f"Allow of {path}", full == set(answer["allow"].split(", ")), answer["allow"])
        answer = ask("OPTIONS", path)
        if row.expect(f"OPTIONS {path}", answer, 204):
            row.case(f"Allow of {path}", full == set(answer["allow"].split(", ")), answer["allow"])
    for method in ("FOO", "get", "PROPFIND", "G" * 200):
        row.expect(method, ask(method, "/api/health"), 400, 405)
    answer = ask("TRACE", "/api/health", {"X-Secret": "told"})
    row.case("TRACE echoes nothing", b"told" not in answer.body)


@row(27, "HEAD")
def heads(row):
    owner = row.borrow()
    row.expect("a photo", row.upload(owner), 201)
    shown = row.photo_of(owner)
    for path in (
        "/api/health",
        "/api/openapi.json",
        API,
        f"{API}/{owner[0]}",
        shown,
        f"{shown}-preview",
        "/none",
        f"{API}/{NOWHERE}",
    ):
        with row.server.connect(row.work.address(), timeout=5) as connection:
            connection.send(raw.request("HEAD", path) + raw.request("GET", path) + raw.request("OPTIONS", API))
            found = [connection.read("HEAD"), connection.read(), connection.read()]
            row.case(f"HEAD {path} has no body", found[2] and found[2].status == 204)
            changing = {"request-id", "date"}
            told = [
                (answer.status, [field for field in answer.fields if field[0] not in changing]) for answer in found[:2]
            ]
            row.case(f"HEAD {path} has the fields of GET", sorted(told[0][1]) == sorted(told[1][1]), f"{told}")


@row(28, "line ends in reflected values")
def reflected(row):
    ask = row.server.ask
    for path in (
        f"{API}?a%0d%0aX-Evil:%201=1",
        f"{API}?sort=%0d%0aX-Evil:%201",
        "/%0d%0aX-Evil:%201",
        f"{API}?%0aX-Evil=1&%0aX-Evil=1",
    ):
        answer = ask("GET", path)
        row.case(path, answer and answer["x-evil"] is None and answer.status in (200, 400, 404), f"{answer}")
    fields = JSON | {"Idempotency-Key": "a%0d%0aX-Evil: 1"}
    answer = ask("POST", API, fields, row.report(petName="a\r\nX-Evil: 1"), row.work.address())
    row.case("a name", answer["x-evil"] is None)


@row(59, "contents of errors")
def errors(row):
    """Checks one error of each kind. `serving.faults_of` checks the contents of every response."""
    ask = row.server.ask
    row.expect("404", ask("GET", "/none"), 404, code="NOT_FOUND")
    row.expect("405", ask("PUT", "/api/health"), 405)
    row.expect("400", ask("GET", f"{API}?limit=x"), 400)
    row.expect("400 of the protocol", row.server.tell(b"x\r\n\r\n")[0], 400)
    row.expect("401", ask("DELETE", f"{API}/{NOWHERE}"), 401)
    row.expect("413", ask("POST", API, JSON, bytes(200_000)), 413)
    row.expect("415", ask("POST", API, {}, b"x"), 415)
    row.expect("417", ask("GET", API, {"Expect": "x"}), 417)
    row.expect("421", ask("GET", API, host="evil.example"), 421)
    answers = [ask("GET", "/none") for _ in range(20)]
    row.case("each has its own id", len({answer["request-id"] for answer in answers}) == 20)
    answer = ask("GET", "/none", {"request-id": "mine", "X-Request-Id": "mine"})
    row.case("the client does not choose it", answer["request-id"] != "mine")
