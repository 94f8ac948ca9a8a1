"""Row 161: mail to owners, with a real SMTP server (aiosmtpd)."""

import email
import email.policy
import json
import os
import re
import subprocess
import time
from urllib.parse import urlencode

import pythons
import raw
from rows import API, JSON, row
from watching import read

# Prints its port, then each mail as a line of JSON.
SMTP = """
import json, socket, sys
from aiosmtpd.controller import Controller
class Keep:
    async def handle_DATA(self, server, session, envelope):
        print(json.dumps([envelope.rcpt_tos, envelope.content.decode()]), flush=True)
        return "250 OK"
with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
controller = Controller(Keep(), hostname="127.0.0.1", port=port)
controller.start()
print(port, flush=True)
sys.stdin.read()
"""
CODE = r"[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}"


class Mailbox:
    """An SMTP server that keeps every mail."""

    def __init__(self, folder, name="mails"):
        programs = pythons.environment("mail-venv", ["aiosmtpd==1.4.6"])
        self.file = os.path.join(folder, name)
        with open(self.file, "ab") as output:
            self.process = subprocess.Popen(
                [os.path.join(programs, "python"), "-c", SMTP], stdin=subprocess.PIPE, stdout=output)
        self.wait(1)
        self.port = int(self.lines()[0])

    def lines(self):
        return read(self.file).decode().splitlines()

    def wait(self, count, seconds=30):
        end = time.monotonic() + seconds
        while len(self.lines()) < count and time.monotonic() < end:
            time.sleep(0.1)

    def mails(self, count):
        """Returns addresses and mails as soon as there are `count`, or after half a minute."""
        self.wait(count + 1)
        return [(to, email.message_from_string(text, policy=email.policy.default)) for to, text in self.found()]

    def found(self):
        return [json.loads(line) for line in self.lines()[1:]]

    def texts(self):
        """Returns the mails as they arrived."""
        return [text for _, text in self.found()]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def posted(server, path, **values):
    fields = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    return server.ask("POST", path, fields, urlencode(values).encode())


@row(161, "mail: the code after publishing, and a new one if it is lost")
def mailing(row):
    box = Mailbox(row.work.folder)
    try:
        with row.own_server("mailing", "--mail", f"smtp://127.0.0.1:{box.port}?from=pets@example.org") as server:
            fields = JSON | {"Accept-Language": "pl"}
            body = row.report(email="ada@example.com", petName="Typed")
            made = server.ask("POST", API, fields, body, row.work.address()).json
            id, code = made["id"], made["managementPassword"]
            first = box.mails(1)
            row.case("one mail", len(first) == 1, first)
            to, mail = first[0]
            text = mail.get_content()
            row.case("only to the owner", to == ["ada@example.com"], to)
            row.case("with the code", re.findall(CODE, text) == [code], text)
            row.case("and the address", f"/announcements/{id}" in text, text)
            row.case("in the language of the report", "Dziękujemy" in text and "kod" in mail["Subject"].lower(), text)
            row.case("without text that the reporter typed", "Typed" not in str(mail) and "Ada" not in str(mail))
            row.case("plain text", mail.get_content_type() == "text/plain" and not mail.is_multipart())
            row.case("an id and a date", mail["Message-ID"].endswith("@example.org>") and mail["Date"])
            catalog = read(os.path.join(server.petspot.cache, "database/catalog.sqlite"))
            row.case("no code in the database", code.encode() not in catalog)
            lost = f"/announcements/{id}/owner/lost-code"
            row.case("the page offers it", b"owner.lostCode" in server.ask("GET", f"/announcements/{id}/owner").body)
            wrong, right = posted(server, lost, email="eve@example.com"), posted(server, lost, email="ADA@example.com")
            row.case("equal answers", (wrong.status, wrong["location"]) == (right.status, right["location"]), wrong)
            second = box.mails(2)
            row.case("a mail for the right one", len(second) == 2, len(second))
            new = re.findall(CODE, second[-1][1].get_content())[0]
            row.expect("the old code holds", server.ask("PATCH", f"{API}/{id}", JSON | raw.basic(id, code), b'{"age":3}'), 200)
            row.expect("the new one too", server.ask("PATCH", f"{API}/{id}", JSON | raw.basic(id, new), b'{"age":4}'), 200)
            row.expect("it revokes the old one", server.ask("PATCH", f"{API}/{id}", JSON | raw.basic(id, code), b"{}"), 403)
            for _ in range(4):
                posted(server, lost, email="ada@example.com")
                time.sleep(0.5)
            time.sleep(3)
            row.case("at most three lost codes per day", len(box.mails(4)) == 4, len(box.mails(4)))
            box.stop()
            row.expect("while the mail server is down", server.ask(
                "POST", API, JSON, row.report(email="bo@example.com"), row.work.address()), 201)  # fmt: skip
            time.sleep(4)
            log = read(server.log).decode()
            row.case("the log reports it", "mail not sent" in log and "action=" in log, log[-500:])
            row.case("without an address or code", "bo@example" not in log and code not in log)
    finally:
        box.process.kill()
    with row.own_server("mailless") as server:
        id = row.create(server, email="ada@example.com")[0]
        row.expect("no page for a new code", server.ask("GET", f"/announcements/{id}/owner/lost-code"), 404)
        catalog = read(os.path.join(server.petspot.cache, "database/catalog.sqlite"))
        row.case("without mail no address is kept", b"ada@example.com" not in catalog)
