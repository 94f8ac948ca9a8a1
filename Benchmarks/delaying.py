"""A relay that delays a port of loopback and counts what passes: `delaying.py PORT MILLISECONDS`. It prints its own
port, and its counts as JSON when its input ends."""

import asyncio
import json
import re
import sys

METHOD = re.compile(rb"(GET|PUT|HEAD|POST|DELETE) [^ ]+ HTTP/1\.1\r\n")


class Relay:
    """Delays each direction by `seconds`, so that a round trip takes twice as long."""

    def __init__(self, target, seconds):
        self.target, self.seconds = target, seconds
        self.counts = {"roundTrips": 0, "connections": 0}

    async def serve(self, reader, writer):
        answers, server = await asyncio.open_connection("127.0.0.1", self.target)
        self.counts["connections"] += 1
        line = {"asks": False}
        await asyncio.gather(self.carry(reader, server, line, True), self.carry(answers, writer, line, False))

    async def carry(self, reader, writer, line, asks):
        """Passes bytes on after the delay. Bytes in transit don't delay others."""
        loop, waiting = asyncio.get_running_loop(), asyncio.Queue()

        async def deliver():
            while (item := await waiting.get()) is not None:
                moment, data = item
                await asyncio.sleep(max(0, moment - loop.time()))
                writer.write(data)
            writer.close()

        delivery = asyncio.ensure_future(deliver())
        try:
            while data := await reader.read(1 << 18):
                self.count(data, line, asks)
                waiting.put_nowait((loop.time() + self.seconds, data))
        except OSError:
            pass
        waiting.put_nowait(None)
        await delivery

    def count(self, data, line, asks):
        """Counts a round trip whenever the client sends after a response."""
        if asks and not line["asks"]:
            self.counts["roundTrips"] += 1
            if found := METHOD.match(data):
                name = found[1].decode()
                self.counts[name] = self.counts.get(name, 0) + 1
        line["asks"] = asks


async def main():
    relay = Relay(int(sys.argv[1]), float(sys.argv[2]) / 2000)
    server = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    print(json.dumps(relay.counts), flush=True)


if __name__ == "__main__":
    asyncio.run(main())
