"""Decodes WebPs with libwebp's incremental decoder, as browsers do. It is stricter than Pillow."""

import ctypes
import struct

libwebp = ctypes.CDLL("libwebp.so.7")
libwebp.WebPINewDecoder.restype = ctypes.c_void_p
libwebp.WebPIAppend.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]
libwebp.WebPIDelete.argtypes = [ctypes.c_void_p]
SUSPENDED = 5  # VP8_STATUS_SUSPENDED: the decoder waits for more data


def chunks(data):
    """Yields (name, payload, whole chunk) of each chunk."""
    at = 0
    while at + 8 <= len(data):
        size = struct.unpack("<I", data[at + 4 : at + 8])[0]
        whole = data[at : at + 8 + size + size % 2]
        yield data[at : at + 4], whole[8 : 8 + size], whole
        at += len(whole)


def frames(data):
    """Yields each frame as its own file."""
    found = [payload for name, payload, _ in chunks(data[12:]) if name == b"ANMF"]
    for payload in found:
        parts = list(chunks(payload[16:]))
        body = b"WEBP"
        if any(name == b"ALPH" for name, _, _ in parts):
            body += b"VP8X" + struct.pack("<II", 10, 0x10) + payload[6:12]
        body += b"".join(whole for _, _, whole in parts)
        yield b"RIFF" + struct.pack("<I", len(body)) + body
    if not found:
        yield data


def decodes(data, count):
    decoder, status = libwebp.WebPINewDecoder(None), SUSPENDED
    for at in range(0, len(data), count):
        status = libwebp.WebPIAppend(decoder, data[at : at + count], len(data[at : at + count]))
        if status != SUSPENDED:
            break
    libwebp.WebPIDelete(decoder)
    return status == 0


def refused_frames(data):
    """Returns the indexes of frames that browsers can't show, whether they arrive at once or in packets."""
    return [
        index for index, frame in enumerate(frames(data))
        if not decodes(frame, len(frame)) or not decodes(frame, max(1, len(frame) // 7))
    ]  # fmt: skip
