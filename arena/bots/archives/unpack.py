"""Unpacking of an archive's ordinary files and folders into a new folder, by our own code.

Nothing here trusts the archive. Names are checked before anything is created; files are always
created, and existing files or links are never opened; bytes are counted as they are written; modes
are our own. If an archive is refused, everything unpacked from it is removed.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from arena.bots.archives import rars, tars, zips
from arena.bots.archives.rules import (
    PACKED,
    DamagedError,
    EntryKind,
    Member,
    Members,
    Names,
    Parts,
    RunUnpacker,
    UnpackingBudget,
    damaged,
    is_junk,
    parts_of,
    problem_of,
    refusal,
)
from arena.bots.archives.signatures import (
    EMPTY_ZIP,
    HEAD,
    NAMES,
    RAR,
    SPLIT_ZIP,
    ZIP,
    is_archive,
)
from arena.bots.archives.streams import stream_of
from arena.errors import DISK_FULL_ERRNOS, DiskFull
from arena.text import size_text

_PROGRAMS = (b"#!", b"\x7fELF")
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(slots=True)
class Unpacked:
    """The result of unpacking an archive."""

    folder: Path
    """The folder to which it was unpacked, or the only folder in that one."""
    packed: int
    """Bytes of the archive."""
    size: int = 0
    """Bytes unpacked, including those left out."""
    entries: int = 0
    files: int = 0
    """Files that were kept."""
    junk: list[str] = field(default_factory=list)
    """Names left out (`rules.is_junk`), each once."""


def unpack(archive: Path, target: Path, run_unpacker: RunUnpacker) -> Unpacked:
    """Unpack an archive into the new folder `target`, whose parent must be private.

    `run_unpacker` runs a program if the format needs one. Raises BotError for a refused archive,
    DiskFull, and UsageError when there are no walls for an external program.
    """
    target.mkdir(mode=0o755)
    try:
        return _unpack(archive, target, run_unpacker)
    except BaseException:
        shutil.rmtree(target, ignore_errors=True)
        raise


def _unpack(archive: Path, target: Path, run_unpacker: RunUnpacker) -> Unpacked:
    with _refusing(archive), archive.open("rb") as file:
        packed = os.fstat(file.fileno()).st_size
        if packed > PACKED:
            raise DamagedError(f"it is larger than {size_text(PACKED)}: leave out unneeded files")
        budget = UnpackingBudget(packed)
        with _opened(file, run_unpacker, budget) as members:
            walker = _Walker(target, packed, budget)
            for member in members:
                walker.take(member)
            return walker.result()


@contextmanager
def _opened(
    file: BinaryIO, run_unpacker: RunUnpacker, budget: UnpackingBudget
) -> Iterator[Members]:
    """The entries of an archive, whose first bytes tell its format. Raises DamagedError."""
    head = file.read(HEAD)
    if head.startswith(SPLIT_ZIP):
        raise DamagedError("it is one part of several: pack all into one file")
    if head.startswith(EMPTY_ZIP):
        raise DamagedError("it is empty: pack the bot's folder")
    if head.startswith(ZIP):
        yield zips.members(file)
        return
    if not is_archive(head):
        raise DamagedError(f"it is not an archive: pack the bot as {', '.join(NAMES)}")
    if zips.ends_as_zip(file):
        raise DamagedError(
            "its beginning and its end belong to different kinds of archive: pack it again"
        )
    if head.startswith(RAR):
        with rars.opened(file, run_unpacker, budget) as entries:
            yield entries
        return
    with stream_of(file, head, run_unpacker, budget) as chunks:
        yield tars.members(chunks, budget)


@contextmanager
def _refusing(archive: Path) -> Iterator[None]:
    try:
        yield
    except DamagedError as error:
        raise refusal(archive.name, str(error)) from None
    except OSError as error:
        if error.errno in DISK_FULL_ERRNOS:
            raise DiskFull(f"no room to unpack {archive.name}: make room, and try again") from error
        raise


class _Walker:
    """The state of unpacking one archive."""

    def __init__(self, target: Path, packed: int, budget: UnpackingBudget) -> None:
        self._target = target
        self._names = Names()
        self._budget = budget
        self._found = Unpacked(target, packed)
        self._junk: dict[str, None] = {}

    def take(self, member: Member) -> None:
        """Check one more entry, and unpack it."""
        entry = member.entry
        self._budget.entry()
        parts, problem = parts_of(entry.name)
        problem = problem or problem_of(entry)
        problem = problem or (None if parts else _problem_of_root(entry.kind))
        problem = problem or self._names.problem_with(parts, entry.kind)
        if problem:
            raise damaged(entry, problem)
        junk = next(filter(is_junk, parts), None)
        if junk is not None:
            self._junk[junk] = None
            self._write(member, None)
        elif entry.kind is EntryKind.FOLDER:
            self._folder(parts, is_listed=True)
        else:
            self._file(parts, member)

    def result(self) -> Unpacked:
        """The result, once all entries are taken."""
        found = self._found
        if not found.files:
            raise DamagedError("it holds no files: pack the bot's folder")
        found.size, found.entries = self._budget.size, self._budget.entries
        found.junk = list(self._junk)
        top = list(self._target.iterdir())
        if len(top) == 1 and top[0].is_dir():
            found.folder = top[0]
        return found

    def _folder(self, parts: Parts, *, is_listed: bool = False) -> Path:
        """Make a folder and its parents. Each counts as an entry, listed or not."""
        place = self._target
        for depth, part in enumerate(parts, start=1):
            place = place / part
            if not place.exists():
                if not (is_listed and depth == len(parts)):
                    self._budget.entry()
                place.mkdir(mode=0o755)
        return place

    def _file(self, parts: Parts, member: Member) -> None:
        path = self._folder(parts[:-1]) / parts[-1]
        with open(os.open(path, _NEW, 0o600), "wb") as file:
            begin = self._write(member, file)
            mode = member.entry.mode
            is_program = mode & 0o111 if mode else begin.startswith(_PROGRAMS)
            os.fchmod(file.fileno(), 0o555 if is_program else 0o444)
        self._found.files += 1

    def _write(self, member: Member, file: BinaryIO | None) -> bytes:
        """Write the data of an entry. Returns its first bytes."""
        begin, size = b"", 0
        for chunk in member.data() if member.entry.kind is EntryKind.FILE else ():
            size += len(chunk)
            if size > member.entry.size:
                raise damaged(member.entry, "is longer than its entry says: pack it again")
            self._budget.data(len(chunk))
            begin += chunk[: 4 - len(begin)]
            if file is not None:
                file.write(chunk)
        return begin


def _problem_of_root(kind: EntryKind) -> str | None:
    return None if kind is EntryKind.FOLDER else "has no name: pack it again"
