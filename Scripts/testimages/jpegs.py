"""JPEG files (ITU-T T.81; APPn as specified by their vendors)."""

import struct
import tempfile

import metadata as meta
from collection import cjpeg, cmyk_jpeg
from metadata import MARKER, TAKEN_ISO
from pixels import Picture, gradient, in_hdr, pq, quadrants

EXIF, XMP = b"Exif\0\0", b"http://ns.adobe.com/xap/1.0/\0"
EXTENSION = b"http://ns.adobe.com/xmp/extension/\0"


def segment(marker, data):
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def with_segments(jpeg, *segments, tail=b""):
    """Returns the JPEG with these segments after SOI, or after JFIF's APP0."""
    at = 2
    if jpeg[2:4] == b"\xff\xe0":
        at = 4 + struct.unpack(">H", jpeg[4:6])[0]
    return jpeg[:at] + b"".join(segments) + jpeg[at:] + tail


def exif_segment(**facts):
    return segment(0xE1, EXIF + meta.exif(**facts))


def xmp_segment(*args, **facts):
    return segment(0xE1, XMP + meta.xmp(*args, **facts))


def icc_segments(profile, size=60000):
    parts = [profile[i : i + size] for i in range(0, len(profile), size)]
    return b"".join(
        segment(0xE2, b"ICC_PROFILE\0" + bytes([index + 1, len(parts)]) + part)
        for index, part in enumerate(parts)
    )


def extended_xmp(packet):
    """Returns a packet in two extension segments, and the main packet that announces it (XMP part 3)."""
    guid = b"0123456789ABCDEF0123456789ABCDEF"
    main = xmp_segment(f' xmpNote:HasExtendedXMP="{guid.decode()}"')
    half = len(packet) // 2
    parts = [(0, packet[:half]), (half, packet[half:])]
    return main + b"".join(
        segment(0xE1, EXTENSION + guid + struct.pack(">II", len(packet), offset) + part)
        for offset, part in parts
    )


def with_second_picture(jpeg, second, segments=b""):
    """Returns a multi-picture file (CIPA DC-007): an index in APP2, and the second picture after EOI."""

    def index(first_size, second_at):
        header = b"MM\0*" + struct.pack(">I", 8)
        entries = struct.pack(">H", 3)
        entries += struct.pack(">HHI4s", 0xB000, 7, 4, b"0100")
        entries += struct.pack(">HHII", 0xB001, 4, 1, 2)
        entries += struct.pack(">HHII", 0xB002, 7, 32, 50)
        entries += struct.pack(">I", 0)
        pictures = struct.pack(">IIIHH", 0x20030000, first_size, 0, 0, 0)
        pictures += struct.pack(">IIIHH", 0, len(second), second_at, 0, 0)
        return segment(0xE2, b"MPF\0" + header + entries + pictures)

    draft = with_segments(jpeg, segments, index(0, 0))
    header_at = draft.index(b"MPF\0") + 4
    first = with_segments(jpeg, segments, index(len(draft), len(draft) - header_at))
    return first + second


def film():
    """Returns the shortest file that claims to be an MP4."""
    ftyp = b"ftypmp42" + b"\0\0\0\0" + b"mp42isom"
    mdat = b"mdat" + MARKER * 8
    return struct.pack(">I", len(ftyp) + 4) + ftyp + struct.pack(">I", len(mdat) + 4) + mdat


def add_orientations(add):
    for orientation in range(1, 9):
        stored = quadrants().stored_for(orientation)
        file = with_segments(cjpeg(stored), exif_segment(orientation=orientation, taken=True))
        reasons = ["orientation"] if orientation > 1 else []
        add(
            f"orientation-{orientation}.jpg", file, f"EXIF orientation {orientation}",
            orientation=orientation, reasons=reasons, capturedAt=TAKEN_ISO,
        )  # fmt: skip
    stray = with_segments(cjpeg(quadrants()), exif_segment(orientation=99))
    add("orientation-out-of-range.jpg", stray, "EXIF orientation 99 counts as upright")


def add_turned_codings(add):
    """Adds codings that petspot turns without decoding, and others that it must decode."""

    def turned(name, about, orientation, *options, picture=None, **facts):
        stored = (picture or quadrants()).stored_for(orientation)
        file = with_segments(cjpeg(stored, *options), exif_segment(orientation=orientation))
        about = f"{about}, EXIF orientation {orientation}"
        facts.setdefault("reasons", ["orientation"])
        add(f"turned-{name}.jpg", file, about, orientation=orientation, **facts)

    turned("restart", "restart markers", 6, "-restart", "1")
    turned("chroma-across", "chroma halved across only", 8, "-sample", "2x1")
    turned("chroma-full", "4:4:4", 5, "-sample", "1x1")
    turned("optimized", "Huffman tables that lack what this picture does not need", 7, "-optimize")
    turned("gray", "one component", 6, "-grayscale", picture=gradient(), quadrants=False)
    turned("progressive", "progressive", 3, "-progressive")
    turned("progressive-restart", "progressive with restart markers, 4:4:4", 6, "-progressive", "-restart", "1", "-sample", "1x1")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as scans:
        scans.write("0;\n1;\n2;\n")
        scans.flush()
        turned("several-scans", "a scan for each component", 7, "-scans", scans.name)
        turned("several-scans-restart", "the same with restart markers", 2, "-scans", scans.name, "-restart", "2B")
    turned("chroma-down", "chroma halved down only", 4, "-sample", "1x2")
    turned("chroma-quarter", "chroma a quarter across", 6, "-sample", "4x1")
    turned("arithmetic", "arithmetic coding", 6, "-arithmetic", reasons=["orientation", "coding"])
    turned(
        "arithmetic-progressive", "arithmetic coding, progressive", 3, "-arithmetic", "-progressive",
        reasons=["orientation", "coding"],
    )
    odd = {"width": 132, "height": 124}
    turned("cut-unit", "the unit cut off would come to lie at the left", 6, picture=quadrants(132, 124), **odd)
    turned("cut-unit-below", "the unit cut off stays at an end", 8, picture=quadrants(44, 48), width=44)
    large = {"width": 1936, "height": 2576}
    whole = quadrants(1936, 2576)
    turned("large", "8 pixels and more for one of the preview", 6, "-optimize", picture=whole, **large)


def add_colors(add):
    plain = cjpeg(quadrants())
    # Large enough that halving chroma again, next to colors clipped to sRGB, remains a detail.
    large = cjpeg(quadrants(128, 96))
    size = {"width": 128, "height": 96}
    wide = {"reasons": ["color"], "losses": ["gamut"]}
    p3 = meta.rgb_profile("Display P3", meta.DISPLAY_P3)
    adobe = meta.rgb_profile("Adobe RGB (1998)", meta.ADOBE_RGB, 2.19921875)
    srgb = meta.rgb_profile("sRGB IEC61966-2.1", meta.SRGB)
    add(
        "display-p3.jpg", with_segments(large, icc_segments(p3)), "Display P3 profile",
        colorProfile="Display P3", **size, **wide,
    )  # fmt: skip
    add(
        "display-p3-in-pieces.jpg", with_segments(large, icc_segments(p3, 200)),
        "Display P3 profile over several APP2", colorProfile="Display P3", **size, **wide,
    )  # fmt: skip
    add(
        "adobe-rgb.jpg", with_segments(cjpeg(gradient()), icc_segments(adobe)),
        "Adobe RGB profile", colorProfile="Adobe RGB (1998)", quadrants=False, **wide,
    )  # fmt: skip
    add(
        "srgb-tagged.jpg", with_segments(plain, icc_segments(srgb)),
        "sRGB profile, told by content", colorProfile="sRGB IEC61966-2.1",
    )  # fmt: skip
    bright = in_hdr(quadrants(128, 96), pq).map(lambda pixel: tuple(sample >> 8 for sample in pixel))
    for name, cicp in (("cicp", (9, 16, 0, 1)), ("curve", None)):
        profile = meta.hdr_profile(meta.pq_light, cicp)
        add(
            f"pq-{name}.jpg", with_segments(cjpeg(bright, "-sample", "1x1"), icc_segments(profile)),
            f"PQ by a profile's {name}, which is called sRGB", colorProfile="BT.2020 PQ", **size,
            **{**wide, "losses": ["gamut", "hdr"]},
        )  # fmt: skip
    lying = meta.rgb_profile("sRGB IEC61966-2.1", meta.DISPLAY_P3)
    add(
        "srgb-by-name-only.jpg", with_segments(large, icc_segments(lying)),
        "Display P3 values under sRGB's name", colorProfile="sRGB IEC61966-2.1", **size, **wide,
    )  # fmt: skip
    cmyk = cmyk_jpeg(quadrants())
    add("cmyk-adobe.jpg", cmyk, "CMYK, inverted as Adobe writes it, no profile", reasons=["color"], losses=["cmyk"])
    add(
        "cmyk-profile.jpg", with_segments(cmyk, icc_segments(meta.cmyk_profile())),
        "CMYK with its profile", reasons=["color"], losses=["cmyk"], colorProfile="Ideal inks",
    )  # fmt: skip
    gray = cjpeg(gradient(), "-grayscale")
    add("gray.jpg", gray, "one component", quadrants=False)
    rgb = cjpeg(quadrants(), "-rgb")
    add("adobe-rgb-coded.jpg", rgb, "RGB components without YCbCr, told by APP14 or component names")


def add_codings(add):
    smooth = gradient()
    add("baseline-420.jpg", cjpeg(smooth), "baseline, chroma halved", quadrants=False)
    add("baseline-444.jpg", cjpeg(smooth, "-sample", "1x1"), "baseline, 4:4:4", quadrants=False)
    add("progressive.jpg", cjpeg(quadrants(), "-progressive"), "progressive")
    add("restart-interval.jpg", cjpeg(quadrants(), "-restart", "1"), "restart markers")
    add(
        "arithmetic.jpg", cjpeg(quadrants(), "-arithmetic"), "arithmetic coding, which no browser shows",
        reasons=["coding"],
    )  # fmt: skip
    odd = Picture.make(37, 23, lambda x, y: (x * 6, y * 11, 128))
    add("odd-size.jpg", cjpeg(odd), "37 by 23", width=37, height=23, quadrants=False)
    one = Picture.make(1, 1, lambda x, y: (200, 100, 50))
    add("one-pixel.jpg", cjpeg(one), "1 by 1", width=1, height=1, quadrants=False)
    large = cjpeg(quadrants(2600, 1500), "-optimize")
    add("large.jpg", large, "8 pixels and more for one of the preview", width=2600, height=1500)
    padded = with_segments(cjpeg(quadrants())).replace(b"\xff\xdb", b"\xff\xff\xff\xdb", 1)
    add("fill-bytes.jpg", padded, "fill bytes before a marker (T.81 B.1.1.2)")


def add_parts(add):
    plain = cjpeg(quadrants())
    small = cjpeg(gradient(16, 12))
    video = film()
    motion = xmp_segment(
        ' GCamera:MotionPhoto="1" GCamera:MotionPhotoVersion="1"',
        inner=meta.directory_of_items(
            ("Primary", "image/jpeg", 0), ("MotionPhoto", "video/mp4", len(video))
        ),
    )
    add(
        "motion-photo.jpg", with_segments(plain, motion, tail=video), "film behind the picture",
        losses=["motion-video"], marker=True,
    )  # fmt: skip
    second = with_segments(small, segment(0xFE, MARKER))
    add(
        "second-picture.jpg", with_second_picture(plain, second), "multi-picture format",
        losses=["second-picture"], marker=True,
    )  # fmt: skip
    gain = with_segments(
        cjpeg(gradient(32, 24), "-grayscale"),
        xmp_segment(' hdrgm:Version="1.0" hdrgm:GainMapMax="2.5"', marker=True),
    )
    primary = xmp_segment(
        ' hdrgm:Version="1.0"',
        inner=meta.directory_of_items(
            ("Primary", "image/jpeg", 0), ("GainMap", "image/jpeg", len(gain))
        ),
    )
    add(
        "gain-map.jpg", with_second_picture(plain, gain, primary), "Ultra HDR gain map",
        losses=["gain-map"], marker=True,
    )  # fmt: skip


def add_metadata(add):
    plain = cjpeg(quadrants())
    thumbnail = cjpeg(gradient(16, 12))
    add(
        "gps-exif.jpg",
        with_segments(plain, exif_segment(taken=True, gps=True, marker=True, thumbnail=thumbnail)),
        "EXIF with place, maker note, thumbnail", hasLocation=True, capturedAt=TAKEN_ISO, marker=True,
    )  # fmt: skip
    add(
        "gps-xmp.jpg", with_segments(plain, xmp_segment(gps=True, marker=True)),
        "XMP with place", hasLocation=True, marker=True,
    )  # fmt: skip
    add(
        "gps-extended-xmp.jpg", with_segments(plain, extended_xmp(meta.xmp(gps=True, marker=True))),
        "place in extended XMP only", hasLocation=True, marker=True,
    )  # fmt: skip
    add(
        "iptc-place.jpg", with_segments(plain, segment(0xED, meta.iptc())),
        "IPTC names city and street; whether that is a location is left open",
        hasLocation=None, marker=True,
    )  # fmt: skip
    application = [segment(0xE0 + n, b"PETSPOT\0" + MARKER) for n in range(16)]
    icc = icc_segments(meta.rgb_profile("sRGB PETSPOTMARKER", meta.SRGB, text="PETSPOTMARKER"))
    everything = [
        exif_segment(taken=True, gps=True, marker=True, thumbnail=thumbnail),
        extended_xmp(meta.xmp(gps=True, marker=True)),
        segment(0xED, meta.iptc()), icc, segment(0xFE, MARKER + b" comment"), *application,
    ]  # fmt: skip
    add(
        "everything.jpg", with_segments(plain, *everything, tail=MARKER * 3),
        "the marker in every carrier: EXIF, XMP, IPTC, ICC, COM, APP0 to APP15, behind EOI",
        hasLocation=True, capturedAt=TAKEN_ISO, colorProfile="sRGB PETSPOTMARKER", marker=True,
    )  # fmt: skip
    zip_tail = b"PK\3\4" + MARKER + b"PK\5\6" + b"\0" * 18
    add("polyglot-zip.jpg", with_segments(plain, tail=zip_tail), "a ZIP archive behind EOI", marker=True)


def add_all(collection):
    for add in (add_orientations, add_turned_codings, add_colors, add_codings, add_parts, add_metadata):
        add(collection.accept)
