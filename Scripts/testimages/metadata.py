"""EXIF, XMP, IPTC and ICC blocks with the marker that no blob may contain."""

import struct

MARKER = b"PETSPOTMARKER"
TAKEN = "2026:11:20 10:00:00"
TAKEN_ISO = "2026-11-20T10:00:00+01:00"

# MARK: EXIF (CIPA DC-008, TIFF 6.0)

ASCII, SHORT, LONG, RATIONAL, UNDEFINED = 2, 3, 4, 5, 7


def directory(entries, start):
    """Returns one IFD at `start` of the TIFF block: the table of entries (tag, type, count, bytes), and the data
    that they point to."""
    table, heap = b"", b""
    heap_start = start + 2 + 12 * len(entries) + 4
    for tag, kind, count, value in sorted(entries):
        if len(value) <= 4:
            field = value.ljust(4, b"\0")
        else:
            field = struct.pack("<I", heap_start + len(heap))
            heap += value + b"\0" * (len(value) % 2)
        table += struct.pack("<HHI", tag, kind, count) + field
    return struct.pack("<H", len(entries)) + table, heap


def ascii_entry(tag, text):
    value = text.encode() + b"\0"
    return (tag, ASCII, len(value), value)


def rationals(tag, *values):
    return (tag, RATIONAL, len(values), b"".join(struct.pack("<II", n, d) for n, d in values))


def exif(orientation=None, taken=False, gps=False, marker=False, thumbnail=None):
    """Returns a little-endian TIFF block. The place is 52°13'47" N 21°0'42" E."""
    zero = []
    if orientation is not None:
        zero.append((0x112, SHORT, 1, struct.pack("<H", orientation)))
    if marker:
        zero += [ascii_entry(0x10E, "PETSPOTMARKER description"), ascii_entry(0x13B, "PETSPOTMARKER")]
    camera = []
    if taken:
        camera += [ascii_entry(0x9003, TAKEN), ascii_entry(0x9011, "+01:00")]
    if marker:
        camera.append((0x927C, UNDEFINED, 24, b"PETSPOTMARKER maker note"))
        camera.append((0x9286, UNDEFINED, 21, b"ASCII\0\0\0PETSPOTMARKER"))
    place = []
    if gps:
        place = [
            ascii_entry(1, "N"),
            rationals(2, (52, 1), (13, 1), (47, 1)),
            ascii_entry(3, "E"),
            rationals(4, (21, 1), (0, 1), (42, 1)),
        ]
        if marker:
            place.append((0x1B, UNDEFINED, 21, b"ASCII\0\0\0PETSPOTMARKER"))
    subs = [(tag, entries) for tag, entries in ((0x8769, camera), (0x8825, place)) if entries]
    entries = zero + [(tag, LONG, 1, b"\0\0\0\0") for tag, _ in subs]
    table, heap = directory(entries, 8)
    offset = 8 + len(table) + 4 + len(heap)
    blocks = b""
    for tag, sub in subs:
        sub_table, sub_heap = directory(sub, offset)
        entries = [(t, k, c, struct.pack("<I", offset) if t == tag else v) for t, k, c, v in entries]
        block = sub_table + struct.pack("<I", 0) + sub_heap
        blocks += block
        offset += len(block)
    next_directory = 0
    if thumbnail:
        next_directory = offset
        first = [(0x103, SHORT, 1, struct.pack("<H", 6)), (0x202, LONG, 1, struct.pack("<I", len(thumbnail)))]
        first += [ascii_entry(0x10E, "PETSPOTMARKER thumbnail")] if marker else []
        heap_size = 24 if marker else 0
        data_at = offset + 2 + 12 * (len(first) + 1) + 4 + heap_size
        first.append((0x201, LONG, 1, struct.pack("<I", data_at)))
        table, heap = directory(first, offset)
        assert len(heap) == heap_size
        blocks += table + struct.pack("<I", 0) + heap + thumbnail
    table, heap = directory(entries, 8)
    return b"II*\0" + struct.pack("<I", 8) + table + struct.pack("<I", next_directory) + heap + blocks


# MARK: XMP (ISO 16684-1)


def xmp(attributes="", marker=False, gps=False, inner=""):
    if gps:
        attributes += ' exif:GPSLatitude="52,13.78N" exif:GPSLongitude="21,0.70E"'
    if marker:
        attributes += ' photoshop:Headline="PETSPOTMARKER xmp"'
    text = (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>'
        '<x:xmpmeta xmlns:x="adobe:ns:meta/">'
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<rdf:Description rdf:about=""'
        ' xmlns:exif="http://ns.adobe.com/exif/1.0/"'
        ' xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"'
        ' xmlns:xmpNote="http://ns.adobe.com/xmp/note/"'
        ' xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"'
        ' xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"'
        ' xmlns:Container="http://ns.google.com/photos/1.0/container/"'
        ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/"'
        f"{attributes}>{inner}</rdf:Description></rdf:RDF></x:xmpmeta>"
        '<?xpacket end="w"?>'
    )
    return text.encode()


def directory_of_items(*items):
    """Returns Google's container directory: (semantic, media type, length in bytes) of each part."""
    rows = "".join(
        f'<rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="{semantic}"'
        f' Item:Mime="{mime}" Item:Length="{length}"/></rdf:li>'
        for semantic, mime, length in items
    )
    return f"<Container:Directory><rdf:Seq>{rows}</rdf:Seq></Container:Directory>"


# MARK: IPTC (IIM 4.2 in a Photoshop resource block)


def iptc():
    def data_set(number, text):
        return struct.pack(">BBBH", 0x1C, 2, number, len(text)) + text

    record = data_set(90, b"Warszawa") + data_set(92, b"PETSPOTMARKER street") + data_set(101, b"Polska")
    record += data_set(120, b"PETSPOTMARKER caption")
    block = b"8BIM" + struct.pack(">H", 0x0404) + b"\0\0" + struct.pack(">I", len(record)) + record
    return b"Photoshop 3.0\0" + block + b"\0" * (len(record) % 2)


# MARK: ICC profiles (ICC.1:2010)

D50 = (0.9642, 1.0, 0.8249)
SRGB_CURVE = (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
# Colorants adapted to D50.
SRGB = [(0.43607, 0.22249, 0.01392), (0.38515, 0.71687, 0.09708), (0.14307, 0.06061, 0.71410)]
DISPLAY_P3 = [(0.51512, 0.24120, -0.00105), (0.29198, 0.69225, 0.04189), (0.15710, 0.06657, 0.78407)]
ADOBE_RGB = [(0.60974, 0.31111, 0.01947), (0.20528, 0.62567, 0.06087), (0.14919, 0.06322, 0.74457)]


def fixed(value):
    return struct.pack(">i", round(value * 65536))


def xyz(values):
    return b"XYZ \0\0\0\0" + b"".join(fixed(value) for value in values)


def localized(text):
    body = text.encode("utf-16-be")
    return b"mluc\0\0\0\0" + struct.pack(">II2s2sII", 1, 12, b"en", b"US", len(body), 28) + body


def profile(device, space, connection, tags):
    table, heap = struct.pack(">I", len(tags)), b""
    start = 128 + 4 + 12 * len(tags)
    for name, data in tags:
        table += name + struct.pack(">II", start + len(heap), len(data))
        heap += data + b"\0" * (-len(data) % 4)
    header = struct.pack(">I", start + len(heap)) + b"\0\0\0\0" + struct.pack(">I", 0x04300000)
    header += device + space + connection
    header += struct.pack(">6H", 2026, 1, 1, 0, 0, 0) + b"acsp" + b"\0" * 28
    header += b"".join(fixed(value) for value in D50)
    return header.ljust(128, b"\0") + table + heap


def rgb_profile(name, colorants, curve=SRGB_CURVE, text="CC0"):
    """Returns a matrix and tone curve profile. `curve` has five parameters, or is one gamma."""
    if isinstance(curve, tuple):
        tone = b"para\0\0\0\0" + struct.pack(">HH", 3, 0) + b"".join(fixed(value) for value in curve)
    else:
        tone = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(curve * 256))
    tags = [(b"desc", localized(name)), (b"cprt", b"text\0\0\0\0" + text.encode() + b"\0")]
    if text == "CC0":
        tags[1] = (b"cprt", localized(text))
    tags.append((b"wtpt", xyz(D50)))
    tags += [(tag, xyz(values)) for tag, values in zip((b"rXYZ", b"gXYZ", b"bXYZ"), colorants)]
    tags += [(tag, tone) for tag in (b"rTRC", b"gTRC", b"bTRC")]
    return profile(b"mntr", b"RGB ", b"XYZ ", tags)


def hdr_profile(curve, cicp=None):
    """Returns a BT.2020 profile with an HDR curve as a table. `cicp` has four code points (ICC.1:2022, 9.2.17)."""
    bt2020 = [(0.67349, 0.27904, -0.00193), (0.16566, 0.67534, 0.02998), (0.12505, 0.04562, 0.79685)]
    tone = b"curv\0\0\0\0" + struct.pack(">I1024H", 1024, *(round(65535 * curve(i / 1023)) for i in range(1024)))
    tags = [(b"desc", localized("sRGB by name alone")), (b"cprt", localized("CC0")), (b"wtpt", xyz(D50))]
    tags += [(tag, xyz(values)) for tag, values in zip((b"rXYZ", b"gXYZ", b"bXYZ"), bt2020)]
    tags += [(tag, tone) for tag in (b"rTRC", b"gTRC", b"bTRC")]
    if cicp:
        tags.append((b"cicp", b"cicp\0\0\0\0" + bytes(cicp)))
    return profile(b"mntr", b"RGB ", b"XYZ ", tags)


def pq_light(value):
    """Returns display light from 0 to 1, where 1 is 10,000 nits (SMPTE ST 2084)."""
    power = value ** (32 / 2523)
    return (max(power - 107 / 128, 0) / (2413 / 128 - 2392 / 128 * power)) ** (16384 / 2610)


def gray_profile():
    tags = [(b"desc", localized("Gray Gamma 2.2")), (b"cprt", localized("CC0")), (b"wtpt", xyz(D50))]
    tags.append((b"kTRC", b"curv\0\0\0\0" + struct.pack(">IH", 1, round(2.2 * 256))))
    return profile(b"mntr", b"GRAY", b"XYZ ", tags)


def lab(rgb):
    """Converts linear sRGB to the three bytes of Lab in a lut8Type."""
    f = lambda t: t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116
    seen = [sum(SRGB[c][i] * rgb[c] for c in range(3)) for i in range(3)]
    x, y, z = (f(value / white) for value, white in zip(seen, D50))
    place = (116 * y - 16, 500 * (x - y), 200 * (y - z))
    codes = (place[0] * 255 / 100, place[1] + 128, place[2] + 128)
    return bytes(min(255, max(0, round(code))) for code in codes)


def table_profile(kind, space, name, grid, inks):
    """Returns a table profile with two grid points per ink and D50 Lab (lut8Type)."""
    identity = b"".join(fixed(value) for value in (1, 0, 0, 0, 1, 0, 0, 0, 1))
    ramp = bytes(range(256))
    table = b"mft1\0\0\0\0" + bytes([inks, 3, 2, 0]) + identity + ramp * inks + grid + ramp * 3
    tags = [(b"desc", localized(name)), (b"cprt", localized("CC0")), (b"wtpt", xyz(D50))]
    tags.append((b"A2B0", table))
    return profile(kind, space, b"Lab ", tags)


def cmyk_profile():
    """Returns the profile of a printer with ideal inks."""
    grid = b""
    for index in range(16):
        inks = [index >> bit & 1 for bit in (3, 2, 1, 0)]
        grid += lab([(1 - ink) * (1 - inks[3]) for ink in inks[:3]])
    return table_profile(b"prtr", b"CMYK", "Ideal inks", grid, 4)


def rgb_tables():
    """Returns the profile of a display that describes colors only by a table."""
    grid = b"".join(lab([index >> bit & 1 for bit in (2, 1, 0)]) for index in range(8))
    return table_profile(b"mntr", b"RGB ", "Tables", grid, 3)
