"""Hides a page of text below JPEG samples that a decoder clamps. The decoded picture is white, black or striped."""

import coefficients
import planting

GLYPHS = {
    "A": "257757", "N": "577755", "K": "556655", "O": "255552", "W": "555775", "L": "444447", "S": "342163", "E": "746447",
    "0": "755557", "1": "262227", "2": "612447", "4": "557111", "5": "746117", "6": "746757", "7": "711244", "8": "757557",
    "9": "757117", ",": "000024", ".": "000002", "+": "002720",
}  # fmt: skip
WIDTH, HEIGHT = 128, 96


def page():
    """Returns rows of 1 for ink and 0 for paper, with the text that the other tests plant too."""
    rows = [[0] * WIDTH for _ in range(HEIGHT)]
    letters = (planting.TEXT.decode().upper() * 4)[:96]
    for index, letter in enumerate(letters):
        left, top = index % 16 * 8, index // 16 * 16
        for y, bits in enumerate(GLYPHS.get(letter, "000000")):
            for x in range(3):
                if int(bits) >> 2 - x & 1:
                    for pixel in range(4):
                        rows[top + 2 * y + pixel // 2][left + 2 * x + pixel % 2] = 1
    return rows


def blocks(picture):
    """Returns the picture's blocks row by row, with 64 numbers each."""
    return [
        [picture[top + y][left + x] for y in range(8) for x in range(8)]
        for top in range(0, len(picture), 8)
        for left in range(0, len(picture[0]), 8)
    ]


def hiding(secret, average, contrast, step, wave=0):
    """Returns coefficients and steps of blocks with this average, a wave across them, and the secret added to it."""
    steps = [step] * 64
    found = []
    for block in blocks(secret):
        whole = coefficients.transformed([contrast * (ink - 0.5) for ink in block])
        whole[0], whole[1] = (average - 128) * 8, whole[1] + wave
        found.append([round(value / step) for value in whole])
    return found, steps


def pictures():
    """Yields (where, file, what it hides: a page, a page in the averages of blocks, or text)."""
    secret = page()
    even = [[[0] * 64 for _ in blocks(secret)], [1] * 64]

    def made(*parts, progressive=False):
        return coefficients.file(WIDTH, HEIGHT, [p[0] for p in parts], [p[1] for p in parts], progressive)

    for name, average in (("white", 448), ("black", -192)):
        yield f"under {name}", made(hiding(secret, average, 120, 16)), "page"
        yield f"under {name}, progressive", made(hiding(secret, average, 120, 16), progressive=True), "page"
        yield f"under {name}, steps of 16 bits", made(hiding(secret, 3 * average - 256, 700, 300)), "page"
        color = (hiding(secret, average, 120, 16), even, even)
        yield f"under {name} of luma in color", made(*color), "page"
        for place, color in ((1, "blue"), (2, "red")):
            parts = [even, even, even]
            parts[place] = hiding(secret, average, 120, 16)
            yield f"under {name} of {color}", made(*parts), "page"
            yield f"under {name} of {color}, progressive", made(*parts, progressive=True), "page"
    yield "just above white", made(hiding(secret, 288, 30, 4)), "page"
    yield "just below black", made(hiding(secret, -33, 30, 4)), "page"
    yield "under white, coarse steps", made(hiding(secret, 620, 190, 64)), "page"
    yield "under the crests of waves", made(hiding(secret, 128, 160, 8, wave=4800)), "crests"
    # Each pixel of a letter becomes a block, because averages hide one value per block.
    small = [[secret[y][x] for x in range(0, WIDTH, 2)] for y in range(0, HEIGHT, 2)]
    averages = [[[round((72 + 6 * ink) * 2)] + [0] * 63 for row in small for ink in row], [8] * 64]
    yield "in averages above white", coefficients.file(len(small[0]) * 8, len(small) * 8, [averages[0]], [averages[1]]), "averages"
    # Each block uses one frequency. The quantization step of that frequency is a letter.
    text = planting.text(63)
    found = []
    for index in range(len(even[0])):
        block = [64] + [0] * 63
        block[coefficients.ZIGZAG[1 + index % 63]] = 1
        found.append(block)
    steps = [40] * 64
    for place, letter in enumerate(text, 1):
        steps[coefficients.ZIGZAG[place]] = letter
    yield "in steps of frequencies that no block shows", made((found, steps)), "text"


def leak(stored, hidden):
    """Returns what a stored picture still reveals, or None."""
    if hidden == "text":
        return None  # Other tests look for the plain text
    secret = page()
    if hidden == "averages":
        ink = [secret[y][x] for y in range(0, HEIGHT, 2) for x in range(0, WIDTH, 2)]
    else:
        ink = [value for block in blocks(secret) for value in block]
    for _, found, steps in coefficients.read(stored)[2]:
        wholes = [[value * step for value, step in zip(block, steps)] for block in found]
        if hidden == "averages":
            planes = [[whole[0] for whole in wholes]]
        else:
            samples = [coefficients.samples(whole) for whole in wholes]
            clamped = [value - max(-128, min(127, value)) for block in samples for value in block]
            planes = [clamped]
            if hidden == "page":
                planes.append([value - whole[0] / 8 for whole, block in zip(wholes, samples) for value in block])
        for plane in (plane for plane in planes if len(plane) == len(ink)):
            likeness, contrast = correlation(plane, ink)
            # A difference of less than two of 255 is the encoder's rounding.
            if abs(likeness) > 0.1 and contrast > 2:
                return f"the page can be read: correlation {likeness:.2f}, contrast {contrast:.1f}"
    return None


def correlation(some, others):
    """Returns the correlation of two lists, and the standard deviation of the first one."""
    count = len(some)
    mean, other_mean = sum(some) / count, sum(others) / count
    both = sum((a - mean) * (b - other_mean) for a, b in zip(some, others))
    spread, other_spread = sum((a - mean) ** 2 for a in some), sum((b - other_mean) ** 2 for b in others)
    return both / (spread * other_spread) ** 0.5 if spread > 1e-9 else 0, (spread / count) ** 0.5
