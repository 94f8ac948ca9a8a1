"""The quality of sizes for their bytes: petspot's sizes beside those of libvips, by SSIMULACRA2 against a reference,
which Pillow makes from the whole picture with a Lanczos filter. `scoring.py FOLDER` scores the sizes in a folder. It
runs in the peers' environment."""

import json
import multiprocessing
import os
import subprocess
import sys

SIDES = (320, 640, 960, 1280, 1920)
SUFFIXES = ("jpg", "webp")
# libvips from a whole picture, and decoding JPEG and WebP at a reduced scale, as vipsthumbnail does.
MAKERS = ("whole", "reduced")


def measured(arguments):
    """Returns the bytes and scores of each size of each photo. A server of petspot makes its sizes."""
    import environment
    import running
    import sizing
    from comparing import files_in, folder_of, fresh, run

    files = files_in(arguments.folder or folder_of("jpeg,png,webp", arguments.scored))[: arguments.scored]
    folder = fresh("scores")
    os.makedirs(folder)
    with running.petspot(arguments, "--no-client-limits") as service:
        photos = sizing.Photos(service, files)
        for number, path in enumerate(files):
            os.symlink(os.path.abspath(path), os.path.join(folder, f"{number}{os.path.splitext(path)[1].lower()}"))
            for size in photos.paths(number):
                form = size.rpartition("-")[2]
                url = f"http://127.0.0.1:{service.port}{size}"
                subprocess.run(["curl", "-sS", "--fail", "-o", os.path.join(folder, f"{number}-{form}"), url], check=True)
    fresh("petspot")
    _, told = run("scoring", [environment.PYTHON, os.path.abspath(__file__), folder, str(arguments.processes)])
    kind = "folder" if arguments.folder else "scenes"
    return {"rows": told["rows"], "set": kind, "files": len(files), "versions": environment.versions()[:3] + ["ssimulacra2 0.3.0"]}


def told(section):
    """Returns the lines of a section, and the rows where petspot is worse."""
    import results

    rows, lost = [], []
    source = "a private folder" if section["set"] == "folder" else "generated scenes"
    for suffix in SUFFIXES:
        for side in SIDES:
            cells = [row for row in section["rows"] if (row["side"], row["suffix"]) == (side, suffix)]
            if not cells:
                continue

            def mean(kind, figure):
                return sum(cell[kind][figure] for cell in cells) / len(cells)

            kinds = ("petspot", *MAKERS, "default")
            score, kibibytes = ({kind: mean(kind, figure) for kind in kinds} for figure in ("score", "bytes"))
            shown = [f"{kibibytes[kind] / 1024:.1f} · {score[kind]:.1f}" for kind in kinds]
            worst = min(cell["petspot"]["score"] - cell["whole"]["score"] for cell in cells)
            rows.append((f"{side} {suffix}", len(cells), *shown, f"{score['petspot'] - score['whole']:+.1f}", f"{worst:+.1f}"))
            better = [kind for kind in MAKERS if f"{score[kind]:.1f}" != f"{score['petspot']:.1f}" and score[kind] > score["petspot"]]
            lost += [(f"Sizes, {source}: {side} {suffix}, libvips {kind}", "KiB · score", shown[0], shown[kinds.index(kind)]) for kind in better]
    lines = [
        f"## Quality of sizes for their bytes, {source}", "", section["stamp"], "", f"`{section['command']}`", "",
        "KiB and SSIMULACRA2 (100 is identical, 90 is visually lossless, 70 is high, 50 is medium quality), means of "
        f"{section['files']} photos.", "",
        "* The reference is the whole original, upright and in sRGB, made smaller by Pillow's Lanczos filter.",
        "* At equal bytes, libvips gets the quality whose file is closest to petspot's in bytes, and optimized Huffman tables in JPEG. "
        "Whole: `thumbnail_image` of the same pixels. Reduced: `thumbnail` of the file, which decodes at a reduced scale.",
        "* By default: `thumbnail_image`, then `jpegsave` or `webpsave` without a quality, which is 75.",
        "* " + ", ".join(section["versions"]), "",
        results.table(
            ("size", "photos", "petspot", "libvips whole", "libvips reduced", "libvips by default", "over whole", "worst photo"), rows),
    ]  # fmt: skip
    return lines, lost


# MARK: in the peers' environment


def reference(path):
    """Returns the whole picture, upright and in sRGB; None if a part of it is transparent."""
    import io

    import peers
    from PIL import Image, ImageCms, ImageOps

    with Image.open(path) as image:
        profile = image.info.get("icc_profile")
        image.seek(0)
        picture = ImageOps.exif_transpose(image)
        if "A" in picture.getbands() and picture.getchannel("A").getextrema()[0] < 255 or "transparency" in picture.info:
            return None
        picture = picture if picture.mode in ("RGB", "CMYK", "L") else picture.convert("RGB")
        if profile:
            source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
            return ImageCms.profileToProfile(picture, source, peers.srgb(), outputMode="RGB")
        return picture.convert("RGB")


def encoded(picture, suffix, quality=None):
    options = {} if quality is None else {"Q": quality}
    if suffix == "webp":
        return picture.webpsave_buffer(keep="none", **options)
    return picture.jpegsave_buffer(keep="none", optimize_coding=quality is not None, **options)


def matched(picture, suffix, count):
    """Returns the file whose size is closest to `count` bytes."""
    low, high = 1, 100
    tried = {}

    def at(quality):
        if quality not in tried:
            tried[quality] = encoded(picture, suffix, quality)
        return tried[quality]

    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if len(at(middle)) < count else (low, middle)
    at(low), at(max(low - 1, 1))
    return min(tried.values(), key=lambda data: abs(len(data) - count))


def scores(job):
    """Returns the rows of a photo in a size."""
    import numpy
    import pyvips
    from PIL import Image
    from ssimulacra2 import compute_ssimulacra2

    folder, photo, side = job
    number = os.path.splitext(photo)[0]
    original = os.path.join(folder, photo)
    whole, rows = reference(original), []
    if whole is None:
        return rows
    for suffix in SUFFIXES:
        own = os.path.join(folder, f"{number}-{side}.{suffix}")
        if not os.path.exists(own):
            continue
        width, height = Image.open(own).size
        exact = f"{own}-reference.png"
        whole.resize((width, height), Image.Resampling.LANCZOS).save(exact, compress_level=1)
        options = {"height": height, "size": "force"}
        pixels = pyvips.Image.new_from_array(numpy.asarray(whole)).copy(interpretation="srgb")
        made = {"whole": pixels.thumbnail_image(width, **options)}
        is_readable = not photo.endswith((".heic", ".heif"))
        made["reduced"] = pyvips.Image.thumbnail(original, width, output_profile="srgb", **options) if is_readable else made["whole"]
        made = {name: picture.copy_memory() for name, picture in made.items()}
        count = os.path.getsize(own)
        files = {name: matched(picture, suffix, count) for name, picture in made.items()}
        files["default"] = encoded(made["whole"], suffix)
        with open(own, "rb") as file:
            files["petspot"] = file.read()
        row = {"photo": int(number), "side": side, "suffix": suffix}
        for name, data in files.items():
            trial = f"{own}-{name}.{suffix}"
            with open(trial, "wb") as file:
                file.write(data)
            row[name] = {"bytes": len(data), "score": round(float(compute_ssimulacra2(exact, trial)), 2)}
        rows.append(row)
    return rows


def start():
    os.environ["VIPS_CONCURRENCY"] = "1"
    import peers

    peers.start_pyvips()


def main():
    folder, processes = sys.argv[1], int(sys.argv[2])
    photos = [name for name in os.listdir(folder) if "-" not in name]
    jobs = [(folder, photo, side) for side in reversed(SIDES) for photo in photos]
    with multiprocessing.get_context("spawn").Pool(processes, start) as pool:
        rows = [row for found in pool.imap_unordered(scores, jobs) for row in found]
    print(json.dumps({"rows": sorted(rows, key=lambda row: (row["photo"], row["suffix"], row["side"]))}))


if __name__ == "__main__":
    main()
