"""Files of all five formats that contain a film, another picture or Content Credentials besides their picture."""

import struct

import gifs_webps as webps
from collection import cjpeg
from heics import one, upright
from heif import box, coded_item, heif
from jpegs import film, segment, with_segments
from metadata import MARKER
from pixels import gif, gradient, png, quadrants, sub_blocks
from pixels import chunk as png_chunk


def motion_box():
    """Returns what Samsung's cameras write after the boxes of a HEIC: a film between a name and a directory."""
    name = b"MotionPhoto_Data"
    block = struct.pack("<HHI", 0, 0x0A30, len(name)) + name + film()
    directory = b"SEFH" + struct.pack("<IIHHII", 107, 1, 0, 0x0A30, len(block), len(block))
    return block + directory + struct.pack("<I", len(directory)) + b"SEFT"


def manifest_box():
    """Returns a JUMBF box (ISO 19566-5) whose description declares a C2PA manifest store."""
    kind = bytes.fromhex("6332706100110010800000AA00389B71")
    return box(b"jumb", box(b"jumd", kind, b"\3c2pa\0"), box(b"json", MARKER))


def add_films(add):
    film_lost = {"losses": ["motion-video"], "marker": True}
    plain = heif([coded_item(one(upright()))])
    add("film-behind.heic", plain + motion_box(), "Samsung's trailer with a film behind the boxes", **film_lost)
    add("film-in-box.heic", plain + box(b"sefd", motion_box()), "Samsung's box with a film", **film_lost)
    still = png(quadrants())
    add("film-behind.png", still + film(), "a film behind IEND", **film_lost)
    at = still.index(b"IEND") - 4
    chunk = png_chunk(b"fiLm", film())
    add("film-in-chunk.png", still[:at] + chunk + still[at:], "a film in a chunk of its own", **film_lost)
    picture = webps.lossy(quadrants())
    add("film-behind.webp", picture + film(), "a film behind RIFF", **film_lost)
    wide = webps.extended(picture, 64, 48, unknown=film())
    add("film-in-chunk.webp", wide, "a film in a chunk of its own", **film_lost)
    add("film-behind.gif", gif([quadrants()], tail=film()), "a film behind the trailer", **film_lost)
    block = webps.application(b"PETSPOTFILM", sub_blocks(film()))
    add("film-in-extension.gif", gif([quadrants()], extra=block), "a film in an extension", **film_lost)
    carrying = with_segments(cjpeg(quadrants()), segment(0xE9, b"FILM\0" + film()))
    add("film-in-segment.jpg", carrying, "a film in an application segment", **film_lost)


def add_pictures(add):
    second = with_segments(cjpeg(quadrants()), segment(0xFE, MARKER))
    picture_lost = {"losses": ["second-picture"], "marker": True}
    plain = heif([coded_item(one(upright()))])
    add("picture-behind.heic", plain + second, "a JPEG behind the boxes", **picture_lost)
    add("picture-behind.png", png(quadrants()) + second, "a JPEG behind IEND", **picture_lost)
    inner = png(gradient(), before=png_chunk(b"tEXt", b"Comment\0" + MARKER))
    add("picture-behind.jpg", cjpeg(quadrants()) + inner, "a PNG behind EOI", **picture_lost)
    wide = webps.extended(webps.lossy(quadrants()), 64, 48, unknown=second)
    add("picture-in-chunk.webp", wide, "a JPEG in a chunk of its own", **picture_lost)


def add_credentials(add):
    lost = {"losses": ["content-credentials"], "marker": True}
    manifest = manifest_box()
    jumbf = segment(0xEB, b"JP" + struct.pack(">HI", 1, 1) + manifest)
    add("credentials.jpg", with_segments(cjpeg(quadrants()), jumbf), "Content Credentials in APP11", **lost)
    chunk = png_chunk(b"caBX", manifest)
    add("credentials.png", png(quadrants(), before=chunk), "Content Credentials in caBX", **lost)
    picture = webps.riff([webps.chunk(*webps.chunks_of(webps.lossy(quadrants()))[0]), webps.chunk(b"C2PA", manifest)])
    add("credentials.webp", picture, "Content Credentials in a C2PA chunk", **lost)
    block = webps.application(b"C2PA_GIF\1\0\0", sub_blocks(manifest))
    add("credentials.gif", gif([quadrants()], extra=block), "Content Credentials in an extension", **lost)
    kind = bytes.fromhex("D8FEC3D61B0E483C92975828877EC481")
    after = box(b"uuid", kind, bytes(4), b"manifest\0", bytes(8), manifest)
    add("credentials.heic", heif([coded_item(one(upright()))], after=after), "Content Credentials in a uuid box", **lost)


def add_all(collection):
    for add in (add_films, add_pictures, add_credentials):
        add(collection.accept)
