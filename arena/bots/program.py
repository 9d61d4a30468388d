"""A bot that is ready to be started, the value that travels from `find` to the player; and how it
is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from arena.bots.numbers import TunedNumber
from arena.sandbox.levels import Level, SandboxWish


class Runtime(StrEnum):
    """What executes a bot."""

    NATIVE = "native"
    """The system: a compiled program, or an interpreter with a script."""
    WASM = "wasm"
    """The runner of `arena.bots.wasm`, which can count instructions."""


class BuildOptions(NamedTuple):
    """The cache for built bots, and the walls around a build."""

    cache: Path | None = None
    """Where built bots are kept; None: `cache.cache_root`."""
    sandbox: SandboxWish = Level.OFF
    """The walls around the build commands. `Level.OFF`: they run with all rights of the caller, and
    only their time is limited."""
    pass_env: tuple[str, ...] = ()
    """Variables of the caller's environment that the build commands get."""


@dataclass(frozen=True, slots=True)
class BotProgram:
    """A bot that is ready to be started."""

    name: str
    """Display name: the file's stem, the name in ``bot.toml``, or the command without folders.
    One printable line (`arena.text.printable`), not a path: it goes into replays."""
    argv: tuple[str, ...]
    """The command to execute. The program is an absolute path, and so are paths in arguments made
    by `find`; those of a quoted command are as the user typed them, relative to `cwd`."""
    cwd: Path | None
    """Working folder without walls; None: a private empty folder made for the match."""
    files: Path | None
    """A folder whose top-level entries are linked into the private folder, or None."""
    command: str
    """The word that the user typed. It may contain unprintable characters, but bytes that are not
    UTF-8 are escaped."""
    parts: tuple[Path, ...] = ()
    """Absolute paths of the files and folders of the bot, which a sandbox shows it."""
    runtime: Runtime = Runtime.NATIVE
    """What executes it. `argv` and `parts` do not include the needs of the runtime itself: see
    `arena.bots.runtimes`."""
    source: str = ""
    """The name of its main source file; empty if unknown."""
    choice: str = ""
    """This source and how it was chosen, if others of the bot's folder can be started too. One
    printable line."""
    engine: bool = False
    """Whether it is a chess engine that speaks UCI, whose clock runs once it is ready."""
    numbers: tuple[TunedNumber, ...] = ()
    """The numbers that may be tuned. Their values are the last words of `argv`."""
    numbers_file: str = ""
    """The file of the private folder by which the program gets its numbers; empty: it gets them as
    arguments."""

    @property
    def words(self) -> tuple[str, ...]:
        """The command as it is executed: `argv`, without numbers that go into a file."""
        return self.argv[: len(self.argv) - len(self.numbers)] if self.numbers_file else self.argv

    @property
    def numbers_text(self) -> str:
        """The content of the file of numbers: lines as ``aggression=5``."""
        given = self.argv[len(self.argv) - len(self.numbers) :]
        return "".join(f"{word.removeprefix('--')}\n" for word in given)

    def with_numbers(self, values: Sequence[float]) -> BotProgram:
        """The program with other values for its numbers."""
        pairs = zip(self.numbers, values, strict=True)
        given = tuple([number.argument(value) for number, value in pairs])
        return replace(self, argv=self.argv[: len(self.argv) - len(given)] + given)
