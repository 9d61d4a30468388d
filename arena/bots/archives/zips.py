"""Reader for ``.zip`` entries, including ZIP64.

Each entry is described twice, in the list at the end and before its data, and the list itself up to
three times; programs differ in which description they believe. So all must agree, and the entries
must fill the file without gaps or overlaps: then there is one way to read it, entries that share
data (a bomb) are detected before anything is unpacked, and nothing hides between entries.
"""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import BinaryIO, NamedTuple

from msgspec import Struct

from arena.bots.archives.rules import (
    CHUNK,
    ENTRIES,
    DamagedError,
    Entry,
    EntryKind,
    Member,
    Members,
    damaged,
)
from arena.text import size_text

LIST = 16 << 20
"""Maximum bytes of the list of entries, at a few hundred per entry."""
TWO_WAYS = "has two descriptions that differ: pack it again"
RARE = "is packed by a rare method: pack it with deflate, as zip does"
SEVERAL = "it is one part of several: pack all into one file"
ELSEWHERE = "its list of entries is not at the stated place: pack it again"
DAMAGED = "its list of entries is damaged: pack it again"
BETWEEN = "there is data between its entries: pack it again"

_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_COMMENT = 0xFFFF
"""Maximum bytes of the comment after the end record."""
_PADDING = 10240
"""Maximum zero bytes after the comment: bsdtar fills its last block."""
_MARK_16, _MARK_32 = 0xFFFF, 0xFFFFFFFF
"""Placeholders for a number that is stored in a ZIP64 field."""

_VERSION = 63
"""The latest version of the format, 6.3."""
_ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13
_SIZE_FOLLOWS = 1 << 3
_PATCH = 1 << 5
_UTF_8 = 1 << 11
_SPEED = 1 << 1 | 1 << 2
"""Flags for the compression effort."""
_STORED, _DEFLATED = 0, 8
_ZIP_64, _UNICODE_PATH, _ASI = 0x0001, 0x7075, 0x756E
"""Extra fields that describe an entry: its sizes, its name, its kind."""
_NOTHING = 2
"""Bytes of deflated empty data: some programs pack folders this way."""
_DESCRIPTOR = b"PK\7\x08"
_DESCRIPTORS = ("<3L", "<4s3L", "<L2Q", "<4sL2Q")
"""Formats of the descriptor after the data of an entry whose size was not known before."""
_LABEL, _FOLDER = 0x08, 0x10
"""DOS attributes."""
_KINDS = {
    0: EntryKind.FILE,
    stat.S_IFREG: EntryKind.FILE,
    stat.S_IFDIR: EntryKind.FOLDER,
    stat.S_IFLNK: EntryKind.LINK,
    stat.S_IFIFO: EntryKind.PIPE,
    stat.S_IFSOCK: EntryKind.SOCKET,
    stat.S_IFCHR: EntryKind.DEVICE,
    stat.S_IFBLK: EntryKind.DEVICE,
}
Extras = dict[int, bytes]


class _List(NamedTuple):
    """The place of the list of entries, from the end record of the archive."""

    disk: int
    list_disk: int
    here: int
    """Entries in this file."""
    entries: int
    """Entries in all files."""
    size: int
    """Bytes."""
    start: int


class _Described(Struct, frozen=True):
    """An entry as described in the list."""

    entry: Entry
    name: bytes
    flags: int
    method: int
    sum: int
    packed: int
    """Bytes of its compressed data in the archive."""
    at: int
    """Offset of its local header."""

    @property
    def follows(self) -> bool:
        """Whether its sizes and checksum follow the data."""
        return bool(self.flags & _SIZE_FOLLOWS)


def members(file: BinaryIO) -> Members:
    """All entries. Raises DamagedError."""
    where = _list_of(file)
    all_described = _described(file, where)
    starts = _starts(file, all_described, where.start)
    for described in all_described:
        yield Member(described.entry, partial(_data, file, described, starts[described.at]))


# -- the end ---------------------------------------------------------------------------------------


def ends_as_zip(file: BinaryIO) -> bool:
    """Whether the file ends with a list of entries, regardless of its first bytes."""
    return bool(_ends(_tail(file)))


def _tail(file: BinaryIO) -> bytes:
    size = file.seek(0, 2)
    file.seek(max(0, size - _END.size - _COMMENT - _PADDING))
    return file.read()


def _ends(tail: bytes) -> list[int]:
    """All offsets of an end record whose comment reaches the last byte, apart from padding."""
    found, at = list[int](), tail.find(b"PK\5\6")
    while 0 <= at <= len(tail) - _END.size:
        end = at + _END.size + int.from_bytes(tail[at + 20 : at + 22], "little")
        if end <= len(tail) and len(tail) - end < _PADDING and not tail[end:].strip(b"\0"):
            found.append(at)
        at = tail.find(b"PK\5\6", at + 1)
    return found


def _list_of(file: BinaryIO) -> _List:
    """Locate the list, which extends to the end record."""
    tail = _tail(file)
    if not (ends := _ends(tail)):
        raise DamagedError("it is cut off, or data follows its end: pack it again")
    if len(ends) > 1 or ends[0] != tail.rfind(b"PK\5\6"):
        raise DamagedError("it has more than one end: pack it again, without a comment")
    _, *fields, _ = _END.unpack_from(tail, ends[0])
    end = file.seek(0, 2) - len(tail) + ends[0]
    where, list_end = _widened(file, _List(*fields), end)
    if where.disk or where.list_disk or where.here != where.entries:
        raise DamagedError(SEVERAL)
    if where.entries > ENTRIES:
        raise DamagedError(f"it holds more than {ENTRIES} files and folders: pack fewer")
    if where.start + where.size != list_end:
        raise DamagedError(ELSEWHERE)
    if where.size > LIST:
        raise DamagedError(f"its list is longer than {size_text(LIST)}: use shorter names")
    return where


def _widened(file: BinaryIO, narrow: _List, end: int) -> tuple[_List, int]:
    """Replace the numbers with those of ZIP64, if any. Also returns the end of the list."""
    locator_at = end - _LOCATOR.size
    record_at = locator_at - _END_64.size
    raw = _at(file, max(0, locator_at), _LOCATOR.size)
    if not raw.startswith(b"PK\6\7"):
        return narrow, end
    _, disk, said_at, disks = _LOCATOR.unpack(raw)
    if disk or disks > 1:
        raise DamagedError(SEVERAL)
    raw = _at(file, max(0, record_at), _END_64.size)
    if said_at != record_at or not raw.startswith(b"PK\6\6"):
        raise DamagedError(ELSEWHERE)
    _, rest, _, _, *fields = _END_64.unpack(raw)
    if rest != _END_64.size - 12:
        raise DamagedError(ELSEWHERE)
    wide, marks = _List(*fields), (_MARK_16,) * 4 + (_MARK_32,) * 2
    if any(one not in (mark, other) for one, mark, other in zip(narrow, marks, wide, strict=True)):
        raise DamagedError(f"its end {TWO_WAYS}")
    return wide, record_at


def _at(file: BinaryIO, place: int, size: int) -> bytes:
    file.seek(place)
    return file.read(size)


# -- the list --------------------------------------------------------------------------------------


def _described(file: BinaryIO, where: _List) -> list[_Described]:
    """All entries of the list, which must fill it."""
    raw, at, found = _at(file, where.start, where.size), 0, list[_Described]()
    while at < len(raw):
        if raw[at : at + 4] != b"PK\1\2" or len(raw) - at < _CENTRAL.size:
            raise DamagedError(DAMAGED)
        fields = _CENTRAL.unpack_from(raw, at)
        name_at = at + _CENTRAL.size
        extra_at = name_at + fields[10]
        comment_at = extra_at + fields[11]
        at = comment_at + fields[12]
        if at > len(raw):
            raise DamagedError(DAMAGED)
        found.append(_one(fields, raw[name_at:extra_at], raw[extra_at:comment_at]))
        if len(found) > where.entries:
            break
    if len(found) != where.entries:
        raise DamagedError(
            "the number of entries in its list differs from the number at its end: pack it again"
        )
    return found


def _one(fields: tuple[int, ...], name: bytes, raw_extras: bytes) -> _Described:
    _, _, version, flags, method, _, _, crc, packed, size, *_ = fields
    disk, _, attributes, at = fields[13:]
    extras = _extras(raw_extras)
    wide = _wide((size, packed, at, disk), extras)
    entry = _entry(_text(name, flags, extras or {}), attributes, wide[0] if wide else size)
    if wide is None or not _agree(entry, extras):
        raise damaged(entry, TWO_WAYS)
    if wide[3]:
        raise DamagedError(SEVERAL)
    _refuse_packing(entry, version, flags, method)
    if entry.kind is EntryKind.FOLDER and (wide[0] or wide[1] > _NOTHING):
        raise damaged(entry, "is a folder with data of its own: pack it again")
    if method == _STORED and wide[0] != wide[1]:
        raise damaged(entry, TWO_WAYS)
    return _Described(
        entry=entry, name=name, flags=flags, method=method, sum=crc, packed=wide[1], at=wide[2]
    )


def _refuse_packing(entry: Entry, version: int, flags: int, method: int) -> None:
    if flags & _ENCRYPTED:
        raise damaged(entry, "is encrypted: pack it without a password")
    if method not in (_STORED, _DEFLATED) or flags & _PATCH or version & 0xFF > _VERSION:
        raise damaged(entry, RARE)


def _entry(name: str, attributes: int, size: int) -> Entry:
    mode = attributes >> 16
    kind = _KINDS.get(stat.S_IFMT(mode), EntryKind.OTHER)
    is_folder = name.endswith("/")
    if kind is EntryKind.FILE and is_folder and not stat.S_IFMT(mode):
        kind = EntryKind.FOLDER
    if attributes & _LABEL:
        kind = EntryKind.OTHER
    entry = Entry(name, kind, size, stat.S_IMODE(mode))
    is_both = (kind is EntryKind.FOLDER) != is_folder or (attributes & _FOLDER and not is_folder)
    if is_both and kind in (EntryKind.FILE, EntryKind.FOLDER):
        raise damaged(entry, "is both a file and a folder: pack it again")
    return entry


def _text(name: bytes, flags: int, extras: Extras) -> str:
    """Decode a name. Without the UTF-8 flag most names are still UTF-8 (those of macOS), or in an
    unspecified DOS code page; another field may hold the name in UTF-8."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        if flags & _UTF_8:
            return name.decode("utf-8", "replace")
    path = extras.get(_UNICODE_PATH, b"")[5:].decode("utf-8", "replace")
    return path if _may_be(name, path) else name.decode("cp437")


def _may_be(name: bytes, path: str) -> bool:
    """Whether a path can be a name in an unknown code page: its plain parts are equal, and the
    others have the same ending (``.py``), which no code page changes."""
    parts, known = name.split(b"/"), [part.encode() for part in path.split("/")]
    return len(parts) == len(known) and all(
        one == other or (not (one.isascii() or other.isascii()) and _ending(one) == _ending(other))
        for one, other in zip(parts, known, strict=True)
    )


def _ending(name: bytes) -> bytes:
    """The ending of a name, such as ``py``; empty if it is not plain ASCII."""
    ending = name.rpartition(b".")[2]
    return ending if ending.isascii() else b""


def _extras(raw: bytes) -> Extras | None:
    """The relevant extra fields by number; None if they are damaged or one of them occurs twice.
    Up to three zeros may follow (zipalign)."""
    found, at = Extras(), 0
    while len(raw) - at >= 4:
        number, size = struct.unpack_from("<2H", raw, at)
        at += 4 + size
        if at > len(raw) or number in found:
            return None
        if number in (_ZIP_64, _UNICODE_PATH, _ASI):
            found[number] = raw[at - size : at]
    return None if raw[at:].strip(b"\0") else found


def _wide(fields: Sequence[int], extras: Extras | None) -> list[int] | None:
    """Size, packed size (place and disk), with marked ones replaced by ZIP64 numbers; None if these
    are missing or differ from the others."""
    if extras is None:
        return None
    raw, found = extras.get(_ZIP_64, b""), list[int]()
    formats = "QQQL"[: len(fields)]
    used = "".join(
        one
        for one, field in zip(formats, fields, strict=True)
        if field == (_MARK_16 if one == "L" else _MARK_32)
    )
    if len(raw) < struct.calcsize(f"<{used}"):
        return None
    numbers = iter(struct.unpack_from(f"<{used}", raw))
    for one, field in zip(formats, fields, strict=True):
        is_marked = field == (_MARK_16 if one == "L" else _MARK_32)
        found.append(next(numbers) if is_marked else field)
    whole = struct.pack(f"<{formats}", *found)
    is_whole = len(raw) == struct.calcsize(f"<{used}") or whole.startswith(raw)
    return found if is_whole else None


def _agree(entry: Entry, extras: Extras | None) -> bool:
    """Whether the extra fields of an entry agree with its other fields."""
    if extras is None:
        return False
    if (path := extras.get(_UNICODE_PATH)) is not None and path[5:] != entry.name.encode():
        return False
    if (asi := extras.get(_ASI)) is not None:
        kind = stat.S_IFMT(int.from_bytes(asi[4:6], "little"))
        return len(asi) >= 6 and _KINDS.get(kind) is entry.kind
    return True


# -- the entries -----------------------------------------------------------------------------------


def _starts(file: BinaryIO, found: Sequence[_Described], end: int) -> dict[int, int]:
    """The data offset of each entry, by the offset of the entry."""
    in_order = sorted(found, key=lambda described: described.at)
    if in_order and in_order[0].at != 0:
        raise DamagedError("there is data before its first entry: pack it again")
    starts = dict[int, int]()
    for described, after in pairwise([*in_order, None]):
        assert described is not None
        starts[described.at] = start = _check_local(file, described)
        gap = (after.at if after else end) - start - described.packed
        if gap < 0:
            raise damaged(described.entry, "shares its data with another entry: pack it again")
        _check_gap(file, described, start + described.packed, gap)
    return starts


def _check_local(file: BinaryIO, described: _Described) -> int:
    """The offset of the data, after checking that the local header agrees with the list."""
    entry = described.entry
    raw = _at(file, described.at, _LOCAL.size)
    if len(raw) < _LOCAL.size or not raw.startswith(b"PK\3\4"):
        raise damaged(entry, TWO_WAYS)
    _, version, flags, method, _, _, crc, packed, size, name_size, extra_size = _LOCAL.unpack(raw)
    name, raw_extras = file.read(name_size), file.read(extra_size)
    start = file.tell()
    _refuse_packing(entry, version, flags, described.method)
    extras = _extras(raw_extras)
    wide = _wide((size, packed), extras)
    ignored = _SPEED | (_UTF_8 if name.isascii() else 0)
    told, known = (crc, *(wide or ())), (described.sum, entry.size, described.packed)
    if (
        wide is None
        or not _agree(entry, extras)
        or (name, method) != (described.name, described.method)
        or (flags ^ described.flags) & ~ignored
        or not (told == known or (described.follows and _is_left_open(told, known)))
    ):
        raise damaged(entry, TWO_WAYS)
    return start


def _is_left_open(told: Sequence[int], known: Sequence[int]) -> bool:
    """Whether each number that follows the data is 0 or correct in the local header."""
    return all(one in (0, other) for one, other in zip(told, known, strict=True))


def _check_gap(file: BinaryIO, described: _Described, at: int, size: int) -> None:
    """Check that only a descriptor, if any, lies between the data and the next entry."""
    raw = _at(file, at, size) if size <= 24 else b""
    numbers = (described.sum, described.packed, described.entry.size)
    for kind in _DESCRIPTORS:
        mark = (_DESCRIPTOR,) if "s" in kind else ()
        if described.follows and struct.calcsize(kind) == size == len(raw):
            if raw == struct.pack(kind, *mark, *numbers):
                return
            raise damaged(described.entry, TWO_WAYS)
    if described.follows and not size:
        raise damaged(described.entry, TWO_WAYS)
    if size:
        raise DamagedError(BETWEEN)


def _data(file: BinaryIO, described: _Described, start: int) -> Iterator[bytes]:
    entry, chunks = described.entry, _packed(file, start, described.packed)
    if described.method == _DEFLATED:
        chunks = _inflated(chunks, entry)
    elif described.follows:
        chunks = _without_end(chunks, entry)
    size, crc = 0, 0
    for chunk in chunks:
        size, crc = size + len(chunk), zlib.crc32(chunk, crc)
        if size > entry.size:
            raise damaged(entry, "is longer than its entry says: pack it again")
        yield chunk
    if (size, crc) != (entry.size, described.sum):
        raise damaged(entry, "does not match its check sum: pack it again")


def _packed(file: BinaryIO, start: int, size: int) -> Iterator[bytes]:
    for at in range(start, start + size, CHUNK):
        yield _at(file, at, min(CHUNK, start + size - at))


def _without_end(chunks: Iterator[bytes], entry: Entry) -> Iterator[bytes]:
    """Pass on uncompressed data whose size follows, and check that it contains no end marker: a
    stream reader would look for that."""
    before = b""
    for chunk in chunks:
        if _DESCRIPTOR in before + chunk:
            raise damaged(entry, "ends at two places: pack it again, with deflate")
        before = chunk[-3:]
        yield chunk


def _inflated(chunks: Iterator[bytes], entry: Entry) -> Iterator[bytes]:
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for chunk in chunks:
            if inflate.eof:  # at a chunk boundary, where `unused_data` is empty
                raise damaged(entry, "has another length than its entry says: pack it again")
            while chunk and not inflate.eof:
                yield inflate.decompress(chunk, CHUNK)
                chunk = inflate.unconsumed_tail
        while not inflate.eof and (rest := inflate.decompress(b"", CHUNK)):
            yield rest
    except zlib.error as error:
        raise damaged(entry, f"cannot be unpacked ({error}): pack it again") from None
    if not inflate.eof or inflate.unused_data:
        raise damaged(entry, "has another length than its entry says: pack it again")
