"""From a bot to a player: start its program in a private folder, and see that it is gone."""

from __future__ import annotations

import dataclasses
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import msgspec

from arena import wasm
from arena.bots import BotProgram
from arena.budget import Budget
from arena.errors import BotError
from arena.limits import Limits
from arena.players.groupmeter import GroupMeter
from arena.players.meter import Meter, tree_meter
from arena.players.metered import Metered
from arena.players.program import Program
from arena.players.request import Timing
from arena.sandbox import folders
from arena.sandbox.children import Child, Children
from arena.sandbox.levels import Level
from arena.sandbox.walls import Placed, order


@asynccontextmanager
async def open_program(
    children: Children,
    bot: BotProgram,
    limits: Limits,
    level: Level = Level.OFF,
    timing: Timing = Timing(),  # noqa: B008  # frozen
    budget: Budget | None = None,
) -> AsyncIterator[Program]:
    """The bot, running within `limits` behind the walls of `level`, for the time of an ``async
    with``. With a `budget` its instructions are counted (it must be WebAssembly).

    Raises BotError when it cannot be started, ArenaFault when a wall cannot be put up.
    """
    folder = Path(tempfile.mkdtemp(prefix=folders.prefix()))
    try:
        command = _command(bot, limits, budget)
        limits = _with_runner(bot, limits)
        _link_files(bot, folder)
        how = _order(dataclasses.replace(bot, argv=command), limits, level, folder, children)
        async with children.running(**how, name=bot.name) as child:
            meter = meter_of(child, limits, level)
            if budget is None:
                program = Program(bot.name, child, limits, meter=meter, timing=timing)
            else:
                program = Metered(bot.name, child, limits, budget, meter=meter, timing=timing)
            with closing(program):
                yield program
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def meter_of(child: Child, limits: Limits, level: Level) -> Meter:
    """What measures the program: the kernel's books, where it has a control group. In a sandbox
    without one, what lies in its memory file systems is counted as memory."""
    if child.group is not None:
        return GroupMeter(child.group.files, child.group.limits)
    rooms = {"/tmp": limits.disk, "/dev/shm": limits.shared_memory}
    return tree_meter(child.pid, rooms=rooms if level is Level.SANDBOX else {}, limit=limits.memory)


def _order(
    bot: BotProgram, limits: Limits, level: Level, folder: Path, children: Children
) -> dict[str, Any]:
    parts = (*bot.parts, *wasm.parts()) if wasm.is_wasm(bot.argv) else bot.parts
    placed = Placed(bot.argv, parts, folder, bot.cwd, bot.files)
    try:
        return order(placed, level, limits, children.keeper.etc)
    except OSError as error:
        raise BotError(f"cannot start {bot.name}: {error}") from error


def _command(bot: BotProgram, limits: Limits, budget: Budget | None) -> tuple[str, ...]:
    """What to execute; the limits of a WebAssembly bot are kept by its runner."""
    if not wasm.is_wasm(bot.argv):
        return bot.argv
    return wasm.limited(bot.argv, limits.memory, budget.game if budget else None)


def _with_runner(bot: BotProgram, limits: Limits) -> Limits:
    """The limits of the process: those of a WebAssembly bot and what its runner needs."""
    if not wasm.is_wasm(bot.argv) or limits.memory is None:
        return limits
    return msgspec.structs.replace(limits, memory=limits.memory + wasm.RUNNER_MEMORY)


def _link_files(bot: BotProgram, folder: Path) -> None:
    """A bot that is a folder finds its files in its working folder, and writes beside them."""
    for entry in bot.files.iterdir() if bot.files else ():
        (folder / entry.name).symlink_to(entry)
