"""GIF (GIF89a) and WebP (RIFF container, RFC 9649) files."""

import struct

import metadata as meta
from collection import cwebp
from metadata import MARKER, TAKEN_ISO
from pixels import BLACK, LIME, RED, WHITE, Picture, gif, gradient, in_hdr, lzw, png, pq, quadrants, sub_blocks

# MARK: GIF


def comment(text):
    return b"\x21\xfe" + sub_blocks(text)


def application(name, data):
    return b"\x21\xff\x0b" + name + data


def xmp_block(packet):
    """Returns XMP without sub-block framing. 258 trailer bytes lead any reader out of it."""
    magic = b"\x01" + bytes(range(255, -1, -1)) + b"\0"
    return application(b"XMP DataXMP", packet + magic)


def bouncing(count):
    def frame(step):
        return lambda x, y: RED if abs(x - 8 * step - 8) < 6 and abs(y - 24) < 6 else WHITE

    return [Picture.make(64, 48, frame(step)) for step in range(count)]


def add_gifs(add):
    add("still.gif", gif([quadrants()]), "one frame")
    add("transparent.gif", gif([quadrants()], transparent=4), "black is transparent", hasAlpha=True)
    add(
        "animated.gif", gif(bouncing(6), delay=7, plays=0), "six frames of 70 ms, for ever",
        frames=6, quadrants=False,
    )  # fmt: skip
    add(
        "animated-twice.gif", gif([quadrants(), quadrants().stored_for(3)], delay=50, plays=2),
        "two frames of half a second, twice more", frames=2,
    )  # fmt: skip
    two = Picture.make(30, 20, lambda x, y: (BLACK, WHITE)[(x * x + 3 * y) // 7 % 2])
    place = b"\x2c" + struct.pack("<HHHHB", 0, 0, two.width, two.height, 0)
    codes = lzw([(BLACK, WHITE).index(pixel) for row in two.rows for pixel in row], 1)
    file = b"GIF89a" + struct.pack("<HHBBB", 30, 20, 0x80, 0, 0) + bytes(3) + b"\xff" * 3 + place + codes + b"\x3b"
    add("codes-of-one-bit.gif", file, "literals of one bit", width=30, height=20, quadrants=False)
    one = Picture.make(1, 1, lambda x, y: LIME)
    add("one-pixel.gif", gif([one]), "1 by 1", width=1, height=1, quadrants=False)
    packet = xmp_block(meta.xmp(gps=True, marker=True))
    facts = {"hasLocation": True, "marker": True}
    add("gps-xmp.gif", gif([quadrants()], extra=packet), "XMP with place", **facts)
    extra = comment(MARKER) + packet + application(b"PETSPOTMARK", sub_blocks(MARKER))
    extra += b"\x21\x01\x0c" + bytes(12) + sub_blocks(MARKER)  # plain text extension
    add(
        "everything.gif", gif([quadrants()], extra=extra, tail=MARKER),
        "the marker in comment, XMP, application and plain text blocks and behind the trailer", **facts,
    )  # fmt: skip
    script = b"*/=1;alert('PETSPOTMARKER');/*"
    add("polyglot-script.gif", gif([quadrants()], extra=comment(script)), "JavaScript in a comment", marker=True)


# MARK: WebP


def riff(chunks):
    body = b"WEBP" + b"".join(chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def chunk(kind, data):
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def chunks_of(webp):
    at, found = 12, []
    while at + 8 <= len(webp):
        kind, size = webp[at : at + 4], struct.unpack("<I", webp[at + 4 : at + 8])[0]
        found.append((kind, webp[at + 8 : at + 8 + size]))
        at += 8 + size + size % 2
    return found


def uint24(value):
    return struct.pack("<I", value)[:3]


def vp8x(width, height, flags):
    return chunk(b"VP8X", bytes([flags, 0, 0, 0]) + uint24(width - 1) + uint24(height - 1))


ICC, ALPHA, EXIF, XMP, ANIMATION = 0x20, 0x10, 0x08, 0x04, 0x02


def extended(webp, width, height, profile=None, exif=None, xmp=None, unknown=None, tail=b"", alpha=False):
    """Returns a simple or extended WebP with these chunks, in the order of the specification."""
    flags = (ICC if profile else 0) | (EXIF if exif else 0) | (XMP if xmp else 0) | (ALPHA if alpha else 0)
    picture = [chunk(kind, data) for kind, data in chunks_of(webp) if kind != b"VP8X"]
    before = [chunk(b"ICCP", profile)] if profile else []
    after = [chunk(kind, data) for kind, data in ((b"EXIF", exif), (b"XMP ", xmp), (b"PETS", unknown)) if data]
    return riff([vp8x(width, height, flags), *before, *picture, *after]) + tail


def animated(webps, width, height, delay, plays, places=None):
    """Returns an animated WebP. Frames are as large as the canvas, or at these places: left, top, width and height."""
    frames = []
    for index, webp in enumerate(webps):
        left, top, across, down = places[index] if places else (0, 0, width, height)
        place = uint24(left // 2) + uint24(top // 2) + uint24(across - 1) + uint24(down - 1) + uint24(delay) + b"\2"
        picture = b"".join(chunk(kind, data) for kind, data in chunks_of(webp) if kind != b"VP8X")
        frames.append(chunk(b"ANMF", place + picture))
    control = chunk(b"ANIM", struct.pack("<IH", 0, plays))
    return riff([vp8x(width, height, ANIMATION), control, *frames])


def lossless(picture):
    return cwebp(png(picture), "-lossless", "-exact")


def lossy(picture):
    return cwebp(png(picture), "-q", "92")


def add_webps(add):
    simple, pure = lossy(quadrants()), lossless(quadrants())
    add("lossy.webp", simple, "VP8")
    add("lossless.webp", pure, "VP8L")
    for orientation in range(1, 9):
        stored = quadrants().stored_for(orientation)
        block = meta.exif(orientation=orientation, taken=True)
        add(
            f"orientation-{orientation}.webp",
            extended(lossless(stored), stored.width, stored.height, exif=block),
            f"EXIF orientation {orientation}", orientation=orientation, capturedAt=TAKEN_ISO,
            reasons=["orientation"] if orientation > 1 else [],
        )  # fmt: skip
    p3 = meta.rgb_profile("Display P3", meta.DISPLAY_P3)
    add(
        "display-p3.webp", extended(pure, 64, 48, profile=p3), "Display P3 profile",
        colorProfile="Display P3", reasons=["color"], losses=["gamut"],
    )  # fmt: skip
    bright = lossless(in_hdr(quadrants(), pq).map(lambda pixel: tuple(sample >> 8 for sample in pixel)))
    profile = meta.hdr_profile(meta.pq_light, (9, 16, 0, 1))
    add(
        "pq.webp", extended(bright, 64, 48, profile=profile), "PQ by the cicp tag of a profile",
        colorProfile="BT.2020 PQ", reasons=["color"], losses=["gamut", "hdr"],
    )  # fmt: skip
    srgb = meta.rgb_profile("sRGB IEC61966-2.1", meta.SRGB)
    add(
        "srgb-tagged.webp", extended(simple, 64, 48, profile=srgb), "sRGB profile",
        colorProfile="sRGB IEC61966-2.1",
    )  # fmt: skip
    faded = Picture.make(64, 48, lambda x, y: (*gradient().rows[y][x], min(255, 5 * x)))
    # The exact one has colors under an alpha of zero.
    for name, options, reasons in (("lossy", ("-q", "92"), []), ("lossless", ("-lossless", "-exact"), ["coding"])):
        file = cwebp(png(faded, color=6), *options)
        add(f"alpha-{name}.webp", file, f"alpha, {name}", hasAlpha=True, quadrants=False, reasons=reasons)
    frames = [lossless(gradient(step=50 * index)) for index in range(5)]
    add(
        "animated.webp", animated(frames, 64, 48, 80, 0), "five frames of 80 ms, for ever",
        frames=5, quadrants=False,
    )  # fmt: skip
    facts = {"hasLocation": True, "marker": True}
    gps = meta.exif(taken=True, gps=True, marker=True)
    packet = meta.xmp(gps=True, marker=True)
    add("gps-exif.webp", extended(simple, 64, 48, exif=gps), "EXIF with place", capturedAt=TAKEN_ISO, **facts)
    add(
        "gps-exif-prefixed.webp", extended(simple, 64, 48, exif=b"Exif\0\0" + gps),
        "EXIF with JPEG's prefix, as some phones write it", capturedAt=TAKEN_ISO, **facts,
    )  # fmt: skip
    add("gps-xmp.webp", extended(simple, 64, 48, xmp=packet), "XMP with place", **facts)
    tagged = meta.rgb_profile("sRGB PETSPOTMARKER", meta.SRGB, text="PETSPOTMARKER")
    add(
        "everything.webp",
        extended(simple, 64, 48, profile=tagged, exif=gps, xmp=packet, unknown=MARKER, tail=MARKER),
        "the marker in ICCP, EXIF, XMP, an unknown chunk and behind the RIFF",
        capturedAt=TAKEN_ISO, colorProfile="sRGB PETSPOTMARKER", **facts,
    )  # fmt: skip


def add_all(collection):
    add_gifs(collection.accept)
    add_webps(collection.accept)
