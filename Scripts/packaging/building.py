"""Builds what a package holds, and tells what commit it is."""

import json
import os
import shutil
import subprocess
from pathlib import Path

PRODUCTS = ("petspot", "petspot-server")


def said(*command, cwd=None):
    """What a command prints, without the end of its line."""
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()


def toolchain():
    """Where Swift is: the folder of its `bin` and `lib`."""
    paths = json.loads(said("swiftc", "-print-target-info"))["paths"]
    return Path(paths["runtimeResourcePath"]).resolve().parent.parent


def objcopy():
    """The toolchain's: that of binutils takes the protection of what lld has linked away (PT_GNU_RELRO)."""
    return toolchain() / "bin/llvm-objcopy"


def release():
    """What os-release says of the system that is built on."""
    lines = Path("/etc/os-release").read_text().split("\n")
    return {name: value.strip("\"'") for name, _, value in (line.partition("=") for line in lines) if value}


def suffix():
    """The end of the version of a package for this release, as the program names it where it runs on another."""
    system, version = release()["ID"], release().get("VERSION_ID", "")
    return f"~deb{version}u1" if system == "debian" else f"~{system}{version}.1"


def scratch(root, suite=None):
    """The build's own folder: its programs are linked otherwise than those of `swift build`, for one suite."""
    return root / ".build/package" / (suite or release().get("VERSION_CODENAME", "any"))


def build(root):
    """Builds both programs; returns the folder they are in."""
    # What the compiler writes into a program of where its sources were does not tell where that is.
    paths = f"{root}=/usr/src/petspot"
    flags = ["-Xswiftc", "-file-prefix-map", "-Xswiftc", paths, "-Xcc", f"-ffile-prefix-map={paths}"]
    # Of a program with Swift's runtime in it gold protects nothing against being written over (RELRO). With `now` its
    # table of functions is protected too.
    flags += ["-Xswiftc", "-use-ld=lld"]
    for word in ("relro", "now"):
        flags += ["-Xlinker", "-z", "-Xlinker", word]
    for number, product in enumerate(PRODUCTS, 1):
        print(f"Building {product} ({number} of {len(PRODUCTS)}), a few minutes the first time…", flush=True)
        subprocess.run(
            [*as_user(scratch(root)), "swift", "build", "--package-path", root, "--scratch-path", scratch(root), "-c", "release",
             "--static-swift-stdlib", "--product", product, "--quiet", *flags], check=True)  # fmt: skip
    return scratch(root) / "release"


def as_user(folder):
    """The command that runs another as the user whose number is PETSPOT_BUILD_USER; that user gets the folder."""
    user = os.environ.get("PETSPOT_BUILD_USER")
    if not user:
        return []
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["chown", "-R", f"{user}:{user}", folder], check=True)
    home = f"/tmp/home-{user}"
    os.makedirs(home, exist_ok=True)
    os.chown(home, int(user), int(user))
    return ["env", f"HOME={home}", "setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


def build_again(root):
    """Builds both programs from nothing at the same place; returns the folder they are in."""
    shutil.rmtree(scratch(root))
    return build(root)


class Commit:
    """The commit that is checked out."""

    def __init__(self, root):
        self.name = said("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*", cwd=root)
        self.seconds = int(said("git", "log", "-1", "--format=%ct", cwd=root))
        self.tags = said("git", "tag", "--points-at", "HEAD", cwd=root).split()
        name, mail = said("git", "log", "-1", "--format=%an%n%ae", cwd=root).split("\n")
        self.maintainer = f"{os.environ.get('DEBFULLNAME', name)} <{os.environ.get('DEBEMAIL', mail)}>"
        self.date = said("date", "--utc", "--rfc-email", f"--date=@{self.seconds}")
        self.stamp = said("date", "--utc", "+%Y%m%d%H%M%S", f"--date=@{self.seconds}")

    def version(self, program):
        """The package's version for this version of the program."""
        if f"v{program}" in self.tags and not self.name.endswith("-dirty"):
            return program + suffix()
        return f"{program}~git{self.stamp}.{self.name.replace('-', '.')}{suffix()}"
