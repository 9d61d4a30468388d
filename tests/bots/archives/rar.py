"""A writer of ``.rar`` (format 4, nothing compressed): enough to have some to read."""

from __future__ import annotations

import struct
import zlib


def rar(
    *files: tuple[str, bytes],
    check_sum: int | None = None,
    flags: int = 0,
    whole_flags: int = 0,
    end_flags: int = 0,
    comment: bytes = b"",
) -> bytes:
    """An archive of these files. Its comment is said to be packed, and is not."""
    parts = [b"Rar!\x1a\x07\x00", _block(0x73, whole_flags, bytes(6))]
    if comment:
        parts.append(_file(0x7A, "CMT", comment, 0, 0x33))
    parts += [_file(0x74, name, data, flags, 0x30, check_sum) for name, data in files]
    return b"".join([*parts, _block(0x7B, 0x4000 | end_flags, b"")])


def _file(
    kind: int, name: str, data: bytes, flags: int, method: int, check_sum: int | None = None
) -> bytes:
    crc = zlib.crc32(data) if check_sum is None else check_sum
    raw = name.replace("/", "\\").encode()  # as the format has it
    fields = struct.pack("<LLBLLBBHL", len(data), len(data), 3, crc, 0x58210000, 20, method,
                         len(raw), 0o100644)  # fmt: skip
    return _block(kind, 0x8000 | flags, fields + raw) + data


def _block(kind: int, flags: int, body: bytes) -> bytes:
    head = struct.pack("<BHH", kind, flags, 7 + len(body)) + body
    return struct.pack("<H", zlib.crc32(head) & 0xFFFF) + head
