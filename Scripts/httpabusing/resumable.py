"""Row 70: uploads with tus 1.0.0."""

import base64
import time

import raw
from rows import API, PHOTO, content, row

TUS = {"Tus-Resumable": "1.0.0"}
BYTES = {"Content-Type": "application/offset+octet-stream"}


class Upload:
    """An upload in progress."""

    def __init__(self, row, owner, length, source=None, **fields):
        self.row, self.owner, self.source = row, owner, source or row.work.address()
        self.fields = raw.basic(*owner) | TUS
        name = base64.b64encode(b"a.jpg").decode()
        created = self.fields | {"Upload-Length": length, "Upload-Metadata": f"filename {name}"} | fields
        self.answer = self.ask("POST", f"{API}/{owner[0]}/uploads", created, b"")
        location = self.answer and self.answer["location"]
        self.path = "/" + location.split("/", 3)[3] if location else None

    def ask(self, method, path, fields, body=None):
        return self.row.server.ask(method, path, fields, body, self.source, timeout=max(60, self.row.server.patience))

    def patch(self, offset, body, **fields):
        return self.ask("PATCH", self.path, self.fields | BYTES | {"Upload-Offset": offset} | fields, body)

    def head(self):
        return self.ask("HEAD", self.path, self.fields)


@row(70, "uploads with tus: cut, repeated and foreign requests")
def tus(row):
    """`ResumableOverHTTPTests` and `TusTests` have the rules of the protocol."""
    owner, photo = row.create(), content(PHOTO)
    first = Upload(row, owner, len(photo))
    row.expect("creation", first.answer, 201)
    row.expect("half", first.patch(0, photo[:1000]), 204)
    row.expect("a wrong offset", first.patch(0, photo), 409, code="CONFLICT")
    row.expect("beyond the end", first.patch(1_000_000, b"x"), 409)
    row.expect("past its length", first.patch(1000, photo[1000:] + b"more"), 413)
    offset = first.head()["upload-offset"]
    row.case("the offset is correct", offset in ("1000", str(len(photo))), offset)
    row.expect("another's", first.ask("HEAD", first.path, raw.basic(*row.create()) | TUS), 403, 404)
    row.expect("nobody's", first.ask("HEAD", first.path, TUS), 401, 404)
    start = int(offset)
    if start < len(photo):
        row.expect("the rest", first.patch(start, photo[start:]), 204)
    row.case("the photo is shown", row.photo_of(owner))
    answer = first.head()
    row.case("it is known", answer.status == 200 and answer["upload-offset"] == str(len(photo)), f"{answer}")
    answer_lost(row)
    older_cut(row)
    many(row)


def refused(row, what, upload):
    """A refused upload must never look complete."""
    answer = upload.head()
    row.expect(f"HEAD of {what}", answer, 410)
    row.case(f"reason of {what}", answer.status == 410 and answer["upload-error"] == "INVALID_PHOTO", f"{answer}")
    row.case(f"no offset of {what}", answer["upload-offset"] is None, f"{answer['upload-offset']}")


def answer_lost(row):
    """Sends a whole damaged photo and closes the connection before the response."""
    photo = content(PHOTO)
    for what, bytes in {"half a photo": photo[: len(photo) // 2], "its beginning": photo[:300]}.items():
        owner = row.create()
        upload = Upload(row, owner, len(bytes))
        fields = upload.fields | BYTES | {"Upload-Offset": 0, "Content-Length": len(bytes)}
        with row.server.connect(upload.source, timeout=20) as connection:
            connection.send(raw.head("PATCH", upload.path, fields) + bytes)
            # A HEAD before the last byte is read would interrupt the request.
            time.sleep(1)
        refused(row, what, upload)
        row.case(f"no photo of {what}", row.photo_of(owner) is None)


def older_cut(row):
    """Sends two requests for one upload: the newer one wins, and no acknowledged byte is lost."""
    owner, photo = row.create(), content(PHOTO)
    upload = Upload(row, owner, len(photo))
    fields = upload.fields | BYTES | {"Upload-Offset": 0, "Content-Length": len(photo)}
    with row.server.connect(upload.source, timeout=20) as older:
        older.send(raw.head("PATCH", upload.path, fields) + photo[:1000])
        time.sleep(0.3)
        offset = int(upload.head()["upload-offset"])
        row.case("HEAD does not wait", 0 <= offset <= 1000, f"{offset}")
        row.expect("the newer one", upload.patch(offset, photo[offset:]), 204)
        # A client that changed its network sends nothing more. One that keeps sending gets a 409.
        older.send(photo[1000:])
        answer = older.read()
        row.case("the older one is cut", answer is None or answer.status == 409, f"{answer}")
    row.case("the photo is shown", row.photo_of(owner))


def many(row):
    owner, source = row.create(), row.work.address()
    found = [Upload(row, owner, 1000, source).answer for _ in range(12 if row.work.quick else 1000)]
    made = sum(answer.status == 201 for answer in found)
    row.case("one client has 8", made <= 8, f"{made} made")
    row.case(
        "then 429",
        {answer.status for answer in found} == {201, 429}
        and all(answer["retry-after"] for answer in found if answer.status == 429),
    )
    row.expect("another client", Upload(row, row.create(), 1000).answer, 201)
