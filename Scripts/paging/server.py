"""Runs a real server with a free port, an empty cache, and nothing else from the machine."""

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import urllib.request


class Server:
    """`petspot serve`, which can be killed and restarted on the same port and cache."""

    def __init__(self, binary, *options, **environment):
        self.binary, self.options = os.path.abspath(binary), options
        self.environment = os.environ | environment
        self.folder = tempfile.mkdtemp(prefix="petspot-browser-")
        self.cache = os.path.join(self.folder, "cache")
        self.port, self.process, self.url = 0, None, None
        self.start()

    def start(self):
        command = [self.binary, "serve", "--port", str(self.port), "--json", "--cache", self.cache, *self.options]
        log = open(os.path.join(self.folder, "server.log"), "ab")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, env=self.environment)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the server did not start: {self.log()[-500:]}")
        self.url = json.loads(line)["url"].rstrip("/")
        self.port = int(self.url.rsplit(":", 1)[1])

    def kill(self):
        """Kills the server, as a power cut would."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(25)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def log(self):
        with open(os.path.join(self.folder, "server.log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def get(self, path):
        """Returns the JSON at a path."""
        with urllib.request.urlopen(self.url + path, timeout=60) as answer:
            return json.load(answer)

    def announcements(self):
        return self.get("/api/v1/announcements?limit=100")["announcements"]

    def announce(self, photo=None, **fields):
        """Creates an announcement with the API and returns it. Only an announcement with a photo is listed."""
        body = {
            "species": "dog", "breed": "Boxer", "sex": "male", "dateOfDisappearance": "2026-01-02",
            "location": {"latitude": 52.2297, "longitude": 21.0122}, "ownerName": "Ann",
            "ownerPhone": "+48 600 100 200", **fields,
        }  # fmt: skip
        made = json.loads(self.send("POST", "", json.dumps(body).encode()))
        if photo:
            with open(photo, "rb") as file:
                part = b'--x\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n' + file.read()
            self.send("POST", f"/{made['id']}/photos", part + b"\r\n--x--\r\n", made, "multipart/form-data; boundary=x")
        return made

    def change(self, made, **fields):
        """Changes an announcement with the API, as its owner does."""
        self.send("PATCH", f"/{made['id']}", json.dumps(fields).encode(), made)

    def send(self, method, path, body, made=None, kind="application/json"):
        """Sends a request to the API, as the owner of an announcement if one is given. Returns the body of the
        response."""
        fields = {"Content-Type": kind}
        if made:
            login = base64.b64encode(f"{made['id']}:{made['managementPassword']}".encode()).decode()
            fields["Authorization"] = f"Basic {login}"
        request = urllib.request.Request(f"{self.url}/api/v1/announcements{path}", body, fields, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def partial_files(self):
        """Returns the uploads in the cache, finished or not."""
        found = []
        for folder, _, names in os.walk(self.cache):
            if os.path.basename(folder) in ("uploads", "up", "incoming"):
                found += [os.path.join(folder, name) for name in names]
        return found
