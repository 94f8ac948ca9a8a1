"""Rows 17 to 20 and 33 to 38: bodies that are too long, encoded, or not valid JSON."""

import base64
import json
import os
import subprocess
import time

import raw
from pictures import png
from rows import API, JSON, PHOTO, Skip, content, row

LIMIT = 20 << 20  # bytes of a photo
BASE64 = "/api/announcements"


@row(17, "endless chunks beyond the limit")
def endless(row):
    owner = row.borrow()
    form = raw.basic(*owner) | raw.form_type()
    start = raw.form(raw.part(b"\xff\xd8"))[: -len(raw.BOUNDARY) - 8]
    targets = {
        "JSON": (API, JSON, b"{", 100 << 10),
        "a form": (f"{API}/{owner[0]}/photos", form, start, LIMIT),
        "base64": (BASE64, JSON, b'{"photo":"', LIMIT // 3 * 4 + (100 << 10)),
    }
    for what in ["JSON"] if row.work.quick else targets:
        path, fields, opening, limit = targets[what]
        beyond, piece = limit - len(opening) + (512 << 10), b"%x\r\n%b\r\n" % (1 << 16, b"A" * (1 << 16))
        # A client that sends everything before it reads.
        with row.server.connect(row.work.address(), timeout=60) as connection:
            connection.send(raw.head("POST", path, fields | {"Transfer-Encoding": "chunked"}))
            connection.send(raw.chunks(opening)[:-5], *[piece] * (beyond >> 16))
            row.expect(f"{what}, read after sending", connection.read(), 413, code="PAYLOAD_TOO_LARGE")
        # A client that never stops sending. The kernel's buffers take some extra megabytes.
        with row.server.connect(row.work.address(), timeout=60) as connection:
            connection.send(raw.head("POST", path, fields | {"Transfer-Encoding": "chunked"}))
            connection.send(raw.chunks(opening)[:-5])
            taken, begin = 0, time.monotonic()
            while taken < limit + (64 << 20) and time.monotonic() - begin < 60 and connection.send(piece):
                taken += len(piece)
            row.case(f"{what}, endless", taken < limit + (12 << 20), f"{(taken - limit) >> 20} MiB beyond it")
    row.case("nothing is kept", row.server.wait(lambda: not row.server.nameless(), 10))


@row(18, "a length beyond the limit with Expect")
def announced(row):
    owner = row.borrow()
    for what, path, fields, size in (
        ("a form", f"{API}/{owner[0]}/photos", raw.basic(*owner) | raw.form_type(), LIMIT + (1 << 20)),
        ("JSON", API, JSON, (100 << 10) + 1),
        ("base64", BASE64, JSON, 30 << 20),
    ):
        opening = raw.head("POST", path, fields | {"Content-Length": size, "Expect": "100-continue"})
        with row.server.connect(row.work.address()) as connection:
            connection.send(opening)
            answer = connection.read()
            row.expect(what, answer, 413, code="PAYLOAD_TOO_LARGE")
            row.case(f"{what}: no 100", answer and 100 not in answer.interim)
    answer = row.server.ask("POST", API, JSON, bytes((100 << 10) + 1))
    row.expect("JSON sent whole", answer, 413)


@row(19, "Expect: 100-continue")
def continuing(row):
    owner, body = row.borrow(), raw.form(raw.part(png(row.work.dice, 1000)))
    with row.server.connect(row.work.address()) as connection:
        begin = time.monotonic()
        connection.send(row.opening(owner, len(body), Expect="100-continue"))
        while not connection.received.startswith(b"HTTP/1.1 100 ") and connection.fill():
            pass
        took = time.monotonic() - begin
        row.case("100 comes at once", took < 0.8, f"after {took:.2f} s")
        connection.send(body)
        row.expect("3 MB after it", connection.read(), 201)
    with row.server.connect(row.work.address()) as connection:
        connection.send(row.opening((owner[0], "wrong"), len(body), Expect="100-continue"))
        answer = connection.read()
        row.expect("a wrong password before the body", answer, 403)
        row.case("no 100 then", not answer.interim)
    path = os.path.join(row.work.folder, "expected.png")
    with open(path, "wb") as file:
        file.write(png(row.work.dice, 1000))
    times = {
        name: curl(row, owner, path, header) for name, header in (("none", "Expect:"), ("it", "Expect: 100-continue"))
    }
    # Without a 100 response curl waits for a whole second.
    row.case("curl does not wait", times["it"] - times["none"] < 0.8, f"{times}")
    row.note = f"curl {times['none']:.2f} s without it, {times['it']:.2f} s with it"


def curl(row, owner, path, header):
    url = f"http://127.0.0.1:{row.server.port}{API}/{owner[0]}/photos"
    command = ["curl", "-s", "-o", os.devnull, "-w", "%{http_code} %{time_total}", "-H", header, "-u", ":".join(owner)]
    try:
        done = subprocess.run([*command, "-F", f"photo=@{path}", url], capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        raise Skip("curl is not installed") from None
    status, seconds = done.stdout.split()
    row.case(f"curl with {header}", status == "201", status)
    return float(seconds)


@row(20, "other expectations, encoded bodies")
def encoded(row):
    owner = row.borrow()
    row.expect("Expect: x", row.server.ask("POST", API, JSON | {"Expect": "x"}, row.report()), 417)
    row.expect("Expect on a GET", row.server.ask("GET", API, {"Expect": "200-ok"}), 417)
    for coding in ("gzip", "br", "gzip, gzip", "x"):
        answer = row.server.ask("POST", API, JSON | {"Content-Encoding": coding}, b"\x1f\x8b\x08" + bytes(50))
        row.expect(f"JSON in {coding}", answer, 415, code="UNSUPPORTED_MEDIA_TYPE")
    fields = raw.basic(*owner) | raw.form_type() | {"Content-Encoding": "gzip"}
    row.expect("a form in gzip", row.server.ask("POST", f"{API}/{owner[0]}/photos", fields, b"\x1f\x8b"), 415)


def post(row, body, path=API, **fields):
    return row.server.ask("POST", path, JSON | fields, body, row.work.address(), timeout=60)


@row(33, "JSON beyond its limit")
def long_json(row):
    row.expect("100 KiB and one", post(row, row.report(description="a" * (100 << 10))), 413, code="PAYLOAD_TOO_LARGE")
    padded = row.report(species="?") + b" " * (100 << 10)
    row.expect("exactly 100 KiB with white space", post(row, padded[: 100 << 10]), 400, code="INVALID_FORMAT")
    answer = post(row, b'{"photo":"' + b"A" * (30 << 20) + b'"}', BASE64)
    row.expect("base64 of 30 MiB", answer, 413, code="PAYLOAD_TOO_LARGE")
    photo = base64.b64encode(bytes(LIMIT + 1)).decode()
    row.expect("a photo of 20 MiB and one in base64", post(row, row.report(photo=photo), BASE64), 413)


@row(34, "deeply nested JSON")
def deep_json(row):
    for what, body, path in (
        ("100,000 deep", b"[" * 100_000, API),
        ("objects", b'{"a":' * 15_000 + b"1" + b"}" * 15_000, API),
        ("1 MB of [", b"[" * 1_000_000, BASE64),
        ("33 deep", b'{"a":' * 33 + b"1" + b"}" * 33, API),
        ("deep in a field", row.report(location="@").replace(b'"@"', b"[" * 50 + b"]" * 50), API),
    ):
        row.expect(what, post(row, body, path), 400, code="INVALID_JSON")
    row.expect("10 deep", post(row, b'{"a":' * 10 + b"1" + b"}" * 10), 400, field="ownerName")


@row(35, "JSON with extra or repeated keys")
def surplus_json(row):
    body = row.report()
    twice = body.replace(b'{"species"', b'{"species":"cat","species"', 1)
    row.expect("equal keys", post(row, twice), 400, code="INVALID_JSON", field="species")
    escaped = body.replace(b'{"species"', b'{"\\u0073pecies":"cat","species"', 1)
    row.expect("equal keys, one escaped", post(row, escaped), 400, code="INVALID_JSON")
    inner = body.replace(b'"latitude"', b'"latitude":1,"latitude"', 1)
    row.expect("equal keys inside", post(row, inner), 400, code="INVALID_JSON")
    row.expect("a comma at the end", post(row, body[:-1] + b",}"), 400, code="INVALID_JSON")
    row.expect("two commas", post(row, body.replace(b",", b",,", 1)), 400, code="INVALID_JSON")
    for key in ("surplus", "Species", "__proto__", "managementPassword", "id", "photo"):
        row.expect(f"unknown {key}", post(row, row.report(**{key: "x"})), 400, code="INVALID_FIELD", field=key)
    row.expect("unknown inside", post(row, body.replace(b'"latitude"', b'"x":1,"latitude"')), 400, code="INVALID_FIELD")


@row(36, "invalid JSON")
def no_json(row):
    for what, body in {
        "empty": b"", "white space": b" \n", "null": b"null", "an array": b"[]", "a text": b'"5"', "a number": b"5",
        "single quotes": b"{'species':'dog'}", "a comment": b"{}//", "two": b"{}{}",
        "bad UTF-8": b'{"species":"\xff"}',
        "overlong UTF-8": b'{"species":"\xc0\xae"}', "half a pair": b'{"species":"\\ud800"}',
        "a BOM": b"\xef\xbb\xbf{}",
        "UTF-16": '{"species":"dog"}'.encode("utf-16"), "NUL": b"{}\0", "a tab in a text": b'{"species":"a\tb"}',
        "NaN": b'{"age":NaN}', "Infinity": b'{"age":-Infinity}', "a leading zero": b'{"age":05}', "+": b'{"age":+5}',
        "a point": b'{"age":5.}', "hexadecimal": b'{"age":0x5}', "True": b'{"age":True}', "cut": b'{"age":5',
        "a bad escape": b'{"species":"\\x41"}', "a raw line end": b'{"species":"a\nb"}',
    }.items():  # fmt: skip
        row.expect(what, post(row, body), 400, code="INVALID_JSON")
    for what, changes in {
        "1e999": {"age": "@1e999"}, "a text": {"age": "5"}, "5.5": {"age": 5.5}, "true": {"age": True},
        "a list": {"age": [5]},
        "NUL inside": {"petName": "a\0b"}, "a surrogate inside": {"ownerName": "@\"\\udc00\""}, "zero": {"age": 0},
        "an object": {"species": {}}, "a number": {"ownerName": 5}, "a day": {"dateOfDisappearance": "2026-02-30"},
        "latitude": {"location": {"latitude": 91, "longitude": 0}}, "half a place": {"location": {"latitude": 1}},
    }.items():  # fmt: skip
        body = row.report(**changes).decode()
        bare = json.dumps(next(iter(changes.values())))
        if '"@' in bare:
            body = body.replace(bare, json.loads(bare)[1:])
        row.expect(f"a field is {what}", post(row, body.encode()), 400)
    row.expect("blank", post(row, row.report(ownerName=" \u2003 ")), 400, code="MISSING_VALUE", field="ownerName")
    row.expect("absent", post(row, row.report(ownerPhone=None)), 400, code="MISSING_VALUE", field="ownerPhone")


@row(37, "JSON of another type")
def other_types(row):
    for name in (
        "text/plain",
        "application/jsonp",
        "application/x-www-form-urlencoded",
        "",
        "json",
        "application/json2",
    ):
        answer = row.server.ask("POST", API, {"Content-Type": name}, row.report(), row.work.address())
        row.expect(name or "empty", answer, 415, code="UNSUPPORTED_MEDIA_TYPE")
    row.expect("none", row.server.ask("POST", API, {}, row.report(), row.work.address()), 415)
    fields = {"Content-Type": 'Application/JSON; charset="utf-8"'}
    row.expect("with a character set", row.server.ask("POST", API, fields, row.report(), row.work.address()), 201)


@row(38, "photos in base64")
def base64_photos(row):
    text = base64.b64encode(content(PHOTO)).decode()
    row.expect("standard", post(row, row.report(photo=text), BASE64), 201)
    shapes = {
        "lines": "\n".join([text[:76], text[76:]]),
        "address": "data:image/jpeg;base64," + text,
        "space": " " + text,
    }
    shapes |= {"bits after the end": "QR==", "too much padding": text + "====", "one letter": "A", "no padding": "QQ"}
    shapes |= {"URL alphabet": "-_-_", "padding inside": "QQ==QQ=="}
    for what, photo in shapes.items():
        row.expect(what, post(row, row.report(photo=photo), BASE64), 400, code="INVALID_FORMAT", field="photo")
    row.expect("empty", post(row, row.report(photo=""), BASE64), 400, 422)
    row.expect(
        "no photo", post(row, row.report(photo=base64.b64encode(b"text").decode()), BASE64), 415, code="INVALID_PHOTO"
    )
    row.expect("missing", post(row, row.report(), BASE64), 400, code="MISSING_VALUE", field="photo")
