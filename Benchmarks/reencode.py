"""Encodes photos again with pyvips in one process: `reencode.py OUT QUALITY FILE…`."""

import os
import sys

import peers
import pyvips

out, quality, files = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
os.makedirs(out)
pyvips.cache_set_max(0)
for number, path in enumerate(files):
    with open(path, "rb") as file:
        data = file.read()
    kind = peers.format_of(path)
    options = {"n": -1} if kind in ("gif", "webp") else {}
    image = pyvips.Image.new_from_buffer(data, "", access="sequential", **options)
    settings = {"jpeg": {"Q": quality}, "webp": {"Q": quality, "lossless": peers.is_lossless_webp(data)}}.get(kind, {})
    image.write_to_file(os.path.join(out, f"{number}.{peers.SUFFIXES[kind]}"), strip=True, **settings)
