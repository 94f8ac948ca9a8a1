"""Codes and decodes pictures by Pillow and libheif, in a process of their own for each.

  by_pillow.py make FORMAT [NAME=VALUE …]   a PPM from standard input, coded
  by_pillow.py show                         the pixels of a picture from standard input; on standard error why a
                                            strict decoder refuses it"""

import io
import sys

import pillow_heif
from PIL import Image, ImageFile

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


{"make": make, "show": show}[sys.argv[1]](*sys.argv[2:])
