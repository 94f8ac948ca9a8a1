"""Makes any number of small pictures with different pixels, without any library."""

import os
import struct
import zlib

from files import LONG_AGO, write

PNG = b"\x89PNG\r\n\x1a\n"


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(dice, side=24, depth=8):
    """Returns a PNG with random colors. With 16 bits it must be encoded again; with 8 it is carried over."""
    line = 3 * side * depth // 8
    rows = b"".join(b"\0" + dice.randbytes(line) for _ in range(side))
    header = struct.pack(">IIBBBBB", side, side, depth, 2, 0, 0, 0)
    parts = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return PNG + parts


def folder(path, count, dice):
    """Fills a new folder with pictures that have an old modification time. Returns their paths."""
    os.makedirs(path)
    depths = (16 if number % 4 == 0 else 8 for number in range(count))
    return [
        write(os.path.join(path, f"{number:05}.png"), png(dice, depth=depth), LONG_AGO) for number, depth in enumerate(depths)
    ]
