"""The lines of a record, many at once. It may be a stranger's: whatever stands in it, reading takes
bounded memory.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import zlib
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from arena.errors import ReplayError
from arena.text import size_text

GZIP = 31
"""What tells `zlib` of the format of gzip."""
MAGIC = b"\x1f\x8b"
"""The first bytes of a compressed file, whatever it is called."""
PIECE = 1 << 16
"""Bytes that are read at once."""
LINE_LIMIT = 8 << 20
"""Bytes of a line. The longest lines of our games are frames of 10 KiB; as objects a line takes at
most 30 times its size."""


LARGEST_UNPACKED = 4 << 30
"""Bytes of a compressed record when it is unpacked. (Matches have less than 64 MiB as a rule; a
stranger's file may have a thousand bytes for each of its own.)"""


def open_plain(path: Path) -> BufferedReader:
    """A plain file, open to be read. (A pipe or a device may keep its reader for ever.) Raises
    OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise OSError(errno.EINVAL, "it is no plain file, but a folder, a pipe or a device")


class CutOff(Exception):
    """A compressed file ends before what is compressed in it does."""


def read_blocks(path: Path, *, whole: bool = False) -> Iterator[bytes]:
    """The bytes of a file in blocks of whole lines; a last line may be without its newline.

    A compressed file that was cut off ends where it was cut; if it should be `whole`, that raises
    CutOff. Raises ReplayError.
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
    """The bytes of a file."""
    while piece := file.read(PIECE):
        yield piece


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    """What is compressed in a file: in one stream, as the arena writes it, and nothing behind that.
    (The module `gzip` takes any number of empty ones, and goes through zeros behind them byte by
    byte: for hours, where the file is sparse.)"""
    inflate, size = zlib.decompressobj(wbits=GZIP), 0
    while not inflate.eof:
        packed = inflate.unconsumed_tail or file.read(PIECE)
        if not packed:
            raise CutOff
        piece = inflate.decompress(packed, PIECE)
        size += len(piece)
        if size > LARGEST_UNPACKED:
            limit = size_text(LARGEST_UNPACKED)
            raise OSError(f"it has more than {limit} when unpacked: unpack it yourself with gunzip")
        yield piece
    if inflate.unused_data or file.read(1):
        raise OSError("something stands behind what is compressed")


def split_blocks(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Whole lines, many at once, and half a line at the end by itself; `name` is for messages.
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
    if length > LINE_LIMIT:
        raise ReplayError(f"{name}, line {number}: longer than {size_text(LINE_LIMIT)}")


class Source:
    """The lines of such blocks in order: those that are expected, however many, or the next one."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self._blocks = blocks
        self._data = b""
        self._at = 0
        """Where in the data the next line begins."""
        self._before = hashlib.sha256()
        """Of all before the data."""
        self.was_cut_off = False
        """Whether the file was found to end before what is compressed in it does."""

    def has(self, wanted: bytes) -> bool:
        """Whether these lines come next. If they do, they are taken."""
        while len(self._data) - self._at < len(wanted) and self._fill():
            pass
        if not self._data.startswith(wanted, self._at):
            return False
        self._at += len(wanted)
        return True

    def line(self) -> bytes:
        """The next line with its newline; a last one may be without. Empty at the end."""
        if self._at == len(self._data):
            self._fill()
        start = self._at
        self._at = self._data.find(b"\n", start) + 1 or len(self._data)
        return self._data[start : self._at]

    def sha256_before(self, line: bytes) -> str:
        """The SHA-256, in hexadecimal, of all before the line that was taken last."""
        written = self._before.copy()
        written.update(self._data[: self._at - len(line)])
        return written.hexdigest()

    def _fill(self) -> bool:
        """Read on. False at the end."""
        block = b""
        try:
            block = next(self._blocks, b"")
        except CutOff:
            self.was_cut_off = True
        self._before.update(self._data[: self._at])
        self._data, self._at = self._data[self._at :] + block, 0
        return block != b""
