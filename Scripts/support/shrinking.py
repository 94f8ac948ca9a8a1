"""Compares the sizes that petspot renders, before they are encoded, with Pillow's Lanczos filter of the same
pixels."""

import os
import shutil
import subprocess

import compare
import numpy
from PIL import Image
from petspot import ROOT

# The sources that rendering needs. Of the formats, it needs only the names.
SOURCES = [
    *(f"PhotoIngestion/Pixels/{name}" for name in (
        "SizeScaler", "RowResampler", "ResamplingTaps", "SmallPicture",
        "UprightCanvas")),
    "PhotoIngestion/Facts/PhotoSize", "ImageContainers/Facts/ImageFormat",
    "ImageContainers/Verification/BlockAverages", "ImageContainers/Verification/ReducedPicture",
]  # fmt: skip
MOST_MEAN = 2.0  # the largest mean difference of a sample, out of 255


class Painter:
    """A process that renders sizes."""

    def __init__(self, folder):
        os.makedirs(sources := os.path.join(folder, "painter"))
        for name in SOURCES:
            with open(os.path.join(ROOT, "Sources", f"{name}.swift")) as file:
                lines = [line for line in file if not line.rstrip().endswith("import ImageContainers")]
            with open(os.path.join(sources, os.path.basename(name) + ".swift"), "w") as file:
                file.writelines(lines)
        shutil.copy(os.path.join(os.path.dirname(__file__), "Shrinking.swift"), os.path.join(sources, "main.swift"))
        vectors = os.path.join(ROOT, "Sources", "CPixels")
        with open(os.path.join(sources, "module.modulemap"), "w") as file:
            file.write(f'module CPixels {{ header "{vectors}/include/CPixels.h" export * }}')
        pixels = os.path.join(folder, "CPixels.o")
        subprocess.run(["clang", "-O2", "-c", f"{vectors}/CPixels.c", "-I", f"{vectors}/include", "-o", pixels], check=True)
        program = os.path.join(folder, "paint")
        options = ["-O", "-wmo", "-swift-version", "5", "-suppress-warnings", "-package-name", "petspot", "-I", sources]
        files = [os.path.join(sources, name) for name in sorted(os.listdir(sources)) if name.endswith(".swift")]
        subprocess.run(["swiftc", *options, *files, pixels, "-o", program], check=True)
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def sizes(self, picture):
        """Yields a picture for each size of a Pillow picture's ladder."""
        pipe = self.process.stdin
        pipe.write(f"{picture.width} {picture.height} {len(picture.getbands())}\n".encode() + picture.tobytes())
        pipe.flush()
        answers = self.process.stdout
        for _ in range(int(answers.readline())):
            width, height = map(int, answers.readline().split())
            pixels = answers.read(width * height * len(picture.getbands()))
            yield Image.frombytes(picture.mode, (width, height), pixels)

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def first_frame(path):
    """Returns the first frame as decoders return it: gray or color, 8 bits, with or without alpha."""
    with Image.open(path) as image:
        compare.to_first_shown(image)
        if "A" in image.getbands() or "transparency" in image.info:
            return image.convert("LA" if image.mode in ("L", "LA") else "RGBA")
        return image.convert("L" if image.mode in ("L", "1") else "RGB")


def on_white(picture):
    """Returns the samples of a picture on a white background."""
    if picture.mode in ("RGBA", "LA"):
        white = Image.new("RGBA", picture.size, "white")
        white.alpha_composite(picture.convert("RGBA"))
        picture = white.convert("RGB")
    return numpy.asarray(picture, dtype=numpy.int16)


def differences(painter, blob):
    """Yields each size except the picture's own, and its mean difference from Pillow's Lanczos filter, out of 255."""
    picture = first_frame(blob)
    for size in painter.sizes(picture):
        if size.size != picture.size:
            lanczos = picture.resize(size.size, Image.Resampling.LANCZOS)
            yield size.size, float(numpy.abs(on_white(size) - on_white(lanczos)).mean())


def examine(painter, blobs):
    """Returns (lines of a table of the formats, misses)."""
    by_format, misses = {}, []
    for blob in blobs:
        try:
            found = list(differences(painter, blob))
        except (OSError, SyntaxError, ValueError) as error:
            misses.append(f"{os.path.basename(blob)}: Pillow: {error}")
            continue
        means = by_format.setdefault(os.path.splitext(blob)[1][1:], [])
        means += [(mean, blob, size) for size, mean in found]
    everything = [mean for means in by_format.values() for mean in means]
    lines = [f"{'sizes of':<12}{'compared':>10}{'mean':>8}{'99 of 100':>11}{'worst':>8}"]
    for name, means in [*sorted(by_format.items()), ("all", everything)]:
        ordered = sorted(mean for mean, _, _ in means) or [0]
        mean, late = sum(ordered) / len(ordered), ordered[-1 - len(ordered) // 100]
        lines.append(f"{name:<12}{len(means):>10}{mean:>8.2f}{late:>11.2f}{ordered[-1]:>8.2f}")
        if mean >= MOST_MEAN:
            misses.append(f"{name}: sizes differ by {mean:.2f} of 255 on average from Lanczos, allowed {MOST_MEAN}")
    for mean, blob, size in sorted(everything, reverse=True)[:5]:
        lines.append(f"  {mean:.2f} at {size[0]}x{size[1]}: {os.path.basename(blob)[:12]}")
    return lines, misses
