"""Plants private text where decoders don't look. Each function takes a picture and yields (where, file)."""

import struct
import zlib

from clean import gif_blocks, gif_table
from coefficients import segment
from pictures import PNG, chunk

TEXT = b"Anna Kowalska, +48 600 100 200, 52.2297 N 21.0122 E. "


def text(count):
    return (TEXT * (count // len(TEXT) + 1))[:count]


def plant(data):
    """Yields every way for this picture."""
    if data.startswith(b"\xff\xd8"):
        yield from jpeg(data)
    elif data.startswith(b"\x89PNG"):
        yield from png(data)
    elif data.startswith(b"GIF8"):
        yield from gif(data)
    elif data.startswith(b"RIFF"):
        yield from webp(data)


# JPEG (ITU-T T.81)


def jpeg_segments(data):
    """Yields (marker, start, end) up to EOI. The data of a scan belongs to its SOS segment."""
    at = 2
    while data[at + 1] != 0xD9:
        marker, start = data[at + 1], at
        at += 2 + struct.unpack_from(">H", data, at + 2)[0]
        if marker == 0xDA:
            while data[at] != 0xFF or data[at + 1] == 0 or 0xD0 <= data[at + 1] <= 0xD7:
                at += 1
        yield marker, start, at
    yield 0xD9, at, at + 2


def jpeg(data):
    segments = list(jpeg_segments(data))
    frame = next(s for s in segments if s[0] in (0xC0, 0xC1, 0xC2))
    scans = [s for s in segments if s[0] == 0xDA]
    end = segments[-1][1]

    def inserted(at, what):
        return data[:at] + what + data[at:]

    lengths = bytes([0] * 7 + [60] + [0] * 8)
    tables = {
        "unused quantization table": segment(0xDB, b"\x03" + text(64)),
        "unused 16-bit quantization table": segment(0xDB, b"\x13" + text(128)),
        "quantization table that is replaced": segment(0xDB, b"\x00" + text(64)),
        "unused Huffman table": segment(0xC4, b"\x03" + lengths + text(60)),
        "Huffman table that is replaced": segment(0xC4, b"\x10" + lengths + text(60)),
        "over-full Huffman table": segment(0xC4, b"\x13" + bytes([0, 0, 0, 200] + [0] * 12) + text(200)),
        "arithmetic conditioning": segment(0xCC, b"\x00" + text(1)) + segment(0xCC, text(60)),
        "comment": segment(0xFE, text(200)),
        "application segment": segment(0xE7, text(200)),
        "JFIF thumbnail": segment(0xE0, b"JFXX\0\x13" + text(192)),
        "reserved segment": segment(0xF5, text(200)),
    }
    for name, what in tables.items():
        yield f"{name} before the frame", inserted(segments[0][1], what)
    for name in ("unused quantization table", "unused Huffman table", "comment"):
        yield f"{name} after the frame", inserted(frame[2], tables[name])
        yield f"{name} after the last scan", inserted(end, tables[name])
    yield "before EOI", inserted(end, text(400))
    yield "stray restart marker before EOI", inserted(end, b"\xff\xd0" + text(400))
    yield "two stray restart markers before EOI", inserted(end, b"\xff\xd3" + text(200) + b"\xff\xd7" + text(200))
    yield "behind EOI", data + text(400)
    yield "second EOI", data + text(100) + b"\xff\xd9"
    for number, scan in enumerate(scans[:-1]):
        yield f"behind scan {number}", inserted(scan[2], text(400))
        yield f"comment behind scan {number}", inserted(scan[2], tables["comment"])
        yield f"quantization table behind scan {number}", inserted(scan[2], tables["unused quantization table"])
    height = struct.unpack_from(">H", data, frame[1] + 5)[0]
    if height >= 32:
        lowered = bytearray(data)
        struct.pack_into(">H", lowered, frame[1] + 5, height // 32 * 16)
        yield "rows below a lowered height", bytes(lowered)


# PNG (W3C, third edition)


def png_chunks(data):
    at = 8
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        yield kind, data[at + 8 : at + 8 + size]
        at += 12 + size


def png_file(chunks):
    return PNG + b"".join(chunk(kind, body) for kind, body in chunks)


def png(data):
    chunks = list(png_chunks(data))
    kinds = [kind for kind, _ in chunks]
    first = kinds.index(b"IDAT")
    last = len(kinds) - 1 - kinds[::-1].index(b"IDAT")
    stream = b"".join(body for kind, body in chunks if kind == b"IDAT")
    pixels = zlib.decompress(stream)

    def put(place, *new):
        return png_file([*chunks[:place], *new, *chunks[place:]])

    def with_stream(stream, place=first):
        return png_file([*chunks[:first], (b"IDAT", stream), *chunks[last + 1 :]])

    yield "text chunk", put(first, (b"tEXt", b"Comment\0" + text(200)))
    yield "unknown chunk", put(first, (b"prVt", text(200)))
    yield "behind IEND", data + text(300)
    yield "in IEND", png_file([*chunks[:-1], (b"IEND", text(60))])
    yield "behind the zlib stream", with_stream(stream + text(300))
    yield "IDAT behind the stream's end", put(last + 1, (b"IDAT", text(300)))
    yield "IDAT without bytes, then text", put(last + 1, (b"IDAT", b""), (b"IDAT", text(300)))
    yield "below the last row", with_stream(zlib.compress(pixels + text(600)))
    yield "below the last row, stored", with_stream(zlib.compress(pixels + text(600), 0))
    press = zlib.compressobj(9, zlib.DEFLATED, 15)
    begun = press.compress(pixels) + press.flush(zlib.Z_FULL_FLUSH)
    tail = zlib.compressobj(0, zlib.DEFLATED, -15)
    yield "in a block behind the last row", with_stream(
        begun + tail.compress(text(600)) + tail.flush() + struct.pack(">I", zlib.adler32(pixels + text(600))))
    color = chunks[0][1][9]
    if color == 3:
        place = kinds.index(b"PLTE")
        palette = chunks[place][1]
        used = len(palette) // 3
        surplus = text((256 - used) * 3)
        if surplus and chunks[0][1][8] == 8:
            yield "unused palette entries", png_file(
                [*chunks[:place], (b"PLTE", palette + surplus), *chunks[place + 1 :]])
            if b"tRNS" not in kinds:
                yield "transparency of unused entries", png_file([
                    *chunks[:place], (b"PLTE", palette + surplus), (b"tRNS", b"\xff" * used + text(256 - used)),
                    *chunks[place + 1 :]])
    elif color in (2, 6):
        yield "suggested palette", put(first, (b"PLTE", text(255)))
        yield "suggested palette by name", put(first, (b"sPLT", b"pets\0\x08" + text(204)))
    if b"fdAT" in kinds:
        yield from apng(chunks, kinds)


def apng(chunks, kinds):
    last = len(kinds) - 1 - kinds[::-1].index(b"fdAT")
    number = struct.unpack_from(">I", chunks[last][1])[0]
    yield "behind a frame's stream", png_file(
        [*chunks[:last], (b"fdAT", chunks[last][1] + text(300)), *chunks[last + 1 :]])
    yield "fdAT behind a frame's stream", png_file(
        [*chunks[: last + 1], (b"fdAT", struct.pack(">I", number + 1) + text(300)), *chunks[last + 1 :]])
    start = max(index for index in range(last) if kinds[index] == b"fcTL")
    stream = b"".join(body[4:] for kind, body in chunks[start + 1 : last + 1] if kind == b"fdAT")
    sequence = struct.unpack_from(">I", chunks[start + 1][1])[0]
    grown = struct.pack(">I", sequence) + zlib.compress(zlib.decompress(stream) + text(600), 0)
    yield "below a frame's last row", png_file([*chunks[: start + 1], (b"fdAT", grown), *chunks[last + 1 :]])


# Data that is stored and never shown: a page of text as pixels


SIDE = 64
PAGE = text(SIDE * SIDE * 3)
BITS = [PAGE[index // 8] >> (7 - index % 8) & 1 for index in range(SIDE * SIDE)]


def rows(pixels):
    """Returns a zlib stream with the unfiltered rows of a square of pixels with some bytes each."""
    lines = (b"".join(pixels[at : at + SIDE]) for at in range(0, len(pixels), SIDE))
    return zlib.compress(b"".join(b"\0" + line for line in lines))


def hidden_pngs():
    def header(color, depth=8):
        return b"IHDR", struct.pack(">IIBBBBB", SIDE, SIDE, depth, color, 0, 0, 0)

    colors = [PAGE[at : at + 3] for at in range(0, len(PAGE), 3)]
    grays = [bytes([byte]) for byte in PAGE[: SIDE * SIDE]]
    # Only the first pixel is visible.
    alphas = [b"\xff"] + [b"\0"] * (SIDE * SIDE - 1)
    end = (b"IEND", b"")
    for name, color, pixels in ("colors", 6, colors), ("grays", 4, grays):
        data = rows([pixel + alpha for pixel, alpha in zip(pixels, alphas)])
        yield name + " under alpha 0", png_file([header(color), (b"IDAT", data), end])
        wide = [b"".join(bytes([byte, 7]) for byte in pixel + alpha) for pixel, alpha in zip(pixels, alphas)]
        yield name + " of 16 bits under alpha 0", png_file([
            header(color, 16), (b"IDAT", rows([pixel[:-1] + b"\0" if pixel[-2] == 0 else pixel for pixel in wide])), end])
    # 256 colors that are used and never visible.
    entries = (b"PLTE", text(768)), (b"tRNS", bytes(256))
    every = rows([bytes([index % 256]) for index in range(SIDE * SIDE)])
    yield "colors of a palette under alpha 0", png_file([header(3), *entries, (b"IDAT", every), end])
    bits = rows([bytes([bit]) for bit in BITS])
    twins = (b"PLTE", b"\x11\x22\x33" * 2)
    yield "two entries of one color", png_file([header(3), twins, (b"IDAT", bits), end])
    yield "two entries under alpha 0", png_file([
        header(3), (b"PLTE", bytes(range(6))), (b"tRNS", bytes(2)), (b"IDAT", bits), end])
    for name, side in ("a picture that is no frame", SIDE), ("a picture that is no frame, behind a small one", 8):
        frame = zlib.compress(b"".join(b"\0" + b"abc" * side for _ in range(side)))
        frames = [
            part for index in range(2) for part in (
                (b"fcTL", struct.pack(">IIIIIHHBB", 2 * index, side, side, 0, 0, 1, 10, 0, 0)),
                (b"fdAT", struct.pack(">I", 2 * index + 1) + frame))]
        yield name, png_file([
            header(2), (b"acTL", struct.pack(">II", 2, 0)), (b"IDAT", rows(colors)), *frames, end])


def hidden_gifs():
    size = struct.pack("<HH", SIDE, SIDE)
    head = b"GIF89a" + size + b"\x80\0\0" + b"\x11\x22\x33" * 2
    frame = b"\x2c\0\0\0\0" + size + b"\0"
    yield "two entries of one color", head + frame + plain_lzw(bytes(BITS)) + b"\x3b"
    behind = plain_lzw(bytes(2 + bit for bit in BITS))
    yield "indices behind the table", head + frame + behind + b"\x3b"


def lossless(pixels):
    """Returns VP8L with the bytes of each pixel unchanged: alpha, red, green and blue."""
    bits, count = 0, 0

    def put(value, width):
        nonlocal bits, count
        bits |= value << count
        count += width

    put(0x2F, 8)
    put(SIDE - 1 | (SIDE - 1) << 14 | 1 << 28, 32)
    put(0, 3)
    used = [sorted({pixel[channel] for pixel in pixels}) for channel in (2, 1, 3, 0)]
    widths = []
    for symbols in [*used, [0]]:
        # Codes for one or two symbols.
        put(1 | (len(symbols) - 1) << 1 | 1 << 2, 3)
        for symbol in symbols:
            put(symbol, 8)
        widths.append(len(symbols) - 1)
    for pixel in pixels:
        for symbols, width, channel in zip(used, widths, (2, 1, 3, 0)):
            put(symbols.index(pixel[channel]), width)
    return bits.to_bytes((count + 7) // 8, "little")


def hidden_webps():
    pixels = [bytes([0, 0, bit, 0]) for bit in BITS]
    yield "colors of VP8L under alpha 0", riff([(b"VP8L", lossless(pixels))])
    head = bytes([2 | 16, 0, 0, 0]) + struct.pack("<HBHB", SIDE - 1, 0, SIDE - 1, 0)
    size = struct.pack("<HBHB", SIDE - 1, 0, SIDE - 1, 0)
    shown = [b"\xff\1\2\3"] * (SIDE * SIDE)
    frames = [
        (b"ANMF", bytes(6) + size + b"\x64\0\0\0" + riff([(b"VP8L", lossless(one))])[12:])
        for one in (shown, pixels, shown)]
    yield "a frame that is blended away whole", riff([(b"VP8X", head), (b"ANIM", bytes(6)), *frames])


def hidden():
    """Yields (where, file) of each picture that contains the page."""
    yield from hidden_pngs()
    yield from hidden_gifs()
    yield from hidden_webps()


# GIF (GIF89a)


def sub_blocks(content):
    whole = b"".join(bytes([len(content[at : at + 255])]) + content[at : at + 255] for at in range(0, len(content), 255))
    return whole + b"\0"


def plain_lzw(pixels):
    """Encodes each pixel with nine bits. Frequent clear codes keep that size."""
    bits, count = 0, 0

    def add(code):
        nonlocal bits, count
        bits |= code << count
        count += 9

    for index, pixel in enumerate(pixels):
        if index % 200 == 0:
            add(256)
        add(pixel)
    add(257)
    return b"\x08" + sub_blocks(bits.to_bytes((count + 7) // 8, "little"))


def gif(data):
    blocks = list(gif_blocks(data))
    images = [block for block in blocks if block[0] == 0x2C]
    trailer, (_, _, end) = blocks[-1], images[-1]
    width, height = struct.unpack_from("<HH", data, 6)
    yield "comment", data[: images[0][1]] + b"\x21\xfe" + sub_blocks(text(300)) + data[images[0][1] :]
    yield "application extension", (
        data[: images[0][1]] + b"\x21\xff\x0bPETDATA1.0X" + sub_blocks(text(300)) + data[images[0][1] :])
    yield "plain text extension", (
        data[: trailer[1]] + b"\x21\x01\x0c" + struct.pack("<HHHHBBBB", 0, 0, 8, 8, 8, 8, 0, 0) + sub_blocks(text(90))
        + data[trailer[1] :])
    yield "behind the trailer", data + text(300)
    yield "sub-blocks behind the end code", data[: end - 1] + sub_blocks(text(300)) + data[end:]
    # Extends the last sub-block.
    at = gif_table(data, images[-1][1] + 9, images[-1][1] + 10)[1] + 1
    while data[at + 1 + data[at]]:
        at += 1 + data[at]
    room = 255 - data[at]
    if room >= 40:
        yield "behind the end code, in its sub-block", (
            data[:at] + bytes([data[at] + room]) + data[at + 1 : end - 1] + text(room) + data[end - 1 :])
    flags, table = data[10], gif_table(data, 10, 13)[1]
    if flags & 0x80 and flags & 7 < 7:
        surplus = text(768 - (table - 13))
        yield "unused colors", data[:10] + bytes([flags | 7]) + data[11:table] + surplus + data[table:]
    if not flags & 0x80:
        yield "color table nobody uses", data[:10] + bytes([flags | 0x87]) + data[11:13] + text(768) + data[13:]
    side = 20
    content = text(side * side)
    frame = b"\x2c" + struct.pack("<HHHHB", width, height, side, side, 0x87) + text(768) + plain_lzw(content)
    yield "frame outside the screen", data[: trailer[1]] + b"\x21\xf9\x04\x04\x05\0\0\0" + frame + data[trailer[1] :]


# WebP (RFC 9649)


def riff(chunks):
    body = b"WEBP" + b"".join(
        kind + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2) for kind, content in chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def riff_chunks(data, at, end):
    while at + 8 <= end:
        kind, size = struct.unpack_from("<4sI", data, at)
        yield kind, data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2


def webp(data):
    chunks = list(riff_chunks(data, 12, len(data)))
    yield "unknown chunk", riff([*chunks, (b"PETS", text(300))])
    yield "behind the RIFF", data + text(300)
    for index, (kind, body) in enumerate(chunks):
        def replaced(new):
            return riff([*chunks[:index], (kind, new), *chunks[index + 1 :]])

        if kind in (b"VP8 ", b"VP8L", b"ALPH"):
            yield f"behind {kind.decode().strip()} data", replaced(body + text(300))
        if kind == b"VP8 ":
            yield "end of the first partition", replaced(first_partition_grown(body))
        if kind == b"ANIM":
            yield "ANIM tail", replaced(body + text(60))
        if kind == b"VP8X":
            yield "VP8X tail", replaced(body + text(60))
        if kind == b"ANMF":
            yield "ANMF tail", replaced(body + text(300))
            frame = list(riff_chunks(body, 16, len(body)))
            inside = riff([*frame, (b"PETS", text(200))])[12:]
            yield "unknown chunk in a frame", replaced(body[:16] + inside)
            for place, (inner, content) in enumerate(frame):
                if inner in (b"VP8 ", b"VP8L", b"ALPH"):
                    inside = riff([*frame[:place], (inner, content + text(300)), *frame[place + 1 :]])[12:]
                    yield f"behind a frame's {inner.decode().strip()} data", replaced(body[:16] + inside)
            break


def first_partition_grown(vp8):
    """The size has 19 bits, after five other bits (RFC 6386, 9.1)."""
    tag = int.from_bytes(vp8[:3], "little")
    size = tag >> 5
    grown = (tag & 31) | (size + 300) << 5
    return grown.to_bytes(3, "little") + vp8[3 : 10 + size] + text(300) + vp8[10 + size :]
