"""PNG, GIF and WebP files with a missing or damaged end: some lack no pixel, some are animations that keep their
complete frames, and some lack rows."""

import struct
import zlib

import gifs_webps as webps
import metadata as meta
from gifs_webps import bouncing
from pixels import (
    BLACK, PNG_SIGNATURE, Picture, apng, chunk, gif, gif_frame, gif_head, gradient, ihdr, image_data, png, quadrants,
)  # fmt: skip

REPAIRED = {"repairs": ["png-iend"]}
ANEW = {"reasons": ["coding"]}


def png_of(*parts, color=2, depth=8, before=b""):
    return PNG_SIGNATURE + ihdr(64, 48, depth, color) + before + b"".join(parts)


def add_pngs(add, reject):
    whole, data = png(quadrants()), image_data(quadrants())
    end = chunk(b"IEND")
    add("no-iend.png", whole[:-12], "a PNG without IEND", **REPAIRED)
    add("iend-cut.png", whole[:-3], "a PNG cut within IEND", **REPAIRED)
    add("iend-crc.png", whole[:-1] + b"\0", "a wrong checksum of IEND", **REPAIRED)
    add("iend-zeros.png", whole[:-12] + bytes(512), "a sector of zeros instead of IEND", marker=False, **REPAIRED)
    add("idat-cut.png", whole[:-14], "a PNG cut within the checksum of IDAT", **REPAIRED)
    cut = whole[:-18]
    add("adler-cut.png", cut, "cut within the checksum of zlib", repairs=["png-iend", "png-zlib-checksum"], **ANEW)
    bare = png_of(chunk(b"IDAT", data[:-4]), end)
    add("no-adler.png", bare, "a zlib stream without its checksum", repairs=["png-zlib-checksum"], **ANEW)
    exif = chunk(b"eXIf", meta.exif(orientation=6))
    split = png_of(chunk(b"IDAT", data[:60]), chunk(b"tEXt", b"a\0b"), chunk(b"IDAT", data[60:]), end)
    add("idat-apart.png", split, "a text between two parts of the data", repairs=["png-idat-order"])
    three = apng(bouncing(3))
    last = three.rindex(b"fdAT") - 4
    for name, file, about in (
        ("animated-cut.png", three[: last + 60], "an APNG cut within its last frame"),
        ("animated-crc.png", three[:-14] + b"\0\0" + three[-12:], "a wrong checksum of the last frame"),
    ):
        lost = {"losses": ["frames"], "quadrants": False}
        add(name, file, about, frames=2, repairs=["png-iend"] if "cut" in name else [], **lost)
    p3 = zlib.compress(meta.rgb_profile("Display P3", meta.DISPLAY_P3))
    colors = sorted({pixel for row in quadrants().rows for pixel in row})
    palette = chunk(b"PLTE", b"".join(bytes(color) for color in colors)) + chunk(b"iCCP", b"p3\0\0" + p3)
    indexes = quadrants().map(lambda pixel: (colors.index(pixel),))
    add(
        "palette-late-p3.png", png(indexes, color=3, before=palette), "a profile behind the palette",
        colorProfile="Display P3", reasons=["color"], losses=["gamut"],
    )  # fmt: skip
    for rows in (0, 24, 47):
        short = png_of(chunk(b"IDAT", zlib.compress(bytes(193 * rows))), end)
        reject(f"rows-{rows}.png", short, f"{rows} of 48 rows", "reject-corrupt", format="png")
    half = png(gradient(64, 48))
    reject("rows-cut-turned.png", png_of(exif, chunk(b"IDAT", half[41:200]), end), "a turned PNG without its lower rows", "reject-corrupt", format="png")  # fmt: skip
    short = zlib.compress(bytes(385 * 24))
    reject("rows-16-bit.png", png_of(chunk(b"IDAT", short), end, depth=16), "24 of 48 rows of 16 bits", "reject-corrupt", format="png")  # fmt: skip


def add_gifs(add, reject):
    still, film = gif([quadrants()]), gif(bouncing(4), delay=7, plays=0)
    moving = {"quadrants": False}
    add("no-trailer.gif", still[:-1], "a GIF without trailer", repairs=["gif-trailer"])
    add("no-terminator.gif", still[:-2], "a GIF without block terminator", repairs=["gif-image-end", "gif-trailer"])
    add("animated-no-trailer.gif", film[:-1], "an animation without trailer", frames=4, repairs=["gif-trailer"], **moving)
    garbage = film[:-1] + b"\x99garbage\x3b"
    add("animated-garbage.gif", garbage, "garbage before the trailer", frames=4, repairs=["gif-trailer"], **moving)
    add(
        "animated-cut.gif", film[:-20], "an animation cut within its last frame", frames=3, losses=["frames"],
        repairs=["gif-trailer"], **moving,
    )  # fmt: skip
    empty = gif_frame(Picture([[BLACK]]), delay=7)
    at = empty.index(b"\x2c")
    empty = empty[: at + 5] + bytes(4) + empty[at + 9 :]
    add("frame-empty.gif", still[:-1] + empty + b"\x3b", "a frame of no size behind the picture")
    reject("half.gif", still[: len(still) // 2], "half of a GIF", "reject-corrupt", format="gif")


def add_webps(add, reject):
    whole = webps.extended(webps.lossy(quadrants()), 64, 48, exif=meta.exif(taken=True))
    add("exif-cut.webp", whole[:-30], "a WebP cut within its EXIF", repairs=["webp-size"])
    simple = webps.lossy(quadrants())
    grown = simple[:4] + struct.pack("<I", len(simple) + 992) + simple[8:]
    add("riff-size.webp", grown, "RIFF says more bytes than there are", repairs=["webp-size"])
    film = webps.animated([webps.lossless(gradient(step=50 * index)) for index in range(4)], 64, 48, 80, 0)
    add(
        "animated-cut.webp", film[:-60], "an animation cut within its last frame", frames=3, losses=["frames"],
        repairs=["webp-size"], quadrants=False,
    )  # fmt: skip
    picture = webps.lossy(gradient(256, 256))
    reject("half.webp", picture[: len(picture) // 2], "half of a WebP", "reject-corrupt", format="webp")


def add_long(add):
    """Adds animations of many small frames, which stay, and one with too many pixels in all, which becomes a still
    picture."""
    dot = Picture([[BLACK]])
    small = {"width": 1, "height": 1, "quadrants": False}
    add("frames-1200.gif", gif([dot] * 1200, delay=1, plays=0), "1200 frames of a pixel", frames=1200, **small)
    add("frames-1001.png", apng([dot] * 1001), "1001 frames of a pixel", frames=1001, **small)
    flood = gif_head(2000, 2000) + gif_frame(dot, delay=1) * 70 + b"\x3b"
    lost = {"losses": ["animation"], "quadrants": False}
    add(
        "frame-flood.gif", flood, "70 frames of a screen of 2000 by 2000", frames=1, width=2000, height=2000,
        hasAlpha=True, **lost,
    )  # fmt: skip


def add_all(collection):
    for add in (add_pngs, add_gifs, add_webps):
        add(collection.accept, collection.reject)
    add_long(collection.accept)
