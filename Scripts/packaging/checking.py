"""Installs a package in a clean Debian without Swift, uses it there as people do, upgrades and purges it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import building
import packing
from debian import Debian

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / name) for name in ("support", "paging")]
from server import Server  # noqa: E402

STATE, SETTINGS = "var/lib/petspot", "etc/default/petspot"
PHOTOS = ("portrait-phone.heic", "orientation-6.jpg", "still.gif", "gps-exif.jpg")
DOG = ("--species", "dog", "--race", "Beagle", "--gender", "male", "--latitude", "52.2", "--longitude", "21.0")


class Tally:
    """Counts the checks that hold, and prints those that don't."""

    def __init__(self):
        self.passed, self.failed = 0, 0

    def check(self, what, holds, seen=""):
        """Counts one check. Returns whether it holds."""
        self.passed, self.failed = self.passed + bool(holds), self.failed + (not holds)
        if not holds:
            text = f"exit {seen.returncode} {seen.stdout}{seen.stderr}" if hasattr(seen, "returncode") else str(seen)
            print(f"FAILED {what}: {text.strip()[-600:]}", flush=True)
        return holds


class InstalledServer(Server):
    """The package's `petspot serve`, started as the package's user with the unit's settings."""

    def __init__(self, debian):
        self.debian = debian
        super().__init__("petspot")

    def start(self):
        command = self.debian.command("petspot", "serve", "--port", "0", "--json", user="petspot",
                                      HOME="/nonexistent", PETSPOT_CACHE=f"/{STATE}")  # fmt: skip
        with open(os.path.join(self.folder, "server.log"), "ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, stderr=log)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the installed server did not start: {self.log()[-500:]}")
        self.url = json.loads(line)["url"].rstrip("/")

    def end(self):
        """Ends the server as systemd does. Returns its exit code."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGTERM)
        return self.process.wait(30)


def installs(tally, debian, root):
    """Installs the package. It must run without Swift and report its own version."""
    seen = debian.apt("install", "/package.deb")
    if not tally.check("apt installs it", seen.returncode == 0, seen):
        return False
    swift = [file for word in ("swift", "Swift") for file in debian.named(word) if "/usr/share/" not in file]
    tally.check("no Swift is installed", not swift, swift)
    seen = debian.run("ldd", *[f"/usr/lib/petspot/{name}" for name in building.PRODUCTS])
    tally.check("every library is there", seen.returncode == 0 and "not found" not in seen.stdout, seen)
    seen = debian.run("petspot", "--version")
    tally.check("it reports its commit", f"(commit {building.Commit(root).name})" in seen.stdout, seen)
    for shell, file in packing.SHELLS.items():
        tally.check(f"{shell} has its completions", (debian.folder / file).stat().st_size > 10_000)
    seen = debian.run("bash", "-n", "/" + packing.SHELLS["bash"])
    tally.check("bash can read them", seen.returncode == 0 and not seen.stderr, seen)
    for page in ("man1/petspot-import.1.gz", "pl/man1/petspot-import.1.gz"):
        tally.check(f"there is {page}", (debian.folder / "usr/share/man" / page).exists())
    seen = debian.run("getent", "passwd", "petspot")
    tally.check("the server has its user", seen.returncode == 0 and "nologin" in seen.stdout, seen)
    seen = debian.run("systemd-analyze", "verify", "--man=no", *packing.UNITS)
    tally.check("systemd accepts the units", seen.returncode == 0 and not seen.stderr, seen)
    for name in packing.UNITS:
        if name.endswith(".service") and "failed" not in name:
            seen = debian.run("systemd-analyze", "security", "--offline=true", "--threshold=20", name)
            tally.check(f"the exposure of {name} is at most 2.0", seen.returncode == 0, seen)
    seen = debian.run("systemctl", "is-enabled", "petspot-sweep.timer")
    tally.check("it sweeps once a day", seen.stdout.strip() == "enabled", seen)
    seen = debian.run("systemctl", "is-enabled", "petspot-verify.timer", "petspot-backup.timer")
    tally.check("it verifies each night, and backs up only on request", seen.stdout.split() == ["enabled", "disabled"], seen)
    seen = debian.run("systemctl", "is-enabled", "petspot")
    tally.check("the server is off", seen.stdout.strip() == "disabled", seen)
    return True


def people(tally, debian, root):
    """Attaches, imports and reports as an ordinary user."""
    debian.run("useradd", "--create-home", "ann")
    for name in PHOTOS:
        debian.bring(root / "TestImages" / name, f"home/ann/photos/{name}")

    def petspot(what, *words, exit=0):
        seen = debian.run("petspot", *words, "--json", user="ann", HOME="/home/ann")
        tally.check(what, seen.returncode == exit, seen)
        return [json.loads(line) for line in seen.stdout.splitlines() if line.startswith("{")] or [{}]

    facts = petspot("doctor finds nothing wrong", "doctor")[-1]
    cage = facts.get("sandbox") or {}
    tally.check("decoders run in a sandbox", cage.get("landlock", 0) > 0 and cage.get("seccomp"), facts)
    for name in PHOTOS:
        photo = petspot(f"attach {name}", "attach", f"/home/ann/photos/{name}")[-1]
        tally.check("confirms it", photo.get("status") == "confirmed", photo)
    petspot("import", "import", "/home/ann/photos")
    tally.check("lists each photo", len(petspot("list", "list")) >= len(PHOTOS))
    petspot("report chip", "report", "chip", "--number", "616093400012345")
    petspot("report photo", "report", "photo", "/home/ann/photos/orientation-6.jpg")
    petspot("report describe", "report", "describe", *DOG)
    petspot("report contact", "report", "contact", "--name", "Ann", "--phone", "600700800")
    petspot("report submit", "report", "submit")
    tally.check("announces it", petspot("announcements", "announcements")[-1].get("id"))
    petspot("verify", "verify", "--all")
    petspot("sweep", "sweep")


def pictures(tally, debian, root):
    """Attaches each picture of the manifest. The result must be the expected one: attached, or refused with its
    code."""
    shutil.copytree(root / "TestImages", debian.folder / "home/ann/pictures")
    ask = ["petspot", "attach", "--json", "--cache", "/tmp/pictures"]
    for image in json.loads((root / "TestImages/manifest.json").read_text("utf-8"))["images"]:
        seen = debian.run(*ask, f"/home/ann/pictures/{image['file']}", user="ann", HOME="/home/ann")
        answer = json.loads(seen.stdout.splitlines()[-1]) if seen.stdout else {}
        come = answer.get("status") or answer.get("error", {}).get("code")
        tally.check(f"attach {image['file']}", come == (image["code"] or "confirmed"), seen)


def elsewhere(tally, debian):
    """On a release that the package wasn't built for, each program must exit with 69 and name the right package."""
    file = debian.folder / "usr/lib/os-release"
    text = file.read_text()
    file.write_text(re.sub('VERSION_ID=.*', 'VERSION_ID="99"', text))
    server = "/usr/lib/petspot/petspot-server"
    for words in (["petspot", "attach", "/no/such.jpg"], ["petspot", "serve"], ["petspot", "doctor"], [server]):
        seen = debian.run(*words, user="ann", HOME="/home/ann")
        says = "and this is Debian 99: install the package petspot " in seen.stderr and "~deb99u1" in seen.stderr
        tally.check(f"{words[-1]} on another release ends with 69", seen.returncode == 69 and says, seen)
    file.write_text(text)


def serves(tally, debian, root):
    """The server must accept and show a photo, and end on request."""
    debian.run("install", "-d", "-m", "700", "-o", "petspot", "-g", "petspot", f"/{STATE}")
    server = InstalledServer(debian)
    try:
        server.announce(root / "TestImages/portrait-phone.heic")
        shown = server.announcements()
        tally.check("the server takes and lists a photo", len(shown) == 1 and shown[0].get("photoUrl"), shown)
        tally.check("and its health is good", server.get("/api/health"))
        seen = debian.run("petspot", "sweep", "--json", user="petspot", PETSPOT_CACHE=f"/{STATE}")
        tally.check("and a sweep at the same time deletes nothing that is shown", seen.returncode == 0, seen)
        tally.check("so that the photo is still listed", len(server.announcements()) == 1)
        tally.check("and ends with 0", server.end() == 0)
    finally:
        server.stop()


def upgrades(tally, debian):
    """An upgrade must keep settings and photos."""
    settings = debian.folder / SETTINGS
    tally.check("others may not read the settings", settings.stat().st_mode & 0o777 == 0o640)
    written = "SERVE_OPTIONS=--port 8090 --operator-name 'Our Shelter'\n"
    settings.write_text(written)
    debian.run("systemctl", "enable", "petspot")
    debian.run("systemctl", "disable", "petspot-sweep.timer")
    seen = debian.apt("install", "/newer.deb")
    tally.check("it is upgraded", seen.returncode == 0, seen)
    tally.check("with its settings kept", settings.read_text() == written)
    seen = debian.run("systemctl", "is-enabled", "petspot")
    tally.check("and its unit still on", seen.stdout.strip() == "enabled", seen)
    seen = debian.run("systemctl", "is-enabled", "petspot-sweep.timer")
    tally.check("and its timer still off", seen.stdout.strip() == "disabled", seen)
    seen = debian.run("petspot", "verify", "--all", user="petspot", PETSPOT_CACHE=f"/{STATE}")
    tally.check("and every photo complete", seen.returncode == 0, seen)


def goes(tally, debian):
    """A removal must leave the settings. A purge must leave only people's photos, and nothing if there are none."""
    seen = debian.apt("remove", "petspot")
    left = debian.named("petspot")
    tally.check("it is removed", seen.returncode == 0 and "/usr/bin/petspot" not in left, seen)
    tally.check("and leaves its settings", f"/{SETTINGS}" in left, left)
    seen = debian.apt("purge", "petspot")
    tally.check("it is purged", seen.returncode == 0, seen)
    tally.check("and reports that it keeps photos", f"kept /{STATE}" in seen.stderr + seen.stdout, seen)
    left = [file for file in debian.named("petspot") if "deb" not in file]
    tally.check("and leaves nothing else", left == [f"/{STATE}"], left)
    tally.check("with their owner", debian.run("getent", "passwd", "petspot").returncode == 0)
    (debian.folder / STATE).rename(debian.folder / f"{STATE}-backup")
    debian.apt("install", "/package.deb")
    seen = debian.apt("purge", "petspot")
    tally.check("it also keeps backups without photos", f"kept /{STATE}-backup" in seen.stderr + seen.stdout, seen)
    tally.check("with their owner, too", debian.run("getent", "passwd", "petspot").returncode == 0)
    debian.apt("install", "/package.deb")
    shutil.rmtree(debian.folder / f"{STATE}-backup")
    seen = debian.apt("purge", "petspot")
    left = debian.named("petspot")
    tally.check("without photos nothing is left", seen.returncode == 0 and not left, f"{left} {seen.stderr}")
    tally.check("not even the user", debian.run("getent", "passwd", "petspot").returncode != 0)


def newer(package, folder):
    """Returns the same package with a higher version."""
    tree = Path(folder, "tree")
    subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub("^Version: .*$", "Version: 999", control.read_text(), flags=re.M))
    built = Path(folder, "newer.deb")
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, built], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    return built


def check(root, package, again):
    """Runs all checks. Returns 1 if one fails.

    `again` also builds everything again and compares the bytes."""
    tally = Tally()
    tally.check("lintian finds no error", packing.lint(package) == 0)
    with Debian() as debian, tempfile.TemporaryDirectory() as folder:
        debian.bring(package, "package.deb")
        debian.bring(newer(package, folder), "newer.deb")
        debian.apt("update")
        debian.apt("install", "systemd", "adduser")
        if installs(tally, debian, root):
            people(tally, debian, root)
            pictures(tally, debian, root)
            elsewhere(tally, debian)
            serves(tally, debian, root)
            upgrades(tally, debian)
            goes(tally, debian)
    if again:
        with tempfile.TemporaryDirectory() as folder:
            other = packing.pack(root, building.build_again(root), Path(folder))
            tally.check("a second build is the same, bit for bit", other.read_bytes() == package.read_bytes())
    print(f"package: {tally.passed} passed, {tally.failed} failed")
    return 1 if tally.failed else 0
