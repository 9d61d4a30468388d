"""Chess engines that speak UCI: ``uci:stockfish``, ``uci:./my_engine``, a quoted command
``"uci:stockfish option.Hash=16 overhead=20"``, and folders whose ``bot.toml`` has ``[uci]``.

Such a bot is the program `uci_adapter` with the engine as its child. What is measured, charged,
limited and shut in is both of them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from arena.bots.program import BotProgram, Runtime
from arena.errors import BotError, UsageError
from arena.text import nearest, printable

UCI_PREFIX = "uci:"
OPTION_PREFIX = "option."
OVERHEAD_KEY = "overhead"
USUAL_OVERHEAD = 10
"""Milliseconds of each time bank that the engine is not told of."""
LARGEST_OVERHEAD = 60_000
ENGINE_FOLDERS = ("/usr/games", "/usr/local/games")
"""Where systems put engines, beside the folders in PATH."""


@cache
def _adapter() -> str:
    return Path(__file__).with_name("uci_adapter.py").read_text("utf-8")


def split_word(word: str) -> tuple[str, int, tuple[str, ...]]:
    """The command of the engine in a word without its prefix, as a word for `find_bot`; the
    overhead; and the options. Raises UsageError."""
    try:
        words = shlex.split(word)
    except ValueError as error:
        raise UsageError(f"cannot read the command {word!r}: {str(error).lower()}") from None
    engine, options, overhead = list[str](), list[str](), USUAL_OVERHEAD
    for one in words:
        key, equals, value = one.partition("=")
        if one.startswith(OPTION_PREFIX):
            options.append(one.removeprefix(OPTION_PREFIX))
            _check_option(key.removeprefix(OPTION_PREFIX), value, one)
        elif key == OVERHEAD_KEY and equals:
            overhead = _overhead(value)
        else:
            engine.append(one)
    if not engine:
        raise UsageError(f"{UCI_PREFIX}{word} names no engine: write {UCI_PREFIX}stockfish, say")
    if len(engine) == 1:
        return engine[0], overhead, tuple(options)
    return shlex.join(engine), overhead, tuple(options)


def installed(name: str) -> str | None:
    """The path of an installed engine; None if there is none of that name."""
    if "/" in name or not name:
        return None
    places = [shutil.which(name), *(shutil.which(name, path=one) for one in ENGINE_FOLDERS)]
    return next((place for place in places if place), None)


def missing(engine: str, near: str | None) -> str:
    """The error text for a word that names no engine; `near` is a file that it may mean."""
    folder = os.path.dirname(engine)
    if folder and not os.path.isdir(folder):
        return f"there is no folder {folder!r}: give the path of an engine"
    near = near or nearest(engine, _engines())
    advice = f"did you mean {UCI_PREFIX}{near}?" if near else "install the engine, or give its path"
    if folder:
        return f"there is no file {engine!r}: {advice}"
    return f"there is no file {engine!r}, and no program of that name is installed: {advice}"


def _engines() -> list[str]:
    """What lies in the folders of engines, for hints."""
    return [name for one in ENGINE_FOLDERS if os.path.isdir(one) for name in os.listdir(one)]


def _check_option(name: str, value: str, shown: str) -> None:
    if not name.strip() or not (name + value).isprintable():
        raise UsageError(
            f"{shown!r} sets no option: write {OPTION_PREFIX}NAME=VALUE, as {OPTION_PREFIX}Hash=16"
        )


def _overhead(value: object) -> int:
    text = str(value)
    if not (text.isascii() and text.isdecimal() and int(text) <= LARGEST_OVERHEAD):
        raise UsageError(
            f"{OVERHEAD_KEY}={printable(text)} is not allowed: give whole milliseconds, at most "
            f"{LARGEST_OVERHEAD}"
        )
    return int(text)


def adapted(engine: BotProgram, overhead: int, options: Sequence[str]) -> BotProgram:
    """The bot of an engine. Numbers of the engine that may be tuned are options. Raises BotError
    for an engine that cannot have a parent."""
    if engine.runtime is not Runtime.NATIVE:
        raise BotError(f"{engine.name} cannot speak UCI: it runs inside the arena's own runner")
    count = len(engine.argv) - len(engine.numbers)
    command, numbers = engine.argv[:count], engine.argv[count:]
    return replace(
        engine,
        engine=True,
        argv=(
            *(sys.executable, "-I", "-S", "-c", _adapter(), str(count), *command),
            *(str(overhead), *options, *numbers),
        ),
    )


def read_table(given: Mapping[str, Any]) -> tuple[int, tuple[str, ...]]:
    """The overhead and the options of a table ``[uci]`` of a ``bot.toml``. Raises BotError."""
    options, overhead = list[str](), USUAL_OVERHEAD
    try:
        for name, value in given.items():
            if name == OVERHEAD_KEY:
                overhead = _overhead(value)
            elif isinstance(value, str | int | float):
                text = str(value).lower() if isinstance(value, bool) else str(value)
                _check_option(name, text, f"{name}={text}")
                options.append(f"{name}={text}")
            else:
                raise BotError(f"{name} in [uci] must be a text, a number, or true or false")
    except UsageError as error:
        raise BotError(f"[uci]: {error}") from None
    return overhead, tuple(options)
