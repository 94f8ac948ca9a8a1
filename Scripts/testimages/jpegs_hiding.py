"""JPEG files that hide data where decoders skip it."""

import struct

from collection import cjpeg
from jpegs import segment
from metadata import MARKER
from pixels import Picture, quadrants


def segments(jpeg):
    """Returns each segment with its marker. A scan's data belongs to its segment."""
    found, at = [], 2
    while jpeg[at + 1] != 0xD9:
        end = at + 2 + struct.unpack(">H", jpeg[at + 2 : at + 4])[0]
        if jpeg[at + 1] == 0xDA:
            while jpeg[end] != 0xFF or jpeg[end + 1] == 0 or 0xD0 <= jpeg[end + 1] <= 0xD7:
                end += 1
        found.append((jpeg[at + 1], jpeg[at:end]))
        at = end
    return found


def joined(parts):
    return b"\xff\xd8" + b"".join(data for _, data in parts) + b"\xff\xd9"


def with_height(jpeg, height):
    def lowered(marker, data):
        if 0xC0 <= marker <= 0xC2:
            data = data[:5] + struct.pack(">H", height) + data[7:]
        return marker, data

    return joined(lowered(*part) for part in segments(jpeg))


def with_idle_codes(jpeg, text):
    """Adds codes of 16 bits after those that AC needs. Their symbols are the bytes of the text."""

    def longer(marker, data):
        if marker == 0xC4 and data[4] & 0x10:
            counts = bytearray(data[5:21])
            counts[15] += len(text)
            data = segment(0xC4, data[4:5] + counts + data[21:] + text)
        return marker, data

    return joined(longer(*part) for part in segments(jpeg))


def above(upper, lower):
    return Picture(upper.rows + lower.rows)


def add_all(collection):
    def add(file, data, about, **facts):
        collection.accept(file, data, about, marker=True, **facts)

    plain = cjpeg(quadrants())
    text = (MARKER * 10)[:128]
    tables = segment(0xDB, b"\x13" + text) + segment(0xDB, b"\0" + text[:64])
    tables += segment(0xC4, b"\x03" + bytes([0] * 15 + [len(MARKER)]) + MARKER)
    add("hidden-in-tables.jpg", b"\xff\xd8" + tables + plain[2:], "tables that are unused or defined again")
    optimized = cjpeg(quadrants(), "-optimize")
    add("hidden-in-codes.jpg", with_idle_codes(optimized, MARKER), "Huffman codes that no data has")
    tall = cjpeg(above(quadrants(64, 40), quadrants(64, 8)))
    collection.accept(
        "height-lowered-in-unit.jpg", with_height(tall, 40), "blocks of the last units below the edge",
        height=40,
    )  # fmt: skip
