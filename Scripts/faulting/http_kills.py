"""Kills a server while clients use it."""

import os
import random
import signal
import threading
import time

import caches
import invariants
import pictures
import raw
from board import Tally
from files import read
from petspot import kill_after
from resumable import Upload
from rows import API, JSON
from serving import Server
from shimming import outlived
from uploading import DYING, OPTIONS, PATIENCE, Pictures, plain_row, tidy, told_of, verify

CLIENTS = 8
PHOTOS = 12
OLD = 3  # unchanged announcements of each client that are checked after each kill


def http_kills(work):
    """SIGKILL of the server at random moments while 8 clients create announcements, upload and read."""
    tally, row = Tally("http-kills"), plain_row(work)
    photos = Pictures(work)
    made = {path: photos.made(path)[0] for path in pictures.folder(work.path("photos"), PHOTOS, work.dice)}
    row.server = server = Server(row.work, "kills", OPTIONS)
    server.patience = PATIENCE
    total, some = work.count(3, 1000), 2 if work.quick else CLIENTS
    game = Game(server, some)
    clients = [Client(game, row, made, number, random.Random(work.dice.random())) for number in range(some)]
    game.open()
    server.wait(lambda: all(client.pets and client.pets[0].owner for client in clients), PATIENCE)
    # A slow server needs more time to make progress.
    beginning, reach = 0, 1.2 if row.work.slowness == 1 else 4
    while tally.tried < total:
        game.open()
        if not server.wait(lambda: False, work.dice.uniform(0, reach)) and not server.runs:
            tally.faults.append(f"the server ended by itself: {server.process.poll()}")
        game.killed = True
        os.kill(server.pid, signal.SIGKILL)
        server.process.wait()
        faults = [*invariants.outlived(outlived(server.pid, DYING))]
        if not game.close():
            tally.faults += [*faults, f"a client hangs for {PATIENCE} s"]
            break
        tally.tried += 1
        if work.dice.random() < 0.1:
            # Also kills a server while it starts.
            outlived(kill_after(server.petspot.command("serve", "--port", "0"), work.dice.uniform(0, 0.3))[1])
            tally.tried, beginning = tally.tried + 1, beginning + 1
        server.start()
        if tally.tried % 25 == 0:
            faults += verify(server)
        tally.add(f"kill {tally.tried}", faults + game.take(), tries=0)
        tally.progress(total, 50)
    for client in clients:
        client.changed = list(client.pets)
    game.open(ends=True)
    for client in clients:
        client.join(600)
    pets = [pet for client in clients for pet in client.pets]
    tally.faults += [*game.take(), *doubles(server, pets), *tidy(server), *verify(server)]
    server.stop()
    done = ", ".join(f"{game.done[what]} {what}" for what in sorted(game.done))
    tally.notes = f"{beginning} as it began; {some} clients, {done}"
    yield tally


def doubles(server, pets):
    """Each key must have at most one announcement, the one that the client was told."""
    found = {}
    for name, id in caches.rows(server.petspot, "SELECT pet_name, id FROM announcement"):
        found.setdefault(name, []).append(id)
    for pet in pets:
        ids = found.get(pet.key, [])
        if len(ids) > 1:
            yield f"{len(ids)} announcements of one key"
        if pet.owner and ids != [pet.owner[0]]:
            yield f"told {pet.owner[0]}, and there is {ids}"


class Game:
    """Controls when the clients may act."""

    def __init__(self, server, clients):
        self.server, self.clients, self.killed, self.ends, self.is_open = server, clients, False, False, False
        self.idle, self.lock = 0, threading.Condition()
        self.faults, self.done = [], {}

    def open(self, ends=False):
        """Lets the clients act. With `ends`, they only check everything they have."""
        with self.lock:
            self.killed, self.is_open, self.ends = False, True, ends
            self.lock.notify_all()

    def close(self):
        """Waits until no client acts. Returns false if one hangs."""
        with self.lock:
            self.is_open = False
            return self.lock.wait_for(lambda: self.idle == self.clients, PATIENCE)

    def turn(self):
        """Waits until the client may act."""
        with self.lock:
            self.idle += 1
            self.lock.notify_all()
            self.lock.wait_for(lambda: self.is_open)
            self.idle -= 1

    def count(self, what):
        with self.lock:
            self.done[what] = self.done.get(what, 0) + 1

    def fault(self, text):
        with self.lock:
            self.faults.append(text)

    def take(self):
        with self.lock:
            faults, self.faults = self.faults, []
            return faults


class Pet:
    """An announcement as its client knows it. `may` contains the pictures that it may show."""

    def __init__(self, key):
        self.key, self.owner, self.may = key, None, {None}
        self.upload, self.sending, self.offset = None, None, 0


class Client(threading.Thread):
    def __init__(self, game, row, made, number, dice):
        super().__init__(daemon=True)
        self.game, self.row, self.made, self.number, self.dice = game, row, made, number, dice
        self.pets, self.changed = [], []
        self.start()

    def run(self):
        while True:
            self.game.turn()
            try:
                if self.game.ends:
                    self.look()
                    return
                self.look() if self.changed and self.dice.random() < 0.5 else self.act()
            except (OSError, raw.Broken) as error:
                # Without a kill none of these may happen.
                time.sleep(0.2)
                if not self.game.killed:
                    self.game.fault(f"cut off while the server ran: {error}")

    def ask(self, function):
        """Returns a response. Raises an error if the connection ends without one."""
        answer = function()
        if answer is None:
            raise raw.Broken("no answer")
        return answer

    def good(self, what, answer, *statuses):
        """Returns whether a response has one of the statuses. A refusal with Retry-After counts as neither success
        nor fault. The server counts a try of a password before it compares it, so tries in killed servers can
        exceed the limit."""
        if answer.status in statuses:
            self.game.count(what)
            return True
        if answer.status not in (429, 503) or not answer["retry-after"]:
            self.game.fault(f"{what} is answered {answer} {answer.body[:200]}")
        return False

    def act(self):
        known = [pet for pet in self.pets if pet.owner]
        pending = [pet for pet in self.pets if not pet.owner]
        if pending or not known or self.dice.random() < 0.1:
            self.create(pending[0] if pending else None)
            return
        pet = self.dice.choice(known[-10:])
        if pet.upload:
            self.go_on(pet)
        else:
            self.dice.choice((self.send_form, self.begin, self.read))(pet)

    def create(self, pet):
        if pet is None:
            pet = Pet(f"pet-of-client-{self.number}-{len(self.pets)}")
            self.pets.append(pet)
        fields = JSON | {"Idempotency-Key": pet.key}
        body = self.row.report(petName=pet.key)
        answer = self.ask(lambda: self.row.server.ask("POST", API, fields, body))
        if self.good("created", answer, 201):
            pet.owner = answer.json["id"], answer.json["managementPassword"]
            self.changed.append(pet)

    def send_form(self, pet):
        path = self.dice.choice(list(self.made))
        self.note(pet, path)
        if self.good("forms", self.ask(lambda: self.row.upload(pet.owner, path=path, timeout=PATIENCE)), 201):
            pet.may = {self.made[path]}

    def note(self, pet, path):
        pet.may.add(self.made[path])
        self.changed.append(pet)

    def begin(self, pet):
        path = self.dice.choice(list(self.made))
        upload = Upload(self.row, pet.owner, len(read(path)), "127.0.0.1")
        if self.good("uploads begun", self.ask(lambda: upload.answer), 201):
            pet.upload, pet.sending, pet.offset = upload, path, 0
            self.changed.append(pet)

    def go_on(self, pet):
        """Sends another part of the photo. Acknowledged bytes must still be there."""
        answer = self.ask(pet.upload.head)
        self.note(pet, pet.sending)
        if not self.good("offsets asked", answer, 200):
            return
        offset, photo = int(answer["upload-offset"]), read(pet.sending)
        if offset < pet.offset:
            self.game.fault(f"offset {pet.offset} was told, and now it is {offset}")
        if offset < len(photo):
            end = min(len(photo), offset + self.dice.choice((300, 700, len(photo))))
            answer = self.ask(lambda: pet.upload.patch(offset, photo[offset:end]))
            if not self.good("pieces", answer, 204):
                return
            offset = int(answer["upload-offset"])
        pet.offset = offset
        if offset == len(photo):
            pet.may, pet.upload = {self.made[pet.sending]}, None
            self.game.count("uploads ended")

    def read(self, pet):
        self.good("lists", self.ask(lambda: self.row.server.ask("GET", f"{API}?limit=100")), 200)
        self.check(pet)

    def look(self):
        """Checks the changed announcements and a few others."""
        pets = self.changed + self.dice.sample(self.pets, min(OLD, len(self.pets)))
        for pet in dict.fromkeys(pets):
            if pet.owner:
                self.check(pet)
            self.changed = [other for other in self.changed if other is not pet]

    def check(self, pet):
        answer = self.ask(lambda: self.row.server.ask("GET", f"{API}/{pet.owner[0]}"))
        if not self.good("looked at", answer, 200):
            return
        url, shown = answer.json.get("photoUrl"), None
        if url:
            picture = self.ask(lambda: self.row.server.ask("GET", "/" + url.split("/", 3)[3]))
            if not self.good("pictures", picture, 200):
                return
            shown = picture.body
        if shown not in pet.may:
            self.game.fault(f"{told_of(shown)} is shown instead of {[told_of(may) for may in pet.may]}")
        elif len(pet.may) > 1 and not pet.upload:
            # An interrupted upload is over: it succeeded or not.
            pet.may = {shown}
