"""Entries of the table of languages: how source files become programs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from arena.bots.program import Runtime

Together = Callable[[Path, str, Sequence[str]], Sequence[str]]
"""Which sources make one program: ``together(folder, main, names of all others)``."""


def _no_facts(folder: Path, main: str) -> dict[str, str]:
    return {}


def _no_options(folder: Path, main: str, names: Sequence[str]) -> list[str]:
    return []


def _no_steps(folder: Path, main: str) -> list[tuple[str, ...]]:
    return []


def _no_project(folder: Path, main: str) -> None:
    return None


def alone(folder: Path, main: str, names: Sequence[str]) -> Sequence[str]:
    """No other sources: the compiler finds those that it needs, or there is no compiler."""
    return ()


class Language(Struct, frozen=True):
    """How source files of one language become programs."""

    name: str
    endings: tuple[str, ...]
    run: tuple[str, ...]
    install: str
    """Where its programs come from: packages of Debian and Ubuntu, and a web site."""
    compile: tuple[str, ...] = ()
    """Alternative compiler commands; if empty, the source runs in place."""
    beside: tuple[str, ...] = ()
    """Endings of files next to the source that its compiler may read."""
    together: Together = alone
    """Which sources of a folder one command compiles together."""
    main_last: bool = False
    """Whether the compiler needs the sources in dependency order, so the main one last."""
    options: Callable[[Path, str, Sequence[str]], Sequence[str]] = _no_options
    """Other compiler options: ``options(folder, main, names of all other files)``."""
    before: Callable[[Path, str], Sequence[tuple[str, ...]]] = _no_steps
    """Commands that run before the compiler: ``before(folder, main)``."""
    in_project: Callable[[Path, str], Language | None] = _no_project
    """The variant for a source that is part of a project, or None for any other source:
    ``in_project(folder, main)``."""
    facts: Callable[[Path, str], Mapping[str, str]] = _no_facts
    """More placeholders for the commands: ``facts(folder, name in folder)`` of the source."""
    runtime: Runtime = Runtime.NATIVE
    """What executes its programs."""
    entry: bytes = b""
    """A pattern that only main files match; empty if any file could be a main file."""
    guard: bytes = b""
    """If any file could be a main file: a pattern that main files often match."""
    by_gcc: bool = False
    """Whether the compiler belongs to gcc, which passes the last part of a source's name to its own
    programs as a separate word: there ``@bot.c`` means the options written in ``bot.c``."""
    marked: bool = False
    """Whether ``__main__`` in a comment marks the main file, as in the original competition."""

    @property
    def packages(self) -> str:
        """The packages to install, without the web site."""
        return self.install.partition(" (")[0]


def operand(name: str) -> str:
    """The name as an argument that no compiler mistakes for an option or an options file."""
    return f"./{name}" if name.startswith(("-", "@")) else name
