"""JPEG files that lack only their end, and others that lack pixels."""

import random
import struct
import tempfile

import metadata as meta
from collection import cjpeg
from jpegs import exif_segment, icc_segments, segment, with_second_picture, with_segments
from jpegs_hiding import above, joined, segments, with_height
from metadata import MARKER
from pixels import Picture, quadrants

EOI = b"\xff\xd9"


def grain(width=160, height=120, seed=0):
    """Returns a picture with random-walk colors, as in a photo. No two blocks are encoded alike."""
    dice = random.Random(seed)
    rows = []
    for y in range(height):
        row, color = [], (x0(y, seed), 128, 255 - x0(y, seed))
        for _ in range(width):
            color = tuple(max(0, min(255, sample + dice.randint(-12, 12))) for sample in color)
            row.append(color)
        rows.append(row)
    return Picture(rows)


def x0(y, seed):
    return (2 * y + 40 * seed) % 256


def samsung_trailer():
    """Returns what Samsung's cameras write after a picture: a block, and the directory that ends with SEFT."""
    name = b"Image_UTC_Data"
    block = struct.pack("<HHI", 0, 0x0A01, len(name)) + name + b"1764000000000" + MARKER
    entry = struct.pack("<HHII", 0, 0x0A01, len(block), len(block))
    directory = b"SEFH" + struct.pack("<II", 107, 1) + entry
    return block + directory + struct.pack("<I", len(directory)) + b"SEFT"


def scan_ends(jpeg):
    """Returns the ends of the data of all scans."""
    ends, at = [], 2
    for marker, data in segments(jpeg):
        at += len(data)
        if marker == 0xDA:
            ends.append(at)
    return ends


def middle(jpeg):
    """Returns a place in the middle of the data that isn't between 0xFF and the byte that belongs to it."""
    at = (jpeg.index(b"\xff\xda") + len(jpeg)) // 2
    while jpeg[at - 1] == 0xFF:
        at += 1
    return at


def cut_in_half(jpeg):
    return jpeg[: middle(jpeg)] + EOI


def without(jpeg, count, instead=b""):
    """Returns the JPEG with bytes in the middle removed or replaced."""
    at = middle(jpeg)
    return jpeg[:at] + instead + jpeg[at + count :]


def cjpeg_in_scans(picture, script):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(script)
        file.flush()
        return cjpeg(picture, "-scans", file.name)


def add_whole(collection):
    def add(file, data, about, **facts):
        collection.accept(file, data, about, **facts)

    plain = cjpeg(quadrants())
    end = {"repairs": ["jpeg-eoi"]}
    add("no-eoi.jpg", plain[:-2], "EOI is missing, and nothing else", **end)
    add("half-eoi.jpg", plain[:-1], "half of EOI is missing", **end)
    add("trailer-for-eoi.jpg", plain[:-2] + samsung_trailer(), "Samsung's trailer in place of EOI", marker=True, **end)
    restarted = cjpeg(quadrants(), "-restart", "1")
    add("restart-no-eoi.jpg", restarted[:-2], "restart markers, without EOI", **end)
    progressive = cjpeg(quadrants(), "-progressive")
    add("progressive-no-eoi.jpg", progressive[:-2], "all scans, without EOI", **end)
    second = with_second_picture(plain[:-2], with_segments(plain, segment(0xFE, MARKER)))
    add("second-picture-no-eoi.jpg", second, "another picture in place of EOI", marker=True, losses=["second-picture"], **end)
    turned = with_segments(cjpeg(quadrants().stored_for(6)), exif_segment(orientation=6))
    add("turned-no-eoi.jpg", turned[:-2], "without EOI, EXIF orientation 6", orientation=6, reasons=["orientation"], **end)
    fill = bytes(100) + b"\xff" * 20
    add("filled-up.jpg", plain[:-2] + fill + EOI, "zeros and fill bytes between the last code and EOI")


def with_surplus(jpeg, surplus=MARKER):
    """Returns the JPEG with bytes after the data of each scan."""
    return joined((marker, data + surplus if marker == 0xDA else data) for marker, data in segments(jpeg))


def add_surplus(collection):
    def add(file, data, about, **facts):
        collection.accept(file, data, about, repairs=["jpeg-surplus"], **facts)

    plain = cjpeg(quadrants())
    add("surplus.jpg", with_surplus(plain), "bytes between the last code and EOI", marker=True)
    restarted = cjpeg(quadrants(), "-restart", "1")
    two = restarted.replace(b"\xff\xd0", MARKER + b"\xff\xd0").replace(b"\xff\xd1", b"\xc3" * 32 + b"\xff\xd1")
    assert len(two) > len(restarted) + 40
    add("surplus-in-intervals.jpg", two, "bytes before two restart markers", marker=True)
    add("surplus-markers.jpg", with_surplus(plain, b"\xff\xd0\xff\xd1"), "two restart markers behind the last block")
    behind = with_surplus(plain, b"\xff\xd0" + MARKER)
    add("surplus-behind-marker.jpg", behind, "bytes behind a restart marker that ends nothing", marker=True)
    progressive = with_surplus(cjpeg(quadrants(), "-progressive"))
    add("surplus-progressive.jpg", progressive, "bytes behind each scan of a progressive JPEG", marker=True)
    arithmetic = with_surplus(cjpeg(quadrants(), "-arithmetic"), MARKER * 3)
    add("surplus-arithmetic.jpg", arithmetic, "bytes behind arithmetic coding", reasons=["coding"], marker=True)
    turned = with_segments(with_surplus(cjpeg(quadrants().stored_for(6))), exif_segment(orientation=6))
    add("surplus-turned.jpg", turned, "the same, EXIF orientation 6", orientation=6, reasons=["orientation"], marker=True)
    p3 = with_segments(with_surplus(plain), icc_segments(meta.rgb_profile("Display P3", meta.DISPLAY_P3)))
    facts = {"reasons": ["color"], "colorProfile": "Display P3", "losses": ["gamut"], "marker": True}
    add("surplus-p3.jpg", p3, "the same in Display P3", **facts)


def add_damaged(collection):
    def reject(file, data, about):
        collection.reject(file, data, about, "reject-corrupt", format="jpeg")

    photo = cjpeg(grain())
    reject("cut-half-no-eoi.jpg", photo[: middle(photo)], "the lower half is missing")
    reject("cut-half-eoi.jpg", cut_in_half(photo), "the lower half is missing, EOI behind it")
    turned = with_segments(photo, exif_segment(orientation=6))
    reject("cut-half-eoi-turned.jpg", cut_in_half(turned), "the same, EXIF orientation 6")
    p3 = with_segments(photo, icc_segments(meta.rgb_profile("Display P3", meta.DISPLAY_P3)))
    reject("cut-half-eoi-p3.jpg", cut_in_half(p3), "the same in Display P3")
    progressive = cjpeg(grain(), "-progressive")
    reject("cut-half-eoi-progressive.jpg", cut_in_half(progressive), "a progressive JPEG cut in half, EOI behind it")
    ends = scan_ends(progressive)
    reject("progressive-scans-lost.jpg", progressive[: ends[-2]], "the last scan and EOI are missing")
    at = progressive.index(b"\xff\xda")
    lost = progressive[:at] + progressive[ends[0] :]
    reject("progressive-averages-lost.jpg", lost, "the first scan, with all averages, is missing")
    reject("block-lost.jpg", without(photo, 512), "512 bytes of the data are lost")
    reject("block-zeroed.jpg", without(photo, 512, bytes(512)), "512 bytes of the data are zeros")
    other = cjpeg(grain(seed=1))
    reject("others-tail.jpg", photo[: middle(photo)] + other[middle(other) - 100 :], "the tail of another picture")
    restarted = cjpeg(grain(), "-restart", "1")
    reject("restart-number.jpg", restarted.replace(b"\xff\xd3", b"\xff\xd4", 1), "a restart marker that is not the next")
    cut = restarted.index(b"\xff\xd2"), restarted.index(b"\xff\xd4")
    reject("restart-lost.jpg", restarted[: cut[0]] + restarted[cut[1] :], "two rows between restart markers are lost")
    one = restarted.index(b"\xff\xd2")
    reject("restart-short.jpg", restarted[: one - 60] + restarted[one:], "60 bytes before a restart marker are lost")
    several = cjpeg_in_scans(grain(), "0;\n1;\n2;\n")
    first = scan_ends(several)[0]
    reject("scan-short.jpg", several[: first - 100] + several[first:], "the first of three scans ends early")
    plain = cjpeg(quadrants())
    text = (MARKER * 3)[:33]
    reject("data-left.jpg", with_surplus(plain, text), "33 bytes between the last code and EOI")
    behind = with_surplus(plain, b"\xff\xd0" + text)
    reject("data-left-behind-restart.jpg", behind, "as many behind a restart marker that ends nothing")
    between = with_surplus(cjpeg(quadrants(), "-progressive"), text)
    reject("data-left-between-scans.jpg", between, "as many behind each scan of a progressive JPEG")
    tall = cjpeg(above(quadrants(), quadrants()), "-progressive")
    reject("height-lowered.jpg", with_height(tall, 48), "a progressive JPEG that goes on below its edge")
    arithmetic = cjpeg(grain(), "-arithmetic")
    reject("cut-half-eoi-arithmetic.jpg", cut_in_half(arithmetic), "arithmetic coding, cut in half, EOI behind it")


def add_all(collection):
    add_whole(collection)
    add_surplus(collection)
    add_damaged(collection)
