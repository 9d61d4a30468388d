"""Files that users name for results: each appears when it is whole, or not at all.

So a command that fails, for want of room for example, leaves nothing that refuses the next try.
"""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.errors import DISK_FULL_ERRNOS, ArenaError, DiskFull, UsageError


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a path beside `path`, with its suffix, for the ``with`` block to write; it then takes
    the place of `path`. A pipe, a device, or a file in a folder that cannot be written is written
    itself.

    Raises DiskFull without room, and UsageError for a file that cannot be written.
    """
    place = Path(os.path.realpath(path))
    is_beside = os.path.isfile(place) and os.access(place.parent, os.W_OK)
    is_direct = os.path.exists(place) and not is_beside
    mark = zlib.crc32(os.fsencode(place.name))  # names are cut: they have 255 bytes at most
    short = f".{place.name[:40]}.{mark:08x}.part{place.suffix[:10]}"
    part = place if is_direct else place.with_name(short)
    try:
        yield part
        if not is_direct:
            with suppress(FileNotFoundError):
                shutil.copymode(place, part)
            part.replace(place)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        if not is_direct:
            discard(part)


def write_whole(path: Path, data: bytes | str) -> None:
    """Write a whole file. Raises as `whole_file`."""
    with whole_file(path) as part:
        part.write_bytes(data.encode("utf-8") if isinstance(data, str) else data)


def discard(path: Path) -> None:
    """Remove a file that was not finished, if it is one and can be removed."""
    with suppress(OSError):
        if path.is_file():
            path.unlink()


def unwritable(path: Path, error: OSError, kind: str = "file") -> ArenaError:
    """Return the error for a file, a folder or a replay that could not be written."""
    if error.errno in DISK_FULL_ERRNOS:
        return DiskFull(f"no room on the disk for {path}: make room, and run it again")
    why = os.strerror(error.errno) if error.errno else f"{error}"  # pyarrow has sentences
    other = "folder" if kind == "folder" else "file"
    return UsageError(f"cannot write the {kind} {path}: {why}: name another {other}")
