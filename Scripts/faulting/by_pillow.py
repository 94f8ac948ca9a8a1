"""Codes and decodes pictures by Pillow and libheif, in a process of their own for each.

  by_pillow.py make FORMAT [NAME=VALUE …]   a PPM from standard input, coded
  by_pillow.py show                         the pixels of a picture from standard input; on standard error why a
                                            strict decoder refuses it
  by_pillow.py compare                      how much pictures differ on average in red, green, blue and alpha, colors
                                            multiplied with alpha; paths in pairs from standard input, as JSON"""

import io
import json
import sys

import pillow_heif
from PIL import Image, ImageChops, ImageFile, ImageStat

pillow_heif.register_heif_opener()


def make(format, *options):
    picture = Image.open(io.BytesIO(sys.stdin.buffer.read()))
    made = io.BytesIO()
    picture.save(made, format, **{name: int(value) for name, value in (option.split("=") for option in options)})
    sys.stdout.buffer.write(made.getvalue())


def show():
    data = sys.stdin.buffer.read()
    for is_tolerant in (False, True):
        ImageFile.LOAD_TRUNCATED_IMAGES = is_tolerant
        try:
            pixels = Image.open(io.BytesIO(data)).convert("RGBA").tobytes()
        except Exception as error:  # a decoder of damaged files may raise anything
            if not is_tolerant:
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
            continue
        sys.stdout.buffer.write(pixels)
        return


def multiplied(path):
    picture = Image.open(path)
    picture.load()
    if picture.mode == "I;16":
        picture = picture.point(lambda value: value / 256).convert("L")
    if picture.mode != "RGBa":
        return picture.convert("RGBA").convert("RGBa")
    # No color times its alpha is above the alpha. A reader that divides cuts such a one off.
    *colors, alpha = picture.split()
    return Image.merge("RGBa", [*(ImageChops.darker(color, alpha) for color in colors), alpha])


def compare():
    judged = {}
    for original, stored in json.load(sys.stdin):
        try:
            expected = multiplied(original)
        except Exception:  # libheif may refuse it in any way
            judged[original] = "no reference"
            continue
        seen = multiplied(stored)
        judged[original] = f"has {seen.size} instead of {expected.size} pixels"
        if seen.size == expected.size:
            bands = [ImageChops.difference(a, b) for a, b in zip(expected.split(), seen.split())]
            judged[original] = [round(ImageStat.Stat(band).mean[0], 2) for band in bands]
    json.dump(judged, sys.stdout)


{"make": make, "show": show, "compare": compare}[sys.argv[1]](*sys.argv[2:])
