"""From a bot to a player: start its program in a private folder, and see that it is gone."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import trio

from arena.bots import BotProgram
from arena.errors import BotError
from arena.limits import Limits
from arena.players.groupmeter import GroupMeter
from arena.players.meter import Meter, tree_meter
from arena.players.program import Program
from arena.sandbox.children import Child, Children
from arena.sandbox.levels import Level
from arena.sandbox.walls import Placed, order


@asynccontextmanager
async def open_program(
    children: Children, bot: BotProgram, limits: Limits, level: Level = Level.OFF
) -> AsyncIterator[Program]:
    """The bot, running within `limits` behind the walls of `level`, for the time of an ``async
    with``.

    Raises BotError when it cannot be started, ArenaFault when a wall cannot be put up.
    """
    folder = Path(tempfile.mkdtemp(prefix="arena-"))
    try:
        child = await _start(children, bot, limits, level, folder)
        try:
            program = Program(bot.name, child, limits, meter=meter_of(child, limits, level))
            with closing(program):
                yield program
        finally:
            with trio.CancelScope(shield=True):
                await child.kill()
            child.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def meter_of(child: Child, limits: Limits, level: Level) -> Meter:
    """What measures the program: the kernel's books, where it has a control group. In a sandbox
    without one, what lies in its memory file systems is counted as memory."""
    if child.group is not None:
        return GroupMeter(child.group.files, child.group.limits)
    rooms = {"/tmp": limits.disk, "/dev/shm": limits.shared_memory}
    return tree_meter(child.pid, rooms=rooms if level is Level.SANDBOX else {}, limit=limits.memory)


async def _start(
    children: Children, bot: BotProgram, limits: Limits, level: Level, folder: Path
) -> Child:
    _link_files(bot, folder)
    placed = Placed(bot.argv, bot.parts, folder, bot.cwd, bot.files)
    try:
        arguments = order(placed, level, limits)
    except OSError as error:
        raise BotError(f"cannot start {bot.name}: {error}") from error
    return await children.spawn(**arguments, name=bot.name)


def _link_files(bot: BotProgram, folder: Path) -> None:
    """A bot that is a folder finds its files in its working folder, and writes beside them."""
    for entry in bot.files.iterdir() if bot.files else ():
        (folder / entry.name).symlink_to(entry)
