"""Row 160: Resumable Uploads for HTTP, in each supported version of the draft."""

import contextlib
import time

import raw
from rows import API, OTHER, PHOTO, content, row

VERSIONS = (3, 5, 6, 8)
PROBLEM = "https://iana.org/assignments/http-problem-types#"


class Client:
    """A client of one version of the draft. It remembers the address of its upload and continues there."""

    def __init__(self, server, owner, version, source="127.0.0.1", timeout=60):
        self.server, self.owner, self.version = server, owner, version
        self.source, self.timeout, self.path = source, timeout, None
        self.fields = raw.basic(*owner) | {"Upload-Draft-Interop-Version": version}

    def complete(self, holds):
        """Returns the field that states whether the photo ends with this request."""
        name, holds = ("Upload-Incomplete", not holds) if self.version == 3 else ("Upload-Complete", holds)
        return {name: "?1" if holds else "?0"}

    def is_complete(self, answer):
        """Returns whether a response reports the upload as complete, or None if it doesn't report it."""
        value = answer["upload-incomplete" if self.version == 3 else "upload-complete"]
        return None if value is None else (value == "?1") != (self.version == 3)

    def ask(self, method, path, fields=(), body=None):
        fields = self.fields | dict(fields)
        return self.server.ask(method, path, fields, body, self.source, timeout=self.timeout)

    def create(self, body, last=True, to="photos", **fields):
        """Sends a photo or its beginning. Returns the response."""
        with self.begin(len(body), last, to, **fields) as connection:
            connection.send(body)
            answer = connection.read()
        self.path = self.path or (answer and path_of(answer["location"]))
        return answer

    @contextlib.contextmanager
    def begin(self, length, last=True, to="photos", **fields):
        """Starts an upload and waits for its address. The caller then sends the body."""
        size = {} if length is None else {"Content-Length": length}
        fields = self.fields | self.complete(last) | size | {"Content-Type": "image/jpeg"} | fields
        with self.server.connect(self.source, timeout=self.timeout) as connection:
            connection.send(raw.head("POST", f"{API}/{self.owner[0]}/{to}", fields))
            self.hint = connection.hint()
            self.path = path_of(self.hint["location"]) if self.hint else None
            yield connection

    def head(self):
        return self.ask("HEAD", self.path)

    def patch(self, offset, body, last=True, **fields):
        kind = {"Content-Type": "application/partial-upload"} if self.version >= 6 else {}
        fields = {"Upload-Offset": offset} | self.complete(last) | kind | fields
        return self.ask("PATCH", self.path, fields, body)

    def delete(self):
        return self.ask("DELETE", self.path)

    def upload(self, photo, pieces, lose=lambda: None):
        """Sends a photo over connections that break after one piece each. Returns the last response.

        `lose` is called after each piece, before the client asks for the offset. Bytes that a killed server had not
        stored are sent again."""
        size = max(1, -(-len(photo) // pieces))
        with self.begin(len(photo)) as connection:
            connection.send(photo[:size])
            time.sleep(0.2)
            lose()
            connection.reset()
        for _ in range(2 * pieces):
            state = self.head()
            offset = int(state["upload-offset"])
            if offset + size >= len(photo) or self.is_complete(state):
                return self.patch(offset, photo[offset:])
            kind = {"Content-Type": "application/partial-upload"} if self.version >= 6 else {}
            fields = {"Upload-Offset": offset, "Content-Length": len(photo) - offset} | self.complete(True) | kind
            with self.server.connect(self.source, timeout=self.timeout) as connection:
                connection.send(raw.head("PATCH", self.path, self.fields | fields) + photo[offset : offset + size])
                time.sleep(0.2)
                connection.reset()
            time.sleep(0.2)
            lose()
        raise raw.Broken(f"the upload does not continue after byte {offset}")


def path_of(location):
    return "/" + location.split("/", 3)[3] if location else None


@row(160, "Resumable Uploads for HTTP")
def rufh(row):
    photo = content(PHOTO)
    # `RufhTests` and `RufhOverHTTPTests` have the fields, refusals and broken connections of each version.
    for version in VERSIONS:
        whole(row, version, photo)
        careful(row, version, photo)
        unknown_length(row, version, photo)
        refusals(row, version, photo)
    others(row, photo)
    limits(row, photo)
    older_cut(row, photo)


def client(row, version):
    return Client(row.server, row.create(), version, row.work.address(), max(60, row.server.patience))


def whole(row, version, photo):
    """Without a break, the response is that of a form, and the address arrives before it."""
    one = client(row, version)
    answer = one.create(photo, **{"Content-Disposition": "inline; filename*=UTF-8''%C5%82apa.jpg"})
    if not row.expect(f"{version}: a photo", answer, 201):
        return
    hint = one.hint
    row.case(f"{version}: 104", hint and hint["upload-draft-interop-version"] == str(version), f"{hint}")
    limit = {6: "expires=", 8: "max-age="}.get(version)
    said = hint and hint["upload-limit"]
    row.case(f"{version}: the limits", ("max-size=" in said and limit in said) if limit else said is None, f"{said}")
    row.case(f"{version}: the announcement", answer.json.get("photoUrl"), f"{answer.body[:100]}")
    row.case(f"{version}: complete", one.is_complete(answer) and answer["upload-offset"] == str(len(photo)))
    row.case(f"{version}: the same address", path_of(answer["location"]) == one.path, answer["location"])
    state = one.head()
    row.expect(f"{version}: HEAD afterwards", state, 204)
    row.case(f"{version}: complete", one.is_complete(state) and state["upload-offset"] == str(len(photo)))
    again = one.patch(len(photo), b"")
    if version in (5, 6):
        row.expect(f"{version}: a repeat", again, 400)
        row.case(f"{version}: why", again.json.get("type") == PROBLEM + "completed-upload", f"{again.body[:100]}")
    else:
        row.expect(f"{version}: a repeat", again, 201)
        row.case(f"{version}: the same response", again.json.get("photoUrl") == answer.json.get("photoUrl"))


def careful(row, version, photo):
    """The client first asks for the address, and then sends the photo in separate requests."""
    one, half = client(row, version), len(photo) // 2
    length = {"Upload-Length": len(photo)} if version >= 6 else {}
    answer = one.create(b"", last=False, to="uploads", **length)
    row.expect(f"{version}: only the address", answer, 201)
    row.case(f"{version}: no byte is stored", one.is_complete(answer) is False and answer["upload-offset"] == "0")
    state = one.head()
    row.case(f"{version}: the length", state["upload-length"] == (str(len(photo)) if length else None), f"{state.fields}")
    row.case(f"{version}: no cache keeps HEAD", state["cache-control"] == "no-store")
    answer = one.patch(0, photo[:half], last=False)
    row.expect(f"{version}: half", answer, 204 if version == 8 else 201)
    row.case(f"{version}: half is stored", one.is_complete(answer) is False and answer["upload-offset"] == str(half))
    answer = one.patch(0, photo[:half])
    row.expect(f"{version}: another offset", answer, 409, code="CONFLICT")
    row.case(f"{version}: the offset to continue at", answer["upload-offset"] == str(half), f"{answer.fields}")
    told = answer.json
    told = (told.get("type"), told.get("expected-offset"), told.get("provided-offset"))
    row.case(f"{version}: its problem", told == (PROBLEM + "mismatching-upload-offset", half, 0), f"{told}")
    row.expect(f"{version}: the rest", one.patch(half, photo[half:], last=False), 204 if version == 8 else 201)
    answer = one.patch(len(photo), b"")
    row.expect(f"{version}: the end", answer, 201)
    row.case(f"{version}: it is stored", one.is_complete(answer) and row.photo_of(one.owner))


def unknown_length(row, version, photo):
    """Sends a photo whose size the client doesn't know. A broken upload must never count as the whole photo."""
    one, half = client(row, version), len(photo) // 2
    chunked = {"Transfer-Encoding": "chunked"}
    with one.begin(None, **chunked) as connection:
        connection.send(raw.chunks(photo))
        row.expect(f"{version}: in chunks", connection.read(), 201)
    row.case(f"{version}: the photo is shown", row.photo_of(one.owner))
    one = client(row, version)
    with one.begin(None, **chunked) as connection:
        connection.send(raw.chunks(photo[:half]).removesuffix(b"0\r\n\r\n"))
        time.sleep(0.3)
        connection.close()
    state = one.head()
    row.case(f"{version}: broken chunks", one.is_complete(state) is False and state["upload-offset"] == str(half))
    row.case(f"{version}: no length", state["upload-length"] is None, f"{state['upload-length']}")
    row.expect(f"{version}: the rest after chunks", one.patch(half, photo[half:]), 201)
    row.case(f"{version}: the whole photo", row.photo_of(one.owner))


def refusals(row, version, photo):
    """Sends requests that break a rule of the protocol."""
    one = client(row, version)
    length = {"Upload-Length": len(photo)}
    one.create(photo[:500], last=False, **length)
    if version >= 6:
        row.expect(f"{version}: no media type", one.patch(500, b"x", **{"Content-Type": "image/jpeg"}), 415)
    row.expect(f"{version}: Upload-Offset x", one.patch("x", b"x"), 400, field="Upload-Offset")
    answer = one.patch(500, photo[500:] + b"more")
    row.expect(f"{version}: another length", answer, 400, field="Upload-Length")
    row.case(f"{version}: the reason", answer.json.get("type") == PROBLEM + "inconsistent-upload-length")
    row.expect(f"{version}: too few", one.patch(500, b"x"), 400, field="Upload-Length")
    if version <= 6:
        row.expect(f"{version}: HEAD with an offset", one.ask("HEAD", one.path, {"Upload-Offset": "0"}), 400)
        row.expect(f"{version}: DELETE with one", one.ask("DELETE", one.path, {"Upload-Offset": "0"}), 400)
    state = one.head()
    row.case(f"{version}: the offset is unchanged", state["upload-offset"] == "500", f"{state['upload-offset']}")
    stranger = row.create()
    row.expect(f"{version}: another's", one.ask("HEAD", one.path, raw.basic(*stranger)), 403, 404)
    row.expect(f"{version}: nobody's", one.ask("HEAD", one.path, {"Authorization": "x"}), 401)
    row.expect(f"{version}: DELETE", one.delete(), 204)
    row.expect(f"{version}: afterwards", one.head(), 404)
    row.expect(f"{version}: no more bytes afterwards", one.patch(500, b"x"), 404)
    past = client(row, version)
    past.create(b"", last=False, **{"Upload-Length": 100})
    kind = {"Content-Type": "application/partial-upload"} if version >= 6 else {}
    fields = {"Upload-Offset": 0, "Transfer-Encoding": "chunked"} | past.complete(False) | kind | past.fields
    with row.server.connect(past.source, timeout=past.timeout) as connection:
        connection.send(raw.head("PATCH", past.path, fields), raw.chunks(b"x" * 101))
        row.expect(f"{version}: past its length", connection.read(), 400, field="Upload-Length")
    row.expect(f"{version}: the upload is gone", past.head(), 404)


def others(row, photo):
    """Other versions and forms get the same responses as without the protocol. A part of a photo isn't a photo."""
    for version in (1, "x", ""):
        one = client(row, version)
        one.version = 8
        row.expect(f"a part in version {version}", one.create(photo, last=False), 415, code="UNSUPPORTED_MEDIA_TYPE")
        # Doesn't wait for a 104 response, because there is none and the client would take the final one for it.
        fields = one.complete(True) | {"Content-Type": "image/jpeg"}
        row.expect(f"version {version}", one.ask("POST", f"{API}/{one.owner[0]}/photos", fields, photo), 201)
    for version in VERSIONS:
        one = client(row, version)
        fields = raw.form_type() | one.complete(True)
        answer = one.ask("POST", f"{API}/{one.owner[0]}/photos", fields, raw.form(raw.part(content(OTHER))))
        row.expect(f"a form in version {version}", answer, 201)
        row.case(f"no 104 for a form in version {version}", answer and not answer.interim, f"{answer.interim}")
    one = client(row, 8)
    with one.begin(len(photo), Expect="100-continue") as connection:
        second = connection.hint()
        row.case("100 beside 104", one.hint.status == 104 and second and second.status == 100, f"{second}")
        connection.send(photo)
        row.expect("after both", connection.read(), 201)


def limits(row, photo):
    """The size limits are those of all uploads."""
    limit = 20 << 20
    for to in ("photos", "uploads"):
        answer = row.server.ask("OPTIONS", f"{API}/{row.borrow()[0]}/{to}")
        row.expect(f"OPTIONS of {to}", answer, 204)
        row.case(f"the limit of {to}", f"max-size={limit}" in (answer["upload-limit"] or ""), f"{answer.fields}")
    one = client(row, 8)
    answer = one.create(b"", last=False, **{"Upload-Length": limit + 1})
    row.expect("too large", answer, 413, code="PAYLOAD_TOO_LARGE")
    row.case("with the limit", f"max-size={limit}" in (answer["upload-limit"] or ""), f"{answer.fields}")
    answer = client(row, 8).create(photo, **{"Upload-Length": len(photo) + 1})
    row.expect("two lengths", answer, 400, field="Upload-Length")
    one = client(row, 8)
    with one.begin(None, **{"Transfer-Encoding": "chunked"}) as connection:
        connection.send(raw.chunks(b"x" * (limit + 1)))
        row.expect("endless chunks", connection.read(), 413)
    one = client(row, 8)
    with one.begin(limit) as connection:
        connection.send(b"x" * limit)
        row.expect("the largest", connection.read(), 415, code="INVALID_PHOTO")
        seen = [hint["upload-offset"] for hint in connection.hints[1:]]
        row.case("its progress", len(seen) > 2 and seen == sorted(seen, key=int), f"{seen}")


def older_cut(row, photo):
    """A request for the offset ends the earlier upload request."""
    one = client(row, 8)
    with one.begin(len(photo)) as older:
        older.send(photo[:600])
        time.sleep(0.3)
        offset = int(one.head()["upload-offset"])
        row.case("the older one's bytes", offset <= 600, f"{offset}")
        row.expect("the newer one", one.patch(offset, photo[offset:]), 201)
        older.send(photo[600:])
        answer = older.read()
        row.case("the older one is cut", answer is None or answer.status == 409, f"{answer}")
    row.case("the photo of the newer one", row.photo_of(one.owner))
