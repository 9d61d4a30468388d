"""Bots by content: packed by the judge, sent to each worker once, unpacked there and built.

A parcel is a tar file with nothing in it but names, contents and whether a file can be executed. It
is named by the address of the bot (`arena.bots.address`), which a worker proves when it unpacks it.
"""

from __future__ import annotations

import io
import os
import stat
import tarfile
import tempfile
from pathlib import Path

from msgspec import Struct

from arena.bots.address import content_address, files_of, is_intact, publish
from arena.errors import BotError
from arena.sandbox.keeper import tempdirs


class Address(Struct, frozen=True):
    """Which bot: the address of its content, and what its folder is called."""

    digest: str
    name: str


class Parcel(Struct, frozen=True):
    """A bot on its way."""

    address: Address
    data: bytes


def pack(source: Path) -> Parcel:
    """A bot, a file or a folder, as a parcel. Raises BotError for what is no plain file."""
    packed = io.BytesIO()
    try:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for name, path in files_of(source).items():
                _add(tar, path, name)
        address = content_address(source)
    except OSError as error:
        raise BotError(f"cannot read {source}: {error.strerror}") from None
    name = source.name if source.is_dir() else source.stem
    return Parcel(Address(address, name), packed.getvalue())


def _add(tar: tarfile.TarFile, path: Path, name: str) -> None:
    if not stat.S_ISREG(path.lstat().st_mode):
        raise BotError(f"{path} is no plain file, and cannot be sent: replace it")
    data = path.read_bytes()
    entry = tarfile.TarInfo(name)
    entry.mode = 0o755 if os.access(path, os.X_OK) else 0o644
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def place_of(store: Path, address: Address) -> Path:
    """Where a bot lies in the store of a worker, once it is there."""
    return store / address.digest / address.name


def unpack(store: Path, parcel: Parcel) -> Path:
    """Put a bot into the store, unless it is there. Raises BotError for a parcel that was changed
    on its way."""
    place = place_of(store, parcel.address)
    if is_intact(place):
        return place
    with tempfile.TemporaryDirectory(
        prefix=tempdirs.prefix(), dir=store, ignore_cleanup_errors=True
    ) as new:
        draft = Path(new, "files")
        if not _unpacked(draft, parcel):
            raise BotError(
                f"the parcel of {parcel.address.name} was changed on its way: send it again"
            )
        publish(draft, place, Path(new))
    return place


def _unpacked(draft: Path, parcel: Parcel) -> bool:
    """Whether it holds what it says."""
    draft.mkdir()
    try:
        with tarfile.open(fileobj=io.BytesIO(parcel.data)) as tar:
            tar.extractall(draft, filter="data")
    except tarfile.TarError:
        return False
    return content_address(draft) == parcel.address.digest
