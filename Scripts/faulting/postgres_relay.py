"""A relay before PostgreSQL that cuts connections when a COMMIT comes along: before it is passed on, right after,
or when its answer comes. Whoever sent it cannot know whether it was done."""

import asyncio
import random
import threading

KINDS = ("before", "sent", "answered")


class Relay:
    """Runs in a thread of its own; `chance` is how likely a COMMIT is cut."""

    def __init__(self, port, chance, seed):
        self.target, self.chance, self.random = port, chance, random.Random(seed)
        self.commits, self.cuts = 0, {kind: 0 for kind in KINDS}
        self.loop, ready = asyncio.new_event_loop(), threading.Event()
        self.thread = threading.Thread(target=self.run, args=(ready,), daemon=True)
        self.thread.start()
        ready.wait()

    def run(self, ready):
        asyncio.set_event_loop(self.loop)

        async def listen():
            server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            ready.set()

        self.loop.run_until_complete(listen())
        self.loop.run_forever()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()

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
        """What is done about these bytes of a client."""
        if b"COMMIT" not in data or b"COMMITTED" in data:
            return None
        self.commits += 1
        if self.random.random() >= self.chance:
            return None
        kind = self.random.choice(KINDS)
        self.cuts[kind] += 1
        line.waits = kind == "answered"
        return None if line.waits else kind


class Line:
    """A client's connection and ours to the server."""

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
                    # What was written is sent first, and the server reads it.
                    await asyncio.sleep(0.02)
                    break
        except OSError:
            pass
        for writer in self.writers:
            writer.transport.abort()
