"""What the readers of all formats give: entries with their data, in the order of the archive."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from arena.bots.archives.rules import Entry, entry_text

CHUNK = 1 << 16
"""Bytes that are unpacked at a time."""


class DamagedError(Exception):
    """The archive is not what it says it is. The text goes on after its name: ``it ends …``"""


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
