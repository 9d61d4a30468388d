"""Reader for ``.tar`` entries in the formats in use today: ustar, pax, GNU and v7.

Programs interpret headers differently: which of two names wins, whether a size in a pax header
counts, what a signed number is, what 155 bytes after the name mean. So a header is accepted only if
it has a single interpretation: each relevant field is read as its own format defines it, and no
field may hold anything that another format would interpret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from msgspec import Struct

from arena.bots.archives.rules import (
    CHUNK,
    DamagedError,
    Entry,
    EntryKind,
    Member,
    Members,
    UnpackingBudget,
    damaged,
)
from arena.bots.archives.signatures import tar_sum

BLOCK = 512
EXTENSION = 1 << 20
"""Maximum bytes of a pax header or a long name."""
PADDING = 1 << 20
"""Maximum zero bytes after the end: ``tar -b 2048``."""
TWO_WAYS = "has two descriptions that differ: pack it again"
ODD = "has a damaged header: pack it again"
_USTAR, _GNU, _V7 = b"ustar\0", b"ustar  \0", bytes(8)
_LONG_NAME, _LONG_LINK, _PAX, _GLOBAL = b"L", b"K", b"x", b"g"
_EXTENSIONS = (_LONG_NAME, _LONG_LINK, _PAX, _GLOBAL)
_OLD_FILE = b"\0"
"""Type of a v7 file; with a slash at the end of its name, a folder."""
_KINDS = {
    _OLD_FILE: EntryKind.FILE,
    b"0": EntryKind.FILE,
    b"1": EntryKind.LINK,
    b"2": EntryKind.LINK,
    b"3": EntryKind.DEVICE,
    b"4": EntryKind.DEVICE,
    b"5": EntryKind.FOLDER,
    b"6": EntryKind.PIPE,
    b"S": EntryKind.SPARSE,
}
_OCTAL = re.compile(rb" *([0-7]*)[ \0]*")
_OF_PAX = re.compile(rb"([1-9][0-9]*) ")
_SPARSE = ("GNU.sparse.", "SCHILY.realsize", "SCHILY.offset")
_DUMP = ("GNU.dumpdir", "GNU.volume.")


class _Header(Struct, frozen=True):
    """A header block: of an entry, or of information about the next entry."""

    name: bytes
    mode: int
    size: int
    kind: bytes
    is_plain: bool
    """Whether no field holds anything that only another format would interpret."""


@dataclass(slots=True)
class _Said:
    """Information from extension headers about the following entry."""

    name: bytes | None = None
    has_link: bool = False
    pax: dict[str, bytes] | None = None


class _Stream:
    """Reads a stream of chunks in pieces of any size."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._ahead = b""

    def read(self, size: int) -> bytes:
        """Read `size` bytes, fewer at the end."""
        parts, left = [self._ahead[:size]], size - len(self._ahead)
        self._ahead = self._ahead[size:]
        while left > 0 and (chunk := next(self._chunks, None)) is not None:
            parts.append(chunk[:left])
            self._ahead = chunk[left:]
            left -= len(chunk)
        return b"".join(parts)


def members(chunks: Iterator[bytes], budget: UnpackingBudget) -> Members:
    """All entries of the stream. Raises DamagedError."""
    stream, said = _Stream(chunks), _Said()
    while (block := _block(stream)).strip(b"\0"):
        header = _header(block)
        if header.kind in _EXTENSIONS:
            _extend(said, header, stream, budget)
            continue
        entry = _entry(header, said)
        yield Member(entry, partial(_data, stream, entry))
        stream.read(-entry.size % BLOCK)
        said = _Said()
    if said != _Said():
        raise DamagedError("it is cut off: pack it again")
    _check_end(stream)


def _block(stream: _Stream) -> bytes:
    block = stream.read(BLOCK)
    if len(block) < BLOCK:
        raise DamagedError("it is cut off or damaged: pack it again")
    return block


def _check_end(stream: _Stream) -> None:
    """Check that only zeros follow, and no more of them than tapes need."""
    left = PADDING
    while chunk := stream.read(CHUNK):
        left -= len(chunk)
        if chunk.strip(b"\0") or left < 0:
            raise DamagedError("data follows its end: pack it again")


def _header(block: bytes) -> _Header:
    if _number(block[148:156]) != tar_sum(block):
        raise DamagedError("it is cut off or damaged, or holds no tar archive: pack it again")
    name, magic = _text(block[:100]), block[257:265]
    size, mode = _number(block[124:136]), _number(block[100:108])
    others = (block[108:116], block[116:124], block[136:148])  # owner, group, time
    is_known = magic.startswith(_USTAR) or magic in (_GNU, _V7)
    if size is None or mode is None or not is_known or not all(map(_is_number, others)):
        raise damaged(_named(name), ODD)
    foreign = block[500:] if magic.startswith(_USTAR) else block[345:]
    if magic.startswith(_USTAR) and (prefix := _text(block[345:500])):
        name = prefix + b"/" + name
    return _Header(
        name=name,
        mode=mode & 0o7777,
        size=size,
        kind=block[156:157],
        is_plain=not foreign.strip(b"\0"),
    )


def _text(field: bytes) -> bytes:
    return field.split(b"\0", 1)[0]


def _number(field: bytes) -> int | None:
    """Parse octal digits, or a byte 128 and a binary number; None for anything else."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    match = _OCTAL.fullmatch(field)
    return None if match is None else int(match[1] or b"0", 8)


def _is_number(field: bytes) -> bool:
    """Whether the field holds a number, possibly negative. For fields not used here."""
    return field[0] == 0xFF or _number(field) is not None


def _extend(said: _Said, header: _Header, stream: _Stream, budget: UnpackingBudget) -> None:
    """Apply an extension header for the next entry, or for all."""
    if header.size > EXTENSION:
        raise damaged(_named(header.name), "has a name or header that is too long: pack it again")
    blocks = stream.read(header.size + -header.size % BLOCK)
    raw = blocks[: header.size]
    if len(blocks) % BLOCK or len(raw) < header.size:
        raise DamagedError("it is cut off: pack it again")
    name = raw.removesuffix(b"\0")
    if header.kind == _LONG_NAME and said.name is None and name == _text(blocks):
        said.name = name
    elif header.kind == _LONG_LINK and not said.has_link:
        said.has_link = True
    elif header.kind == _PAX and said.pax is None:
        said.pax = _records(header, raw)
    elif header.kind == _GLOBAL and said == _Said() and _is_idle(_records(header, raw)):
        budget.entry()
    else:
        raise damaged(_named(header.name), TWO_WAYS)


def _is_idle(records: dict[str, bytes]) -> bool:
    """Whether a pax header holds nothing relevant here, such as the commit of a git archive."""
    return not any(
        key in ("path", "linkpath", "size") or key.startswith((*_SPARSE, *_DUMP)) for key in records
    )


def _records(header: _Header, raw: bytes) -> dict[str, bytes]:
    """Parse the records of a pax header: ``13 path=a.py\\n``, each prefixed with its length."""
    found, at = dict[str, bytes](), 0
    while at < len(raw):
        match = _OF_PAX.match(raw, at, at + 10)
        end = at + int(match[1]) if match else 0
        key, sign, value = raw[match.end() : end].partition(b"=") if match else (b"", b"", b"")
        if not sign or end > len(raw) or not value.endswith(b"\n"):
            raise damaged(_named(header.name), ODD)
        name = key.decode("utf-8", "replace")
        if name in found:
            raise damaged(_named(header.name), TWO_WAYS)
        found[name], at = value[:-1], end
    return found


def _entry(header: _Header, said: _Said) -> Entry:
    pax = said.pax or {}
    names = [name for name in (said.name, pax.get("path")) if name is not None]
    entry = _named(names[0] if names else header.name, _kind(header, pax), header)
    if entry.kind not in (EntryKind.FILE, EntryKind.FOLDER):
        return entry  # refused later for its kind
    size = pax.get("size", b"%d" % header.size)
    if not size.isdigit():
        raise damaged(entry, ODD)
    if (
        len(names) > 1
        or said.has_link
        or "linkpath" in pax
        or size.lstrip(b"0") != (b"%d" % header.size).lstrip(b"0")
        or not header.is_plain
    ):
        raise damaged(entry, TWO_WAYS)
    if entry.kind is EntryKind.FILE and entry.name.endswith("/"):
        raise damaged(entry, "is both a file and a folder: pack it again")
    if entry.kind is EntryKind.FOLDER and header.size:
        raise damaged(entry, "is a folder with data of its own: pack it again")
    return entry


def _kind(header: _Header, pax: dict[str, bytes]) -> EntryKind:
    if any(key.startswith(_SPARSE) for key in pax):
        return EntryKind.SPARSE
    if any(key.startswith(_DUMP) for key in pax):
        return EntryKind.OTHER
    if header.kind == _OLD_FILE and header.name.endswith(b"/"):
        return EntryKind.FOLDER
    return _KINDS.get(header.kind, EntryKind.OTHER)


def _named(name: bytes, kind: EntryKind = EntryKind.OTHER, header: _Header | None = None) -> Entry:
    text = name.decode("utf-8", "surrogateescape")
    return Entry(text, kind, header.size if header else 0, header.mode if header else 0)


def _data(stream: _Stream, entry: Entry) -> Iterator[bytes]:
    left = entry.size
    while left:
        chunk = stream.read(min(CHUNK, left))
        if not chunk:
            raise damaged(entry, "is cut off: pack it again")
        left -= len(chunk)
        yield chunk
