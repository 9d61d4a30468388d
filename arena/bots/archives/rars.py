"""The entries of a ``.rar``: listed by `rarfile`, unpacked by a foreign program behind walls.

What the program writes is compared with the list: each file by its name, size and check sum.
"""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from arena.bots.archives.members import (
    CHUNK,
    INPUT,
    DamagedError,
    Foreign,
    Member,
    Members,
    damaged,
)
from arena.bots.archives.rules import Budget, Entry, Kind, Names, parts_of, problem_of

if TYPE_CHECKING:
    from rarfile import RarInfo

NO_TOOL = (
    "no program here unpacks .rar: install unar (Debian, Ubuntu) and rarfile (pip), or pack it as"
    " .zip"
)


@contextmanager
def opened(file: BinaryIO, foreign: Foreign) -> Iterator[Members]:
    """All entries, for the time of a ``with``. Raises DamagedError."""
    listed = _listed(file)
    if not listed:
        raise DamagedError("it is empty: pack the bot's folder")
    with foreign(file, _command()) as folder:
        yield _members(listed, _files_below(folder))


def _command() -> tuple[str, ...]:
    if (unrar := shutil.which("unrar") or shutil.which("unrar-nonfree")) is not None:
        return (unrar, "x", "-p-", "-idq", "-o-", INPUT, "../out/")
    if (unar := shutil.which("unar")) is not None:
        return (unar, "-q", "-nr", "-D", "-s", "-k", "skip", "-o", "../out", INPUT)
    raise DamagedError(NO_TOOL)


def _listed(file: BinaryIO) -> list[tuple[Entry, int | None]]:
    """Every entry and its check sum. They keep all rules that can be judged by a list."""
    try:
        import rarfile
    except ImportError:
        raise DamagedError(NO_TOOL) from None
    try:
        with rarfile.RarFile(file, part_only=True) as archive:
            if archive.needs_password():
                raise DamagedError("it is encrypted: pack it without a password")
            infos = archive.infolist()
            if _is_one_of_several(archive, infos):
                raise DamagedError("it is one part of several: pack all into one file")
    except (rarfile.Error, ValueError, IndexError, OverflowError) as error:
        raise DamagedError(f"its list of entries is damaged ({error}): pack it anew") from None
    _check(entries := [_entry(info) for info in infos])
    return [(entry, info.CRC) for entry, info in zip(entries, infos, strict=True)]


def _is_one_of_several(archive: object, infos: list[RarInfo]) -> bool:
    split = getattr(archive, "_file_parser", None)
    return any(info.volume for info in infos) or bool(getattr(split, "_needs_next_volume", False))


def _check(entries: list[Entry]) -> None:
    """Refuse before anything is unpacked."""
    names, budget = Names(), Budget(1 << 40)
    for entry in entries:
        parts, problem = parts_of(entry.name)
        problem = problem or problem_of(entry) or names.problem_with(parts, entry.kind)
        if problem:
            raise damaged(entry, problem)
        if problem := budget.entry() or budget.data(entry.size):
            raise DamagedError(problem)


def _entry(info: RarInfo) -> Entry:
    size, mode = int(info.file_size or 0), int(info.mode or 0) & 0o7777
    if info.is_symlink() or (getattr(info, "file_redir", None) is not None):
        return Entry(info.filename, Kind.LINK, size, mode)
    kind = Kind.FOLDER if info.is_dir() else Kind.FILE if info.is_file() else Kind.OTHER
    return Entry(info.filename, kind, size, mode if info.host_os else 0)


def _members(listed: list[tuple[Entry, int | None]], files: Mapping[str, Path]) -> Members:
    named = {"/".join(parts_of(entry.name)[0]) for entry, _ in listed if entry.kind is Kind.FILE}
    for name in sorted(files.keys() - named):
        raise DamagedError(f"it unpacks to {name!r}, which it does not list: pack it anew")
    for entry, check_sum in listed:
        path = files.get("/".join(parts_of(entry.name)[0]))
        yield Member(entry, partial(_data, entry, check_sum, path))


def _files_below(folder: Path) -> dict[str, Path]:
    """What an unpacker left, but for folders."""
    return {
        os.path.relpath(os.path.join(place, name), folder): Path(place, name)
        for place, folders, names in os.walk(folder)
        for name in (*names, *(one for one in folders if Path(place, one).is_symlink()))
    }


def _data(entry: Entry, check_sum: int | None, path: Path | None) -> Iterator[bytes]:
    if path is None or path.is_symlink():
        raise damaged(entry, "cannot be unpacked: pack it anew")
    size, crc = 0, 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            size, crc = size + len(chunk), zlib.crc32(chunk, crc)
            yield chunk
    if size != entry.size or crc != (crc if check_sum is None else check_sum):
        raise damaged(entry, "is not what its check sum says: pack it anew")
