"""WebAssembly bots: ``bot.wasm``, a command of WASI preview 1, executed by a runner of ours.

The runner (`runner`) is a program like any bot, started and ended by the same keeper. Inside it
WebAssembly is the wall: a module has its own memory and the few functions of `wasi`, and no file,
network, clock or chance of the machine. What it executes can be counted, exactly and the same on
every machine; `--meter instructions` builds on that.

This module is what the rest of the arena needs to know. It imports no library.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arena.errors import BotError, UsageError

if TYPE_CHECKING:
    from arena.bots import BotProgram

RUNNER = str(Path(__file__).with_name("runner.py"))
RUNNER_MEMORY = 128 << 20
"""Bytes granted to the runner itself, beyond the memory of its module: it needs some 25 MB."""
INSTALL = "pip install 'arena[wasm]'"


def library() -> str | None:
    """The folder that holds the library wasmtime; None when it is not installed."""
    found = importlib.util.find_spec("wasmtime")
    return str(Path(found.origin).parents[1]) if found and found.origin else None


def release() -> str:
    """The release of the library, for records."""
    from importlib.metadata import version

    return f"wasmtime {version('wasmtime')}"


def runner_facts(folder: Path, main: str) -> dict[str, str]:
    """What the commands of a ``.wasm`` file need. Raises BotError without wasmtime."""
    place = library()
    if place is None:
        raise BotError(f"cannot run {main}: wasmtime is not installed: {INSTALL}")
    return {"runner": RUNNER, "library": place}


def parts() -> tuple[Path, ...]:
    """What a sandbox must show the runner besides the module: itself, and the library."""
    place = library()
    return (Path(RUNNER).parent, *([Path(place, "wasmtime")] if place else []))


def is_wasm(argv: Sequence[str]) -> bool:
    """Whether a command is the runner with a module."""
    return RUNNER in argv


def limited(argv: tuple[str, ...], memory: int | None, count_to: int | None) -> tuple[str, ...]:
    """The command of a WebAssembly bot with its limits: bytes of memory, and the instructions up
    to which each request is counted (None: nothing is counted)."""
    place = argv.index(RUNNER) + 1
    options = [f"--memory={memory}"] if memory is not None else []
    options += [f"--count-to={count_to}"] if count_to is not None else []
    return (*argv[:place], *options, *argv[place:])


def require_countable(bots: Iterable[BotProgram]) -> None:
    """Raise UsageError unless the instructions of all the bots can be counted."""
    for bot in bots:
        if not is_wasm(bot.argv):
            raise UsageError(
                f"the instructions of {bot.command} cannot be counted: --meter instructions needs "
                "WebAssembly: compile it for wasm32-wasip1 and name the .wasm file"
            )
