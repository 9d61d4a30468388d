"""Reading a record line by line. It may be a stranger's: whatever stands in it, reading takes
bounded memory, and what is wrong with it is one sentence.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from functools import cache
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

import msgspec
from msgspec import Struct

from arena.core.steps import Show
from arena.errors import ReplayError
from arena.record.format import FORMAT, Header, Record, encode

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer as Buffer

GZIP = 31
"""What tells `zlib` of the format of gzip."""
MAGIC = b"\x1f\x8b"
"""The first bytes of a compressed file, whatever it is called."""
LINE_LIMIT = 8 << 20
"""Bytes of a line. The longest lines of our games are frames of 10 kB; as objects a line takes at
most 30 times its size."""


class _Version(Struct, tag="header"):
    """All that is read of a header whose format is not known yet."""

    format: int


@cache
def _decoder() -> msgspec.json.Decoder[Record]:
    """Made when a record is read: it takes 6 ms, which a match need not spend."""
    return msgspec.json.Decoder(Record)


def read_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file in order, with their newlines; a last one may be without.

    A compressed file that was cut off ends where it was cut. Raises ReplayError.
    """
    try:
        with open(path, "rb") as file:
            if path.suffix == ".gz" or file.peek(2)[:2] == MAGIC:
                unpacked = cast(BinaryIO, BufferedReader(_Unpacked(file)))
                yield from split_lines(unpacked, str(path))
            else:
                yield from split_lines(file, str(path))
    except (OSError, zlib.error) as error:
        why = getattr(error, "strerror", None) or error
        raise ReplayError(f"cannot read {path}: {why}") from None


class _Unpacked(RawIOBase):
    """What is compressed in a file: in one piece, as the arena writes it, and nothing behind that.
    (The module `gzip` takes any number of empty pieces, and goes through zeros behind them byte by
    byte: for hours, where the file is sparse.)"""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._inflate = zlib.decompressobj(wbits=GZIP)

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Fill some of the buffer; 0 at the end, also where it was cut off."""
        view = memoryview(buffer)
        while not self._inflate.eof:
            packed = self._inflate.unconsumed_tail or self._file.read(len(view))
            if not packed:
                return 0
            if data := self._inflate.decompress(packed, len(view)):
                view[: len(data)] = data
                return len(data)
        if self._inflate.unused_data or self._file.read(1):
            raise OSError("something stands behind what is compressed")
        return 0


def split_lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The lines of a binary file; `name` is for messages. Raises ReplayError for one that is too
    long."""
    number = 0
    while line := file.readline(LINE_LIMIT + 1):
        number += 1
        if len(line) > LINE_LIMIT:
            raise ReplayError(f"{name}, line {number}: longer than {LINE_LIMIT >> 20} MiB")
        yield line


def read_records(path: Path) -> Iterator[tuple[Record, bytes]]:
    """The records of a file in order, each with the line that it stands in.

    A last line without its newline is left out: a killed arena may leave half a line.
    Raises ReplayError naming the line that is no record.
    """
    return decode_lines(read_lines(path), str(path))


def decode_lines(lines: Iterable[bytes], name: str) -> Iterator[tuple[Record, bytes]]:
    """The same from lines with their newlines; `name` is for messages."""
    for number, line in enumerate(lines, 1):
        if number == 1:
            _check_format(line, name)
        if line.endswith(b"\n"):
            yield decode(line[:-1], f"{name}, line {number}"), line[:-1]


def decode(line: bytes, place: str) -> Record:
    """One record from its line. Raises ReplayError naming the place."""
    try:
        record = _decoder().decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ReplayError(f"{place}: no record of a replay: {error}") from None
    except RecursionError:
        raise ReplayError(f"{place}: no record of a replay: it is nested too deep") from None
    if type(record) is Show and type(record.frame.get("round")) is not int:
        raise ReplayError(f"{place}: no record of a replay: a frame without its round")
    return record


def is_canonical(record: Record, line: bytes) -> bool:
    """Whether the arena would write the record as this line, to the byte."""
    try:
        return encode(record) == line
    except (RecursionError, OverflowError):
        return False


def decode_header(line: bytes, name: str) -> Header:
    """The header from the first line of a file. Raises ReplayError."""
    _check_format(line, name)
    header = as_header(decode(line, f"{name}, line 1") if line else None, name)
    if not is_canonical(header, line.removesuffix(b"\n")):
        raise ReplayError(f"{name}, line 1: the arena writes this header in other words")
    return header


def as_header(first: Record | None, name: str) -> Header:
    """The header, which must be the first record. Raises ReplayError when it is not, or is of
    another format."""
    if not isinstance(first, Header):
        raise ReplayError(f"{name} is not a replay: it does not begin with a header")
    _require_format(first.format, name)
    return first


def _check_format(line: bytes, name: str) -> None:
    """Raise ReplayError for the header of another format, which may have other keys than ours."""
    try:
        version = msgspec.json.decode(line, type=_Version)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return  # what is wrong with it is said when it is read as a header
    _require_format(version.format, name)


def _require_format(found: int, name: str) -> None:
    if found != FORMAT:
        raise ReplayError(
            f"{name} has format {found}, this arena reads {FORMAT}: "
            "verify it with the release that wrote it"
        )
