"""Keeping the files that a bot writes (``--keep-files``).

Without the option, a bot behind walls writes into memory, which disappears with the bot. With it,
the bot's private folder is on disk at every level, so this module checks its size and ends a bot
that exceeds the limit. When all processes of the bot are gone, the plain files are copied out: no
links, no devices, and no more than a bot may write.
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
from arena.players.player import Player, Stopped
from arena.sandbox.bubblewrap import HOME
from arena.sandbox.keeper import tempdirs
from arena.text import size_text

KEPT_FILES = 1000
"""Files and folders that are kept per bot."""
TICK = 0.25
"""Seconds between looks at the folder."""


def new_folder(path: Path) -> Path:
    """Create the folder, unless it exists and is empty. Raises UsageError when it cannot be created
    or is not empty."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        is_empty = not any(path.iterdir())
    except OSError as error:
        raise UsageError(f"cannot make {path}: {error.strerror}: name a new folder") from None
    if not is_empty:
        raise UsageError(f"{path} is not empty: name a new folder")
    return path


@contextmanager
def private_folder(place: Path, *, shared: bool) -> Iterator[Path]:
    """The folder `place` for a bot, removed at the end with everything in it. With `shared`, a
    folder inside `place` that another user, as which the bot runs, can write to; `place` keeps out
    everyone else."""
    folder = place
    if shared:
        folder = place / "own"
        folder.mkdir()
        folder.chmod(0o777)
    try:
        yield folder
    finally:
        tempdirs.remove(str(place))


async def watch(folder: Path, limits: Limits, player: Player) -> None:
    """End the player when its folder holds more than a bot may write."""
    while True:
        await trio.sleep(TICK)
        if (problem := _problem_of(folder, limits.disk)) is not None:
            break
    await player.shut_down(Stopped.OUTPUT, problem)


def _problem_of(folder: Path, limit: int) -> str | None:
    """Why a bot must be ended: it wrote too much, or its files cannot be measured."""
    size = 0
    try:
        for number, (_, status) in enumerate(contents(folder)):
            size += status.st_blocks * 512
            if size > limit or number > 10 * KEPT_FILES:
                return f"wrote more than {size_text(limit)} of files"
    except StagingError as error:
        return f"made files whose size cannot be determined: {error}"
    return None


def keep(folder: Path, target: Path, limit: int, shown: Collection[Path] = ()) -> None:
    """Copy what a bot left, at most `limit` bytes. No process that could change the files may still
    run. `shown` are the files that a sandbox showed the bot at their own paths. Raises DiskFull."""
    if target.exists():
        tempdirs.remove(str(target))  # from a void match that is played again
    target.mkdir(parents=True)
    with suppress(StagingError):  # nested too deep, or unreadable: keep what came before
        for path, status in islice(contents(folder), KEPT_FILES):
            name = path.relative_to(folder)
            place = status.st_size == 0 and Path(HOME) / name in shown  # bubblewrap's mount point
            if stat.S_ISREG(status.st_mode) and not place and status.st_size <= limit:
                limit -= status.st_size
                _copy(path, target / name)


def _copy(path: Path, copy: Path) -> None:
    """Copy one file if possible: a bot may have made it unreadable, or its name too long."""
    try:
        copy.parent.mkdir(parents=True, exist_ok=True)
        source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(source, "rb") as data, copy.open("xb") as file:
            shutil.copyfileobj(data, file)
    except OSError as error:
        if error.errno in DISK_FULL_ERRNOS:
            raise DiskFull(f"cannot keep files in {copy.parent}: {error.strerror}") from error
