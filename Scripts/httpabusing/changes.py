"""Rows 84 to 86: changes and erasure by owners, and takedowns by an operator."""

import json
from concurrent.futures import ThreadPoolExecutor

import raw
from addresses import NOWHERE
from rows import API, JSON, OTHER, row


def change(row, owner, body, fields=JSON, source=None):
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    credentials = raw.basic(*owner) if owner[1] else {}
    return row.server.ask(
        "PATCH", f"{API}/{owner[0]}", credentials | fields, body, source or row.work.address(), timeout=60
    )


@row(84, "PATCH of an announcement")
def patches(row):
    chip = f"9{row.work.dice.getrandbits(40):014d}"
    owner = row.create(description="before", email="ada@example.org", reward="100")
    row.expect("a photo", row.upload(owner), 201)
    before = row.server.ask("GET", f"{API}/{owner[0]}").json
    new = {
        "petName": " Rex ", "species": "CAT", "breed": "Manx", "sex": "Female", "age": 4, "description": "after",
        "location": {"latitude": -1.5, "longitude": 2}, "microchipNumber": chip, "ownerName": "Żak",
        "ownerPhone": "+48 600 100 201", "email": "b@example.org", "reward": "200", "dateOfDisappearance": "2026-10-02",
    }  # fmt: skip
    answer = change(row, owner, new)
    if row.expect("every field", answer, 200):
        told, wanted = answer.json, {
            "petName": "Rex", "species": "Cat", "speciesID": "cat", "breed": "Manx", "sex": "female", "age": 4,
            "description": "after", "location": {"latitude": -1.5, "longitude": 2}, "contactName": "Żak",
            "contactPhone": "+48 600 100 201", "reward": "200", "dateOfDisappearance": "2026-10-02",
            "id": owner[0], "photoUrl": before["photoUrl"], "createdAt": before["createdAt"], "status": "Lost",
        }  # fmt: skip
        wrong = {key: told.get(key) for key in wanted if told.get(key) != wanted[key]}
        row.case("all fields have the new values", not wrong, wrong)
        row.case("GET returns the same", row.server.ask("GET", f"{API}/{owner[0]}").json == told)
        row.case("updatedAt is newer", told["updatedAt"] > before["updatedAt"], told["updatedAt"])
        private = {"email", "microchipNumber", "managementPassword", "ownerPhone"} & set(told)
        row.case("private fields stay private", not private, private)
    answer = change(row, owner, dict.fromkeys(("petName", "age", "description", "location", "reward", "email")))
    if row.expect("null clears a field", answer, 200):
        left = {"age", "description", "location", "reward"} & set(answer.json)
        row.case("all of them are cleared", not left and answer.json.get("petNameGiven") is False, left)
    row.expect("nothing to change", change(row, owner, {}), 200)
    row.expect("a blank value clears a field", change(row, owner, {"description": " "}), 200)

    for key in ("ownerName", "ownerPhone", "species", "breed", "sex", "dateOfDisappearance"):
        for what, value in {"null": None, "blank": " "}.items():
            row.expect(f"{key} {what}", change(row, owner, {key: value}), 400, code="MISSING_VALUE", field=key)
    for key, value in {
        "petName": "x" * 101, "species": "dragon", "breed": "x" * 101, "sex": "x", "age": 41, "description": "x" * 501,
        "location": [1, 2], "microchipNumber": "1234567890123456", "ownerName": "x" * 101, "ownerPhone": "12",
        "email": "x", "reward": "x" * 121, "dateOfDisappearance": "2099-01-01",
    }.items():  # fmt: skip
        answer = change(row, owner, {key: value})
        row.expect(f"{key} breaks its rule", answer, 400, code="INVALID_FORMAT", field=key)
    row.case("the message names the future date", "in the future" in answer.json["error"]["message"], answer.json)
    for place, field in (({"latitude": 1}, "location.longitude"), ({"longitude": 1}, "location.latitude")):
        row.expect(f"{place}", change(row, owner, {"location": place}), 400, code="MISSING_VALUE", field=field)
    for key in ("id", "status", "photo", "photoUrl", "managementPassword", "contactName", "createdAt", "PetName"):
        row.expect(f"{key} is no field", change(row, owner, {key: "x"}), 400, code="INVALID_FIELD", field=key)
    answer = change(row, owner, {"petName": "Max", "age": 0, "colour": "red", "ownerName": None})
    if row.expect("three invalid fields", answer, 400):
        told = [(error["field"], error["code"]) for error in answer.json.get("errors", [])]
        wanted = [("ownerName", "MISSING_VALUE"), ("age", "INVALID_FORMAT"), ("colour", "INVALID_FIELD")]
        row.case("all are reported", told == wanted, told)
    row.case("and nothing was changed", row.server.ask("GET", f"{API}/{owner[0]}").json.get("petNameGiven") is False)
    for what, body in {"no JSON": b"{", "a list": b"[]", "equal keys": b'{"age":1,"age":2}', "empty": b""}.items():
        row.expect(what, change(row, owner, body), 400, code="INVALID_JSON")
    row.expect("a form", change(row, owner, b"age=1", {"Content-Type": "text/plain"}), 415)
    row.expect("above 100 KiB", change(row, owner, b" " * (101 << 10)), 413, code="PAYLOAD_TOO_LARGE")

    other = row.create()
    row.expect("another announcement's chip", change(row, other, {"microchipNumber": chip}), 409, code="CONFLICT")
    row.expect("without credentials", change(row, (owner[0], ""), {}), 401, code="UNAUTHENTICATED")
    row.expect("a wrong code", change(row, (owner[0], "2222-2222-2222"), {}), 403, code="UNAUTHORIZED")
    row.expect("an unknown id", change(row, (NOWHERE, "x"), {}), 404, code="NOT_FOUND")
    answer = change(row, owner, {"age": 9}, JSON | {"Origin": "https://evil.example"})
    row.expect("another site's request", answer, 403, code="CROSS_ORIGIN")
    with ThreadPoolExecutor(8) as pool:
        pairs = [("petName", "A"), ("breed", "B"), ("reward", "C"), ("description", "D")] * 2
        found = list(pool.map(lambda pair: change(row, owner, {pair[0]: pair[1]}), pairs))
    row.case("8 concurrent changes all succeed", {answer.status for answer in found} <= {200, 503}, found)
    if {answer.status for answer in found} == {200}:
        told = row.server.ask("GET", f"{API}/{owner[0]}").json
        row.case("no change is lost", [told.get(key) for key, _ in pairs[:4]] == ["A", "B", "C", "D"], told)
    row.expect("closing", row.server.ask("DELETE", f"{API}/{owner[0]}", raw.basic(*owner)), 204)
    row.expect("a closed announcement", change(row, owner, {"age": 5}), 410, code="CLOSED")


@row(85, "DELETE with erase=true")
def erasing(row):
    def delete(owner, query="?erase=true", password=None):
        credentials = raw.basic(owner[0], password or owner[1])
        return row.server.ask("DELETE", f"{API}/{owner[0]}{query}", credentials, None, row.work.address())

    for state in ("open", "closed", "hidden"):
        owner = row.create(ownerName=f"Zofia {state}", ownerPhone="+48 600 555 123", petName="Zażółć")
        row.expect(f"{state}: a photo", row.upload(owner, path=OTHER), 201)
        shown = row.photo_of(owner)
        if state == "closed":
            row.expect("closing", delete(owner, ""), 204)
        if state == "hidden":
            hidden = row.server.petspot.run("announcements", "hide", owner[0], "--reason", "spam")
            row.case("hiding", hidden.exit == 0, hidden.errors)
        for query in ("?erase=1", "?erase=", "?erase=True", "?erase=true&erase=true"):
            row.expect(f"{state}, {query}", delete(owner, query), 400, code="INVALID_PARAMETER", field="erase")
        row.expect(f"{state}: a wrong code", delete(owner, password="2222-2222-2222"), 403, code="UNAUTHORIZED")
        row.expect(f"{state}: erasing", delete(owner), 204)
        for what, answer in {
            "GET": row.server.ask("GET", f"{API}/{owner[0]}"),
            "again": delete(owner), "closing it": delete(owner, ""),
            "a change": change(row, owner, {"petName": "Back"}), "an upload": row.upload(owner),
        }.items():  # fmt: skip
            row.expect(f"{state}: {what} afterwards", answer, 410, code="CLOSED")
        for path in (shown, shown + "-preview"):
            row.expect(f"{state}: {path}", row.server.ask("GET", path), 404)
        listed = row.server.ask("GET", f"{API}?limit=100")
        row.case(f"{state}: in no list", owner[0].encode() not in listed.body)
        gone = row.server.petspot.run("announcements", "show", owner[0])
        row.case(f"{state}: gone on the command line", gone.exit == 66, gone.errors)


@row(86, "an announcement that an operator hides")
def hiding(row):
    run, chip = row.server.petspot.run, f"8{row.work.dice.getrandbits(40):014d}"
    owner = row.create(microchipNumber=chip, petName="Squatter")
    row.expect("a photo", row.upload(owner), 201)
    address, shown = f"{API}/{owner[0]}", row.photo_of(owner)
    before = row.server.ask("GET", address).json

    def hide(*reason):
        return run("announcements", "hide", owner[0][:13], *reason)

    for what, reason in {"no reason": (), "a blank one": ("--reason", " ")}.items():
        row.case(what, hide(*reason).exit == 64)
    secret = "letter of 3 May"
    found = hide("--reason", secret)
    row.case("hidden", found.exit == 0 and found.objects == [{"id": owner[0], "hidden": True, "reason": secret}], found)
    row.case("logged", owner[0] in found.errors and secret in found.errors, found.errors)

    def taken_down(what, answer):
        row.expect(what, answer, 410, code="CLOSED")
        row.case(f"{what}: the reason", answer.error.get("reason") == "taken-down", answer.error)
        row.case(f"{what}: the operator's reason stays private", secret.encode() not in answer.body)

    taken_down("GET", row.server.ask("GET", address))
    taken_down("a change", change(row, owner, {"petName": "x"}))
    taken_down("an upload", row.upload(owner))
    resumable = raw.basic(*owner) | {"Tus-Resumable": "1.0.0", "Upload-Length": 9}
    taken_down("a resumable upload", row.server.ask("POST", address + "/uploads", resumable))
    for language, words in {"en": "taken down by the people", "pl": "To ogłoszenie zostało ukryte"}.items():
        for path in ("", "/poster"):
            fields = {"Accept": "text/html", "Accept-Language": language}
            with raw.Connection(row.server.port, row.work.address(), timeout=30) as connection:
                connection.send(raw.request("GET", f"/announcements/{owner[0]}{path}", fields))
                page = connection.read()
            holds = page.status == 410 and words in page.body.decode() and "Squatter" not in page.body.decode()
            row.case(f"its page{path} in {language}", holds, f"{page} {page.body[-300:]!r}")
    for path in (shown, shown + "-preview"):
        row.expect(f"{path} is not served", row.server.ask("GET", path), 404)
    for path in (f"{API}?limit=100", f"{API}?sort=distanceFromUser&lat=52.2&lng=21&limit=100", "/", "/announcements"):
        row.case(f"not in {path}", owner[0].encode() not in row.server.ask("GET", path).body)

    rightful = row.create(microchipNumber=chip)
    row.expect("the chip is free", row.upload(rightful), 201)
    found = run("announcements", "unhide", owner[0])
    row.case("it can't return", found.exit == 65 and found.code == "duplicate-microchip", found.output)
    taken_down("still", row.server.ask("GET", address))
    row.expect("the other closes", row.server.ask("DELETE", f"{API}/{rightful[0]}", raw.basic(*rightful)), 204)
    for _ in range(2):
        found = run("announcements", "unhide", owner[0])
        row.case("unhidden", found.exit == 0 and found.objects[0].get("hidden") is False, found)
    after = row.server.ask("GET", address).json
    same = {key: value for key, value in after.items() if key != "updatedAt"}
    row.case("as before", same == {key: value for key, value in before.items() if key != "updatedAt"}, after)
    row.expect("and its picture", row.server.ask("GET", shown), 200)

    found = run("announcements", "erase", owner[0], "--operator")
    row.case("erased by an operator", found.exit == 0 and found.objects == [{"id": owner[0], "erased": True}], found)
    row.case("logged, too", owner[0] in found.errors, found.errors)
    row.expect("erased", row.server.ask("GET", address), 410, code="CLOSED")
    row.case("never with a code", run("announcements", "erase", owner[0], "--operator", "--password", "x").exit == 64)
