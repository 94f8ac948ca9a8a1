"""Dead bytes: those of a blob that can change without a decoder telling, by an error or another pixel,
and that petspot would store changed as well, so that they could carry a message.

Pillow decodes, and the second opinion of `clean` reads the structure; neither shares code with petspot.
What both miss is given to petspot: bits that its rules fix, such as the ones behind the last code of a
JPEG or the zeros behind the last bool of a VP8 partition, do not come out of it with another value. What
the last bool looks at is not fixed yet: there an encoder chooses among values that mean the same."""

import io
import shutil
import subprocess

import clean
from PIL import Image, ImageSequence


def picture(data):
    """All that Pillow shows of a picture; None where it refuses to."""
    try:
        with Image.open(io.BytesIO(data)) as image:
            shown = [image.size, image.info.get("loop")]
            for frame in ImageSequence.Iterator(image):
                pixels = frame.convert("RGBA").tobytes()  # first: a WebP frame's delay is known when it is decoded
                timing = (frame.info.get("duration"), frame.info.get("blend"))
                shown.append((pixels, timing, getattr(frame, "disposal_method", None)))
            return shown
    except Exception:  # noqa: BLE001 - a decoder may raise anything
        return None


def coefficients(data):
    """What the codes of a JPEG say, as libjpeg's transform writes it anew; they show what less than one step of a
    pixel hides, or a color that cannot become stronger. None without jpegtran, and of other formats."""
    if not data.startswith(b"\xff\xd8") or not shutil.which("jpegtran"):
        return None
    return subprocess.run(["jpegtran", "-copy", "none", "-optimize"], input=data, capture_output=True).stdout


def count(data, most, dice, outlasts):
    """(tried, unseen, dead places) of at most this many bytes, the first and last hundreds among them; a
    table's bytes are left out, since what they say of colors that are shown can be less than one step of a
    pixel. `outlasts` tells of a changed blob whether petspot stores it just so."""
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
    """Places of quantization and Huffman tables, and palettes."""
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
