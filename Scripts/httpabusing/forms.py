"""Rows 39 to 47: multipart/form-data."""

import os
import time

import raw
from board import IMAGES
from rows import API, PHOTO, content, row


def jpeg():
    return content(PHOTO)


def send(row, owner, body, boundary=None, fields=None):
    return row.upload(owner, body, fields or raw.form_type(boundary or raw.BOUNDARY))


@row(39, "invalid boundaries")
def boundaries(row):
    owner, body = row.create(), raw.form(raw.part(jpeg()))
    plain = raw.BOUNDARY.decode()
    for what, value in {
        "none": "multipart/form-data", "empty": "multipart/form-data; boundary=",
        "empty quotes": 'multipart/form-data; boundary=""',
        "71 bytes": "multipart/form-data; boundary=" + "a" * 71, "illegal": 'multipart/form-data; boundary="a<b"',
        "twice": f"multipart/form-data; boundary={plain}; boundary={plain}",
        "open quote": f'multipart/form-data; boundary="{plain}',
        "a space at the end": 'multipart/form-data; boundary="a "', "no value": "multipart/form-data; boundary",
        "not ASCII": 'multipart/form-data; boundary="\xe9"', "CR escaped": 'multipart/form-data; boundary="a\\\tb"',
    }.items():  # fmt: skip
        row.expect(what, row.upload(owner, body, {"Content-Type": value}), 400, code="INVALID_MULTIPART")
    for value in ("multipart/mixed; boundary=" + plain, "multipart/form-datax; boundary=" + plain, "text/plain", ""):
        row.expect(value or "empty type", row.upload(owner, body, {"Content-Type": value}), 415)
    row.case("no photo is shown", row.photo_of(owner) is None)


@row(40, "boundaries with unusual characters")
def odd_boundaries(row):
    owner = row.borrow()
    for text in ("'()+_,-./:=?", "a b", "--", "x" * 70, "-", "----"):
        body = raw.form(raw.part(jpeg()), boundary=text.encode())
        row.expect(
            f"quoted {text[:15]}",
            row.upload(owner, body, {"Content-Type": f'multipart/form-data; boundary="{text}"'}),
            201,
        )
    value = f"Multipart/Form-Data ; charset=utf-8;\tBOUNDARY={raw.BOUNDARY.decode()};"
    row.expect("in capitals, with others", row.upload(owner, raw.form(raw.part(jpeg())), {"Content-Type": value}), 201)


@row(41, "10 MB before and after the form")
def surroundings(row):
    owner, part, before = row.borrow(), raw.part(jpeg()), row.server.processor_seconds()
    bodies = {
        "10 MB before": raw.form(part, preamble=b"a" * 10_000_000 + b"\r\n"),
        "10 MB of line ends before": raw.form(part, preamble=b"\r\n" * 5_000_000),
        "10 MB after": raw.form(part, epilogue=b"\r\n" + b"a" * 10_000_000),
        "10 MB of line ends after": raw.form(part, epilogue=b"\r\n" * 5_000_000),
        "10 MB of almost boundaries": raw.form(part, preamble=(b"--" + raw.BOUNDARY[:-1] + b"\r\n") * 250_000),
    }
    # The server drops a client that keeps sending only after some seconds.
    for what in ["10 MB after"] if row.work.quick else bodies:
        row.expect(what, send(row, owner, bodies[what]), 400, code="INVALID_MULTIPART")
    row.expect(
        "1 KB before, 60 KB after",
        send(row, owner, raw.form(part, preamble=b"a" * 1000 + b"\r\n", epilogue=b"\r\n" + b"a" * 60_000)),
        201,
    )
    spent = row.server.processor_seconds() - before
    row.case("it costs little", spent < 3 * row.work.slowness, f"{spent:.1f} s of CPU")


@row(42, "too many parts and headers")
def floods(row):
    owner = row.borrow()
    field = raw.part(b"x", b'name="a"', ())
    for what, body in {
        "10,000 parts": raw.form(*[field] * 10_000),
        "21 parts": raw.form(*[field] * 20, raw.part(jpeg())),
        "1,000 headers": raw.form(raw.part(jpeg(), fields=[b"X-%d: x" % number for number in range(1000)])),
        "a header of 9 KB": raw.form(raw.part(jpeg(), fields=[b"X: " + b"x" * 9000])),
        "a header without end": raw.form(b"Content-Disposition: form-data; name=" + b"x" * 1_000_000),
        "no disposition": raw.form(b"Content-Type: image/jpeg\r\n\r\n" + jpeg()),
        "no empty line": raw.form(b'Content-Disposition: form-data; name="photo"'),
        "folded": raw.form(raw.part(jpeg(), fields=[b"X: a\r\n b"])),
        "two dispositions": raw.form(raw.part(jpeg(), fields=[b'Content-Disposition: form-data; name="b"'])),
        "a disposition of another kind": raw.form(
            b'Content-Disposition: attachment; name="photo"; filename="a"\r\n\r\nx'
        ),
        "two names": raw.form(raw.part(jpeg(), b'name="photo"; name="photo"; filename="a"')),
        "no name": raw.form(raw.part(jpeg(), b'filename="a.jpg"')),
    }.items():
        row.expect(what, send(row, owner, body), 400, code="INVALID_MULTIPART")
    row.expect("19 fields and the photo", send(row, owner, raw.form(*[field] * 19, raw.part(jpeg()))), 201)


@row(43, "content that looks like boundaries")
def lookalikes(row):
    owner, before = row.borrow(), row.server.processor_seconds()
    begin, size = b"\r\n--" + raw.BOUNDARY[:-1], (2 if row.work.quick else 20) << 20
    row.expect(
        "20 MiB of them",
        send(row, owner, raw.form(raw.part(begin * (size // len(begin))))),
        415,
        code="INVALID_PHOTO",
    )
    row.expect("20 MiB of CR", send(row, owner, raw.form(raw.part(b"\r" * size))), 415)
    spent = row.server.processor_seconds() - before
    row.case("it costs little", spent < 2 * row.work.slowness, f"{spent:.1f} s of CPU for 40 MiB")
    # Data after the end of a picture isn't stored, but is part of the content.
    for what, tail in {
        "CR": b"\r",
        "CR LF": b"\r\n",
        "almost": begin,
        "CR CR LF": b"\r\r\n-",
        "boundary inside a line": b"--" + raw.BOUNDARY,
    }.items():
        body = raw.form(raw.part(jpeg() + tail))
        row.expect(f"{what} at the end", send(row, owner, body), 201)
        answer = send(row, owner, raw.form(raw.part(tail + b"\n" + jpeg())))
        row.expect(f"{what} at the beginning", answer, 415, code="INVALID_PHOTO")
    row.note = f"{spent:.1f} s of CPU for 40 MiB"


@row(44, "a form cut at every position")
def pieces(row):
    owner, body = row.borrow(), raw.form(raw.part(content(os.path.join(IMAGES, "color-key.png"))))
    opening = row.opening(owner, len(body))
    near = [at for at in range(len(body)) if at < 150 or at > len(body) - 60]
    chosen = near if not row.work.quick else row.work.dice.sample(near, 6)
    pictures = set()
    for at in chosen:
        with row.server.connect(row.work.address(), timeout=30) as connection:
            connection.send(opening + body[:at])
            time.sleep(0.002)
            connection.send(body[at:])
            answer = connection.read()
            row.expect(f"cut at {at}", answer, 201)
        pictures.add(row.picture(owner))
    fields = raw.basic(*owner) | raw.form_type() | {"Transfer-Encoding": "chunked"}
    for size in (1, 2, 3, 7, 64):
        with row.server.connect(row.work.address(), timeout=30) as connection:
            connection.send(raw.head("POST", f"{API}/{owner[0]}/photos", fields) + raw.chunks(body, size))
            row.expect(f"chunks of {size}", connection.read(), 201)
        pictures.add(row.picture(owner))
    row.case("all give the same picture", len(pictures) == 1 and None not in pictures, f"{len(pictures)} pictures")


@row(45, "forms without an end")
def unfinished(row):
    owner, body = row.create(), raw.form(raw.part(jpeg()))
    full = len(body)
    for what, cut in {
        "no last line end": 2,
        "one dash": 3,
        "no dashes": 4,
        "half a boundary": 20,
        "no boundary": 44,
        "half": full // 2,
        "all": full,
    }.items():
        statuses = (201,) if what == "no last line end" else (400,)
        code = None if what == "no last line end" else "INVALID_MULTIPART"
        row.expect(what, send(row, owner, body[: full - cut]), *statuses, code=code)
        if what == "no last line end":
            owner = row.create()
    row.case("nothing is kept", row.photo_of(owner) is None and not row.server.nameless())


@row(46, "nested and encoded parts")
def nested(row):
    owner = row.borrow()
    inner = raw.form(raw.part(jpeg(), b'filename="a.jpg"'), boundary=b"inner")
    parts = {
        "multipart/mixed": raw.part(inner, b'name="photo"', (b"Content-Type: multipart/mixed; boundary=inner",)),
        "base64": raw.part(b"aGFsbG8=", fields=(b"Content-Transfer-Encoding: base64",)),
        "quoted-printable": raw.part(jpeg(), fields=(b"Content-Transfer-Encoding: quoted-printable",)),
    }
    for what, part in parts.items():
        row.expect(what, send(row, owner, raw.form(part)), 400, code="INVALID_MULTIPART")
    row.expect(
        "binary", send(row, owner, raw.form(raw.part(jpeg(), fields=(b"Content-Transfer-Encoding: binary",)))), 201
    )


@row(47, "forms without the photo")
def missing(row):
    owner = row.create()
    for what, parts in {
        "no part": [], "another field": [raw.part(b"x", b'name="a"', ())], "Photo": [raw.part(jpeg(),
        b'name="Photo"; filename="a"')],
        "photo[]": [raw.part(jpeg(), b'name="photo[]"; filename="a"')],
        "no file chosen": [raw.part(b"", b'name="photo"; filename=""')], "two": [raw.part(jpeg()), raw.part(jpeg())],
        "no bytes": [raw.part(b"", b'name="photo"')],
        "two without names": [raw.part(jpeg(), b'name="photo"'), raw.part(jpeg(), b'name="photo"')],
    }.items():  # fmt: skip
        answer = send(row, owner, raw.form(*parts))
        row.expect(what, answer, 400, code="MISSING_FILE")
    answer = send(row, owner, raw.form(raw.part(b"")))
    row.expect("zero bytes", answer, 422, code="INVALID_PHOTO")
    row.case("its reason", answer.error.get("reason") == "empty", f"{answer.error}")
    row.case("nothing is kept", row.photo_of(owner) is None)
