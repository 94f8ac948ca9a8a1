"""The seeds of fuzzing: the TestImages of a format, and the structures inside of them."""

import glob
import hashlib
import os
import struct
import zlib

SIGNATURES = {
    "jpeg": (0, b"\xff\xd8\xff"), "png": (0, b"\x89PNG"), "gif": (0, b"GIF8"),
    "webp": (0, b"RIFF"), "heic": (4, b"ftyp"),
}


def png_chunks(data, kind):
    offset = 8
    while offset + 12 <= len(data):
        length = struct.unpack_from(">I", data, offset)[0]
        if data[offset + 4:offset + 8] == kind:
            yield data[offset + 8:offset + 8 + length]
        offset += 12 + length


def contents(target, data):
    """Yields the parts of a file that a target reads."""
    target = target.removeprefix("proof-")
    if target in SIGNATURES:
        offset, signature = SIGNATURES[target]
        if data[offset:].startswith(signature):
            yield data
    elif target == "exif":
        for start in (b"MM\0*", b"II*\0"):
            if start in data:
                yield data[data.index(start):][:2048]
    elif target == "xmp":
        if b"<x:xmpmeta" in data:
            yield data[data.index(b"<x:xmpmeta"):][:1024]
    elif target == "icc":
        for chunk in png_chunks(data, b"iCCP") if data.startswith(b"\x89PNG") else []:
            try:
                yield zlib.decompressobj().decompress(chunk.split(b"\0", 1)[1][1:], 65_536)
            except (zlib.error, IndexError):
                pass
        place = data.find(b"acsp")
        if place >= 36:
            yield data[place - 36:][:struct.unpack_from(">I", data, place - 36)[0]]
    elif target == "inflate" and data.startswith(b"\x89PNG"):
        for chunk in [*png_chunks(data, b"iCCP"), *png_chunks(data, b"zTXt")]:
            yield chunk.partition(b"\0")[2][1:]
        yield b"".join(png_chunks(data, b"IDAT"))


HEAD = b"Content-Disposition: form-data; name="
REQUESTS = {
    "multipart": [b"multipart/form-data; boundary=b\n" + body for body in (
        b"--b--\r\n",
        b"--b\r\n" + HEAD + b"f\r\n\r\nx\r\n--b--\r\n",
        b"pre\r\n--b \r\n" + HEAD + b"\"photo\"; filename=\"a\\\"b.jpg\"\r\n"
        b"Content-Type: image/jpeg\r\nX: y\r\n\r\n\r\n--bx\r\r\n--b\r\r\n--b\r\n"
        + HEAD + b"g\r\nContent-Transfer-Encoding: binary\r\n\r\n--b--\r\nend")]
    + [b"Multipart/Form-Data; a=\"b;\\\"c\" ;boundary=\"'()+_,-./:=? b\"\n--'()+_,-./:=? b--"],
    "json": [
        b"{}", b' {"petName":"R\\u00e9x \xf0\x9f\x90\x95","age":-4.50e+0,"x":[true,null,false,[]]}\n',
        b'{"location":{"latitude":52.1,"longitude":21},"text":"\\"\\\\\\/\\b\\f\\n\\r\\t\\ud83d\\udc15"}'],
}


def write(folder, target, corpus, max_len):
    """Writes the seeds of a target that have at most `max_len` bytes. Truncated ones would be useless."""
    found = list(REQUESTS.get(target, []))
    for path in sorted(glob.glob(os.path.join(folder, "*"))):
        with open(path, "rb") as file:
            found += contents(target, file.read())
    if target == "inflate":
        text = b"carry the pixels over bit for bit " * 20
        for level in (0, 1, 9):
            for strategy in (zlib.Z_DEFAULT_STRATEGY, zlib.Z_HUFFMAN_ONLY, zlib.Z_FIXED):
                press = zlib.compressobj(level, zlib.DEFLATED, 15, 9, strategy)
                found.append(press.compress(text) + press.flush())
    for data in found:
        if 0 < len(data) <= max_len:
            name = os.path.join(corpus, hashlib.sha1(data).hexdigest())
            with open(name, "wb") as file:
                file.write(data)
