"""`Scripts/bench sizes`: the cost of making sizes of photos, against libvips and Pillow on the same blobs,
and the time to serve an existing size during uploads."""

import glob
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time

import environment
import holding
import results
import running
from comparing import HERE, files_in, folder_of, fresh, import_command, median, read_once, run
from measuring import load_note, measure
from uploading import Uploads

MOST_ONE, MOST_SERVED = 1.2, 10.0  # times libvips' time; milliseconds
RUNG = 1280
# The initial SizeQuality in PictureDecoder+Sizes.swift.
QUALITIES = {
    "jpg": {320: 80, 640: 80, 960: 78, 1280: 76, 1920: 74}, "webp": {320: 80, 640: 72, 960: 72, 1280: 68, 1920: 62},
}  # fmt: skip
# The measurement that imgproxy and imagor publish: 2000 by 1333 pixels to 500. petspot's nearest size is 640.
NEIGHBORS = {"pixels": (2000, 1333), "rung": 640}
TINY = os.path.join(environment.ROOT, "TestImages", "baseline-444.jpg")
KINDS = {"jpeg": "JPEG", "webp": "WebP", "png": "PNG"}


def main(arguments):
    files = [path for path in files_in(folder_of("mixed", 150)) if not path.endswith(".gif")][: arguments.photos]
    read_once(files)
    load, cache = load_note(), fresh("sizes")
    run("sizes", import_command(arguments.binary, files, cache, arguments.processes), cores=arguments.cores)
    blobs = sorted(glob.glob(os.path.join(cache, "blobs", "*", "*")))
    rounds = []
    for number in range(arguments.rounds):
        rounds.append(one_round(arguments, files, blobs))
        print(f"round {number + 1}: {rounds[-1]['one']}", flush=True)
    served = serving(arguments, files)
    tell(arguments, load, blobs, rounds, served)


def one_round(arguments, files, blobs):
    """Returns CPU seconds per photo: of one size with each program, and of all sizes."""
    kinds = {}
    for suffix, kind in (("jpg", "jpeg"), ("webp", "webp"), ("png", "png")):
        some = [path for path in blobs if path.endswith(suffix)]
        if some:
            kinds[kind] = {
                "photos": len(some), "libvips": thumbnails(arguments, some, "jpg", RUNG),
                "pillow": pillow(arguments, some),
            }  # fmt: skip
    own = own_costs(arguments, files, kinds)
    peers = sum(thumbnails(arguments, blobs, suffix, rung) for suffix in QUALITIES for rung in QUALITIES[suffix])
    return {"one": own["one"], "kinds": kinds, "ten": own["ten"], "request": own["request"], "peers": peers}


VIPS = """
import json, sys, time
import pyvips
pyvips.cache_set_max(0)
out, suffix, side, quality = *sys.argv[1:3], *map(int, sys.argv[3:5])
start = time.process_time()
for number, path in enumerate(sys.argv[5:]):
    picture = pyvips.Image.thumbnail(path, side, height=side, size="down")
    picture.write_to_file(f"{out}/{number}.{suffix}", Q=quality, keep="none")
print(json.dumps({"cpu": time.process_time() - start}))
"""


def thumbnails(arguments, blobs, suffix, rung):
    """Makes a size of all blobs with libvips, as `vipsthumbnail` does, in one process with one thread. Returns the CPU
    seconds per blob, without the start of the process."""
    out = fresh("thumbnails")
    os.makedirs(out)
    command = [environment.PYTHON, "-c", VIPS, out, suffix, str(rung), str(QUALITIES[suffix][rung]), *blobs]
    cost, told = run("libvips", command, {"VIPS_CONCURRENCY": "1"}, arguments.cores)
    if cost.exit or len(os.listdir(out)) != len(blobs):
        sys.exit(f"bench: libvips ended with {cost.exit}, {len(os.listdir(out))} of {len(blobs)} made")
    return told["cpu"] / len(blobs)


PILLOW = """
import sys
from PIL import Image
rung, quality = int(sys.argv[1]), int(sys.argv[2])
for path in sys.argv[3:]:
    with Image.open(path) as picture:
        picture = picture.convert("RGB") if picture.mode != "RGB" else picture
        picture.thumbnail((rung, rung), Image.Resampling.LANCZOS, reducing_gap=None)
        picture.save("/dev/null", "JPEG", quality=quality, optimize=True)
"""


def pillow(arguments, blobs):
    command = [environment.PYTHON, "-c", PILLOW, str(RUNG), str(QUALITIES["jpg"][RUNG]), *blobs]
    cost = measure(command, cores=arguments.cores)
    if cost.exit:
        sys.exit(f"bench: Pillow ended with {cost.exit}")
    return cost.cpu / len(blobs)


class Photos:
    """Photos that a server shows. `paths` returns the paths of the sizes of a photo by its index."""

    def __init__(self, service, files):
        self.service = service
        uploads = Uploads(service, files)
        uploads.send(1)
        self.announcements = [self.asked(f"/api/v1/announcements/{owner[0]}") for owner in uploads.owners]

    def asked(self, path):
        return json.loads(subprocess.run(
            ["curl", "-sS", "--fail", f"http://127.0.0.1:{self.service.port}{path}"],
            check=True, capture_output=True).stdout)  # fmt: skip

    def paths(self, number):
        return ["/" + size["url"].split("/", 3)[3] for size in self.announcements[number].get("photoSizes", [])]

    def take(self, paths):
        """Requests all paths over one connection. Returns the CPU seconds of the server itself, and of its
        decoders."""
        settled(self.service)
        own, whole = self.service.own_cpu(), self.service.cpu()
        urls = [part for path in paths for part in ("-o", "/dev/null", f"http://127.0.0.1:{self.service.port}{path}")]
        subprocess.run(["curl", "-sS", "--fail", *urls], check=True)
        settled(self.service)
        own = self.service.own_cpu() - own
        return own, self.service.cpu() - whole - own


def settled(service):
    """Waits until the server has nothing left to do, such as pictures for links."""
    before, quiet = service.cpu(), 0
    while quiet < 3:
        time.sleep(0.2)
        now = service.cpu()
        quiet, before = (quiet + 1, now) if now == before else (0, now)


def own_costs(arguments, files, kinds):
    """Adds to `kinds` the cost of a JPEG of 1280: in decoders, which are new for each photo, and in the server. The
    server makes this size of a new announcement at once for its link, so it is deleted and requested again."""
    with running.petspot(arguments, "--no-client-limits") as service:
        tiny = Photos(service, [TINY] * 10)
        photos = Photos(service, files)
        settled(service)
        forget_sizes(service.folder)
        empty = tiny.take([tiny.paths(number)[0] for number in range(10)])
        cage = empty[1] / 10
        neighbors = Photos(service, [neighbors_photo(files)] * 10)
        settled(service)
        forget_sizes(service.folder)
        paths = [next(path for path in neighbors.paths(number) if path.endswith(f"-{NEIGHBORS['rung']}.jpg")) for number in range(10)]
        request = sum(neighbors.take(paths)) / 10
        for kind, row in kinds.items():
            some = [number for number, one in enumerate(photos.announcements) if kind_of(service.folder, one) == kind]
            # Some photos have more than one such path, for example a picture that was uploaded twice.
            paths = [path for number in some for path in photos.paths(number) if path.endswith(f"-{RUNG}.jpg")]
            own, decoders = photos.take(paths)
            row["made"] = decoders / len(paths) - cage
            row["cage"] = cage
            row["proof"] = own / len(paths)
            row["asked"] = len(paths)
        forget_sizes(service.folder)
        numbers = range(len(photos.announcements))
        ten = sum(sum(photos.take(photos.paths(number))) for number in numbers) / len(files)
    one = {kind: round(row["made"] / row["libvips"], 3) for kind, row in kinds.items()}
    return {"one": one, "ten": ten, "request": request}


def neighbors_photo(files):
    """Returns the first JPEG, resized to the peers' size."""
    photo, (width, height) = fresh("neighbors") + ".jpg", NEIGHBORS["pixels"]
    source = next(path for path in files if path.endswith((".jpg", ".jpeg")))
    subprocess.run(
        ["vips", "thumbnail", source, photo + "[Q=85]", str(width), "--height", str(height), "--crop", "centre"], check=True)
    return photo


def kind_of(cache, announcement):
    """Returns the format of an announcement's picture."""
    photo = announcement["photoUrl"].rpartition("/")[2].upper()
    with sqlite3.connect(os.path.join(cache, "database", "catalog.sqlite")) as database:
        return database.execute("SELECT blobFormat FROM photo WHERE id = ?", [photo]).fetchone()[0]


def forget_sizes(cache):
    """Deletes all sizes, as if none had been made."""
    with sqlite3.connect(os.path.join(cache, "database", "catalog.sqlite"), timeout=60) as database:
        database.execute("DELETE FROM photo_size")
    for shard in glob.glob(os.path.join(cache, "sizes", "*")):
        shutil.rmtree(shard, ignore_errors=True)


def serving(arguments, files):
    """Returns the milliseconds of responses with an existing size, alone and during uploads."""
    figures = {}
    with running.petspot(arguments, "--no-client-limits") as service:
        photos = Photos(service, files[:1])
        path = next(path for path in photos.paths(0) if path.endswith("-640.webp"))
        photos.take([path])
        figures["alone"] = asked(service, arguments, path)
        uploads = Uploads(service, files)
        threading.Thread(target=uploads.send, args=(arguments.clients, True), daemon=True).start()
        time.sleep(2)
        count = len(uploads.took)
        figures["beside uploads"] = asked(service, arguments, path)
        figures["beside uploads"]["uploads"] = (len(uploads.took) - count) / arguments.seconds
        uploads.is_over.set()
        time.sleep(3)
    fresh("petspot")
    return figures


def asked(service, arguments, path):
    options = [service.port, path, arguments.askers, arguments.seconds, arguments.pause]
    command = [sys.executable, os.path.join(HERE, "asking.py"), *map(str, options)]
    done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    took = sorted(done["milliseconds"])
    row = {"rate": len(took) / done["seconds"], "slowest": took[-1]}
    row |= {f"p{share}": holding.percentile(took, share) for share in (50, 95, 99)}
    print(f"a size, {row['rate']:.0f} a second: p50 {row['p50']:.1f} ms, p99 {row['p99']:.1f} ms", flush=True)
    return row


def tell(arguments, load, blobs, rounds, served):
    kinds, rows, found = {}, [], []
    for kind, first in rounds[0]["kinds"].items():
        row = {name: median(one["kinds"][kind][name] for one in rounds) for name in first}
        row["ratio"] = median(one["kinds"][kind]["made"] / one["kinds"][kind]["libvips"] for one in rounds)
        kinds[kind] = row
        rows.append((
            f"{row['photos']:.0f} {KINDS[kind]}",
            *(f"{row[name] * 1000:.0f}" for name in ("made", "cage", "proof", "libvips", "pillow")),
            f"{row['ratio']:.2f}",
        ))  # fmt: skip
    weights = {kind: row["photos"] for kind, row in kinds.items()}
    total = sum(weights.values())
    whole = {
        name: sum(kinds[kind][name] * weight for kind, weight in weights.items()) / total
        for name in ("made", "cage", "proof", "libvips", "pillow")
    }  # fmt: skip
    whole["ratio"] = whole["made"] / whole["libvips"]
    rows.append((f"all {total:.0f}", *(f"{whole[name] * 1000:.0f}" for name in list(whole)[:5]), f"{whole['ratio']:.2f}"))
    ladder_row = {name: median(one[name] for one in rounds) for name in ("ten", "peers", "request")}
    p99 = served["beside uploads"]["p99"]
    found = [
        (f"CPU of a JPEG of {RUNG}, all photos, of libvips'", f"{whole['ratio']:.2f}", f"≤ {MOST_ONE}", whole["ratio"] <= MOST_ONE),
        ("a size that is there beside uploads, p99", f"{p99:.1f} ms", f"< {MOST_SERVED:.0f} ms", p99 < MOST_SERVED),
    ]  # fmt: skip
    notes = [
        f"{len(blobs)} blobs of photos as phones make them; milliseconds of CPU a photo, medians of {arguments.rounds} rounds.",
        "Made: decode, shrink and encode in a decoder process, less what such a process costs with a picture of 64 by 48 pixels,",
        "which is told as the cage. Proof: of what is made, storing it and the answer, in the server's own process.",
        "libvips: all blobs in one process, one thread, the same quality; Pillow: Lanczos over a full decode, as JPEG.",
        ", ".join(environment.versions()[:3]),
        f"Serving: {arguments.askers} clients, one question each in {arguments.pause} s, {arguments.clients} clients that upload.",
    ]  # fmt: skip
    columns = (f"a JPEG of {RUNG}, of", "made", "cage", "proof", "libvips", "Pillow", "made / libvips")
    text = "\n".join([
        results.header("Sizes", load, notes), results.table(columns, rows), "",
        results.table(
            ("all sizes in JPEG and WebP, ms of CPU a photo", "petspot"),
            [
                ("by ten requests, a decode each", f"{ladder_row['ten'] * 1000:.0f}"),
                ("ten sizes by libvips, for comparison", f"{ladder_row['peers'] * 1000:.0f}"),
            ]), "",
        results.table(
            ("2000 by 1333 to 640, a request that makes it", "CPU ms"), [("all of it", f"{ladder_row['request'] * 1000:.1f}")]), "",
        results.table(
            ("a size that is there", "a second", "p50 ms", "p95 ms", "p99 ms", "slowest ms", "uploads a second"),
            [
                (name, f"{row['rate']:.0f}", *(f"{row[key]:.1f}" for key in ("p50", "p95", "p99", "slowest")), f"{row.get('uploads', 0):.1f}")
                for name, row in served.items()
            ]), "",
        "## Checks", "", results.checks(found), "",
    ])  # fmt: skip
    figures = {"kinds": kinds, "all": whole, "ladder": ladder_row, "served": served}
    results.write("sizes", text, figures, keep=not arguments.dry)
