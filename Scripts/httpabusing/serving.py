"""Runs a server on a free port with its own cache, and observes it from outside."""

import collections
import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import time

import raw
from petspot import Petspot
from watching import children, descriptors, is_decoder, read

# Fields that every response must have.
SECURITY = ("x-content-type-options", "content-security-policy", "referrer-policy", "request-id")
SECRETS = ("/home/", "/tmp/", "/proc/", "/usr/", "Sources/", ".swift", ".sqlite", "Fatal error", "Hummingbird", "NIO")
TELLING = {"server", "x-powered-by", "via"}


class Server:
    """A running `petspot serve`. It checks the responses of all its connections; `faults` counts what is wrong."""

    def __init__(self, work, name="cache", options=(), environment=None, cache=None, tls=False, descriptors=None):
        self.petspot = Petspot(work.binary, cache or os.path.join(work.folder, name))
        self.log = os.path.join(work.folder, f"{os.path.basename(self.petspot.cache)}.log")
        self.options, self.environment, self.tls = list(options), environment, tls
        self.limits = ["prlimit", f"--nofile={descriptors}:{descriptors}"] if descriptors else []
        self.faults, self.statuses = collections.Counter(), collections.Counter()
        self.may_fail = False  # true while a 500 is the expected response
        self.patience = 15  # seconds to wait for a response
        self.lock, self.process = threading.Lock(), None
        self.start()

    def start(self, limit=300):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self.limits, *self.petspot.command("serve", "--port", "0", *self.options)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                env=self.environment, start_new_session=True,
            )  # fmt: skip
        said = queue.Queue()
        threading.Thread(target=lambda: said.put(self.process.stdout.readline()), daemon=True).start()
        try:
            self.url = json.loads(said.get(timeout=limit))["url"]
        except (queue.Empty, ValueError, KeyError):
            self.kill()
            raise SystemExit(f"the server does not start: {read(self.log).decode(errors='replace')[-500:]}") from None
        self.port = int(self.url.rpartition(":")[2])

    @property
    def pid(self):
        return self.process.pid

    @property
    def runs(self):
        return self.process.poll() is None

    def kill(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self, limit=30):
        """Sends SIGTERM. Returns the exit code, or `timeout` if it takes longer than the limit."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            self.kill()
            return "timeout"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.runs:
            self.kill()

    # Observations.

    def memory(self):
        """Returns the server's resident bytes, without its decoders."""
        for line in read(f"/proc/{self.pid}/status").splitlines():
            if line.startswith(b"VmRSS:"):
                return int(line.split()[1]) << 10
        return 0

    def processor_seconds(self):
        """Returns the seconds of user and system time of the server itself, without its decoders."""
        fields = read(f"/proc/{self.pid}/stat").rpartition(b") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0

    def sockets(self):
        return sum(target.startswith("socket:") for target in descriptors(self.pid))

    def nameless(self):
        """Returns the number of open files without a name: request bodies in progress."""
        return sum("(deleted)" in target and "incoming" in target for target in descriptors(self.pid))

    def decoders(self):
        return [child for child in children(self.pid) if is_decoder(child)]

    def incoming(self):
        return self.petspot.leftovers()

    def wait(self, condition, seconds):
        """Returns whether the condition becomes true in time."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True

    # Requests.

    def witness(self, answer, method):
        """Checks the rules that hold for all responses."""
        with self.lock:
            self.statuses[answer.status] += 1
            for fault in faults_of(answer, method):
                if not (answer.status == 500 and self.may_fail and "is 500" in fault):
                    self.faults[fault] += 1

    def connect(self, source="127.0.0.1", **settings):
        return raw.Connection(self.port, source, witness=self.witness, **settings)

    def ask(self, method, path, fields=(), body=None, source="127.0.0.1", timeout=None, host="127.0.0.1"):
        """Sends a request over a new connection. Returns the response or None."""
        with self.connect(source, timeout=timeout or self.patience) as connection:
            connection.send(raw.request(method, path, fields, body, host))
            return connection.read(method)

    def tell(self, *pieces, source="127.0.0.1", timeout=15):
        """Sends bytes. Returns the first response, and whether the server then closes the connection."""
        with self.connect(source, timeout=timeout) as connection:
            connection.send(*pieces)
            answer = connection.read()
            return answer, connection.closes()


def faults_of(answer, method):
    """Yields the faults of a response, one sentence each."""
    missing = [name for name in (*SECURITY, "date") if answer[name] is None]
    if missing:
        yield f"{answer.status} without {', '.join(missing)}"
    if answer.status == 500:
        yield "an answer is 500"
    for name in TELLING:
        if answer[name] is not None:
            yield f"{answer.status} tells {name}"
    if method == "HEAD" or answer.status < 400 or answer.json.get("status") == "unavailable":  # health has its own form
        return
    # A problem (RFC 9457) contains the same error object.
    if not (answer["content-type"] or "").startswith(("application/json", "application/problem+json")):
        yield f"{answer.status} of type {answer['content-type']}"
        return
    error = answer.error
    if not all(isinstance(error.get(key), str) and error[key] for key in ("requestId", "code", "message")):
        yield f"{answer.status} without error.requestId, code and message"
    elif error["requestId"] != answer["request-id"]:
        yield f"{answer.status} with two request ids"
    text = answer.body.decode(errors="replace")
    for secret in SECRETS:
        if secret in text:
            yield f"{answer.status} tells of {secret}"
