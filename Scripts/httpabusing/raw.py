"""Speaks HTTP/1.1 over raw sockets. It sends requests exactly as given and parses responses strictly by RFC 9112.
`Connection.witness` gets every response."""

import base64
import json
import re
import socket
import ssl
import time

STATUS_LINE = re.compile(rb"HTTP/1\.([01]) ([1-5][0-9][0-9]) ([\x20-\x7e]*)")
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*", re.DOTALL)


class Broken(Exception):
    """A response that is invalid or incomplete."""


class Answer:
    def __init__(self, status, fields, body, interim=()):
        self.status, self.fields, self.body, self.interim = status, fields, body, list(interim)

    def __getitem__(self, name):
        """Returns a header's value, or several joined by commas. `None` if it is absent."""
        values = [value for key, value in self.fields if key == name.lower()]
        return ", ".join(values) if values else None

    @property
    def json(self):
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    @property
    def error(self):
        error = self.json.get("error")
        return error if isinstance(error, dict) else {}

    @property
    def code(self):
        return self.error.get("code")

    def __str__(self):
        return f"{self.status} {self.code or ''}".strip()


class Connection:
    """One connection. `source` is its client address, by which the server counts clients."""

    def __init__(self, port, source="127.0.0.1", timeout=15, witness=None, tls=None, receive_buffer=None):
        self.witness, self.received, self.is_over = witness, b"", False
        self.hints = []  # interim responses
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.bind((source, 0))
        self.socket.connect(("127.0.0.1", port))
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_hostname="localhost")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def reset(self):
        """Aborts the connection with RST instead of FIN, as if the machine lost power."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def send(self, *pieces):
        """Sends the pieces until the server stops accepting. Returns the number of bytes in the pieces that were
        sent whole."""
        done = 0
        for piece in pieces:
            try:
                self.socket.sendall(piece)
            except (ConnectionError, TimeoutError, ssl.SSLError):
                return done
            done += len(piece)
        return done

    def fill(self):
        """Reads more bytes. Returns false at the end of the connection."""
        if self.is_over:
            return False
        try:
            piece = self.socket.recv(1 << 16)
        except TimeoutError:
            raise Broken(f"no answer within {self.socket.gettimeout():.0f} s") from None
        except (ConnectionError, ssl.SSLError):
            piece = b""
        self.received += piece
        self.is_over = not piece
        return bool(piece)

    def take(self, size):
        while len(self.received) < size:
            if not self.fill():
                raise Broken(f"{len(self.received)} of {size} bytes, then the end")
        piece, self.received = self.received[:size], self.received[size:]
        return piece

    def head(self):
        while b"\r\n\r\n" not in self.received:
            if not self.fill():
                if not self.received:
                    return None
                raise Broken(f"no head: {self.received[:80]!r}")
        head, _, self.received = self.received.partition(b"\r\n\r\n")
        first, *lines = head.split(b"\r\n")
        found = STATUS_LINE.fullmatch(first)
        matches = [FIELD.fullmatch(line) for line in lines]
        if not found or not all(matches):
            raise Broken(f"no head: {head[:200]!r}")
        fields = [(match[1].decode().lower(), match[2].decode("latin1")) for match in matches]
        return int(found[2]), fields

    def read(self, method="GET"):
        """Returns the next response, or None if the connection ends first."""
        interim = []
        while True:
            head = self.head()
            if head is None:
                return None
            status, fields = head
            if status >= 200:
                break
            self.hints.append(Answer(status, fields, b""))
            interim.append(status)
        answer = Answer(status, fields, b"", interim)
        if method != "HEAD" and status not in (204, 304):
            answer.body = self.body(answer)
        if self.witness:
            self.witness(answer, method)
        return answer

    def hint(self):
        """Returns the next interim response. Returns None if the final response comes instead; `read` then returns
        it."""
        while b"\r\n\r\n" not in self.received:
            if not self.fill():
                return None
        if not self.received.startswith(b"HTTP/1.1 1"):
            return None
        self.hints.append(Answer(*self.head(), b""))
        return self.hints[-1]

    def body(self, answer):
        if answer["transfer-encoding"]:
            body = b""
            while True:
                while b"\r\n" not in self.received:
                    if not self.fill():
                        raise Broken("chunks without an end")
                line, _, self.received = self.received.partition(b"\r\n")
                size = int(line, 16)
                piece = self.take(size + 2)
                body += piece[:size]
                if not size:
                    return body
        if answer["content-length"] is not None:
            return self.take(int(answer["content-length"]))
        while self.fill():
            pass
        body, self.received = self.received, b""
        return body

    def answers(self, most=100):
        """Returns all responses until the connection ends or one doesn't arrive."""
        found = []
        while len(found) < most:
            try:
                answer = self.read()
            except Broken:
                break
            if answer is None:
                break
            found.append(answer)
        return found

    def closes(self, within=3):
        """Returns whether the server closes the connection. Drops everything that it still sends."""
        deadline = time.monotonic() + within
        while not self.is_over and time.monotonic() < deadline:
            self.socket.settimeout(max(0.05, deadline - time.monotonic()))
            try:
                self.fill()
            except Broken:
                break
            self.received = b""
        return self.is_over


def head(method, path, fields=(), host="127.0.0.1"):
    """Returns the bytes of a request's head. `fields` is a mapping or a list of pairs. A host of None leaves out
    the field."""
    pairs = fields.items() if hasattr(fields, "items") else fields
    lines = [f"{method} {path} HTTP/1.1"] + ([] if host is None else [f"Host: {host}"])
    lines += [f"{name}: {value}" for name, value in pairs]
    return "\r\n".join(lines).encode("latin1") + b"\r\n\r\n"


def request(method, path, fields=(), body=None, host="127.0.0.1"):
    """Returns the bytes of a whole request. A body gets a Content-Length."""
    pairs = list(fields.items() if hasattr(fields, "items") else fields)
    if body is not None:
        pairs.append(("Content-Length", len(body)))
    return head(method, path, pairs, host) + (body or b"")


def chunks(body, size=1 << 16):
    """Returns a body in chunked coding."""
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def basic(user, password):
    text = f"{user}:{password}".encode()
    return {"Authorization": "Basic " + base64.b64encode(text).decode()}


BOUNDARY = b"----petspot-boundary-7MA4YWxkTrZu0gW"


def part(content, name=b'name="photo"; filename="photo.jpg"', fields=(b"Content-Type: image/jpeg",)):
    """Returns one part of a form, without its boundary."""
    lines = [b"Content-Disposition: form-data; " + name, *fields]
    return b"\r\n".join(lines) + b"\r\n\r\n" + content


def form(*parts, boundary=BOUNDARY, preamble=b"", epilogue=b"\r\n", end=b"--"):
    """Returns a form of these parts."""
    body = preamble + b"".join(b"--" + boundary + b"\r\n" + item + b"\r\n" for item in parts)
    return body + b"--" + boundary + end + epilogue


def form_type(boundary=BOUNDARY):
    return {"Content-Type": "multipart/form-data; boundary=" + boundary.decode("latin1")}
