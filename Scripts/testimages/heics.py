"""HEIC files as phones write them. heif-enc encodes the pictures, and this module assembles the files."""

import random
import struct

import metadata as meta
from heif import (
    Item, aux_type, box, clap, code_points, coded_item, color_profile, encode, exif_item, full_box, grid_item,
    heif, imir, irot, ispe, overlay_item, xmp_item,
)  # fmt: skip
from metadata import MARKER, TAKEN_ISO
from pixels import Picture, gradient, gray_of, hlg, in_hdr, pq, quadrants

ALPHA = "urn:mpeg:hevc:2015:auxid:1"
DEPTH = "urn:mpeg:hevc:2015:auxid:2"
GAIN_MAP = "urn:com:apple:photo:2020:aux:hdrgainmap"
MATTE = "urn:com:apple:photo:2018:aux:portraiteffectsmatte"
P3 = meta.rgb_profile("Display P3", meta.DISPLAY_P3)
WIDE = {"colorProfile": "Display P3", "reasons": ["color"], "losses": ["gamut"]}


WIDTH, HEIGHT = 80, 64


def upright():
    return quadrants(WIDTH, HEIGHT)


def smooth():
    return gradient(WIDTH, HEIGHT)


def one(picture):
    return encode(picture)[0]


def gray_picture(width=64, height=64):
    return gradient(width, height).map(lambda pixel: (gray_of(pixel),) * 3)


def rotated_left(picture, quarters):
    """Returns the stored picture that `quarters` quarter turns to the left (irot) make upright."""
    return picture.stored_for({0: 1, 1: 8, 2: 3, 3: 6}[quarters])


def without_nclx(coded):
    coded.properties = [whole for whole in coded.properties if whole[4:8] != b"colr"]
    return coded


def portrait_phone():
    """Returns the file that an upright iPhone writes: landscape tiles, a grid of them, a quarter turn, a Display P3
    profile, a thumbnail, and an EXIF orientation that must not be applied again."""
    upright = quadrants(384, 512)
    stored = rotated_left(upright, 3)
    tiles = []
    for y in range(0, stored.height, 128):
        for x in range(0, stored.width, 128):
            tiles.append(coded_item(one(stored.crop(x, y, 128, 128)), color_profile(P3), hidden=True))
    grid = grid_item(4, 3, 512, 384, color_profile(P3), irot(3))
    thumbnail = coded_item(one(Picture([row[::4] for row in stored.rows[::4]])), color_profile(P3), irot(3))
    block = meta.exif(orientation=6, taken=True, gps=True, marker=True)
    items = [grid, *tiles, thumbnail, exif_item(block)]
    references = [
        (b"dimg", 1, list(range(2, 14))), (b"thmb", 14, [1]), (b"cdsc", 15, [1]),
    ]  # fmt: skip
    return heif(items, references)


def add_geometry(add):
    add(
        "portrait-phone.heic", portrait_phone(), "a portrait from a phone: grid, irot, P3, EXIF with place",
        width=384, height=512, hasLocation=True, capturedAt=TAKEN_ISO, marker=True, **WIDE,
    )  # fmt: skip
    tile = coded_item(one(gradient(64, 64)), hidden=True)
    tall = heif([grid_item(1, 100, 64, 6400), tile], [(b"dimg", 1, [2] * 100)])
    add("tall-grid.heic", tall, "a grid of 100 rows", width=64, height=6400, quadrants=False)
    plain = one(upright())
    cropped = heif([coded_item(plain, clap(64, 48))])
    add("clap.heic", cropped, "a crop (clap) of 64 by 48", width=64, height=48)
    add("simple.heic", heif([coded_item(plain)]), "one HEVC picture")
    for quarters in (1, 2, 3):
        stored = rotated_left(upright(), quarters)
        file = heif([coded_item(one(stored), irot(quarters))])
        add(f"irot-{quarters * 90}.heic", file, f"irot: {quarters * 90} degrees to the left")
    for axis, orientation in ((0, 4), (1, 2)):
        file = heif([coded_item(one(upright().stored_for(orientation)), imir(axis))])
        add(f"imir-{axis}.heic", file, f"imir, axis {axis}")
    turned = upright().stored_for(2)  # undone last, so applied to the upright picture first
    both = heif([coded_item(one(rotated_left(turned, 1)), irot(1), imir(1))])
    add("irot-imir.heic", both, "irot, then imir")
    exif = meta.exif(orientation=6, taken=True)
    add(
        "exif-orientation-ignored.heic",
        heif([coded_item(plain), exif_item(exif)], [(b"cdsc", 2, [1])]),
        "EXIF orientation 6 without irot: HEIC's orientation is irot's alone", capturedAt=TAKEN_ISO,
    )  # fmt: skip


def add_colors(add):
    add(
        "display-p3.heic", heif([coded_item(one(upright()), color_profile(P3))]), "Display P3 profile", **WIDE
    )  # fmt: skip
    wide = without_nclx(one(upright()))
    add(
        "nclx-p3.heic", heif([coded_item(wide, code_points(12, 13, 6))]),
        "Display P3 by code points alone", **WIDE,
    )  # fmt: skip
    empty = without_nclx(one(upright()))
    add(
        "empty-profile.heic", heif([coded_item(empty, color_profile(b""))]), "a colr box with an empty profile",
        repairs=["heif-empty-colr"],
    )  # fmt: skip
    deep = Picture.make(WIDTH, HEIGHT, lambda x, y: (x * 1040 % 65536, y * 1390 % 65536, 30000))
    file = heif([coded_item(encode(deep, "-b", "10", depth=16)[0])])
    add(
        "10-bit.heic", file, "10 bit", bitDepth=10, reasons=["bit-depth"], losses=["bit-depth"], quadrants=False
    )  # fmt: skip
    for axis, orientation in ((0, 4), (1, 2)):
        stored = rotated_left(upright().stored_for(orientation), 1)
        coded = encode(in_16_bits(stored), "-b", "10", depth=16)[0]
        add(
            f"10-bit-imir-{axis}.heic", heif([coded_item(coded, irot(1), imir(axis))]),
            f"10 bit, irot, and imir with axis {axis}, which libheif 1.15 cannot do", bitDepth=10,
            reasons=["bit-depth"], losses=["bit-depth"],
        )  # fmt: skip
    faded = Picture([[(*p, min(255, 3 * x + 3)) for x, p in enumerate(row)] for row in smooth().rows])
    color, alpha = encode(faded, color=6)
    file = heif([coded_item(color), coded_item(alpha, aux_type(ALPHA))], [(b"auxl", 2, [1])])
    add("alpha.heic", file, "alpha as auxiliary picture", hasAlpha=True, quadrants=False)
    gray = heif([coded_item(one(gray_picture(WIDTH, HEIGHT)))])
    add("gray.heic", gray, "gray values", quadrants=False)
    mask = Item(b"mski", b"\x55" * 65536, [ispe(64, 64)], hidden=True)
    masked = heif([coded_item(one(upright())), mask], [(b"cdsc", 2, [1])])
    add("mski-beside.heic", masked, "a mask item of 64 KB beside the picture", losses=["second-picture"])
    for brand in (b"mif1", b"heix", b"mif2", b"miaf", b"MiHB", b"1pic", b"unif", b"isom"):
        file = heif([coded_item(one(upright()))], brand=brand, brands=(b"mif1", b"heic", b"miaf"))
        add(f"brand-{brand.decode()}.heic", file, f"major brand {brand.decode()}")
    for brand in (b"heix", b"hevc", b"hevx"):
        file = heif([coded_item(one(upright()))], brand=b"miaf", brands=(b"mif1", brand))
        add(f"brand-{brand.decode()}-beside.heic", file, f"{brand.decode()} beside another major brand")


def fading(width, height, most=255):
    """Returns a colored gradient that fades in from the left."""
    return Picture([[(*p, min(most, (3 * x + 3) * most // 255)) for x, p in enumerate(row)] for row in gradient(width, height).rows])


def add_alphas(add):
    """Adds alpha planes that differ from their picture, and colors that are multiplied with alpha."""

    def joined(color, alpha, *references):
        items = [coded_item(color), coded_item(alpha, aux_type(ALPHA))]
        return heif(items, [(b"auxl", 2, [1]), *references])

    small, alpha = encode(fading(WIDTH, HEIGHT), color=6)
    facts = {"hasAlpha": True, "quadrants": False}
    large = one(gradient(2 * WIDTH, 2 * HEIGHT))
    add("alpha-half-size.heic", joined(large, alpha), "alpha of half the size", width=160, height=128, **facts)
    wider = encode(fading(WIDTH + 6, HEIGHT + 2), color=6)[1]
    add("alpha-wider.heic", joined(small, wider), "alpha larger by less than a block", **facts)
    deep, deep_alpha = encode(in_16_bits(fading(WIDTH, HEIGHT)), "-b", "10", depth=16, color=6)
    of_10_bits = {"bitDepth": 10, "reasons": ["bit-depth"], "losses": ["bit-depth"], **facts}
    add("10-bit-alpha-of-8.heic", joined(deep, alpha), "10 bit with alpha of 8 bit", **of_10_bits)
    add("8-bit-alpha-of-10.heic", joined(small, deep_alpha), "8 bit with alpha of 10 bit", **facts)
    thin = Picture([[(*(v * a // 255 for v in p), a) for *p, a in row] for row in fading(WIDTH, HEIGHT).rows])
    color, alpha = encode(thin, "-p", "chroma=444", color=6)
    file = joined(color, alpha, (b"prem", 1, [2]))
    add("alpha-premultiplied.heic", file, "colors multiplied with their alpha", **facts)
    grain = random.Random(7)
    rows = [[tuple(min(255, v * 3 // 4 + grain.randrange(48)) for v in p) for p in row] for row in gradient(192, 160).rows]
    add("grain.heic", heif([coded_item(one(Picture(rows)))]), "grain, as film has", width=192, height=160, quadrants=False)
    file = heif([coded_item(without_nclx(one(upright())), code_points(1, 13, 0))])
    add("matrix-0-420.heic", file, "matrix 0, which halved chroma cannot have", colorProfile="sRGB")


def add_hdr(add):
    """Adds HDR pictures, and code points without a meaning."""
    facts = {"bitDepth": 10, "reasons": ["color", "bit-depth"], "losses": ["bit-depth", "gamut", "hdr"]}
    for name, curve, transfer, word in (("pq", pq, 16, "smpte2084"), ("hlg", hlg, 18, "arib-std-b67")):
        coded = without_nclx(encode(in_hdr(upright(), curve), "-b", "10", depth=16)[0])
        file = heif([coded_item(coded, code_points(9, transfer, 6))])
        said = {"colorProfile": f"BT.2020 {name.upper()}", **facts}
        add(f"hdr-{name}.heic", file, f"{name.upper()} in BT.2020 by code points", **said)
        tag = color_profile(meta.hdr_profile(lambda value: value**2.4, (9, transfer, 0, 1)))
        file = heif([coded_item(coded, tag)])
        add(f"hdr-{name}-profile.heic", file, f"{name.upper()} by the cicp tag of a profile", **said)
        options = ["-p", "x265:colorprim=bt2020", "-p", f"x265:transfer={word}"]
        coded = without_nclx(encode(in_hdr(upright(), curve), "-b", "10", *options, depth=16)[0])
        add(f"hdr-{name}-stream.heic", heif([coded_item(coded)]), f"{name.upper()} by the stream alone", **said)
    faded = Picture([[(*p, min(255, 3 * x + 3)) for x, p in enumerate(row)] for row in smooth().rows])
    color, alpha = encode(in_hdr(faded, pq), "-b", "10", depth=16, color=6)
    items = [coded_item(without_nclx(color), code_points(9, 16, 6)), coded_item(alpha, aux_type(ALPHA))]
    add(
        "hdr-alpha.heic", heif(items, [(b"auxl", 2, [1])]), "PQ with alpha", hasAlpha=True, quadrants=False,
        colorProfile="BT.2020 PQ", **facts,
    )  # fmt: skip
    strange = heif([coded_item(without_nclx(one(upright())), code_points(1, 200, 6))])
    add("unknown-transfer.heic", strange, "a curve without a meaning", colorProfile="H.273 1/200", losses=["color"])
    strange = heif([coded_item(without_nclx(one(upright())), code_points(77, 13, 6))])
    add("unknown-primaries.heic", strange, "primaries without a meaning", colorProfile="H.273 77/13", losses=["color"])


def add_identities(add):
    """Adds identity derivations, which show another item, and turn or crop it."""
    identity = lambda *properties: Item(b"iden", b"", [ispe(WIDTH, HEIGHT), *properties])
    dimg = [(b"dimg", 1, [2])]
    whole = coded_item(one(upright()), hidden=True)
    add("iden.heic", heif([identity(), whole], dimg), "an identity derivation")
    turned = coded_item(one(rotated_left(upright(), 1)), hidden=True)
    add("iden-irot.heic", heif([identity(irot(1)), turned], dimg), "an identity derivation with irot")
    both = coded_item(one(rotated_left(upright().stored_for(2), 1)), irot(1), hidden=True)
    add("iden-imir.heic", heif([identity(imir(1)), both], dimg), "a turned picture, mirrored by its identity derivation")
    add(
        "iden-clap.heic", heif([identity(clap(64, 48)), whole], dimg), "an identity derivation with a crop",
        width=64, height=48,
    )  # fmt: skip
    twice = heif([identity(irot(2)), identity(irot(3)), turned], [(b"dimg", 1, [2]), (b"dimg", 2, [3])])
    add("iden-iden.heic", twice, "an identity derivation of another: three quarters, then two")
    grid = grid_item(2, 2, 160, 128)
    grid.hidden = True
    tiles = [coded_item(one(quadrants(160, 128).crop(x, y, 80, 64)), hidden=True) for y in (0, 64) for x in (0, 80)]
    file = heif([identity(), grid, *tiles], [(b"dimg", 1, [2]), (b"dimg", 2, [3, 4, 5, 6])])
    add("iden-grid.heic", file, "an identity derivation of a grid", width=160, height=128)
    faded = Picture([[(*p, min(255, 3 * x + 3)) for x, p in enumerate(row)] for row in smooth().rows])
    color, alpha = encode(faded, color=6)
    items = [identity(), coded_item(color, hidden=True), coded_item(alpha, aux_type(ALPHA), hidden=True)]
    file = heif(items, [(b"dimg", 1, [2]), (b"auxl", 3, [1])])
    add("iden-alpha.heic", file, "an identity derivation with alpha", hasAlpha=True, quadrants=False)


def add_phones(add):
    """Adds files like those that broke other programs in 2026: 48 tiles and a hundred properties (imgproxy #1686,
    libheif #1845)."""
    upright = quadrants(384, 512)
    stored = rotated_left(upright, 3)
    tiles = []
    for y in range(0, stored.height, 64):
        for x in range(0, stored.width, 64):
            tiles.append(coded_item(one(stored.crop(x, y, 64, 64)), color_profile(P3), hidden=True))
    grid = grid_item(8, 6, 512, 384, color_profile(P3), irot(3))
    small = one(Picture([row[::4] for row in stored.rows[::4]]))
    thumbnail = coded_item(small, color_profile(P3), irot(3))
    auxiliaries = [coded_item(one(gray_picture()), aux_type(urn), hidden=True) for urn in (DEPTH, GAIN_MAP, MATTE)]
    described = exif_item(meta.exif(orientation=6, taken=True, gps=True, marker=True))
    items = [grid, *tiles, thumbnail, *auxiliaries, described]
    references = [(b"dimg", 1, list(range(2, 50))), (b"thmb", 50, [1])]
    references += [(b"auxl", number, [1]) for number in (51, 52, 53)] + [(b"cdsc", 54, [1])]
    add(
        "iphone-48-tiles.heic", heif(items, references), "as iPhones write it: 48 tiles and 54 items",
        width=384, height=512, hasLocation=True, capturedAt=TAKEN_ISO, marker=True, colorProfile="Display P3",
        reasons=["color"], losses=["depth-map", "gain-map", "auxiliary-picture", "gamut"],
    )  # fmt: skip


def add_samples(add):
    """Adds sample formats that phones don't write, but cameras, editors and encoders do."""
    for chroma in (422, 444):
        for depth in (8, 10):
            picture = upright() if depth == 8 else in_16_bits(upright())
            coded = encode(picture, "-b", str(depth), "-p", f"chroma={chroma}", depth=16 if depth > 8 else 8)[0]
            deep = {"bitDepth": depth, "reasons": ["bit-depth"], "losses": ["bit-depth"]} if depth > 8 else {}
            add(f"{depth}-bit-{chroma}.heic", heif([coded_item(coded)]), f"chroma {chroma}, {depth} bit", **deep)
    deep = in_16_bits(upright())
    coded = encode(deep, "-b", "12", depth=16)[0]
    add(
        "12-bit.heic", heif([coded_item(coded)]), "12 bit", bitDepth=12, reasons=["bit-depth"], losses=["bit-depth"],
    )  # fmt: skip
    turned = encode(rotated_left(deep, 3), "-b", "10", depth=16)[0]
    add(
        "10-bit-p3.heic", heif([coded_item(turned, color_profile(P3), irot(3))]),
        "10 bit, Display P3, a quarter turn", bitDepth=10, colorProfile="Display P3",
        reasons=["color", "bit-depth"], losses=["bit-depth", "gamut"],
    )  # fmt: skip
    for depth in (8, 10):
        for name, full in (("full", 1), ("limited", 0)):
            picture = upright() if depth == 8 else in_16_bits(upright())
            options = ["-b", str(depth), "-p", "chroma=444", "--matrix_coefficients=0"]
            if not full:  # heif-enc can't do this: red and blue become 16 to 240, green 16 to 235
                most = 255 if depth == 8 else 65535
                ranges = (224, 219, 224)
                picture = picture.map(lambda p: tuple(round(s * r / 255 + most * 16 / 255) for s, r in zip(p, ranges)))
            coded = without_nclx(encode(picture, *options, depth=16 if depth > 8 else 8)[0])
            coded.properties.append(code_points(1, 13, 0, full))
            deep = {"bitDepth": depth, "reasons": ["bit-depth"], "losses": ["bit-depth"]} if depth > 8 else {}
            add(
                f"rgb-{name}-{depth}-bit.heic", heif([coded_item(coded)]), f"red, green and blue, {name} range, {depth} bit",
                colorProfile="sRGB", **deep,
            )  # fmt: skip
    luma = encode(gradient(WIDTH, HEIGHT).map(lambda pixel: (gray_of(pixel),)), color=0)[0]
    add("luma-alone.heic", heif([coded_item(luma)]), "a picture without chroma", quadrants=False)
    stored = rotated_left(upright().stored_for(2), 1)
    around = heif([coded_item(one(stored), clap(40, 56), irot(1), imir(1))])
    add(
        "clap-turned.heic", around, "a crop of 40 by 56, then irot, then imir", width=56, height=40
    )  # fmt: skip
    faded = Picture([[(*p, min(65535, 771 * (x + 1))) for x, p in enumerate(r)] for r in in_16_bits(smooth()).rows])
    color, alpha = encode(faded, "-b", "10", depth=16, color=6)
    file = heif([coded_item(color), coded_item(alpha, aux_type(ALPHA))], [(b"auxl", 2, [1])])
    add(
        "10-bit-alpha.heic", file, "10 bit with alpha", hasAlpha=True, quadrants=False, bitDepth=10,
        reasons=["bit-depth"], losses=["bit-depth"],
    )  # fmt: skip
    tables = heif([coded_item(one(smooth()), color_profile(meta.rgb_tables()))])
    add(
        "tables.heic", tables, "a profile of tables", quadrants=False, colorProfile="Tables", reasons=["color"],
    )  # fmt: skip


def in_16_bits(picture):
    return picture.map(lambda pixel: tuple(257 * sample for sample in pixel))


RED16, CLEAR = (65535, 0, 0, 65535), (0, 0, 0, 0)


def add_overlays(add):
    """Adds overlays that show the four quadrants. A wrongly placed picture shows another color."""
    size = {"width": 160, "height": 128}
    whole = quadrants(160, 128)
    lime, blue, yellow = [whole.crop(x, y, 80, 64) for x, y in ((80, 0), (0, 64), (80, 64))]
    layers = lambda *pictures: [coded_item(one(picture), hidden=True) for picture in pictures]
    dimg = lambda count: [(b"dimg", 1, list(range(2, 2 + count)))]
    corners = overlay_item(160, 128, [(80, 0), (0, 64), (80, 64)], fill=RED16)
    add("overlay.heic", heif([corners, *layers(lime, blue, yellow)], dimg(3)), "pictures on a red canvas", **size)
    two = overlay_item(160, 128, [(0, 0), (0, 64)], wide=True)
    lower = whole.crop(0, 64, 160, 64)
    upper = Picture([row for row in whole.crop(0, 0, 160, 64).rows] + [[(0, 0, 0)] * 160] * 64)
    add("overlay-above.heic", heif([two, *layers(upper, lower)], dimg(2)), "the second picture hides half of the first", **size)
    wider = quadrants(320, 256)
    cut = overlay_item(160, 128, [(-80, -64), (500, 500)], fill=RED16)
    add("overlay-cut.heic", heif([cut, *layers(wider, lime)], dimg(2)), "a picture over all edges, and one outside", **size)
    grids, tiles = [], []
    for y in (0, 64):
        for x in (0, 80):
            tiles.append(coded_item(one(whole.crop(x, y, 80, 64)), hidden=True))
        grids.append(grid_item(2, 1, 160, 64))
        grids[-1].hidden = True
    of_grids = heif(
        [overlay_item(160, 128, [(0, 0), (0, 64)]), *grids, *tiles],
        [(b"dimg", 1, [2, 3]), (b"dimg", 2, [4, 5]), (b"dimg", 3, [6, 7])],
    )
    add("overlay-of-grids.heic", of_grids, "an overlay of two grids", **size)
    turned = whole.stored_for(2)  # undone last, so applied to the upright picture first
    stored = rotated_left(turned, 1)
    left, right = stored.crop(0, 0, 64, 160), stored.crop(64, 0, 64, 160)
    item = overlay_item(128, 160, [(0, 0), (64, 0)], irot(1), imir(1))
    add("overlay-turned.heic", heif([item, *layers(left, right)], dimg(2)), "an overlay with irot, then imir", **size)
    framed = Picture([[(9, 9, 9)] * 192] * 16 + [[(9, 9, 9)] * 16 + row + [(9, 9, 9)] * 16 for row in whole.rows] + [[(9, 9, 9)] * 192] * 16)
    cropped = overlay_item(192, 160, [(0, 0)], clap(160, 128))
    add("overlay-clap.heic", heif([cropped, *layers(framed)], dimg(1)), "an overlay that is cropped", **size)
    layer = coded_item(one(rotated_left(whole, 1)), color_profile(P3), irot(1), hidden=True)
    item = overlay_item(160, 128, [(0, 0)])
    add("overlay-p3.heic", heif([item, layer], dimg(1)), "a turned picture with a profile", **size, **WIDE)
    wide_samples = Picture([[tuple(257 * sample for sample in p) for p in row] for row in whole.rows])
    deep = coded_item(encode(wide_samples, "-b", "10", depth=16)[0], hidden=True)
    add(
        "overlay-10-bit.heic", heif([item, deep], dimg(1)), "a picture of 10 bits", bitDepth=10,
        reasons=["bit-depth"], losses=["bit-depth"], **size,
    )  # fmt: skip
    clear = overlay_item(160, 128, [(0, 0), (0, 64)], fill=CLEAR)
    halves = layers(whole.crop(0, 0, 160, 64), whole.crop(0, 64, 160, 64))
    add("overlay-clear.heic", heif([clear, *halves], dimg(2)), "a transparent canvas", hasAlpha=True, **size)
    # Opaque only over the left half, so the lower picture shows in the right half.
    veil = Picture([[(*p, 255 if x < 80 else 0) for x, p in enumerate(row)] for row in whole.rows])
    color, alpha = encode(veil, color=6)
    right_half = whole.crop(80, 0, 80, 128)
    items = [
        overlay_item(160, 128, [(80, 0), (0, 0)]), coded_item(one(right_half), hidden=True),
        coded_item(color, hidden=True), coded_item(alpha, aux_type(ALPHA), hidden=True),
    ]  # fmt: skip
    references = [(b"dimg", 1, [2, 3]), (b"auxl", 4, [3])]
    add("overlay-alpha.heic", heif(items, references), "a picture with alpha above another", **size)


def add_auxiliaries(add):
    plain, small = one(upright()), one(gray_picture())
    aux = lambda urn: coded_item(small, aux_type(urn), hidden=True)
    for name, urn, loss in (
        ("depth-map", DEPTH, "depth-map"), ("gain-map", GAIN_MAP, "gain-map"),
        ("matte", MATTE, "auxiliary-picture"),
    ):  # fmt: skip
        file = heif([coded_item(plain), aux(urn)], [(b"auxl", 2, [1])])
        add(f"{name}.heic", file, f"auxiliary picture {urn}", losses=[loss])
    second = heif([coded_item(plain), coded_item(one(smooth()))])
    add("second-picture.heic", second, "a second picture beside the primary", losses=["second-picture"])
    pair = [coded_item(plain), coded_item(one(smooth()))]
    entry = lambda kind, number, *ids: full_box(
        kind, 0, 0, struct.pack(">II", number, len(ids)), *(struct.pack(">I", i) for i in ids)
    )
    spatial = heif(pair, in_meta=box(b"grpl", entry(b"ster", 10, 1, 2)))
    add("spatial-pair.heic", spatial, "left and right eye", losses=["spatial-pair"])
    tone_map = Item(b"tmap", bytes(62), [ispe(WIDTH, HEIGHT)])
    describing = exif_item(meta.exif(orientation=1, taken=True, gps=True, marker=True))
    items = [coded_item(plain), aux(GAIN_MAP), tone_map, aux(DEPTH), describing]
    references = [
        (b"dimg", 3, [1, 2]), (b"auxl", 2, [1, 3]), (b"auxl", 4, [1, 3]), (b"cdsc", 5, [1, 3]),
    ]  # fmt: skip
    group = box(b"grpl", entry(b"altr", 20, 3, 1))
    add(
        "ios-18.heic", heif(items, references, brands=(b"mif1", b"heic", b"tmap"), in_meta=group),
        "as iOS 18 writes it: tmap, and references with several targets, which libheif 1.15 refuses",
        losses=["depth-map", "gain-map"], repairs=["heif-foreign-reference", "heif-multi-auxl", "heif-multi-cdsc"],
        hasLocation=True, capturedAt=TAKEN_ISO, marker=True,
    )  # fmt: skip


def add_metadata(add):
    plain = one(upright())
    gps = exif_item(meta.exif(orientation=1, taken=True, gps=True, marker=True))
    packet = xmp_item(meta.xmp(gps=True, marker=True))
    facts = {"hasLocation": True, "marker": True}
    add(
        "gps-exif.heic", heif([coded_item(plain), gps], [(b"cdsc", 2, [1])]), "Exif item with place",
        capturedAt=TAKEN_ISO, **facts,
    )  # fmt: skip
    ends = heif([coded_item(plain), gps], [(b"cdsc", 2, [1])])
    add("cut-exif.heic", ends[:-20], "a file that ends within its Exif item: all pixels are there", repairs=["heif-end"], marker=True)
    add("gps-xmp.heic", heif([coded_item(plain), packet], [(b"cdsc", 2, [1])]), "XMP item with place", **facts)
    uri = Item(b"uri ", MARKER, hidden=True, infe_tail=b"tag:example.org,2026:PETSPOTMARKER\0")
    note = Item(b"mime", MARKER, hidden=True, infe_tail=b"text/plain\0")
    description = full_box(b"udes", 0, 0, b"en\0" + MARKER + b"\0" * 3)
    profile = color_profile(meta.rgb_profile("sRGB PETSPOTMARKER", meta.SRGB, text="PETSPOTMARKER"))
    items = [coded_item(plain, profile, description), gps, packet, uri, note]
    references = [(b"cdsc", number, [1]) for number in (2, 3, 4, 5)]
    after = box(b"uuid", bytes(16), MARKER) + box(b"free", MARKER) + box(b"pets", MARKER)
    after += box(b"udta", full_box(b"meta", 0, 0, MARKER))
    add(
        "everything.heic", heif(items, references, after=after),
        "the marker in Exif, XMP, uri and text items, udes, ICC, uuid, free, udta and unknown boxes",
        capturedAt=TAKEN_ISO, colorProfile="sRGB PETSPOTMARKER", **facts,
    )  # fmt: skip
    add("trailing.heic", heif([coded_item(plain)], after=MARKER), "text behind the last box", marker=True)
    film = box(b"mpvd", box(b"ftyp", b"mp42", bytes(4), b"mp42"), box(b"mdat", MARKER))
    motion = xmp_item(meta.xmp(' GCamera:MotionPhoto="1"'))
    file = heif([coded_item(plain), motion], [(b"cdsc", 2, [1])], after=film)
    add("motion-photo.heic", file, "a film in a box behind the picture", losses=["motion-video"], marker=True)


def add_all(collection):
    for add in (add_geometry, add_colors, add_alphas, add_hdr, add_samples, add_identities, add_phones, add_overlays, add_auxiliaries, add_metadata):
        add(collection.accept)
    named_wrongly = heif([coded_item(one(upright()))])
    collection.accept(
        "heic-named.jpg", named_wrongly, "HEIC content under a .jpg name", format="heic", extensionMatches=False
    )  # fmt: skip
