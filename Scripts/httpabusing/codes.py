"""Rows 190 to 193: mailed codes, and concurrent attempts with codes."""

import contextlib
import re
import time
import urllib.parse

import raw
from mailing import CODE, Mailbox, posted
from rows import API, JSON, row


@contextlib.contextmanager
def mailing(row, name):
    """Starts a server that sends mail, and the mailbox that receives it."""
    box = Mailbox(row.work.folder, name)
    try:
        with row.own_server("codes", "--mail", f"smtp://127.0.0.1:{box.port}?from=pets@example.org") as server:
            yield server, box
    finally:
        box.process.kill()


def changed(server, owner, body, source="127.0.0.1", language="en"):
    fields = JSON | raw.basic(*owner) | {"Accept-Language": language}
    return server.ask("PATCH", f"{API}/{owner[0]}", fields, body, source)


def lost(owner):
    return f"/announcements/{owner[0]}/owner/lost-code"


@row(190, "mail: a new address revokes the mailed code, and both mailboxes are notified")
def readdressed(row):
    with mailing(row, "readdressed") as (server, box):
        owner = row.create(server, email="old@example.org")
        posted(server, lost(owner), email="old@example.org")
        mails = box.mails(2)
        row.case("a new code", len(mails) == 2, len(mails))
        code = re.findall(CODE, mails[-1][1].get_content())[0]
        answer = changed(server, owner, b'{"email":"new@example.org"}', language="pl")
        row.expect("another address", answer, 200)
        row.expect("the code in the old mailbox", changed(server, (owner[0], code), b"{}"), 403, code="UNAUTHORIZED")
        row.expect("the owner's own code", changed(server, owner, b'{"age":4}'), 200)
        notices = box.mails(4)[2:]
        to = sorted(to for to, _ in notices)
        row.case("both are notified", to == [["new@example.org"], ["old@example.org"]], to)
        for _, mail in notices:
            text = mail.get_content()
            row.case("in the language of the change", "Ten adres e-mail" in text, text)
            row.case("without a code", not re.search(CODE, text), text)
            row.case("the subject is complete", "zwierzęci" in mail["Subject"], mail["Subject"])
        raw_lines = [line for text in box.texts() for line in text.partition("\r\n\r\n")[0].split("\r\n")]
        words = [word for line in raw_lines for word in line.split(" ") if word.startswith("=?")]
        row.case("lines of at most 76 characters", max(map(len, raw_lines)) <= 76, max(raw_lines, key=len))
        row.case("encoded words of at most 75", words and max(map(len, words)) <= 75, words)
        for _ in range(4):
            posted(server, lost(owner), email="new@example.org")
        row.case("the new one gets lost codes", len(box.mails(5)) >= 5)


@row(191, "mail: lost-code requests of one client block no one, and few are processed")
def lost_codes(row):
    with mailing(row, "lost-codes") as (server, box):
        owner, attacker = row.create(server, email="eve@example.org"), row.work.address()
        body = urllib.parse.urlencode({"email": "eve@example.org"}).encode()
        fields = {"Content-Type": "application/x-www-form-urlencoded"}
        statuses, begin = [], time.monotonic()
        while len(statuses) < 603:
            with server.connect(attacker) as connection:
                connection.send(raw.request("POST", lost(owner), fields, body) * 67)
                statuses += [answer.status for answer in (connection.read() for _ in range(67)) if answer]
        seconds = time.monotonic() - begin
        begin = time.monotonic()
        row.create(server)
        waited = time.monotonic() - begin
        row.case("another client's announcement is not delayed", waited < 2 * row.work.slowness**0.5, f"{waited:.1f} s")
        taken = statuses.count(303)
        row.case("sixty at once, then one a second", taken <= 62 + seconds, f"{taken} in {seconds:.1f} s")
        row.case("the rest get 429", set(statuses) == {303, 429}, set(statuses))
        mails = box.mails(2)
        time.sleep(row.silence)
        row.case("at most three mails", 2 <= len(box.mails(2)) <= 4, len(mails))
        row.note = f"{waited:.2f} s"


@row(192, "mail: announcements by strangers don't use up an address's lost codes")
def apart(row):
    with mailing(row, "apart") as (server, box):
        owner = row.create(server, email="ada@example.org")
        for _ in range(4):
            row.create(server, email="ada@example.org")
        row.case("three mails after publishing", len(box.mails(3)) == 3)
        posted(server, lost(owner), email="ada@example.org")
        mails = box.mails(4)
        row.case("the lost code comes", len(mails) == 4, len(mails))
        code = re.findall(CODE, mails[-1][1].get_content())[0] if len(mails) == 4 else ""
        row.expect("the code works", changed(server, (owner[0], code), b'{"age":4}'), 200)


@row(193, "a right code sent after thirty concurrent wrong ones is refused like them")
def at_once(row):
    for _ in range(3):
        owner, source = row.create(), row.work.address()

        def patch(code, owner=owner):
            fields = JSON | raw.basic(owner[0], code)
            return raw.request("PATCH", f"{API}/{owner[0]}", fields, b'{"age":4}')

        connections = [row.server.connect(source) for _ in range(31)]
        try:
            for number, connection in enumerate(connections[:-1]):
                connection.send(patch("AAAA-AAAA-AAAA-%04d" % (2222 + number)))
            connections[-1].send(patch(owner[1]))
            found = [connection.read() for connection in connections]
        finally:
            for connection in connections:
                connection.close()
        statuses = [answer.status for answer in found if answer]
        wrong = statuses[:-1].count(403)
        row.case("all get a response", len(statuses) == 31, len(statuses))
        row.case("six wrong ones are compared", wrong == 6, wrong)
        row.case("the right one is refused then", statuses[-1] == 429, statuses[-1])
