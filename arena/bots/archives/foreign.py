"""Foreign unpackers, behind walls: a stranger's archive may take one over.

They run as the commands of a build do (`arena.bots.execute`), within its limits, in a folder of
their own beside the cache; where no walls can be had they do not run at all.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from arena.bots.archives.members import CHUNK, DamagedError
from arena.bots.executables import find_command
from arena.bots.execute import execute
from arena.bots.staging import Staged, contents, discard
from arena.errors import BotError, UsageError
from arena.sandbox.levels import Level, SandboxMode

INPUT = "archive"
"""The name that the archive has for the unpacker."""
BEST = (SandboxMode.STRICT, Level.GUARD)
"""The walls that are tried when none are asked for. (Never `SandboxMode.AUTO`, which may come to no
walls at all.)"""


def first_installed(*names: str) -> str | None:
    """The path of the first of these programs that is installed."""
    return next(filter(None, map(find_command, names)), None)


@contextmanager
def unpacked_by(
    file: BinaryIO, command: tuple[str, ...], place: Path, sandbox: Level | SandboxMode
) -> Iterator[Path]:
    """The folder that an unpacker fills, for the time of a ``with``. It finds the archive as
    `INPUT` in its working folder and writes to ``../out``. What it wrote is only files, folders
    and links within; nothing else says that it is what the archive holds.

    Raises DamagedError when it fails, UsageError when there are no walls.
    """
    folder = Path(tempfile.mkdtemp(prefix="new-", dir=place))
    try:
        staged = Staged(folder)
        for part in (staged.out, staged.files):
            part.mkdir(parents=True)
        with (staged.files / INPUT).open("wb") as copy:
            file.seek(0)
            shutil.copyfileobj(file, copy, CHUNK)
        _execute(command, staged, sandbox)
        yield staged.out
    finally:
        discard(folder)


def _execute(command: tuple[str, ...], staged: Staged, sandbox: Level | SandboxMode) -> None:
    asked_for = sandbox not in (Level.OFF, SandboxMode.AUTO)
    try:
        _first_possible(command, staged, [sandbox] if asked_for else BEST)
    except BotError as error:
        said = " ".join(error.output.split())[-200:]
        raise DamagedError(f"{error}{f' ({said})' if said else ''}") from None


def _first_possible(
    command: tuple[str, ...], staged: Staged, walls: Sequence[Level | SandboxMode]
) -> None:
    """Run it behind the first of these walls that can be had."""
    *more, last = walls
    for one in more:
        with suppress(UsageError):
            execute("unpack it", (command,), staged, one)
            return
    execute("unpack it", (command,), staged, last)


def files_below(folder: Path) -> Iterator[tuple[str, Path, os.stat_result]]:
    """What an unpacker left: name, place and status of all but folders."""
    for path, status in contents(folder):
        if not stat.S_ISDIR(status.st_mode):
            yield os.path.relpath(path, folder), path, status
