"""The list of pictures with their expected results, and the tools that make them."""

import os
import shutil
import subprocess
import sys
import tempfile

import pixels

TOOLS = {  # tool: Debian package
    "cjpeg": "libjpeg-turbo-progs",
    "convert": "imagemagick",
    "cwebp": "webp",
    "heif-enc": "libheif-examples",
}


def need_tools():
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    if missing:
        packages = " ".join(sorted({TOOLS[tool] for tool in missing}))
        sys.exit(f"make-test-images: missing {', '.join(missing)}; sudo apt-get install {packages}")


def run(tool, arguments, data, suffix_in, suffix_out):
    """Passes bytes through a tool. `{in}` and `{out}` in the arguments become file names."""
    with tempfile.TemporaryDirectory() as folder:
        names = {"{in}": f"{folder}/in{suffix_in}", "{out}": f"{folder}/out{suffix_out}"}
        with open(names["{in}"], "wb") as file:
            file.write(data)
        command = [tool] + [names.get(argument, argument) for argument in arguments]
        result = subprocess.run(command, capture_output=True)
        if result.returncode != 0:
            sys.exit(f"make-test-images: {' '.join(command)}: {result.stderr.decode()}")
        with open(names["{out}"], "rb") as file:
            return file.read()


def cjpeg(picture, *options):
    arguments = ["-quality", "92", *options, "-outfile", "{out}", "{in}"]
    return run("cjpeg", arguments, pixels.ppm(picture), ".ppm", ".jpg")


def cwebp(png, *options):
    return run("cwebp", ["-quiet", *options, "{in}", "-o", "{out}"], png, ".png", ".webp")


def cmyk_jpeg(picture):
    arguments = ["{in}", "-strip", "-colorspace", "CMYK", "-quality", "92", "{out}"]
    return run("convert", arguments, pixels.ppm(picture), ".ppm", ".jpg")


FORMATS = {"jpg": "jpeg", "jpeg": "jpeg", "png": "png", "gif": "gif", "webp": "webp", "heic": "heic"}
CODES = {
    "reject-unsupported": "unsupported-format",
    "reject-corrupt": "corrupt",
    "reject-limit": "too-large",
    "reject-empty": "empty",
}


class Collection:
    def __init__(self, folder):
        self.folder = folder
        self.images = []

    def write(self, file, data):
        with open(os.path.join(self.folder, file), "wb") as out:
            out.write(data)

    def accept(self, file, data, about, **facts):
        """Adds a photo that attaches. Facts that aren't given are the usual ones: 64 by 48 (HEIC 80 by 64),
        upright, sRGB, 8 bit."""
        kind = facts.pop("format", None) or FORMATS[file.rsplit(".", 1)[1]]
        reasons = list(facts.pop("reasons", []))
        if kind == "heic":
            reasons.append("format")
        usual = (80, 64) if kind == "heic" else (64, 48)
        width, height = facts.pop("width", usual[0]), facts.pop("height", usual[1])
        orientation = facts.get("orientation", 1)
        stored = (height, width) if orientation >= 5 else (width, height)
        has_alpha = facts.get("hasAlpha", False)
        blob = kind if kind != "heic" else ("webp" if has_alpha else "jpeg")
        row = {
            "file": file, "about": about, "expect": "accept", "format": kind,
            "width": width, "height": height, "storedWidth": stored[0], "storedHeight": stored[1],
            "orientation": orientation, "frames": 1, "hasAlpha": has_alpha, "bitDepth": 8,
            "colorProfile": None, "hasLocation": False, "capturedAt": None,
            "method": "re-encoded" if reasons else "carried-over", "reasons": sorted(reasons),
            "losses": [], "repairs": [], "blobFormat": blob, "code": None, "quadrants": True,
            "marker": False, "extensionMatches": True,
        }  # fmt: skip
        unknown = set(facts) - set(row)
        assert not unknown, unknown
        row.update(facts)
        self.write(file, data)
        self.images.append(row)

    def reject(self, file, data, about, expect, code=None, format=None):
        self.write(file, data)
        row = {"file": file, "about": about, "expect": expect, "format": format}
        row["code"] = code or CODES[expect]
        self.images.append(row)
