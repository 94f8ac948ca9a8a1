"""PNG, GIF and WebP files that hide data where decoders stop reading."""

import os
import re
import struct
import zlib

from collection import cwebp
from gifs_webps import chunk as riff_chunk
from gifs_webps import animated, chunks_of, lossy, riff
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
ANEW = {"reasons": ["coding"]}


def png_of(*data, before=b"", color=2):
    parts = b"".join(chunk(b"IDAT", part) for part in data)
    return PNG_SIGNATURE + ihdr(64, 48, 8, color) + before + parts + chunk(b"IEND")


def add_pngs(add):
    picture = quadrants()
    below = Picture(picture.rows + gradient().rows[:2])
    rows = filtered(below.rows, 8) + b"\0" + (TEXT * 5)[:192]
    add("below-last-row.png", png_of(zlib.compress(rows, 0)), "rows below the last one of a PNG", **ANEW)
    data = image_data(picture)
    add("behind-zlib.png", png_of(data + TEXT), "bytes behind the zlib stream", **ANEW)
    add("behind-zlib-apart.png", png_of(data, TEXT), "an IDAT behind the end of the zlib stream", **ANEW)
    colors = sorted({pixel for row in picture.rows for pixel in row})
    entries = b"".join(bytes(color) for color in colors)
    indexes = picture.map(lambda pixel: (colors.index(pixel),))
    palette = chunk(b"PLTE", entries + TEXT[: len(TEXT) // 3 * 3])
    add("unused-palette.png", png(indexes, color=3, before=palette), "palette entries that no pixel has", **ANEW)
    control = struct.pack(">IIIIIHHBB", 0, 64, 48, 0, 0, 1, 10, 0, 0)
    later = struct.pack(">IIIIIHHBB", 1, 64, 48, 0, 0, 1, 10, 0, 0)
    animation = chunk(b"acTL", struct.pack(">II", 2, 0)) + chunk(b"fcTL", control) + chunk(b"IDAT", data)
    animation += chunk(b"fcTL", later) + chunk(b"fdAT", struct.pack(">I", 2) + image_data(gradient()) + TEXT)
    file = PNG_SIGNATURE + ihdr(64, 48) + animation + chunk(b"IEND")
    add("behind-zlib-animated.png", file, "bytes behind the zlib stream of a later frame", frames=2, **ANEW)


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
    """Adds a page of text under an alpha of zero. Only the center is visible."""
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


class Bools:
    """Writes bools as in RFC 6386, 7.3."""

    def __init__(self):
        self.low, self.range, self.count = 0, 255, 0

    def put(self, bit, probability=128):
        split = 1 + ((self.range - 1) * probability >> 8)
        if bit:
            self.low += split
            self.range -= split
        else:
            self.range = split
        while self.range < 128:
            self.low, self.range, self.count = self.low << 1, self.range << 1, self.count + 1

    def number(self, value, bits):
        for bit in reversed(range(bits)):
            self.put(value >> bit & 1)

    def bytes(self):
        size = (self.count + 15) // 8
        return (self.low << (size * 8 - self.count - 8)).to_bytes(size, "big")


def vp8_tables():
    """Returns the probabilities of tokens, and of their updates (RFC 6386, 13.4 and 13.5)."""
    path = os.path.join(os.path.dirname(__file__), "../../Sources/ImageContainers/WebP/VP8Tables.swift")
    with open(path) as file:
        tables = re.findall(r"\[UInt8\] = \[([0-9,\s]+)\]", file.read())
    return [[int(number) for number in table.split(",") if number.strip()] for table in tables[:2]]


def luma_dc(bools, coefficients, values, context):
    """Writes a block of luma DCs: 24 in the first place, or 1 in the fifth, or none. Returns whether it has any."""

    def put(band, context, *bits):
        base = ((8 + band) * 3 + context) * 11
        for node, bit in bits:
            bools.put(bit, coefficients[base + node])

    if not values:
        put(0, context, (0, 0))
        return 0
    put(0, context, (0, 1))
    if values == [24]:
        put(0, context, (1, 1), (2, 1), (3, 1), (6, 1), (8, 0), (9, 1))
        for bit, probability in zip((0, 1, 0, 1), (176, 155, 140, 135)):
            bools.put(bit, probability)
        bools.put(0)
        put(1, 2, (0, 0))
    else:
        put(0, context, (1, 0))
        for band in (1, 2, 3):
            put(band, 0, (1, 0))
        put(6, 0, (1, 1), (2, 0))
        bools.put(0)
        put(4, 1, (0, 0))
    return 1


def vp8_head(quantizer, level=0):
    """Returns the bools before the modes."""
    head = Bools()
    head.number(0, 4)  # color, clamping, no segments, the simple filter's flag
    head.number(level, 6)
    head.number(0, 4)  # sharpness and no deltas
    head.number(0, 2)
    head.number(quantizer, 7)
    head.number(0, 6)
    for probability in vp8_tables()[1]:
        head.put(0, probability)
    head.put(0)
    return head


def add_modes(head):
    for bit, probability in ((1, 145), (0, 156), (0, 163), (0, 142)):
        head.put(bit, probability)


def vp8(columns, rows, first, data):
    tag = (len(first) << 5 | 0x10).to_bytes(3, "little")
    return riff(
        [riff_chunk(b"VP8 ", tag + b"\x9d\x01\x2a" + struct.pack("<HH", columns * 16, rows * 16) + first + data)]
    )


def tiny_vp8(level, color):
    """Returns one macroblock with ten bytes after its modes, some of which libwebp's incremental decoder needs."""
    coefficients, _ = vp8_tables()
    head, tokens = vp8_head(20, level), Bools()
    add_modes(head)
    luma_dc(tokens, coefficients, color, 0)
    for _ in range(24):
        tokens.put(0, 253)
    return vp8(1, 1, head.bytes() + bytes(10), tokens.bytes() + bytes(2))


def add_tiny(add):
    facts = {"quadrants": False}
    file = tiny_vp8(0, [24])
    add("tiny-lossy.webp", file, "one macroblock, whose modes take hardly a byte", width=16, height=16, **facts)
    frames = [lossy(quadrants()), *(tiny_vp8(level, [24] if level % 2 else []) for level in range(1, 9))]
    places = [(0, 0, 64, 48), *((4 * index, 4 * index, 16, 16) for index in range(8))]
    film = animated(frames, 64, 48, 80, 0, places)
    add("animated-small-frames.webp", film, "small lossy frames on a large one", frames=9, **facts)


def add_clamped(add):
    """Adds a page of text hidden in the white of a VP8 picture. Each bit changes a pattern in a block of luma DCs."""
    page = MARKER
    columns, rows = 16, 12
    head, tokens = vp8_head(127), Bools()
    coefficients, _ = vp8_tables()
    for _ in range(columns * rows):
        add_modes(head)
    above = [0] * columns
    for row in range(rows):
        left = 0
        for column in range(columns):
            place = row * columns + column
            is_dark = page[place // 8 % len(page)] >> (7 - place % 8) & 1
            # The first block raises DC from 128 by 246, with 24 steps. Then each dark bit is one step of a pattern
            # whose edges add up to zero.
            values = [24] if place == 0 else [0, 0, 0, 0, 1] if is_dark else []
            left = above[column] = luma_dc(tokens, coefficients, values, above[column] + left)
            # Luma and chroma without coefficients.
            for _ in range(24):
                tokens.put(0, 253)
    file = vp8(columns, rows, head.bytes(), tokens.bytes())
    add(
        "clamped-lossy.webp", file, "a page of text beyond the white of VP8",
        width=columns * 16, height=rows * 16, quadrants=False, method="re-encoded", reasons=["coding"],
    )  # fmt: skip


def add_all(collection):
    def add(file, data, about, **facts):
        assert MARKER in data
        collection.accept(file, data, about, marker=True, **facts)

    add_pngs(add)
    add_gifs(add)
    add_webps(add)
    add_hidden(collection.accept)
    add_clamped(collection.accept)
    add_tiny(collection.accept)
