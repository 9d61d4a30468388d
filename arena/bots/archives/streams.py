"""Compressed streams, unpacked a chunk at a time: ``.gz``, ``.bz2``, ``.xz``, ``.zst``.

A stream can only be read forwards, never holds more than a chunk, counts each byte it yields, and
raises DamagedError for data that is truncated, damaged, or followed by something else.
"""

from __future__ import annotations

import bz2
import lzma
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Protocol

from arena.bots.archives.rules import (
    CHUNK,
    ENTRIES,
    INPUT,
    DamagedError,
    RunUnpacker,
    UnpackingBudget,
    left_behind,
)
from arena.bots.archives.signatures import BZIP2, GZIP, XZ, ZST

UNPACKING_MEMORY = 128 << 20
"""Bytes of memory for unpacking: ``xz -9`` takes 65 MiB, but a stream may ask for 4 GiB."""
PIECES = ENTRIES
"""Maximum concatenated streams in one file: ``bgzip`` starts one every 64 KiB."""


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
    """Adapter from `zlib` to `Decoder`."""

    def __init__(self) -> None:
        self._decoder = zlib.decompressobj(16 + zlib.MAX_WBITS)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return self._decoder.eof

    @property
    def unused_data(self) -> bytes:
        """The data after the end of the stream."""
        return self._decoder.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """Decompress at most `max_length` more bytes."""
        out = self._decoder.decompress(self._decoder.unconsumed_tail + data, max_length)
        self.needs_input = not self._decoder.unconsumed_tail
        return out


def _unxz() -> Decoder:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=UNPACKING_MEMORY)


def decoder_of_zstandard() -> Callable[[], Decoder] | None:
    """The zstd decoder of Python 3.14 or `backports.zstd`; None without either."""
    try:
        from compression import zstd
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            return None
    options = {zstd.DecompressionParameter.window_log_max: UNPACKING_MEMORY.bit_length() - 1}
    return lambda: zstd.ZstdDecompressor(options=options)  # type: ignore[no-any-return, unused-ignore]


_DECODERS: dict[bytes, Callable[[], Decoder]] = {
    GZIP: Gunzip,
    BZIP2: bz2.BZ2Decompressor,
    XZ: _unxz,
}


@contextmanager
def stream_of(
    file: BinaryIO, head: bytes, run_unpacker: RunUnpacker, budget: UnpackingBudget
) -> Iterator[Iterator[bytes]]:
    """The unpacked chunks of a file that begins with `head`, for the duration of a ``with``. Yields
    an uncompressed file unchanged."""
    file.seek(0)
    new = next((new for begin, new in _DECODERS.items() if head.startswith(begin)), None)
    if head.startswith(ZST) and (new := decoder_of_zstandard()) is None:
        with _unzstd(file, run_unpacker) as plain:
            yield _counted(plain, budget)
    else:
        yield _unpacked(file, new, budget) if new else _counted(file, budget)


@contextmanager
def _unzstd(file: BinaryIO, run_unpacker: RunUnpacker) -> Iterator[BinaryIO]:
    """The output of the program zstd, which runs behind walls."""
    if (program := shutil.which("zstd")) is None:
        raise DamagedError(
            "no program on this machine unpacks .zst: install zstd, or pack it as .tar.gz"
        )
    memory = f"--memory={UNPACKING_MEMORY >> 20}M"
    command = (program, "-d", "-q", memory, "-o", "../out/tar", INPUT)
    with run_unpacker(file, command) as folder, left_behind(folder / "tar") as plain:
        yield plain


def _counted(file: BinaryIO, budget: UnpackingBudget) -> Iterator[bytes]:
    while chunk := file.read(CHUNK):
        budget.stream(len(chunk))
        yield chunk


def _unpacked(
    file: BinaryIO, new: Callable[[], Decoder], budget: UnpackingBudget
) -> Iterator[bytes]:
    """The data of one or several concatenated streams."""
    data, pieces = file.read(CHUNK), 0
    try:
        while data:
            decoder, pieces = new(), pieces + 1
            if pieces > PIECES:
                raise EOFError(f"it is packed in more than {PIECES} pieces")
            yield from _one(decoder, data, file, budget)
            data = decoder.unused_data or file.read(CHUNK)
            if data and not data.strip(b"\0"):
                data = _after_padding(file)
    except DamagedError:
        raise
    except Exception as error:  # each decoder raises its own errors
        raise DamagedError(f"it cannot be unpacked ({error}): pack it again") from None


def _one(decoder: Decoder, data: bytes, file: BinaryIO, budget: UnpackingBudget) -> Iterator[bytes]:
    while not decoder.eof:
        chunk = decoder.decompress(data, CHUNK)
        budget.stream(len(chunk))
        yield chunk
        data = b""
        if decoder.needs_input and not decoder.eof:
            data = file.read(CHUNK)
            if not data:
                raise EOFError("it is cut off")


def _after_padding(file: BinaryIO) -> bytes:
    """Read zero padding to the end, as on tapes; raise EOFError if anything else follows."""
    while chunk := file.read(CHUNK):
        if chunk.strip(b"\0"):
            raise EOFError("data follows its end")
    return b""
