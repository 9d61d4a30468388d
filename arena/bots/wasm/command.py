"""The command that executes a WebAssembly bot, and its requirements. Does not import wasmtime."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import msgspec

from arena.bots.program import BotProgram, Runtime
from arena.core.limits import Limits
from arena.errors import BotError, UsageError

RUNNER = str(Path(__file__).with_name("runner.py"))
RUNNER_MEMORY = 128 << 20
"""Bytes granted to the runner beyond the memory of its module; it needs about 25 MiB."""
INSTALL = "pip install '.[wasm]'"


def library() -> Path | None:
    """The folder of the package wasmtime; None if it is not installed."""
    found = importlib.util.find_spec("wasmtime")
    return Path(found.origin).parent if found and found.origin else None


def release() -> str:
    """The release of wasmtime, for records: ``wasmtime 50.0.0``."""
    from importlib.metadata import version

    return f"wasmtime {version('wasmtime')}"


def runner_facts(folder: Path, main: str) -> dict[str, str]:
    """Placeholders for the commands of a ``.wasm`` file. Raises BotError without wasmtime."""
    place = library()
    if place is None:
        raise BotError(f"cannot run {main}: wasmtime is not installed: {INSTALL}")
    return {"runner": RUNNER, "library": str(place)}


def parts() -> tuple[Path, ...]:
    """Paths that a sandbox must show besides the module: the runner and the library."""
    place = library()
    return (Path(RUNNER).parent, *([place] if place else []))


def with_options(
    argv: tuple[str, ...], memory: int | None, count_to: int | None
) -> tuple[str, ...]:
    """The command `argv` of a WebAssembly bot with its limits: `memory` in bytes, and `count_to`,
    the maximum instructions per request (None: no counting)."""
    place = argv.index(RUNNER) + 1
    options = [f"--memory={memory}"] if memory is not None else []
    options += [f"--count-to={count_to}"] if count_to is not None else []
    return (*argv[:place], *options, *argv[place:])


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
    argv = with_options(bot.argv, limits.memory, count_to)
    program = replace(bot, argv=argv, parts=(*bot.parts, *parts()))
    if limits.memory is None:
        return program, limits
    return program, msgspec.structs.replace(limits, memory=limits.memory + RUNNER_MEMORY)


def require_countable(bots: Iterable[BotProgram]) -> None:
    """Raise UsageError unless the instructions of all bots can be counted."""
    for bot in bots:
        if bot.runtime is not Runtime.WASM:
            raise UsageError(
                f"the instructions of {bot.command} cannot be counted: --meter instructions needs "
                "WebAssembly: compile it for wasm32-wasip1 and name the .wasm file"
            )
