"""Bots in folders: their ``bot.toml`` and how it is applied. (Without one: `convention`.)

::

    name = "Strong"             # optional: the folder's name otherwise
    main = "src/Bot.java"       # a source file of a known language …
    run = ["java", "-jar", "bot.jar"]       # … or a command instead (a text is split as in a shell)
    build = "make"              # optional: a command that is run once beforehand, without a shell

    numbers_file = "n.txt"      # optional: the program gets its numbers in this file
    [tune.aggression]           # optional: numbers that the program gets as arguments (`numbers`)
    type = "int"

    [uci]                       # optional: the program is a chess engine that speaks UCI (`uci`)
    Hash = 16                   # its options

Builds run in a copy of the folder. Words of `run` that name files of the folder become absolute
paths; the rest of the folder is linked into the folder where the bot runs. The language of `main`
decides which sources are compiled with it (`Language.together`), with the help of its project file
(`manifests`). For more, use `build` and `run`. If a folder contains only another folder, the inner
one is the bot.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Struct

from arena.bots.archives.rules import is_junk
from arena.bots.content import DEPTH, check_top, everything, is_environment
from arena.bots.convention import SOURCE_FOLDERS, Main, listed, main_of, only_file
from arena.bots.executables import commands, find_command, head, start_problem
from arena.bots.languages import language_of
from arena.bots.manifests import MAX_MANIFESTS, bring_along, manifests_around, toml
from arena.bots.numbers import TunedNumber, read_numbers
from arena.bots.program import BuildOptions, Runtime
from arena.bots.source import Ready, SourceFile, prepare
from arena.bots.suggestions import for_folder, rename
from arena.errors import BotError, did_you_mean
from arena.text import has_control, nearest, printable

ENVIRONMENTS = (".venv", "venv", "env")
"""Names of Python virtual environments in a bot's folder."""

LONGEST_NAME = 100
"""Most characters of the name of a file of numbers."""
_SIZE_CAP = 64 * 1024


class _BotToml(msgspec.Struct, frozen=True):
    name: Annotated[str, msgspec.Meta(max_length=64)] = ""
    main: str = ""
    run: str | list[str] = ""
    build: str | list[str] = ""
    numbers_file: str = ""
    tune: dict[str, Any] = {}
    uci: dict[str, Any] | None = None


Command = tuple[str, ...]

_EITHER = 'main = "Bot.java" or run = "./bot"'
_ALLOWED = {
    "name": 'a text of at most 64 characters, none of them a control character: name = "Strong"',
    "main": 'the name of a source file: main = "Bot.java"',
    "run": 'a command: run = "java -jar bot.jar" or run = ["java", "-jar", "bot.jar"]',
    "build": 'a command: build = "make" or build = ["make", "bot"]',
    "numbers_file": 'the name of a file without folders: numbers_file = "numbers.txt"',
    "uci": "a table of the engine's options: [uci], and below it Hash = 16, say",
    "tune": "tables of numbers: [tune.aggression], and below it type, start, min, max and step",
}


class FolderBot(Struct, frozen=True):
    """What a folder says about its bot; `files` is the folder, or its built copy."""

    name: str
    argv: tuple[str, ...]
    files: Path
    parts: tuple[Path, ...]
    """The files and folders of the bot."""
    runtime: Runtime
    source: str
    """The name of its main source; empty if its ``bot.toml`` has a command."""
    numbers: tuple[TunedNumber, ...]
    """The numbers that its ``bot.toml`` declares; `argv` does not have them."""
    numbers_file: str
    """The file in which the program gets them; empty: as arguments."""
    uci: tuple[int, tuple[str, ...]] | None = None
    """The overhead and the options of an engine that speaks UCI."""
    choice: str = ""
    """Its main source and how it was chosen, if others of the folder can be started too."""


def load(given: Path, options: BuildOptions) -> FolderBot:
    """Read the ``bot.toml`` of a folder and build what it asks for. Raises BotError."""
    folder = innermost(given)
    check_top(folder)
    said, main = _read(folder)
    numbers = _numbers(said, folder)
    before = []
    if said.build:
        before.append(_command(said.build, "build", folder))
    ready = (_from_main if said.main else _from_run)(said, folder, before, options)
    check_top(ready.folder)
    environment = find_environment(folder)
    parts = (ready.built, *environment) if ready.built else (folder,)
    name = _name(said, given)
    return FolderBot(
        name=name,
        argv=ready.argv,
        files=ready.folder,
        parts=parts,
        runtime=ready.runtime,
        source=said.main,
        numbers=numbers,
        numbers_file=_numbers_file(said, folder),
        uci=_uci(said, folder),
        choice="" if main is None or main.alone else f"{main.name} ({main.how})",
    )


def _numbers_file(said: _BotToml, folder: Path) -> str:
    name = said.numbers_file
    if name and not said.tune:
        raise BotError(f"{_toml(folder)}: numbers_file is for numbers: declare some as [tune.NAME]")
    if name != printable(name) or "/" in name or name in (".", "..") or len(name) > LONGEST_NAME:
        raise BotError(f"{_toml(folder)}: numbers_file must be {_ALLOWED['numbers_file']}")
    return name


def _numbers(said: _BotToml, folder: Path) -> tuple[TunedNumber, ...]:
    try:
        return read_numbers(said.tune)
    except BotError as error:
        raise BotError(f"{_toml(folder)}: {printable(str(error))}") from None


def _uci(said: _BotToml, folder: Path) -> tuple[int, tuple[str, ...]] | None:
    if said.uci is None:
        return None
    from arena.bots.uci import read_table

    try:
        return read_table(said.uci)
    except BotError as error:
        raise BotError(f"{_toml(folder)}: {printable(str(error))}") from None


def name_of(folder: Path) -> str:
    """The name of a folder's bot in records, without building it. Raises BotError."""
    inner = innermost(folder)
    return printable(folder.name if only_file(inner) else _name(_read(inner)[0], folder))


def _name(said: _BotToml, folder: Path) -> str:
    return said.name.strip() or folder.name


def chosen(folder: Path) -> str:
    """Describe the bot of a folder in words: ``Java: src/Bot.java``, and how that was found. Raises
    BotError."""
    folder = innermost(folder)
    if (only := only_file(folder)) is not None and language_of(only) is None:
        return f"a program: {printable(only.name)}"
    said, main = _read(folder)
    if not said.main:
        return printable(f"bot.toml: run = {said.run!r}")
    language = language_of(Path(said.main))
    how = "bot.toml" if main is None else main.how
    return printable(f"{language.name if language else 'unknown'}: {said.main} ({how})")


def innermost(folder: Path) -> Path:
    """The folder itself, or the only folder inside it, as in many archives."""
    for _ in range(DEPTH):
        held = [path for path in folder.iterdir() if not is_junk(path.name)]
        if len(held) != 1 or not held[0].is_dir() or held[0].is_symlink():
            break
        if held[0].name in SOURCE_FOLDERS:  # part of a source tree that begins above it
            break
        folder = held[0]
    return folder


def _from_main(
    said: _BotToml, folder: Path, before: list[Command], build_options: BuildOptions
) -> Ready:
    source = source_of(folder, said.main)
    try:
        return prepare(source, lambda: everything(folder), build_options, before)
    except BotError as error:
        raise BotError(f"{error}{_missing(folder, source, error.output)}", error.output) from None


def source_of(folder: Path, said: str) -> SourceFile:
    """The source `said` of a folder, with all sources compiled with it. Raises BotError."""
    main = _existing(folder, said)
    language = language_of(folder / main)
    if language is None:
        advice = rename(Path(said), "or write run = and a command")
        raise BotError(f"{_toml(folder)}: {said!r} is not in a known language: {advice}")
    language = language.in_project(folder, main) or language
    others = [name for name in everything(folder) if name != main] if language.compile else []
    sources = [name for name in others if Path(name).suffix in language.endings]
    along = [name for name in language.together(folder, main, sources) if name != main]
    options = language.options(folder, main, others) if language.compile else ()
    python = next((str(place / "bin" / "python") for place in find_environment(folder)), None)
    before = language.before(folder, main) if language.compile else ()
    return SourceFile(
        language=language,
        folder=folder,
        main=main,
        along=along,
        before=before,
        options=options,
        python=python,
    )


def _existing(folder: Path, said: str) -> str:
    """Resolve the source that a ``bot.toml`` calls `said`: a path in the folder, or a unique file
    name."""
    main = os.path.normpath(said)
    is_outside = os.path.isabs(main) or main.split(os.sep)[0] == ".."
    if not is_outside and (folder / main).is_file():
        return main
    files = everything(folder)
    if len(same := [name for name in files if os.path.basename(name) == main]) == 1:
        return same[0]
    near = nearest(main, files)
    advice = f"did you mean {near!r}?" if near else "name a source file in the folder"
    raise BotError(f"{_toml(folder)}: the folder has no file {said!r}: {advice}")


def _missing(folder: Path, source: SourceFile, output: str) -> str:
    """Advice on dependencies of a project that are missing from the folder, for a failed build."""
    if not output:
        return ""
    for project in manifests_around(folder, source.main):
        parts = {part for file in everything(folder) for part in Path(file).parts}
        wanted = [name for name in project.needs[:MAX_MANIFESTS] if not _is_there(name, parts)]
        if wanted:
            return (
                f"\n{printable(project.file)} asks for {listed(wanted)}, which is not in the"
                f" folder, and a build has no network: {bring_along(project.file)}, or do without"
                " it"
            )
    return ""


def _is_there(name: str, parts: Iterable[str]) -> bool:
    """Whether a library is among the files and folders with these names, as a jar or a folder."""
    last = name.replace(":", "/").rpartition("/")[2]
    return any(
        part == last or part.startswith(f"{last}-") or part == f"{last}.jar" for part in parts
    )


def _from_run(said: _BotToml, folder: Path, before: list[Command], options: BuildOptions) -> Ready:
    built, entry = folder, None
    if before:
        from arena.bots.build import build

        what = f"build {printable(folder.name)}"
        entry = build(what, everything(folder), before, options)
        built = entry / "files"
    words = _command(said.run, "run", folder, built)
    paths = [os.path.normpath(built / word) for word in words]
    argv = [path if os.path.isfile(path) else word for word, path in zip(words, paths, strict=True)]
    return Ready(tuple(argv), built, entry)


def find_environment(folder: Path) -> list[Path]:
    """The virtual environment in a bot's folder, which the bot runs with; empty if it has none.

    Raises BotError when its Python would not start."""
    found = [folder / name for name in ENVIRONMENTS if is_environment(folder / name)][:1]
    for place in found:
        if not os.access(place / "bin" / "python", os.X_OK):
            raise BotError(
                f"the virtual environment {printable(f'{folder.name}/{place.name}')} has no working"
                f" Python: recreate it with python3 -m venv --clear {place.name}"
            )
    return found


def _command(said: str | list[str], key: str, folder: Path, place: Path | None = None) -> Command:
    """The words of a command, with the program resolved: ``./file`` in `place` (the folder or its
    copy), or the path of an installed program."""
    first, *rest = _words(said, key, folder)
    place = place or folder
    if (place / first).is_file():
        if problem := start_problem(place / first):
            advice = _as_main(first, rest) if key == "run" else ""
            raise BotError(f"{_toml(folder)}: cannot start {first!r}: {problem}{advice}")
        return (os.path.join(".", os.path.normpath(first)), *rest)
    program = _of_environment(first, folder) if key == "run" else None
    if program is None and (os.path.isabs(first) or "/" not in first):
        program = find_command(first)
    if program is None:
        near = nearest(first, [*os.listdir(place), *commands()])
        advice = f"did you mean {near!r}?" if near else "install it, or correct the name"
        where = "neither a file there nor an installed program"
        raise BotError(f"{_toml(folder)}: {key} names {first!r}, {where}: {advice}")
    return (program, *rest)


def _as_main(first: str, rest: list[str]) -> str:
    """Advice to write `main` for a source that is run alone: `main` needs no execute bit."""
    is_source = language_of(Path(first)) is not None and not rest
    return f", or write main = {json.dumps(first)} instead of run" if is_source else ""


def _of_environment(first: str, folder: Path) -> str | None:
    """The path of a program in the virtual environment of a bot: ``python3``, ``.venv/bin/tool``.
    (The environment cannot be moved, so it stays when the bot is built elsewhere.)"""
    for place in find_environment(folder):
        path = place / "bin" / first if "/" not in first else Path(os.path.normpath(folder / first))
        if path.is_relative_to(place) and os.access(path, os.X_OK) and path.is_file():
            return str(path)
    return None


def _words(said: str | list[str], key: str, folder: Path) -> list[str]:
    try:
        words = shlex.split(said) if isinstance(said, str) else said
    except ValueError as error:
        reason = str(error).lower()
        raise BotError(f"{_toml(folder)}: cannot split {key} = {said!r}: {reason}") from None
    if not words or "\0" in "".join(words):
        raise BotError(f"{_toml(folder)}: {key} must be {_ALLOWED[key]}")
    wants_shell = any(set(word) & set("*|><;&") for word in words)
    if isinstance(said, str) and wants_shell and words[0] not in ("sh", "bash"):
        raise BotError(
            f"{_toml(folder)}: {key} = {said!r} needs a shell, and none is used: write "
            f'{key} = ["sh", "-c", {said!r}]'
        )
    return words


def _read(folder: Path) -> tuple[_BotToml, Main | None]:
    """The contents of a folder's ``bot.toml``, or the main source that takes its place."""
    path = folder / "bot.toml"
    if not path.is_file():
        if (main := main_of(folder)) is None:
            raise BotError(_how_to_begin(folder))
        return _BotToml(main=main.name), main
    text = head(path, _SIZE_CAP)
    try:
        table = toml(text.decode())
    except (ValueError, RecursionError) as error:
        raise BotError(f"{_toml(folder)} is not TOML: {error}: correct it there") from None
    for key in table:
        if key not in _ALLOWED:
            raise BotError(
                f"{_toml(folder)}: there is no key {key!r}: {did_you_mean(key, _ALLOWED)}"
            )
    said = _typed(table, folder)
    if has_control(said.name.strip()):
        raise BotError(f"{_toml(folder)}: name must be {_ALLOWED['name']}")
    if bool(said.main) == bool(said.run):
        wrong = "has both main and run" if said.main else "has neither main nor run"
        raise BotError(f"{_toml(folder)} {wrong}: write one, {_EITHER}")
    return said, None


def _typed(table: dict[str, object], folder: Path) -> _BotToml:
    try:
        return msgspec.convert(table, _BotToml)
    except msgspec.ValidationError as error:
        key = next(key for key in _ALLOWED if f"$.{key}" in str(error))
        raise BotError(f"{_toml(folder)}: {key} must be {_ALLOWED[key]}") from None


def _toml(folder: Path) -> str:
    """The name of the file in errors: ``mybot/bot.toml``."""
    return printable(f"{folder.name}/bot.toml")


def _how_to_begin(folder: Path) -> str:
    name = printable(folder.name)
    if not everything(folder):
        return f"the folder {name} is empty: put the bot into it (arena new makes a first one)"
    lacks = "has no bot.toml and no source in a known language: write a bot.toml there, such as"
    return f"the folder {name} {lacks}\n{for_folder(folder)}"
