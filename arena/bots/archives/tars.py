"""The entries of a ``.tar``, read as a stream by `tarfile`, and never extracted by it."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from functools import partial
from typing import IO, cast

from arena.bots.archives.members import CHUNK, DamagedError, Member, Members, damaged
from arena.bots.archives.rules import Entry, Kind
from arena.bots.archives.streams import Forward

BLOCK = tarfile.BLOCKSIZE
_KINDS = {
    tarfile.REGTYPE: Kind.FILE,
    tarfile.AREGTYPE: Kind.FILE,
    tarfile.DIRTYPE: Kind.FOLDER,
    tarfile.LNKTYPE: Kind.LINK,
    tarfile.SYMTYPE: Kind.LINK,
    tarfile.CHRTYPE: Kind.DEVICE,
    tarfile.BLKTYPE: Kind.DEVICE,
    tarfile.FIFOTYPE: Kind.PIPE,
    tarfile.GNUTYPE_SPARSE: Kind.SPARSE,
}


def members(chunks: Iterator[bytes]) -> Members:
    """All entries of the stream. Raises DamagedError."""
    stream = Forward(chunks, CHUNK)
    try:
        archive = tarfile.TarFile(fileobj=cast("IO[bytes]", stream), mode="r")
        while (info := archive.next()) is not None:
            entry = _entry(info)
            yield Member(entry, partial(_data, stream, entry))
            archive.members.clear()  # type: ignore[attr-defined]  # it would keep them all
    except (tarfile.TarError, ValueError, OverflowError) as error:
        raise DamagedError(f"it is cut off or damaged ({error}): pack it anew") from None
    _check_end(stream)


def _entry(info: tarfile.TarInfo) -> Entry:
    kind = Kind.SPARSE if info.issparse() else _KINDS.get(info.type, Kind.OTHER)
    return Entry(info.name, kind, info.size, info.mode & 0o7777)


def _data(stream: Forward, entry: Entry) -> Iterator[bytes]:
    left = entry.size
    while left:
        chunk = stream.read(min(CHUNK, left))
        if not chunk:
            raise damaged(entry, "is cut off: pack it anew")
        left -= len(chunk)
        yield chunk


def _check_end(stream: Forward) -> None:
    """It must end with blocks of zeros: `tarfile` also takes a damaged header for the end."""
    if len(stream.last) != BLOCK or stream.last.strip(b"\0"):
        raise DamagedError("it is cut off or damaged: pack it anew")
    while chunk := stream.read(CHUNK):
        if chunk.strip(b"\0"):
            raise DamagedError("more follows its end: pack it anew")
