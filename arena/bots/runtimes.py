"""Requirements of a bot's runtime at its start, and whether it can count instructions."""

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
    """The program to start for a bot within `limits`, and the limits of its process.

    For WebAssembly the runner enforces the module's memory limit and counts instructions, up to
    `count_to` per request (None: no counting); it needs its own files and some extra memory. All
    other bots are started unchanged.
    """
    if bot.runtime is not Runtime.WASM:
        return bot, limits
    argv = wasm.with_options(bot.argv, limits.memory, count_to)
    program = replace(bot, argv=argv, parts=(*bot.parts, *wasm.parts()))
    if limits.memory is None:
        return program, limits
    return program, msgspec.structs.replace(limits, memory=limits.memory + wasm.RUNNER_MEMORY)


def require_countable(bots: Iterable[BotProgram]) -> None:
    """Raise UsageError unless the instructions of all bots can be counted."""
    for bot in bots:
        if bot.runtime is not Runtime.WASM:
            raise UsageError(
                f"the instructions of {bot.command} cannot be counted: --meter instructions needs "
                "WebAssembly: compile it for wasm32-wasip1 and name the .wasm file"
            )
