"""Bots by content: packed by the judge, sent to each worker once, unpacked there and built.

A parcel is a tar file with nothing in it but names, contents and whether a file can be executed,
so one content has one digest on every machine.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from arena.errors import BotError
from arena.sandbox.keeper import tempdirs


class Address(Struct, frozen=True):
    """Which bot: the digest of its parcel, and what its file or folder is called."""

    digest: str
    entry: str


class Parcel(Struct, frozen=True):
    """A bot on its way."""

    address: Address
    data: bytes


def pack(source: Path) -> Parcel:
    """A bot, a file or a folder, as a parcel. Raises BotError for what is no plain file."""
    packed = io.BytesIO()
    try:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
            for path in _walk(source):
                _add(tar, path, str(path.relative_to(source.parent)))
    except OSError as error:
        raise BotError(f"cannot read {source}: {error.strerror}") from None
    data = packed.getvalue()
    return Parcel(Address(hashlib.sha256(data).hexdigest(), source.name), data)


def _walk(source: Path) -> Iterator[Path]:
    yield source
    if source.is_dir() and not source.is_symlink():
        for path in sorted(source.iterdir()):
            yield from _walk(path)


def _add(tar: tarfile.TarFile, path: Path, name: str) -> None:
    entry = tarfile.TarInfo(name)
    if path.is_symlink() or not (path.is_dir() or path.is_file()):
        raise BotError(f"{path} is no plain file or folder, and cannot be sent: replace it")
    if path.is_dir():
        entry.type, entry.mode = tarfile.DIRTYPE, 0o755
        tar.addfile(entry)
        return
    data = path.read_bytes()
    entry.mode = 0o755 if os.access(path, os.X_OK) else 0o644
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


def place_of(store: Path, address: Address) -> Path:
    """Where a bot lies in the store of a worker, once it is there."""
    return store / address.digest / address.entry


def unpack(store: Path, parcel: Parcel) -> Path:
    """Put a bot into the store, unless it is there. Raises BotError for a parcel that was changed
    on its way."""
    place = place_of(store, parcel.address)
    if place.parent.exists():
        return place
    if hashlib.sha256(parcel.data).hexdigest() != parcel.address.digest:
        raise BotError(
            f"the parcel of {parcel.address.entry} was changed on its way: send it again"
        )
    draft = Path(tempfile.mkdtemp(prefix=tempdirs.prefix(), dir=store))
    try:
        with tarfile.open(fileobj=io.BytesIO(parcel.data)) as tar:
            tar.extractall(draft, filter="data")
        draft.chmod(0o755)  # bots behind walls run as another user
        draft.rename(place.parent)
    except OSError:
        if not place.parent.exists():  # else another worker of this machine was faster
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return place
