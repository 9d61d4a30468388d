"""From a source file to a command: gather files, compile if needed, fill in placeholders."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from arena.bots.executables import HEAD, UTF16, head, mounted_noexec
from arena.bots.language import Language, operand
from arena.bots.languages import command, not_installed
from arena.bots.program import BuildOptions, Runtime
from arena.errors import BotError
from arena.text import printable

if TYPE_CHECKING:
    from arena.bots.staging import Files

MAX_NAMES_SIZE = 64 << 10
"""Maximum bytes of the names of all sources that one command compiles together."""


class SourceFile(Struct, frozen=True):
    """A source file of a known language."""

    language: Language
    folder: Path
    main: str
    """Its name in the folder."""
    along: Sequence[str] = ()
    """Other sources of the folder that are compiled with it."""
    before: Sequence[tuple[str, ...]] = ()
    """Commands that run before its compiler."""
    options: Sequence[str] = ()
    """Other options for its compiler, such as header folders."""
    python: str | None = None
    """The interpreter of its own virtual environment, if it has one."""


class Ready(Struct, frozen=True):
    """A command to run, and the folder in which the bot's files are (a copy if it was built)."""

    argv: tuple[str, ...]
    folder: Path
    built: Path | None = None
    """The cache entry with the whole bot, if it was built."""
    runtime: Runtime = Runtime.NATIVE


def prepare(
    source: SourceFile,
    files: Callable[[], Files],
    options: BuildOptions,
    before: Sequence[tuple[str, ...]] = (),
) -> Ready:
    """Make a source ready to run.

    `files` lists what to copy if something must be built: by the commands `before`, then by the
    compiler, if the language has one. Raises BotError.
    """
    language, folder, main = source.language, source.folder, source.main
    name = printable(main)
    start = head(folder / main, HEAD)
    if not before and len(start) < HEAD and not start.strip():
        raise BotError(f"{name} is empty: write the bot into it (arena new makes a first one)")
    if start.startswith(UTF16):
        raise BotError(f"{name} is saved as UTF-16, which its language cannot read: use UTF-8")
    taken = files() if before or language.compile else {}  # measured before anything is read
    steps = [*before]
    if language.compile:
        _check_names(source, taken)
        steps += [*source.before, _compiler(source, language.facts(folder, main))]
    entry, out = None, ""
    if steps:
        from arena.bots.build import build

        what = f"build {printable(folder.name)}" if before else f"compile {name}"
        entry = build(what, taken, steps, options)
        folder, out = entry / "files", str(entry / "out")
    places = {"source": str(folder / main), "out": out, "files": str(folder)}
    if source.python is not None:
        places["activated"] = source.python
    argv = command(language.run, **places, **language.facts(folder, main))
    if argv is None:
        raise BotError(f"cannot start {name}: {_why_not(language, out)}")
    return Ready(argv, folder, entry, language.runtime)


def _check_names(source: SourceFile, taken: Files) -> None:
    for name in map(os.path.basename, (source.main, *source.along)):
        if source.language.by_gcc and name.startswith("@") and name[1:] in taken:
            raise BotError(
                f"cannot compile {printable(source.main)}: to gcc {printable(name)!r} means the "
                f"options that stand in {printable(name[1:])!r}: rename one of them"
            )


def _compiler(source: SourceFile, facts: Mapping[str, str]) -> tuple[str, ...]:
    language, main = source.language, operand(source.main)
    along = [operand(name) for name in source.along]
    sources = [*along, main] if language.main_last else [main, *along]
    found = command(language.compile, source=main, **facts)
    if found is None:
        missing = not_installed(language.compile, language)
        raise BotError(f"cannot compile {printable(source.main)}: {missing}")
    if sum(map(len, sources)) > MAX_NAMES_SIZE:
        many = f"{len(sources)} sources are too many for one command"
        advice = "write a build command for them (make, say) into bot.toml"
        raise BotError(f"cannot compile {printable(source.main)}: {many}: {advice}")
    place = found.index(main)
    return (*found[:place], *source.options, *sources, *found[place + 1 :])


def _why_not(language: Language, out: str) -> str:
    if not language.run[0].startswith("{out}"):
        return not_installed(language.run, language)
    if mounted_noexec(Path(out)):
        root = Path(out).parents[2]
        return f"the cache {root} is mounted noexec: set ARENA_CACHE to a folder elsewhere"
    return f"its compiler wrote no program: remove {os.path.dirname(out)} and try again"
