"""Reads the lines and records of a file, many at once.

The file may come from a stranger: whatever it contains, reading takes bounded memory, and an error
is one sentence.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from arena.core.steps import Show
from arena.errors import ReplayError
from arena.record.format import FORMAT, Header, Record, encode
from arena.text import size_text

GZIP = 31
"""The `wbits` value by which `zlib` reads the gzip format."""
MAGIC = b"\x1f\x8b"
"""The first bytes of a compressed file, whatever its name."""
PIECE = 1 << 16
"""Bytes to read at once."""
MAX_LINE = 8 << 20
"""Maximum bytes of a line. The longest lines of our games are frames of 10 KiB; as objects, a line
takes at most 30 times its size."""


MAX_UNPACKED = 4 << 30
"""Maximum unpacked bytes of a compressed record. (Most matches have less than 64 MiB; a stranger's
file may unpack to a thousand times its size.)"""


def open_plain(path: Path) -> BufferedReader:
    """Open a plain file for reading. (A pipe or a device could block its reader for ever.) Raises
    OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise OSError(errno.EINVAL, "it is not an ordinary file, but a folder, a pipe or a device")


class CutOff(Exception):
    """A compressed file ends before its compressed stream does."""


def read_blocks(path: Path, *, whole: bool = False) -> Iterator[bytes]:
    """The bytes of a file in blocks of whole lines; the last line may lack its newline.

    A truncated compressed file ends where it was cut; with `whole`, that raises CutOff. Raises
    ReplayError.
    """
    try:
        with open_plain(path) as file:
            packed = path.suffix == ".gz" or file.peek(2)[:2] == MAGIC
            yield from split_blocks((_unpacked if packed else read_pieces)(file), str(path))
    except CutOff:
        if whole:
            raise
    except (OSError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise ReplayError(f"cannot read {path}: {why}") from None


def read_pieces(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file, in pieces."""
    while piece := file.read(PIECE):
        yield piece


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    """The unpacked bytes of a file that must be one stream, as the arena writes it, and no more.

    (The module `gzip` accepts any number of empty streams, and skips zeros after them byte by byte,
    which takes hours in a sparse file.)"""
    inflate, size = zlib.decompressobj(wbits=GZIP), 0
    while not inflate.eof:
        packed = inflate.unconsumed_tail or file.read(PIECE)
        if not packed:
            raise CutOff
        piece = inflate.decompress(packed, PIECE)
        size += len(piece)
        if size > MAX_UNPACKED:
            limit = size_text(MAX_UNPACKED)
            raise OSError(f"it has more than {limit} when unpacked: unpack it yourself with gunzip")
        yield piece
    if inflate.unused_data or file.read(1):
        raise OSError("data follows the compressed data")


def split_blocks(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Whole lines, many at once, and an unfinished last line by itself; `name` is for messages.
    Raises ReplayError for a line that is too long."""
    number, rest = 1, bytearray()
    for piece in pieces:
        if end := piece.rfind(b"\n") + 1:
            block = b"".join((rest, piece[:end]))
            _check_length(block.index(b"\n") + 1, name, number)
            yield block
            number += block.count(b"\n")
            rest.clear()
        rest += piece[end:]
        _check_length(len(rest), name, number)
    if rest:
        yield bytes(rest)


def _check_length(length: int, name: str, number: int) -> None:
    if length > MAX_LINE:
        raise ReplayError(f"{name}, line {number}: longer than {size_text(MAX_LINE)}")


class RecordLines:
    """The lines of blocks in order: any number of expected lines at once, or the next line."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._data = b""
        self._at = 0
        """The offset of the next line in the data."""
        self._before = hashlib.sha256()
        """The hash of everything before the data."""
        self.was_cut_off = False
        """Whether the compressed file was found to be truncated."""

    def has(self, wanted: bytes) -> bool:
        """Whether these lines come next. If so, takes them."""
        while len(self._data) - self._at < len(wanted) and self._fill():
            pass
        if not self._data.startswith(wanted, self._at):
            return False
        self._at += len(wanted)
        return True

    def line(self) -> bytes:
        """The next line with its newline, which the last line may lack. Empty at the end."""
        if self._at == len(self._data):
            self._fill()
        start = self._at
        self._at = self._data.find(b"\n", start) + 1 or len(self._data)
        return self._data[start : self._at]

    def sha256_before(self, line: bytes) -> str:
        """The SHA-256, in hexadecimal, of everything before the line that was taken last."""
        written = self._before.copy()
        written.update(self._data[: self._at - len(line)])
        return written.hexdigest()

    def _fill(self) -> bool:
        """Read the next block. False at the end."""
        block = b""
        try:
            block = next(self._blocks, b"")
        except CutOff:
            self.was_cut_off = True
        self._before.update(self._data[: self._at])
        self._data, self._at = self._data[self._at :] + block, 0
        return block != b""


# The records of a file.


class _Version(Struct, frozen=True, tag="header"):
    """The only part of a header that is read before its format is known."""

    format: int


@cache
def _decoder() -> msgspec.json.Decoder[Record]:
    """The decoder of records, created on first use: it takes 6 ms, which a match need not spend."""
    return msgspec.json.Decoder(Record)


def read_records(path: Path, *, largest: int = sys.maxsize) -> Iterator[Record]:
    """The records of a file in order.

    A last line without its newline is skipped: a killed arena may leave half a line.
    Raises ReplayError naming the line that is not a record, and for more bytes than `largest`.
    """
    return decode_blocks(read_blocks(path), str(path), largest=largest)


def decode_blocks(
    blocks: Iterable[bytes], name: str, *, largest: int = sys.maxsize
) -> Iterator[Record]:
    """The records in blocks of whole lines; `name` is for messages. Raises as `read_records`."""
    size, number = 0, 1
    for block in blocks:
        size += len(block)
        if size > largest:  # a stranger's file of 1 MiB may hold 6 million records
            raise ReplayError(
                f"{name}: more than {size_text(largest)} of records, too many to hold at once: "
                "only arena verify reads them"
            )
        if number == 1:
            _check_format(block.partition(b"\n")[0], name)
        if block.endswith(b"\n"):
            yield from _decode_block(block, name, number)
            number += block.count(b"\n")


def _decode_block(block: bytes, name: str, number: int) -> list[Record]:
    """Decode a block in one go, which takes a third of the time of line by line."""
    try:
        records = _decoder().decode_lines(block)
        shows = [record for record in records if type(record) is Show]
        if len(records) == block.count(b"\n") and all(map(_has_round, shows)):
            return records
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass  # decode line by line, to name the wrong line
    lines = enumerate(BytesIO(block), number)
    return [decode(line[:-1], f"{name}, line {place}") for place, line in lines]


def decode(line: bytes, place: str) -> Record:
    """One record from its line. Raises ReplayError naming the place."""
    try:
        record = _decoder().decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ReplayError(f"{place}: not a line of a replay: {error}") from None
    except RecursionError:
        raise ReplayError(f"{place}: not a line of a replay: it is nested too deep") from None
    if type(record) is Show and not _has_round(record):
        raise ReplayError(f"{place}: not a line of a replay: a frame without its round")
    return record


def _has_round(show: Show) -> bool:
    return type(show.frame.get("round")) is int


def is_canonical(record: Record, line: bytes) -> bool:
    """Whether the line is, byte for byte, how the arena writes the record."""
    try:
        return encode(record) == line
    except (RecursionError, OverflowError):
        return False


def decode_header(line: bytes, name: str) -> Header:
    """The header from the first line of a file. Raises ReplayError."""
    _check_format(line, name)
    header = as_header(decode(line, f"{name}, line 1") if line else None, name)
    if not is_canonical(header, line.removesuffix(b"\n")):
        raise ReplayError(f"{name}, line 1: the arena writes this header differently")
    return header


def as_header(first: Record | None, name: str) -> Header:
    """The header, which must be the first record. Raises ReplayError when it is missing, or has
    another format."""
    if not isinstance(first, Header):
        raise ReplayError(f"{name} is not a replay: it does not begin with a header")
    _require_format(first.format, name)
    return first


def _check_format(line: bytes, name: str) -> None:
    """Raise ReplayError for a header of another format, whose keys may differ from ours."""
    try:
        version = msgspec.json.decode(line, type=_Version)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return  # reading it as a header reports the problem
    _require_format(version.format, name)


def _require_format(found: int, name: str) -> None:
    if found != FORMAT:
        raise ReplayError(
            f"{name} has format {found}, this arena reads {FORMAT}: "
            "verify it with the release that wrote it"
        )
