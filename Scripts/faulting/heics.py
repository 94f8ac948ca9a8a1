"""Random HEICs, as any program might write them."""

import dataclasses
import json
import math
import os
import random
import struct
import subprocess
import sys

from board import Tally
from damage import by_pillow
from files import write
from petspot import ROOT, blob_path

sys.path.append(os.path.join(ROOT, "Scripts", "testimages"))

import heif  # noqa: E402

CHROMAS = {400: (0, 0, 0), 420: (1, 1, 1), 422: (2, 1, 0), 444: (3, 0, 0)}  # code, halved across, halved down


@dataclasses.dataclass
class Samples:
    """How the samples of a picture are encoded."""

    chroma: int
    depth: int
    matrix: int = 2
    is_full: bool = True
    is_exact: bool = False  # encoded without loss
    is_repeated: bool = False  # repeats each sample of halved chroma for all pixels that it covers

    @property
    def code(self):
        return CHROMAS[444 if self.is_repeated else self.chroma][0]


class Scene:
    """Three planes with numbers from 0 to 1: disks on slow waves."""

    def __init__(self, dice, is_alpha=False):
        def wave():
            return dice.uniform(0.05, 0.2), dice.uniform(-0.08, 0.08), dice.uniform(-0.08, 0.08), dice.uniform(0, 6)

        def disk():
            return dice.random(), dice.random(), dice.uniform(0.1, 0.3), [dice.uniform(-0.2, 0.2) for _ in range(3)]

        self.waves = [[wave() for _ in range(3)] for _ in range(3)]
        self.disks = [disk(), disk()]
        self.is_alpha = is_alpha

    def planes(self, width, height, samples):
        """Returns samples of luma, and of chroma unless the format is 400, row by row."""
        _, across, down = CHROMAS[samples.chroma]
        planes = []
        for index in range(1 if samples.chroma == 400 else 3):
            right, below = (0, 0) if index == 0 else (across, down)
            low, span = 0, (1 << samples.depth) - 1
            if not samples.is_full:
                low, span = 16 << samples.depth - 8, (219 if index == 0 else 224) << samples.depth - 8
            plane = []
            for y in range(0, height, 1 if samples.is_repeated else 1 << below):
                for x in range(0, width, 1 if samples.is_repeated else 1 << right):
                    value = self.value(index, x >> right << right, y >> below << below, width, height)
                    plane.append(low + round(min(1, max(0, value)) * span))
            planes.append(plane)
        return planes

    def value(self, index, x, y, width, height):
        waves = sum(high * math.cos(a * x + b * y + phase) for high, a, b, phase in self.waves[index])
        value = 0.5 + waves
        for left, top, radius, steps in self.disks:
            inside = radius * width - math.hypot(x - left * width, y - top * height)
            value += steps[index] * min(1, max(0, 0.5 + inside))
        return value * 2.4 - 0.7 if self.is_alpha else value


def coded(scene, width, height, samples):
    """Encodes a scene with x265. Returns an item's data and its properties. Width and height are even."""
    depth, planes = samples.depth, scene.planes(width, height, samples)
    raw = b"".join(struct.pack(f"<{len(plane)}H", *plane) if depth > 8 else bytes(plane) for plane in planes)
    command = [
        "x265", "--log-level", "none", "--input", "-", "--input-res", f"{width}x{height}", "--fps", "1", "--frames", "1",
        "--input-csp", str(samples.code), "--input-depth", str(depth), "-D", str(depth), "--ctu", "16",
        "--preset", "ultrafast", "--no-info", "--pools", "1", "--range", "full" if samples.is_full else "limited",
        "--colormatrix", str(samples.matrix), *(["--lossless"] if samples.is_exact else ["--qp", "6"]), "-o", "-",
    ]  # fmt: skip
    done = subprocess.run(command, input=raw, capture_output=True)
    units = [unit.rstrip(b"\0") for unit in done.stdout.replace(b"\0\0\0\1", b"\0\0\1").split(b"\0\0\1")[1:]]
    sets = [unit for unit in units if unit[0] >> 1 in (32, 33, 34)]
    data = b"".join(struct.pack(">I", len(unit)) + unit for unit in units if unit[0] >> 1 < 32)
    assert len(sets) == 3 and data, done.stderr.decode()
    profile = next(unit for unit in sets if unit[0] >> 1 == 33).replace(b"\0\0\3", b"\0\0")[3:15]
    arrays = b"".join(bytes([0x80 | unit[0] >> 1]) + struct.pack(">HH", 1, len(unit)) + unit for unit in sets)
    kind = bytes([0xF0, 0, 0xFC, 0xFC | samples.code, 0xF8 | depth - 8, 0xF8 | depth - 8, 0, 0, 0x0F, 3])
    hvcc = b"\1" + profile + kind + arrays
    bands = bytes([depth]) * len(planes)
    pixi = heif.full_box(b"pixi", 0, 0, bytes([len(bands)]) + bands)
    return heif.Coded(data, [heif.box(b"hvcC", hvcc), heif.ispe(width, height), pixi])


def even(number):
    return number + number % 2


def crop(width, height, left, top, around_width, around_height):
    """Returns a crop at any place. It is given by its center relative to the picture's center, in halves."""
    across, down = 2 * left + width - around_width, 2 * top + height - around_height
    return heif.box(b"clap", struct.pack(">IIIIiIiI", width, 1, height, 1, across, 2, down, 2))


class Heic:
    """A random HEIC, and a description of it in words.

    A plain one looks the same, but uses only features that libheif 1.23 handles correctly. libheif mistakes halved
    chroma for green, blue and red if a file declares matrix 0. It crops such chroma between samples, a pixel away from
    the luma, and misaligns it when turning a picture with an odd side. It blurs 4:2:2 that is turned sideways. It scales
    an alpha plane that is larger only because its blocks are padded."""

    def __init__(self, seed, is_plain=False):
        self.dice = dice = random.Random(seed)
        self.items, self.references, self.is_plain = [], [], is_plain
        depth, chroma = dice.choice((8, 8, 10, 12)), dice.choice((400, 420, 420, 420, 422, 444))
        # libheif 1.23 loses matrix and range if it crops or turns a picture, or must convert it for that.
        self.is_moved = chroma == 422 or dice.random() < 0.5
        matrices = (2, 5, 6) if self.is_moved else (0, 1, 2, 5, 6, 8, 9)
        is_halved = chroma in (420, 422)
        matrix = dice.choice((0, *matrices) if is_halved else matrices)
        # libheif expands gray to the full range only if an alpha plane makes it three bands.
        is_full = self.is_moved or chroma == 400 or dice.random() < 0.6
        self.words = [f"{depth} bits, {chroma}, matrix {matrix}, {'full' if is_full else 'limited'}"]
        if is_plain and matrix == 0 and is_halved:
            matrix = 2
        is_exact = is_halved and self.is_moved
        self.samples = Samples(chroma, depth, matrix, is_full, is_exact, is_repeated=is_exact and is_plain)
        colors = [heif.code_points(1, 13, matrix, is_full)] if dice.random() < 0.7 else []
        self.words += [] if colors else ["no nclx"]
        self.turns = self.random_turns()
        sides = [self.side(dice.randrange(16, 150)) for _ in range(2)]
        self.width, self.height = self.add(Scene(dice), *sides, self.samples, colors)
        if dice.random() < 0.5:
            self.add_alpha()
        self.file = heif.heif(self.items, self.references)

    def side(self, pixels):
        return pixels if self.is_moved else even(pixels)

    def random_turns(self):
        turns = [heif.irot(self.dice.randrange(1, 4))] if self.dice.random() < 0.4 else []
        turns += [heif.imir(self.dice.randrange(2))] if self.dice.random() < 0.4 else []
        self.dice.shuffle(turns)
        turns = turns if self.is_moved else turns[:1]
        self.words += [f"{turn[4:8].decode()} {turn[8]}" for turn in turns]
        return turns

    def add(self, scene, width, height, samples, describing, hidden=False, kept=None):
        """Adds a picture as one item or as a grid of tiles. Returns its visible size before it is turned."""
        dice, number = self.dice, len(self.items) + 1
        steps = list(self.turns)
        # x265 needs even sides, and so do tiles with halved chroma. An odd size is a crop, as phones write it.
        around = (even(width), even(height)) if samples.chroma in (420, 422) or dice.random() < 0.5 else (width, height)
        left = top = 0
        if self.is_moved and min(width, height) > 40 and not hidden and dice.random() < 0.3:
            left, top = dice.randrange(10), dice.randrange(10)
            width, height = self.side(dice.randrange(20, width - left)), self.side(dice.randrange(20, height - top))
        if hidden and self.is_plain and kept:
            width, height = kept
        if (width, height) != around:
            steps.insert(0, crop(width, height, left, top, *around))
            self.words.append(f"clap {width} x {height} at {left}, {top} of {around[0]} x {around[1]}")
        if dice.random() < 0.3:
            side = dice.choice((32, 64))
            columns, rows = -(-around[0] // side), -(-around[1] // side)
            self.words.append(f"grid {columns} x {rows}")
            self.items.append(heif.grid_item(columns, rows, *around, *describing, *steps))
            for tile in range(columns * rows):
                part = Part(scene, tile % columns * side, tile // columns * side, *around)
                self.items.append(heif.coded_item(coded(part, side, side, samples), *describing[:1], hidden=True))
            self.references.append((b"dimg", number, list(range(number + 1, len(self.items) + 1))))
        else:
            self.items.append(heif.coded_item(coded(scene, *around, samples), *describing, *steps))
        self.items[number - 1].hidden = hidden
        return width, height

    def add_alpha(self):
        dice = self.dice
        kind = dice.choice(("same", "same", "half", "larger", "other"))
        width, height = {
            "same": (self.width, self.height),
            "half": (max(16, self.width // 2), max(16, self.height // 2)),
            "larger": (self.width + dice.randrange(8), self.height + dice.randrange(8)),
            "other": (dice.randrange(16, 150), dice.randrange(16, 150)),
        }[kind]
        depth, number = dice.choice((self.samples.depth, 8, 10, 12)), len(self.items) + 1
        self.words.append(f"alpha {kind} {width} x {height} of {depth} bits")
        is_filled_up = 0 <= width - self.width < 8 and 0 <= height - self.height < 8
        kept = (self.width, self.height) if is_filled_up else None
        described = [heif.aux_type("urn:mpeg:hevc:2015:auxid:1")]
        self.add(Scene(dice, is_alpha=True), width, height, Samples(400, depth), described, True, kept)
        self.references.append((b"auxl", number, [1]))
        if dice.random() < 0.2:
            self.references.append((b"prem", 1, [number]))
            self.words.append("premultiplied")


class Part:
    """The part of a scene that a tile shows."""

    def __init__(self, scene, left, top, width, height):
        self.scene, self.place, self.size, self.value = scene, (left, top), (width, height), self.shifted

    def shifted(self, index, x, y, width, height):
        return self.scene.value(index, x + self.place[0], y + self.place[1], *self.size)

    planes = Scene.planes


# The largest mean difference in a channel, out of 255. The rest is due to libheif's 8-bit matrices, which are
# rounded to 1/256: up to 0.7 in thousands of pictures, if they are stored as JPEG.
MOST = 1.0


def random_heics(work):
    """HEICs of any depth, chroma, matrix, grid, alpha, crop and turn, compared with libheif 1.23."""
    tally, heics, folder, plain = Tally("random HEICs"), {}, work.new_folder("heics"), work.new_folder("plain")
    for number in range(work.count(24, 300)):
        seed, path = f"{work.dice.random()}", os.path.join(folder, f"{number}.heic")
        heic = Heic(seed)
        write(path, heic.file)
        write(path.replace(folder, plain), Heic(seed, is_plain=True).file)
        heics[path] = ", ".join([f"Heic({seed!r})", *heic.words])
    answer = work.new_petspot().run("import", folder)
    events = {event["path"]: event for event in answer.objects if event.get("event") == "file"}
    blobs = {path: blob_path(event["photo"]) for path, event in events.items() if event["outcome"] == "imported"}
    pairs = [(path.replace(folder, plain), blob) for path, blob in blobs.items()]
    judged = json.loads(by_pillow("compare", data=json.dumps(pairs).encode()).stdout)
    alike = 0
    for path, words in heics.items():
        event = events.get(path, {"outcome": "no event"})
        fault, difference = None, judged.get(path.replace(folder, plain))
        if event["outcome"] == "imported":
            if isinstance(difference, list):
                alike += max(difference) <= MOST
                fault = f"differs by {difference} of 255" if max(difference) > MOST else None
            else:
                fault = difference
        elif event.get("code") != "unsupported-format":
            fault = f"{event['outcome']}: {event.get('code')} {event.get('what')}"
        tally.add(words, [fault])
    tally.expect_some(alike, "alike")
    tally.notes = f"{alike} alike, {len(heics) - len(pairs)} refused"
    yield tally
