"""The command that executes a WebAssembly bot, and its requirements. Does not import wasmtime."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from arena.errors import BotError

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
