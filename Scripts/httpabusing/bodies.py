"""Rows 17 to 20, 33, 36 and 37: bodies that are too long, encoded, or not valid JSON."""

import base64
import time

import raw
from pictures import png
from rows import API, JSON, row

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


@row(36, "invalid JSON")
def no_json(row):
    """Sends one text of each kind. `StrictJSONTests`, `FieldReaderTests` and `Base64DecoderTests` have all of them."""
    body = row.report()
    for what, text in {
        "empty": b"", "an array": b"[]", "two": b"{}{}", "cut": b'{"age":5', "NaN": b'{"age":NaN}',
        "bad UTF-8": b'{"species":"\xff"}', "UTF-16": '{"species":"dog"}'.encode("utf-16"),
        "equal keys": body.replace(b'"latitude"', b'"latitude":1,"latitude"', 1),
        "100,000 deep": b"[" * 100_000, "objects 15,000 deep": b'{"a":' * 15_000 + b"1" + b"}" * 15_000,
    }.items():  # fmt: skip
        for path in (API, BASE64):
            row.expect(f"{what}, {path}", post(row, text, path), 400, code="INVALID_JSON")
    for key in ("surplus", "Species", "__proto__", "managementPassword", "id", "photo"):
        row.expect(f"unknown {key}", post(row, row.report(**{key: "x"})), 400, code="INVALID_FIELD", field=key)
    for what, changes in {
        "5.5": {"age": 5.5}, "zero": {"age": 0}, "a day": {"dateOfDisappearance": "2026-02-30"},
        "latitude": {"location": {"latitude": 91, "longitude": 0}}, "half a place": {"location": {"latitude": 1}},
        "NUL inside": {"petName": "a\0b"}, "absent": {"ownerPhone": None}, "blank": {"ownerName": " \u2003 "},
    }.items():  # fmt: skip
        row.expect(f"a field is {what}", post(row, row.report(**changes)), 400)
    row.expect("no photo", post(row, body, BASE64), 400, code="MISSING_VALUE", field="photo")
    answer = post(row, row.report(photo="-_-_"), BASE64)
    row.expect("a photo in URL base64", answer, 400, code="INVALID_FORMAT", field="photo")


@row(37, "JSON of another type")
def other_types(row):
    def ask(fields):
        return row.server.ask("POST", API, fields, row.report(), row.work.address())

    for name in ("text/plain", "application/jsonp", "application/x-www-form-urlencoded", "", "json"):
        row.expect(name or "empty", ask({"Content-Type": name}), 415, code="UNSUPPORTED_MEDIA_TYPE")
    row.expect("none", ask({}), 415)
    row.expect("with a character set", ask({"Content-Type": 'Application/JSON; charset="utf-8"'}), 201)
