"""Builds the contents of a package, and finds out the commit."""

import json
import os
import shutil
import subprocess
from pathlib import Path

PRODUCTS = ("petspot", "petspot-server")


def said(*command, cwd=None):
    """Returns the output of a command without its last line end."""
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()


def toolchain():
    """Returns Swift's folder, which contains its `bin` and `lib`."""
    paths = json.loads(said("swiftc", "-print-target-info"))["paths"]
    return Path(paths["runtimeResourcePath"]).resolve().parent.parent


def objcopy():
    """Returns the toolchain's objcopy. The one of binutils removes the RELRO protection from files that lld has
    linked (PT_GNU_RELRO)."""
    return toolchain() / "bin/llvm-objcopy"


def release():
    """Returns the build system's os-release."""
    lines = Path("/etc/os-release").read_text().split("\n")
    return {name: value.strip("\"'") for name, _, value in (line.partition("=") for line in lines) if value}


def suffix():
    """Returns the end of a package's version for this release. The program shows it if it runs on another release."""
    system, version = release()["ID"], release().get("VERSION_ID", "")
    return f"~deb{version}u1" if system == "debian" else f"~{system}{version}.1"


def scratch(root, suite=None):
    """Returns the build folder for a suite. It is separate because `swift build` links programs differently."""
    return root / ".build/package" / (suite or release().get("VERSION_CODENAME", "any"))


def build(root):
    """Builds both programs and returns their folder."""
    # Hides the location of the sources in paths that the compiler writes into the programs.
    paths = f"{root}=/usr/src/petspot"
    flags = ["-Xswiftc", "-file-prefix-map", "-Xswiftc", paths, "-Xcc", f"-ffile-prefix-map={paths}"]
    # gold gives programs with Swift's runtime no RELRO protection, lld does. `now` also protects the table of
    # functions.
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
    """Returns the command prefix that runs a command as the user with the number PETSPOT_BUILD_USER, and gives the
    folder to that user. Empty without the variable."""
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
    """Builds both programs from scratch at the same place and returns their folder."""
    shutil.rmtree(scratch(root))
    return build(root)


class Commit:
    """The checked-out commit."""

    def __init__(self, root):
        self.name = said("git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*", cwd=root)
        self.seconds = int(said("git", "log", "-1", "--format=%ct", cwd=root))
        self.tags = said("git", "tag", "--points-at", "HEAD", cwd=root).split()
        name, mail = said("git", "log", "-1", "--format=%an%n%ae", cwd=root).split("\n")
        self.maintainer = f"{os.environ.get('DEBFULLNAME', name)} <{os.environ.get('DEBEMAIL', mail)}>"
        self.date = said("date", "--utc", "--rfc-email", f"--date=@{self.seconds}")
        self.stamp = said("date", "--utc", "+%Y%m%d%H%M%S", f"--date=@{self.seconds}")

    def version(self, program):
        """Returns the package's version for a version of the program."""
        if f"v{program}" in self.tags and not self.name.endswith("-dirty"):
            return program + suffix()
        return f"{program}~git{self.stamp}.{self.name.replace('-', '.')}{suffix()}"
