"""Files that must be refused: damaged files, other formats, and decompression bombs."""

import gzip
import struct
import zlib

import heics
import jpegs
from collection import cjpeg
from gifs_webps import chunk as riff_chunk, lossless, lossy, riff, uint24
from heif import Coded, Item, box, coded_item, full_box, grid_item, heif, ispe, overlay_item, with_chroma_bits
from pixels import (
    BLACK, PNG_SIGNATURE, Picture, chunk, gif, gif_frame, gif_head, gradient, ihdr, png, quadrants,
)  # fmt: skip


def add_damaged(reject):
    reject("empty.jpg", b"", "no byte at all", "reject-empty")
    jpeg = cjpeg(gradient())
    picture = png(gradient())
    heic = heif([coded_item(heics.one(heics.smooth()))])
    whole = {
        "jpg": ("jpeg", jpeg, (20, 200, len(jpeg) // 2 + 200)),
        "png": ("png", picture, (20, 40, len(picture) // 2)),
        "gif": ("gif", gif([quadrants()]), (10, 30, 60)),
        "webp": ("webp", lossy(gradient()), (16, 28, 200)),
        "heic": ("heic", heic, (36, 100, len(heic) - 60)),
    }
    for suffix, (kind, data, places) in whole.items():
        for place in places:
            assert place < len(data)
            about = f"{kind} cut to {place} of {len(data)} bytes"
            reject(f"cut-{place}.{suffix}", data[:place], about, "reject-corrupt", format=kind)
    wrong_sum = bytearray(picture)
    wrong_sum[-14] ^= 1  # the second-to-last byte of IDAT's checksum
    reject("crc.png", bytes(wrong_sum), "IDAT's checksum is wrong", "reject-corrupt", format="png")
    data = bytearray(zlib.compress(bytes(193 * 48), 9))
    data[2] |= 6  # deflate block type 3 doesn't exist
    broken = PNG_SIGNATURE + ihdr(64, 48) + chunk(b"IDAT", bytes(data)) + chunk(b"IEND")
    reject("entropy.png", broken, "invalid deflate data under a right checksum", "reject-corrupt", format="png")
    short = PNG_SIGNATURE + ihdr(64, 48) + chunk(b"IDAT", zlib.compress(bytes(193 * 20))) + chunk(b"IEND")
    reject("short-data.png", short, "image data for 20 of 48 lines", "reject-corrupt", format="png")
    no_data = PNG_SIGNATURE + ihdr(64, 48) + chunk(b"IEND")
    reject("no-data.png", no_data, "no IDAT", "reject-corrupt", format="png")
    flipped = jpeg[:-200] + b"\xff\xc0\x00\x11" + jpeg[-196:]
    reject("entropy.jpg", flipped, "a frame header in the middle of the scan", "reject-corrupt", format="jpeg")
    scanless = jpeg[: jpeg.index(b"\xff\xda")] + b"\xff\xd9"
    reject("no-scan.jpg", scanless, "no scan", "reject-corrupt", format="jpeg")
    reject("no-frame.gif", gif_head(64, 48) + b"\x3b", "no frame", "reject-corrupt", format="gif")


def add_foreign(reject):
    picture = png(gradient(8, 8))
    tiff = b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", 1) + struct.pack("<HHII", 256, 3, 1, 8) + bytes(4)
    header = b"BM" + struct.pack("<IHHI", 54 + 192, 0, 0, 54)
    bmp = header + struct.pack("<IiiHHIIiiII", 40, 8, 8, 1, 24, 0, 192, 2835, 2835, 0, 0) + bytes(192)
    name = b"a.txt"
    local = struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 0, 0, 0x5B74, zlib.crc32(b"x"), 1, 1, len(name), 0)
    central = struct.pack(
        "<IHHHHHHIIIHHHHHII", 0x02014B50, 20, 20, 0, 0, 0, 0x5B74, zlib.crc32(b"x"), 1, 1, len(name),
        0, 0, 0, 0, 0, 0,
    ) + name  # fmt: skip
    entry = local + name + b"x"
    archive = entry + central + struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 1, 1, len(central), len(entry), 0)
    svg = b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>\n'
    film = jpegs.film()
    avif = heif([Item(b"av01", bytes(40), [ispe(64, 48)])], brand=b"avif", brands=(b"avif", b"mif1", b"miaf"))
    foreign = {
        "foreign.tiff": (tiff, "TIFF"), "foreign.bmp": (bmp, "BMP"), "foreign.svg": (svg, "SVG"),
        "foreign.pdf": (b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n", "PDF"),
        "foreign.avif": (avif, "AVIF"), "foreign.mp4": (film, "MP4"), "foreign.txt": (b"not a photo\n", "text"),
        "foreign.html": (b"<!DOCTYPE html>\n<html><body>no</body></html>\n", "HTML"),
        "foreign.zip": (archive, "ZIP"), "foreign.jxl": (b"\xff\x0a" + bytes(30), "JPEG XL"),
        "svg-named.jpg": (svg, "SVG under a .jpg name"), "tiff-named.heic": (tiff, "TIFF under a .heic name"),
        "pdf-then-jpeg.jpg": (b"%PDF-1.4\n" + cjpeg(gradient(8, 8)), "PDF header before a JPEG"),
        "leading-byte.jpg": (b"\n" + cjpeg(gradient(8, 8)), "a line feed before a JPEG"),
        "leading-byte.png": (b"\0" + picture, "a zero byte before a PNG"),
        "bmp-named.jpg": (header + struct.pack("<IiiHHIIiiII", 40, 1 << 30, -(1 << 30), 1, 32, 1, 0, 0, 0, 0, 0) + bytes(192), "BMP of a billion rows under a .jpg name"),
        "jpeg-ls.jpg": (b"\xff\xd8\xff\xf7\x00\x0b\x08\x00\x30\x00\x40\x01\x01\x11\x00" + bytes(40), "JPEG-LS"),
    }  # fmt: skip
    for file, (data, about) in foreign.items():
        reject(file, data, about, "reject-unsupported")
    for loader, data in unsafe_loaders(svg).items():
        reject(f"loader-{loader}.jpg", data, f"content that picks libvips' or ImageMagick's loader of {loader}", "reject-unsupported")
    av1_inside = heif([Item(b"av01", bytes(40), [ispe(64, 48)])], brand=b"mif1", brands=(b"mif1", b"miaf"))
    reject("av01-inside.heic", av1_inside, "a HEIF file of an AV1 picture", "reject-unsupported")
    nested = heif(
        [overlay_item(80, 64, [(0, 0)]), overlay_item(80, 64, [(0, 0)]), coded_item(heics.one(heics.smooth()))],
        [(b"dimg", 1, [2]), (b"dimg", 2, [3])],
    )
    mask = Item(b"mski", b"\x55" * 65536, [ispe(64, 64), full_box(b"mskC", 0, 0, b"\x08")])
    reject("mski.heic", heif([mask]), "a mask item with more data than its picture needs", "reject-unsupported")
    raw = [ispe(64, 48), full_box(b"uncC", 0, 0, b"rgb3" + struct.pack(">I", 1 << 30) + bytes(20))]
    reject("unci.heic", heif([Item(b"unci", bytes(64 * 48 * 3), raw)]), "an uncompressed picture with a billion components", "reject-unsupported")
    deep = heif([coded_item(with_chroma_bits(heics.one(heics.smooth()), 2))])
    reject("chroma-of-10.heic", deep, "luma of 8 bits, chroma of 10", "reject-unsupported", format="heic")
    reject("overlay-in-overlay.heic", nested, "an overlay inside of another", "reject-unsupported", format="heic")


def unsafe_loaders(svg):
    """Returns contents that, under a photo's name, made web services run unexpected loaders (CVE-2026-66066)."""
    return {
        "mvg": b"push graphic-context\nviewbox 0 0 64 64\nimage over 0,0 0,0 'https://example.org/x'\npop graphic-context\n",
        "msl": b'<?xml version="1.0"?>\n<image><read filename="/etc/passwd"/><write filename="/tmp/x.png"/></image>\n',
        "svgz": gzip.compress(svg, mtime=0),
        "svg-include": svg.replace(b"/>", b'><image href="file:///etc/passwd" width="8" height="8"/></svg>'),
        "postscript": b"%!PS-Adobe-3.0\n(/etc/passwd) (r) file\nshowpage\n",
        "eps": b"\xc5\xd0\xd3\xc6" + struct.pack("<IIIIIIH", 30, 20, 0, 0, 0, 0, 0xFFFF) + b"%!PS-Adobe-3.0 EPSF\n",
        "ppm": b"P6\n8 8\n255\n" + bytes(192), "pfm": b"PF\n8 8\n-1.0\n" + bytes(768),
        "radiance": b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 8 +X 8\n" + bytes(256),
        "openexr": b"\x76\x2f\x31\x01\x02\0\0\0" + bytes(64), "fits": b"SIMPLE  =                    T".ljust(2880),
        "vips": b"\x08\xf2\xa6\xb6" + struct.pack(">15I", 8, 8, 3, 0, 0, 0, 22, 0, 0, 0, 0, 0, 0, 0, 0) + bytes(192),
        "matlab": b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" + bytes(64), "dicom": bytes(128) + b"DICM" + bytes(64),
        "photoshop": b"8BPS\0\1" + bytes(6) + struct.pack(">HIIHH", 3, 8, 8, 8, 3) + bytes(64),
        "jpeg-2000": b"\0\0\0\x0cjP  \r\n\x87\n\0\0\0\x14ftypjp2 \0\0\0\0jp2 ", "icon": b"\0\0\1\0\1\0\x08\x08" + bytes(64),
    }  # fmt: skip


def add_incomplete_heics(reject):
    """Adds files that lack pixels: tiles beyond the end of the file, or lost in the middle."""
    corrupt = {"expect": "reject-corrupt", "format": "heic"}
    tiles = [heics.one(gradient(64, 64, step=7 * number)) for number in range(8)]
    dimg = [(b"dimg", 1, list(range(2, 10)))]
    whole = lambda coded: heif([grid_item(2, 4, 128, 256), *(coded_item(tile, hidden=True) for tile in coded)], dimg)
    file = whole(tiles)
    half = len(file) - sum(len(tile.data) for tile in tiles[4:])
    reject("cut-grid.heic", file[: half + 20], "the last four of eight tiles are missing", **corrupt)
    lost = list(tiles)
    data = tiles[3].data
    lost[3] = Coded(data[: len(data) // 2] + bytes(len(data) - len(data) // 2), tiles[3].properties)
    reject("lost-tile.heic", whole(lost), "half of a tile is zeros", **corrupt)
    half = len(data) // 2
    lost[3] = Coded(struct.pack(">I", half) + data[4 : 4 + half], tiles[3].properties)
    reject("short-tile.heic", whole(lost), "a tile's data ends in its middle, sizes are right", **corrupt)
    sequence = box(b"ftyp", b"msf1", bytes(4), b"msf1hevc") + box(b"moov", bytes(100)) + box(b"mdat", bytes(100))
    reject("sequence-alone.heic", sequence, "a sequence without a still picture", "reject-unsupported", format="heic")


def add_bombs(reject):
    pixels = {"expect": "reject-limit", "code": "too-many-pixels"}
    large = {"expect": "reject-limit", "code": "too-large"}
    claim = PNG_SIGNATURE + ihdr(8, 8, 8, 0) + struct.pack(">I", 0x7FFFFFFF) + b"tEXt" + bytes(3)
    assert len(claim) == 44
    reject("chunk-claims-2-gib.png", claim, "44 bytes, a chunk that claims 2 GiB", "reject-corrupt", format="png")
    huge = PNG_SIGNATURE + ihdr(65000, 65000, 8, 0) + chunk(b"IDAT", zlib.compress(bytes(1000))) + chunk(b"IEND")
    reject("canvas-65000.png", huge, "header of 65000 by 65000", format="png", **pixels)
    line = bytes(2501) * 100
    deflate = zlib.compressobj(9)
    body = b"".join(deflate.compress(line) for _ in range(200)) + deflate.flush()
    bomb = PNG_SIGNATURE + ihdr(20000, 20000, 1, 0) + chunk(b"IDAT", body) + chunk(b"IEND")
    reject("zlib-bomb-20000.png", bomb, "20000 by 20000 in little data", format="png", **pixels)
    progressive = cjpeg(gradient(8, 8), "-progressive")
    at = progressive.rindex(b"\xff\xda")
    scans = progressive[:at] + progressive[at:-2] * 900 + b"\xff\xd9"
    reject("scans-900.jpg", scans, "900 scans", format="jpeg", **large)
    frame = cjpeg(gradient(8, 8))
    at = frame.index(b"\xff\xc0") + 5
    side = frame[:at] + struct.pack(">HH", 65535, 65535) + frame[at + 4 :]
    reject("canvas-65535.jpg", side, "frame header of 65535 by 65535", format="jpeg", **pixels)
    canvas = gif_head(65535, 65535) + gif_frame(Picture([[BLACK]])) + b"\x3b"
    reject("canvas-65535.gif", canvas, "screen of 65535 by 65535", format="gif", **pixels)
    one = riff_chunk(b"VP8L", lossless(gradient(8, 8))[20:])
    extent = uint24(65535) + uint24(65534)
    wide = riff([riff_chunk(b"VP8X", bytes(4) + extent), one])
    reject("canvas-65536.webp", wide, "VP8X canvas of 65536 by 65535", format="webp", **pixels)
    reject("solid-16383.webp", solid_webp(16383, 16383), "one color, 16383 by 16383", format="webp", **pixels)
    add_heic_bombs(reject, pixels, large)


def vp8l(width, height):
    """Returns a lossless bit stream of one color: five prefix codes with one symbol each (RFC 9649, 3.7)."""
    value, filled = 0, 0
    fields = [(width - 1, 14), (height - 1, 14), (0, 1), (0, 3), (0, 1), (0, 1), (0, 1)]
    for symbol in (100, 150, 200, 255):
        fields += [(1, 1), (0, 1), (1, 1), (symbol, 8)]
    fields += [(1, 1), (0, 1), (0, 1), (0, 1)]
    for field, bits in fields:
        value |= field << filled
        filled += bits
    return b"\x2f" + value.to_bytes((filled + 7) // 8 + 1, "little")


def solid_webp(width, height):
    return riff([riff_chunk(b"VP8L", vp8l(width, height))])


def add_heic_bombs(reject, pixels, large):
    coded = heics.one(heics.smooth())
    corrupt = {"expect": "reject-corrupt", "format": "heic"}
    limit = {"format": "heic", **large}
    nested = b""
    for _ in range(40):
        nested = box(b"udta", nested)
    reject("deep-boxes.heic", heif([coded_item(coded)], after=nested), "boxes nested 40 deep", **limit)
    many = [coded_item(coded)] + [Item(b"mime", b"", hidden=True, infe_tail=b"a/b\0")] * 2100
    reject("many-items.heic", heif(many), "2101 items", **limit)
    crowd = heif([coded_item(coded)], after=box(b"free") * 12000)
    reject("many-boxes.heic", crowd, "12000 boxes", **limit)
    tile = heics.one(gradient(64, 64))
    grid = [grid_item(100, 100, 6400, 6400), coded_item(tile, hidden=True)]
    reject("tiles-10000.heic", heif(grid, [(b"dimg", 1, [2] * 10000)]), "a grid of 10000 tiles", **limit)
    wide = [Item(b"hvc1", coded.data, [whole for whole in coded.properties if whole[4:8] != b"ispe"] + [ispe(60000, 60000)])]
    reject("canvas-60000.heic", heif(wide), "a picture of 60000 by 60000", format="heic", **pixels)
    loop = [grid_item(1, 1, 64, 48), grid_item(1, 1, 64, 48)]
    cycle = heif(loop, [(b"dimg", 1, [2]), (b"dimg", 2, [1])])
    reject("reference-cycle.heic", cycle, "two grids made of each other", **corrupt)
    itself = heif([grid_item(1, 1, 64, 48)], [(b"dimg", 1, [1])])
    reject("grid-of-itself.heic", itself, "a grid made of itself", **corrupt)
    outside = heif([coded_item(coded, extent=(1 << 30, 4096))])
    reject("extent-outside.heic", outside, "picture data outside the file", **corrupt)
    gaps = heif([grid_item(2, 2, 400, 400), *[coded_item(tile)] * 4], [(b"dimg", 1, [2, 3, 4, 5])])
    reject("grid-gaps.heic", gaps, "tiles that do not cover the canvas", **corrupt)
    few = heif([grid_item(2, 2, 128, 128), *[coded_item(tile)] * 2], [(b"dimg", 1, [2, 3])])
    reject("grid-too-few.heic", few, "two tiles for a grid of four", **corrupt)
    add_overlays(reject, pixels, corrupt, coded)
    lost = heif([coded_item(coded)], primary=7)
    reject("no-primary.heic", lost, "the primary item does not exist", **corrupt)


def add_overlays(reject, pixels, corrupt, coded):
    layer = coded_item(coded, hidden=True)
    itself = heif([overlay_item(80, 64, [(0, 0)])], [(b"dimg", 1, [1])])
    reject("overlay-of-itself.heic", itself, "an overlay made of itself", **corrupt)
    none = heif([overlay_item(80, 64, []), layer])
    reject("overlay-of-nothing.heic", none, "an overlay without pictures", **corrupt)
    twice = heif([overlay_item(80, 64, [(0, 0)] * 2), layer], [(b"dimg", 1, [2, 2])])
    reject("overlay-twice.heic", twice, "an overlay that names a picture twice", **corrupt)
    missing = heif([overlay_item(80, 64, [(0, 0)] * 2), layer], [(b"dimg", 1, [2, 9])])
    reject("overlay-missing.heic", missing, "an overlay of a picture that is not there", **corrupt)
    few = heif([overlay_item(80, 64, [(0, 0)]), layer, layer], [(b"dimg", 1, [2, 3])])
    reject("overlay-few-places.heic", few, "an overlay with one place for two pictures", **corrupt)
    other = overlay_item(80, 64, [(0, 0)])
    other.properties = [ispe(64, 48)]
    sizes = heif([other, layer], [(b"dimg", 1, [2])])
    reject("overlay-sizes.heic", sizes, "an overlay of two sizes", **corrupt)
    huge = heif([overlay_item(16000, 16000, [(0, 0)]), layer], [(b"dimg", 1, [2])])
    reject("overlay-16000.heic", huge, "an overlay of 16000 by 16000", format="heic", **pixels)
    large = heif([overlay_item(16000, 13750, [(0, 0)]), layer], [(b"dimg", 1, [2])])
    reject("overlay-pixels.heic", large, "an overlay that passes the limit with its picture", format="heic", **pixels)


def add_all(collection):
    for add in (add_damaged, add_incomplete_heics, add_foreign, add_bombs):
        add(collection.reject)
