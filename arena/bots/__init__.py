"""Bots by file: how a word on the command line becomes a program that can be started.

A word is one of

* a source file, run or compiled by the one table in `languages`;
* an executable file (its execute bit set, and no known ending or a ``#!`` line that works);
* a folder with a ``bot.toml`` (`folder`);
* a quoted command, such as ``"python3 my_bot.py --fast"``.

Scripts, jars and executables run where they lie, so that their sibling imports work and their
tracebacks show the right path. What has to be compiled is built once, from a copy, into a cache
named by content (`build`): editing the source later changes nothing for a match under way.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from arena.bots.workshop import Run, Workshop
from arena.errors import BotError, UsageError

__all__ = ["BotProgram", "find_bot"]


@dataclass(frozen=True, slots=True)
class BotProgram:
    """A bot that is ready to be started."""

    name: str
    """For people: the file's stem, the name in ``bot.toml``, or the command without its folders.
    Printable, and no path: it goes into replays."""
    argv: tuple[str, ...]
    """What to execute; every path in it is absolute."""
    cwd: Path | None
    """Where to run it; None: in a private empty folder made for the match."""
    files: Path | None
    """A folder whose top-level entries are linked into the private folder, or None."""
    command: str
    """The word the user typed."""
    parts: tuple[Path, ...] = ()
    """The files and folders that it consists of, all absolute: what a sandbox shows it."""


def find_bot(word: str, *, cache: Path | None = None, run: Run | None = None) -> BotProgram:
    """Find the bot that `word` names, build it unless that is done already, and describe it.

    `cache` is where built bots are kept (default: see `build.cache_root`). `run` executes what
    builds them (`arena.builds.behind` has one with walls); by default that is done as the caller.
    This blocks while a compiler runs, for `build.BUILD_SECONDS` at most.

    Raises UsageError when there is no such file or it is nothing that could be a bot, BotError
    when the bot cannot be built or started (then `output` has what its compiler said), and what
    `run` raises.
    """
    try:
        return _find(word, Workshop(cache, run))
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        raise BotError(f"cannot look up {word!r}: {reason}: check its permissions") from error


def _find(word: str, shop: Workshop) -> BotProgram:
    path = Path(os.path.abspath(word))
    if word and os.path.isdir(path):
        return _folder(path, word, shop)
    if word and os.path.exists(path):
        return _file(path, word, shop)
    if len(word.split()) > 1:
        return _command(word, shop)
    raise UsageError(_missing(word, path))


def _folder(path: Path, word: str, shop: Workshop) -> BotProgram:
    from arena.bots.folder import load
    from arena.bots.names import printable

    found = load(path, shop)
    return BotProgram(printable(found.name), found.argv, None, found.files, word, found.parts)


def _file(path: Path, word: str, shop: Workshop) -> BotProgram:
    from arena.bots.executables import is_script, looks_executable, trouble
    from arena.bots.languages import ENDINGS, language_of
    from arena.bots.names import printable

    shown = printable(path.name)
    if path.name == "bot.toml":
        return _folder(path.parent, word, shop)
    if not path.is_file():
        raise UsageError(f"{shown} is not a file: name a program, a source file or a folder")
    language, problem = language_of(path), trouble(path)
    if problem is None and (language is None or is_script(path)):
        name = path.stem if language else path.name
        return BotProgram(printable(name), (str(path),), None, None, word, (path,))
    if language is not None:
        from arena.bots.source import beside, prepare

        ready = prepare(
            language, path.parent, path.name, lambda: beside(path, language.beside), (), shop
        )
        return BotProgram(
            printable(path.stem), ready.argv, None, None, word, (ready.built or path,)
        )
    if looks_executable(path):
        raise BotError(f"cannot start {shown}: {problem}")
    raise UsageError(
        f"{shown} is neither a program nor in a language known here: name a file that ends in"
        f" {ENDINGS}, make it executable (chmod +x), or quote a whole command"
    )


def _command(word: str, shop: Workshop) -> BotProgram:
    import shlex

    from arena.bots.executables import find_command
    from arena.bots.names import printable

    try:
        first, *rest = shlex.split(word)
    except ValueError as error:
        wrong = str(error).lower() or "it is empty"
        raise UsageError(f"cannot read the command {word!r}: {wrong}") from None
    here = Path.cwd()
    name = printable(" ".join(os.path.basename(part) or part for part in (first, *rest)))
    program = None if "/" in first else find_command(first)
    parts = tuple(Path(os.path.abspath(part)) for part in rest if part and os.path.exists(part))
    if program is not None:
        return BotProgram(name, (program, *rest), here, None, word, parts)
    if first and os.path.isfile(first):
        bot = _file(Path(os.path.abspath(first)), word, shop)
        argv = (*bot.argv, *rest)
        return replace(bot, name=name, argv=argv, cwd=here, parts=(*bot.parts, *parts))
    raise BotError(_no_command(first, word))


def _missing(word: str, path: Path) -> str:
    """Why `word` names nothing, and what comes nearest to it."""
    from arena.bots.executables import find_command

    if os.path.islink(path):
        return f"{word!r} is a link to {os.readlink(path)!r}, which is not there: mend the link"
    if not word:
        return "an empty word names no bot: name a file, a folder or a quoted command"
    if (program := find_command(word)) is not None:
        return f"there is no file {word!r} here: to run the installed program, write {program}"
    if not path.parent.is_dir():
        return f"there is no folder {os.path.dirname(word)!r}: check the path"
    if (near := _near_path(word)) is not None:
        return f"there is no file or folder {word!r}: did you mean {near!r}?"
    return (
        f"there is no file or folder {word!r}: check the path, or quote a whole command such as"
        " 'python3 my_bot.py'"
    )


def _no_command(first: str, word: str) -> str:
    from arena.bots.executables import commands
    from arena.bots.names import nearest

    near = _near_path(word) or _near_path(first) or nearest(first, commands())
    advice = f"did you mean {near!r}?" if near else "install it, or write its path"
    return f"cannot start {word!r}: there is no command {first!r}: {advice}"


def _near_path(word: str) -> str | None:
    """What lies in the folder that `word` leads to, under nearly that name."""
    from arena.bots.names import nearest

    folder, name = os.path.split(word.rstrip("/"))
    if not os.path.isdir(folder or "."):
        return None
    near = nearest(name, (name for name in os.listdir(folder or ".") if name[0] != "."))
    return os.path.join(folder, near) if near else None
