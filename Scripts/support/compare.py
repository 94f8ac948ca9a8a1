"""Compares the pixels of an original and its blob. Pillow decodes both and shares no code with petspot."""

import io
import itertools
import os
import sys
import warnings

import numpy
import pillow_heif
from PIL import Image, ImageChops, ImageCms, ImageOps, ImageStat, JpegImagePlugin

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "testimages"))
import metadata  # noqa: E402

pillow_heif.register_heif_opener()
warnings.simplefilter("ignore")  # odd metadata of originals doesn't matter here
Image.MAX_IMAGE_PIXELS = None
LUMA = numpy.array([0.299, 0.587, 0.114], dtype=numpy.float32)  # JFIF 1.02, page 3
SRGB = ImageCms.createProfile("sRGB")


def to_first_shown(image):
    """Seeks to the first frame that browsers show. It skips an APNG's default picture that isn't part of the
    animation."""
    image.seek(1 if getattr(image, "default_image", False) else 0)


def upright_srgb(path):
    """Returns Pillow's own rendering of the original. Returns None if Pillow can't judge it: alpha, gray, CMYK, and
    PNG colors given by gAMA or cHRM, which Pillow does not apply."""
    with Image.open(path) as image:
        to_first_shown(image)
        image.load()
        profile = image.info.get("icc_profile")
        code_points = image.info.get("nclx_profile") or {}
        transparent = "A" in image.getbands() or "transparency" in image.info
        if image.mode not in ("RGB", "P") or transparent or ("gamma" in image.info and not profile):
            return None
        if image.format == "HEIF":  # pillow-heif already returns it upright
            upright = image.convert("RGB")
        else:
            upright = ImageOps.exif_transpose(image).convert("RGB")
    if not profile and code_points.get("color_primaries") == 12:
        profile = metadata.rgb_profile("Display P3", metadata.DISPLAY_P3)
    if profile:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        if source.profile.xcolor_space.strip() != "RGB":
            return None
        upright = ImageCms.profileToProfile(upright, source, SRGB, renderingIntent=1, outputMode="RGB")
    return upright


def as_shown_subsampled(pixels):
    """Returns the pixels with chroma at half resolution, interpolated as JPEG decoders do it (JFIF 1.02, page 4).
    libheif repeats the samples instead."""
    height, width = pixels.shape[:2]
    even = numpy.pad(pixels, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    luma = even @ LUMA
    chroma = even - luma[..., None]  # R - Y, G - Y, B - Y
    halves = (chroma[0::2, 0::2] + chroma[0::2, 1::2] + chroma[1::2, 0::2] + chroma[1::2, 1::2]) / 4
    for axis in (0, 1):
        wide = numpy.pad(halves, [(int(axis == other),) * 2 for other in range(3)], mode="edge")
        before, here, after = (wide.take(range(at, at + halves.shape[axis]), axis) for at in range(3))
        pairs = numpy.stack([(3 * here + before) / 4, (3 * here + after) / 4], axis + 1)
        halves = pairs.reshape(*halves.shape[:axis], -1, *halves.shape[axis + 1:])
    return numpy.clip(luma[..., None] + halves, 0, 255)[:height, :width]


def mean_difference(original, blob_path, by_channel=False):
    """Returns the mean difference over all samples, or over those of the channel that differs most, from 0 to 255.
    Returns None if the sizes differ."""
    with Image.open(blob_path) as image:
        to_first_shown(image)
        blob = image.convert("RGB")
        is_subsampled = image.format == "JPEG" and JpegImagePlugin.get_sampling(image) == 2
    if blob.size != original.size:
        return None
    if not by_channel:
        means = ImageStat.Stat(ImageChops.difference(original, blob)).mean
        return sum(means) / len(means)
    exact = numpy.asarray(original, dtype=numpy.float32)
    if is_subsampled:
        exact = as_shown_subsampled(exact)
    return float(numpy.abs(exact - numpy.asarray(blob)).mean(axis=(0, 1)).max())


def as_shown(image):
    """Returns the picture without color where it is fully transparent, because a blob may omit that color (decision
    38)."""
    shown = image.convert("RGBA")
    return Image.composite(shown, Image.new("RGBA", shown.size), shown.getchannel("A").point(lambda alpha: 255 * (alpha > 0)))


def frames(path, still):
    """Yields the frames that browsers show, which excludes an APNG's default picture that isn't a frame."""
    with Image.open(path) as image:
        screen = image.size  # Pillow enlarges a GIF's canvas for a frame outside of it; browsers don't show that area
        if still:
            image.seek(0)
            yield image.convert("RGBA"), None
            return
        first = int(getattr(image, "default_image", False))
        for frame in range(first, getattr(image, "n_frames", 1)):
            image.seek(frame)
            # Pillow draws the frames over that default picture, browsers over an empty canvas.
            drawn = image.info["bbox"] if first else (0, 0, *screen)
            yield as_shown(image).crop(drawn), image.info.get("duration")


def first_changed_frame(path, blob_path, still, lost_frames=False):
    """Returns the index of the first frame whose pixels or delay differ, or None if all are equal. Returns `count`
    if the number of frames differs, and `unread` if Pillow can't read the original. With `lost_frames`, the
    original's frames beyond the blob's last one are ignored."""
    other = list(frames(blob_path, still))
    try:
        one = list(itertools.islice(frames(path, still), len(other) if lost_frames else None))
    except (OSError, SyntaxError, ValueError):
        return "unread"
    if len(one) != len(other):
        return "count"
    if len(one) == 1:  # the delay of a single frame has no effect
        one, other = [(one[0][0], None)], [(other[0][0], None)]
    for index, ((a, delay), (b, blob_delay)) in enumerate(zip(one, other)):
        if a.size != b.size or delay != blob_delay or ImageChops.difference(a, b).getbbox(alpha_only=False):
            return index
    return None


def size(path):
    with Image.open(path) as image:
        return image.size


def opens(path):
    """Returns whether Pillow can read the original."""
    try:
        with Image.open(path) as image:
            image.load()
        return True
    except Exception:  # noqa: BLE001 - a decoder may raise anything
        return False
