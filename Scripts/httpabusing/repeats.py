"""Rows 60 to 62: repeated requests, concurrent requests, and clients that disconnect."""

import base64
import contextlib
import re
import time
from concurrent.futures import ThreadPoolExecutor

import raw
from pictures import png
from rows import API, JSON, PHOTO, content, row


@row(60, "Idempotency-Key")
def keys(row):
    home = row.work.address()

    def create(key, body, source=home, cookie=None):
        fields = JSON | ({"Idempotency-Key": key} if key is not None else {}) | ({"Cookie": cookie} if cookie else {})
        return row.server.ask("POST", API, fields, body, source, timeout=60)

    def name():
        return f"key-{row.work.dice.getrandbits(64):016x}"

    def taken(what, answer):
        if row.expect(what, answer, 409, code="CONFLICT", field="Idempotency-Key"):
            text = answer.body.decode()
            row.case(
                f"{what}: no id or password, but what to do",
                not re.search(first.json["id"] + "|" + first.json["managementPassword"], text) and "new key" in text,
                text,
            )

    key, body = name(), row.report()
    first, again = create(key, body), create(key, body)
    if row.expect("first", first, 201) and row.expect("again", again, 201):
        row.case("one id", first.json["id"] == again.json["id"])
        row.case("one password", first.json["managementPassword"] == again.json["managementPassword"])
    other = row.report(petName="Other")
    row.expect("another body", create(key, other), 422, code="IDEMPOTENCY_MISMATCH")
    # Another client has read the body in the public list, and guessed the key.
    taken("another client", create(key, body, row.work.address()))
    row.expect("another client's body", create(key, other, row.work.address()), 422, code="IDEMPOTENCY_MISMATCH")
    key, cookies = name(), []
    for _ in range(2):
        page = row.server.ask("GET", "/report/chip", {}, source=row.work.address())
        cookies.append((page["set-cookie"] or "").split(";")[0])
    if row.case("drafts' cookies", all(cookies) and cookies[0] != cookies[1], f"{cookies}"):
        first = create(key, body, row.work.address(), cookies[0])
        again = create(key, body, row.work.address(), cookies[0])
        if row.expect("a browser", first, 201) and row.expect("a browser in another network", again, 201):
            row.case("its announcement", first.json["id"] == again.json["id"])
            row.case("its password", first.json["managementPassword"] == again.json["managementPassword"])
            taken("another browser", create(key, body, home, cookies[1]))
            taken("a cookie of one's own making", create(key, body, home, cookies[0][:-8] + "AAAAAAAA"))
    for _ in range(1 if row.work.quick else 3):
        key = name()
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda _, key=key: create(key, body), range(8)))
        made = {answer.json.get("id") for answer in found if answer.status == 201}
        statuses = sorted(answer.status for answer in found)
        row.case(
            "8 at once create one", len(made) == 1 and set(statuses) <= {201, 409, 503}, f"{statuses}, {len(made)} made"
        )
    key, before = name(), row.recorded()
    whole = row.report(photo=base64.b64encode(content(PHOTO)).decode())

    def send(_):
        return row.server.ask("POST", "/api/announcements", JSON | {"Idempotency-Key": key}, whole, home, timeout=60)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(send, range(4)))
    statuses = sorted(answer.status for answer in found)
    shown = {(answer.json["id"], answer.json["photoUrl"]) for answer in found if answer.status == 201}
    row.case("4 at once with a photo create one", len(shown) == 1 and set(statuses) <= {201, 409, 503}, f"{statuses}")
    row.case("only its photo is recorded", row.recorded() == before + 1, f"{row.recorded()} after {before}")
    for what, key in {"empty": "", "15": "a" * 15, "256": "a" * 256, "a space": "a" * 8 + " " + "b" * 8,
        "not ASCII": "\xe9" * 16, "a tab": "a" * 8 + "\t" + "b" * 8}.items():  # fmt: skip
        row.expect(what, create(key, body), 400, code="INVALID_FORMAT", field="Idempotency-Key")
    two = row.server.ask(
        "POST", API, [*JSON.items(), ("Idempotency-Key", "a" * 16), ("Idempotency-Key", "b" * 16)], body, home
    )
    row.expect("two", two, 400, code="INVALID_FORMAT")
    row.expect("16", create("a" * 16, body), 201)
    row.expect("255", create(name().ljust(255, "x"), body), 201)


@row(61, "concurrent uploads to one announcement")
def at_once(row):
    before, rounds = row.recorded(), 1 if row.work.quick else 10
    for _ in range(rounds):
        owner = row.create()
        bodies = [raw.form(raw.part(png(row.work.dice))) for _ in range(8)]
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda body, owner=owner: row.upload(owner, body), bodies))
        statuses = sorted(answer.status for answer in found)
        row.case("each gets a response", set(statuses) <= {201, 409, 503} and 201 in statuses, f"{statuses}")
        shown = row.picture(owner)
        row.case("one is shown", shown, f"{statuses}")
    owner = row.create()
    body = raw.form(raw.part(content(PHOTO)))
    with row.server.connect(row.work.address(), timeout=30) as connection:
        connection.send(row.opening(owner, len(body)) + body[:1000])
        row.expect("closing meanwhile", row.server.ask("DELETE", f"{API}/{owner[0]}", raw.basic(*owner)), 204)
        connection.send(body[1000:])
        row.expect("the upload", connection.read(), 409, 410)
    row.expect("it stays closed", row.server.ask("GET", f"{API}/{owner[0]}"), 410)
    row.case("only shown photos are recorded", row.recorded() == before + rounds, f"{row.recorded()}")
    for command in (("sweep",), ("verify", "--all")):
        answer = row.server.petspot.run(*command)
        row.case(f"{command[0]} afterwards", answer.exit == 0, answer.output + answer.errors)


@row(62, "clients that disconnect during an upload")
def leaving(row):
    owner = row.create()
    row.expect("the old photo", row.upload(owner), 201)
    old = row.picture(owner)
    body = raw.form(raw.part(png(row.work.dice, 300)))
    opening = row.opening(owner, len(body))
    for tenth in range(10):
        for leave in ("close", "reset"):
            with contextlib.closing(row.server.connect(row.work.address())) as connection:
                connection.send(opening + body[: len(body) * tenth // 10])
                time.sleep(0.02)
                getattr(connection, leave)()
    row.case(
        "nothing is open", row.server.wait(lambda: not row.server.nameless(), 10), f"{row.server.nameless()} files"
    )
    row.case("the old photo stays", row.picture(owner) == old)
    with contextlib.closing(row.server.connect(row.work.address())) as connection:
        connection.send(opening + body)
    row.server.wait(lambda: row.picture(owner) != old, 10)
    once = row.picture(owner)
    row.expect("again", row.upload(owner, body), 201)
    row.case("a repeat gives the same", row.picture(owner) is not None and (once in (old, row.picture(owner))))
    row.note = "left before the answer: " + ("stored" if once != old else "not stored")
