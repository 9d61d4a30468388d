"""Writers of ``.zip`` and ``.tar`` byte by byte, each field of which can be set to anything."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

SOURCE = b"print('bot')\n"
LOCAL = struct.Struct("<4s5H3L2H")
CENTRAL = struct.Struct("<4s6H3L5H2L")
END = struct.Struct("<4s4H2LH")
END64 = struct.Struct("<4sQ2H2L4Q")
LOCATOR = struct.Struct("<4sLQL")
MARK16, MARK32 = 0xFFFF, 0xFFFFFFFF
Fields = Mapping[str, int]
NONE: Fields = MappingProxyType({})
UNIX = 3 << 8 | 20


class Part(NamedTuple):
    """One entry of a zip. `local` and `central` change fields of one description."""

    name: bytes = b"bot.py"
    data: bytes = SOURCE
    method: int = 8
    flags: int = 0
    mode: int = 0o100644
    local: Fields = NONE
    central: Fields = NONE
    local_name: bytes | None = None
    local_extra: bytes = b""
    extra: bytes = b""
    descriptor: bytes | None = None
    """What follows the data; None for what belongs there."""
    is_64: bool = False
    """Whether its sizes stand in fields of ZIP64."""


class End(NamedTuple):
    """What ends a zip. `fields` and `fields_64` change the two end records."""

    comment: bytes = b""
    fields: Fields = NONE
    is_64: bool = False
    is_marked: bool = True
    """Whether the old record says that ZIP64 has the numbers."""
    fields_64: Fields = NONE
    locator: Fields = NONE
    before: bytes = b""
    """What stands before the list of entries."""
    behind: bytes = b""
    """What stands behind it."""


def field(number: int, data: bytes) -> bytes:
    """An extra field."""
    return struct.pack("<2H", number, len(data)) + data


def unicode_path(name: str, raw: bytes) -> bytes:
    return field(0x7075, struct.pack("<BL", 1, zlib.crc32(raw)) + name.encode())


def zip_of_parts(*parts: Part, end: End | None = None) -> bytes:
    """A zip."""
    end = end or End()
    out, entries = b"", b""
    for part in parts:
        entries += _central(part, len(out))
        out += _local(part)
    out += end.before
    return out + entries + end.behind + _end(end, len(parts), len(entries), len(out))


def packed(part: Part) -> bytes:
    if part.method == 0:
        return part.data
    deflate = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflate.compress(part.data) + deflate.flush()


def _sizes(part: Part) -> dict[str, int]:
    return {"crc": zlib.crc32(part.data), "packed": len(packed(part)), "size": len(part.data)}


def _local(part: Part) -> bytes:
    sizes, raw, extra = _sizes(part), packed(part), part.local_extra
    name = part.name if part.local_name is None else part.local_name
    descriptor = b""
    kind = "<4sLQQ" if part.is_64 else "<4s3L"
    if part.flags & 8:
        descriptor = struct.pack(kind, b"PK\7\x08", *sizes.values())
        sizes = dict.fromkeys(sizes, 0)
    if part.is_64:
        extra = field(1, struct.pack("<QQ", sizes["size"], sizes["packed"])) + extra
        sizes |= {"packed": MARK32, "size": MARK32}
    fields = {
        "version": 20,
        "flags": part.flags,
        "method": part.method,
        "time": 0,
        "date": 0x5B21,
        **sizes,
        "name": len(name),
        "extra": len(extra),
        **part.local,
    }
    if part.descriptor is not None:
        descriptor = part.descriptor
    return LOCAL.pack(b"PK\3\4", *fields.values()) + name + extra + raw + descriptor


def _central(part: Part, at: int) -> bytes:
    sizes, extra = _sizes(part), part.extra
    if part.is_64:
        extra = field(1, struct.pack("<QQ", sizes["size"], sizes["packed"])) + extra
        sizes |= {"packed": MARK32, "size": MARK32}
    fields = {
        "made": UNIX,
        "version": 20,
        "flags": part.flags,
        "method": part.method,
        "time": 0,
        "date": 0x5B21,
        **sizes,
        "name": len(part.name),
        "extra": len(extra),
        "comment": 0,
        "disk": 0,
        "inside": 0,
        "outside": part.mode << 16,
        "at": at,
        **part.central,
    }
    return CENTRAL.pack(b"PK\1\2", *fields.values()) + part.name + extra


def _end(end: End, count: int, size: int, at: int) -> bytes:
    fields = {
        "disk": 0,
        "list_disk": 0,
        "here": count,
        "count": count,
        "size": size,
        "at": at,
        "comment": len(end.comment),
    }
    before = b""
    if end.is_64:
        fields_64 = {
            "rest": 44,
            "made": 45,
            "version": 45,
            "disk": 0,
            "list_disk": 0,
            "here": count,
            "count": count,
            "size": size,
            "at": at,
            **end.fields_64,
        }
        locator = {"disk": 0, "at": at + size + len(end.behind), "disks": 1, **end.locator}
        before = END64.pack(b"PK\6\6", *fields_64.values())
        before += LOCATOR.pack(b"PK\6\7", *locator.values())
    if end.is_64 and end.is_marked:
        fields |= {"here": MARK16, "count": MARK16, "size": MARK32, "at": MARK32}
    return before + END.pack(b"PK\5\6", *{**fields, **end.fields}.values()) + end.comment


# -- tar -------------------------------------------------------------------------------------------

USTAR, GNU, V7 = b"ustar\x0000", b"ustar  \0", bytes(8)
Patches = dict[int, bytes]


def header(
    name: bytes = b"bot.py",
    size: int | bytes = 0,
    kind: bytes = b"0",
    *,
    magic: bytes = USTAR,
    mode: int = 0o644,
    link: bytes = b"",
    patches: Patches | None = None,
) -> bytes:
    """The block before an entry. `patches` are written over it, by place."""
    octal = size if isinstance(size, bytes) else b"%011o\0" % size
    raw = bytearray(512)
    fields = {
        0: name,
        100: b"%07o\0" % mode,
        108: b"0001750\0",
        116: b"0001750\0",
        124: octal,
        136: b"15105427711\0",
        148: b" " * 8,
        156: kind,
        157: link,
        257: magic,
        **(patches or {}),
    }
    for at, data in fields.items():
        raw[at : at + len(data)] = data
    if 148 not in (patches or {}):
        raw[148:156] = b"%06o\0 " % sum(raw)
    return bytes(raw)


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 512)


def entry(
    name: bytes = b"bot.py", data: bytes = SOURCE, kind: bytes = b"0", **more: object
) -> bytes:
    """A header and its data."""
    return header(name, len(data), kind, **more) + padded(data)  # type: ignore[arg-type]


def record(key: str, value: str | bytes) -> bytes:
    """One record of a pax header: its length counts itself."""
    body = b" %s=%s\n" % (key.encode(), value if isinstance(value, bytes) else value.encode())
    size = len(body)
    while len(b"%d" % size) + len(body) != size:
        size = len(b"%d" % size) + len(body)
    return b"%d%s" % (size, body)


def pax(records: bytes, kind: bytes = b"x") -> bytes:
    return entry(b"PaxHeaders/bot.py", records, kind)


def long_name(name: bytes, kind: bytes = b"L") -> bytes:
    return entry(b"././@LongLink", name + b"\0", kind, magic=GNU)


def tar_of_blocks(*blocks: bytes) -> bytes:
    return b"".join(blocks) + bytes(1024)
