"""A small reader and writer of HEIF containers (ISO 14496-12, ISO 23008-12). heif-enc encodes the pixels, and this
module puts them into containers as phones (and attackers) write them."""

import struct
from dataclasses import dataclass, field

from collection import run
from pixels import png


def box(kind, *parts):
    body = b"".join(parts)
    return struct.pack(">I", len(body) + 8) + kind + body


def full_box(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def boxes(data, start=0, end=None):
    """Yields (type, start of body, end) of each box at this level."""
    at, end = start, len(data) if end is None else end
    while at + 8 <= end:
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        yield kind, at + 8, at + size
        at += size


@dataclass
class Coded:
    """One HEVC picture with the properties that a decoder needs."""

    data: bytes
    properties: list  # whole boxes: hvcC, ispe, pixi, colr nclx
    auxiliary: bool = False


ESSENTIAL = (b"hvcC", b"irot", b"imir", b"clap")


def coded_pictures(heif):
    """Returns the hvc1 items of a file made by heif-enc, in order."""
    found = {kind: (start, end) for kind, start, end in boxes(heif)}
    start, end = found[b"meta"]
    meta = {kind: (s, e) for kind, s, e in boxes(heif, start + 4, end)}
    s, e = meta[b"iprp"]
    containers = {kind: (a, b) for kind, a, b in boxes(heif, s, e)}
    properties = [(kind, heif[a - 8 : b]) for kind, a, b in boxes(heif, *containers[b"ipco"])]
    at = containers[b"ipma"][0]
    count = struct.unpack(">I", heif[at + 4 : at + 8])[0]
    at += 8
    assigned = {}
    for _ in range(count):
        item, number = struct.unpack(">HB", heif[at : at + 3])
        indexes = heif[at + 3 : at + 3 + number]
        assigned[item] = [properties[(index & 0x7F) - 1] for index in indexes]
        at += 3 + number
    result = []
    for item, data in sorted(item_data(heif, *meta[b"iloc"]).items()):
        props = assigned.get(item, [])
        if any(kind == b"hvcC" for kind, _ in props):
            auxiliary = any(kind == b"auxC" for kind, _ in props)
            keep = [whole for kind, whole in props if kind in (b"hvcC", b"ispe", b"pixi", b"colr")]
            result.append(Coded(data, keep, auxiliary))
    return result


def units(coded):
    """Returns the NAL units of an encoded picture: those of its hvcC, then those of its data."""
    hvcc = next(whole[8:] for whole in coded.properties if whole[4:8] == b"hvcC")
    found, at = [], 23
    for _ in range(hvcc[22]):
        count, at = struct.unpack(">H", hvcc[at + 1 : at + 3])[0], at + 3
        for _ in range(count):
            size = struct.unpack(">H", hvcc[at : at + 2])[0]
            found.append(hvcc[at + 2 : at + 2 + size])
            at += 2 + size
    at, width = 0, (hvcc[21] & 3) + 1
    while at < len(coded.data):
        size = int.from_bytes(coded.data[at : at + width], "big")
        found.append(coded.data[at + width : at + width + size])
        at += width + size
    return found


def with_chroma_bits(coded, more):
    """Returns an encoded picture whose sequence parameter set claims that chroma has `more` bits than luma, which
    has 8."""
    old = next(unit for unit in units(coded) if unit[0] >> 1 == 33)
    bits = "".join(f"{byte:08b}" for byte in old.replace(b"\0\0\3", b"\0\0"))
    at = 120  # after the header, the identifiers, profile and level of one layer (ITU-T H.265, 7.3.2.2)

    def golomb():
        nonlocal at
        zeros = bits.index("1", at) - at
        at += 2 * zeros + 1

    for _ in range(4):  # identifier, chroma format, width, height
        golomb()
    has_window, at = bits[at] == "1", at + 1
    for _ in range(5 if has_window else 1):  # the window, then the bits of luma
        golomb()
    code = f"{more + 1:b}"
    bits = bits[:at] + "0" * (len(code) - 1) + code + bits[at + 1 :].rstrip("0")
    bits += "0" * (-len(bits) % 8)
    new = bytes(int(bits[place : place + 8], 2) for place in range(0, len(bits), 8))
    for last in (3, 0, 1, 2):
        new = new.replace(bytes([0, 0, last]), bytes([0, 0, 3, last]))
    hvcc = next(whole for whole in coded.properties if whole[4:8] == b"hvcC")
    body = hvcc[8:].replace(struct.pack(">H", len(old)) + old, struct.pack(">H", len(new)) + new)
    properties = [box(b"hvcC", body) if whole is hvcc else whole for whole in coded.properties]
    return Coded(coded.data, properties, coded.auxiliary)


def item_data(heif, start, end):
    version = heif[start]
    sizes = heif[start + 4]
    assert version in (0, 1) and sizes == 0x44, "heif-enc writes iloc 0 or 1 with 4-byte fields"
    base_size = heif[start + 5] >> 4
    count = struct.unpack(">H", heif[start + 6 : start + 8])[0]
    at, result = start + 8, {}
    for _ in range(count):
        item = struct.unpack(">H", heif[at : at + 2])[0]
        at += 4 + (2 if version == 1 else 0)
        base = int.from_bytes(heif[at : at + base_size], "big")
        extents = struct.unpack(">H", heif[at + base_size : at + base_size + 2])[0]
        at += base_size + 2
        data = b""
        for _ in range(extents):
            offset, length = struct.unpack(">II", heif[at : at + 8])
            data += heif[base + offset : base + offset + length]
            at += 8
        result[item] = data
    return result


def encode(picture, *options, depth=8, color=2):
    """Returns heif-enc's HEVC pictures: the picture, and its alpha plane if it has one.

    A side must have at least 64 pixels. heif-enc would pad a smaller picture and crop it with a grid."""
    arguments = ["-q", "80", "-p", "x265:info=0", *options, "{in}", "-o", "{out}"]
    return coded_pictures(run("heif-enc", arguments, png(picture, depth, color), ".png", ".heic"))


@dataclass
class Item:
    kind: bytes
    data: bytes
    properties: list = field(default_factory=list)
    hidden: bool = False
    infe_tail: bytes = b""  # content type of mime, URI of uri items
    inside_meta: bool = False  # construction method 1: the data lies in idat
    extent: tuple = None  # a false (offset, length) instead of the true one


def coded_item(coded, *more, **facts):
    return Item(b"hvc1", coded.data, [*coded.properties, *more], **facts)


def grid_item(columns, rows, width, height, *properties):
    data = struct.pack(">BBBBHH", 0, 0, rows - 1, columns - 1, width, height)
    return Item(b"grid", data, [ispe(width, height), *properties], inside_meta=True)


def overlay_item(width, height, places, *properties, fill=(0, 0, 0, 65535), wide=False):
    """Returns an overlay of pictures at these places (left, top) on a canvas. `fill` has 16-bit samples."""
    field = "i" if wide else "h"
    data = struct.pack(f">BB4H2{field.upper()}", 0, wide, *fill, width, height)
    data += b"".join(struct.pack(f">2{field}", *place) for place in places)
    return Item(b"iovl", data, [ispe(width, height), *properties], inside_meta=True)


def ispe(width, height):
    return full_box(b"ispe", 0, 0, struct.pack(">II", width, height))


def irot(quarters):
    """Returns an irot box with quarter turns to the left."""
    return box(b"irot", bytes([quarters]))


def imir(axis):
    return box(b"imir", bytes([axis]))


def clap(width, height):
    """Returns a crop of this size from the center (ISO 14496-12, 12.1.4)."""
    return box(b"clap", struct.pack(">8I", width, 1, height, 1, 0, 1, 0, 1))


def aux_type(urn):
    return full_box(b"auxC", 0, 0, urn.encode() + b"\0")


def color_profile(icc):
    return box(b"colr", b"prof", icc)


def code_points(primaries, transfer, matrix, full_range=True):
    return box(b"colr", b"nclx", struct.pack(">HHHB", primaries, transfer, matrix, full_range << 7))


def exif_item(tiff):
    return Item(b"Exif", struct.pack(">I", 6) + b"Exif\0\0" + tiff, hidden=True)


def xmp_item(packet):
    return Item(b"mime", packet, hidden=True, infe_tail=b"application/rdf+xml\0")


def heif(items, references=(), brand=b"heic", brands=(b"mif1", b"heic"), primary=1, in_meta=b"", after=b""):
    """Returns a file of these items (numbered from 1). References are (type, from, [to, …]).

    `in_meta` has further boxes of the meta box, and `after` the bytes after the last box."""
    ftyp = box(b"ftyp", brand, b"\0\0\0\0", *brands)
    inside = b"".join(item.data for item in items if item.inside_meta)
    outside = b"".join(item.data for item in items if not item.inside_meta)

    def meta(outside_at):
        entries, offsets = b"", {True: 0, False: outside_at}
        for number, item in enumerate(items, 1):
            offset, length = item.extent or (offsets[item.inside_meta], len(item.data))
            entries += struct.pack(">HHHHII", number, item.inside_meta, 0, 1, offset, length)
            offsets[item.inside_meta] += len(item.data)
        parts = [
            full_box(b"hdlr", 0, 0, b"\0\0\0\0pict", bytes(13)),
            full_box(b"pitm", 0, 0, struct.pack(">H", primary)),
            full_box(b"iloc", 1, 0, struct.pack(">BBH", 0x44, 0, len(items)), entries),
            item_infos(items), item_properties(items),
        ]  # fmt: skip
        if references:
            parts.append(item_references(references))
        if inside:
            parts.append(box(b"idat", inside))
        return full_box(b"meta", 0, 0, *parts, in_meta)

    outside_at = len(ftyp) + len(meta(0)) + 8
    return ftyp + meta(outside_at) + box(b"mdat", outside) + after


def item_infos(items):
    infos = [
        full_box(b"infe", 2, item.hidden, struct.pack(">HH", number, 0), item.kind, b"\0", item.infe_tail)
        for number, item in enumerate(items, 1)
    ]
    return full_box(b"iinf", 0, 0, struct.pack(">H", len(infos)), *infos)


def item_properties(items):
    """Stores equal properties once, as every phone does."""
    shared = list(dict.fromkeys(whole for item in items for whole in item.properties))
    wide = len(shared) > 127
    rows = b""
    count = 0
    for number, item in enumerate(items, 1):
        if not item.properties:
            continue
        count += 1
        rows += struct.pack(">HB", number, len(item.properties))
        for whole in item.properties:
            index, essential = shared.index(whole) + 1, whole[4:8] in ESSENTIAL
            rows += struct.pack(">H", essential << 15 | index) if wide else bytes([essential << 7 | index])
    ipma = full_box(b"ipma", 0, int(wide), struct.pack(">I", count), rows)
    return box(b"iprp", box(b"ipco", *shared), ipma)


def item_references(references):
    rows = [
        box(kind, struct.pack(">HH", source, len(targets)), struct.pack(f">{len(targets)}H", *targets))
        for kind, source, targets in references
    ]
    return full_box(b"iref", 0, 0, *rows)
