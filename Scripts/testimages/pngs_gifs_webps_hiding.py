"""PNG, GIF and WebP files in which something hides that no decoder shows, where a decoder stops reading."""

import struct
import zlib

from collection import cwebp
from gifs_webps import chunk as riff_chunk
from gifs_webps import chunks_of, lossy, riff
from metadata import MARKER
from pixels import (
    GIF_COLORS,
    PNG_SIGNATURE,
    Picture,
    chunk,
    filtered,
    gif,
    gif_frame,
    gif_head,
    gradient,
    ihdr,
    image_data,
    png,
    quadrants,
)

TEXT = (MARKER + b" ") * 3


def png_of(*data, before=b"", color=2):
    parts = b"".join(chunk(b"IDAT", part) for part in data)
    return PNG_SIGNATURE + ihdr(64, 48, 8, color) + before + parts + chunk(b"IEND")


def add_pngs(add):
    picture = quadrants()
    below = Picture(picture.rows + gradient().rows[:2])
    rows = filtered(below.rows, 8) + b"\0" + (TEXT * 5)[:192]
    add("below-last-row.png", png_of(zlib.compress(rows, 0)), "rows below the last one of a PNG")
    data = image_data(picture)
    add("behind-zlib.png", png_of(data + TEXT), "bytes behind the zlib stream")
    add("behind-zlib-apart.png", png_of(data, TEXT), "an IDAT behind the end of the zlib stream")
    colors = sorted({pixel for row in picture.rows for pixel in row})
    entries = b"".join(bytes(color) for color in colors)
    indexes = picture.map(lambda pixel: (colors.index(pixel),))
    palette = chunk(b"PLTE", entries + TEXT[: len(TEXT) // 3 * 3])
    add("unused-palette.png", png(indexes, color=3, before=palette), "palette entries that no pixel has")
    control = struct.pack(">IIIIIHHBB", 0, 64, 48, 0, 0, 1, 10, 0, 0)
    later = struct.pack(">IIIIIHHBB", 1, 64, 48, 0, 0, 1, 10, 0, 0)
    animation = chunk(b"acTL", struct.pack(">II", 2, 0)) + chunk(b"fcTL", control) + chunk(b"IDAT", data)
    animation += chunk(b"fcTL", later) + chunk(b"fdAT", struct.pack(">I", 2) + image_data(gradient()) + TEXT)
    file = PNG_SIGNATURE + ihdr(64, 48) + animation + chunk(b"IEND")
    add("behind-zlib-animated.png", file, "bytes behind the zlib stream of a later frame", frames=2)


def add_gifs(add):
    still = gif([quadrants()])
    text = bytes([len(TEXT)]) + TEXT
    add("behind-end-code.gif", still[:-2] + text + b"\0\x3b", "bytes behind the end code of LZW")
    colors = b"".join(bytes(color) for color in GIF_COLORS) + (TEXT * 2)[:24]
    head = b"GIF89a" + struct.pack("<HHBBB", 64, 48, 0xF3, 0, 0) + colors
    add("unused-colors.gif", head + gif_frame(quadrants()) + b"\x3b", "colors that no pixel has")
    own = gif_frame(quadrants())
    table = b"".join(bytes(color) for color in GIF_COLORS)
    own = own[:9] + b"\x82" + table + own[10:]
    head = gif_head(64, 48)[:13] + (TEXT * 2)[:24]
    outside = gif_frame(quadrants(), delay=10)
    outside = outside[:9] + struct.pack("<HH", 64, 0) + outside[13:17] + b"\x82" + (TEXT * 2)[:24] + outside[18:]
    file = gif_head(64, 48) + gif_frame(quadrants().stored_for(3), delay=10) + outside + b"\x3b"
    add("frame-outside.gif", file, "a second frame beside the screen", frames=2, hasAlpha=True, quadrants=False)
    add("unused-table.gif", head + own + b"\x3b", "a global color table that no frame uses")


def add_webps(add):
    ((kind, data),) = chunks_of(lossy(quadrants()))
    add("behind-vp8.webp", riff([riff_chunk(kind, data + TEXT)]), "bytes behind the data of VP8")


def add_hidden(add):
    """A page of text under an alpha of zero: only the middle is shown."""
    page = (MARKER + b" ") * 400

    def pixel(x, y):
        bit = page[(y // 4 * 48 + x // 4) // 8] >> (7 - (y // 4 * 48 + x // 4) % 8) & 1
        return (*((255, 255, 255) if bit else (0, 0, 0)), 255 if x in range(80, 112) and y in range(64, 96) else 0)

    shown = Picture.make(192, 160, pixel)
    hidden = cwebp(png(shown, color=6), "-exact", "-q", "80")
    add(
        "hidden-lossy.webp", hidden, "a page of text under an alpha of zero in VP8", width=192, height=160,
        hasAlpha=True, quadrants=False, method="re-encoded", reasons=["coding"],
    )  # fmt: skip


def add_all(collection):
    def add(file, data, about, **facts):
        assert MARKER in data
        collection.accept(file, data, about, marker=True, **facts)

    add_pngs(add)
    add_gifs(add)
    add_webps(add)
    add_hidden(collection.accept)
