"""Compressed streams, unpacked a chunk at a time: ``.gz``, ``.bz2``, ``.xz``, ``.zst``.

A stream can only be read forwards, never holds more than a chunk, and raises DamagedError for what
is cut off, damaged, or followed by something else.
"""

from __future__ import annotations

import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import BinaryIO, Protocol

from arena.bots.archives.members import CHUNK, DamagedError

MEMORY = 128 << 20
"""Bytes that unpacking may take: ``xz -9`` takes 65 MiB, and a stream may ask for 4 GiB."""


class Decoder(Protocol):
    """One compressed stream: the interface that `bz2` and `lzma` share."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class Gunzip:
    """`zlib` behind that interface."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        """Whether the stream has come to its end."""
        return self._decoder.eof

    @property
    def unused_data(self) -> bytes:
        """What follows its end."""
        return self._decoder.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """At most so many bytes more."""
        out = self._decoder.decompress(self._decoder.unconsumed_tail + data, max_length)
        self.needs_input = not self._decoder.unconsumed_tail and len(out) < max_length
        return out


def unxz() -> Decoder:
    """A decoder for ``.xz`` that takes `MEMORY` at most."""
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY)


def plain(file: BinaryIO) -> Iterator[bytes]:
    """A stream that is not compressed."""
    while chunk := file.read(CHUNK):
        yield chunk


def unpacked(file: BinaryIO, new: Callable[[], Decoder]) -> Iterator[bytes]:
    """What is in one stream or in several, one after the other."""
    decoder, data = new(), file.read(CHUNK)
    try:
        while data:
            yield from _one(decoder, data, file)
            data = decoder.unused_data or file.read(CHUNK)
            if data and not data.strip(b"\0"):
                data = _after_padding(file)
            decoder = new()
    except Exception as error:  # each decoder has an error of its own
        raise DamagedError(f"it cannot be unpacked ({error}): pack it anew") from None


def _one(decoder: Decoder, data: bytes, file: BinaryIO) -> Iterator[bytes]:
    while not decoder.eof:
        if chunk := decoder.decompress(data, CHUNK):
            yield chunk
        data = b""
        if decoder.needs_input and not decoder.eof:
            data = file.read(CHUNK)
            if not data:
                raise EOFError("it is cut off")


def _after_padding(file: BinaryIO) -> bytes:
    """What follows zeros to the end of a block, as tapes have them: nothing."""
    while chunk := file.read(CHUNK):
        if chunk.strip(b"\0"):
            raise EOFError("more follows its end")
    return b""


class Forward:
    """What `tarfile` needs of a file, over chunks that come one after the other."""

    def __init__(self, chunks: Iterator[bytes], largest: int) -> None:
        self._chunks = chunks
        self._largest = largest
        """Bytes that may be asked for at a time."""
        self._ahead = b""
        self._at = 0
        self.last = b""
        """What was read last."""

    def tell(self) -> int:
        """Bytes read so far."""
        return self._at

    def read(self, size: int) -> bytes:
        """So many bytes, less at the end."""
        if size > self._largest:
            raise DamagedError("it has a name or header that is too long: pack it anew")
        while len(self._ahead) < size and (chunk := next(self._chunks, b"")):
            self._ahead += chunk
        self.last, self._ahead = self._ahead[:size], self._ahead[size:]
        self._at += len(self.last)
        return self.last

    def seek(self, place: int) -> int:
        """Go on to a place ahead, or to the end."""
        while self._at < place and self.read(min(CHUNK, place - self._at)):
            pass
        return self._at
