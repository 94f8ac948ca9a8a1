"""Photos to send: the project's test images, and larger ones that are made from them."""

import math
import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IMAGES = os.path.join(ROOT, "TestImages")
_made = {}


def image(name):
    return os.path.join(IMAGES, name)


def folder():
    """Returns the folder for generated files. The machine's cleanup of temporary files removes it."""
    if "folder" not in _made:
        _made["folder"] = tempfile.mkdtemp(prefix="petspot-photos-")
    return _made["folder"]


def named(name, of="large.jpg"):
    """Copies a test image to another name."""
    path = os.path.join(folder(), name)
    with open(image(of), "rb") as source, open(path, "wb") as copy:
        copy.write(source.read())
    return path


def large(mebibytes, name="large-photo.jpg"):
    """Returns a valid JPEG of about this size. Comments (marker COM, ITU T.81 B.2.4.5) before the picture fill it
    up."""
    path = os.path.join(folder(), f"{mebibytes}-{name}")
    if not os.path.exists(path):
        with open(image("large.jpg"), "rb") as file:
            picture = file.read()
        comment = b"\xff\xfe\xff\xff" + bytes(range(1, 254)) * 259 + bytes(6)
        with open(path, "wb") as file:
            file.write(picture[:2] + comment * int(mebibytes * 16) + picture[2:])
    return path


def size(path):
    return os.path.getsize(path)


def twelve_megapixels(upright):
    """Returns a JPEG of 12 megapixels that compresses like a camera's: a detailed object in front of a soft
    background, slowly changing colors, and noise. Real photos have at most 21 KB as a WebP of 640 pixels, and 60 to
    190 KB at 1920."""
    path = os.path.join(folder(), f"twelve-{upright}.jpg")
    if os.path.exists(path):
        return path
    wide, high = (3024, 4032) if upright else (4032, 3024)

    def vips(operation, *arguments):
        subprocess.run(["vips", operation, *map(str, arguments)], cwd=folder(), check=True)

    with open(os.path.join(folder(), "near.pgm"), "wb") as file:
        near = (int(640 - 510 * math.hypot((x - 28) / 24, (y - 27) / 20)) for y in range(48) for x in range(64))
        file.write(b"P5 64 48 255\n" + bytes(max(0, min(255, value)) for value in near))
    vips("resize", "near.pgm", "near.v", wide / 64, "--vscale", high / 48)
    vips("fractsurf", "surface.v", wide, high, 2.85)
    vips("scale", "surface.v", "sharp.v")
    vips("gaussblur", "sharp.v", "soft.v", 6)
    vips("ifthenelse", "near.v", "sharp.v", "soft.v", "blended.v", "--blend")
    vips("linear", "blended.v", "light.v", 0.7, 0)
    vips("gaussnoise", "noise.v", wide, high, "--sigma", 3, "--mean", 0)
    for band, share in (("red", 0.3), ("green", 0.2), ("blue", 0.3)):
        vips("fractsurf", "slow.v", wide // 8, high // 8, 2.1)
        vips("scale", "slow.v", "small.v")
        vips("resize", "small.v", "large.v", 8)
        vips("linear", "large.v", "color.v", share, 0)
        vips("sum", "color.v light.v noise.v", f"{band}.v")
    vips("bandjoin", "red.v green.v blue.v", "joined.v")
    vips("copy", "joined.v", "colored.v", "--interpretation", "srgb")
    vips("cast", "colored.v", "whole.v", "uchar")
    vips("jpegsave", "whole.v", path, "--Q", 92)
    return path
