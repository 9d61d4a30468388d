"""The files of a bot: which of them are taken for a build, and how much of them is ever read here.

The arena reads them itself, outside of all walls and limits. So a bot is measured before anything
else, by the names and sizes of its files; what a source *is* is found out from its `beginning`
alone, by scanners that take as long as that text is, and twice as long for twice the text; and
nothing that is read is executed or expanded.
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
"""Bytes of all files of a bot that is built. (A sparse file counts with its whole size.)"""
FILES = 50_000
"""Files and folders of such a bot."""
DEPTH = 100
"""Folders in folders."""
AT_TOP = 1000
"""Files and folders at the top of a bot that is a folder: each is linked into the place where the
bot runs."""
SCANNED = 1 << 20
"""Bytes at the beginning of a source that are looked at."""
SCANNED_TOGETHER = 16 << 20
"""Bytes of all sources of one bot that are looked at."""

_WORD = re.compile(rb"[\w\x80-\xff]+")


def beginning(path: Path, size: int = SCANNED) -> bytes:
    """As much of a source as is looked at."""
    return head(path, size)


class Scan:
    """The beginnings of all sources of one bot: `SCANNED` bytes of each, and no more of all
    together than `SCANNED_TOGETHER`."""

    def __init__(self) -> None:
        self.left = SCANNED_TOGETHER
        """Bytes that may still be read."""

    def read(self, path: Path) -> bytes:
        """As much of one more source as is looked at."""
        text = beginning(path, min(SCANNED, self.left))
        self.left -= len(text)
        return text


def measured(what: str, files: Files) -> Files:
    """The same files. Raises BotError when they are more than a bot may have."""
    size = sum(path.stat().st_size for path in files.values())
    if size > SIZE or len(files) > FILES:
        raise too_much(what)
    return files


def beside(source: Path, endings: Sequence[str]) -> Files:
    """The source and those files next to it that it may read: a header, another class.

    Taken is what is mentioned by name, directly or by a file taken. That may be too much, which
    only costs a compilation more; what is not taken the compiler does not see, so a build can
    never depend on a file that its key leaves out.
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
    """All files of a folder, without what version control, editors and file managers leave there
    (`is_junk`), and without virtual environments, which cannot be moved.

    Raises BotError for links to folders and for more than a bot may have, OSError for folders that
    cannot be read."""
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
    """What lies in the folder, one by one, each folder before what is in it."""
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
    """Whether it is a virtual environment of Python."""
    return os.path.isfile(folder / "pyvenv.cfg")


def check_top(folder: Path) -> None:
    """Raise BotError when too much lies at the top of a bot's folder."""
    with os.scandir(folder) as entries:
        for number, _ in enumerate(entries):
            if number >= AT_TOP:
                raise BotError(
                    f"{printable(folder.name)} has more than {AT_TOP} files and folders at its"
                    " top: move them into a folder of it"
                )


def too_much(what: str) -> BotError:
    """The error for a bot that is more than is ever read."""
    return BotError(
        f"{printable(what)} has more than {size_text(SIZE)} or {FILES} files, too much for a build:"
        " leave out what the bot does not need"
    )
