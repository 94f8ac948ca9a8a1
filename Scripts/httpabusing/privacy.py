"""Rows 195 and 196: data that was erased, hidden or never listed stays secret."""

import contextlib
import os
import sqlite3

import raw
from resumable import Upload
from rows import API, OTHER, content, row


@row(195, "short addresses: only for listed announcements, with a limit on misses")
def short_addresses(row):
    """`FeedTests` has what each address leads to, and that hits are unlimited."""
    with row.own_server("short") as server:
        owner, listed = row.create(server), row.create(server)
        row.expect("its photo", row.upload(listed, server=server), 201)
        database = sqlite3.connect(os.path.join(server.petspot.cache, "database", "catalog.sqlite"))
        with contextlib.closing(database):
            codes = dict(database.execute("SELECT id, short_code FROM announcement"))
        row.expect("not found by its code before it is listed", server.ask("GET", f"/a/{codes[owner[0]]}"), 404)
        short, client = f"/a/{codes[listed[0]]}", row.work.address()
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
