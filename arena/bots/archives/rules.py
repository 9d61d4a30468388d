"""Limits for archives: entry names, number and size of entries, and the cost of reading; and the
common interface of the format readers.

A refusal is a `BotError` of one sentence that names the entry and the rule. Nothing here repairs or
renames an entry: two programs that read a doubtful archive differently must not get two different
bots from it.
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
"""Maximum bytes of an archive."""
TOTAL = 256 * MIB
"""Maximum total bytes unpacked."""
ONE = 64 * MIB
"""Maximum bytes of one file: no sandbox lets a bot write a larger one."""
ENTRIES = 10_000
"""Maximum number of files and folders."""
DEPTH = 20
"""Maximum nesting of folders."""
NAME = 200
"""Maximum bytes of one name, in UTF-8. (Most file systems allow 255.)"""
PATH = 1000
"""Maximum bytes of a path."""
RATIO = 100
"""Maximum unpacked bytes per packed byte. Source text reaches about 5, deflate at most 1032."""
RATIO_FROM = 8 * MIB
"""Unpacked bytes from which `RATIO` applies: a short file of zeros is not a bomb."""
STREAM = TOTAL + ENTRIES * 4096
"""Maximum bytes of a stream: contents, plus headers, a long name and padding per entry."""
UNPACKING_SECONDS = 60.0
"""CPU time for reading one archive. The largest permitted ones need about 10 s (``.tar.bz2``)."""

JUNK = frozenset(
    {
        *("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"),
        *(".git", ".hg", ".svn", ".gitignore", ".gitattributes"),
        *(".idea", ".vscode", ".vs", ".metadata", ".settings", ".project", ".classpath"),
        *(".recommenders", ".gradle", ".fleet", ".history", "__pycache__", ".mypy_cache"),
        *(".pytest_cache", ".ruff_cache"),
    }
)
"""Leftovers of file managers, editors and version control, which are not part of a bot."""

_NESTED = (".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst",
           ".rar", ".7z")  # fmt: skip
_LEAVE_OUT = "leave out unneeded files"
_DEVICE = r"(?i)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?"
_DRIVE = r"[A-Za-z]:"

Parts = tuple[str, ...]
"""A name, split at its slashes."""


class EntryKind(Enum):
    """The kind of an entry. `value` names it in a refusal; only the first two are unpacked."""

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
    """Permission bits; 0 if the archive has none (from Windows)."""


class DamagedError(Exception):
    """The archive is damaged or exceeds a limit. The message continues a sentence after the
    archive's name: ``it ends …``"""


def refusal(archive: str, why: str) -> BotError:
    """The error for a refused archive: ``bot.zip: the entry '../x' …``"""
    return BotError(f"{printable(archive)}: {why}")


def entry_text(name: str) -> str:
    """How an entry is named in a sentence."""
    short = name if len(name) <= 60 else f"{name[:40]}…{name[-15:]}"
    return f"the entry {printable(short)!r}"


def is_junk(name: str) -> bool:
    """Whether a file or folder of that name is not part of a bot (`JUNK`, and the resource forks
    that macOS adds to files)."""
    return name in JUNK or name.startswith("._")


def problem_of(entry: Entry) -> str | None:
    """Why an entry is refused for its kind; None for an ordinary file or folder."""
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
    """Split a name into parts. Returns them and the reason for a refusal, or None. ``./a//b`` is
    ``a/b``; the folder ``./`` itself has no parts."""
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
        return "has no name: pack it again"
    if not name.isprintable() or "\ufffd" in name:
        return "has a name that is not plain text: rename it"
    if "\\" in name:
        return "has a backslash in its name: pack it with slashes"
    if name.startswith("/") or re.match(_DRIVE, name):
        return "has an absolute path: pack paths relative to the bot's folder"
    if ".." in name.split("/"):
        return "leads out of the archive by '..': pack the bot's own folder"
    if len(name.encode()) > PATH:
        return f"has a path longer than {PATH} bytes: use shorter names"
    return None


def _problem_of_part(part: str) -> str | None:
    if len(part.encode()) > NAME:
        return f"has a name longer than {NAME} bytes: use a shorter one"
    if re.fullmatch(_DEVICE, part):
        return "is named like a device of Windows: rename it"
    if part[-1] in ". ":
        return "has a name that ends in a dot or a blank: rename it"
    return None


class Names:
    """The names of an archive so far. On some systems ``Bot.py`` and ``bot.py``, or two encodings
    of ``ü``, are the same file, so an archive may not contain both."""

    def __init__(self) -> None:
        self._taken: dict[Parts, tuple[Parts, EntryKind]] = {}

    def problem_with(self, parts: Parts, kind: EntryKind) -> str | None:
        """Add the name of an entry. Returns why it is refused, or None."""
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
    """The remaining output of one archive, and the remaining cost of reading it. Counts what is
    actually unpacked, whatever the archive claims. Each method raises DamagedError."""

    def __init__(self, packed: int, clock: Callable[[], float] = time.thread_time) -> None:
        self._packed = packed
        self._clock = clock
        """Clock for the CPU seconds of the reading thread."""
        self._end = clock() + UNPACKING_SECONDS
        self._stream = 0
        self.entries = 0
        self.size = 0
        """Bytes of entries unpacked so far, including those not kept."""

    def work(self) -> None:
        """Check the CPU time. Call this for each substantial piece of work."""
        if self._clock() > self._end:
            raise DamagedError(
                f"reading it takes more than {UNPACKING_SECONDS:.0f} s of CPU time: "
                "pack it again, as .zip"
            )

    def entry(self) -> None:
        """Count one more entry."""
        self.work()
        self.entries += 1
        if self.entries > ENTRIES:
            raise DamagedError(f"it holds more than {ENTRIES} files and folders: {_LEAVE_OUT}")

    def data(self, size: int) -> None:
        """Count `size` more bytes of an entry."""
        self.work()
        self.size += size
        if self.size > TOTAL:
            raise DamagedError(f"it holds more than {size_text(TOTAL)}: {_LEAVE_OUT}")
        if self.size > RATIO_FROM and self.size > RATIO * self._packed:
            raise DamagedError(
                f"it unpacks to more than {RATIO} times its own size, so it is a bomb, or data that"
                " the bot can generate itself: leave that out"
            )

    def stream(self, size: int) -> None:
        """Count `size` more bytes of a stream: entries, and everything between them."""
        self.work()
        self._stream += size
        if self._stream > STREAM:
            raise DamagedError(f"it unpacks to more than {size_text(STREAM)}: {_LEAVE_OUT}")


# The common output of all format readers: entries with their data, in archive order.

CHUNK = 1 << 16
"""Bytes unpacked at a time."""


def damaged(entry: Entry, why: str) -> DamagedError:
    """The error for an entry: ``the entry 'bot.py' …``"""
    return DamagedError(f"{entry_text(entry.name)} {why}")


class Member(Struct, frozen=True):
    """An entry and its data. In a stream, read the data before taking the next member."""

    entry: Entry
    data: Callable[[], Iterator[bytes]]
    """Chunks of at most `CHUNK` bytes. Raises DamagedError."""


Members = Iterator[Member]
INPUT = "archive"
"""The name under which an external unpacker finds the archive."""
RunUnpacker = Callable[[BinaryIO, tuple[str, ...]], AbstractContextManager[Path]]
"""Runs an external unpacker: ``run_unpacker(file, command)`` is the folder that it fills, for the
duration of a ``with``. It finds the archive as `INPUT` in its working folder and writes to
``../out``; its output need not match the archive's contents. Raises DamagedError when it fails."""


@contextmanager
def left_behind(path: Path) -> Iterator[BinaryIO]:
    """Open a file that an external unpacker left, for the duration of a ``with``. The file may be a
    link or a pipe if the archive took over the unpacker. Raises DamagedError unless it is an
    ordinary file."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        raise DamagedError("it cannot be unpacked: pack it again") from None
    with open(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise DamagedError("it cannot be unpacked: pack it again")
        yield file
