"""Finds dead bytes: bytes of a blob that can change without any decoder noticing, by an error or another
pixel, and that petspot would store with the change. They could carry a hidden message.

Pillow decodes the picture and `clean` checks the structure; neither shares code with petspot. Changes that
both miss are given to petspot. Its rules fix some bits, such as those after the last code of a JPEG or the
zeros after the last bool of a VP8 partition, so those never survive with another value. The bits that the
last bool itself reads aren't fixed yet: an encoder may choose among several values with the same meaning."""

import io
import shutil
import subprocess

import clean
from PIL import Image, ImageSequence


def picture(data):
    """Returns everything that Pillow shows of a picture, or None if Pillow refuses it."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            shown = [image.size, image.info.get("loop")]
            for frame in ImageSequence.Iterator(image):
                pixels = frame.convert("RGBA").tobytes()  # first: decoding sets a WebP frame's delay
                timing = (frame.info.get("duration"), frame.info.get("blend"))
                shown.append((pixels, timing, getattr(frame, "disposal_method", None)))
            return shown
    except Exception:  # noqa: BLE001 - a decoder may raise anything
        return None


def coefficients(data):
    """Returns a JPEG as libjpeg's transform writes it again, to compare its coefficients. They reveal changes of
    less than one step of a pixel, or of a color that can't become stronger. Returns None without jpegtran and for
    other formats."""
    if not data.startswith(b"\xff\xd8") or not shutil.which("jpegtran"):
        return None
    return subprocess.run(["jpegtran", "-copy", "none", "-optimize"], input=data, capture_output=True).stdout


def count(data, most, dice, outlasts):
    """Changes at most `most` bytes, among them the first and the last ones. Returns (tried, unseen, dead places).
    Skips the bytes of tables, because their effect on visible colors can be less than one step of a pixel.
    `outlasts` returns whether petspot stores a changed blob unchanged."""
    whole, codes = picture(data), coefficients(data)
    left_out = tables(data)
    places = [place for place in range(len(data)) if place not in left_out]
    if len(places) > most:
        edge = most // 4
        end = len(places) - edge
        places = places[:edge] + sorted(dice.sample(places[edge:end], most - 2 * edge)) + places[end:]
    unseen, dead = 0, []
    for place in places:
        changed = bytearray(data)
        changed[place] ^= 0x5A
        if clean.impurities(bytes(changed)) or picture(bytes(changed)) != whole:
            continue
        unseen += 1
        if outlasts(bytes(changed)) and coefficients(bytes(changed)) == codes:
            dead.append(place)
    return len(places), unseen, dead


def tables(data):
    """Returns the places of quantization tables, Huffman tables and palettes."""
    places = set()
    if data.startswith(b"\xff\xd8"):
        for marker, start, end in clean.jpeg_segments(data):
            if marker in (0xDB, 0xC4):
                places.update(range(start + 4, end))
    elif data.startswith(b"\x89PNG"):
        for kind, start, end in clean.png_chunks(data):
            if kind in (b"PLTE", b"tRNS"):
                places.update(range(start, end))
    elif data.startswith(b"GIF8"):
        places.update(*(range(start, end) for start, end in clean.gif_tables(data)))
    return places
