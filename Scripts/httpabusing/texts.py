"""Rows 150 to 158: hostile texts and their cost: combining marks, escapes, forms, cookies, log lines."""

import json
import os
import re
import ssl
import time
import urllib.parse

import raw
from rows import API, JSON, PHOTO, certificate_in, row
from watching import read

FORM = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
MARKS = ("\u0301", "\u200d", "\ufe0f", "\u20e3", "\u034f")
PAIRS = [character + mark for character in "&<>\"'" for mark in MARKS]


def piles(count):
    """Returns combining marks that Unicode sorts again for each comparison."""
    return "a" + "\u0315\u0300" * count


def encoded(fields):
    return urllib.parse.urlencode(fields).encode()


@row(150, "forms with combining marks in the wrong order")
def quadratic(row):
    body = encoded({"description": piles(19_000), "action": "next"})
    with row.own_server("marks") as server:
        row.timed(server, "/")
        before = server.processor_seconds()
        for path in ("/report/description", "/language", "/report/chip/typed"):
            for field in ("description", "language", piles(2000)):
                text = encoded({field: piles(19_000), "language": "en"} if field != "language" else {field: piles(19_000)})
                load(server, "POST", path, FORM, text, row.work.address())
        spent = (server.processor_seconds() - before) / 9
        row.case("a form costs milliseconds", spent < 0.05 * row.work.slowness, f"{spent:.3f} s of a core each")
        for _ in range(12):
            with server.connect(row.work.address()) as connection:
                connection.send(raw.request("POST", "/report/description", FORM, body))
        health, page = row.timed(server, "/api/health"), row.timed(server, "/")
        row.case("health beside 12 of them", health < 2, f"{health:.1f} s")
        row.case("a page beside 12 of them", page < 2, f"{page:.1f} s")
        row.note = f"{spent * 1000:.0f} ms a form; then health {health:.2f} s, a page {page:.2f} s"
        for name in ("Cookie", "Accept", "Accept-Language", "Content-Type", "If-None-Match", "X-Forwarded-For"):
            value = piles(3000).encode().decode("latin1")
            begin = server.processor_seconds()
            answer = server.ask("GET", "/", {name: value}, source=row.work.address())
            row.expect(name, answer, 400, code="INVALID_HEADER")
            took = server.processor_seconds() - begin
            row.case(f"{name} costs little", took < 0.1 * row.work.slowness, f"{took:.2f} s")


@row(151, "texts beyond their limits")
def bounds(row):
    limits = {
        "petName": 100, "breed": 100, "description": 500, "near": 80, "reward": 120, "ownerName": 100,
        "ownerPhone": 100, "email": 254, "microchipNumber": 100, "species": 100, "sex": 100,
    }  # fmt: skip
    family = "👨‍👩‍👧‍👦"
    owner = row.create()
    for name, limit in limits.items():
        for what, text in {
            "marks": piles(5), "piles of marks": piles(4000), "joined marks": "a" + "\u0301\u200d" * 9,
            "bytes": family * (limit * 16 // 25 + 1), "characters": "a" * (limit + 1),
        }.items():  # fmt: skip
            answer = row.server.ask("POST", API, JSON, row.report(**{name: text}), row.work.address())
            row.expect(f"{name}: {what}", answer, 400, code="INVALID_FORMAT", field=name)
            change = json.dumps({name: text}).encode()
            answer = row.server.ask("PATCH", f"{API}/{owner[0]}", JSON | raw.basic(*owner), change, row.work.address())
            row.expect(f"{name}: {what}, PATCH", answer, 400, code="INVALID_FORMAT", field=name)
    for text in (family * 30, "क्षत्रिय ज्ञान", "נִקּוּד שָׁלוֹם", "ཧཱུྃ༔", "🏴󠁧󠁢󠁳󠁣󠁴󠁿👩🏽‍❤️‍💋‍👩🏿", piles(4)):
        row.create(petName=text, description=text, breed=text)
    with row.own_server("fields") as server:
        fields = {"date": "2026-11-01", "species": "dog", "gender": "male", "race": "x", "action": "next"}
        contact = {"name": "Ada", "phone": "600 100 200", "action": "next"}
        steps = [("description", fields, name) for name in ("petName", "race", "near", "description")]
        steps += [("contact", contact, name) for name in ("name", "phone", "reward")]
        for step, given, name in steps:
            body = encoded(given | {name: piles(5)})
            for language, words in {"en": "too many marks", "pl": "zbyt wiele znaków"}.items():
                page = see(row, server, f"/report/{step}", FORM | {"Accept-Language": language}, body)
                holds = f'id="{name}-error"'.encode() in page.body and words.encode() in page.body
                row.case(f"{name} on its page in {language}", holds, f"{page}")


def see(row, server, path, fields, body):
    """Posts a form as a browser does, and follows the redirect."""
    source = row.work.address()
    answer = load(server, "POST", path, fields, body, source)
    if answer.status != 303:
        return answer
    cookies = "; ".join(value.split(";")[0] for name, value in answer.fields if name == "set-cookie")
    fields = {name: value for name, value in fields.items() if name != "Content-Type"} | {"Cookie": cookies}
    return load(server, "GET", answer["location"], fields, source=source)


def load(server, method, path, fields, body=None, source="127.0.0.1"):
    """Returns a page, which may be an error page."""
    with raw.Connection(server.port, source, timeout=60) as connection:
        connection.send(raw.request(method, path, fields, body))
        return connection.read(method)


@row(153, "a client that exceeds its share of forms")
def share(row):
    with row.own_server("forms") as server:
        source, statuses, form = row.work.address(), [], FORM | {"Accept": "*/*"}
        with server.connect(source, timeout=30) as connection:
            # A busy machine takes so long that the share refills meanwhile.
            while len(statuses) < 3000 and 429 not in statuses[-1:]:
                connection.send(raw.request("POST", "/language", form, encoded({"language": "pl"})))
                statuses.append(connection.read("POST").status)
        row.case("some, then 429", set(statuses) == {303, 429} and statuses[:300] == [303] * 300, f"{set(statuses)}")
        # The server refuses before the body arrives, and long before it would parse it.
        with server.connect(source) as connection:
            connection.send(raw.head("POST", "/language", form | {"Content-Length": "200000"}))
            answer = connection.read("POST")
            row.expect("without its body", answer, 429)
            row.case("it has a Retry-After", answer and answer["retry-after"])
        row.expect("another client", server.ask("POST", "/language", form, b"language=pl", row.work.address()), 303)


@row(154, "255 half TLS handshakes, and the other protocol on each port", slow=True)
def half_handshakes(row):
    hello = bytes.fromhex("16030100c8010000c40303")
    with row.server.connect() as connection:
        connection.send(hello + bytes(32) + b"\0\0\x02\x13\x01" + bytes(200))
        found = [answer.status for answer in connection.answers()]
        row.case("a hello on the plain port", found in ([], [400]) and connection.closes(5), f"{found}")
    certificate, key = certificate_in(row.work.folder)
    with row.own_server("halves", "--tls-certificate", certificate, "--tls-key", key) as server:
        context = ssl.create_default_context(cafile=certificate)
        context.check_hostname = False
        with server.connect() as connection:
            connection.send(raw.request("GET", "/api/health"))
            row.case("plain HTTP is closed", connection.closes(40))
        source, begin = row.work.address(), time.monotonic()
        halves = [server.connect(source) for _ in range(255)]
        for number, connection in enumerate(halves):
            connection.send(hello + bytes(20) if number % 2 else b"")
        with server.connect(row.work.address(), tls=context) as connection:
            connection.send(raw.request("GET", "/api/health"))
            answer = connection.read()
            row.expect("an ordinary client beside them", answer, 200)
            row.case("it gets Strict-Transport-Security", answer["strict-transport-security"])
            row.case("they are open", server.sockets() > 250, f"{server.sockets()} sockets")
            row.case("they are closed", server.wait(lambda: server.sockets() < 30, 20), f"{server.sockets()} sockets")
            took = time.monotonic() - begin
            row.case("within 10 s or so", took < 13, f"{took:.0f} s")
            connection.send(raw.request("GET", "/api/health"))
            row.expect("an idle one that has shaken hands", connection.read(), 200)
        for connection in halves:
            connection.close()


@row(156, "the log lines of interrupted responses")
def cut_answers(row):
    with row.own_server("cut") as server:
        owner = row.create(server)
        large = max(
            (os.path.join(os.path.dirname(PHOTO), name) for name in os.listdir(os.path.dirname(PHOTO)) if name.endswith(".jpg")),
            key=os.path.getsize,
        )  # fmt: skip
        row.expect("a photo", row.upload(owner, server=server, path=large), 201)
        path = row.photo_of(owner, server)
        size = len(row.picture(owner, server))
        with server.connect(row.work.address(), receive_buffer=2048) as connection:
            connection.send(raw.request("GET", path) * 40)
            connection.fill()
            time.sleep(1)
            connection.reset()
        row.expect("a complete response", server.ask("GET", path), 200)
        for _ in range(5):
            with server.connect(row.work.address()) as connection:
                connection.send(row.opening(owner, 100_000) + raw.form(raw.part(b"x"))[:100])
                time.sleep(0.2)
                connection.reset()
        time.sleep(1)
        errors = [line for line in entries(server) if line.get("level") not in ("info", "notice")]
        row.case("a disconnected client isn't an error", not errors, errors)
        lines = [line for line in entries(server) if line.get("route", "").startswith("/images/")]
        whole = [line for line in lines if "cut" not in line]
        cut = [line for line in lines if line.get("cut") == "true"]
        row.case("complete ones log their size", whole and all(int(line["sent"]) == size for line in whole), whole)
        row.case("an interrupted one logs less", cut and all(int(line["sent"]) < size for line in cut), lines[-3:])
        row.note = f"{[int(line['sent']) for line in cut]} of {size} bytes"


LOGFMT = re.compile(r'([A-Za-z0-9_.-]+)=(?:"((?:[^"\\\x00-\x1f]|\\.)*)"|([^\s"=\\]+))(?: |$)')


def parsed(line):
    """Returns a log line's values by key, or None if it isn't logfmt."""
    values, place = {}, 0
    while place < len(line):
        found = LOGFMT.match(line, place)
        if not found:
            return None
        values[found[1]] = json.loads(f'"{found[2]}"') if found[2] is not None else found[3]
        place = found.end()
    return values


def entries(server):
    return [parsed(line) or {} for line in read(server.log).decode().splitlines()]


@row(157, "the log: every line can be parsed, without control characters and secrets")
def log_lines(row):
    private = {"ownerPhone": "+48 699 999 991", "ownerName": "Zenobia Secret", "email": "secret@pets.example"}
    with row.own_server("lines", "--verbose") as server:
        owner, ask = row.create(server, **private), server.ask
        row.expect("a photo", row.upload(owner, server=server), 201)
        row.expect("a position", ask("GET", f"{API}?lat=51.987654&lng=19.123456"), 200)
        for path in ("/%22%0d%0aFORGED%3d1", f"{API}?q=%1b%5b31m", "/announcements?q=a%22%20b%3dc", "/images/%e2%80%ae"):
            ask("GET", path, {"User-Agent": 'a" b=c\\', "Cookie": "draft=COOKIEVALUE"})
        ask("GET", "/images/\x7f\x1b[2J", {"Referer": "http://x/SECRETREFERER", "User-Agent": "\x1b[31mAGENT"})
        ask("FORGED", "/api/health")
        server.tell(b"\x1b[31mFORGED\r\n\r\n")
        ask("POST", API, JSON, b"{", row.work.address())
        body = raw.form(raw.part(b"no photo", b'name="photo"; filename="\x1b[31mFORGED NAME.jpg"'))
        row.expect("a hostile name", row.upload(owner, body, server=server), 415)
        row.expect("a wrong password", ask("DELETE", f"{API}/{owner[0]}", raw.basic(owner[0], "WRONGPASSWORD")), 403)
        fields = JSON | {"Idempotency-Key": "SECRETKEY-0123456789"}
        row.expect("a key", ask("POST", API, fields, row.report(), row.work.address()), 201)
        reason = 'spam" level=error\nFORGED=1 \x1b[31m\u202e\\end'
        found = server.petspot.run("announcements", "hide", owner[0], "--reason", reason)
        row.case("hidden", found.exit == 0, found)
        server.stop()
        text = read(server.log).decode()
    lines = text.splitlines()
    row.case("there is a log", any(" message=request " in line for line in lines), lines[:3])
    wrong = [line for line in lines if not {"time", "level", "message"} <= (parsed(line) or {}).keys()]
    row.case("each line of the server", not wrong, wrong[:3])
    told = [parsed(line) for line in found.errors.splitlines()]
    row.case("the operator's action is one line", len(told) == 1 and told[0], found.errors)
    row.case("with the reason as it was typed", told[0] and told[0].get("reason") == reason, found.errors)
    for what, said in {"server": text, "operator": found.errors}.items():
        control = re.findall("[\x00-\x09\x0b-\x1f\x7f\u202e]", said)
        row.case(f"no control characters of the {what}", not control, control[:5])
    for secret in (
        owner[1], raw.basic(*owner)["Authorization"].split()[1], "WRONGPASSWORD", "COOKIEVALUE", "51.987654", "19.123456",
        "SECRETKEY", "SECRETREFERER", "699 999 991", "Zenobia", "secret@pets",
    ):  # fmt: skip
        row.case(f"no {secret[:20]}", secret not in text)


@row(158, "X-Forwarded-For that ends with a comma")
def trailing_comma(row):
    with row.own_server("commas", "--trust-proxy", "127.0.0.1/32") as server:
        for what, ending in {"a comma": ",", "a comma and a space": ", ", "two": ",,", "a proxy before it": ", , 127.0.0.1"}.items():
            found = [
                server.ask("POST", API, JSON | {"X-Forwarded-For": f"192.0.2.{number}{ending}"}, b"{}").status
                for number in range(1, 80)
            ]
            row.case(f"{what}: all are one client", 429 in found, f"{found.count(400)} passed")
        answer = server.ask("POST", API, JSON | {"X-Forwarded-For": "192.0.2.1,, 198.51.100.7"}, b"{}")
        row.expect("the address that a proxy added counts", answer, 400)
