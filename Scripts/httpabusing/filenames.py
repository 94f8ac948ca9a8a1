"""Rows 48 and 49: false file names and media types."""

import os

import raw
from board import IMAGES
from forms import jpeg, send
from pictures import png
from rows import row


NAMES = [
    b'"../../etc/passwd"', b'"/etc/passwd"', b'"..\\\\..\\\\x.jpg"',
    b'"a\\"b.jpg"', b'"%22.jpg"', b'"%00.jpg"', b'"<script>.jpg"',
    b'"a;b.jpg"', b'"a=b.jpg"', b'"."', b'".."', b'"/"', b'"C:\\\\a.jpg"', b'"con"', b'"\xff\xfe.jpg"',
    "\"\u202egpj.exe\"".encode(),
    "\"\U0001f415.jpg\"".encode(), b'"' + b"a" * 4000 + b'.jpg"', b'" a.jpg "', b'"\x1b[31m.jpg"', b'"\x7f.jpg"',
    b"plain.jpg", b"my pet.jpg", b'"a"b.jpg"', b'"5" frame.jpg"', b'"a"; b.jpg"', b'"a', b'"a\\"', b"", b'""',
    b'a.jpg; filename=b.jpg', b'""; filename*=UTF-8\'\'%C5%82apa.jpg', "łapa.jpg".encode(),
    b'"a.jpg"; filename*=UTF-8\'\'..%2f..%2fetc', b'"--help"', b'"$(id).jpg"', b'"a\tb.jpg"',
]  # fmt: skip


# Replacements for `; filename=`.
NAMELESS = [b"", b";", b"; filename", b"; filename*=UTF-8''%C5%82apa.jpg", b"; filename*=UTF-8''%zz", b"; x y z"]


@row(48, "names of files, hostile, broken and absent")
def hostile_names(row):
    owner = row.borrow()
    before = set(everything(row.server.petspot.cache))
    for name in [b"; filename=" + name for name in NAMES] + NAMELESS:
        answer = send(row, owner, raw.form(raw.part(jpeg(), b'name="photo"' + name)))
        if row.expect(name[:40].decode("latin1"), answer, 201):
            row.case("it isn't echoed as markup", b"\x1b" not in answer.body and b"<script" not in answer.body)
    for what, name in {"64 KB": b'"' + b"a" * 65_536 + b'"', "NUL": b'"a\0b.jpg"', "CR": b'"a\rb.jpg"'}.items():
        row.expect(what, send(row, owner, raw.form(raw.part(jpeg(), b'name="photo"; filename=' + name))), 400)
    new = {
        path
        for path in set(everything(row.server.petspot.cache)) - before
        if not path.startswith(("blobs/", "previews/"))
    }
    row.case("no name becomes a path", all(path.startswith(("database/", "crashes/", "newest/")) for path in new), f"{new}")


def everything(folder):
    for place, _, names in os.walk(folder):
        for name in names:
            yield os.path.relpath(os.path.join(place, name), folder)


@row(49, "false media types")
def lying_types(row):
    owner = row.borrow()
    for name in (b"text/html", b"image/png", b"application/x-php", b"", b"x"):
        row.expect(
            f"JPEG as {name.decode()}",
            send(row, owner, raw.form(raw.part(jpeg(), fields=(b"Content-Type: " + name,)))),
            201,
        )
    shown = row.server.ask("GET", row.photo_of(owner))
    row.case(
        "it is served with its real type",
        shown["content-type"] == "image/jpeg" and shown["x-content-type-options"] == "nosniff",
    )
    for file in ("foreign.html", "foreign.svg", "foreign.tiff", "foreign.zip"):
        answer = row.upload(owner, path=os.path.join(IMAGES, file))
        row.expect(f"{file} as JPEG", answer, 415, code="INVALID_PHOTO")
        row.case("its reason", answer.error.get("reason") == "unsupported-format", f"{answer.error}")
    row.expect("a small PNG", send(row, owner, raw.form(raw.part(png(row.work.dice)))), 201)
