"""What the readers of all formats give: entries with their data, in the order of the archive."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from arena.bots.archives.rules import DamagedError, Entry, entry_text

CHUNK = 1 << 16
"""Bytes that are unpacked at a time."""


def damaged(entry: Entry, why: str) -> DamagedError:
    """The error for an entry: ``the entry 'bot.py' …``"""
    return DamagedError(f"{entry_text(entry.name)} {why}")


class Member(Struct, frozen=True):
    """An entry and its data. Of a stream the data must be taken before the next member is."""

    entry: Entry
    data: Callable[[], Iterator[bytes]]
    """Chunks of at most `CHUNK` bytes. Raises DamagedError."""


Members = Iterator[Member]
INPUT = "archive"
"""The name that an archive has for a foreign unpacker."""
Foreign = Callable[[BinaryIO, tuple[str, ...]], AbstractContextManager[Path]]
"""Runs a foreign unpacker: ``foreign(file, command)`` is the folder that it fills, for the time of
a ``with``. It finds the archive as `INPUT` in its working folder and writes to ``../out``; and
nothing says that what it wrote is what the archive holds. Raises DamagedError when it fails."""


@contextmanager
def left_behind(path: Path) -> Iterator[BinaryIO]:
    """A file that a foreign unpacker left, for the time of a ``with``. It may be a link or a pipe
    if the archive took the unpacker over. Raises DamagedError unless it is an ordinary file."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        raise DamagedError("it cannot be unpacked: pack it anew") from None
    with open(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise DamagedError("it cannot be unpacked: pack it anew")
        yield file
