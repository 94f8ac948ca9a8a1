"""Rows 39, 43, 44, 48 and 49: multipart/form-data, file names and media types."""

import os
import time

import raw
from board import IMAGES
from pictures import png
from rows import API, PHOTO, content, row


def jpeg():
    return content(PHOTO)


def send(row, owner, body, boundary=None):
    return row.upload(owner, body, raw.form_type(boundary or raw.BOUNDARY))


@row(39, "malformed forms")
def malformed(row):
    """Sends one form of each kind. `MultipartParserTests` and `PartHeaderTests` have all of them."""
    owner, body = row.create(), raw.form(raw.part(jpeg()))
    field, inner = raw.part(b"x", b'name="a"', ()), raw.form(raw.part(jpeg(), b'filename="a.jpg"'), boundary=b"inner")
    for end in ("", "; boundary=" + "a" * 71, '; boundary="\xe9"'):
        value = "multipart/form-data" + end
        row.expect(value, row.upload(owner, body, {"Content-Type": value}), 400, code="INVALID_MULTIPART")
    for value in ("multipart/mixed; boundary=" + raw.BOUNDARY.decode(), "text/plain", ""):
        row.expect(value or "empty type", row.upload(owner, body, {"Content-Type": value}), 415)
    for what, form in {
        "10 MB after": raw.form(raw.part(jpeg()), epilogue=b"\r\n" + b"a" * 10_000_000),
        "10 MB of almost boundaries": raw.form(field, preamble=(b"--" + raw.BOUNDARY[:-1] + b"\r\n") * 250_000),
        "10,000 parts": raw.form(*[field] * 10_000),
        "a header of 9 KB": raw.form(raw.part(jpeg(), fields=[b"X: " + b"x" * 9000])),
        "no disposition": raw.form(b"Content-Type: image/jpeg\r\n\r\n" + jpeg()),
        "folded": raw.form(raw.part(jpeg(), fields=[b"X: a\r\n b"])),
        "no boundary": body[:-44], "half": body[: len(body) // 2], "empty": b"",
        "base64": raw.form(raw.part(b"aGFsbG8=", fields=(b"Content-Transfer-Encoding: base64",))),
        "nested": raw.form(raw.part(inner, b'name="photo"', (b"Content-Type: multipart/mixed; boundary=inner",))),
        "NUL in a name": raw.form(raw.part(jpeg(), b'name="photo"; filename="a\0b.jpg"')),
    }.items():  # fmt: skip
        row.expect(what, send(row, owner, form), 400, code="INVALID_MULTIPART")
    for what, parts in {
        "no part": [], "another field": [field], "photo[]": [raw.part(jpeg(), b'name="photo[]"; filename="a"')],
        "no file chosen": [raw.part(b"", b'name="photo"; filename=""')],
        "two without names": [raw.part(jpeg(), b'name="photo"')] * 2,
    }.items():  # fmt: skip
        row.expect(what, send(row, owner, raw.form(*parts)), 400, code="MISSING_FILE")
    answer = send(row, owner, raw.form(raw.part(b"")))
    row.expect("zero bytes", answer, 422, code="INVALID_PHOTO")
    row.case("its reason", answer.error.get("reason") == "empty", f"{answer.error}")
    row.case("nothing is kept", row.photo_of(owner) is None and not row.server.nameless())
    for boundary in (b"'()+_,-./:=?", b"a b", b"--"):
        answer = row.upload(owner, raw.form(*[field] * 19, raw.part(jpeg()), boundary=boundary),
            {"Content-Type": f'Multipart/Form-Data ; charset=utf-8;\tBOUNDARY="{boundary.decode()}";'})  # fmt: skip
        row.expect(f"a boundary {boundary.decode()}, 20 parts", answer, 201)


@row(43, "content that looks like boundaries")
def lookalikes(row):
    owner, before = row.borrow(), row.server.processor_seconds()
    begin, size = b"\r\n--" + raw.BOUNDARY[:-1], (2 if row.work.quick else 20) << 20
    for what, text in {"of them": begin * (size // len(begin)), "of CR": b"\r" * size}.items():
        row.expect(f"20 MiB {what}", send(row, owner, raw.form(raw.part(text))), 415, code="INVALID_PHOTO")
    spent = row.server.processor_seconds() - before
    row.case("it costs little", spent < 2 * row.work.slowness, f"{spent:.1f} s of CPU for 40 MiB")
    row.note = f"{spent:.1f} s of CPU for 40 MiB"


@row(44, "a form in pieces")
def pieces(row):
    owner, body = row.borrow(), raw.form(raw.part(content(os.path.join(IMAGES, "color-key.png"))))
    opening, pictures = row.opening(owner, len(body)), set()
    for at in row.work.dice.sample([*range(150), *range(len(body) - 60, len(body))], 6):
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


@row(48, "hostile file names")
def hostile_names(row):
    """Sends some names. `PartHeaderTests` and `AnnouncementsOverHTTPTests` have those that only look odd."""
    owner, before = row.borrow(), set(everything(row.server.petspot.cache))
    for name in (
        b'"../../etc/passwd"', b'"/etc/passwd"', b'"..\\\\..\\\\x.jpg"', b'"C:\\\\a.jpg"', b'"%00.jpg"',
        b'".."', b'"/"', b'"con"', b'"<script>.jpg"', b'"\xff\xfe.jpg"', b'"\x1b[31m.jpg"', b'"\x7f.jpg"',
        b'"--help"', "\"\u202egpj.exe\"".encode(), b'"' + b"a" * 4000 + b'.jpg"', b'"$(id).jpg"',
        b'"a.jpg"; filename*=UTF-8\'\'..%2f..%2fetc',
    ):  # fmt: skip
        answer = send(row, owner, raw.form(raw.part(jpeg(), b'name="photo"; filename=' + name)))
        if row.expect(name[:40].decode("latin1"), answer, 201):
            row.case("it isn't echoed as markup", b"\x1b" not in answer.body and b"<script" not in answer.body)
    own = ("blobs/", "previews/", "database/", "crashes/", "newest/")
    new = [path for path in set(everything(row.server.petspot.cache)) - before if not path.startswith(own)]
    row.case("no name becomes a path", not new, new)


def everything(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            yield os.path.relpath(os.path.join(place, name), folder)


@row(49, "false media types")
def lying_types(row):
    owner = row.borrow()
    for name in (b"text/html", b"image/png", b"application/x-php", b"", b"x"):
        body = raw.form(raw.part(jpeg(), fields=(b"Content-Type: " + name,)))
        row.expect(f"JPEG as {name.decode()}", send(row, owner, body), 201)
    shown = row.server.ask("GET", row.photo_of(owner))
    told = shown["content-type"], shown["x-content-type-options"]
    row.case("it is served with its real type", told == ("image/jpeg", "nosniff"), told)
    for file in ("foreign.html", "foreign.svg", "foreign.tiff", "foreign.zip"):
        answer = row.upload(owner, path=os.path.join(IMAGES, file))
        row.expect(f"{file} as JPEG", answer, 415, code="INVALID_PHOTO")
        row.case("its reason", answer.error.get("reason") == "unsupported-format", f"{answer.error}")
    row.expect("a small PNG", send(row, owner, raw.form(raw.part(png(row.work.dice)))), 201)
