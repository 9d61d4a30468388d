"""Foreign unpackers, behind walls: a stranger's archive may take one over.

They run as the commands of a build do (`arena.bots.execute`), within its limits, in a folder of
their own beside the cache; where no walls can be had they do not run at all.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

from arena.bots.archives.members import CHUNK, INPUT, Foreign
from arena.bots.archives.rules import DamagedError
from arena.bots.execute import execute
from arena.bots.staging import Staged, discard
from arena.errors import BotError, UsageError
from arena.sandbox.levels import Level, SandboxMode
from arena.text import printable

BEST = (SandboxMode.STRICT, Level.GUARD)
"""The walls that are tried when none are asked for. (Never `SandboxMode.AUTO`, which may come to no
walls at all.)"""


def behind(sandbox: Level | SandboxMode, place: Path) -> Foreign:
    """A runner of foreign unpackers behind such walls, and always behind some. `place` is a private
    folder for what they leave until it is taken. It raises UsageError when there are no walls."""
    return partial(_unpacked_by, place=place, sandbox=sandbox)


@contextmanager
def _unpacked_by(
    file: BinaryIO, command: tuple[str, ...], place: Path, sandbox: Level | SandboxMode
) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="new-", dir=place))
    try:
        staged = Staged(folder, has_user=True)
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
        said = printable(" ".join(error.output.split())[-150:]) or str(error)
        raise DamagedError(f"it cannot be unpacked ({said}): pack it anew") from None


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
