"""What a bot writes beside itself, kept on wish (``--keep-files``).

Without the wish a bot behind walls writes into memory, which is gone with it. With it, the bot's
private folder lies on the disk at every level; so its size is looked at here, and what exceeds it
ends the bot. When all its processes are gone, the plain files in it are copied out: no links, no
devices, and no more than a bot may write.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

import trio

from arena.bots.staging import StagingError, contents
from arena.core.limits import Limits
from arena.errors import DISK_FULL_ERRNOS, DiskFull, UsageError
from arena.players.player import Stopped
from arena.players.process import ProcessPlayer
from arena.sandbox.bubblewrap import HOME
from arena.sandbox.keeper import tempdirs
from arena.text import size_text

FILES = 1000
"""Files and folders that are kept of one bot."""
TICK = 0.25
"""Seconds from one look at the folder to the next."""


def new_folder(path: Path) -> Path:
    """The folder, which is made unless it is there and empty. Raises UsageError when it cannot be
    had, or others lie in it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        is_empty = not any(path.iterdir())
    except OSError as error:
        raise UsageError(f"cannot make {path}: {error.strerror}: name a new folder") from None
    if not is_empty:
        raise UsageError(f"there is something in {path} already: name a new folder")
    return path


@contextmanager
def private_folder(place: Path, *, shared: bool) -> Iterator[Path]:
    """The folder `place` for a bot, and its end with all that the bot left in it. `shared`: one
    in it in which another user can write, as which the bot runs; all others are kept out by
    `place`."""
    folder = place
    if shared:
        folder = place / "own"
        folder.mkdir()
        folder.chmod(0o777)
    try:
        yield folder
    finally:
        tempdirs.remove(str(place))


async def watch(folder: Path, limits: Limits, player: ProcessPlayer) -> None:
    """End the player when there is more in the folder than a bot may write."""
    while True:
        await trio.sleep(TICK)
        if (problem := _problem_of(folder, limits.disk)) is not None:
            break
    await player.shut_down(Stopped.OUTPUT, problem)


def _problem_of(folder: Path, limit: int) -> str | None:
    """Why a bot may not go on: what it wrote is too much, or cannot be measured."""
    size = 0
    try:
        for number, (_, status) in enumerate(contents(folder)):
            size += status.st_blocks * 512
            if size > limit or number > 10 * FILES:
                return f"wrote more than {size_text(limit)} of files"
    except StagingError as error:
        return f"made files whose size cannot be told: {error}"
    return None


def keep(folder: Path, target: Path, limit: int, shown: Collection[Path] = ()) -> None:
    """Copy what a bot left, at most `limit` bytes of it. Nothing runs any more that could change
    it. `shown` are the files that a sandbox showed it at their own paths. Raises DiskFull."""
    if target.exists():
        tempdirs.remove(str(target))  # of a match that was void, and is played again
    target.mkdir(parents=True)
    with suppress(StagingError):  # nested too deep, or shut: what came before is kept
        for path, status in islice(contents(folder), FILES):
            name = path.relative_to(folder)
            place = status.st_size == 0 and Path(HOME) / name in shown  # bubblewrap's, to mount it
            if stat.S_ISREG(status.st_mode) and not place and status.st_size <= limit:
                limit -= status.st_size
                _copy(path, target / name)


def _copy(path: Path, copy: Path) -> None:
    """Copy one file, if it can be: a bot may have shut it, or given it too long a name."""
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(source, "rb") as data, copy.open("xb") as file:
            shutil.copyfileobj(data, file)
    except OSError as error:
        if error.errno in DISK_FULL_ERRNOS:
            raise DiskFull(f"cannot keep files in {copy.parent}: {error.strerror}") from error
