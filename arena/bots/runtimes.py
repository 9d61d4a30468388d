"""What the runtime of a bot needs when the bot is started, and what it can count."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import msgspec

from arena.bots.program import BotProgram, Runtime
from arena.bots.wasm import command as wasm
from arena.core.limits import Limits
from arena.errors import UsageError


def with_runtime(
    bot: BotProgram, limits: Limits, count_to: int | None = None
) -> tuple[BotProgram, Limits]:
    """The program that is started for a bot within `limits`, and the limits of its process.

    For WebAssembly the runner keeps the limit of the module's memory and counts instructions, up
    to `count_to` for each request (None: it counts nothing); it needs its own files and some memory
    for itself. All other bots are started as they are.
    """
    if bot.runtime is not Runtime.WASM:
        return bot, limits
    argv = wasm.with_options(bot.argv, limits.memory, count_to)
    program = replace(bot, argv=argv, parts=(*bot.parts, *wasm.parts()))
    if limits.memory is None:
        return program, limits
    return program, msgspec.structs.replace(limits, memory=limits.memory + wasm.RUNNER_MEMORY)


def require_countable(bots: Iterable[BotProgram]) -> None:
    """Raise UsageError unless the instructions of all the bots can be counted."""
    for bot in bots:
        if bot.runtime is not Runtime.WASM:
            raise UsageError(
                f"the instructions of {bot.command} cannot be counted: --meter instructions needs "
                "WebAssembly: compile it for wasm32-wasip1 and name the .wasm file"
            )
