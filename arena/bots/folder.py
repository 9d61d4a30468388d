"""Bots that are folders: what their ``bot.toml`` may say.

::

    name = "Strong"             # optional: the folder's name otherwise
    main = "src/Bot.java"       # a source file of a known language …
    run = ["java", "-jar", "bot.jar"]       # … or a command instead (a text is split as in a shell)
    build = "make"              # optional: a command that is run once beforehand, without a shell

What has to be built is built in a copy of the folder. Words of `run` that name files of the
folder become absolute paths; the rest of the folder is linked into the place where the bot runs.
C, C++ and Go compile `main` and all their sources beside it into one program; Java takes the
classes it needs from the folder, Rust what `main` pulls in. For more, use `build` and `run`.
"""

from __future__ import annotations

import os
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec

from arena.bots.executables import commands, find_command, trouble
from arena.bots.languages import ENDINGS, Language, language_of
from arena.bots.names import nearest, printable
from arena.bots.source import Ready, everything, prepare
from arena.bots.workshop import Workshop
from arena.errors import BotError, did_you_mean

_SIZE_CAP = 64 * 1024


class _BotToml(msgspec.Struct, frozen=True):
    name: Annotated[str, msgspec.Meta(max_length=64)] = ""
    main: str = ""
    run: str | list[str] = ""
    build: str | list[str] = ""


Command = tuple[str, ...]

_EITHER = 'main = "Bot.java" or run = "./bot"'
_ALLOWED = {
    "name": 'a text of at most 64 characters: name = "Strong"',
    "main": 'the name of a source file: main = "Bot.java"',
    "run": 'a command: run = "java -jar bot.jar" or run = ["java", "-jar", "bot.jar"]',
    "build": 'a command: build = "make" or build = ["make", "bot"]',
}


@dataclass(frozen=True, slots=True)
class FolderBot:
    """What a folder says about its bot; `files` is the folder, or its built copy."""

    name: str
    argv: tuple[str, ...]
    files: Path
    parts: tuple[Path, ...]
    """All that the bot consists of."""


def load(folder: Path, shop: Workshop) -> FolderBot:
    """Read the ``bot.toml`` of a folder and build what it asks for. Raises BotError."""
    said = _read(folder)
    before = []
    if said.build:
        before.append(_command(said.build, "build", folder))
    ready = (_from_main if said.main else _from_run)(said, folder, before, shop)
    parts = (ready.built or folder,)
    return FolderBot(said.name.strip() or folder.name, ready.argv, ready.folder, parts)


def _from_main(said: _BotToml, folder: Path, before: list[Command], shop: Workshop) -> Ready:
    main = os.path.normpath(said.main)
    path = folder / main
    if os.path.isabs(main) or main.startswith("..") or not path.is_file():
        near = nearest(main, everything(folder))
        advice = f"did you mean {near!r}?" if near else "name a source file in the folder"
        raise BotError(f"{_toml(folder)}: the folder has no file {said.main!r}: {advice}")
    language = language_of(path)
    if language is None:
        advice = f"name a file that ends in {ENDINGS}, or write run = and a command"
        raise BotError(f"{_toml(folder)}: {said.main!r} is in no language known here: {advice}")
    along = _along(folder, main, language) if language.together else []
    return prepare(language, folder, main, lambda: everything(folder), before, shop, along)


def _along(folder: Path, main: str, language: Language) -> list[str]:
    """The other sources of the language beside `main`: they are one program with it."""
    place = os.path.dirname(main)
    return [
        name
        for name in sorted(everything(folder))
        if os.path.dirname(name) == place
        and Path(name).suffix in language.endings
        and name != main
        and not name.endswith("_test.go")
    ]


def _from_run(said: _BotToml, folder: Path, before: list[Command], shop: Workshop) -> Ready:
    built, entry = folder, None
    if before:
        from arena.bots.build import build

        what = f"build {printable(folder.name)}"
        entry = build(what, everything(folder), before, shop)
        built = entry / "files"
    words = _command(said.run, "run", folder, built)
    paths = [os.path.normpath(built / word) for word in words]
    argv = [path if os.path.isfile(path) else word for word, path in zip(words, paths, strict=True)]
    return Ready(tuple(argv), built, entry)


def _command(said: str | list[str], key: str, folder: Path, place: Path | None = None) -> Command:
    """The words of a command, the first one found: ``./file`` in `place` (the folder or its
    copy), or the path of an installed program."""
    first, *rest = _words(said, key, folder)
    place = place or folder
    if (place / first).is_file():
        if problem := trouble(place / first):
            raise BotError(f"{_toml(folder)}: cannot start {first!r}: {problem}")
        return (os.path.join(".", os.path.normpath(first)), *rest)
    program = find_command(first) if os.path.isabs(first) or "/" not in first else None
    if program is None:
        near = nearest(first, [*os.listdir(place), *commands()])
        advice = f"did you mean {near!r}?" if near else "install it, or correct the name"
        where = "neither a file there nor an installed program"
        raise BotError(f"{_toml(folder)}: {key} names {first!r}, {where}: {advice}")
    return (program, *rest)


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
            f"{_toml(folder)}: {key} = {said!r} wants a shell, and there is none: write "
            f'{key} = ["sh", "-c", {said!r}]'
        )
    return words


def _read(folder: Path) -> _BotToml:
    path = folder / "bot.toml"
    if not path.is_file():
        raise BotError(_how_to_begin(folder))
    with path.open("rb") as file:
        text = file.read(_SIZE_CAP)
    try:
        table = tomllib.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise BotError(f"{_toml(folder)} is not TOML: {error}: correct it there") from None
    for key in table:
        if key not in _ALLOWED:
            raise BotError(
                f"{_toml(folder)}: there is no key {key!r}: {did_you_mean(key, _ALLOWED)}"
            )
    said = _typed(table, folder)
    if bool(said.main) == bool(said.run):
        wrong = "has both main and run" if said.main else "has neither main nor run"
        raise BotError(f"{_toml(folder)} {wrong}: write one, {_EITHER}")
    return said


def _typed(table: dict[str, object], folder: Path) -> _BotToml:
    try:
        return msgspec.convert(table, _BotToml)
    except msgspec.ValidationError as error:
        key = next(key for key in _ALLOWED if f"$.{key}" in str(error))
        raise BotError(f"{_toml(folder)}: {key} must be {_ALLOWED[key]}") from None


def _toml(folder: Path) -> str:
    """How errors name the file: ``mybot/bot.toml``."""
    return printable(f"{folder.name}/bot.toml")


def _how_to_begin(folder: Path) -> str:
    known = sorted(path.name for path in folder.iterdir() if path.is_file() and language_of(path))
    return (
        f"the folder {printable(folder.name)} has no bot.toml: write one there, such as\n"
        f'    name = "{printable(folder.name)}"\n'
        f'    main = "{printable(known[0]) if known else "Bot.java"}"\n'
        '    # or, instead of main:  build = "make"  and  run = "./bot"'
    )
