"""What an archive may hold: the names of its entries, how many, and how much; and what reading it
may cost.

A refusal is a `BotError` of one sentence that names the entry and the rule. Nothing here repairs a
name or renames an entry: two programs that read a doubtful archive differently must not each get a
bot of their own from it.
"""

from __future__ import annotations

import os
import re
import stat
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import Enum
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from arena.errors import BotError
from arena.text import printable, size_text

MIB = 1 << 20
PACKED = 64 * MIB
"""Bytes of an archive."""
TOTAL = 256 * MIB
"""Bytes of all that it holds."""
ONE = 64 * MIB
"""Bytes of one file: no sandbox lets a bot write a larger one."""
ENTRIES = 10_000
"""Files and folders."""
DEPTH = 20
"""Folders in folders."""
NAME = 200
"""Bytes of one name, in UTF-8. (Most file systems take 255.)"""
PATH = 1000
"""Bytes of a name with those of its folders."""
RATIO = 100
"""Bytes unpacked for one byte packed. Source text comes to about 5, and deflate at most to 1032."""
RATIO_FROM = 8 * MIB
"""Bytes unpacked before that counts: a short file of zeros is no bomb."""
STREAM = TOTAL + ENTRIES * 4096
"""Bytes of a stream: what it holds, and for each entry its headers, a long name and padding."""
CPU_SECONDS = 60.0
"""What reading one archive may take. The largest that are taken need some 10 s (``.tar.bz2``)."""

JUNK = frozenset(
    {
        *("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"),
        *(".git", ".hg", ".svn", ".gitignore", ".gitattributes"),
        *(".idea", ".vscode", ".vs", ".metadata", ".settings", ".project", ".classpath"),
        *(".recommenders", ".gradle", ".fleet", ".history", "__pycache__", ".mypy_cache"),
        *(".pytest_cache", ".ruff_cache"),
    }
)
"""What file managers, editors and version control leave beside sources. It is no part of a bot."""

_NESTED = (".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst",
           ".rar", ".7z")  # fmt: skip
_LEAVE_OUT = "leave out what is not needed"
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")

Parts = tuple[str, ...]
"""A name, cut at its slashes."""


class EntryKind(Enum):
    """What an entry is. `value` is its name in a refusal; only the first two are unpacked."""

    FILE = "a file"
    FOLDER = "a folder"
    LINK = "a link"
    DEVICE = "a device"
    PIPE = "a pipe"
    SOCKET = "a socket"
    SPARSE = "a sparse file"
    OTHER = "neither a file nor a folder"


class Entry(Struct, frozen=True):
    """One entry, as the archive describes it. The description may lie."""

    name: str
    kind: EntryKind
    size: int
    """Bytes, unpacked."""
    mode: int = 0
    """Permission bits; 0 where the archive has none (those of Windows)."""


class DamagedError(Exception):
    """The archive is not what it says it is, or more than may be. The text goes on after its name:
    ``it ends …``"""


def refusal(archive: str, why: str) -> BotError:
    """The error for an archive that is not taken: ``bot.zip: the entry '../x' …``"""
    return BotError(f"{printable(archive)}: {why}")


def entry_text(name: str) -> str:
    """How an entry is named in a sentence."""
    short = name if len(name) <= 60 else f"{name[:40]}…{name[-15:]}"
    return f"the entry {printable(short)!r}"


def is_junk(name: str) -> bool:
    """Whether a file or folder of that name is no part of a bot (`JUNK`, and the second halves that
    macOS gives to files)."""
    return name in JUNK or name.startswith("._")


def problem_of(entry: Entry) -> str | None:
    """Why an entry is refused for what it is; None for an ordinary file or folder."""
    if entry.kind not in (EntryKind.FILE, EntryKind.FOLDER):
        return f"is {entry.kind.value}: pack ordinary files and folders only"
    if entry.mode & 0o6000:
        return "is set-user-id or set-group-id: remove that by chmod ug-s"
    if entry.mode & 0o1000:
        return "has the sticky bit: remove that by chmod -t"
    if entry.kind is EntryKind.FILE and entry.name.lower().endswith(_NESTED):
        return "is an archive itself, which is not unpacked: pack the files that are in it"
    if entry.size > ONE:
        return f"is larger than {size_text(ONE)}: leave it out or make it smaller"
    return None


def parts_of(name: str) -> tuple[Parts, str | None]:
    """A name cut into parts, and why it is refused (None when it is not). ``./a//b`` is ``a/b``;
    the folder ``./`` itself has no parts."""
    if problem := _problem_of_name(name):
        return (), problem
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if len(parts) > DEPTH:
        return (), f"lies more than {DEPTH} folders deep: pack fewer folders in folders"
    for part in parts:
        if problem := _problem_of_part(part):
            return (), problem
    return parts, None


def _problem_of_name(name: str) -> str | None:
    if not name:
        return "has no name: pack it anew"
    if not name.isprintable() or "\ufffd" in name:
        return "has a name that is not plain text: rename it"
    if "\\" in name:
        return "has a backslash in its name: pack it with slashes"
    if name.startswith("/") or _DRIVE.match(name):
        return "has an absolute path: pack paths relative to the bot's folder"
    if ".." in name.split("/"):
        return "leads out of the archive by '..': pack the bot's own folder"
    if len(name.encode()) > PATH:
        return f"has a path longer than {PATH} bytes: use shorter names"
    return None


def _problem_of_part(part: str) -> str | None:
    if len(part.encode()) > NAME:
        return f"has a name longer than {NAME} bytes: use a shorter one"
    if _DEVICE.fullmatch(part):
        return "is named like a device of Windows: rename it"
    if part[-1] in ". ":
        return "has a name that ends in a dot or a blank: rename it"
    return None


class Names:
    """The names of an archive so far. On some systems ``Bot.py`` and ``bot.py``, or two ways to
    write ``ü``, are one file: so they may not both be there."""

    def __init__(self) -> None:
        self._taken: dict[Parts, tuple[Parts, EntryKind]] = {}

    def problem_with(self, parts: Parts, kind: EntryKind) -> str | None:
        """Why one more entry is refused; None when its name is now taken."""
        folded = tuple(_fold(part) for part in parts)
        for end in range(1, len(parts) + 1):
            is_last = end == len(parts)
            if problem := self._take(
                parts[:end], folded[:end], kind if is_last else EntryKind.FOLDER
            ):
                return problem
        return None

    def _take(self, parts: Parts, folded: Parts, kind: EntryKind) -> str | None:
        if folded not in self._taken:
            self._taken[folded] = parts, kind
            return None
        known, known_kind = self._taken[folded]
        other = printable("/".join(known))
        if known != parts:
            return f"differs from {other!r} only in case or accents: rename one of them"
        if known_kind is not kind:
            return f"needs {other!r} to be both a file and a folder: rename one of them"
        return "is there twice: pack it once" if kind is EntryKind.FILE else None


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", text).casefold())


class UnpackingBudget:
    """What may still come out of one archive, and what reading it may still cost. Counted is what
    is really unpacked, whatever the archive says of itself. Each method raises DamagedError."""

    def __init__(self, packed: int, clock: Callable[[], float] = time.thread_time) -> None:
        self._packed = packed
        self._clock = clock
        """CPU seconds of the thread that reads."""
        self._end = clock() + CPU_SECONDS
        self._stream = 0
        self.entries = 0
        self.size = 0
        """Bytes of entries unpacked so far, also of what is not kept."""

    def work(self) -> None:
        """Look at the CPU time. To be called for each piece of work of any size."""
        if self._clock() > self._end:
            raise DamagedError(
                f"reading it takes more than {CPU_SECONDS:.0f} s of CPU time: pack it anew, as .zip"
            )

    def entry(self) -> None:
        """Count one more entry."""
        self.work()
        self.entries += 1
        if self.entries > ENTRIES:
            raise DamagedError(f"it holds more than {ENTRIES} files and folders: {_LEAVE_OUT}")

    def data(self, size: int) -> None:
        """Count so many more bytes of an entry."""
        self.work()
        self.size += size
        if self.size > TOTAL:
            raise DamagedError(f"it holds more than {size_text(TOTAL)}: {_LEAVE_OUT}")
        if self.size > RATIO_FROM and self.size > RATIO * self._packed:
            raise DamagedError(
                f"it unpacks to more than {RATIO} times its own size: that is a bomb, or data that"
                " the bot can make itself"
            )

    def stream(self, size: int) -> None:
        """Count so many more bytes of a stream: of entries, and of all that lies between them."""
        self.work()
        self._stream += size
        if self._stream > STREAM:
            raise DamagedError(f"it unpacks to more than {size_text(STREAM)}: {_LEAVE_OUT}")


# What the readers of all formats give: entries with their data, in the order of the archive.

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
