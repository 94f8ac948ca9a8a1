"""Clients that request one page again and again over kept connections: `asking.py PORT PATH CLIENTS SECONDS PAUSE`.
It is a separate process with a single thread, so that it measures the server and not Python's threads. Prints the
milliseconds of each response as JSON."""

import json
import selectors
import socket
import sys
import time


class Client:
    def __init__(self, port, path):
        self.request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received, self.asked, self.due = b"", None, None

    def ask(self):
        self.received, self.asked = b"", time.monotonic()
        self.socket.sendall(self.request)

    def is_answered(self):
        """Reads received bytes. Returns whether the response is complete."""
        piece = self.socket.recv(1 << 18)
        if not piece:
            sys.exit("asking: the server closed")
        self.received += piece
        head, found, body = self.received.partition(b"\r\n\r\n")
        if not found:
            return False
        if not head.startswith(b"HTTP/1.1 200 "):
            sys.exit(f"asking: {head[:80]!r}")
        length = next(
            int(line.partition(b":")[2]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")
        )
        return len(body) >= length


def main():
    port, path, count, seconds, pause = sys.argv[1:]
    clients = [Client(int(port), path) for _ in range(int(count))]
    pause, begin, took = float(pause), time.monotonic(), []
    selector = selectors.DefaultSelector()
    for client in clients:
        selector.register(client.socket, selectors.EVENT_READ, client)
    # The clients are spread over the pause, and each keeps its own schedule. If they were scheduled from their last
    # request, all would send at once after this process had waited for a core.
    for number, client in enumerate(clients):
        client.due = begin + pause * number / len(clients)
    waiting = list(clients)
    while (now := time.monotonic()) < begin + float(seconds):
        for client in [client for client in waiting if client.due <= now]:
            waiting.remove(client)
            client.ask()
        soon = min((client.due - now for client in waiting), default=0.1)
        for key, _ in selector.select(max(0, min(0.1, soon))):
            if (client := key.data).is_answered():
                done = time.monotonic()
                took.append((done - client.asked) * 1000)
                client.due += pause * (1 + max(0, done - client.due) // pause) if pause else 0
                waiting.append(client)
    print(json.dumps({"seconds": time.monotonic() - begin, "milliseconds": took}))


main()
