"""Kills a server while clients use it."""

import collections
import os
import random
import signal
import threading
import time
import types

import invariants
import pictures
import raw
from board import Tally
from petspot import kill_after
from rows import API
from serving import Server
from shimming import outlived
from uploading import DYING, OPTIONS, PATIENCE, Create, Form, Pictures, Tus, plain_row, tidy, told_of, verify

CLIENTS = 8
PHOTOS = 12
OLD = 3  # unchanged announcements of each client that are checked after each kill


def http_kills(work):
    """SIGKILL of the server at random moments while 8 clients create announcements, upload and read."""
    tally, row = Tally("http-kills"), plain_row(work)
    photos, expected = pictures.folder(work.path("photos"), PHOTOS, work.dice), Pictures(work)
    for path in photos:
        expected.made(path)
    row.server = server = Server(row.work, "kills", OPTIONS)
    server.patience = PATIENCE
    total, some = work.count(3, 1000), 2 if work.quick else CLIENTS
    game = Game(some)
    clients = [Client(game, row, expected, photos, random.Random(work.dice.random())) for _ in range(some)]
    game.open()
    server.wait(lambda: all(client.shown for client in clients), PATIENCE)
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
    game.open(ends=True)
    for client in clients:
        client.join(600)
    created = [act for client in clients for act in client.created]
    tally.faults += [f"{act.key} gave {act.shown()}" for act in created if act.shown() is not True]
    tally.faults += [*game.take(), *tidy(server), *verify(server)]
    server.stop()
    done = ", ".join(f"{game.done[what]} {what}" for what in sorted(game.done))
    tally.notes = f"{beginning} as it began; {some} clients, {done}"
    yield tally


class Game:
    """Controls when the clients may act."""

    def __init__(self, clients):
        self.clients, self.killed, self.ends, self.is_open, self.round = clients, False, False, False, 0
        self.idle, self.lock = 0, threading.Condition()
        self.faults, self.done = [], collections.Counter()

    def open(self, ends=False):
        """Lets the clients act. With `ends`, they only check everything they have."""
        with self.lock:
            self.killed, self.is_open, self.ends, self.round = False, True, ends, self.round + 1
            self.lock.notify_all()

    def close(self):
        """Waits until no client acts. Returns false if one hangs."""
        with self.lock:
            self.is_open = False
            return self.lock.wait_for(lambda: self.idle == self.clients, PATIENCE)

    def turn(self):
        """Waits until the client may act. Returns the number of the round, which a kill ends."""
        with self.lock:
            self.idle += 1
            self.lock.notify_all()
            self.lock.wait_for(lambda: self.is_open)
            self.idle -= 1
            return self.round

    def take(self):
        with self.lock:
            faults, self.faults = self.faults, []
            return faults


class Client(threading.Thread):
    """Does one act after the other. An act that a kill cuts off is judged and repeated after the restart."""

    def __init__(self, game, row, expected, photos, dice):
        super().__init__(daemon=True)
        self.game, self.row, self.pictures, self.photos, self.dice = game, row, expected, photos, dice
        self.shown, self.changed = {}, set()  # the picture of each announcement, and those to be checked
        self.created, self.act, self.round = [], None, 0
        self.start()

    def run(self):
        while not (self.game.ends and self.act is None and self.round == self.game.round):
            round = self.game.turn()
            try:
                faults = [*self.step(round)]
            except (OSError, raw.Broken) as error:
                time.sleep(0.2)
                faults = [f"cut off while the server ran: {error}"]
            # Whatever a kill cut off is judged in the next round.
            if not self.game.killed:
                with self.game.lock:
                    self.game.faults += faults

    def step(self, round):
        if self.act:
            yield from self.judge()
        elif self.round != round:
            yield from self.look()
            self.round = round
        elif not self.game.ends:
            owner = self.dice.choice(list(self.shown)[-10:]) if self.shown and self.dice.random() > 0.1 else None
            kind = self.dice.choice((Form, Tus)) if owner else Create
            place = types.SimpleNamespace(row=self.row, pictures=self.pictures, owner=owner)
            self.act = kind(place, self.dice.choice(self.photos), self.shown.get(owner))
            self.act.send()
            if self.act.is_done:
                self.finish()
            elif not is_refusal(self.act.answer):
                yield f"{self.act.name} is answered {self.act.answer}"

    def judge(self):
        """Judges and repeats an act that was cut off or refused."""
        faults = [*self.act.faults()]
        if self.act.is_done:
            self.finish()
        elif is_refusal(self.act.answer):
            faults = [fault for fault in faults if not fault.startswith("the repetition")]
        yield from faults

    def finish(self):
        owner = self.act.place.owner or self.act.told[0]
        if self.act.place.owner:
            self.shown[owner] = self.act.expected
        else:
            self.shown[owner] = None
            self.created.append(self.act)
        self.changed.add(owner)
        with self.game.lock:
            self.game.done[self.act.name] += 1
        self.act = None

    def look(self):
        """Checks the changed announcements and a few others, or all of them at the end."""
        answer = self.row.server.ask("GET", f"{API}?limit=100")
        if answer is None or answer.status != 200 and not is_refusal(answer):
            yield f"a list is {answer}"
        old = self.shown if self.game.ends else self.dice.sample(list(self.shown), min(OLD, len(self.shown)))
        for owner in {*self.changed, *old}:
            if (shown := self.row.picture(owner)) == self.shown[owner]:
                self.changed.discard(owner)
            else:
                yield f"{told_of(shown)} is shown instead of {told_of(self.shown[owner])}"


def is_refusal(answer):
    """Returns whether a response tells to come again. The server counts a try of a password before it compares it,
    so tries in killed servers can exceed the limit."""
    return answer is not None and answer.status in (429, 503) and answer["retry-after"] is not None
