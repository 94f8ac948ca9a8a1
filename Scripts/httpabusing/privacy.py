"""Rows 194 to 197: data that was erased, hidden or never listed stays secret."""

import base64
import contextlib
import os
import sqlite3

import raw
from resumable import Upload
from rows import API, OTHER, content, row


@row(194, "feeds: If-Modified-Since never yields a 304")
def feeds(row):
    owner = row.create(breed="Feeding")
    row.expect("its photo", row.upload(owner), 201)
    for path in ("/announcements.atom", "/announcements.json"):
        answer = row.server.ask("GET", path)
        row.expect(path, answer, 200)
        row.case(f"{path} has no date", answer["last-modified"] is None, answer["last-modified"])
        for date in (answer["last-modified"] or "Sat, 28 Nov 2026 00:00:00 GMT", "Fri, 31 Dec 2100 23:59:59 GMT"):
            row.expect(f"{path} since {date}", row.server.ask("GET", path, {"If-Modified-Since": date}), 200)
        row.expect(f"{path} by its tag", row.server.ask("GET", path, {"If-None-Match": answer["etag"]}), 304)


@row(195, "short addresses: only for listed announcements, with a limit on misses")
def short_addresses(row):
    with row.own_server("short") as server:
        owner, listed = row.create(server), row.create(server)
        row.expect("its photo", row.upload(listed, server=server), 201)
        database = sqlite3.connect(os.path.join(server.petspot.cache, "database", "catalog.sqlite"))
        with contextlib.closing(database):
            codes = dict(database.execute("SELECT id, short_code FROM announcement"))
        shown = server.ask("GET", f"{API}/{owner[0]}").json
        row.case("none before it is listed", "shortUrl" not in shown, shown.get("shortUrl"))
        row.expect("not found by its code", server.ask("GET", f"/a/{codes[owner[0]]}"), 404)
        short, client = f"/a/{codes[listed[0]]}", row.work.address()
        row.expect("listed", server.ask("GET", short), 302)
        with server.connect(client) as connection:
            connection.send(raw.request("GET", short) * 80)
            found = [connection.read().status for _ in range(80)]
        row.case("hits are unlimited", found == [302] * 80, found)
        with server.connect(client) as connection:
            connection.send(raw.request("GET", "/a/22222") * 200)
            found = [connection.read().status for _ in range(200)]
        row.case("sixty misses", 60 <= found.count(404) <= 65 and found.count(429) == 200 - found.count(404), found)
        row.expect("then every lookup is refused", server.ask("GET", short, source=client), 429)
        row.expect("others can still look up", server.ask("GET", short, source=row.work.address()), 302)


@row(196, "erasing and hiding also delete unfinished uploads")
def unfinished(row):
    photo, folder = content(OTHER), os.path.join(row.server.petspot.cache, "uploads")

    def erase(owner):
        row.expect("erased", row.server.ask("DELETE", f"{API}/{owner[0]}?erase=true", raw.basic(*owner)), 204)

    def run(*arguments):
        answer = row.server.petspot.run("announcements", *arguments)
        row.case(arguments[0], answer.exit == 0, answer.errors[-200:])

    acts = {
        "owner": erase, "operator": lambda owner: run("erase", owner[0], "--operator"),
        "hide": lambda owner: run("hide", owner[0], "--reason", "spam"),
    }  # fmt: skip
    for name, act in acts.items():
        owner, other = row.create(), row.create()
        uploads = [Upload(row, one, len(photo)) for one in (owner, other)]
        for upload in uploads:
            row.expect("a part", upload.patch(0, photo[:50]), 204)
        tokens = [upload.path.rpartition("/")[2] for upload in uploads]
        act(owner)
        left = os.listdir(folder)
        row.case(f"{name}: its upload is deleted", not [file for file in left if file.startswith(tokens[0])], left)
        row.case(f"{name}: another's stays", {tokens[1], tokens[1] + ".json"} <= set(left), left)
        row.expect(f"{name}: it can't continue", uploads[0].patch(50, photo[50:]), 410)
        row.expect(f"{name}: another's continues", uploads[1].patch(50, photo[50:]), 204)


@row(197, "a cookie with foreign text and without our signature")
def forged(row):
    owner = row.create()
    form = base64.urlsafe_b64encode(b'{"refusal":{"reason":"Call +48 600","errors":[],"adjusted":[],"invalidFields":[]}}').decode().rstrip("=")
    page = f"/announcements/{owner[0]}/owner"
    fields = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    entered = row.server.ask("POST", page, fields, b"code=" + owner[1].encode(), row.work.address())
    row.expect("entered", entered, 303)
    cookies = [value for name, value in entered.fields if name == "set-cookie"]
    login = next(cookie for cookie in cookies if cookie.startswith("owner=")).partition(";")[0]
    for value in (form, form + ".", form + "." + "A" * 43):
        answer = row.server.ask("GET", page, {"Cookie": f"{login}; refused={value}", "Accept": "text/html"})
        row.expect("the page", answer, 200)
        row.case("the page is the owner's", b"owner.save" in answer.body)
        row.case("none of that text", b"Call +48" not in answer.body and b"errorSummary" not in answer.body)
