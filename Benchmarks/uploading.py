"""`Scripts/bench http`: uploads photos to petspot and to services of its peers, with several clients at a time;
measures what the server adds to an import; and runs `holding` for lists and idle connections."""

import base64
import http.client
import json
import os
import queue
import threading
import time

import environment
import holding
import results
import running
from comparing import files_in, folder_of, fresh, import_command, median, read_once, run, spread
from measuring import load_note, machine_cpu

NAMES = {
    "petspot": "petspot serve", "fastapi": "FastAPI + Pillow", "granian": "granian + FastAPI + pyvips",
    "flask": "Flask + pyvips", "rails": "Rails Active Storage + ruby-vips", "import": "petspot import",
}  # fmt: skip
LEAST_RATE, MOST_CPU, MOST_ADDED = 2.8, 0.40, 15.0  # times the peer's; share of the peer's; milliseconds per photo
COLUMNS = ("", "photos/s", "petspot's over it", "CPU ms a photo", "of the machine", "p50 ms", "p95 ms", "peak memory", "spread")
BOUNDARY = "----bench-7MA4YWxkTrZu0gW"
REPORT = {
    "species": "dog", "breed": "Beagle", "sex": "male", "dateOfDisappearance": "2026-11-01", "ownerName": "Ada Nowak",
    "ownerPhone": "+48600100200", "petName": "Fox", "location": {"latitude": 52.22977, "longitude": 21.01178},
}  # fmt: skip
WARMING = ("baseline-444.jpg", "orientation-6.jpg", "color-key.png", "alpha-lossless.webp", "animated.gif", "gps-exif.heic")


def main(arguments):
    folder = arguments.folder or folder_of("mixed", arguments.photos)
    files = files_in(folder)
    read_once(files)
    load, contenders = load_note(), ["petspot", *running.PEERS]
    rounds = {name: [] for name in [*contenders, "import"]}
    for number in range(arguments.rounds):
        for name in contenders:
            rounds[name].append(one_round(arguments, name, files))
            told = rounds[name][-1]
            print(f"round {number + 1}: {NAMES[name]:<18}{told['wall']:8.2f} s, CPU {told['cpu']:.2f} s", flush=True)
        before = machine_cpu()
        cost, _ = run("import", import_command(arguments.binary, [folder], fresh("import"), arguments.processes), cores=arguments.cores)
        rounds["import"].append({
            "wall": cost.wall, "cpu": cost.cpu, "machine": machine_cpu() - before, "peak": cost.peak,
            "photos": len(files), "took": [],
        })  # fmt: skip
        print(f"round {number + 1}: {NAMES['import']:<18}{cost.wall:8.2f} s, CPU {cost.cpu:.2f} s", flush=True)
        fresh("import")
    held = holding.measured(arguments, files, Uploads)
    tell(arguments, files, load, {name: summary(runs) for name, runs in rounds.items()}, held)


def one_round(arguments, name, files, work="processed"):
    """Returns the seconds, bytes, and milliseconds of each upload to a newly started server."""
    if name == "petspot":
        service = running.petspot(arguments, "--no-client-limits")
    else:
        service = running.peer(arguments, name, work)
    with service:
        images = [os.path.join(environment.ROOT, "TestImages", file) for file in WARMING]
        Uploads(service, images * 2).send(arguments.clients)
        uploads = Uploads(service, files)
        time.sleep(1)  # for the work that creating the announcements left to do
        os.sync()
        before, own = service.cpu(), service.own_cpu()
        machine = machine_cpu() - time.process_time()  # without the clients
        wall = uploads.send(arguments.clients)
        time.sleep(0.5)  # work after the last response counts too
        cpu, own = service.cpu() - before, service.own_cpu() - own
        machine = machine_cpu() - time.process_time() - machine
    fresh(name)
    return {
        "wall": wall, "cpu": cpu, "own": own, "machine": machine, "peak": service.sampler.peak,
        "photos": len(uploads.took), "failed": uploads.failed,
        "took": [milliseconds for _, milliseconds in uploads.took],
    }  # fmt: skip


class Uploads:
    """Photos to send, each to its own announcement. The announcements are created here and not measured."""

    def __init__(self, service, files):
        self.service, self.files = service, files
        self.owners = [announced(service) if service.name == "petspot" else (str(n), "-") for n in range(len(files))]
        self.took, self.failed, self.is_over = [], [], threading.Event()

    def send(self, clients, forever=False):
        """Sends the photos with `clients` concurrent clients, repeatedly until `is_over` if `forever`. Returns the
        seconds for all."""
        waiting = queue.SimpleQueue()
        for pair in zip(self.files, self.owners):
            waiting.put(pair)

        def client():
            while not self.is_over.is_set():
                try:
                    path, owner = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    self.took.append((path, self.upload(path, owner)))
                except (OSError, http.client.HTTPException) as error:
                    self.failed.append(f"{os.path.basename(path)}: {error!r}")
                if forever:
                    waiting.put((path, owner))

        threads = [threading.Thread(target=client) for _ in range(clients)]
        begin = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        wall = time.monotonic() - begin
        # A peer may refuse photos that it can't read. Its other photos count.
        if self.failed and self.service.name == "petspot":
            raise SystemExit(f"bench: {self.service.name}: {len(self.failed)} uploads failed: {self.failed[:3]}")
        return wall

    def upload(self, path, owner):
        """Sends one photo over its own connection, as separate people would. Returns the milliseconds until the
        response."""
        with open(path, "rb") as file:
            photo = file.read()
        name = f'form-data; name="photo"; filename="{os.path.basename(path)}"'
        head = f"--{BOUNDARY}\r\nContent-Disposition: {name}\r\nContent-Type: application/octet-stream\r\n\r\n"
        body = head.encode() + photo + f"\r\n--{BOUNDARY}--\r\n".encode()
        code = base64.b64encode(":".join(owner).encode()).decode()
        fields = {
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}", "Authorization": f"Basic {code}",
            "Connection": "close",
        }  # fmt: skip
        begin = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=120)
        connection.request("POST", self.service.path.format(owner[0]), body, fields)
        answer = connection.getresponse()
        told = answer.read()
        connection.close()
        if answer.status != 201:
            raise http.client.HTTPException(f"{answer.status} {told[:200]!r}")
        return (time.monotonic() - begin) * 1000


def announced(service):
    """Creates an announcement on petspot. Returns its id and password."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=300)
    connection.request("POST", "/api/v1/announcements", json.dumps(REPORT), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    told = json.loads(answer.read())
    connection.close()
    if answer.status != 201:
        raise SystemExit(f"bench: no announcement: {told}")
    return told["id"], told["managementPassword"]


def summary(runs):
    wall, photos = median(one["wall"] for one in runs), median(one["photos"] for one in runs)
    took = sorted(value for one in runs for value in one["took"]) or [0]
    return {
        "wall": wall, "rate": photos / wall, "photos": photos,
        "cpuMs": median(one["cpu"] for one in runs) / photos * 1000,
        "ownCpuMs": median(one.get("own", 0) for one in runs) / photos * 1000,
        "machineMs": median(one["machine"] for one in runs) / photos * 1000,
        "failed": [failure for one in runs for failure in one.get("failed", [])],
        "p50": holding.percentile(took, 50), "p95": holding.percentile(took, 95), "slowest": took[-1],
        "peak": max(one["peak"] for one in runs), "spread": spread([one["wall"] for one in runs]), "runs": runs,
    }  # fmt: skip


def table(figures):
    """Returns a row for each contender."""
    ours = figures["petspot"]
    return results.table(COLUMNS, [
        (
            NAMES[name], f"{row['rate']:.1f}", f"{ours['rate'] / row['rate']:.2f}", f"{row['cpuMs']:.0f}",
            f"{row['machineMs']:.0f}", *((f"{row['p50']:.0f}", f"{row['p95']:.0f}") if row["p95"] else ("", "")),
            results.mebibytes(row["peak"]), f"{row['spread']:.0f} %",
        )
        for name, row in figures.items()
    ])  # fmt: skip


def failures(figures):
    """Returns a line for each contender that refused photos."""
    return [
        f"{NAMES[name]} failed {len(row['failed'])} uploads, the first {row['failed'][0]}; they do not count."
        for name, row in figures.items() if row["failed"]
    ]  # fmt: skip


def tell(arguments, files, load, figures, held):
    ours, added = figures["petspot"], figures["petspot"]["cpuMs"] - figures["import"]["cpuMs"]
    found = []
    for name in running.PEERS:
        rate, cpu = ours["rate"] / figures[name]["rate"], ours["cpuMs"] / figures[name]["cpuMs"]
        p95 = figures[name]["p95"]
        found += [
            (f"photos a second over {NAMES[name]}", f"{rate:.2f}", f"≥ {LEAST_RATE}", rate >= LEAST_RATE),
            (f"CPU of {NAMES[name]}", f"{cpu:.2f}", f"≤ {MOST_CPU}", cpu <= MOST_CPU),
            (f"p95 against {NAMES[name]}", f"{ours['p95']:.0f} ms", f"< {p95:.0f} ms", ours["p95"] < p95),
        ]
    found += [("CPU added to an import, ms a photo", f"{added:.1f}", f"≤ {MOST_ADDED:.0f}", added <= MOST_ADDED)]
    notes = [
        f"{len(files)} photos (mixed), {sum(map(os.path.getsize, files)) / 1e6:.0f} MB, by {arguments.clients} clients, "
        f"each photo over a connection of its own; {arguments.processes} worker processes of each peer; {arguments.cores} cores, "
        "which the clients use too.",
        f"{arguments.rounds} rounds in turn; medians; latencies of all rounds together; spread is the farthest run.",
        "A 201 means the same everywhere: upright, without metadata, with a preview of 320 pixels and the JPEG of at most "
        f"1280 pixels that a shared link shows, all files and their folder synced, a row in SQLite (synchronous=FULL). Peers encode at quality {arguments.quality}, as petspot "
        "where it encodes.",
        "Only petspot asks for a password, cages its decoders, looks at a file before and reads it back after.",
        "CPU of the server's whole tree, decoders among it; "
        f"petspot's server alone takes {ours['ownCpuMs']:.0f} ms of it. Of the machine: what all "
        "processors worked meanwhile, less what the clients did.",
        *failures(figures),
        *([", ".join(environment.versions())]), ", ".join(environment.web_versions()),
    ]  # fmt: skip
    held_text, held_checks = holding.told(held)
    text = "\n".join([
        results.header("Uploads over HTTP", load, notes), table(figures), "", held_text, "",
        "## Checks", "", results.checks(found + held_checks), "",
    ])  # fmt: skip
    kept = {"files": len(files), "load": load, "contenders": figures, "addedMs": added, **held}
    results.write("http", text, kept, keep=not arguments.dry)
