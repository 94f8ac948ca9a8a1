"""Large textured pictures with the statistics of photos: 1/f detail, hard edges, sensor noise, and the colors of a
small picture of TestImages stretched over them. The same seed gives the same pixels."""

import os

import environment
import peers
import pyvips

WIDTH, HEIGHT = 6048, 4536  # larger than a 24-megapixel photo, so that crops can differ
SOURCES = ["gradient-16-bit.png", "animated.webp", "baseline-444.jpg", "gps-exif.png", "irot-90.heic"]


def noise(width, height, seed, sigma=1.0):
    return pyvips.Image.gaussnoise(width, height, mean=0, sigma=sigma, seed=seed)


def octaves(width, height, seed, first, last):
    """Returns noise of every scale from `first` to `last` pixels, with amplitudes proportional to the scale."""
    total, scale = None, first
    while scale <= last:
        small = noise(width // scale + 2, height // scale + 2, seed * 31 + scale)
        layer = small.resize(scale, kernel="cubic" if scale < 64 else "linear") if scale > 1 else small
        layer = layer.crop(0, 0, width, height) * scale**0.85
        total = layer if total is None else total + layer
        scale *= 2
    return total / last**0.85


def colors(seed):
    """Returns a blurred picture of TestImages, as large as the scene."""
    path = os.path.join(environment.ROOT, "TestImages", SOURCES[seed % len(SOURCES)])
    if path.endswith(".heic"):
        peers.start_pillow()
        small = peers.vips_heic(path)
    else:
        small = pyvips.Image.new_from_file(path, access="random").colourspace("srgb")
    small = small.extract_band(0, n=3).cast("uchar")
    tiny = small.thumbnail_image(12, height=9, size="force")
    large = tiny.resize(WIDTH / 12, vscale=HEIGHT / 9, kernel="cubic")
    return large.embed(0, 0, WIDTH, HEIGHT, extend="copy") * 0.45 + 70


def scene(seed):
    """Returns one 27-megapixel scene, 8-bit sRGB. It is made once and then read from its file."""
    folder = os.path.join(os.path.dirname(environment.VENV), "bench-scenes")
    path = os.path.join(folder, f"{seed}.v")
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        painted(seed).write_to_file(path + ".new.v")
        os.rename(path + ".new.v", path)
    return pyvips.Image.new_from_file(path)


def relief(seed, first, last):
    """Returns octaves of coarse scales, painted at an eighth of the size."""
    small = octaves(WIDTH // 8, HEIGHT // 8, seed, first // 8, last // 8)
    return small.resize(8, kernel="cubic")


def painted(seed):
    coarse = relief(seed, 64, 1024)
    # Objects: hard edges where the coarse relief crosses a height.
    edges = ((coarse > 0.25).ifthenelse(38, 0) + (coarse < -0.35).ifthenelse(-30, 0)).cast("float")
    fine = octaves(WIDTH, HEIGHT, seed + 1000, 2, 32)
    # Detail isn't everywhere: half of a photo is sky, wall or out of focus.
    focus = relief(seed + 2000, 256, 1024) * 1.2 + 0.55
    focus = (focus > 1).ifthenelse(1, (focus < 0.08).ifthenelse(0.08, focus))
    luma = coarse * 34 + edges + fine * 24 * focus + noise(WIDTH, HEIGHT, seed + 3000, 3.6)
    tint = noise(WIDTH // 4, HEIGHT // 4, seed + 4000, 2.0).resize(4, kernel="linear")
    red_blue = coarse * 12
    picture = (colors(seed) + luma.bandjoin([luma, luma])) + (red_blue + tint).bandjoin([tint * 0, tint - red_blue])
    return picture.cast("uchar").copy(interpretation="srgb")


def piece(whole, width, height, number):
    """Returns a crop of the scene that differs for each number."""
    across, down = whole.width - width, whole.height - height
    return whole.crop(number * 197 % (across + 1), number * 131 % (down + 1), width, height)


WORDS = "dog brown collar red white paws last seen near the park Monday evening call reward shy friendly tail".split()


def screenshot(whole, width, height, number):
    """Returns a picture like a phone's screen: flat areas, lines of text, and a photo in a panel."""
    page = pyvips.Image.black(width, height, bands=3) + [248, 248, 250]
    page = page.cast("uchar").copy(interpretation="srgb")
    bar = (pyvips.Image.black(width, height // 18, bands=3) + [30, 90 + number % 90, 200]).cast("uchar")
    page = page.insert(bar, 0, 0)
    panel = piece(whole, width * 7 // 8, height // 4, number).gaussblur(1.2).cast("uchar")
    page = page.insert(panel, width // 16, height // 12)
    text = "\n".join(
        " ".join(WORDS[(number * 7 + line * 5 + word * 3) % len(WORDS)] for word in range(5 + (line + number) % 4))
        for line in range(26)
    )
    letters = pyvips.Image.text(text, font="DejaVu Sans", width=width * 7 // 8, height=height * 11 // 20)
    ink = page.new_from_image([20, 20, 24])
    mask = letters.embed(width // 16, height * 7 // 18, width, height)
    return mask.ifthenelse(ink, page, blend=True).cast("uchar").copy(interpretation="srgb")
