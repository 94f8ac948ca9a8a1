"""Photos to send: the project's test images, and what has to be larger than they are."""

import os
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
