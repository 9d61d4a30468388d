"""Private folders of programs, used again where a program has left nothing in them.

To make and to remove a folder on a disk takes 0.2 to 0.4 ms, as much as ten requests of a quick
bot. So a folder that is as new when its program is gone waits for the next program of the same
keeper. *As new* is all that a program could see of a former one: the same kind of file, owner,
mode, size, links, flags and attributes, and no entry. A folder that differs is removed. So are all,
from the moment when a process has survived its kill: it could still write.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from arena.sandbox.keeper import tempdirs

GET_FLAGS = 0x80086601
"""The ioctl for the flags of a file that ``chattr`` sets (``FS_IOC_GETFLAGS``)."""
_OPEN = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class FolderState(NamedTuple):
    """What a program can see of an empty folder, but for its times."""

    mode: int
    owner: tuple[int, int]
    size: tuple[int, int]
    links: int
    attributes: tuple[str, ...]
    flags: bytes


class PrivateFolders:
    """The private folders of one keeper's programs."""

    def __init__(self) -> None:
        self._free: list[tuple[Path, FolderState]] = []
        self._used_again = True

    @contextmanager
    def lent(self) -> Iterator[Path]:
        """Yield a folder in which nothing is. When the ``with`` block ends, no process of the
        program may be left."""
        path, state = self._next()
        try:
            yield path
        finally:
            if self._used_again and _renew(path) == state:
                self._free.append((path, state))
            else:
                _remove(path)

    def _next(self) -> tuple[Path, FolderState]:
        """A folder that has waited, or a new one. (While one waits for days, it may be removed.)"""
        while self._free:
            path, state = self._free.pop()
            if _renew(path) == state:
                return path, state
            _remove(path)
        return _new_folder()

    def clear(self) -> None:
        """Remove the folders that wait."""
        while self._free:
            _remove(self._free.pop()[0])

    def close(self) -> None:
        """Remove the folders that wait, and use none again. Idempotent."""
        self._used_again = False
        self.clear()


def _new_folder() -> tuple[Path, FolderState]:
    path = Path(tempfile.mkdtemp(prefix=tempdirs.prefix()))
    state = _renew(path)
    assert state is not None
    return path, state


def _renew(path: Path) -> FolderState | None:
    """The state of a folder, whose times are set to now; None unless it is an empty folder."""
    with suppress(OSError):
        folder = os.open(path, _OPEN)
        try:
            if os.listdir(folder):
                return None
            os.utime(folder)
            status = os.fstat(folder)
            return FolderState(
                status.st_mode,
                (status.st_uid, status.st_gid),
                (status.st_size, status.st_blocks),
                status.st_nlink,
                tuple(os.listxattr(folder)) if hasattr(os, "listxattr") else (),
                _flags(folder),
            )
        finally:
            os.close(folder)
    return None


def _remove(path: Path) -> None:
    tempdirs.remove(str(path))
    with suppress(OSError):  # what a program has put in its place
        path.unlink()


def _flags(folder: int) -> bytes:
    try:
        return fcntl.ioctl(folder, GET_FLAGS, bytes(8))
    except OSError:  # the file system has none
        return b""
