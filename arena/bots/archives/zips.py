"""The entries of a ``.zip``.

`zipfile` reads the list at its end; where each entry's data lies and how long it is, is compared
here with what stands before the data. The entries must fill the file without a gap and without
sharing a byte: so there is one way to read it, entries that share their data (a bomb) are seen
before anything is unpacked, and nothing hides between them.
"""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import BinaryIO

from arena.bots.archives.members import CHUNK, DamagedError, Member, Members, damaged
from arena.bots.archives.rules import ENTRIES, Entry, Kind

LIST = 4 << 20
"""Bytes of the list of entries: a few hundred for each."""
_END = b"PK\5\6"
_END_SIZE = 22
_COMMENT = 0xFFFF
_LOCAL = struct.Struct("<4s5HLLLHH")
_DESCRIPTOR = 24
"""Bytes that may follow the data of an entry whose size was not known before it."""
_ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13
_SIZE_FOLLOWS = 1 << 3
_KINDS = {
    0: Kind.FILE,
    stat.S_IFREG: Kind.FILE,
    stat.S_IFDIR: Kind.FOLDER,
    stat.S_IFLNK: Kind.LINK,
    stat.S_IFIFO: Kind.PIPE,
    stat.S_IFSOCK: Kind.SOCKET,
    stat.S_IFCHR: Kind.DEVICE,
    stat.S_IFBLK: Kind.DEVICE,
}


def members(file: BinaryIO) -> Members:
    """All entries. Raises DamagedError."""
    end = _check_end(file)
    try:
        with zipfile.ZipFile(file) as archive:
            infos = archive.infolist()
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
        raise DamagedError(f"its list of entries is damaged ({error}): pack it anew") from None
    places = _places(file, infos, end)
    for info in infos:
        entry = _entry(info)
        yield Member(entry, partial(_data, file, info, entry, places[info.header_offset]))


def ends_as_zip(file: BinaryIO) -> bool:
    """Whether the file ends with a list of entries, whatever it begins with."""
    tail = _tail(file)
    at = tail.rfind(_END)
    return 0 <= at <= len(tail) - _END_SIZE and at + _END_SIZE + _comment(tail, at) == len(tail)


def _tail(file: BinaryIO) -> bytes:
    size = file.seek(0, 2)
    file.seek(max(0, size - _END_SIZE - _COMMENT))
    return file.read()


def _comment(tail: bytes, at: int) -> int:
    return int.from_bytes(tail[at + 20 : at + 22], "little")


def _check_end(file: BinaryIO) -> int:
    """Where the list of entries begins."""
    if not ends_as_zip(file):
        raise DamagedError("it is cut off, or more follows its end: pack it anew")
    tail = _tail(file)
    at = tail.rfind(_END)
    disk, list_disk, _, count, size, start = struct.unpack_from("<4HLL", tail, at + 4)
    if disk or list_disk:
        raise DamagedError("it is one part of several: pack all into one file")
    if count > ENTRIES or size > LIST or start == 0xFFFFFFFF:
        raise DamagedError(f"it holds more than {ENTRIES} files and folders: pack fewer")
    if start + size != file.seek(0, 2) - len(tail) + at:
        raise DamagedError("its list of entries is not where it says: pack it anew")
    return int(start)


def _entry(info: zipfile.ZipInfo) -> Entry:
    mode = info.external_attr >> 16
    kind = _KINDS.get(stat.S_IFMT(mode), Kind.OTHER)
    is_folder = info.orig_filename.endswith("/")
    if kind is Kind.FILE and is_folder and not stat.S_IFMT(mode):
        kind = Kind.FOLDER
    entry = Entry(info.orig_filename, kind, info.file_size, stat.S_IMODE(mode))
    if info.flag_bits & _ENCRYPTED:
        raise damaged(entry, "is encrypted: pack it without a password")
    if (kind is Kind.FOLDER) != is_folder and kind in (Kind.FILE, Kind.FOLDER):
        raise damaged(entry, "is both a file and a folder: pack it anew")
    if kind is Kind.FOLDER and info.file_size:
        raise damaged(entry, "is a folder with data of its own: pack it anew")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise damaged(entry, "is packed by a rare method: pack it with deflate, as zip does")
    return entry


def _places(file: BinaryIO, infos: list[zipfile.ZipInfo], end: int) -> dict[int, int]:
    """Where the data of each entry begins, by where the entry begins."""
    begins, before = {}, 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < before:
            raise damaged(_entry(info), "shares its data with another entry: pack it anew")
        begins[info.header_offset] = _check_local(file, info)
        before = begins[info.header_offset] + info.compress_size
    starts = [*sorted(begins), end]
    if starts[0] != 0:
        raise DamagedError("something lies before its first entry: pack it anew")
    lengths = {info.header_offset: info.compress_size for info in infos}
    for start, after in pairwise(starts):
        gap = after - begins[start] - lengths[start]
        if not 0 <= gap <= _DESCRIPTOR:
            raise DamagedError("something lies between its entries: pack it anew")
    return begins


def _check_local(file: BinaryIO, info: zipfile.ZipInfo) -> int:
    """Where the data begins, behind a description that must agree with that in the list."""
    file.seek(info.header_offset)
    raw = file.read(_LOCAL.size)
    if len(raw) < _LOCAL.size:
        raise damaged(_entry(info), "is cut off: pack it anew")
    magic, _, flags, method, _, _, crc, packed, size, name_size, more = _LOCAL.unpack(raw)
    name = file.read(name_size).decode("utf-8" if flags & 0x800 else "cp437", "replace")
    told = (crc, packed, size)
    is_known = not info.flag_bits & _SIZE_FOLLOWS and 0xFFFFFFFF not in told
    if (
        (magic, method, name) != (b"PK\3\4", info.compress_type, info.orig_filename)
        or flags & _SIZE_FOLLOWS != info.flag_bits & _SIZE_FOLLOWS
        or (is_known and told != (info.CRC, info.compress_size, info.file_size))
    ):
        raise damaged(_entry(info), "is described in two ways that differ: pack it anew")
    return file.tell() + int(more)


def _data(file: BinaryIO, info: zipfile.ZipInfo, entry: Entry, start: int) -> Iterator[bytes]:
    chunks = _packed(file, start, info.compress_size)
    if info.compress_type == zipfile.ZIP_DEFLATED:
        chunks = _inflated(chunks, entry)
    size, crc = 0, 0
    for chunk in chunks:
        size, crc = size + len(chunk), zlib.crc32(chunk, crc)
        if size > info.file_size:
            raise damaged(entry, "is longer than it says: pack it anew")
        yield chunk
    if (size, crc) != (info.file_size, info.CRC):
        raise damaged(entry, "is not what its check sum says: pack it anew")


def _packed(file: BinaryIO, start: int, size: int) -> Iterator[bytes]:
    for at in range(start, start + size, CHUNK):
        file.seek(at)
        yield file.read(min(CHUNK, start + size - at))


def _inflated(chunks: Iterator[bytes], entry: Entry) -> Iterator[bytes]:
    inflate = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        for chunk in chunks:
            while chunk and not inflate.eof:
                yield inflate.decompress(chunk, CHUNK)
                chunk = inflate.unconsumed_tail
        while not inflate.eof and (rest := inflate.decompress(b"", CHUNK)):
            yield rest
    except zlib.error as error:
        raise damaged(entry, f"cannot be unpacked ({error}): pack it anew") from None
    if not inflate.eof or inflate.unused_data:
        raise damaged(entry, "is not as long as it says: pack it anew")
