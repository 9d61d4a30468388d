"""Bots by content: packed by the judge, sent to each worker once, unpacked there and built.

A parcel is a tar file that holds only names, contents and executable bits. It is named by the
address of the bot (`arena.bots.address`), which a worker verifies when it unpacks the parcel.

The date of ``ADDRESS/`` in the store of a worker is its last use. Bots that no match has used for
long are removed, and so are the oldest if all together are too large (`clear_cache`).
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import stat
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

from msgspec import Meta, Struct

from arena.bots.address import content_address, files_of, is_intact, publish
from arena.bots.cache import clear_cache, date_of
from arena.bots.content import FILES, SIZE
from arena.errors import BotError
from arena.sandbox.keeper import tempdirs
from arena.text import printable

MAX_PARCEL_SIZE = SIZE + FILES * 4096
"""Maximum bytes of a parcel: a bot, plus headers, a long name and padding for each file."""

_ADDRESS = re.compile("[0-9a-f]{64}")


class Address(Struct, frozen=True, forbid_unknown_fields=True):
    """Identifies a bot by the address of its content and the name of its folder. Both become parts
    of a path, so decoding rejects values that would lead elsewhere."""

    digest: Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    name: Annotated[str, Meta(pattern=r"\A(?!\.{1,2}\Z)[^/\x00]+\Z", max_length=255)]


def address_of(source: Path) -> Address:
    """The address of a bot (a file or a folder). Raises BotError."""
    try:
        digest = content_address(source)
    except OSError as error:
        raise _unreadable(source, error) from None
    return Address(digest, printable(source.name if source.is_dir() else source.stem))


def pack(source: Path, parcel: Path) -> None:
    """Write a bot to a new parcel. Raises BotError if it contains anything but plain files."""
    with tarfile.open(parcel, "x", format=tarfile.PAX_FORMAT) as tar:
        for name, path in files_of(source).items():
            tar.addfile(*_entry(name, path))


def _entry(name: str, path: Path) -> tuple[tarfile.TarInfo, io.BytesIO]:
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise BotError(f"{path} is not an ordinary file, and cannot be sent: replace it")
        data = path.read_bytes()
    except OSError as error:
        raise _unreadable(path, error) from None
    entry = tarfile.TarInfo(name)
    entry.mode = 0o755 if os.access(path, os.X_OK) else 0o644
    entry.size = len(data)
    return entry, io.BytesIO(data)


def _unreadable(path: Path, error: OSError) -> BotError:
    return BotError(f"cannot read {path}: {error.strerror}: hand the same bot in again")


def place_of(store: Path, address: Address) -> Path:
    """The path of a bot in the store of a worker."""
    return store / address.digest / address.name


def has_bot(store: Path, address: Address) -> bool:
    """Whether the store has a bot; from now on it counts as used."""
    place = place_of(store, address)
    if not is_intact(place):
        return False
    with contextlib.suppress(OSError):
        os.utime(place.parent)
    return True


def unpack(store: Path, address: Address, parcel: Path) -> Path:
    """Unpack a bot into the store, unless it is there already. Raises BotError for a parcel that
    was changed in transit."""
    place = place_of(store, address)
    if is_intact(place):
        return place
    with tempfile.TemporaryDirectory(
        prefix=tempdirs.prefix(), dir=store, ignore_cleanup_errors=True
    ) as new:
        _clear(store, os.stat(new).st_mtime)  # by the file system's own clock
        draft = Path(new, "files")
        if not _unpacked(draft, address, parcel):
            raise BotError(f"the parcel of {address.name} was changed on its way: send it again")
        publish(draft, place, Path(new))
    return place


def _clear(store: Path, now: float) -> None:
    """Remove bots that no match has used for long, and the oldest of too many."""
    kept = (path for path in store.iterdir() if _ADDRESS.fullmatch(path.name))
    clear_cache(store, ((date_of(path), path) for path in kept), now)


def _unpacked(draft: Path, address: Address, parcel: Path) -> bool:
    """Unpack a parcel. Returns whether its content matches the address."""
    draft.mkdir()
    try:
        with tarfile.open(parcel, "r:") as tar:
            tar.extractall(draft, members=map(_plain, tar), **_FILTER)
    except (tarfile.TarError, ValueError, OverflowError, RecursionError):
        return False  # `tarfile` checks few of the names, dates and sizes
    return content_address(draft) == address.digest


_FILTER: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
"""Python 3.11.2, which Debian 12 has, knows no filters; `_plain` makes safe what they would."""


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """A regular, non-sparse file below the folder, of our own. (A few bytes of a sparse file could
    unpack to any size.) Raises TarError for anything else."""
    name = PurePosixPath(entry.name)
    if not entry.isreg() or entry.issparse() or name.is_absolute() or ".." in name.parts:
        raise tarfile.TarError(f"{entry.name} is not an ordinary file")
    entry.mode, entry.uid, entry.gid = entry.mode & 0o755, os.geteuid(), os.getegid()
    entry.uname = entry.gname = ""
    return entry
