"""The same work with other libraries: `peers.py pillow|pyvips|imagemagick|limit FOLDER OUT …`.

Makes an upright sRGB file without metadata from each photo, a preview of 320 pixels, the original's SHA-256, and a
row in SQLite, with one transaction for 50 rows. The code is what one would write with the library: one read and one
decode per photo, several processes, and no threads of the library where processes use the cores. The peers do less
than petspot: they sync nothing to disk, and check nothing before or afterwards."""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import multiprocessing
import os
import sqlite3
import subprocess
import sys

PREVIEW, PREVIEW_QUALITY = 320, 80
FORMATS = {
    ".jpg": "jpeg", ".jpeg": "jpeg", ".png": "png", ".gif": "gif", ".webp": "webp", ".heic": "heic", ".heif": "heic",
}  # fmt: skip
SUFFIXES = {"jpeg": "jpg", "png": "png", "gif": "gif", "webp": "webp"}


def photos(folder):
    found = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    return sorted(path for path in found if os.path.splitext(path)[1].lower() in FORMATS)


def format_of(path):
    return FORMATS[os.path.splitext(path)[1].lower()]


def place(out, digest, suffix, kind="blobs"):
    folder = os.path.join(out, kind, digest[:2])
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, f"{digest[2:]}.{suffix}")


def blob_kind(kind):
    """Returns the format in which a photo is kept."""
    return "jpeg" if kind == "heic" else kind


def is_lossless_webp(data):
    return b"VP8L" in data[12:64]


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


# MARK: Pillow


@functools.cache
def srgb():
    from PIL import ImageCms

    return ImageCms.createProfile("sRGB")


def start_pillow():
    import pillow_heif
    from PIL import Image

    pillow_heif.register_heif_opener()
    Image.MAX_IMAGE_PIXELS = None


def with_pillow(path, out, quality):
    with open(path, "rb") as file:
        data = file.read()
    digest, kind = hashlib.sha256(data).hexdigest(), format_of(path)
    blob, preview = place(out, digest, SUFFIXES[blob_kind(kind)]), place(out, digest, "jpg", "previews")
    size = pillow_photo(data, kind, blob, [(preview, PREVIEW, PREVIEW_QUALITY)], quality)
    return os.path.basename(path), digest, *size, os.path.getsize(blob)


def pillow_photo(data, kind, blob, sizes, quality):
    """Writes the photo and its sizes. Each size is (path, longer side, quality), largest first. Returns width and
    height."""
    import io

    from PIL import Image, ImageCms, ImageOps

    target = blob_kind(kind)
    with Image.open(io.BytesIO(data)) as image:
        if getattr(image, "n_frames", 1) > 1 and kind in ("gif", "webp", "png"):
            small = image.convert("RGB")
            size = image.size
            image.save(blob, save_all=True)
        else:
            profile = image.info.get("icc_profile")
            upright = image if kind == "heic" else ImageOps.exif_transpose(image)
            if profile and upright.mode in ("RGB", "CMYK", "L"):
                source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
                upright = ImageCms.profileToProfile(upright, source, srgb(), outputMode="RGB")
            elif upright.mode == "CMYK":
                upright = upright.convert("RGB")
            options = {"icc_profile": None}
            upright.info = {key: value for key, value in upright.info.items() if key == "transparency"}
            if target == "webp":
                options["lossless"] = is_lossless_webp(data)
            if target in ("jpeg", "webp") and not options.get("lossless"):
                options["quality"] = quality
            upright.save(blob, target, **options)
            small, size = upright, upright.size
    small = small.convert("RGB")
    for path, side, quality in sizes:
        small.thumbnail((side, side), Image.Resampling.LANCZOS)
        small.save(path, "JPEG", quality=quality)
    return size


# MARK: pyvips


def start_pyvips():
    import pyvips

    pyvips.cache_set_max(0)
    start_pillow()


def with_pyvips(path, out, quality):
    with open(path, "rb") as file:
        data = file.read()
    digest, kind = hashlib.sha256(data).hexdigest(), format_of(path)
    blob, preview = place(out, digest, SUFFIXES[blob_kind(kind)]), place(out, digest, "jpg", "previews")
    size = pyvips_photo(data, kind, blob, [(preview, PREVIEW, PREVIEW_QUALITY)], quality)
    return os.path.basename(path), digest, *size, os.path.getsize(blob)


def pyvips_photo(data, kind, blob, sizes, quality):
    """Writes the photo and its sizes as `pillow_photo` does. Returns width and height."""
    import pyvips

    if kind == "heic":  # PyPI's libvips can't read HEIC
        return pillow_photo(data, kind, blob, sizes, quality)

    target = blob_kind(kind)
    options = {"n": -1} if kind in ("gif", "webp") else {}
    image = pyvips.Image.new_from_buffer(data, "", access="sequential", **options).copy_memory()
    pages = image.get_n_pages() if options else 1
    if pages == 1:
        if kind != "heic":
            image = image.autorot()
        if image.get_typeof("icc-profile-data"):
            image = image.icc_transform("srgb", embedded=True)
        image = image.copy_memory()  # read twice below
    if target == "jpeg":
        encoded = image.jpegsave_buffer(Q=quality, strip=True)
    elif target == "png":
        encoded = image.pngsave_buffer(strip=True)
    elif target == "webp":
        encoded = image.webpsave_buffer(Q=quality, lossless=is_lossless_webp(data), strip=True)
    else:
        encoded = image.gifsave_buffer(strip=True)
    write(blob, encoded)
    first = image.crop(0, 0, image.width, image.height // pages) if pages > 1 else image
    size = first.width, first.height
    for path, side, quality in sizes:
        # Each is made from the previous, larger one, which stays in memory.
        first = first.thumbnail_image(side, height=side, size="down").copy_memory()
        first.jpegsave(path, Q=quality, strip=True)
    return size


def vips_heic(source):
    """Returns the pixels and the color profile of a HEIC, decoded by pillow-heif because PyPI's libvips can't."""
    import numpy
    import pyvips
    from PIL import Image

    with Image.open(source) as opened:
        image = pyvips.Image.new_from_array(numpy.asarray(opened.convert("RGB"))).copy(interpretation="srgb")
        if opened.info.get("icc_profile"):
            image.set_type(pyvips.GValue.blob_type, "icc-profile-data", opened.info["icc_profile"])
    return image


# MARK: ImageMagick


def start_imagemagick():
    os.environ["MAGICK_THREAD_LIMIT"] = "1"


def with_imagemagick(path, out, quality):
    with open(path, "rb") as file:
        data = file.read()
    digest = hashlib.sha256(data).hexdigest()
    kind = format_of(path)
    target = blob_kind(kind)
    blob, preview = place(out, digest, SUFFIXES[target]), place(out, digest, "jpg", "previews")
    command = ["convert", path]
    if kind != "gif":
        command += ["-auto-orient"] if kind != "heic" else []
        if has_profile(data, kind):
            command += ["-profile", os.path.join(out, "srgb.icc")]
    command += ["-strip", "-quality", str(quality)] if target in ("jpeg", "webp") else ["-strip"]
    if target == "webp" and is_lossless_webp(data):
        command += ["-define", "webp:lossless=true"]
    command += ["-write", f"{target}:{blob}"]
    command += ["-delete", "1--1"] if kind == "gif" else []
    command += ["-thumbnail", f"{PREVIEW}x{PREVIEW}>", "-quality", str(PREVIEW_QUALITY), "-format", "%w %h", preview]
    subprocess.run(command, check=True, capture_output=True)
    return os.path.basename(path), digest, 0, 0, os.path.getsize(blob)


def has_profile(data, kind):
    marks = {"jpeg": b"ICC_PROFILE\0", "heic": b"colrprof", "png": b"iCCP", "webp": b"ICCP"}
    return marks[kind] in data[: 1 << 18]


# MARK: the limit


def start_limit():
    import pyvips

    pyvips.cache_set_max(0)
    start_pillow()


def with_limit(path, out, quality, side=PREVIEW):
    """Measures the CPU seconds that no program can avoid: one decode of each photo, at a reduced scale if it is an
    upright sRGB JPEG; and turning, converting and one encode if pixels must change."""
    import io
    import time

    import pyvips

    with open(path, "rb") as file:
        data = file.read()
    kind, seconds = format_of(path), {}

    def stage(name, work):
        start = time.process_time()
        result = work()
        seconds[name] = seconds.get(name, 0) + time.process_time() - start
        return result

    options = {"n": -1} if kind in ("gif", "webp") else {}

    def opening():
        if kind == "heic":
            return vips_heic(io.BytesIO(data))
        return pyvips.Image.new_from_buffer(data, "", access="sequential", fail_on="truncated", **options)

    opened = opening() if kind != "heic" else stage("decode", opening)
    orientation = opened.get("orientation") if opened.get_typeof("orientation") else 1
    turned = kind != "heic" and orientation > 1
    converted = bool(opened.get_typeof("icc-profile-data"))
    changed = turned or converted or kind == "heic"
    if kind == "jpeg" and not changed:
        longer = max(opened.width, opened.height)
        options["shrink"] = next((shrink for shrink in (8, 4, 2) if longer // shrink >= side), 1)

    image = stage("decode", lambda: opening().copy_memory()) if kind != "heic" else opened
    if converted:
        image = stage("color", lambda: image.icc_transform("srgb", embedded=True).copy_memory())
    if turned:
        image = stage("turn", lambda: image.autorot().copy_memory())
    if changed:
        encode = {"png": "pngsave_buffer", "webp": "webpsave_buffer"}.get(kind, "jpegsave_buffer")
        settings = {"Q": quality} if encode != "pngsave_buffer" else {}
        if kind == "jpeg":  # as in the original
            settings["subsample_mode"] = "on" if opened.get("jpeg-chroma-subsample") != "4:4:4" else "off"
        stage("encode", lambda: getattr(image, encode)(strip=True, **settings))
    return os.path.basename(path), json.dumps(seconds), 0, 0, 0


# MARK: the whole

CONTENDERS = {
    "pillow": (start_pillow, with_pillow),
    "pyvips": (start_pyvips, with_pyvips),
    "imagemagick": (start_imagemagick, with_imagemagick),
    "limit": (start_limit, with_limit),
}


def work(contender, out, quality, path):
    """Returns a row, or the reason why there is none."""
    try:
        return CONTENDERS[contender][1](path, out, quality)
    except Exception as error:  # noqa: BLE001 - a decoder may raise anything
        return f"{os.path.basename(path)}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("contender", choices=CONTENDERS)
    parser.add_argument("folder")
    parser.add_argument("out")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--quality", type=int, default=95)
    arguments = parser.parse_args()
    contender, out = arguments.contender, arguments.out
    # Processes use the cores, so a single photo gets no threads.
    os.environ["VIPS_CONCURRENCY"] = "1"
    os.makedirs(out)
    if contender == "imagemagick":
        write_srgb_profile(os.path.join(out, "srgb.icc"))
    start = CONTENDERS[contender][0]
    if contender == "imagemagick":  # each photo runs in its own process
        start()
        pool = concurrent.futures.ThreadPoolExecutor(arguments.processes)
    else:
        context = multiprocessing.get_context("spawn")
        pool = concurrent.futures.ProcessPoolExecutor(arguments.processes, context, initializer=start)
    rows = sqlite3.connect(os.path.join(out, "catalog.sqlite"))
    rows.execute("CREATE TABLE photo (name TEXT, sha256 TEXT, width INTEGER, height INTEGER, bytes INTEGER)")
    done = failed = 0
    stages = {}
    each = functools.partial(work, contender, out, arguments.quality)
    with pool:
        jobs = [pool.submit(each, path) for path in photos(arguments.folder)]
        for job in concurrent.futures.as_completed(jobs):
            row = job.result()
            if isinstance(row, str):
                print(row, file=sys.stderr)
                failed += 1
                continue
            if contender == "limit":
                for name, seconds in json.loads(row[1]).items():
                    stages[name] = stages.get(name, 0) + seconds
            rows.execute("INSERT INTO photo VALUES (?, ?, ?, ?, ?)", row)
            done += 1
            if done % 50 == 0:
                rows.commit()
    rows.commit()
    print(json.dumps({"photos": done, "failed": failed, "stages": stages}))


def write_srgb_profile(path):
    import environment

    sys.path.insert(0, os.path.join(environment.ROOT, "Scripts", "testimages"))
    import metadata

    write(path, metadata.rgb_profile("sRGB", metadata.SRGB))


if __name__ == "__main__":
    main()
