"""A client that stays for the whole soak. It reads, uploads, gets refusals, and disconnects now and then."""

import base64
import itertools
import json
import os
import random
import time

import raw
from board import IMAGES
from pictures import png
from rows import API, JSON, content, report

GOOD = [
    "baseline-444.jpg", "gps-exif.jpg", "cmyk-adobe.jpg", "color-key.png", "everything.png", "animated.gif",
    "animated.webp", "alpha-lossless.webp", "brand-mif1.heic", "10-bit.heic",
]  # fmt: skip
BAD = ["cut-20.jpg", "cut-60.gif", "entropy.png", "foreign.html", "empty.jpg", "half.gif", "canvas-65535.jpg"]
TUS = {"Tus-Resumable": "1.0.0"}
BYTES = {"Content-Type": "application/offset+octet-stream"}
OWNED = 8  # announcements that a client has at a time
ADDRESSES = 40  # addresses of a client; the server limits each one separately
RESTING = 60  # requests over one connection at most


class Visitor:
    """Its actions are in `acts`, each with its share. Unexpected responses are in `surprises`."""

    always = (429, 503)

    def __init__(self, server, number, seed):
        self.server, self.number, self.dice = server, number, random.Random(seed * 1000 + number)
        self.addresses = itertools.cycle([f"127.{number + 1}.7.{place + 1}" for place in range(ADDRESSES)])
        self.owners, self.shown = [], []
        self.connection, self.left = None, 0
        self.done, self.surprises = {}, []
        self.acts = {
            self.look: 40, self.page: 10, self.upload: 16, self.base64: 3, self.resume: 8,
            self.refusal: 10, self.bad_photo: 4, self.leave: 6, self.close: 3,
        }  # fmt: skip

    def stay(self, until, pause):
        """Performs one action after another, with pauses of `pause` seconds on average."""
        acts, shares = list(self.acts), list(self.acts.values())
        while time.monotonic() < until and self.server.runs:
            act = self.announce if len(self.owners) < OWNED else self.dice.choices(acts, shares)[0]
            try:
                act()
            except (OSError, raw.Broken) as error:
                self.surprises.append(f"{act.__name__}: {type(error).__name__} {error}")
                self.hang_up()
            self.done[act.__name__] = self.done.get(act.__name__, 0) + 1
            time.sleep(self.dice.uniform(0, 2 * pause))
        self.hang_up()

    # Requests.

    def hang_up(self):
        if self.connection:
            self.connection.close()
        self.connection = None

    def ask(self, what, statuses, method, path, fields=(), body=None):
        """Sends a request over the open connection. Returns the response if it has one of the statuses. Statuses in
        `always` are never a surprise."""
        if self.connection is None or self.left == 0:
            self.hang_up()
            self.connection = self.server.connect(next(self.addresses), timeout=180)
            self.left = self.dice.randrange(1, RESTING)
        self.left -= 1
        self.connection.send(raw.request(method, path, fields, body))
        answer = self.connection.read(method)
        if answer is None or answer["connection"] == "close":
            self.hang_up()
        found = answer and answer.status
        if found not in (*statuses, *self.always):
            reason = (answer and answer.error.get("reason")) or ""
            self.surprises.append(f"{what}: {answer} {reason} instead of {statuses}")
        return answer if found in statuses else None

    def owner(self):
        return self.dice.choice(self.owners)

    def picture(self):
        """Returns the bytes of a photo. Every third one is new."""
        if self.dice.randrange(3) == 0:
            return png(self.dice, self.dice.randrange(8, 300), self.dice.choice((8, 16)))
        return content(os.path.join(IMAGES, self.dice.choice(GOOD)))

    # Actions.

    def announce(self):
        body = json.dumps(report() | {"petName": f"Fox {self.dice.randrange(1000)}"}).encode()
        if answer := self.ask("announce", (201,), "POST", API, JSON, body):
            self.owners.append((answer.json["id"], answer.json["managementPassword"]))

    def look(self):
        near = f"lat={self.dice.uniform(-90, 90):.4f}&lng={self.dice.uniform(-180, 180):.4f}"
        targets = [API, f"{API}?limit=100", f"{API}?{near}&sort=distanceFromUser", f"{API}?{near}&range=50"]
        targets += ["/api/health", "/api/openapi.json", f"{API}/{self.owner()[0]}"]
        path = self.dice.choice(targets)
        answer = self.ask(path, (200,), self.dice.choice(("GET", "GET", "HEAD")), path)
        items = (answer and answer.json.get("announcements")) or []
        self.shown = ["/" + item["photoUrl"].split("/", 3)[3] for item in items] or self.shown
        if self.shown:
            photo = self.dice.choice(self.shown) + self.dice.choice(("", "-preview"))
            # Its owner may have replaced or closed it in the meantime.
            answer = self.ask(photo, (200, 404), "GET", photo)
            if answer and answer.status == 200:
                self.ask(f"{photo} again", (304, 404), "GET", photo, {"If-None-Match": answer["etag"]})

    def page(self):
        path = self.dice.choice(("/", "/announcements", "/report/chip", f"/announcements/{self.owner()[0]}"))
        # An announcement without a photo has no page yet.
        self.ask(path, (200, 303, 404), "GET", path, {"Accept-Language": self.dice.choice(("en", "pl"))})

    def upload(self):
        owner, body = self.owner(), raw.form(raw.part(self.picture()))
        fields = raw.basic(*owner) | raw.form_type()
        self.ask("upload", (201,), "POST", f"{API}/{owner[0]}/photos", fields, body)

    def base64(self):
        body = json.dumps(report() | {"photo": base64.b64encode(self.picture()).decode()}).encode()
        if answer := self.ask("base64", (201,), "POST", "/api/announcements", JSON, body):
            self.owners.append((answer.json["id"], answer.json["managementPassword"]))
            self.close()

    def resume(self):
        """Uploads a photo in pieces. The client deletes one in four, and abandons one in twenty."""
        owner, photo = self.owner(), self.picture()
        fields, base = raw.basic(*owner) | TUS, f"{API}/{owner[0]}/uploads"
        made = self.ask("tus", (201,), "POST", base, fields | {"Upload-Length": len(photo)}, b"")
        if made is None:
            return
        path, offset, fate = "/" + made["location"].split("/", 3)[3], 0, self.dice.random()
        while offset < len(photo):
            piece = photo[offset : offset + self.dice.randrange(1, len(photo) + 1)]
            if fate < 0.3 and offset:
                if fate > 0.05:
                    self.ask("tus DELETE", (204,), "DELETE", path, fields)
                return
            patch = fields | BYTES | {"Upload-Offset": offset}
            if self.ask("tus PATCH", (204,), "PATCH", path, patch, piece) is None:
                self.ask("tus DELETE", (204, 404, 410), "DELETE", path, fields)
                return
            offset += len(piece)
        self.ask("tus HEAD", (200,), "HEAD", path, fields)

    def refusal(self):
        owner = self.owner()
        photos, form = f"{API}/{owner[0]}/photos", raw.form(raw.part(b"\xff\xd8"))
        self.ask(*self.dice.choice([
            ("a wrong password", (403,), "DELETE", f"{API}/{owner[0]}", raw.basic(owner[0], "wrong")),
            ("no password", (401,), "POST", photos, raw.form_type(), form),
            ("bad JSON", (400,), "POST", API, JSON, b'{"species":"dog",}'),
            ("no report", (400,), "POST", API, JSON, b"{}"),
            ("another type", (415,), "POST", API, {"Content-Type": "text/plain"}, b"dog"),
            ("too long", (413,), "POST", API, JSON, bytes(200_000)),
            ("nowhere", (404,), "GET", "/none"),
            ("another method", (405,), "PUT", "/api/health"),
            ("a bad query", (400,), "GET", f"{API}?limit=0"),
            ("another site's", (403,), "POST", API, JSON | {"Sec-Fetch-Site": "cross-site"}, b"{}"),
            ("no form", (400,), "POST", photos, raw.basic(*owner) | raw.form_type(), form[:-20]),
            ("a wrong offset", (404,), "HEAD", f"{API}/{owner[0]}/uploads/{'A' * 22}", raw.basic(*owner) | TUS),
        ]))  # fmt: skip

    def bad_photo(self):
        owner, body = self.owner(), raw.form(raw.part(content(os.path.join(IMAGES, self.dice.choice(BAD)))))
        fields = raw.basic(*owner) | raw.form_type()
        self.ask("a bad photo", (400, 415, 422), "POST", f"{API}/{owner[0]}/photos", fields, body)

    def leave(self):
        """Disconnects within a head, within a body, or before the response, with FIN or RST."""
        owner, body = self.owner(), raw.form(raw.part(self.picture()))
        fields = raw.basic(*owner) | raw.form_type() | {"Content-Length": len(body)}
        request = raw.head("POST", f"{API}/{owner[0]}/photos", fields) + body
        if self.dice.randrange(2):
            request = request[: self.dice.randrange(1, len(request))]
        connection = self.server.connect(next(self.addresses))
        connection.send(request)
        time.sleep(self.dice.choice((0, 0, 0.02, 0.2)))
        connection.reset() if self.dice.randrange(2) else connection.close()

    def close(self):
        owner = self.owners.pop(0)
        self.ask("close", (204,), "DELETE", f"{API}/{owner[0]}", raw.basic(*owner))
