"""Runs OpenStack Swift with its S3 interface: one proxy and one server each for accounts, containers and objects.
They use free ports on loopback and end with the process that started them."""

import datetime
import hashlib
import hmac
import os
import subprocess

import pythons
import s3servers

# PyECLib is for erasure codes, which a single copy of each object doesn't need. Swift imports it anyway.
PACKAGES = ["swift==2.38.3", "pyeclib==1.8.0"]
KINDS = ["account", "container", "object"]
# There is no cache, which would need memcached. Only Swift's own rate limits and tokens need one.
PIPELINE = (
    "catch_errors gatekeeper proxy-logging listing_formats bulk s3api tempauth copy slo dlo"
    " versioned_writes symlink proxy-logging proxy-server"
)
REGION = "us-east-1"


def install():
    """Returns the folder of the programs, and installs them if necessary."""
    return pythons.environment("openstack-swift", PACKAGES)


class Server(s3servers.Server):
    """Swift with two buckets. Its user may keep versions in both."""

    NAME, ACCESS_KEY, SECRET = "OpenStack Swift", "petspot:tester", "no-secret-at-all"

    def start(self):
        self.port, *ports = s3servers.free_ports(4)
        self.processes = []
        self.configure(dict(zip(KINDS, ports)))
        with open(os.path.join(self.folder, "log"), "w") as log:
            for kind in KINDS + ["proxy"]:
                program = os.path.join(install(), f"swift-{kind}-server")
                self.processes.append(s3servers.begin([program, f"{kind}.conf", "--verbose"], self.folder, log))
        self.process = self.processes[-1]

    def configure(self, ports):
        """Writes a file for each server, the file that all of them read, and the rings with their addresses."""
        self.write("swift.conf", {"swift-hash": {"swift_hash_path_suffix": "petspot"}})
        # One process each, without forks.
        common = {
            "swift_dir": self.folder, "devices": os.path.join(self.folder, "data"), "mount_check": "false",
            "bind_ip": "127.0.0.1", "workers": 0, "log_level": "WARNING", "fallocate_reserve": 0,
        }  # fmt: skip
        os.makedirs(os.path.join(self.folder, "data", "disk"), exist_ok=True)
        for kind, port in ports.items():
            self.write(f"{kind}.conf", {
                "DEFAULT": {**common, "bind_port": port}, "pipeline:main": {"pipeline": f"{kind}-server"},
                f"app:{kind}-server": {"use": f"egg:swift#{kind}"},
            })  # fmt: skip
            builder = os.path.join(self.folder, f"{kind}.builder")
            if os.path.exists(builder):
                os.unlink(builder)
            for arguments in (
                ["create", "2", "1", "0"], ["add", f"r1z1-127.0.0.1:{port}/disk", "1"], ["rebalance"],
            ):  # fmt: skip
                subprocess.run(
                    [os.path.join(install(), "swift-ring-builder"), builder, *arguments],
                    check=True, stdout=subprocess.DEVNULL,
                )  # fmt: skip
        options = {
            "proxy-server": {"allow_account_management": "true", "account_autocreate": "true"},
            "tempauth": {"_".join(["user"] + self.ACCESS_KEY.split(":")): f"{self.SECRET} .admin"},
            "s3api": {"location": REGION, "s3_acl": "false"},
            "versioned_writes": {"allow_versioned_writes": "true", "allow_object_versioning": "true"},
        }  # fmt: skip
        sections = {}
        for name in dict.fromkeys(PIPELINE.split()):
            kind, use = ("app", "proxy") if name == "proxy-server" else ("filter", name.replace("-", "_"))
            sections[f"{kind}:{name}"] = {"use": f"egg:swift#{use}", **options.get(name, {})}
        default = {**common, "bind_port": self.port}
        self.write("proxy.conf", {"DEFAULT": default, "pipeline:main": {"pipeline": PIPELINE}, **sections})

    def write(self, name, sections):
        with open(os.path.join(self.folder, name), "w") as file:
            for section, options in sections.items():
                print(f"[{section}]", *(f"{key} = {value}" for key, value in options.items()), sep="\n", file=file)

    def is_serving(self):
        return all(self.make_bucket(name) in (200, 409) for name in (self.bucket, f"{self.bucket}-versions"))

    def make_bucket(self, name):
        """Creates a bucket with a signed request (AWS Signature Version 4). Returns the status, or None if there is
        no response."""
        time = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        scope = f"{time[:8]}/{REGION}/s3/aws4_request"
        digest = hashlib.sha256(b"").hexdigest()
        headers = {"host": f"127.0.0.1:{self.port}", "x-amz-content-sha256": digest, "x-amz-date": time}
        names = ";".join(headers)
        lines = "".join(f"{key}:{value}\n" for key, value in headers.items())
        request = f"PUT\n/{name}\n\n{lines}\n{names}\n{digest}"
        text = f"AWS4-HMAC-SHA256\n{time}\n{scope}\n{hashlib.sha256(request.encode()).hexdigest()}"
        key = f"AWS4{self.SECRET}".encode()
        for part in scope.split("/") + [text]:
            key = hmac.digest(key, part.encode(), "sha256")
        headers["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self.ACCESS_KEY}/{scope}, SignedHeaders={names}, Signature={key.hex()}"
        )
        return s3servers.status("PUT", f"http://127.0.0.1:{self.port}/{name}", headers=headers)

    def stop(self):
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()
