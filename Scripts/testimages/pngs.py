"""PNG files (W3C PNG, third edition)."""

import struct
import zlib

import metadata as meta
from metadata import MARKER, TAKEN_ISO
from pixels import Picture, apng, apng_apart, chunk, gradient, gray_of, hlg, in_hdr, png, pq, quadrants


def iccp(profile):
    return chunk(b"iCCP", b"profile\0\0" + zlib.compress(profile, 9))


def international(keyword, text, compressed=False):
    body = zlib.compress(text, 9) if compressed else text
    return chunk(b"iTXt", keyword + b"\0" + bytes([compressed, 0]) + b"\0\0" + body)


def raw_profile(block):
    """Returns EXIF as ImageMagick keeps it in a text chunk: hexadecimal lines after a byte count."""
    digits = block.hex().encode()
    lines = b"\n".join(digits[i : i + 72] for i in range(0, len(digits), 72))
    text = b"\nexif\n%8d\n" % len(block) + lines + b"\n"
    return chunk(b"zTXt", b"Raw profile type exif\0\0" + zlib.compress(text, 9))


def chromaticities(*values):
    return chunk(b"cHRM", struct.pack(">8I", *(round(value * 100000) for value in values)))


SRGB_CHRM = chromaticities(0.3127, 0.329, 0.64, 0.33, 0.3, 0.6, 0.15, 0.06)
P3_CHRM = chromaticities(0.3127, 0.329, 0.68, 0.32, 0.265, 0.69, 0.15, 0.06)


def gamma(value):
    return chunk(b"gAMA", struct.pack(">I", round(value * 100000)))


def add_orientations(add):
    for orientation in range(1, 9):
        stored = quadrants().stored_for(orientation)
        block = meta.exif(orientation=orientation, taken=True)
        add(
            f"orientation-{orientation}.png", png(stored, before=chunk(b"eXIf", block)),
            f"eXIf orientation {orientation}", orientation=orientation, capturedAt=TAKEN_ISO,
            reasons=["orientation"] if orientation > 1 else [],
        )  # fmt: skip


def add_colors(add):
    picture = quadrants()
    wide = {"reasons": ["color"], "losses": ["gamut"]}
    p3 = meta.rgb_profile("Display P3", meta.DISPLAY_P3)
    adobe = meta.rgb_profile("Adobe RGB (1998)", meta.ADOBE_RGB, 2.19921875)
    srgb = meta.rgb_profile("sRGB IEC61966-2.1", meta.SRGB)
    add("large.png", png(quadrants(1400, 900)), "4 pixels and more for one of a size", width=1400, height=900)
    add("display-p3.png", png(picture, before=iccp(p3)), "Display P3 profile", colorProfile="Display P3", **wide)
    add(
        "adobe-rgb.png", png(gradient(), before=iccp(adobe)), "Adobe RGB profile",
        colorProfile="Adobe RGB (1998)", quadrants=False, **wide,
    )  # fmt: skip
    add("srgb-tagged.png", png(picture, before=iccp(srgb)), "sRGB profile", colorProfile="sRGB IEC61966-2.1")
    add("srgb-chunk.png", png(picture, before=chunk(b"sRGB", b"\0")), "sRGB chunk", colorProfile="sRGB")
    add(
        "srgb-gamma.png", png(picture, before=gamma(0.45455) + SRGB_CHRM), "gAMA and cHRM of sRGB",
        colorProfile="sRGB",
    )  # fmt: skip
    add(
        "gamma-linear.png", png(gradient(), before=gamma(1.0)), "gAMA says linear light",
        reasons=["color"], quadrants=False, colorProfile="PNG gAMA",
    )  # fmt: skip
    add(
        "chromaticities-p3.png", png(picture, before=gamma(0.45455) + P3_CHRM),
        "cHRM of Display P3 without a profile", **{**wide, "colorProfile": "PNG gAMA"},
    )  # fmt: skip
    deflate = zlib.compressobj(9)
    bomb = b"".join(deflate.compress(bytes(1 << 20)) for _ in range(200)) + deflate.flush()
    add(
        "iccp-bomb.png", png(picture, before=chunk(b"iCCP", b"profile\0\0" + bomb)),
        "a profile of 200 MB in 200 KB: left aside, never inflated whole",
    )  # fmt: skip
    grays = gradient().map(lambda pixel: (gray_of(pixel),))
    add("gray.png", png(grays, color=0), "8 bit gray", quadrants=False)
    add(
        "gray-profile.png", png(grays, color=0, before=iccp(meta.gray_profile())),
        "gray with a gamma 2.2 profile", colorProfile="Gray Gamma 2.2", reasons=["color"], quadrants=False,
    )  # fmt: skip
    bits = quadrants().map(lambda pixel: (1 if gray_of(pixel) > 100 else 0,))
    add("gray-1-bit.png", png(bits, depth=1, color=0), "1 bit gray", bitDepth=1, quadrants=False)


def add_hdr(add):
    """Adds HDR pictures with cICP, and code points without a meaning."""
    said = lambda *codes: chunk(b"cICP", bytes(codes))
    deep = {"bitDepth": 16, "reasons": ["bit-depth", "color"], "losses": ["bit-depth", "gamut", "hdr"]}
    for name, curve, transfer in (("pq", pq, 16), ("hlg", hlg, 18)):
        file = png(in_hdr(quadrants(), curve), depth=16, before=said(9, transfer, 0, 1))
        add(f"cicp-{name}.png", file, f"{name.upper()} in BT.2020", colorProfile=f"BT.2020 {name.upper()}", **deep)
    narrow = in_hdr(quadrants(), pq).map(lambda pixel: tuple(sample >> 8 for sample in pixel))
    add(
        "cicp-pq-8-bit.png", png(narrow, before=said(9, 16, 0, 1)), "PQ of 8 bits", colorProfile="BT.2020 PQ",
        reasons=["color"], losses=["gamut", "hdr"],
    )  # fmt: skip
    faded = Picture([[(*p, min(255, 4 * x + 3)) for x, p in enumerate(row)] for row in gradient().rows])
    add(
        "cicp-pq-alpha.png", png(in_hdr(faded, pq), depth=16, color=6, before=said(9, 16, 0, 1)), "PQ with alpha",
        hasAlpha=True, quadrants=False, colorProfile="BT.2020 PQ", **deep,
    )  # fmt: skip
    grays = in_hdr(gradient().map(lambda pixel: (gray_of(pixel),) * 3), pq).map(lambda pixel: pixel[:1])
    add(
        "cicp-pq-gray.png", png(grays, depth=16, color=0, before=said(9, 16, 0, 1)), "gray PQ", quadrants=False,
        colorProfile="BT.2020 PQ", **{**deep, "losses": ["bit-depth", "hdr"]},
    )  # fmt: skip
    frames = [in_hdr(quadrants(), pq), in_hdr(gradient(), pq)]
    add(
        "animated-pq.png", apng(frames, extra=said(9, 16, 0, 1), depth=16), "APNG in PQ", frames=2,
        colorProfile="BT.2020 PQ", **deep,
    )  # fmt: skip
    add(
        "cicp-unknown.png", png(quadrants(), before=said(1, 200, 0, 1)), "a curve without a meaning",
        colorProfile="H.273 1/200", losses=["color"],
    )  # fmt: skip


def add_depths(add):
    deep = {"bitDepth": 16, "reasons": ["bit-depth"], "losses": ["bit-depth"]}
    rgb = quadrants().map(lambda pixel: tuple(sample * 257 for sample in pixel))
    add("rgb-16-bit.png", png(rgb, depth=16), "16 bit RGB", **deep)
    fine = Picture.make(64, 48, lambda x, y: (x * 1040 % 65536, y * 1390 % 65536, (x * y * 21) % 65536))
    add("gradient-16-bit.png", png(fine, depth=16), "16 bit RGB that needs them", quadrants=False, **deep)
    gray = gradient().map(lambda pixel: (gray_of(pixel) * 257,))
    add("gray-16-bit.png", png(gray, depth=16, color=0), "16 bit gray", quadrants=False, **deep)
    alpha = Picture.make(64, 48, lambda x, y: (65535, y * 1300, 0, min(65535, x * 1040)))
    add("alpha-16-bit.png", png(alpha, depth=16, color=6), "16 bit RGBA", hasAlpha=True, quadrants=False, **deep)


def add_alpha(add):
    picture = quadrants()
    alpha = Picture(
        [[(*p, 255 if y < 36 else 255 - 4 * x) for x, p in enumerate(row)] for y, row in enumerate(picture.rows)]
    )
    add("alpha.png", png(alpha, color=6), "RGBA, lower rows fade out", hasAlpha=True, quadrants=False)
    gray = gradient().map(lambda pixel: (gray_of(pixel), pixel[0]))
    add("gray-alpha.png", png(gray, color=4), "gray with alpha", hasAlpha=True, quadrants=False, reasons=["coding"])
    colors = sorted({pixel for row in picture.rows for pixel in row})
    palette = chunk(b"PLTE", b"".join(bytes(color) for color in colors))
    indexes = picture.map(lambda pixel: (colors.index(pixel),))
    add("palette.png", png(indexes, depth=4, color=3, before=palette), "4 bit palette", bitDepth=8)
    see_through = chunk(b"tRNS", bytes(0 if color == (0, 0, 0) else 255 for color in colors))
    add(
        "palette-transparent.png", png(indexes, color=3, before=palette + see_through),
        "8 bit palette, black is transparent", hasAlpha=True, reasons=["coding"],
    )  # fmt: skip
    key = chunk(b"tRNS", struct.pack(">HHH", 0, 0, 0))
    add("color-key.png", png(picture, before=key), "RGB whose black is transparent", hasAlpha=True)
    add("interlaced.png", png(picture, interlace=1), "Adam7")


def add_metadata(add):
    picture = quadrants()
    gps = meta.exif(taken=True, gps=True, marker=True)
    facts = {"hasLocation": True, "marker": True}
    add("gps-exif.png", png(picture, before=chunk(b"eXIf", gps)), "eXIf with place", capturedAt=TAKEN_ISO, **facts)
    packet = international(b"XML:com.adobe.xmp", meta.xmp(gps=True, marker=True))
    add("gps-xmp.png", png(picture, before=packet), "XMP in iTXt with place", **facts)
    add("gps-raw-profile.png", png(picture, before=raw_profile(gps)), "EXIF in zTXt with place", capturedAt=TAKEN_ISO, **{**facts, "marker": False})
    before = chunk(b"tEXt", b"Comment\0" + MARKER)
    before += chunk(b"zTXt", b"Comment\0\0" + zlib.compress(MARKER))
    before += international(b"Comment", MARKER) + international(b"Title", MARKER, compressed=True)
    before += iccp(meta.rgb_profile("sRGB PETSPOTMARKER", meta.SRGB, text="PETSPOTMARKER"))
    before += chunk(b"eXIf", gps) + packet + raw_profile(gps)
    before += chunk(b"tIME", struct.pack(">HBBBBB", 2026, 11, 20, 10, 0, 0)) + chunk(b"peTs", MARKER)
    after = chunk(b"tEXt", b"Author\0" + MARKER) + chunk(b"peTS", MARKER)
    add(
        "everything.png", png(picture, before=before, after=after, tail=MARKER),
        "the marker in tEXt, zTXt, iTXt, iCCP, eXIf, private chunks and behind IEND",
        capturedAt=TAKEN_ISO, colorProfile="sRGB PETSPOTMARKER", **facts,
    )  # fmt: skip
    page = b"<html><script>alert('PETSPOTMARKER')</script></html>"
    add("polyglot-html.png", png(picture, tail=page), "a web page behind IEND", marker=True)


def add_animations(add):
    frames = [gradient(step=40 * index) for index in range(4)]
    add("animated.png", apng(frames), "APNG of four frames, for ever", frames=4, quadrants=False)
    note = chunk(b"tEXt", b"Comment\0" + MARKER)
    add(
        "animated-three-times.png", apng([quadrants(), gradient()], (1, 2), 3, note),
        "APNG of two frames, three times, with a text chunk", frames=2, marker=True,
    )  # fmt: skip
    add(
        "animated-apart.png", apng_apart(gradient(), [(quadrants(32, 24), 20, 10), (gradient(step=90), 0, 0)]),
        "APNG whose first frame is smaller than the canvas, and not the picture in IDAT", frames=2, quadrants=False,
        losses=["second-picture"],
    )  # fmt: skip
    add(
        "one-frame-apart.png", apng_apart(gradient(), [(quadrants(), 0, 0)]),
        "APNG of one frame, which is not the picture in IDAT", quadrants=False, losses=["second-picture"],
    )  # fmt: skip
    turned = chunk(b"eXIf", meta.exif(orientation=6, taken=True))
    stored = quadrants().stored_for(6)
    apart = apng_apart(gradient(stored.width, stored.height), [(stored, 0, 0)] * 2, turned)
    add(
        "turned-apart.png", apart, "APNG to be turned, whose first frame is not the picture in IDAT", frames=2,
        orientation=6, reasons=["orientation"], losses=["second-picture"], capturedAt=TAKEN_ISO, quadrants=False,
    )  # fmt: skip
    add_recoded_animations(add)


def add_recoded_animations(add):
    """Adds animations whose pixels must change, frame by frame."""
    deep = {"bitDepth": 16, "reasons": ["bit-depth"], "losses": ["bit-depth"]}
    wide = lambda picture: picture.map(lambda pixel: tuple(sample * 257 for sample in pixel))
    frames = [wide(quadrants()), wide(gradient(step=40)), wide(gradient(step=90))]
    add("animated-16-bit.png", apng(frames, (3, 100), 2, depth=16), "APNG of 16 bits", frames=3, **deep)
    p3 = iccp(meta.rgb_profile("Display P3", meta.DISPLAY_P3))
    add(
        "animated-p3.png", apng([quadrants(), gradient()], extra=p3), "APNG in Display P3", frames=2,
        colorProfile="Display P3", reasons=["color"], losses=["gamut"],
    )  # fmt: skip
    veiled = lambda picture, alpha: picture.map(lambda pixel: (*(257 * sample for sample in pixel), alpha))
    parts = [(veiled(quadrants(), 65535), 0, 0), (veiled(gradient(20, 10), 30000), 7, 30)]
    add(
        "animated-16-bit-alpha.png",
        apng_apart(veiled(quadrants(), 65535), parts, p3, depth=16, color=6, dispose=2, blend=1),
        "APNG of 16 bits with alpha in Display P3: a part blended over, then taken back", frames=2, hasAlpha=True,
        colorProfile="Display P3", **{**deep, "reasons": ["bit-depth", "color"], "losses": ["second-picture", "bit-depth", "gamut"]},
    )  # fmt: skip
    grays = [gradient(step=step).map(lambda pixel: (gray_of(pixel) * 257,)) for step in (0, 80)]
    add("animated-16-bit-gray.png", apng(grays, depth=16, color=0), "gray APNG of 16 bits", frames=2, quadrants=False, **deep)
    for orientation in (3, 5, 6, 7, 8):
        block = chunk(b"eXIf", meta.exif(orientation=orientation, taken=True))
        stored = quadrants().stored_for(orientation)
        part = gradient(20, 10, 30)
        file = apng_apart(stored, [(stored, 0, 0), (part, 5, 33)], block)
        add(
            f"animated-orientation-{orientation}.png", file, f"APNG with EXIF orientation {orientation}", frames=2,
            orientation=orientation, reasons=["orientation"], losses=["second-picture"], capturedAt=TAKEN_ISO,
        )  # fmt: skip


def add_all(collection):
    for add in (add_orientations, add_colors, add_hdr, add_depths, add_alpha, add_metadata, add_animations):
        add(collection.accept)
