"""A writer of ``.rar`` (format 4, nothing compressed): enough to have some to read."""

from __future__ import annotations

import struct
import zlib


def rar(*files: tuple[str, bytes], check_sum: int | None = None, flags: int = 0) -> bytes:
    """An archive of these files."""
    parts = [b"Rar!\x1a\x07\x00", _block(0x73, 0, bytes(6))]
    for name, data in files:
        crc = zlib.crc32(data) if check_sum is None else check_sum
        raw = name.replace("/", "\\").encode()  # as the format has it
        fields = struct.pack("<LLBLLBBHL", len(data), len(data), 3, crc, 0x58210000, 20, 0x30,
                             len(raw), 0o100644)  # fmt: skip
        parts.append(_block(0x74, 0x8000 | flags, fields + raw) + data)
    return b"".join([*parts, _block(0x7B, 0x4000, b"")])


def _block(kind: int, flags: int, body: bytes) -> bytes:
    head = struct.pack("<BHH", kind, flags, 7 + len(body)) + body
    return struct.pack("<H", zlib.crc32(head) & 0xFFFF) + head
