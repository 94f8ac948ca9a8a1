"""Makes the folders of photos for the bench: like a phone's folder, with 3 megapixels or more, and deterministic.
Run it with the peers' Python: `photos.py FOLDER KIND COUNT`."""

import os
import random
import subprocess
import sys
import tempfile

import environment

sys.path.insert(0, os.path.join(environment.ROOT, "Scripts", "testimages"))

# One page of a folder. Sets repeat it, so that sets of any size have the same shares.
PAGE = (
    ["jpeg"] * 10 + ["jpeg-progressive"] * 2 + ["jpeg-rotated"] * 6 + ["png"] * 6 + ["webp"] * 3
    + ["webp-lossless"] + ["gif"] * 2
)  # fmt: skip
SUFFIXES = {"jpeg": "jpg", "png": "png", "webp": "webp", "gif": "gif", "heic": "heic"}
PHONE_SIZES = [(4032, 3024)] * 4 + [(3264, 2448), (4032, 3024), (2592, 1944), (2048, 1536), (4032, 2268), (5712, 4284)]
SCREENS = [(1170, 2532), (1284, 2778), (1440, 3088), (2048, 2732), (2560, 1440)]
WEBP_SIZES = [(2048, 1536), (4032, 3024), (3264, 2448)]
HEIC_GRIDS = [(8, 6, 4032, 3024)] * 5 + [(8, 6, 4096, 3072), (12, 9, 5712, 4284)]
SCENES = 5
DATE = 1_790_000_000  # 21 September 2026


def kinds(set_name, count):
    """Returns the kind of each photo of a set, well mixed but always the same."""
    pages = [kind for page in range(-(-count // len(PAGE))) for kind in shuffled(PAGE, page)]
    if set_name == "heic":
        return ["heic-10bit" if number % 5 == 3 else "heic" for number in range(count)]
    if set_name == "mixed":
        return ["heic" if number % 5 == 2 else pages[number * 4 // 5] for number in range(count)]
    if set_name == "carry":
        return pages[:count]
    wanted = set_name.split(",")
    pages = [kind for page in range(count) for kind in shuffled(PAGE, page) if kind.split("-")[0] in wanted]
    return pages[:count]


def shuffled(page, seed):
    page = list(page)
    random.Random(seed).shuffle(page)
    return page


def name(number, kind):
    return f"IMG_{number:04}-{kind}.{SUFFIXES[kind.split('-')[0]]}"


def make(folder, set_name, count):
    """Makes the missing photos. A scene is made once and cut into the photos that need it."""
    os.makedirs(folder, exist_ok=True)
    seen, jobs = {}, {}
    for number, kind in enumerate(kinds(set_name, count)):
        turn = seen[kind] = seen.get(kind, -1) + 1
        path = os.path.join(folder, name(number, kind))
        if not os.path.exists(path):
            jobs.setdefault(number % SCENES, []).append((path, kind, number, turn))
    if not jobs:
        return
    import scenes

    tiles = {}
    for seed, rows in sorted(jobs.items()):
        whole = None
        for path, kind, number, turn in rows:
            if kind.startswith("heic"):
                if kind not in tiles:
                    tiles[kind] = Tiles(10 if kind == "heic-10bit" else 8)
                data = heic(tiles[kind], number, turn)
            else:
                whole = whole or scenes.scene(seed)
                data = MAKERS[kind](whole, number, turn)
            keep(path, data)
            print(f"\r{os.path.basename(path)}    ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def keep(path, data):
    """Writes a file with an old date, because an import treats new files as unfinished."""
    with open(path + ".new", "wb") as file:
        file.write(data)
    os.utime(path + ".new", (DATE, DATE))
    os.rename(path + ".new", path)


def phone_jpeg(whole, number, turn, orientation=1, progressive=False):
    """Returns a JPEG as cameras write it: chroma at half resolution, standard tables, EXIF with a place."""
    import jpegs
    import scenes

    width, height = PHONE_SIZES[turn % len(PHONE_SIZES)]
    picture = scenes.piece(whole, width, height, number)
    data = picture.jpegsave_buffer(Q=92, strip=True, subsample_mode="on", interlace=progressive)
    facts = {"orientation": orientation, "taken": True, "gps": True}
    return jpegs.with_segments(data, jpegs.exif_segment(**facts))


def rotated_jpeg(whole, number, turn):
    return phone_jpeg(whole, number, turn, orientation=(6, 8, 6)[turn % 3])


def progressive_jpeg(whole, number, turn):
    return phone_jpeg(whole, number, turn, progressive=True)


def png(whole, number, turn):
    import scenes

    picture = scenes.screenshot(whole, *SCREENS[turn % len(SCREENS)], number)
    return picture.pngsave_buffer(compression=6, filter="all", strip=True)


def lossy_webp(whole, number, turn):
    import scenes

    return scenes.piece(whole, *WEBP_SIZES[turn % len(WEBP_SIZES)], number).webpsave_buffer(Q=85, strip=True)


def lossless_webp(whole, number, turn):
    import scenes

    picture = scenes.screenshot(whole, *SCREENS[turn % len(SCREENS)], number)
    return picture.webpsave_buffer(lossless=True, effort=3, strip=True)


def gif(whole, number, turn):
    """Returns eight frames of a moving camera, 3.8 megapixels in all."""
    import pyvips
    import scenes

    wide = scenes.piece(whole, 2400, 1800, number)
    frames = [wide.crop(i * 40, i * 20, 1600, 1200).resize(0.5) for i in range(8)]
    stack = pyvips.Image.arrayjoin(frames, across=1).copy()
    stack.set_type(pyvips.GValue.gint_type, "page-height", 600)
    stack.set_type(pyvips.GValue.array_int_type, "delay", [100] * 8)
    stack.set_type(pyvips.GValue.gint_type, "loop", 0)
    return stack.gifsave_buffer(effort=3)


class Tiles:
    """Encoded tiles of 512 by 512 pixels, made once. Photos are different patchworks of them."""

    EDGE, COUNT = 512, 108

    def __init__(self, depth):
        import scenes
        from heif import coded_pictures

        self.coded = []
        kept = os.path.join(os.path.dirname(environment.VENV), "bench-tiles")
        os.makedirs(kept, exist_ok=True)
        whole = None
        for number in range(self.COUNT):
            path = os.path.join(kept, f"{number:03}{'' if depth == 8 else f'-{depth}'}.heic")
            if not os.path.exists(path):
                whole = whole or scenes.scene(number // 54 + 7)
                place = number % 54
                tile = whole.crop(place % 9 * 600, place // 9 * 700, self.EDGE, self.EDGE)
                encode(tile, depth, path)
                whole = None if place == 53 else whole
            with open(path, "rb") as file:
                self.coded.append(coded_pictures(file.read())[0])


def encode(tile, depth, path):
    """Encodes a tile at the rate of phones: a photo of 12 megapixels has 1 to 2 MB."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "tile.png")
        if depth > 8:
            tile = (tile.cast("ushort") * 257).cast("ushort").copy(interpretation="rgb16")
        tile.pngsave(source, compression=1)
        options = ["-q", "49", "-b", str(depth), "-p", "x265:info=0", "-p", "preset=medium"]
        subprocess.run(["heif-enc", *options, source, "-o", path + ".new"], check=True, capture_output=True)
    os.rename(path + ".new", path)


def heic(tiles, number, turn):
    """Returns what an iPhone writes: a grid of tiles, Display P3, and every second photo upright (irot)."""
    import metadata
    from heif import coded_item, color_profile, exif_item, grid_item, heif, irot

    columns, rows, width, height = HEIC_GRIDS[turn % len(HEIC_GRIDS)]
    count = columns * rows
    chosen = random.Random(number).sample(range(len(tiles.coded)), count)
    profile = color_profile(metadata.rgb_profile("Display P3", metadata.DISPLAY_P3))
    turned = [irot(3)] if turn % 2 else []
    grid = grid_item(columns, rows, width, height, profile, *turned)
    parts = [coded_item(tiles.coded[index], profile, hidden=True) for index in chosen]
    exif = exif_item(metadata.exif(orientation=6 if turned else 1, taken=True, gps=True))
    references = [(b"dimg", 1, list(range(2, 2 + count))), (b"cdsc", 2 + count, [1])]
    return heif([grid, *parts, exif], references)


MAKERS = {
    "jpeg": phone_jpeg, "jpeg-rotated": rotated_jpeg, "jpeg-progressive": progressive_jpeg, "png": png,
    "webp": lossy_webp, "webp-lossless": lossless_webp, "gif": gif,
}  # fmt: skip


def small_files(folder, count):
    """Writes small JPEGs, a thousand per folder, all with different bytes and pixels."""
    import io

    import numpy
    from PIL import Image

    for number in range(count):
        place = os.path.join(folder, f"{number // 1000:03}")
        path = os.path.join(place, f"{number:06}.jpg")
        if number % 1000 == 0:
            os.makedirs(place, exist_ok=True)
        if os.path.exists(path):
            continue
        pixels = numpy.random.default_rng(number).integers(0, 256, (6, 8, 3), dtype=numpy.uint8)
        out = io.BytesIO()
        Image.fromarray(pixels).resize((64, 48), Image.Resampling.BILINEAR).save(out, "JPEG", quality=85)
        keep(path, out.getvalue())


if __name__ == "__main__":
    folder, set_name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    if set_name == "small":
        small_files(folder, count)
    else:
        make(folder, set_name, count)
