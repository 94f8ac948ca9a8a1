"""`Scripts/bench backup`: backs up and restores a large store while a server writes to it."""

import hashlib
import http.client
import json
import os
import sqlite3
import struct
import subprocess
import threading
import time
import uuid
import zlib

import landing
import results
import running
from comparing import fresh
from measuring import load_note, resident_bytes

SLOWEST, MEMORY = 300.0, 200  # milliseconds of a write during a backup, MB of a backup
SIDE = 24  # pixels
UNSEALED = {"sequence", "assetIdentifier", "seal", "form"}


def main(arguments):
    load, cache, rows = load_note(), fresh("backup"), []
    photo = landing.attached(arguments, cache)
    clone(cache, photo[0], arguments.photos)
    landing.fill(landing.catalog(cache), arguments.announcements, photo)
    share(landing.catalog(cache))
    folder, restored = fresh("backup-folder"), fresh("backup-restored")
    os.makedirs(folder)
    with running.petspot(arguments, "--no-client-limits", cache=cache) as service:
        calm = Writer(service)
        time.sleep(10)
        rows.append(("nothing", "10.0", "-", *calm.end()))
        for name, more in (("the first backup", ()), ("another backup", ()), ("with --prove", ("--prove",))):
            writer = Writer(service)
            took, memory = run(arguments, "backup", folder, *more, "--cache", cache)
            rows.append((name, f"{took:.1f}", f"{memory:.0f}", *writer.end()))
    erase(landing.catalog(cache))
    took, memory = run(arguments, "backup", folder, "--cache", cache)
    rows.append(("after an erasure", f"{took:.1f}", f"{memory:.0f}", "-", "-", "-"))
    took, memory = run(arguments, "restore", folder, "--cache", restored)
    rows.append(("the restore", f"{took:.1f}", f"{memory:.0f}", "-", "-", "-"))
    for name in ("backup", "backup-folder", "backup-restored"):
        fresh(name)
    slowest = max(float(row[5]) for row in rows[1:4])
    most = max(float(row[2]) for row in rows[1:])
    columns = ("beside", "seconds", "MB", "writes", "median, ms", "slowest, ms")
    notes = [
        f"{arguments.announcements:,} announcements, {arguments.photos:,} photos of two pictures each. A client publishes "
        "announcements one after the other all the time.",
    ]
    text = "\n".join([
        results.header("Backups", load, notes), results.table(columns, rows), "", "## Checks", "",
        results.checks([
            ("the slowest write, ms", f"{slowest:.0f}", f"< {SLOWEST:.0f}", slowest < SLOWEST),
            ("memory, MB", f"{most:.0f}", f"< {MEMORY}", most < MEMORY),
        ]), "",
    ])  # fmt: skip
    results.write("backup", text, {"announcements": arguments.announcements, "rows": rows}, keep=not arguments.dry)


def clone(cache, photo, count):
    """Records copies of a photo, each with its own pictures. The catalog has their digests, but doesn't depend on
    what they show."""
    database = sqlite3.connect(landing.catalog(cache))
    database.row_factory = sqlite3.Row
    row = dict(database.execute("SELECT * FROM photo WHERE id = ?", (photo,)).fetchone())
    names = [name for name in row if name != "sequence"]
    with database:
        for number in range(count):
            copy = row | {"id": str(uuid.UUID(int=number + 1, version=4)).upper(), "fileName": f"{number}.jpg"}
            copy |= {"pixelWidth": SIDE, "pixelHeight": SIDE}
            for kind, folder in (("blob", "blobs"), ("preview", "previews")):
                data = picture(kind, number)
                digest = hashlib.sha256(data).hexdigest()
                path = os.path.join(cache, folder, digest[:2], f"{digest[2:]}.png")
                os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
                with open(path, "wb") as file:
                    file.write(data)
                copy |= {kind + "SHA256": digest, kind + "SizeBytes": len(data), kind + "Format": "png"}
                copy |= {kind + "Width": SIDE, kind + "Height": SIDE, kind + "FrameCount": 1}
            copy["seal"] = seal(copy)
            database.execute(
                f"""INSERT INTO photo ({", ".join(f'"{name}"' for name in names)})
                VALUES ({", ".join("?" * len(names))})""",
                [copy[name] for name in names],
            )
    database.close()


def picture(kind, number):
    """Returns a PNG of noise that differs for each photo."""
    noise = hashlib.shake_128(f"{kind} {number}".encode()).digest(SIDE * SIDE * 3)
    rows = b"".join(b"\0" + noise[row * SIDE * 3 : (row + 1) * SIDE * 3] for row in range(SIDE))
    head = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )


def seal(row):
    """Returns a record's seal, as `photo(_:)` in Sources/PhotoAttachments/Records/Seal.swift."""
    values = [value for name, value in row.items() if name not in UNSEALED]
    if row["form"] is not None:
        values += ["form", row["form"]]
    text = b""
    for value in values:
        kind = "n" if value is None else "i" if isinstance(value, int) else "s"
        data = b"" if value is None else str(value).encode()
        text += f"{kind}{len(data)}:".encode() + data
    return hashlib.sha256(text).hexdigest()


def share(path):
    """Gives every second announcement its own photo."""
    database = sqlite3.connect(path)
    with database:
        photos = database.execute('SELECT "id", "blobSHA256" FROM photo ORDER BY sequence').fetchall()
        numbers = [number for (number,) in database.execute("SELECT number FROM announcement WHERE number % 2 = 0")]
        database.executemany(
            "UPDATE announcement SET photo_id = ?, photo_sha256 = ? WHERE number = ?",
            ((*photo, number) for photo, number in zip(photos[1:], numbers)),
        )
    database.close()


def erase(path):
    """Erases an announcement and records its mark, as in Sources/PhotoAttachments/Records/ErasureMark.swift."""
    database = sqlite3.connect(path)
    with database:
        (name,) = database.execute("SELECT id FROM announcement WHERE number = 10").fetchone()
        mark = hashlib.sha256(f"petspot announcement {name}".encode() + b"\0").hexdigest()
        database.execute("INSERT INTO erasure (mark) VALUES (?)", (mark,))
        database.execute("DELETE FROM announcement WHERE id = ?", (name,))
    database.close()


def run(arguments, *words):
    """Runs petspot. Returns the seconds and the peak memory in MB."""
    begin, most = time.monotonic(), 0
    process = subprocess.Popen(["nice", arguments.binary, *words, "--json"], stdout=subprocess.PIPE)
    while process.poll() is None:
        try:
            most = max(most, resident_bytes(process.pid))
        except OSError:
            pass
        time.sleep(0.05)
    answer = process.stdout.read().decode()
    if process.returncode != 0:
        raise SystemExit(f"bench: petspot {words[0]} ended with {process.returncode}: {answer[-1000:]}")
    return time.monotonic() - begin, most / 1e6


class Writer(threading.Thread):
    """Publishes announcements one after another until it is ended."""

    def __init__(self, service):
        super().__init__()
        self.port, self.took, self.is_over = service.port, [], False
        self.start()

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while not self.is_over:
            body = {
                "species": "dog", "breed": "Beagle", "sex": "male", "dateOfDisappearance": "2026-11-01",
                "ownerName": "A person", "ownerPhone": "+48 600 100 200", "petName": "Fox",
                "location": {"latitude": 52.22977, "longitude": 21.01178},
            }  # fmt: skip
            head = {"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())}
            begin = time.perf_counter()
            connection.request("POST", "/api/v1/announcements", json.dumps(body), head)
            answer = connection.getresponse()
            text = answer.read()
            self.took.append((time.perf_counter() - begin) * 1000)
            if answer.status != 201:
                self.took.append(1e9)
                raise SystemExit(f"bench: {answer.status} {text[:300]}")
            time.sleep(0.02)

    def end(self):
        self.is_over = True
        self.join()
        took = sorted(self.took)
        return len(took), f"{took[len(took) // 2]:.0f}", f"{took[-1]:.0f}"
