"""A bot that is ready to be started: the value that travels from `find` to the player."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Runtime(StrEnum):
    """What executes a bot."""

    NATIVE = "native"
    """The system: a compiled program, or an interpreter with a script."""
    WASM = "wasm"
    """The runner of `arena.bots.wasm`, which can count instructions."""


@dataclass(frozen=True, slots=True)
class BotProgram:
    """A bot that is ready to be started."""

    name: str
    """For people: the file's stem, the name in ``bot.toml``, or the command without its folders.
    Printable and on one line (`arena.text.printable`), and no path: it goes into replays."""
    argv: tuple[str, ...]
    """The command to execute. The program is an absolute path. Arguments are absolute paths where
    `find` made them; those of a quoted command are as the user typed them, relative to `cwd`."""
    cwd: Path | None
    """Where to run it without walls; None: in a private empty folder made for the match."""
    files: Path | None
    """A folder whose top-level entries are linked into the private folder, or None."""
    command: str
    """The word that the user typed. It may hold characters that are not printable, but is text:
    bytes that are not UTF-8 are escaped."""
    parts: tuple[Path, ...] = ()
    """The files and folders of which it consists, all absolute: what a sandbox shows it."""
    runtime: Runtime = Runtime.NATIVE
    """What executes it. What the runtime itself needs is not in `argv` and `parts`: see
    `arena.bots.runtimes`."""
    source: str = ""
    """The name of its main source file; empty where it is not known."""
