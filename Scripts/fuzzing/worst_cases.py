"""Files that are made to be slow. Each has as many small structures as fit, of a kind for which a parser might scan
all of them once per structure. The time per byte must stay bounded."""

import os
import resource
import struct
import subprocess
import sys
import tempfile
import zlib

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "..", "testimages"))

import heif  # noqa: E402

IMAGES = os.path.join(here, "..", "..", "TestImages")
# The allowed nanoseconds of processor time per byte of input. A check reads a file up to seven times.
BOUND = 2_000


def image(name):
    with open(os.path.join(IMAGES, name), "rb") as file:
        return file.read()


def fill(size, piece):
    """Repeats `piece`, or what it returns for 0, 1, 2 …, up to `size` bytes."""
    if isinstance(piece, bytes):
        return piece * (size // len(piece))
    length = len(piece(0))
    return b"".join(piece(index) for index in range(size // length))


def jpeg(size):
    plain = image("baseline-420.jpg")
    segment = lambda marker, data: struct.pack(">BBH", 255, marker, len(data) + 2) + data  # noqa
    head, scan = plain[:2], plain.rindex(b"\xff\xda")
    inside = {
        "comments": fill(min(size, 390_000), segment(0xFE, b"")),
        "fill bytes": b"\xff" * size,
        "huffman tables": fill(min(size, 390_000), segment(0xC4, b"")),
        "profile pieces": fill(min(size, 1_900_000), lambda i: segment(
            0xE2, b"ICC_PROFILE\0" + bytes([i % 255 + 1, 255]))),
        "XMP pieces": fill(size, segment(
            0xE1, b"http://ns.adobe.com/xmp/extension/\0" + b"0" * 32 + bytes(8) + b"GPSLatit")),
        "XMP beginnings": fill(size, segment(
            0xE1, b"http://ns.adobe.com/xap/1.0/\0" + b"GPSLatitudGDepthhdrgm" * 3000)),
        "resources": fill(size, segment(0xED, b"Photoshop 3.0\0" + b"8BIM\4\4\0\0\0\0\0\0" * 5000)),
        "EXIF": fill(size, segment(0xE1, b"Exif\0\0MM\0*\0\0\0\x08\xff\xff" + fill(
            60_000, lambda i: struct.pack(">HHII", i, 3, 1, 1 << 16)))),
        "MPF": fill(size, segment(0xE2, b"MPF\0MM\0*\0\0\0\x08\xff\xff" + b"\xb0\2\0\7" * 15_000)),
    }
    for name, data in inside.items():
        yield name, head + data + plain[2:]
    after = {
        "starts after the end": b"\xff\xd8\xff",
        "pictures after the end": b"\xff\xd8\xff\xd9",
        "tiny pictures after the end": b"\xff\xd8\xff\xda\0\2\xff\xd9",
        "comments after the end": b"\xff\xd8\xff\xfe\0\2",
        "almost films": b"\0\0\0\x18ftyq",
        "zeros": bytes(8),
    }
    for name, data in after.items():
        yield name, plain + fill(size, data)
    for name, data in {"stuffing": b"\xff\0", "restarts": b"\xff\xd0", "data": bytes(8)}.items():
        yield name, plain[:scan + 14] + fill(size, data) + b"\xff\xd9"
    progressive = image("progressive.jpg")
    frame = progressive.index(b"\xff\xc2")
    claim = progressive[:frame + 5] + struct.pack(">HH", 14_800, 14_800) + progressive[frame + 9:]
    yield "claims many coefficients", claim[:2] + fill(
        min(size, 390_000), segment(0xFE, bytes(5000))) + claim[2:]


def chunk(kind, data=b""):
    return (struct.pack(">I", len(data)) + kind + data
            + struct.pack(">I", zlib.crc32(kind + data)))


def png(size):
    plain = image("gray.png")
    data = plain.index(b"IDAT") - 4
    bomb = zlib.compress(bytes(4_000_000), 9)
    inside = {
        "text": chunk(b"tEXt", b"a\0"),
        "empty chunks": chunk(b"prIv"),
        "compressed text": chunk(b"zTXt", b"XML:com.adobe.xmp\0\0" + zlib.compress(b"GPS" * 20)),
        "bombs": chunk(b"zTXt", b"Raw profile type exif\0\0" + bomb),
        "profiles": chunk(b"iCCP", b"a\0\0" + bomb),
        "raw profiles": chunk(b"tEXt", b"Raw profile type exif\0\nexif\n9\n" + b"0g" * 500),
        "international text": chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0" + b"a" * 500),
        "transparency": chunk(b"tRNS", b"\0\0"),
        "EXIF": chunk(b"eXIf", b"MM\0*\0\0\0\x08\xff\xff" + bytes(600)),
        "frame controls": chunk(b"acTL", struct.pack(">II", 1000, 0)) + fill(1 << 15, lambda i: chunk(
            b"fcTL", struct.pack(">IIIIIHHBB", i, 1, 1, 0, 0, 1, 1, 0, 0))),
        "frame data": chunk(b"acTL", struct.pack(">II", 1, 0)) + fill(1 << 15, lambda i: chunk(
            b"fdAT", struct.pack(">I", i))),
    }
    for name, piece in inside.items():
        yield name, plain[:data] + fill(max(size, len(piece)), piece) + plain[data:]
    # Rows with filter 0 and surplus data after the last one, which must be deflated again.
    stream = matches(max(size, 131_072))
    rows = len(zlib.decompress(stream)) // 2_049
    yield "matches", plain[:8] + chunk(b"IHDR", struct.pack(
        ">IIBBBBB", 2_048, rows, 8, 3, 0, 0, 0)) + chunk(b"PLTE", bytes(768)) + chunk(
            b"IDAT", stream) + chunk(b"IEND")
    end = plain.index(b"IEND") - 4
    yield "empty data", plain[:end] + fill(size, chunk(b"IDAT")) + plain[end:]
    yield "after the end", plain + bytes(size)


def gif(size):
    head = b"GIF89a\1\0\1\0\0\0\0"
    frame = b"\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0"
    inside = {
        "comments": b"\x21\xfe\0",
        "sub-blocks": b"\x21\xfe" + b"\1a" * 20_000 + b"\0",
        "controls": b"\x21\xf9\4\0\0\0\0\0",
        "loops": b"\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0",
        "XMP": b"\x21\xff\x0bXMP DataXMP" + b"GPSLatitud" * 2_000 + b"\0",
        "terminators": b"\0",
    }
    for name, piece in inside.items():
        yield name, head + fill(max(size, len(piece)), piece) + frame + b"\x3b"
    yield "frames", head + frame * min(size // len(frame), 1000) + b"\x3b"
    # Clear codes that never produce a pixel, and data after the last code.
    clears = lambda byte: b"\x2c\0\0\0\0\1\0\1\0\0\2" + fill(size, b"\xff" + byte * 255)  # noqa
    yield "clear codes", head + clears(b"\x24") + b"\0\x3b"
    yield "data behind the codes", head + frame[:-1] + fill(size, b"\xff" + bytes(255)) + b"\0\x3b"


def webp(size):
    plain = image("lossless.webp")
    body = plain[12:]
    piece = lambda kind, data=b"": kind + struct.pack("<I", len(data)) + data  # noqa: E731
    size_of = lambda n: (n - 1).to_bytes(3, "little")  # noqa: E731
    bits = int.from_bytes(body[9:13], "little")
    width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    head = lambda flags: piece(b"VP8X", bytes([flags, 0, 0, 0]) + size_of(width) + size_of(height))  # noqa
    riff = lambda data: b"RIFF" + struct.pack("<I", len(data) + 4) + b"WEBP" + data  # noqa: E731
    for name, one in {
        "empty chunks": piece(b"prIv"), "EXIF": piece(b"EXIF", b"MM\0*" + bytes(600)),
        "XMP": piece(b"XMP ", b"GPSLatitud" * 50), "profiles": piece(b"ICCP", bytes(200)),
    }.items():
        yield name, riff(head(0x2C) + body + fill(size, one))
    frame = bytes(6) + size_of(width) + size_of(height) + bytes(4)
    animation = head(2) + piece(b"ANIM", bytes(6))
    yield "chunks in a frame", riff(
        animation + piece(b"ANMF", frame + body + fill(size, piece(b"prIv"))))
    one = piece(b"ANMF", frame + body)
    yield "frames", riff(animation + one * max(1, min(size // len(one), 1000)))
    yield "after the end", plain + bytes(size)


def heic(size):
    coded = heif.coded_pictures(image("simple.heic"))[0]
    main = heif.coded_item(coded)
    box, full = heif.box, heif.full_box
    count = min(size // 8, 9_900)
    name = lambda i: b"".join(bytes([97 + i // 26**k % 26]) for k in range(4))  # noqa: E731

    yield "boxes at the top", heif.heif([main], after=box(b"free") * count)
    yield "boxes of many types at the top", heif.heif(
        [main], after=b"".join(box(name(i)) for i in range(count)))
    yield "boxes of many types in meta", heif.heif(
        [main], in_meta=b"".join(box(name(i)) for i in range(count)))
    yield "empty mdat, many extents", many_extents(coded, size)
    nested = b""
    for _ in range(min(size // 8, 3_000)):
        nested = box(b"udta", nested)
    yield "nested boxes", heif.heif([main], after=nested)
    extra = [box(b"skip", struct.pack(">I", i)) for i in range(min(size // 16, 9_000))]
    yield "properties", heif.heif([heif.Item(b"hvc1", coded.data, coded.properties)], in_meta=b"",
                                  after=b"") if not extra else many_properties(coded, extra)
    # One auxiliary item with as many properties as possible, referred to again and again.
    kinds = [heif.aux_type("urn:%d" % i) for i in range(200)]
    auxiliary = heif.coded_item(coded, *kinds, hidden=True)
    yield "references", heif.heif([main, auxiliary], [(b"auxl", 2, [1])] * min(size // 14, 9_900))
    yield "targets", heif.heif([main, auxiliary], [
        (b"auxl", 2, [1] * 30_000)] * max(1, size // 60_000))
    long = heif.coded_item(coded, heif.aux_type("urn:" + "hdrgainma" * (size // 9)), hidden=True)
    yield "a long name, many references", heif.heif(
        [main, long], [(b"auxl", 2, [1])] * min(size // 14, 9_900))
    alpha = heif.coded_item(
        coded, heif.aux_type("urn:mpeg:hevc:2015:auxid:1"),
        *[box(b"pixi", struct.pack(">IB", 0, 1) + bytes([i])) for i in range(100)], heif.irot(1),
        hidden=True)
    wide = heif.coded_item(coded, heif.clap(32, 16))
    yield "alpha that does not fit", heif.heif([wide, alpha], [
        (b"auxl", 2, [1] * 30_000)] * max(1, size // 60_000))
    groups = box(b"grpl", fill(size, full(b"ster", 0, 0, struct.pack(">IIII", 9, 2, 1, 1))[:160_000]))
    yield "groups", heif.heif([main], in_meta=groups[:])
    items = [heif.Item(b"Exif", b"MM\0*\0\0\0\0" * 8) for _ in range(min(size // 64, 1_000))]
    yield "EXIF items", heif.heif([main, *items])
    derived = [heif.Item(b"tmap", b"0") for _ in range(min(size // 64, 1_000))]
    yield "tone maps", heif.heif([main, *derived], [
        (b"dimg", i + 2, [1] + list(range(2, len(derived) + 2))) for i in range(
            min(len(derived), size // (2 * len(derived) + 14)))])
    yield "after the end", heif.heif([main], after=bytes(size))
    yield "tiles that share bytes", shared_tiles(coded, size)


def many_properties(coded, extra):
    """Returns a file with properties that belong to no item."""
    file = heif.heif([heif.coded_item(coded)])
    properties = b"".join(extra)
    return insert(file, [b"meta", b"iprp", b"ipco"], properties)


def insert(file, path, data):
    """Inserts `data` at the end of the box at `path`, and moves the offsets of items."""
    start, end, sizes = 0, len(file), []
    for kind in path:
        for found, body, stop in heif.boxes(file, start, end):
            if found == kind:
                sizes.append(body - 8)
                start, end = body + (4 if kind == b"meta" else 0), stop
                break
    changed = bytearray(file[:end] + data + file[end:])
    for at in sizes:
        value = struct.unpack_from(">I", changed, at)[0]
        struct.pack_into(">I", changed, at, value + len(data))
    at = changed.index(b"iloc") + 12
    for _ in range(struct.unpack_from(">H", changed, at - 2)[0]):
        offset = struct.unpack_from(">I", changed, at + 8)[0]
        struct.pack_into(">I", changed, at + 8, offset + len(data))
        at += 16
    return bytes(changed)


def with_locations(items, references, entries, payload):
    """Returns a file whose iloc entries are `entries(offset of the payload)`."""
    def make(offset):
        file = heif.heif(items, references)
        old = file.index(b"iloc") - 4
        length = struct.unpack_from(">I", file, old)[0]
        new = heif.full_box(b"iloc", 1, 0, entries(offset))
        meta = file.index(b"meta") - 4
        head = struct.pack(">I", struct.unpack_from(">I", file, meta)[0] + len(new) - length)
        end = file.rindex(b"mdat") - 4
        return file[:meta] + head + file[meta + 4:old] + new + file[old + length:end]
    return make(len(make(0)) + 8) + heif.box(b"mdat", payload)


def many_extents(coded, size):
    count = min(size // 16, 9_000)
    main = heif.coded_item(coded)
    other = heif.Item(b"Exif", b"")

    def entries(offset):
        data = struct.pack(">BBH", 0x44, 0, 2)
        data += struct.pack(">HHHHII", 1, 0, 0, 1, offset, len(coded.data))
        data += struct.pack(">HHHH", 2, 0, 0, count)
        return data + b"".join(struct.pack(">II", offset + i % 50, 1) for i in range(count))

    return with_locations([main, other], (), entries, coded.data) + heif.box(b"mdat") * count


def shared_tiles(coded, size):
    """Returns a file with 256 tiles. Each is almost the whole file, in two extents, with units of one byte."""
    tiles = [heif.coded_item(coded, hidden=True) for _ in range(256)]
    grid = heif.Item(b"grid", b"", [heif.ispe(1024, 1024)])
    payload = struct.pack(">BBBBHH", 0, 0, 15, 15, 1024, 1024) + bytes(max(size, 2048))

    def entries(offset):
        data = struct.pack(">BBH", 0x44, 0, 257) + struct.pack(">HHHHII", 1, 0, 0, 1, offset, 8)
        for i in range(256):
            data += struct.pack(">HHHHIIII", i + 2, 0, 0, 2, offset + 8 + 4 * i, 4,
                                offset + 8, len(payload) - 1100 + 4 * (i // 2))
        return data

    return with_locations([grid, *tiles], [(b"dimg", 1, list(range(2, 258)))], entries, payload)


def icc(size):
    plain = image("display-p3.png")
    at = plain.index(b"iCCP") + 4
    profile = zlib.decompressobj().decompress(plain[plain.index(b"\0", at) + 2:])
    yield "tags", profile[:128] + struct.pack(">I", 100) + profile[132:] + bytes(size)
    curve = b"curv\0\0\0\0" + struct.pack(">I", size // 2) + b"\x80\0" * (size // 2)
    tags = [(name, 132 + 12 * 8) for name in (
        b"rTRC", b"gTRC", b"bTRC", b"kTRC", b"desc", b"rXYZ", b"gXYZ", b"bXYZ")]
    table = b"".join(struct.pack(">4sII", name, at, len(curve)) for name, at in tags)
    head = struct.pack(">I", 132 + len(table) + len(curve)) + profile[4:128]
    yield "long curves", head + struct.pack(">I", len(tags)) + table + curve


def exif(size):
    yield "entries", b"MM\0*\0\0\0\x08\xff\xff" + fill(
        size, lambda i: struct.pack(">HHII", i & 0xFFFF, 2, size // 2, 20))


def xmp(size):
    for word in (b"GPSLatitud", b"GPSLon", b"hdrgm", b"G", b"MotionPhoto=\"0\" ", b"\0"):
        yield word.decode().strip("\0") or "zeros", fill(size, word)


def inflate(size):
    yield "bomb", zlib.compress(bytes(size * 60), 9)
    # Empty blocks: with their own codes, stored, and with the fixed codes.
    yield "matches", matches(max(size, 131_072))
    yield "stored blocks", b"\x78\x01" + fill(size, b"\0\0\0\xff\xff") + b"\1\0\0\xff\xff\0\0\0\1"
    yield "fixed blocks", b"\x78\x01" + fill(size, b"\x02\x08\x20\x80\x00")
    press = zlib.compressobj(9)
    press.compress(bytes(range(256)) * 4 + b"abcabcabd" * 30)
    yield "dynamic blocks", b"\x78\x01" + fill(size, press.flush(zlib.Z_FULL_FLUSH))


def matches(size):
    """Returns a stream of far matches and few literals."""
    words = [bytes([i & 255, i >> 8]) * 8 for i in range(1_900)]
    order = ((i * i * 7 + i * 13) % len(words) for i in range(1 << 30))
    press, stream = zlib.compressobj(9), b""
    while len(stream) < size:
        stream += press.compress(b"".join(words[next(order)] for _ in range(4_096)))
    return stream + press.flush()


def multipart(size):
    part = b"--b\r\nContent-Disposition: form-data; name=f\r\n\r\n"
    start = b"multipart/form-data; boundary=b\n"
    for name, piece in {
        "line ends": b"\r\n", "CR": b"\r", "almost boundaries": b"\r\n--",
        "padding": b"\r\n--b" + b" " * 256, "boundaries that go on": b"\r\n--b\r", "text": b"x",
    }.items():
        yield name, start + part + fill(size, piece) + b"\r\n--b--"
        yield name + " before", start + fill(size, piece)
        yield name + " behind", start + b"--b--" + fill(size, piece)
        yield name + " in a header", start + b"--b\r\n" + fill(size, piece)
    yield "parts", start + fill(size, part + b"\r\n")
    yield "headers", start + b"--b\r\n" + fill(size, b"a:\r\n")
    for name, piece in {"parameters": b";a=b", "escapes": b'\\"', "semicolons": b";"}.items():
        yield name + " of the type", b'multipart/form-data; a="' + fill(size, piece)
        yield name, start + b'--b\r\nContent-Disposition: form-data; name="' + fill(size, piece)


def json(size):
    for name, piece in {
        "text": b"x", "escapes": b"\\n", "characters": b"\\u00e9", "pairs": b"\\ud83d\\udc15",
        "marks": b"\xcc\x81\xcc\xa3", "spaces": b"\xe2\x80\x83",
    }.items():
        yield name, b'{"a":"' + fill(size, piece) + b'"}'
        yield name + " as a key", b'{"' + fill(size, piece) + b'":1}'
    for name, piece in {
        "arrays": b"[", "objects": b'{"a":', "numbers": b"0,", "digits": b"1", "space": b" ",
        "exponents": b"1e", "lists": b"[],",
    }.items():
        yield name, b'{"a":[' + fill(size, piece) + b"]}"
    yield "keys", b"{" + fill(size, lambda i: b'"%07d":0,' % i)


def proof_png(size):
    yield from png(size)
    plain = image("gray.png")
    start = lambda width, height: plain[:8] + chunk(  # noqa: E731
        b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
    # Rows that data of this size can't hold, claimed again and again.
    wide = 1 << 18
    frame = lambda i: chunk(b"fcTL", struct.pack(  # noqa: E731
        ">IIIIIHHBB", 2 * i, wide, 1, 0, 0, 1, 1, 0, 0)) + chunk(
            b"fdAT", struct.pack(">I", 2 * i + 1) + zlib.compress(bytes(99)))
    row = chunk(b"IDAT", zlib.compress(bytes(4 * wide + 1), 9))
    yield "wide frames", start(wide, 1) + chunk(
        b"acTL", struct.pack(">II", 1 << 20, 0)) + row + fill(size, frame) + chunk(b"IEND")
    # A code of one bit for zero, and zeros after the end.
    endless = b"\x78\xda" + bits((1, 1), (2, 2), (0, 5), (0, 5), (14, 4), *HALF_AND_HALF)
    yield "rows behind the end", start(wide, wide) + chunk(b"IDAT", endless) + chunk(b"IEND")


# Code lengths of a deflate block: literals 0 and 256 have one bit each, and so has one distance.
HALF_AND_HALF = [
    *((length, 3) for length in (0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)),
    (0, 1), (1, 1), (127, 7), (1, 1), (106, 7), (0, 1), (0, 1)]


def bits(*numbers):
    """Packs pairs of a number and its width, lowest bit first."""
    value = width = 0
    for number, count in numbers:
        value |= number << width
        width += count
    return value.to_bytes((width + 7) // 8, "little")


MAKERS = {"jpeg": jpeg, "png": png, "gif": gif, "webp": webp, "heic": heic, "icc": icc,
          "exif": exif, "xmp": xmp, "inflate": inflate, "multipart": multipart, "json": json,
          "proof-jpeg": jpeg,
          "proof-png": proof_png, "proof-gif": gif, "proof-webp": webp}


def measure(targets, work, environment, sizes=(262_144, 1_048_576)):
    """Prints the slowest case of each target. Returns whether all stay within the bound."""
    fine = True
    with tempfile.TemporaryDirectory() as folder:
        for target in targets:
            slowest = (0, "", 0, 0)
            count = 0
            path = os.path.join(folder, "input")
            command = [os.path.join(work, "fuzz-" + target), "-timeout=60", "-rss_limit_mb=1024",
                       "-artifact_prefix=" + folder + "/", path]
            open(path, "wb").close()
            start = run(command, environment)[1]
            for size in sizes:
                for name, data in MAKERS[target](size):
                    with open(path, "wb") as file:
                        file.write(data)
                    count += 1
                    seconds = float("inf")
                    for _ in range(3):  # other work on the machine slows down single tries, but not all
                        done, spent = run(command, environment)
                        seconds = min(seconds, max(0, spent - start))
                        if done.returncode != 0 or seconds * 1e9 <= BOUND * len(data):
                            break
                    cost = seconds * 1e9 / len(data)
                    slowest = max(slowest, (cost, name, len(data), 1000 * seconds))
                    if os.environ.get("PETSPOT_FUZZ_VERBOSE"):
                        print("  %-10s %-32s %8d bytes %6.0f ms" % (target, name, len(data), 1000 * seconds))
                    if done.returncode != 0 or cost > BOUND and len(data) > 100_000:
                        fine = False
                        kept = os.path.join(work, "findings", "%s-%s-%d" % (
                            target, name.replace(" ", "-"), size))
                        os.makedirs(os.path.dirname(kept), exist_ok=True)
                        with open(kept, "wb") as file:
                            file.write(data)
                        print("FOUND %s: %.0f ns a byte, %s" % (target, cost, kept))
                        if done.returncode != 0:
                            print(done.stderr.decode("utf-8", "replace")[-900:])
            print("%-10s %3d worst cases  slowest %.0f ns a byte: %s (%d bytes, %.0f ms)" % (
                target, count, slowest[0], slowest[1], slowest[2], slowest[3]), flush=True)
    return fine


def run(command, environment):
    """Returns the completed process and its processor seconds, including its start."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
