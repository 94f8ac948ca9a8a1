"""Relays in front of a server that imitate bad networks and failing servers, each fault with its probability, from a
seed. Their clients must reach the same result as without a relay."""

import asyncio
import random
import threading

S3_KINDS = ["500-before", "503-before", "500-after", "503-after", "reset-before", "reset-after", "slow", "cut", "flipped", "stale"]
COMMIT_KINDS = ("before", "sent", "answered")
ERROR = b"<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>of the relay</Message></Error>"


class Relay:
    """Runs on its own thread. `counts` has the number of faults of each kind."""

    def __init__(self, port, seed, kinds):
        self.target, self.random, self.counts = port, random.Random(seed), dict.fromkeys(kinds, 0)
        self.loop, ready = asyncio.new_event_loop(), threading.Event()
        self.thread = threading.Thread(target=self.run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait()

    def run(self, ready):
        asyncio.set_event_loop(self.loop)

        async def listen():
            self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
            self.port = self.server.sockets[0].getsockname()[1]
            ready.set()

        self.loop.run_until_complete(listen())
        self.loop.run_forever()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.port}"

    def stop(self):
        asyncio.run_coroutine_threadsafe(self.end(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def end(self):
        self.server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)


# PostgreSQL


class CommitRelay(Relay):
    """Cuts connections at a COMMIT: before it is passed on, right after that, or when its response arrives. The
    client can't know whether the commit succeeded. `chance` is the probability for each COMMIT."""

    def __init__(self, port, chance, seed):
        self.chance = chance
        super().__init__(port, seed, COMMIT_KINDS)

    async def serve(self, reader, writer):
        try:
            answers, server = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            writer.transport.abort()
            return
        line = Line(writer, server)
        back = asyncio.ensure_future(line.carry(answers, writer, lambda data: "answered" if line.waits else None))
        await line.carry(reader, server, lambda data: self.choose(line, data))
        back.cancel()

    def choose(self, line, data):
        """Returns what to do with these bytes of a client."""
        if b"COMMIT" not in data or b"COMMITTED" in data or self.random.random() >= self.chance:
            return None
        kind = self.random.choice(COMMIT_KINDS)
        self.counts[kind] += 1
        line.waits = kind == "answered"
        return None if line.waits else kind


class Line:
    """A client's connection, and the one to the server for it."""

    def __init__(self, *writers):
        self.writers, self.waits = writers, False

    async def carry(self, reader, writer, choose):
        try:
            while data := await reader.read(1 << 16):
                kind = choose(data)
                if kind in (None, "sent"):
                    writer.write(data)
                    await writer.drain()
                if kind:
                    # Gives the server time to receive and read what was written.
                    await asyncio.sleep(0.02)
                    break
        except OSError:
            pass
        for writer in self.writers:
            writer.transport.abort()


# S3


class ObjectRelay(Relay):
    """`chances` has the probability of each kind for a request. `answered` is called with the request line after
    the server has processed a request and before the client gets the response."""

    def __init__(self, port, chances, seed, answered=lambda line: None):
        self.chances, self.answered = chances, answered
        self.listings, self.requests = {}, 0
        super().__init__(port, seed, S3_KINDS)

    def choose(self, line):
        self.requests += 1
        drawn = self.random.random()
        for kind, chance in self.chances.items():
            if kind == "stale" and "list-type=2" not in line:
                continue
            if drawn < chance:
                self.counts[kind] += 1
                return kind
            drawn -= chance
        return None

    async def serve(self, reader, writer):
        """Serves the requests of one connection, each over a new connection to the server. The fields that a client
        signs, such as the host, stay unchanged."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(length(head))
                line = head.split(b"\r\n", 1)[0].decode()
                kind = self.choose(line)
                if kind and kind.endswith("-before"):
                    if kind == "reset-before":
                        writer.transport.abort()
                        return
                    writer.write(refusal(kind, line))
                    continue
                if kind == "slow":
                    await asyncio.sleep(self.random.uniform(0.2, 2))
                if kind == "flipped" and body:
                    # The server gets another request than the client sent.
                    body, kind = self.flip(body), None
                answer = await ask(self.target, head, body)
                await asyncio.to_thread(self.answered, line)
                if "list-type=2" in line:
                    before = self.listings.get(line, answer)
                    self.listings[line] = answer
                    answer = before if kind == "stale" else answer
                if kind and kind.endswith("-after"):
                    if kind == "reset-after":
                        writer.transport.abort()
                        return
                    answer = refusal(kind, line)
                writer.write(self.spoiled(answer, kind))
                await writer.drain()
                if kind == "cut":
                    writer.close()
                    return
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def spoiled(self, answer, kind):
        head, _, body = answer.partition(b"\r\n\r\n")
        if not body or kind not in ("cut", "flipped"):
            return answer
        if kind == "cut":
            return head + b"\r\n\r\n" + body[: self.random.randrange(len(body))]
        return head + b"\r\n\r\n" + self.flip(body)

    def flip(self, body):
        flipped = bytearray(body)
        flipped[self.random.randrange(len(body))] ^= 1 << self.random.randrange(8)
        return bytes(flipped)


def length(head):
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


def refusal(kind, line):
    status, code = (b"500 Internal Server Error", b"InternalError")
    if kind.startswith("503"):
        status, code = b"503 Slow Down", b"SlowDown"
    body = ERROR % code
    head = b"HTTP/1.1 %s\r\nContent-Type: application/xml\r\nContent-Length: %d\r\n\r\n" % (status, len(body))
    return head if line.startswith("HEAD") else head + body


async def ask(port, head, body):
    """Returns the server's whole response."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(without_connection(head) + b"\r\nConnection: close\r\n\r\n" + body)
        await writer.drain()
        answer = await reader.read()
    finally:
        writer.close()
    return without_connection(answer) + b"\r\n\r\n" + answer.partition(b"\r\n\r\n")[2]


def without_connection(message):
    """Returns a message's head without the Connection field, which the relay sets itself."""
    lines = message.partition(b"\r\n\r\n")[0].split(b"\r\n")
    return b"\r\n".join(line for line in lines if not line.lower().startswith(b"connection:"))
