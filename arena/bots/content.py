"""The files of a bot: which ones a build takes, and how much of them the arena reads.

The arena reads them itself, outside all walls and limits. So a bot is first measured by the names
and sizes of its files; sources are classified by their `beginning` alone, with scanners that take
linear time; and nothing that is read is executed or expanded.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from arena.bots.archives.rules import is_junk
from arena.bots.executables import head
from arena.errors import BotError
from arena.text import printable, size_text

if TYPE_CHECKING:
    from arena.bots.staging import Files

SIZE = 512 << 20
"""Maximum total bytes of a bot's files. (A sparse file counts with its full size.)"""
FILES = 50_000
"""Maximum number of a bot's files and folders."""
DEPTH = 100
"""Maximum nesting of folders."""
AT_TOP = 1000
"""Maximum entries at the top of a bot's folder: each is linked into the folder where the bot
runs."""
SCANNED = 1 << 20
"""Bytes read from the beginning of a source."""
SCANNED_TOGETHER = 16 << 20
"""Bytes read from all sources of one bot together."""

_WORD = re.compile(rb"[\w\x80-\xff]+")


def beginning(path: Path, size: int = SCANNED) -> bytes:
    """Read the beginning of a source."""
    return head(path, size)


class Scan:
    """Reads the beginnings of one bot's sources: at most `SCANNED` bytes of each, and
    `SCANNED_TOGETHER` in total."""

    def __init__(self) -> None:
        self.left = SCANNED_TOGETHER
        """Bytes that may still be read."""

    def read(self, path: Path) -> bytes:
        """Read the beginning of one more source."""
        text = beginning(path, min(SCANNED, self.left))
        self.left -= len(text)
        return text


def measured(what: str, files: Files) -> Files:
    """Return `files` unchanged. Raises BotError when they exceed the limits of a bot."""
    size = sum(path.stat().st_size for path in files.values())
    if size > SIZE or len(files) > FILES:
        raise too_much(what)
    return files


def beside(source: Path, endings: Sequence[str]) -> Files:
    """The source and those files next to it that it may read: a header, another class.

    Takes the files mentioned by name, directly or by another taken file. Taking too many only
    costs an extra compilation; the compiler never sees the others, so a build cannot depend on a
    file that its key does not cover.
    """
    left = {
        path: set(_WORD.findall(os.fsencode(path.stem)))
        for path in sorted(source.parent.iterdir())
        if path.suffix in endings and path != source and os.access(path, os.R_OK) and path.is_file()
    }
    found, queue, scan = {source.name: source}, [source], Scan()
    while queue and left and scan.left > 0:
        words = set(_WORD.findall(scan.read(queue.pop())))
        named = [path for path, stem in left.items() if stem <= words]
        found |= {path.name: path for path in named}
        queue += named
        left = {path: stem for path, stem in left.items() if path not in found.values()}
    return measured(source.name, found)


def everything(folder: Path) -> Files:
    """All files of a folder, except those left by version control, editors and file managers
    (`is_junk`), and virtual environments, which cannot be moved.

    Raises BotError for links to folders and when the files exceed a bot's limits, OSError for
    unreadable folders."""
    found, size = {}, 0
    for seen, entry in enumerate(_entries(folder), 1):
        if entry.is_dir():
            if entry.is_symlink():
                what = f"{printable(entry.path)} is a link to a folder: copy it in"
                raise BotError(f"cannot build {printable(folder.name)}: {what}")
        elif entry.is_file():
            size += _size(entry)
            found[os.path.relpath(entry.path, folder)] = Path(entry.path)
        if size > SIZE or seen > FILES:
            raise too_much(folder.name)
    return dict(sorted(found.items()))


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Iterate over the entries below the folder, each folder before its contents."""
    ahead = [(str(folder), 0)]
    while ahead:
        place, depth = ahead.pop()
        if depth > DEPTH:
            raise BotError(f"{printable(folder.name)} has folders nested deeper than {DEPTH}")
        with suppress(FileNotFoundError), os.scandir(place) as entries:
            for entry in entries:
                if is_junk(entry.name) or is_environment(Path(entry.path)):
                    continue
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    ahead.append((entry.path, depth + 1))


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_size
    except FileNotFoundError:
        return 0  # removed meanwhile


def is_environment(folder: Path) -> bool:
    """Whether the folder is a Python virtual environment."""
    return os.path.isfile(folder / "pyvenv.cfg")


def check_top(folder: Path) -> None:
    """Raise BotError if the top of a bot's folder has too many entries."""
    with os.scandir(folder) as entries:
        for number, _ in enumerate(entries):
            if number >= AT_TOP:
                raise BotError(
                    f"{printable(folder.name)} has more than {AT_TOP} files and folders at its"
                    " top: move them into a folder of it"
                )


def too_much(what: str) -> BotError:
    """The error for a bot that exceeds the reading limits."""
    return BotError(
        f"{printable(what)} has more than {size_text(SIZE)} or {FILES} files, too much for a build:"
        " leave out what the bot does not need"
    )
