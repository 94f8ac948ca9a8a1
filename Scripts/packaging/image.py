"""An OCI image (image-spec 1.1) of a clean Debian with the package, as a tar that podman, docker and skopeo load."""

import gzip
import hashlib
import json
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from building import Commit, said
from debian import Debian

STATE = "/var/lib/petspot"
# A server with PostgreSQL needs libpq, and a container without internet access can't install it later.
MORE = ("libpq5", "ca-certificates")
# Folders that a running system fills, or that only the installation needs.
EMPTIED = ("proc", "sys", "dev", "run", "tmp", "var/cache/apt", "var/lib/apt/lists", "var/log")
TYPES = {name: f"application/vnd.oci.image.{name}.v1+json" for name in ("index", "manifest", "config")}


def make(root, package, output):
    """Installs a package in a clean Debian and writes it as an image. Returns the file."""
    with Debian() as debian:
        debian.bring(package, "petspot.deb")
        debian.apt("update")
        installed = debian.apt("install", "/petspot.deb", *MORE)
        if installed.returncode != 0:
            raise SystemExit(f"Scripts/package: the image lacks what the package needs:\n{installed.stderr[-1000:]}")
        # A new volume belongs to the owner of the folder below it.
        debian.run("install", "-d", "-m", "700", "-o", "petspot", "-g", "petspot", STATE, STATE + "-backup")
        # Checks that the decoders' sandbox works for the image's user.
        seen = debian.run("petspot", "doctor", user="petspot", PETSPOT_CACHE=STATE)
        if seen.returncode != 0:
            raise SystemExit(f"Scripts/package: doctor is not content in the image:\n{seen.stdout}{seen.stderr}")
        (debian.folder / "petspot.deb").unlink()
        for name in EMPTIED:
            for entry in (debian.folder / name).iterdir():
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        (debian.folder / "dev/null").touch(0o666)
        return written(root, debian.folder, Path(output, package.stem + ".oci.tar"))


def written(root, tree, file):
    """Writes a tree as an image with one layer."""
    commit = Commit(root)
    with tempfile.TemporaryDirectory() as folder:
        blobs = Path(folder, "blobs/sha256")
        blobs.mkdir(parents=True)

        def keep(data, kind):
            digest = hashlib.sha256(data).hexdigest()
            (blobs / digest).write_bytes(data)
            return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(data)}

        def describe(name, value):
            return keep(json.dumps(value, sort_keys=True).encode(), TYPES[name])

        layer = Path(folder, "layer.tar")
        subprocess.run(["tar", "--sort=name", "--numeric-owner", f"--mtime=@{commit.seconds}", "--xattrs",
                        "-C", tree, "-cf", layer, "."], check=True)  # fmt: skip
        content = layer.read_bytes()
        layer.unlink()
        packed = keep(gzip.compress(content, 6, mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip")
        config = describe("config", {
            "architecture": said("dpkg", "--print-architecture"), "os": "linux",
            "config": {
                "User": "petspot", "Env": [f"PETSPOT_CACHE={STATE}", "PATH=/usr/bin:/bin"],
                "Entrypoint": ["/usr/bin/petspot"], "Cmd": ["serve", "--host", "0.0.0.0"],
                "Volumes": {STATE: {}}, "ExposedPorts": {"8080/tcp": {}}, "StopSignal": "SIGTERM",
            },
            "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(content).hexdigest()]},
        })  # fmt: skip
        manifest = describe("manifest", {
            "schemaVersion": 2, "mediaType": TYPES["manifest"], "config": config, "layers": [packed],
        })  # fmt: skip
        manifest["annotations"] = {"org.opencontainers.image.ref.name": "petspot:latest"}
        Path(folder, "index.json").write_text(json.dumps(
            {"schemaVersion": 2, "mediaType": TYPES["index"], "manifests": [manifest]}))  # fmt: skip
        Path(folder, "oci-layout").write_text(json.dumps({"imageLayoutVersion": "1.0.0"}))
        with tarfile.open(file, "w") as image:
            for name in ("oci-layout", "index.json", "blobs"):
                image.add(Path(folder, name), name)
    return file
