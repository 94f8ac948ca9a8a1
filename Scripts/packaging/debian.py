"""A clean Debian in a folder. debootstrap makes it, and commands in it have their own processes and mounts."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from building import release, toolchain

SOURCES = ("etc/apt/sources.list", "etc/apt/sources.list.d/debian.sources", "etc/resolv.conf")
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"


# The packages that a Swift toolchain for Linux needs to run and to link programs.
TOOLCHAIN = ("ca-certificates", "git", "g++", "libc6-dev", "libcurl4-openssl-dev", "libncurses6", "libxml2",
             "python3", "tzdata")  # fmt: skip


class Debian:
    """A minimal Debian of this machine's release or another. Use it as a context manager."""

    def __init__(self, suite=None):
        self.suite = suite or release()["VERSION_CODENAME"]
        self.shown = []

    def __enter__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="petspot-debian-"))
        self.folder.chmod(0o755)
        made = subprocess.run(
            ["debootstrap", "--variant=minbase", self.suite, self.folder], capture_output=True, text=True)
        if made.returncode != 0:
            self.__exit__()
            raise SystemExit("Scripts/package: debootstrap could not make a clean Debian:\n" + made.stdout[-1000:])
        for name in SOURCES:
            if Path("/", name).is_file():
                text = Path("/", name).read_text()
                (self.folder / name).write_text(text.replace(release()["VERSION_CODENAME"], self.suite))
        # Nothing in the folder outlives the check, so dpkg needn't wait for the disk.
        (self.folder / "etc/dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n")
        return self

    def __exit__(self, *_):
        # The mounts ended with the processes.
        shutil.rmtree(self.folder, ignore_errors=True)

    def command(self, *words, user="root", **environment):
        """Returns the command that runs these words in the Debian. All processes end with it."""
        given = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8",
                 "DEBIAN_FRONTEND": "noninteractive", **environment}  # fmt: skip
        home = [] if user == "root" else ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        return ["unshare", "--mount", "--pid", "--fork", "--kill-child", f"--mount-proc={self.folder}/proc",
                *self.mounting(), "chroot", self.folder, "env", "-i",
                *[f"{name}={value}" for name, value in given.items()], *home, *words]  # fmt: skip

    def mounting(self):
        """Returns the command prefix that mounts folders of this machine into the Debian."""
        # The root must be a mount of its own, so that another clean Debian can be entered from within.
        script = f"mount --rbind '{self.folder}' '{self.folder}'; "
        script += "".join(f"mount --rbind '{folder}' '{self.folder}{place}'; " for folder, place in self.shown)
        return ["sh", "-ec", script + 'exec "$@"', "sh"]

    def show(self, folder, place=None):
        """Makes a folder of this machine visible in the Debian, at the same or another path."""
        place = place or folder
        (self.folder / str(place)[1:]).mkdir(parents=True, exist_ok=True)
        self.shown.append((folder, place))

    def run(self, *words, user="root", **environment):
        """Runs a command in the Debian and returns the completed process."""
        return subprocess.run(self.command(*words, user=user, **environment), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace")  # fmt: skip

    def apt(self, *words):
        """Runs apt-get in the Debian and returns the completed process."""
        return self.run("apt-get", "-y", "--no-install-recommends", "-o", "Dpkg::Options::=--force-confold", *words)

    def add_swift(self):
        """Makes this machine's Swift visible in the Debian and installs the packages that it needs. Returns the
        PATH for its commands."""
        self.show(toolchain())
        self.apt("update")
        brought = self.apt("install", *TOOLCHAIN)
        if brought.returncode != 0:
            raise SystemExit(f"{self.suite} lacks what Swift needs:\n{brought.stderr[-1000:]}")
        # Behind a proxy this machine trusts certificates that Debian doesn't.
        if Path("/", CERTIFICATES).is_file():
            self.bring(Path("/", CERTIFICATES), CERTIFICATES)
        return f"{toolchain()}/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    def bring(self, file, place):
        """Copies a file of this machine into the Debian."""
        (self.folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, self.folder / place)

    def named(self, word):
        """Returns the files with a word in their path, except for the records of dpkg and apt."""
        found = []
        for folder, folders, files in os.walk(self.folder):
            inside = "/" + os.path.relpath(folder, self.folder)
            if inside in ("/proc", "/sys", "/var/lib/dpkg", "/var/lib/apt", "/var/cache", "/var/log", "/home", "/root"):
                folders.clear()
                continue
            found += [os.path.join(inside, name) for name in folders + files if word in name]
        return sorted(found)
