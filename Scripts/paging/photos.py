"""Photos to send: the project's test images, and what has to be larger than they are."""

import os
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
IMAGES = os.path.join(ROOT, "TestImages")
_made = {}


def image(name):
    return os.path.join(IMAGES, name)


def folder():
    """Where files are made; goes with the machine's temporary files."""
    if "folder" not in _made:
        _made["folder"] = tempfile.mkdtemp(prefix="petspot-photos-")
    return _made["folder"]


def named(name, of="large.jpg"):
    """A test image under another name."""
    path = os.path.join(folder(), name)
    with open(image(of), "rb") as source, open(path, "wb") as copy:
        copy.write(source.read())
    return path


def large(mebibytes, name="large-photo.jpg"):
    """A good JPEG of about this size: comments (marker COM, ITU T.81 B.2.4.5) stand before its picture."""
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
    """A HEIC of 12 megapixels as detailed as photos are: its surfaces have their spectrum."""
    path = os.path.join(folder(), f"twelve-{upright}.heic")
    if not os.path.exists(path):
        wide, high = (3024, 4032) if upright else (4032, 3024)
        one, other = os.path.join(folder(), "one.v"), os.path.join(folder(), "other.v")
        for surface in (one, other):
            subprocess.run(["vips", "fractsurf", surface, str(wide), str(high), "2.3"], check=True)
        bands = []
        for mixed in ([one], [one, one, other], [one, other]):
            bands.append(os.path.join(folder(), f"band-{len(bands)}.v"))
            subprocess.run(["vips", "sum", " ".join(mixed), bands[-1] + ".sum.v"], check=True)
            subprocess.run(["vips", "scale", bands[-1] + ".sum.v", bands[-1]], check=True)
        whole = os.path.join(folder(), "whole.png")
        subprocess.run(["vips", "bandjoin", " ".join(bands), whole + "[compression=1]"], check=True)
        subprocess.run(["heif-enc", "-q", "80", whole, "-o", path], check=True, capture_output=True)
    return path
