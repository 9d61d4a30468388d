"""The command that executes a WebAssembly bot, and what it needs. Imports no library."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from arena.errors import BotError

RUNNER = str(Path(__file__).with_name("runner.py"))
RUNNER_MEMORY = 128 << 20
"""Bytes granted to the runner itself, beyond the memory of its module: it needs some 25 MiB."""
INSTALL = "pip install '.[wasm]'"


def library() -> str | None:
    """The folder that holds the library wasmtime; None when it is not installed."""
    found = importlib.util.find_spec("wasmtime")
    return str(Path(found.origin).parents[1]) if found and found.origin else None


def release() -> str:
    """The release of the library, for records: ``wasmtime 50.0.0``."""
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


def with_options(
    argv: tuple[str, ...], memory: int | None, count_to: int | None
) -> tuple[str, ...]:
    """The command `argv` of a WebAssembly bot with its limits: `memory` in bytes, and the number of
    instructions up to which each request is counted (None: nothing is counted)."""
    place = argv.index(RUNNER) + 1
    options = [f"--memory={memory}"] if memory is not None else []
    options += [f"--count-to={count_to}"] if count_to is not None else []
    return (*argv[:place], *options, *argv[place:])
