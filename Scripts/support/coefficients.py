"""JPEG pictures as DCT coefficients (ITU-T T.81). They are written exactly as given, whatever a decoder makes of
them, and read back from a file with one scan."""

import math
import struct

ZIGZAG = sorted(range(64), key=lambda n: (n // 8 + n % 8, n if (n // 8 + n % 8) % 2 else -n))
WAVES = [[(0.5 if u else 0.125**0.5) * math.cos((2 * x + 1) * u * math.pi / 16) for x in range(8)] for u in range(8)]

DC = ([0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0], list(range(12)))
FREQUENT = bytes.fromhex("01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282")
AC = (
    [0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125],
    list(FREQUENT) + [s for s in range(256) if (s in (0, 0xF0) or 1 <= s & 15 <= 10) and s not in FREQUENT],
)


def transformed(samples):
    """Returns the coefficients of 64 samples (forward DCT), row by row."""
    half = [[sum(samples[y * 8 + x] * WAVES[u][x] for x in range(8)) for u in range(8)] for y in range(8)]
    return [sum(half[y][u] * WAVES[v][y] for y in range(8)) for v in range(8) for u in range(8)]


def samples(coefficients):
    """Returns the samples of 64 coefficients (inverse DCT)."""
    half = [[sum(coefficients[v * 8 + u] * WAVES[u][x] for u in range(8)) for x in range(8)] for v in range(8)]
    return [sum(half[v][x] * WAVES[v][y] for v in range(8)) for y in range(8) for x in range(8)]


def segment(marker, body):
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + bytes(body)


def codes(table):
    found, code, symbols = {}, 0, iter(table[1])
    for length, count in enumerate(table[0], 1):
        for _ in range(count):
            found[next(symbols)] = (code, length)
            code += 1
        code <<= 1
    return found


class Bits:
    def __init__(self):
        self.bits = []

    def put(self, value, count):
        self.bits += [value >> place & 1 for place in range(count - 1, -1, -1)]

    def number(self, table, run, value):
        size = abs(value).bit_length()
        self.put(*table[run << 4 | size])
        self.put(value - 1 & (1 << size) - 1 if value < 0 else value, size)

    def bytes(self):
        bits = self.bits + [1] * (-len(self.bits) % 8)
        whole = bytes(int("".join(map(str, bits[at : at + 8])), 2) for at in range(0, len(bits), 8))
        return whole.replace(b"\xff", b"\xff\0")


def file(width, height, components, steps, progressive=False):
    """Returns a JPEG. Each component is a list of its blocks, row by row; a block has 64 numbers in row order.
    `steps` has one quantization table per component, in row order."""
    tables = b""
    for number, table in enumerate(steps):
        values = [table[place] for place in ZIGZAG]
        wide = max(values) > 255
        body = struct.pack(">64H", *values) if wide else bytes(values)
        tables += segment(0xDB, bytes([(0x10 if wide else 0) | number]) + body)
    count = len(components)
    extended = any(max(table) > 255 for table in steps) or count > 2
    frame = struct.pack(">BHHB", 8, height, width, count)
    frame += b"".join(bytes([number + 1, 0x11, number]) for number in range(count))
    head = b"\xff\xd8" + segment(0xE0, b"JFIF\0\1\1\0\0\1\0\1\0\0") + tables
    head += segment(0xC2 if progressive else 0xC1 if extended else 0xC0, frame)
    for kind, table in ((0, DC), (0x10, AC)):
        head += segment(0xC4, bytes([kind, *table[0], *table[1]]))
    dc, ac = codes(DC), codes(AC)

    def average(bits, number, block, last):
        bits.number(dc, 0, block[0] - last[number])
        last[number] = block[0]

    def rest(bits, block):
        run = 0
        for value in (block[place] for place in ZIGZAG[1:]):
            run += value == 0
            if value:
                while run > 15:
                    bits.put(*ac[0xF0])
                    run -= 16
                bits.number(ac, run, value)
                run = 0
        if run:
            bits.put(*ac[0])

    def scan(numbers, band, write):
        bits = Bits()
        write(bits)
        chosen = b"".join(bytes([number + 1, 0]) for number in numbers)
        return segment(0xDA, bytes([len(numbers)]) + chosen + bytes(band)) + bits.bytes()

    def interleaved(bits, with_rest):
        last = [0] * count
        for blocks in zip(*components):
            for number, block in enumerate(blocks):
                average(bits, number, block, last)
                if with_rest:
                    rest(bits, block)

    everything = range(count)
    if not progressive:
        data = scan(everything, (0, 63, 0), lambda bits: interleaved(bits, True))
    else:
        data = scan(everything, (0, 0, 0), lambda bits: interleaved(bits, False))
        for number in everything:
            data += scan([number], (1, 63, 0), lambda bits, n=number: [rest(bits, b) for b in components[n]])
    return head + data + b"\xff\xd9"


def read(jpeg):
    """Returns the size, and for each component (blocks across, blocks row by row, quantization steps row by row).
    The file has one baseline scan, with components at full or half resolution."""
    at, tables, huffman = 2, {}, {}
    while True:
        marker, size = jpeg[at + 1], struct.unpack_from(">H", jpeg, at + 2)[0]
        body = jpeg[at + 4 : at + 2 + size]
        at += 2 + size
        if marker == 0xDB:
            wide = body[0] >> 4
            values = struct.unpack(">64H", body[1:]) if wide else body[1:]
            tables[body[0] & 15] = {place: value for place, value in zip(ZIGZAG, values)}
        elif marker == 0xC4:
            table = (list(body[1:17]), list(body[17:]))
            huffman[body[0]] = {code: symbol for symbol, code in codes(table).items()}
        elif marker in (0xC0, 0xC1):
            height, width, count = struct.unpack_from(">HHB", body, 1)
            frame = [(body[6 + 3 * n], body[7 + 3 * n] >> 4, body[7 + 3 * n] & 15, body[8 + 3 * n]) for n in range(count)]
        elif marker == 0xDD:
            raise ValueError("restart markers")
        elif marker == 0xDA:
            chosen = {body[1 + 2 * n]: body[2 + 2 * n] for n in range(body[0])}
            break
    data = jpeg[at : jpeg.rindex(b"\xff\xd9")].replace(b"\xff\0", b"\xff")
    bits, place = int.from_bytes(data, "big"), 8 * len(data)

    def take(count):
        nonlocal place
        place -= count
        return bits >> place & (1 << count) - 1

    def symbol(table):
        code = 0
        for length in range(1, 17):
            code = code << 1 | take(1)
            if (code, length) in table:
                return table[code, length]
        raise ValueError("no such code")

    def number(size):
        value = take(size)
        return value if not size or value >> size - 1 else value - (1 << size) + 1

    across, down = (max(part[n] for part in frame) if count > 1 else 1 for n in (1, 2))
    columns, rows = -(-width // (8 * across)), -(-height // (8 * down))
    found = [{} for _ in frame]
    last = [0] * count
    for unit in range(columns * rows):
        for index, (name, wide, high, _) in enumerate(frame):
            wide, high = (wide, high) if count > 1 else (1, 1)
            for inner in range(wide * high):
                block = [0] * 64
                last[index] += number(symbol(huffman[chosen[name] >> 4]))
                block[0], next = last[index], 1
                while next < 64:
                    code = symbol(huffman[0x10 | chosen[name] & 15])
                    if code == 0:
                        break
                    next += code >> 4
                    value = number(code & 15)
                    if code & 15:
                        block[ZIGZAG[next]] = value
                    next += 1
                y, x = unit // columns * high + inner // wide, unit % columns * wide + inner % wide
                found[index][y, x] = block
    parts = []
    for index, (_, wide, _, table) in enumerate(frame):
        wide = wide if count > 1 else 1
        blocks = [found[index][key] for key in sorted(found[index])]
        parts.append((columns * wide, blocks, [tables[table][n] for n in range(64)]))
    return width, height, parts
