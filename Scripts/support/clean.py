"""A second opinion on blobs: parses JPEG, PNG, GIF and WebP by their specifications and reports everything
that isn't part of the picture. Shares no code with petspot."""

import struct
import zlib


def impurities(data):
    """Returns a description of everything in a blob besides its picture. Empty for a clean blob."""
    try:
        if data[:2] == b"\xff\xd8":
            return list(jpeg(data))
        if data[:8] == b"\x89PNG\r\n\x1a\n":
            return list(png(data))
        if data[:6] in (b"GIF87a", b"GIF89a"):
            return list(gif(data))
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            return list(webp(data))
    except (IndexError, ValueError, struct.error) as error:
        return [f"structure ends early: {error}"]
    return ["no format a browser shows"]


def jpeg_segments(data):
    """Yields (marker, start, end) up to EOI. The data of a scan isn't part of its SOS segment."""
    at = 2
    while True:
        if data[at] != 0xFF:
            raise ValueError(f"no marker at {at}")
        marker, start = data[at + 1], at
        if marker == 0xD9:
            yield marker, start, at + 2
            return
        at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
        yield marker, start, at
        if marker == 0xDA:
            while not (data[at] == 0xFF and data[at + 1] != 0 and not 0xD0 <= data[at + 1] <= 0xD7):
                at = data.index(b"\xff", at + 1)


JFIF = b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"


def jpeg(data):
    tables = set()
    for marker, start, end in jpeg_segments(data):
        body = data[start + 4 : end]
        if marker == 0xE0:
            if body != JFIF:
                yield f"APP0 of {len(body)} bytes: {bytes(body[:16])!r}"
        elif marker == 0xEE:
            if body[:11] != b"Adobe\0\x64\0\0\0\0" or len(body) != 12:
                yield f"APP14 of {len(body)} bytes: {bytes(body[:16])!r}"
        elif marker == 0xDA:
            if body[-3:] != b"\0\x3f\0":
                yield f"a scan of {bytes(body[-3:])!r}"
        elif marker in (0xC4, 0xDB):
            if (marker, body[0] & (0x1F if marker == 0xC4 else 15)) in tables:
                yield f"table {marker:02X} {body[0]:02X} twice"
            tables.add((marker, body[0] & (0x1F if marker == 0xC4 else 15)))
        elif marker not in (0xC0, 0xC1, 0xDD, 0xD9):
            yield f"segment {marker:02X} of {len(body)} bytes: {bytes(body[:12])!r}"
    if end != len(data):
        yield f"{len(data) - end} bytes behind EOI"


PNG_PICTURE = {b"IHDR", b"PLTE", b"tRNS", b"IDAT", b"IEND", b"sRGB", b"gAMA", b"cHRM", b"acTL", b"fcTL", b"fdAT"}


def png_chunks(data):
    """Yields (kind, start, end) of each chunk's body."""
    at = 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, at + 8, at + 8 + size
        at += 12 + size
        if kind == b"IEND":
            return


def png(data):
    for kind, start, end in png_chunks(data):
        if kind not in PNG_PICTURE:
            yield f"chunk {kind.decode('latin1')} of {end - start} bytes"
        if struct.unpack(">I", data[end : end + 4])[0] != zlib.crc32(data[start - 4 : end]):
            yield f"wrong checksum of {kind.decode('latin1')}"
    if kind != b"IEND" or end + 4 != len(data):
        yield f"{len(data) - end - 4} bytes behind IEND"


def gif_table(data, flags_at, start):
    return start, start + (6 << (data[flags_at] & 7) if data[flags_at] & 0x80 else 0)


def gif_blocks(data):
    """Yields (kind, start, end) of each block, the trailer last."""
    at = gif_table(data, 10, 13)[1]
    while True:
        kind, start = data[at], at
        if kind == 0x21:
            at += 2
        elif kind == 0x2C:
            at = gif_table(data, at + 9, at + 10)[1] + 1
        else:
            yield kind, start, at + 1
            return
        while data[at]:
            at += 1 + data[at]
        at += 1
        yield kind, start, at


def gif_tables(data):
    """Yields (start, end) of each color table."""
    yield gif_table(data, 10, 13)
    for kind, start, _ in gif_blocks(data):
        if kind == 0x2C:
            yield gif_table(data, start + 9, start + 10)


def gif(data):
    width, height = struct.unpack("<HH", data[6:10])
    colors = gif_table(data, 10, 13)[1] - 13
    bare, wiped = None, False
    if data[10] & (0x78 if colors else 0xFF) or data[12]:
        yield f"a screen of flags {data[10]:02X} and aspect {data[12]}"
    for kind, start, end in gif_blocks(data):
        if kind == 0x21:
            label, name = data[start + 1], data[start + 3 : start + 14]
            looping = label == 0xFF and name in (b"NETSCAPE2.0", b"ANIMEXTS1.0")
            if label != 0xF9 and not looping:
                yield f"extension {label:02X} {bytes(name)!r}"
            if looping and (data[start + 2] != 11 or data[start + 14 : start + 16] != b"\3\1" or end - start != 19):
                yield "a loop with something else"
            if label == 0xF9:
                flags, index = data[start + 3], data[start + 6]
                if data[start + 2] != 4 or flags & 0xE2 or (index and not flags & 1) or end - start != 8:
                    yield f"control of flags {flags:02X} and index {index}"
                wiped = wiped or (flags >> 2 & 7 == 2 and not flags & 1)
        elif kind == 0x2C:
            left, top, across, down, flags = struct.unpack("<HHHHB", data[start + 1 : start + 10])
            if left + across > width or top + down > height:
                yield f"a frame beyond the screen at {start}"
            if flags & (0x38 if flags & 0x80 else 0x3F):
                yield f"a frame of flags {flags:02X}"
            if bare is None:
                bare = across < width or down < height
            yield from gif_codes(data, gif_table(data, start + 9, start + 10)[1], across * down)
        elif kind != 0x3B:
            yield f"no block at {start}"
            return
    # The background color matters only if the canvas shows through.
    if data[11] and (data[11] >= colors // 3 or not (bare or wiped)):
        yield f"background {data[11]} that nothing shows"
    if end != len(data):
        yield f"{len(data) - end} bytes behind the trailer"


def gif_codes(data, at, pixels):
    """Decodes LZW up to the end code, which must come right after the last pixel and end the data."""
    bits, codes = data[at], bytearray()
    at += 1
    if not 2 <= bits <= 8:
        yield f"codes of {bits} bits"
        return
    while data[at]:
        codes += data[at + 1 : at + 1 + data[at]]
        at += 1 + data[at]
    clear, stream, have, place = 1 << bits, 0, 0, 0
    lengths, size, before, seen = [1] * clear + [0, 0], bits + 1, 0, 0
    while True:
        while have < size:
            if place == len(codes):
                yield "codes without an end"
                return
            stream |= codes[place] << have
            have, place = have + 8, place + 1
        code = stream & ((1 << size) - 1)
        stream, have = stream >> size, have - size
        if code == clear:
            lengths, size, before = lengths[: clear + 2], bits + 1, 0
            continue
        if code == clear + 1:
            break
        if before and len(lengths) < 4096:
            lengths.append(before + 1)
        if code >= len(lengths):
            yield f"a code that means nothing: {code}"
            return
        before = lengths[code]
        seen += before
        if seen > pixels:
            yield "codes behind the last pixel"
            return
        if len(lengths) + 1 > 1 << size and size < 12:
            size += 1
    if seen != pixels or stream or have > 7 or place != len(codes):
        yield f"{seen} of {pixels} pixels, {len(codes) - place} bytes behind the end code"


WEBP_PICTURE = {b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF"}


def webp(data):
    if struct.unpack("<I", data[4:8])[0] + 8 != len(data):
        yield "RIFF size differs from the file's"
    at = 12
    while at < len(data):
        kind, size = data[at : at + 4], struct.unpack("<I", data[at + 4 : at + 8])[0]
        if kind not in WEBP_PICTURE:
            yield f"chunk {bytes(kind)!r} of {size} bytes"
        if kind == b"VP8X" and data[at + 8] & 0x2C:
            yield "VP8X announces a profile or metadata"
        if kind == b"ANMF":
            yield from webp_frame(data, at + 24, at + 8 + size)
        at += 8 + size + size % 2


def webp_frame(data, at, end):
    while at + 8 <= end:
        kind, size = data[at : at + 4], struct.unpack("<I", data[at + 4 : at + 8])[0]
        if kind not in (b"VP8 ", b"VP8L", b"ALPH"):
            yield f"chunk {bytes(kind)!r} in a frame"
        at += 8 + size + size % 2
