"""From a bot to a player: start its program in a private folder, and see that it is gone."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from arena.bots import BotProgram
from arena.limits import Limits
from arena.players.program import Program
from arena.sandbox.children import Children

PASSED_ON = ("PATH", "HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "JAVA_HOME")
"""The environment variables that a bot gets. Whatever else the caller has (keys, tokens) is
nothing to it."""


@asynccontextmanager
async def open_program(
    children: Children, bot: BotProgram, limits: Limits
) -> AsyncIterator[Program]:
    """The bot, running, for the time of an ``async with``. Within `limits`.

    Raises BotError when it cannot be started.
    """
    folder = Path(tempfile.mkdtemp(prefix="arena-"))
    try:
        _link_files(bot, folder)
        cwd = str(bot.cwd or folder)
        child = await children.spawn(bot.argv, cwd=cwd, env=bot_environment(), name=bot.name)
        program = Program(bot.name, child, limits)
        try:
            yield program
        finally:
            program.close()
            with trio.CancelScope(shield=True):
                await child.kill()
            child.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _link_files(bot: BotProgram, folder: Path) -> None:
    """A bot that is a folder finds its files in its working folder, and writes beside them."""
    for entry in bot.files.iterdir() if bot.files else ():
        (folder / entry.name).symlink_to(entry)


def bot_environment() -> dict[str, str]:
    """The environment of a bot."""
    return {name: os.environ[name] for name in PASSED_ON if name in os.environ}
