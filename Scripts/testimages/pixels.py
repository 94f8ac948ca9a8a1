"""Synthetic pictures, and the three formats that plain Python can write: PNG, GIF and PPM."""

import math
import struct
import zlib

RED, LIME, BLUE, YELLOW = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 0)
BLACK, WHITE = (0, 0, 0), (255, 255, 255)


class Picture:
    """Rows of pixels. A pixel is a tuple of one to four samples."""

    def __init__(self, rows):
        self.rows = rows
        self.width, self.height = len(rows[0]), len(rows)

    @staticmethod
    def make(width, height, color):
        return Picture([[color(x, y) for x in range(width)] for y in range(height)])

    def map(self, change):
        return Picture([[change(p) for p in row] for row in self.rows])

    def crop(self, x, y, width, height):
        return Picture([row[x : x + width] for row in self.rows[y : y + height]])

    def stored_for(self, orientation):
        """Returns the picture as a camera stores it if this EXIF orientation makes it upright."""
        mirrored = lambda rows: [row[::-1] for row in rows]
        flipped = lambda rows: rows[::-1]
        transposed = lambda rows: [list(column) for column in zip(*rows)]
        rows = self.rows
        return Picture(
            {
                1: lambda: rows,
                2: lambda: mirrored(rows),
                3: lambda: mirrored(flipped(rows)),
                4: lambda: flipped(rows),
                5: lambda: transposed(rows),
                6: lambda: flipped(transposed(rows)),  # displayed turned right, so stored turned left
                7: lambda: mirrored(flipped(transposed(rows))),
                8: lambda: mirrored(transposed(rows)),
            }[orientation]()
        )


def quadrants(width=64, height=48):
    """Returns a picture with red at the top left, lime at the top right, blue at the bottom left and yellow at the
    bottom right, and bars like lines of text in the center. Every orientation looks different."""

    def color(x, y):
        inside = width * 3 // 8 <= x < width * 5 // 8 and height * 3 // 8 <= y < height * 5 // 8
        if inside and (y // max(2, height // 24)) % 2 == 0 and (x * 7 // 5) % 5 != 0:
            return BLACK
        if y < height // 2:
            return RED if x < width // 2 else LIME
        return BLUE if x < width // 2 else YELLOW

    return Picture.make(width, height, color)


def gradient(width=64, height=48, step=0):
    """Returns a smooth picture with many different values. It shows losses that flat colors hide."""
    return Picture.make(
        width,
        height,
        lambda x, y: (
            (x * 255 // (width - 1) + step) % 256,
            y * 255 // (height - 1),
            (x + y) * 255 // (width + height - 2),
        ),
    )


def gray_of(pixel):
    return (299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) // 1000


def ppm(picture):
    body = bytes(sample for row in picture.rows for pixel in row for sample in pixel)
    return b"P6\n%d %d\n255\n" % (picture.width, picture.height) + body


# MARK: PNG (W3C PNG, third edition)

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind, data=b"", crc=None):
    check = zlib.crc32(kind + data) if crc is None else crc
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def ihdr(width, height, depth=8, color=2, interlace=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace))


def filtered(rows, depth):
    """Returns scan lines with filter type 0. Samples have 1, 2, 4, 8 or 16 bits."""
    out = bytearray()
    for row in rows:
        out.append(0)
        samples = [sample for pixel in row for sample in pixel]
        if depth == 16:
            out += struct.pack(f">{len(samples)}H", *samples)
        elif depth == 8:
            out += bytes(samples)
        else:
            bits = "".join(format(sample, f"0{depth}b") for sample in samples)
            bits += "0" * (-len(bits) % 8)
            out += int(bits, 2).to_bytes(len(bits) // 8, "big")
    return bytes(out)


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def image_data(picture, depth=8, interlace=0):
    if not interlace:
        return zlib.compress(filtered(picture.rows, depth), 9)
    passes = b""
    for x, y, dx, dy in ADAM7:
        rows = [row[x::dx] for row in picture.rows[y::dy] if row[x::dx]]
        passes += filtered(rows, depth)
    return zlib.compress(passes, 9)


def png(picture, depth=8, color=2, interlace=0, before=b"", after=b"", tail=b""):
    """Returns a PNG with these chunks before and after IDAT, and these bytes after its end."""
    head = ihdr(picture.width, picture.height, depth, color, interlace)
    data = chunk(b"IDAT", image_data(picture, depth, interlace))
    return PNG_SIGNATURE + head + before + data + after + chunk(b"IEND") + tail


def apng(pictures, delay=(1, 10), plays=0, extra=b"", depth=8, color=2):
    """Returns an animated PNG whose first frame is the default picture."""
    width, height = pictures[0].width, pictures[0].height
    out = PNG_SIGNATURE + ihdr(width, height, depth, color) + extra
    out += chunk(b"acTL", struct.pack(">II", len(pictures), plays))
    sequence = 0
    for index, picture in enumerate(pictures):
        control = struct.pack(">IIIIIHHBB", sequence, width, height, 0, 0, *delay, 0, 0)
        out += chunk(b"fcTL", control)
        sequence += 1
        data = image_data(picture, depth)
        if index == 0:
            out += chunk(b"IDAT", data)
        else:
            out += chunk(b"fdAT", struct.pack(">I", sequence) + data)
            sequence += 1
    return out + chunk(b"IEND")


def apng_apart(default, placed, extra=b"", depth=8, color=2, dispose=0, blend=0):
    """Returns an animated PNG whose default picture isn't a frame. All frames (picture, left, top) are in fdAT."""
    out = PNG_SIGNATURE + ihdr(default.width, default.height, depth, color) + extra
    out += chunk(b"acTL", struct.pack(">II", len(placed), 0)) + chunk(b"IDAT", image_data(default, depth))
    for index, (picture, left, top) in enumerate(placed):
        place = (2 * index, picture.width, picture.height, left, top)
        out += chunk(b"fcTL", struct.pack(">IIIIIHHBB", *place, 1, 10, dispose, blend))
        out += chunk(b"fdAT", struct.pack(">I", 2 * index + 1) + image_data(picture, depth))
    return out + chunk(b"IEND")


# MARK: GIF (GIF89a)


def lzw(indexes, bits):
    """Encodes palette indexes with GIF's variable-length LZW, including the sub-block framing."""
    clear, end = 1 << bits, (1 << bits) + 1
    out, accumulator, filled = bytearray(), 0, 0
    table, size = {}, bits + 1

    def emit(code):
        nonlocal accumulator, filled
        accumulator |= code << filled
        filled += size
        while filled >= 8:
            out.append(accumulator & 255)
            accumulator >>= 8
            filled -= 8

    def reset():
        nonlocal table, size
        table = {(index,): index for index in range(clear)}
        size = bits + 1

    reset()
    emit(clear)
    word = ()
    for index in indexes:
        longer = word + (index,)
        if longer in table:
            word = longer
            continue
        emit(table[word])
        code = len(table) + 2
        table[longer] = code
        if code == 1 << size and size < 12:
            size += 1
        elif code == 4095:
            emit(clear)
            reset()
        word = (index,)
    if word:
        emit(table[word])
    emit(end)
    if filled:
        out.append(accumulator & 255)
    return bytes([bits]) + sub_blocks(bytes(out))


def sub_blocks(data):
    parts = [data[i : i + 255] for i in range(0, len(data), 255)]
    return b"".join(bytes([len(p)]) + p for p in parts) + b"\0"


GIF_COLORS = [RED, LIME, BLUE, YELLOW, BLACK, WHITE, (128, 128, 128), (0, 128, 128)]


def gif_frame(picture, delay=None, transparent=None, disposal=1):
    control = b""
    if delay is not None or transparent is not None:
        flags = disposal << 2 | (transparent is not None)
        control = struct.pack("<BBBBHBB", 0x21, 0xF9, 4, flags, delay or 0, transparent or 0, 0)
    place = struct.pack("<BHHHHB", 0x2C, 0, 0, picture.width, picture.height, 0)
    indexes = [GIF_COLORS.index(pixel) for row in picture.rows for pixel in row]
    return control + place + lzw(indexes, 3)


def gif_head(width, height):
    colors = b"".join(bytes(color) for color in GIF_COLORS)
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF2, 0, 0) + colors


def gif_loop(plays=0):
    return b"\x21\xff\x0bNETSCAPE2.0" + sub_blocks(struct.pack("<BH", 1, plays))


def gif(pictures, delay=None, plays=None, transparent=None, extra=b"", tail=b""):
    head = gif_head(pictures[0].width, pictures[0].height)
    loop = b"" if plays is None else gif_loop(plays)
    frames = b"".join(gif_frame(picture, delay, transparent) for picture in pictures)
    return head + loop + extra + frames + b"\x3b" + tail


# MARK: High dynamic range (ITU-R BT.2100)


def pq(nits):
    """Returns the stored value from 0 to 1 for display light (SMPTE ST 2084)."""
    power = (nits / 10000) ** (2610 / 16384)
    return ((107 / 128 + 2413 / 128 * power) / (1 + 2392 / 128 * power)) ** (2523 / 32)


def hlg(scene):
    """Returns the stored value for scene light from 0 to 1."""
    return (3 * scene) ** 0.5 if scene <= 1 / 12 else 0.17883277 * math.log(12 * scene - 0.28466892) + 0.55991073


def in_hdr(picture, curve, white=203):
    """Returns 16-bit BT.2020 values that show an 8-bit sRGB picture with white at 203 nits. Alpha is kept."""
    matrix = ((0.6274, 0.3293, 0.0433), (0.0691, 0.9195, 0.0114), (0.0164, 0.0880, 0.8956))

    def stored(pixel):
        light = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in (s / 255 for s in pixel[:3])]
        nits = [white * sum(share * value for share, value in zip(row, light)) for row in matrix]
        if curve is hlg:
            # Display light is scene light to the power of 1.2, by luminance (BT.2100, table 5).
            luminance = (0.2627 * nits[0] + 0.6780 * nits[1] + 0.0593 * nits[2]) / 1000
            nits = [value / 1000 * (luminance ** (-0.2 / 1.2) if luminance else 0) for value in nits]
        codes = [min(65535, max(0, round(65535 * curve(max(value, 0))))) for value in nits]
        return (*codes, *(257 * sample for sample in pixel[3:]))

    return picture.map(stored)
