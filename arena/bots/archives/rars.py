"""Reader for ``.rar`` entries: listed by `rarfile`, unpacked by an external program behind walls.

The program's output is compared with the list: each file by name, size and checksum. `rarfile`
itself would start a program without walls to unpack a comment; that is disabled here.
"""

from __future__ import annotations

import io
import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from arena.bots.archives.rules import (
    CHUNK,
    INPUT,
    DamagedError,
    Entry,
    EntryKind,
    Member,
    Members,
    Names,
    RunUnpacker,
    UnpackingBudget,
    damaged,
    left_behind,
    parts_of,
    problem_of,
)

if TYPE_CHECKING:
    from rarfile import RarInfo

NO_TOOL = (
    "no program on this machine unpacks .rar: install unar (Debian, Ubuntu) and rarfile (pip), or"
    " pack it as .zip"
)
SEVERAL = "it is one part of several: pack all into one file"
BLOCK = 4 << 20
"""Maximum bytes of a header block; file headers have at most 2 MiB."""


@contextmanager
def opened(file: BinaryIO, run_unpacker: RunUnpacker, budget: UnpackingBudget) -> Iterator[Members]:
    """All entries, for the duration of a ``with``. Raises DamagedError."""
    listed = _listed(file, budget)
    if not listed:
        raise DamagedError("it is empty: pack the bot's folder")
    with run_unpacker(file, _command()) as folder:
        yield _members(listed, _files_below(folder))


def _command() -> tuple[str, ...]:
    if (unrar := shutil.which("unrar") or shutil.which("unrar-nonfree")) is not None:
        return (unrar, "x", "-p-", "-idq", "-o-", INPUT, "../out/")
    if (unar := shutil.which("unar")) is not None:
        return (unar, "-q", "-nr", "-D", "-s", "-k", "skip", "-o", "../out", INPUT)
    raise DamagedError(NO_TOOL)


class _Metered(io.RawIOBase):
    """The archive as seen by `rarfile`: each read is charged."""

    def __init__(self, file: BinaryIO, budget: UnpackingBudget) -> None:
        self._file = file
        self._budget = budget

    def read(self, size: int = -1) -> bytes:
        """Read `size` bytes."""
        self._budget.work()
        return self._file.read(min(size, BLOCK) if size >= 0 else BLOCK)

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Fill the buffer."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, place: int, whence: int = 0) -> int:
        """Move the read position."""
        return self._file.seek(place, whence)

    def tell(self) -> int:
        """The read position."""
        return self._file.tell()


class _List:
    """Checks each header block from `rarfile` against all rules that a list can show, before
    anything is unpacked."""

    def __init__(self, budget: UnpackingBudget) -> None:
        self._names = Names()
        self._budget = UnpackingBudget(1 << 40)
        """Budget for the sizes in the list; actual data is counted when it is unpacked."""
        self._reading = budget
        self.entries: list[tuple[Entry, int | None]] = []
        self.end = 0
        """Offset of the end of the last block."""

    def add(self, block: RarInfo) -> None:
        """Check one more block. Raises DamagedError."""
        import rarfile

        self._reading.work()
        self.end = max(self.end, block.data_offset + block.add_size)
        if block.needs_password():
            raise DamagedError("it is encrypted: pack it without a password")
        if _is_one_of_several(block):
            raise DamagedError(SEVERAL)
        if block.type == rarfile.RAR_BLOCK_FILE:
            entry = _entry(block)
            self._check(entry, block)
            self.entries.append((entry, block.CRC))

    def _check(self, entry: Entry, block: RarInfo) -> None:
        import rarfile

        self._budget.entry()
        parts, problem = parts_of(entry.name)
        problem = problem or problem_of(entry) or self._names.problem_with(parts, entry.kind)
        if block.flags & rarfile.RAR_FILE_VERSION or getattr(block, "file_version", None):
            problem = problem or "is an old version of a file: pack it again"
        if problem:
            raise damaged(entry, problem)
        self._budget.data(entry.size)


def _is_one_of_several(block: RarInfo) -> bool:
    import rarfile

    flags = {
        rarfile.RAR_BLOCK_MAIN: rarfile.RAR_MAIN_VOLUME,
        rarfile.RAR_BLOCK_FILE: rarfile.RAR_FILE_SPLIT_BEFORE | rarfile.RAR_FILE_SPLIT_AFTER,
        rarfile.RAR_BLOCK_ENDARC: rarfile.RAR_ENDARC_NEXT_VOLUME,
    }
    return bool(block.flags & flags.get(block.type, 0))


def _listed(file: BinaryIO, budget: UnpackingBudget) -> list[tuple[Entry, int | None]]:
    """List every entry with its checksum."""
    try:
        import rarfile
    except ImportError:
        raise DamagedError(NO_TOOL) from None
    rarfile.rar3_decompress = _no_comment  # it would run a program
    found = _List(budget)
    try:
        with rarfile.RarFile(
            _Metered(file, budget), info_callback=found.add, errors="strict", part_only=True
        ) as archive:
            if archive.needs_password():
                raise DamagedError("it is encrypted: pack it without a password")
    except DamagedError:
        raise
    except Exception as error:  # malformed data may raise anything in the library
        raise DamagedError(f"its list of entries is damaged ({error}): pack it again") from None
    file.seek(found.end)
    while chunk := file.read(CHUNK):
        if chunk.strip(b"\0"):
            raise DamagedError("data follows its end: pack it again")
    return found.entries


def _no_comment(*_: object) -> bytes:
    return b""


def _entry(info: RarInfo) -> Entry:
    size, mode = int(info.file_size or 0), int(info.mode or 0) & 0o7777
    if info.is_symlink() or (getattr(info, "file_redir", None) is not None):
        return Entry(info.filename, EntryKind.LINK, size, mode)
    kind = (
        EntryKind.FOLDER if info.is_dir() else EntryKind.FILE if info.is_file() else EntryKind.OTHER
    )
    return Entry(info.filename, kind, size, mode if info.host_os else 0)


def _members(listed: list[tuple[Entry, int | None]], files: Mapping[str, Path]) -> Members:
    named = {
        "/".join(parts_of(entry.name)[0]) for entry, _ in listed if entry.kind is EntryKind.FILE
    }
    for name in sorted(files.keys() - named):
        raise DamagedError(f"it unpacks to {name!r}, which it does not list: pack it again")
    for entry, check_sum in listed:
        path = files.get("/".join(parts_of(entry.name)[0]))
        yield Member(entry, partial(_data, entry, check_sum, path))


def _files_below(folder: Path) -> dict[str, Path]:
    """Everything that an unpacker left except folders, by relative name."""
    return {
        os.path.relpath(os.path.join(place, name), folder): Path(place, name)
        for place, folders, names in os.walk(folder)
        for name in (*names, *(one for one in folders if Path(place, one).is_symlink()))
    }


def _data(entry: Entry, check_sum: int | None, path: Path | None) -> Iterator[bytes]:
    if path is None:
        raise damaged(entry, "cannot be unpacked: pack it again")
    size, crc = 0, 0
    with left_behind(path) as file:
        while chunk := file.read(CHUNK):
            size, crc = size + len(chunk), zlib.crc32(chunk, crc)
            yield chunk
    if size != entry.size or crc != (crc if check_sum is None else check_sum):
        raise damaged(entry, "does not match its check sum: pack it again")
