"""Row 166: responses during and after an outage of the database or the photo store."""

import base64
import copy
import json
import os
import signal
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import postgresservers
import raw
import s3servers
from descriptors import free_port, up
from mailing import posted
from resumable import Upload
from rows import API, JSON, OTHER, PHOTO, content, report, row
from serving import Server
from watching import read

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
WORDS = {"database": b"read or save reports", "pictures": b"show or take photos"}  # of pages
BEFORE = 5  # seconds until the first requests must fail; later ones fail at once
HEALTH, BACK = 2, 30


class Gone:
    """A store that is killed, or stopped so that it doesn't respond, and that comes back."""

    def __init__(self, subject, server, halts):
        self.subject, self.server, self.halts = subject, server, halts
        self.name = f"{subject} {'halted' if halts else 'killed'}"

    def processes(self):
        """Returns the server's process and its children, which hold connections."""
        pid = self.server.process.pid
        return [pid, *map(int, read(f"/proc/{pid}/task/{pid}/children").split())]

    def begin(self):
        if not self.halts:
            return self.server.stop()
        for pid in self.processes():
            os.kill(pid, signal.SIGSTOP)

    def end(self):
        if self.halts:
            for pid in reversed(self.processes()):
                os.kill(pid, signal.SIGCONT)
        elif self.subject == "database":
            self.server.start()
        else:
            self.server.start(self.server.ports)
            self.server.wait()


class Asked:
    """A server with both stores, and the requests for it."""

    def __init__(self, row, server, metrics):
        self.row, self.server, self.other, self.metrics = row, server, copy.copy(row), metrics
        self.other.server = server
        self.owner = row.create(server)
        row.expect("with both", row.upload(self.owner, server=server), 201)
        self.photo = row.photo_of(self.owner, server)
        # The uploads of one draft must not change the draft of the other.
        self.cookie, self.sender = (self.cookie_of(server.ask("GET", "/report/chip")) for _ in "12")
        body = raw.form(raw.part(content(PHOTO)))
        server.ask("POST", "/report/photo", self.cookie | raw.form_type(), body)
        page = f"/announcements/{self.owner[0]}/owner"
        self.own = self.cookie_of(posted(server, page, code=self.owner[1]))

    def cookie_of(self, answer):
        return {"Cookie": answer["set-cookie"].split(";")[0]}

    def acts(self, subject, is_known):
        """Returns the requests that must be refused during an outage, by name."""
        # Photos that aren't stored yet, because known ones need no store.
        ask, photo = self.server.ask, content(OTHER)
        form = raw.form(raw.part(photo))
        whole = json.dumps(report() | {"photo": base64.b64encode(photo).decode()}).encode()
        row, own = self.row, f"/announcements/{self.owner[0]}/owner"
        acts = {
            "image": lambda: ask("GET", self.photo),
            "photo page": lambda: ask("GET", "/report/photo", self.cookie),
            "preview": lambda: ask("GET", "/report/photo/preview", self.cookie),
            "form": lambda: row.upload(self.owner, form, server=self.server),
            "base64": lambda: ask("POST", "/api/announcements", JSON, whole, row.work.address(), 60),
            "photo step": lambda: ask("POST", "/report/photo", self.sender | raw.form_type(), form, timeout=60),
            "owner's photo": lambda: ask("POST", own, self.own | raw.form_type(), form, timeout=60),
        }
        if is_known:  # the server may still accept bytes until it has noticed the outage
            acts |= {
                "resumed upload": lambda: self.resumed.patch(0, photo),
                "resumable upload": lambda: self.resumable().answer,
            }
        if subject == "database":
            acts |= {
                "list": lambda: ask("GET", API), "page": lambda: ask("GET", "/"),
                "creation": lambda: ask("POST", API, JSON, row.report(), row.work.address(), 60),
                "own page": lambda: ask("GET", f"/announcements/{self.owner[0]}"),
            }  # fmt: skip
        return acts

    def others(self):
        """Yields the requests that must work without the photo store."""
        ask = self.server.ask
        yield "a list", ask("GET", API)
        yield "a page", ask("GET", "/report/chip", self.cookie)
        id, code = owner = self.row.create(self.server)
        yield "a change", ask("PATCH", f"{API}/{id}", JSON | raw.basic(*owner), b'{"age":3}')
        own = self.cookie_of(posted(self.server, f"/announcements/{id}/owner", code=code))
        yield "closing", ask("POST", f"/announcements/{id}/owner/close", own | FORM, b"")
        yield "erasing", ask("DELETE", f"{API}/{id}", raw.basic(*owner))

    def resumable(self):
        """Starts a resumable upload."""
        return Upload(self.other, self.owner, os.path.getsize(PHOTO))

    def refused(self, gone, what, act, limit):
        begin = time.monotonic()
        answer, took = act(), time.monotonic() - begin
        what = f"{gone.name}, {what}"
        if self.row.expect(what, answer, 503):
            told = answer.error.get("unreachable") == gone.subject or WORDS[gone.subject] in answer.body
            self.row.case(f"{what}: the reason", told, answer.body[-1500:])
        self.row.case(f"{what}: in time", took < limit, f"{took:.1f} s")

    def health(self, gone):
        begin = time.monotonic()
        answer, took = self.server.ask("GET", "/api/health"), time.monotonic() - begin
        self.row.case(f"{gone.name}: health is 503", answer.status == 503 and gone.subject in answer.json, answer.body)
        self.row.case(f"{gone.name}: health in time", took < HEALTH, f"{took:.1f} s")

    def metric(self, what, wanted):
        back = self.server.wait(lambda: up(self.metrics) == wanted, HEALTH + BEFORE)
        self.row.case(f"{what}: the metrics of both stores", back, up(self.metrics))


@row(166, "an outage of the database or the photo store", slow=True)
def outages(row):
    with tempfile.TemporaryDirectory(prefix="outages-", ignore_cleanup_errors=True) as place:
        records = postgresservers.Server(os.path.join(place, "postgres"))
        pictures = s3servers.Server(os.path.join(place, "s3"))
        options = ["--database", records.make("outages"), "--blobs", pictures.url("outages"), "--no-client-limits"]
        options += ["--metrics-port", str(metrics := free_port())]
        try:
            # Pages count as responses too, but without the checks for responses of the API.
            with Server(row.work, "outages", options, os.environ | pictures.environment) as server:
                asked = Asked(row, server, metrics)
                for halts in (False, True):
                    for subject, store in (("database", records), ("pictures", pictures)):
                        outage(row, asked, Gone(subject, store, halts))
                row.case("it ends", server.stop() == 0)
        finally:
            records.stop()
            pictures.stop()


def outage(row, asked, gone):
    server = asked.server
    asked.resumed = asked.resumable()
    said = f"\"{gone.subject} can't be used\"".encode()
    before = read(server.log).count(said)
    gone.begin()
    with ThreadPoolExecutor(40) as pool:
        health = pool.submit(asked.health, gone)
        acts = asked.acts(gone.subject, False).items()
        first = [pool.submit(asked.refused, gone, what, act, BEFORE) for what, act in acts]
        for done in [health, *first]:
            done.result()
        asked.health(gone)
        asked.metric(gone.name, {"database": 1, "pictures": 1} | {gone.subject: 0})
        server.wait(lambda: read(server.log).count(said) > before, BEFORE)
        begin, acts = time.monotonic(), [*asked.acts(gone.subject, True).items()] * 3
        for done in [pool.submit(asked.refused, gone, f"then {what}", act, BEFORE) for what, act in acts]:
            done.result()
        row.case(f"{gone.name}: none waits", time.monotonic() - begin < BEFORE, f"{time.monotonic() - begin:.1f} s")
        if gone.subject == "pictures":
            for what, answer in asked.others():
                row.expect(f"{gone.name}: {what} still works", answer, 200, 201, 204, 303)
        gone.end()
        # Within a second after health, because the server doesn't retry a store at once after a refusal.
        back = all(server.wait(lambda: server.ask("GET", path).status == 200, BACK) for path in ("/api/health", "/"))
        row.case(f"{gone.name}: it recovers by itself", back, server.ask("GET", "/api/health").body)
        asked.metric(f"{gone.name} no more", {"database": 1, "pictures": 1})
        # Connection attempts from the outage may still fail, and for a second make other requests fail.
        time.sleep(5)
        row.expect(f"{gone.name}: a photo after the outage", row.upload(asked.owner, server=server), 201)
        asked.photo = row.photo_of(asked.owner, server) or asked.photo
        row.case(f"{gone.name}: the photo is shown", row.picture(asked.owner, server))
    log = read(server.log)
    row.case(f"{gone.name}: the log reports it", log.count(said) > before and b"can be used again" in log, log[-300:])
