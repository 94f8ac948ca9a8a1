"""Row 71: the contents of the log."""

import re

import raw
from rows import API, JSON, row
from watching import read


@row(71, "control characters and secrets in the log")
def logs(row):
    with row.own_server("logged", "--verbose") as server:
        owner = row.create(
            server, ownerPhone="+48 699 999 991", ownerName="Zenobia Secret", email="secret@pets.example"
        )
        place = "lat=51.987654&lng=19.123456"
        row.expect("a position", server.ask("GET", f"{API}?{place}"), 200)
        server.ask(
            "GET", "/%1b%5b31m%0d%0aFORGED%20LINE", {"User-Agent": "\x1b[31mAGENT", "Cookie": "draft=COOKIEVALUE"}
        )
        server.ask("GET", "/images/\x7f\x1b[2J", {"Referer": "http://x/SECRETREFERER"})
        server.ask("FORGED", "/api/health")
        server.tell(b"\x1b[31mFORGED\r\n\r\n")
        body = raw.form(raw.part(b"no photo", b'name="photo"; filename="\x1b[31mFORGED NAME.jpg"'))
        row.expect("a hostile name", row.upload(owner, body, server=server), 415)
        row.expect(
            "a wrong password", server.ask("DELETE", f"{API}/{owner[0]}", raw.basic(owner[0], "WRONGPASSWORD")), 403
        )
        row.expect(
            "a key",
            server.ask("POST", API, JSON | {"Idempotency-Key": "SECRETKEY-0123456789"}, row.report(), row.work.address()),
            201,
        )
        row.expect("the right one", server.ask("DELETE", f"{API}/{owner[0]}", raw.basic(*owner)), 204)
        server.stop()
        text = read(server.log)
    row.case("there is a log", b"request" in text, "it is empty")
    control = re.findall(rb"[\x00-\x08\x0b-\x1f\x7f]", text)
    row.case("no control characters", not control, f"{control[:5]}")
    row.case("no forged lines", not re.search(rb"^FORGED", text, re.MULTILINE))
    encoded = raw.basic(*owner)["Authorization"].split()[1]
    for secret in (
        owner[1], encoded, "WRONGPASSWORD", "COOKIEVALUE", "51.987654", "19.123456", "SECRETKEY", "SECRETREFERER",
        "699 999 991", "Zenobia", "secret@pets",
    ):  # fmt: skip
        row.case(f"no {secret[:20]}", secret.encode() not in text)
