"""From the first bytes of an archive to what unpacks it."""

from __future__ import annotations

import bz2
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from arena.bots.archives import rars, tars, zips
from arena.bots.archives.members import INPUT, DamagedError, Foreign, Members
from arena.bots.archives.signatures import (
    BZIP2,
    EMPTY_ZIP,
    GZIP,
    HEAD,
    NAMES,
    RAR,
    XZ,
    ZIP,
    ZST,
    is_archive,
)
from arena.bots.archives.streams import MEMORY, Decoder, Gunzip, plain, unpacked, unxz

STREAMS: dict[bytes, Callable[[], Decoder]] = {
    GZIP: Gunzip,
    BZIP2: bz2.BZ2Decompressor,
    XZ: unxz,
}
"""What a stream begins with, and what unpacks it."""


@contextmanager
def opened(file: BinaryIO, foreign: Foreign) -> Iterator[Members]:
    """The entries of an archive, for the time of a ``with``. Raises DamagedError."""
    head = file.read(HEAD)
    if head.startswith(EMPTY_ZIP):
        raise DamagedError("it is empty: pack the bot's folder")
    if head.startswith(ZIP):
        yield zips.members(file)
        return
    if not is_archive(head):
        raise DamagedError(f"it is no archive: pack the bot as {', '.join(NAMES)}")
    if zips.ends_as_zip(file):
        raise DamagedError("it begins as one kind of archive and ends as another: pack it anew")
    is_rar = head.startswith(RAR)
    with rars.opened(file, foreign) if is_rar else _tar(file, head, foreign) as members:
        yield members


@contextmanager
def _tar(file: BinaryIO, head: bytes, foreign: Foreign) -> Iterator[Members]:
    file.seek(0)
    if head.startswith(ZST):
        with _zstandard(file, foreign) as chunks:
            yield tars.members(chunks)
        return
    new = next((new for begin, new in STREAMS.items() if head.startswith(begin)), None)
    yield tars.members(unpacked(file, new) if new else plain(file))


@contextmanager
def _zstandard(file: BinaryIO, foreign: Foreign) -> Iterator[Iterator[bytes]]:
    """The chunks of a ``.zst``: by Python where it can, else by the program, behind walls."""
    if (new := decoder_of_zstandard()) is not None:
        yield unpacked(file, new)
        return
    if (program := shutil.which("zstd")) is None:
        raise DamagedError("nothing here unpacks .zst: install zstd, or pack it as .tar.gz")
    memory = f"--memory={MEMORY >> 20}M"
    command = (program, "-d", "-q", memory, "-o", "../out/tar", INPUT)
    with foreign(file, command) as folder, (folder / "tar").open("rb") as tar:
        yield plain(tar)


def decoder_of_zstandard() -> Callable[[], Decoder] | None:
    """Python's own from 3.14 on, or `backports.zstd`; None when there is neither."""
    try:
        from compression import zstd
    except ImportError:
        try:
            from backports import zstd
        except ImportError:
            return None
    options = {zstd.DecompressionParameter.window_log_max: MEMORY.bit_length() - 1}
    return lambda: zstd.ZstdDecompressor(options=options)  # type: ignore[no-any-return, unused-ignore]
