"""Uses the debug binary as a person would: attaches every test image, then runs the other commands, bad input, a
whole report, and the README's commands."""

import errno
import functools
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile

import pytest
import seccomp
from conftest import check as numbered
from petspot import ROOT, Petspot, blob_fault, run

IMAGES = os.path.join(ROOT, "TestImages")
with open(os.path.join(IMAGES, "manifest.json")) as file:
    IMAGE_ROWS = json.load(file)["images"]


@pytest.fixture(scope="session")
def petspot(binary, tmp_path_factory):
    """One cache for all tests."""
    return Petspot(binary, str(tmp_path_factory.mktemp("smoke") / "cache"))


class Checks:
    """Counts the checks that hold. `finish` fails the test if one did not."""

    def __init__(self, record):
        self.record, self.tried, self.faults = record, 0, []

    def __call__(self, what, condition, answer=None):
        self.tried += 1
        if not condition:
            seen = "" if answer is None else f": exit {answer.exit} {(answer.output or answer.errors)[:300].strip()}"
            self.faults.append(what + seen)

    def finish(self):
        self.record("counted", f"{self.tried - len(self.faults)} of {self.tried}")
        if self.faults:
            pytest.fail("\n".join(self.faults), pytrace=False)


@pytest.fixture
def check(record_property):
    return Checks(record_property)


def suite_test(name, title):
    """Registers a test that makes many checks in a row."""

    def mark(function):
        @functools.wraps(function)
        def test(*arguments, **fixtures):
            function(*arguments, **fixtures)
            fixtures["check"].finish()

        return pytest.mark.parametrize("name", [numbered(name, title)])(test)

    return mark


def image(name):
    return os.path.join(IMAGES, name)


@pytest.mark.parametrize("file", [numbered(row["file"], "is attached or refused") for row in IMAGE_ROWS])
def test_attach(file, petspot):
    row = next(row for row in IMAGE_ROWS if row["file"] == file)
    answer = petspot.run("attach", image(file), "--draft", f"smoke-{file}")
    if row["expect"] != "accept":
        assert (answer.exit, answer.code) == (65, row["code"])
        return
    photo = answer.photo
    assert (answer.exit, answer.status) == (0, "confirmed"), answer.errors
    assert (photo["pixelWidth"], photo["pixelHeight"]) == (row["width"], row["height"])
    assert photo["blob"]["frameCount"] == row["frames"]
    assert photo["normalization"]["method"] == row["method"]
    assert blob_fault(photo) is None


@suite_test("commands", "status, continue, inspect, list, show, export, verify, sweep, doctor, remove")
def test_commands(name, petspot, check):
    answer = petspot.run("status")
    check("status of a new draft is empty", answer.exit == 0 and answer.status == "empty", answer)
    answer = petspot.run("continue")
    refused = answer.exit == 65 and answer.json.get("toast") == "Photo is mandatory"
    check("continue without a photo", refused and answer.json.get("canContinue") is False, answer)
    answer = petspot.run("attach", image("portrait-phone.heic"))
    check("attach to the default draft", answer.exit == 0, answer)
    photo = answer.photo
    answer = petspot.run("status")
    check("status shows the photo", answer.status == "confirmed" and answer.photo.get("id") == photo.get("id"), answer)
    answer = petspot.run("continue")
    check("continue with a photo", answer.exit == 0 and answer.json.get("canContinue") is True, answer)
    answer = petspot.run("attach", image("cut-200.jpg"))
    check("a failed replacement is refused", answer.exit == 65, answer)
    answer = petspot.run("status")
    check("and keeps the photo", answer.photo.get("id") == photo.get("id"), answer)
    answer = petspot.run("inspect", *(image(row["file"]) for row in IMAGE_ROWS[:12]))
    check("inspect prints a line for each file", len(answer.objects) == 12 and answer.exit == 0, answer)
    answer = petspot.run("list")
    listed = [row.get("id") for row in answer.objects]
    check("list has the photo", answer.exit == 0 and photo.get("id") in listed, answer)
    answer = petspot.run("list", "--limit", "3")
    check("list --limit", answer.exit == 0 and len(answer.objects) == min(3, len(listed)), answer)
    cache = ("--cache", petspot.cache)
    for target in (photo.get("id", ""), image("still.gif")):
        answer = petspot.run("show", target, *cache, plain=True)
        check(f"show {os.path.basename(target)}", answer.exit == 0 and answer.output != "", answer)
    with tempfile.TemporaryDirectory() as folder:
        answer = petspot.run("export", photo.get("id", ""), "--to", folder)
        check("export writes a file", answer.exit == 0 and len(os.listdir(folder)) == 1, answer)
    answer = petspot.run("verify", "--all")
    sound = answer.json.get("damaged") == 0 and answer.json.get("missing") == 0
    check("verify finds no damage", answer.exit == 0 and answer.json.get("checked", 0) > 0 and sound, answer)
    answer = petspot.run("sweep", "--dry-run")
    check("nothing to sweep", answer.exit == 0 and answer.json.get("removedBlobs") == 0, answer)
    check("nothing left in incoming", petspot.leftovers() == [])
    answer = petspot.run("doctor")
    check("doctor", answer.exit == 0, answer)
    for time_around in ("with", "without"):
        answer = petspot.run("remove")
        check(f"remove {time_around} a photo", answer.exit == 0 and answer.status == "empty", answer)


@suite_test("bad-input", "input that is not a photo, from any source")
def test_bad_input(name, petspot, check, tmp_path):
    folder = str(tmp_path)

    def refused(what, exit, *arguments, code=None, **options):
        answer = petspot.run(*arguments, timeout=20, **options)
        check(what, answer.exit == exit and (code is None or answer.code == code), answer)

    refused("an unknown command", 64, "frobnicate", plain=True)
    refused("attach without a file", 64, "attach", plain=True)
    refused("a missing file", 66, "attach", os.path.join(folder, "none.jpg"), code="unreadable")
    refused("a folder", 66, "attach", folder, code="unreadable")
    refused("a device", 66, "attach", "/dev/zero", code="unreadable")
    refused("- with empty input", 65, "attach", "-", code="empty")
    fifo = os.path.join(folder, "fifo")
    os.mkfifo(fifo)
    refused("a FIFO does not hang", 66, "attach", fifo, code="unreadable")
    place = os.path.join(folder, "socket")
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(place)
        refused("a socket", 66, "attach", place, code="unreadable")
    with open(image("still.gif"), "rb") as file:
        answer = petspot.run("attach", "-", "--name", "from stdin.gif", "--draft", "stdin", stdin=file)
    check("- with a photo", answer.photo.get("fileName") == "from stdin.gif", answer)
    name = os.path.join(folder.encode(), b"odd\x1b[31m \xff\n.gif")
    with open(name, "wb") as odd, open(image("still.gif"), "rb") as file:
        odd.write(file.read())
    answer = petspot.run("attach", name, "--draft", "odd")
    harmless = answer.exit == 0 and "\x1b" not in answer.photo.get("fileName", "\x1b")
    check("a name with control characters and invalid UTF-8", harmless, answer)
    blocked = os.path.join(folder, "a file")
    with open(blocked, "w") as file:
        file.write("kept")
    answer = Petspot(petspot.binary, blocked).run("attach", image("still.gif"), timeout=20)
    check("a cache path that is a file", answer.exit == 73, answer)
    with open(blocked) as file:
        check("is left alone", file.read() == "kept")


@suite_test("library", "a shelter's library: search, browse, watch and undo, with sets kept together")
def test_library(name, binary, check, tmp_path):
    petspot, photos = Petspot(binary, str(tmp_path / "cache")), tmp_path / "photos"
    files = {
        "Rex i Żółw/IMG_1.HEIC": "portrait-phone.heic", "b/Łąka.jpg": "orientation-6.jpg", "top.jpg": "gps-exif.jpg",
    }  # fmt: skip
    for place, source in files.items():
        (photos / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(image(source), photos / place)
    for place in ("Rex i Żółw/IMG_1.MOV", "#recycle/gone.jpg"):
        (photos / place).parent.mkdir(exist_ok=True)
        (photos / place).write_text("{}")
    answer = petspot.run("import", str(photos))
    outcomes = {os.path.basename(row["path"]): row.get("code", row["outcome"]) for row in answer.objects[:-1]}
    check("a sidecar is recognized", answer.exit == 0 and outcomes.get("IMG_1.MOV") == "sidecar", answer)
    check("the summary names the run", answer.json.get("run") == 1, answer)
    for words in (["zolw"], ["ŻÓŁW", "img"], ["--folder", "rex*"], ["--sort", "name", "--limit", "1", "--folder", "R*"]):
        answer = petspot.run("list", *words)
        check(f"list {words}", [row.get("fileName") for row in answer.objects] == ["IMG_1.HEIC"], answer)
    check("list without a match", petspot.run("list", "rex", "laka").objects == [])
    check("list by day", len(petspot.run("list", "--taken", "2026-11-20..2026-11-20").objects) == 3)
    answer = petspot.run("import", str(photos), "--delete-source")
    check("without a terminal nothing is deleted", answer.exit == 64, answer)
    answer = petspot.run("import", str(photos), "--delete-source", "--yes")
    kept = [row["path"] for row in answer.objects if row.get("sourceKept", {}).get("code") == "sidecar"]
    check("a set stays", len(kept) == 1 and (photos / "Rex i Żółw/IMG_1.HEIC").exists(), answer)
    check("others go", not (photos / "top.jpg").exists() and not (photos / "b/Łąka.jpg").exists())
    moved = tmp_path / "moved"
    answer = petspot.run("import", str(photos), "--move-source", str(moved), "--yes", "--delete-lossy-source")
    whole = sorted(os.listdir(moved / "Rex i Żółw")) == ["IMG_1.HEIC", "IMG_1.MOV"]
    check("a set is moved whole", answer.exit == 0 and whole, answer)
    with subprocess.Popen(petspot.command("browse"), stdout=subprocess.PIPE) as browsing:
        url = json.loads(browsing.stdout.readline())["url"]
        page = subprocess.run(["curl", "-si", url], capture_output=True, text=True).stdout
        check("browse shows the photos", page.count('data-testid="library.item"') == 3 and "no-store" in page)
        check("without a cookie or referrer", "set-cookie" not in page.lower() and "no-referrer" in page)
        for what, other in (("the secret", url[:-9] + "00000000/"), ("the host", url)):
            heads = ["-H", "Host: localhost"] if what == "the host" else []
            code = subprocess.run(
                ["curl", "-so", os.devnull, "-w", "%{http_code}", *heads, other], capture_output=True, text=True
            ).stdout
            check(f"browse needs {what}", code in ("404", "421"))
        browsing.send_signal(2)
        check("browse is gone with Ctrl-C", browsing.wait(timeout=20) == 0)
    with subprocess.Popen(petspot.command("import", str(photos), "--watch"), stdout=subprocess.PIPE, text=True) as watching:
        shutil.copy(image("portrait-phone.heic"), photos / "copy.part")
        os.rename(photos / "copy.part", photos / "again.heic")
        shutil.copy(image("still.gif"), photos / "new")
        seen = set()
        while not {"again.heic", "new"} <= seen:
            row = json.loads(watching.stdout.readline())
            seen.add(os.path.basename(row.get("path", "")))
        watching.send_signal(2)
        rest = [json.loads(line) for line in watching.stdout]
        check("watching ends with a summary", rest[-1].get("event") == "summary" and rest[-1]["failed"] == 0)
        check("and with 0", watching.wait(timeout=20) == 0)
    sizes = Petspot(binary, str(tmp_path / "sizes"))
    answer = sizes.run("import", image("large.jpg"), image("large.png"))
    check("large photos are imported", answer.exit == 0, answer)
    for side in ("320", "640", "960", "1280", "1920"):
        answer = sizes.run("export", "--all", "--to", str(tmp_path / side), "--size", side)
        check(f"size {side} is exported", answer.exit == 0, answer)
    made = sum(len(files) for _, _, files in os.walk(tmp_path / "sizes" / "sizes"))
    check("each size is made once", made == 5 + 4, made)
    check("undo asks", petspot.run("runs", "undo", "1").exit == 64)
    check("undo keeps photos without originals", petspot.run("runs", "undo", "1", "--yes").exit == 65)
    answer = petspot.run("runs", "undo", "1", "--yes", "--only-copies")
    check("undo forgets what a run brought", answer.exit == 0 and answer.json.get("forgotten") == 3, answer)
    answer = petspot.run("list")
    check("and nothing else", [row.get("fileName") for row in answer.objects] == ["new"], answer)
    originals, only = tmp_path / "originals", Petspot(binary, str(tmp_path / "only"))
    originals.mkdir()
    shutil.copy(image("large.jpg"), originals)
    answer = only.run("import", str(originals), "--delete-source", "--yes")
    check("an import deletes originals", answer.exit == 0 and not list(originals.iterdir()), answer)
    check("undo keeps only copies", only.run("runs", "undo", "1", "--yes").exit == 65)
    check("unless they may go", only.run("runs", "undo", "1", "--yes", "--only-copies").exit == 0)


@suite_test("report", "a whole report, from its first step to a closed announcement")
def test_report(name, petspot, check):
    def step(what, *arguments, exit=0, **facts):
        answer = petspot.run("report", *arguments, "--draft", "report")
        good = answer.exit == exit and all(answer.json.get(key) == value for key, value in facts.items())
        check(f"report {what}", good, answer)
        return answer

    step("chip", "chip", "--number", "616-093", next="photo")
    step("photo is mandatory", "photo", exit=65, canContinue=False)
    step("photo", "photo", image("orientation-6.jpg"), next="description")
    answer = step("describe reports all errors", "describe", "--age", "99", exit=65, canContinue=False)
    fields = [error["field"] for error in answer.json.get("errors", [])]
    check("of every field", fields == ["species", "race", "gender", "age"], answer)
    animal = ("--species", "dog", "--race", "Beagle", "--gender", "male", "--age", "4")
    step("describe", "describe", *animal, "--latitude", "52,2297", "--longitude", "21.0122", next="contact")
    step("submit before it is complete", "submit", exit=65)
    step("contact", "contact", "--name", "Jan", "--phone", "600 700 800", next="summary")
    first = step("submit", "submit").json
    password, number = first.get("managementPassword"), first.get("announcement", {}).get("id")
    check("gives a code", bool(password) and bool(number))
    again = step("submit again", "submit").json
    same = again.get("announcement", {}).get("id") == number and "managementPassword" not in again
    check("returns the same announcement without the code", same)
    step("clear", "clear", cleared=True)
    answer = petspot.run("announcements", "--near", "52.2297,21.0222", "--sort", "nearest")
    near = answer.json.get("id") == number and 0.6 < answer.json.get("distanceKm", 0) < 0.8
    check("announcements show the distance", answer.exit == 0 and near, answer)
    answer = petspot.run("verify", "--all")
    check("the announcement keeps its photo", answer.exit == 0, answer)
    answer = petspot.run("announcements", "close", str(number), "--password", "wrong")
    check("close with a wrong code", answer.exit == 65 and answer.code == "wrong-password", answer)
    answer = petspot.run("announcements", "close", str(number), "--password", str(password))
    check("close", answer.exit == 0, answer)
    answer = petspot.run("announcements")
    check("takes it off the list", answer.exit == 0 and answer.objects == [], answer)


@suite_test("units", "every unit of the package is hardened")
def test_units(name, check):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not here")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([os.path.join(ROOT, "Scripts/packaging/units.py"), folder], check=True)
        # Failure reports are exempt because they may send mail.
        services = sorted(file for file in os.listdir(folder) if file.endswith(".service") and "failed" not in file)
        check("there are units", "petspot.service" in services and "petspot-sweep.service" in services)
        for service in services:
            words = ["systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager"]
            answer = run([*words, os.path.join(folder, service)])
            check(f"the exposure of {service} is at most 2.0", answer.exit == 0, answer)


@suite_test("weak-sandbox", "a server starts only with a complete sandbox, unless a weak one is allowed")
def test_weak_sandbox(name, petspot, check):
    def without_landlock():
        system_calls = seccomp.Filter()
        system_calls.refuse("landlock_create_ruleset", errno.ENOSYS)
        system_calls.load()

    answer = petspot.run("serve", "--port", "0", preexec_fn=without_landlock)
    check("it refuses to start", answer.exit == 69 and answer.code == "sandbox-landlock", answer)
    check("and names the option", "--allow-weak-sandbox." in answer.errors, answer)
    command = petspot.command("serve", "--port", "0", "--allow-weak-sandbox")
    with subprocess.Popen(command, stdout=subprocess.PIPE, preexec_fn=without_landlock) as process:
        check("it starts if it is allowed", b"listening" in process.stdout.readline())
        process.terminate()


@suite_test("readme", "the commands of the README")
def test_readme(name, binary, check, tmp_path):
    """Runs the README's shell blocks unchanged. The package's tests compile its Swift."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```sh\n(.*?)^```$", file.read(), re.MULTILINE | re.DOTALL)
    check("the README has commands for terminal and server", len(blocks) == 2)
    place = str(tmp_path)
    os.symlink(IMAGES, os.path.join(place, "TestImages"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    pictures = os.path.join(place, "Pictures")
    os.makedirs(pictures)
    for name in ("gps-exif.jpg", "orientation-6.jpg", "color-key.png"):
        shutil.copy(image(name), pictures)
    environment = os.environ | {
        "PATH": os.path.dirname(binary) + ":" + os.environ["PATH"],
        "HOME": place,
        "PETSPOT_CACHE": os.path.join(place, "cache"),
    }
    for block, said in zip(blocks, ("3 imported", '"status":"ok"')):
        script = "set -e; end() { kill %1 2>/dev/null && wait || true; }; trap end EXIT\n" + block.replace("8080", port)
        done = subprocess.run(
            ["bash", "-c", script], cwd=place, env=environment, capture_output=True, text=True, timeout=120
        )
        check(f"README: {block.splitlines()[0]}", done.returncode == 0 and said in done.stdout)
        if done.returncode != 0:
            print(done.stderr[-500:])
    check("README: the import wrote its report", os.path.exists(os.path.join(place, "import.html")))
