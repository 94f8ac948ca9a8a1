"""Encodes and decodes pictures with Pillow and libheif, each in its own process.

  by_pillow.py make FORMAT [NAME=VALUE …]   encodes a PPM from standard input
  by_pillow.py show                         writes the pixels of a picture from standard input, and to standard error
                                            why a strict decoder refuses it
  by_pillow.py compare                      writes, as JSON, the mean differences between blobs and libheif's rendering
                                            of their HEICs in red, green, blue and alpha, with premultiplied alpha. The
                                            paths come in pairs from standard input, as JSON"""

import array
import io
import json
import sys

import pillow_heif
from PIL import Image, ImageChops, ImageFile, ImageStat, JpegImagePlugin

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
        except Exception as error:  # decoders of damaged files may raise anything
            if not is_tolerant:
                print(f"{type(error).__name__}: {error}", file=sys.stderr)
            continue
        sys.stdout.buffer.write(pixels)
        return


def decoded(path):
    """Returns libheif's rendering with a single rounding step. If libheif is asked for 8 bits, it truncates samples
    before it converts colors."""
    heic = pillow_heif.open_heif(path, convert_hdr_to_8bit=False, hdr_to_16bit=False)
    mode, _, bits = heic.mode.partition(";")
    if not bits:
        return heic.to_pillow()
    most = (1 << int(bits)) - 1
    rounded = bytes((sample * 255 + most // 2) // most for sample in array.array("H", bytes(heic.data)))
    return Image.frombytes("L" if mode == "I" else mode, heic.size, rounded)


def coded_like(blob, picture):
    """Returns the picture as a JPEG with petspot's quality if the blob is a JPEG. The loss of JPEG, mostly from
    readers that smooth halved chroma, isn't the decoder's fault."""
    if blob.format != "JPEG":
        return picture
    made = io.BytesIO()
    picture.convert("RGB").save(made, "JPEG", quality=95, subsampling=JpegImagePlugin.get_sampling(blob))
    return Image.open(made)


def multiplied(picture):
    if picture.mode != "RGBa":
        return picture.convert("RGBA").convert("RGBa")
    # A premultiplied color can't exceed its alpha. Readers that divide by alpha clip such a color.
    *colors, alpha = picture.split()
    return Image.merge("RGBa", [*(ImageChops.darker(color, alpha) for color in colors), alpha])


def compare():
    judged = {}
    for original, stored in json.load(sys.stdin):
        try:
            shown = decoded(original)
        except Exception as error:  # libheif may raise anything
            judged[original] = f"libheif does not show it: {error}"
            continue
        blob = Image.open(stored)
        judged[original] = f"has {blob.size} instead of {shown.size} pixels"
        if blob.size == shown.size:
            expected, seen = multiplied(coded_like(blob, shown)), multiplied(blob)
            bands = [ImageChops.difference(a, b) for a, b in zip(expected.split(), seen.split())]
            judged[original] = [round(ImageStat.Stat(band).mean[0], 2) for band in bands]
    json.dump(judged, sys.stdout)


{"make": make, "show": show, "compare": compare}[sys.argv[1]](*sys.argv[2:])
