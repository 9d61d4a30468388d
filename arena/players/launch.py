"""From a bot to a player: start its program in a private folder, and see that it is gone."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio
from msgspec.structs import replace

from arena import wasm
from arena.bots import BotProgram
from arena.budget import Budget
from arena.limits import Limits
from arena.players.metered import Metered
from arena.players.program import Program
from arena.sandbox.children import Child, Children

PASSED_ON = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "JAVA_HOME")
"""The environment variables that a bot gets. Whatever else the caller has (keys, tokens) is
nothing to it."""


@asynccontextmanager
async def open_program(
    children: Children, bot: BotProgram, limits: Limits, budget: Budget | None = None
) -> AsyncIterator[Program]:
    """The bot, running, for the time of an ``async with``. Within `limits`; with a `budget` its
    instructions are counted (it must be WebAssembly).

    Raises BotError when it cannot be started.
    """
    folder = Path(tempfile.mkdtemp(prefix="arena-"))
    try:
        _link_files(bot, folder)
        cwd = str(bot.cwd or folder)
        argv = _command(bot, limits, budget)
        child = await children.spawn(argv, cwd=cwd, env=bot_environment(), name=bot.name)
        try:
            yield _player(bot, child, limits, budget)
        finally:
            with trio.CancelScope(shield=True):
                await child.kill()
            child.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _command(bot: BotProgram, limits: Limits, budget: Budget | None) -> tuple[str, ...]:
    """What to execute; the limits of a WebAssembly bot are kept by its runner."""
    if not wasm.is_wasm(bot.argv):
        return bot.argv
    return wasm.limited(bot.argv, limits.memory, budget.game if budget else None)


def _player(bot: BotProgram, child: Child, limits: Limits, budget: Budget | None) -> Program:
    if wasm.is_wasm(bot.argv) and limits.memory is not None:
        limits = replace(limits, memory=limits.memory + wasm.RUNNER_MEMORY)
    if budget is None:
        return Program(bot.name, child, limits)
    return Metered(bot.name, child, limits, budget)


def _link_files(bot: BotProgram, folder: Path) -> None:
    """A bot that is a folder finds its files in its working folder, and writes beside them."""
    for entry in bot.files.iterdir() if bot.files else ():
        (folder / entry.name).symlink_to(entry)


def bot_environment() -> dict[str, str]:
    """The environment of a bot."""
    return {name: os.environ[name] for name in PASSED_ON if name in os.environ}
