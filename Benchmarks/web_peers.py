"""The peers as services that accept uploads: FastAPI with Pillow on uvicorn, FastAPI with pyvips on granian, Flask
with pyvips on gunicorn. A 201 means the same as with petspot: an upright photo without metadata, its preview and
the size for shared links are on disk, and a row records them. They require no password, and check nothing before or
afterwards. With `PEER_WORK=stored`, only the upload itself is on disk, and a row records it."""

import hashlib
import os
import sqlite3
import threading

import peers

SHARED, SHARED_QUALITY = 1280, 76
MAGIC = ((b"\xff\xd8\xff", "jpeg"), (b"\x89PNG\r\n\x1a\n", "png"), (b"GIF8", "gif"))
LOCAL = threading.local()


def settings():
    return os.environ["PEER_FOLDER"], int(os.environ["PEER_QUALITY"])


def sniffed(data):
    """Returns the format by the first bytes, or None."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "webp"
    if data[4:8] == b"ftyp" and data[8:12] in (b"heic", b"heix", b"mif1", b"msf1"):
        return "heic"
    return next((kind for magic, kind in MAGIC if data.startswith(magic)), None)


def catalog():
    """Returns this thread's connection."""
    if not hasattr(LOCAL, "catalog"):
        LOCAL.catalog = sqlite3.connect(os.path.join(settings()[0], "catalog.sqlite"), timeout=60)
        LOCAL.catalog.execute("PRAGMA journal_mode = WAL")
        LOCAL.catalog.execute("PRAGMA synchronous = FULL")
        LOCAL.catalog.execute(
            "CREATE TABLE IF NOT EXISTS photo (announcement TEXT, sha256 TEXT, width INTEGER, height INTEGER)"
        )
    return LOCAL.catalog


def synced(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


def stored(announcement, data, make):
    """Makes the photo, or keeps the upload as it is. Syncs the files to disk and records them in the catalog. Returns
    the response, or None if it isn't a photo."""
    kind, (folder, quality) = sniffed(data), settings()
    if kind is None:
        return None
    digest = hashlib.sha256(data).hexdigest()
    name = os.path.join(folder, digest)
    if os.environ["PEER_WORK"] == "stored":
        blob, sizes, width, height = f"{name}.{kind}", [], None, None
        peers.write(blob, data)
    else:
        blob, preview = f"{name}.{peers.SUFFIXES[peers.blob_kind(kind)]}", f"{name}-preview.jpg"
        sizes = [(f"{name}-shared.jpg", SHARED, SHARED_QUALITY), (preview, peers.PREVIEW, peers.PREVIEW_QUALITY)]
        width, height = make(data, kind, blob, sizes, quality)
    for path in (blob, *(path for path, *_ in sizes), folder):
        synced(path)
    rows = catalog()
    with rows:
        rows.execute("INSERT INTO photo VALUES (?, ?, ?, ?)", (announcement, digest, width, height))
    return {"id": announcement, "sha256": digest, "width": width, "height": height}


def granian_service():
    """Returns the service for granian."""
    peers.start_pyvips()
    return fastapi_service(peers.pyvips_photo)


def fastapi_service(make=peers.pillow_photo):
    """Returns the service for uvicorn. The handler isn't `async`, so that FastAPI runs it on its threads, as
    intended for such work."""
    from fastapi import FastAPI, HTTPException, UploadFile

    peers.start_pillow()
    service = FastAPI()

    @service.post("/announcements/{announcement}/photos", status_code=201)
    def receive(announcement: str, photo: UploadFile):
        told = stored(announcement, photo.file.read(), make)
        if told is None:
            raise HTTPException(415)
        return told

    return service


def flask_service():
    """Returns the service for gunicorn, whose worker processes handle one request at a time."""
    import flask

    peers.start_pyvips()
    service = flask.Flask("peer")

    @service.post("/announcements/<announcement>/photos")
    def receive(announcement):
        told = stored(announcement, flask.request.files["photo"].read(), peers.pyvips_photo)
        return (told, 201) if told else ({}, 415)

    return service
