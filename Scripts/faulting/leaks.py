"""Private text hidden in pictures."""

import os
import zlib

import clamping
import clean
import planting
from board import IMAGES, Tally
from files import read, write
from petspot import blob_path

PHOTOS = [
    "baseline-420.jpg", "baseline-444.jpg", "gray.jpg", "restart-interval.jpg", "progressive.jpg", "turned-optimized.jpg",
    "orientation-6.jpg", "adobe-rgb-coded.jpg", "turned-progressive.jpg",
    "alpha.png", "palette.png", "palette-transparent.png", "gray.png", "gray-1-bit.png", "interlaced.png", "animated.png",
    "animated-apart.png", "color-key.png",
    "still.gif", "animated.gif", "transparent.gif",
    "lossy.webp", "lossless.webp", "alpha-lossy.webp", "alpha-lossless.webp", "animated.webp",
]
WORD = planting.TEXT[:13]


def leaks(work):
    """Private text planted where decoders don't look: none of it may be in a blob or its preview."""
    tally, petspot, kept = Tally("leaks"), work.petspot(), 0
    for name, data, finding, may_refuse in files(work.quick):
        answer = petspot.run("attach", write(work.path("planted"), data))
        faults = []
        if answer.exit == 0:
            kept += 1
            blob, preview = blob_path(answer.photo), os.path.join(petspot.cache, answer.photo["preview"]["path"])
            faults = [finding(read(stored), stored == blob) for stored in (blob, preview)]
        elif answer.exit != 65 or not may_refuse:
            faults.append(f"exit {answer.exit} {answer.errors.strip()}")
        tally.add(name, faults)
    tally.notes = f"{kept} taken and clean, the others refused" if not tally.faults else ""
    yield tally


def files(quick):
    """Yields (name, file, check, may be refused). The check takes the stored bytes and whether they are the blob,
    and returns what they still reveal."""
    step = 4 if quick else 1
    for name in PHOTOS[::step]:
        for where, data in planting.plant(read(os.path.join(IMAGES, name))):
            yield f"{name}, {where}", data, lambda stored, is_blob, data=data, where=where: leak(stored, data, where), True
    for where, data, hidden in list(clamping.pictures())[::step]:

        def finding(stored, is_blob, data=data, where=where, hidden=hidden):
            return leak(stored, data, where) or (clamping.leak(stored, hidden) if is_blob else None)

        yield f"a page of text, {where}", data, finding, True
    for where, data in planting.hidden():
        yield where, data, lambda stored, is_blob: page_leak(stored) if is_blob else None, False
    # Searches the file for a stretch of the tokens, and all others for the page.
    tokens = read(os.path.join(IMAGES, "hidden-lossy.webp"))
    told = "the tokens are in what is stored"
    yield "VP8 under an alpha of zero", tokens, lambda stored, _: told if tokens[-400:-350] in stored else None, False


def page_leak(stored):
    return "the page is in what is stored" if any(WORD in text for text in hidden_texts(stored)) else None


def hidden_texts(data):
    """Yields texts that pixels may contain: their bytes without those of filters and alpha, and the lowest bit of
    each."""
    side = planting.SIDE
    for content in contents(data):
        yield content
        for size in (1, 2, 3, 4):
            row = 1 + side * size
            pixels = b"".join(content[at + 1 : at + row] for at in range(0, len(content), row))
            yield bytes(byte for index, byte in enumerate(pixels) if index % size < max(1, size - 1))
            yield packed(pixels)
        yield packed(content)
    if data.startswith(b"RIFF"):
        # One bit per pixel, lowest bit first.
        number = int.from_bytes(data, "little")
        for shift in range(8):
            yield bytes(int(f"{byte:08b}"[::-1], 2) for byte in (number >> shift).to_bytes(len(data), "little"))


def packed(values):
    """Packs the lowest bit of each value, eight per byte."""
    bits = "".join(str(value & 1) for value in values)
    return bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits), 8))


def leak(stored, planted, where):
    """Returns what a stored picture still reveals, or None."""
    if any(WORD in content for content in contents(stored)):
        return "the text is in what is stored"
    if where == "rows below a lowered height":
        # The codes of the hidden rows are at the end of the file.
        hidden = planted[-34:-2]
        if hidden in stored:
            return "the hidden rows are in what is stored"
    return None


def contents(data):
    """Yields the bytes as they are, and decompressed."""
    yield data
    if data.startswith(b"\x89PNG"):
        chunks = list(planting.png_chunks(data))
        streams, current = [], b""
        for kind, body in chunks:
            if kind in (b"fcTL", b"IEND"):
                streams.append(current)
                current = b""
            current += body if kind == b"IDAT" else body[4:] if kind == b"fdAT" else b""
        for stream in filter(None, streams):
            press = zlib.decompressobj()
            yield press.decompress(stream) + press.flush()
            yield press.unused_data
    elif data.startswith(b"GIF8"):
        for kind, start, _ in clean.gif_blocks(data):
            if kind == 0x2C:
                at = clean.gif_table(data, start + 9, start + 10)[1]
                width, joined, at = data[at], b"", at + 1
                while data[at]:
                    joined += data[at + 1 : at + 1 + data[at]]
                    at += 1 + data[at]
                yield joined
                yield bytes(pixels(joined, width))


def pixels(codes, width):
    """Decodes LZW (GIF89a, appendix F)."""
    clear, size, bits, count, at = 1 << width, width + 1, 0, 0, 0
    table, earlier, found = [], None, bytearray()
    while True:
        while count < size and at < len(codes):
            bits |= codes[at] << count
            count, at = count + 8, at + 1
        if count < size:
            return found
        code, bits, count = bits & (1 << size) - 1, bits >> size, count - size
        if code == clear:
            table, size, earlier = [bytes([index]) for index in range(clear)] + [b"", b""], width + 1, None
            continue
        if code == clear + 1 or not table:
            return found
        if code < len(table):
            entry = table[code]
        elif earlier is not None:
            entry = earlier + earlier[:1]
        else:
            return found
        found += entry
        if earlier is not None and len(table) < 4096:
            table.append(earlier + entry[:1])
        earlier = entry
        size = min(12, max(width + 1, len(table).bit_length()))
