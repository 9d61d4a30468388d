"""Lookup of bots by file: from a word on the command line to a program that can be started.

A word is one of

* a source file, run or compiled according to the table in `languages`;
* an executable file (its execute bit set, and no known ending or a ``#!`` line that works);
* a folder, whose ``bot.toml`` says what to do (`folder`), or whose main file is recognised
  (`convention`);
* an archive of such a folder, which is unpacked first (`intake`);
* a quoted command, such as ``"python3 my_bot.py --fast"``;
* a chess engine: ``uci:`` and one of these, or the name of an installed program (`uci`).

Scripts, jars and executables run in place, so that sibling imports work and tracebacks show the
right path. Compiled languages are built once, from a copy, into a cache keyed by content (`build`):
editing the source later does not affect a running match.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from arena.bots.program import BotProgram, BuildOptions
from arena.errors import BotError, UsageError
from arena.sandbox.levels import Level, SandboxWish
from arena.text import nearest, printable

if TYPE_CHECKING:
    from arena.bots.language import Language
    from arena.bots.staging import Files


def find_bot(
    word: str,
    *,
    cache: Path | None = None,
    sandbox: SandboxWish = Level.OFF,
    pass_env: Sequence[str] = (),
) -> BotProgram:
    """Find the bot that `word` names, build it if necessary, and describe it.

    `cache` is where built bots are kept (default: see `cache.cache_root`). `sandbox` asks for walls
    around the build commands; by default they run with all rights of the caller. They get the
    variables of the caller's environment that `pass_env` names.

    This blocks while a compiler runs, for two minutes at most (`steps.BUILD_SECONDS`). Inside Trio,
    call it in a thread: ``await trio.to_thread.run_sync(find_bot, word)``.

    Raises UsageError when there is no such file, when it cannot be a bot, or when the bot must be
    built and such walls are not available here; BotError when it cannot be built or started (then
    `output` has the compiler's output); MachineError when walls that worked before could not be
    set up.
    """
    try:
        found = _find(word, BuildOptions(cache, sandbox, tuple(pass_env)))
        return replace(found, command=_utf8(word))
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
        raise BotError(f"cannot look up {word!r}: {reason}: check its permissions") from error


def _utf8(word: str) -> str:
    """The word with bytes that are not UTF-8 escaped: it goes into records and reports."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def _find(word: str, options: BuildOptions) -> BotProgram:
    path = Path(os.path.abspath(word))
    if word and os.path.isdir(path):
        return _folder(path, word, options)
    if word and os.path.exists(path):
        return _file(path, word, options)
    if word.startswith("uci:"):
        return _engine(word, options)
    if len(word.split()) > 1:
        return _command(word, options)
    raise UsageError(_missing(word, path))


def _engine(word: str, options: BuildOptions) -> BotProgram:
    from arena.bots.uci import adapted, installed, missing, split_word

    engine, overhead, given = split_word(word.removeprefix("uci:"))
    program = None if os.path.exists(engine) else installed(engine)
    if program is None and len(engine.split()) == 1 and not os.path.lexists(engine):
        raise UsageError(missing(engine, _near_path(engine)))
    if program is not None:
        found = replace(_command(f"{program} ", options), name=printable(engine))
    else:
        found = _find(engine, options)
    return adapted(found, overhead, given)


def _folder(path: Path, word: str, options: BuildOptions) -> BotProgram:
    from arena.bots.convention import only_file
    from arena.bots.folder import innermost, load

    if not path.name:
        raise UsageError(f"{word!r} is the root folder: name the folder of a bot")
    if (only := only_file(innermost(path))) is not None:
        return replace(_file(only, word, options), name=printable(path.name))
    found = load(path, options)
    name = printable(found.name)
    program = BotProgram(
        name=name,
        argv=(*found.argv, *[number.argument(number.start) for number in found.numbers]),
        cwd=None,
        files=found.files,
        command=word,
        parts=found.parts,
        runtime=found.runtime,
        source=found.source,
        choice=printable(found.choice),
        numbers=found.numbers,
        numbers_file=found.numbers_file,
    )
    if found.uci is None:
        return program
    from arena.bots.uci import adapted

    return adapted(program, *found.uci)


def _file(path: Path, word: str, options: BuildOptions) -> BotProgram:
    from arena.bots.archive_file import is_archive_file
    from arena.bots.executables import is_script, looks_executable, start_problem
    from arena.bots.languages import language_of

    shown = printable(path.name)
    if path.name == "bot.toml":
        return _folder(path.parent, word, options)
    if not path.is_file():
        raise UsageError(f"{shown} is not a file: name a program, a source file or a folder")
    if is_archive_file(path):
        return _archive(path, word, options)
    language, problem = language_of(path), start_problem(path)
    if problem is None and (language is None or is_script(path)):
        name = path.stem if language else path.name
        source = path.name if language else ""
        return BotProgram(
            name=printable(name),
            argv=(str(path),),
            cwd=None,
            files=None,
            command=word,
            parts=(path,),
            source=source,
        )
    if language is not None:
        return _source(path, language, word, options)
    if looks_executable(path):
        raise BotError(f"cannot start {shown}: {problem}")
    from arena.bots.suggestions import for_file, unknown

    if (offer := for_file(path)) is not None:
        raise UsageError(offer)
    raise UsageError(unknown(path))


def _archive(path: Path, word: str, options: BuildOptions) -> BotProgram:
    from arena.bots.cache import private_folder
    from arena.bots.intake import take_in

    root = options.cache and private_folder(options.cache, "taken-in")
    return _folder(
        take_in(Path(os.path.realpath(path)), root, options.sandbox).folder, word, options
    )


def _source(path: Path, language: Language, word: str, options: BuildOptions) -> BotProgram:
    from arena.bots.content import beside, measured
    from arena.bots.source import SourceFile, prepare

    def files() -> Files:
        if options.sandbox is Level.OFF:
            return beside(path, language.beside)
        return measured(path.name, {path.name: path})  # files beside it may be a rival's

    source = SourceFile(language, path.parent, path.name)
    try:
        ready = prepare(source, files, options)
    except BotError as error:
        from arena.bots.suggestions import not_taken

        raise BotError(str(error), f"{error.output}{not_taken(path, error.output)}") from None
    parts = (ready.built or path,)
    name = printable(path.stem)
    return BotProgram(
        name=name,
        argv=ready.argv,
        cwd=None,
        files=None,
        command=word,
        parts=parts,
        runtime=ready.runtime,
        source=path.name,
    )


def _command(word: str, options: BuildOptions) -> BotProgram:
    import shlex

    from arena.bots.executables import find_command

    try:
        first, *rest = shlex.split(word)
    except ValueError as error:
        wrong = str(error).lower() or "it is empty"
        raise UsageError(f"cannot read the command {word!r}: {wrong}") from None
    here = Path.cwd()
    name = printable(" ".join(os.path.basename(part) or part for part in (first, *rest)))
    program = find_command(first) if "/" not in first or _is_installed(first) else None
    parts = tuple(Path(os.path.abspath(part)) for part in rest if part and os.path.exists(part))
    if program is not None:
        _check_script(first, rest)
        return BotProgram(
            name=name, argv=(program, *rest), cwd=here, files=None, command=word, parts=parts
        )
    if first and os.path.isfile(first):
        bot = _file(Path(os.path.abspath(first)), word, options)
        argv = (*bot.argv, *rest)
        return replace(bot, name=name, argv=argv, cwd=here, parts=(*bot.parts, *parts))
    raise BotError(_no_command(first, word))


def _check_script(first: str, rest: list[str]) -> None:
    """Raise UsageError when an interpreter is given a script that does not exist."""
    from arena.bots.languages import interpreters, language_of

    script = next(iter(rest), "-")
    is_option = script.startswith("-") or os.path.exists(script)
    if first in interpreters() and not is_option and language_of(Path(script)):
        near = _near_path(script)
        advice = f"did you mean {near!r}?" if near else "check the path"
        raise UsageError(f"there is no file {script!r} for {first!r} to run: {advice}")


def _is_installed(path: str) -> bool:
    """Whether the path belongs to an interpreter rather than to the bot."""
    from arena.sandbox.installations import is_interpreter

    return is_interpreter(os.path.abspath(path))


def _missing(word: str, path: Path) -> str:
    """The error text for a `word` that names nothing, with the nearest match."""
    from arena.bots.executables import find_command

    if os.path.islink(path):
        return f"{word!r} is a link to {os.readlink(path)!r}, which does not exist: repair the link"
    if not word:
        return "an empty word is not a bot: name a file, a folder or a quoted command"
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

    near = _near_path(word) or _near_path(first) or nearest(first, commands())
    advice = f"did you mean {near!r}?" if near else "install it, or write its path"
    return f"cannot start {word!r}: there is no command {first!r}: {advice}"


def _near_path(word: str) -> str | None:
    """The most similar name in the folder that `word` leads to."""
    folder, name = os.path.split(word.rstrip("/"))
    if not os.path.isdir(folder or "."):
        return None
    near = nearest(name, (name for name in os.listdir(folder or ".") if name[0] != "."))
    return os.path.join(folder, near) if near else None
