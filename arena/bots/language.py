"""One entry of the table of languages: how its source files become programs."""

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
    """None: the compiler finds by itself what the main file asks for, or there is no compiler."""
    return ()


class Language(Struct, frozen=True):
    """How the source files of one language become programs. Its self-test (`selftests`) is
    ``selftests/bot`` with the first of its endings."""

    name: str
    endings: tuple[str, ...]
    run: tuple[str, ...]
    install: str
    """Where its programs come from: packages of Debian and Ubuntu, and a web site."""
    compile: tuple[str, ...] = ()
    """None: the source runs as it is, where it lies."""
    beside: tuple[str, ...] = ()
    """Endings of files next to the source that its compiler may read."""
    together: Together = alone
    """Which of its sources in a folder one command compiles together."""
    main_last: bool = False
    """Whether its compiler wants the sources in order, those that others use first."""
    options: Callable[[Path, str, Sequence[str]], Sequence[str]] = _no_options
    """What else its compiler is told: ``options(folder, main, names of all other files)``."""
    before: Callable[[Path, str], Sequence[tuple[str, ...]]] = _no_steps
    """Commands that run before the compiler: ``before(folder, main)``."""
    in_project: Callable[[Path, str], Language | None] = _no_project
    """How a source of it is built and run where it is part of a project; None where it is as
    any other: ``in_project(folder, main)``."""
    facts: Callable[[Path, str], Mapping[str, str]] = _no_facts
    """More words for the commands, found in the source: ``facts(folder, name in folder)``."""
    runtime: Runtime = Runtime.NATIVE
    """What executes its programs."""
    entry: bytes = b""
    """A pattern of what only a main file holds; empty where every file could be one."""
    guard: bytes = b""
    """Where every file could be one: a pattern of what a main file often holds."""
    by_gcc: bool = False
    """Whether its compiler is one of gcc's, which hands the last part of a source's name on to its
    own programs as a word by itself: there ``@bot.c`` means the options that stand in ``bot.c``."""
    marked: bool = False
    """Whether ``__main__`` in a comment marks the main file, as in the original competition."""
    has_selftest: bool = True

    @property
    def packages(self) -> str:
        """What to install: the packages alone."""
        return self.install.partition(" (")[0]


def operand(name: str) -> str:
    """The name as an argument that no compiler takes for an option, or for a file of options."""
    return f"./{name}" if name.startswith(("-", "@")) else name
