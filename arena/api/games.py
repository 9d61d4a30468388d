"""Descriptions of games (seats, settings, rules), and starter kits for new bots."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from contextlib import suppress
from importlib.resources.abc import Traversable
from pathlib import Path

from msgspec import Struct

from arena.bots.languages import LANGUAGES
from arena.core.game import AnyGame
from arena.core.registry import BrokenGame, find_game
from arena.core.settings import Key, keys
from arena.errors import UsageError
from arena.record.output import unwritable
from arena.text import printable


class GameDescription(Struct, frozen=True, omit_defaults=True):
    """The description of a game that `arena games --json` prints."""

    name: str
    """The name for the command line."""
    title: str = ""
    """The title for people."""
    seats: tuple[int, ...] = ()
    """Numbers of players that can play it."""
    rules_version: int = 0
    """Incremented when the rules change."""
    settings: tuple[Key, ...] = ()
    """The settings, in the order of the rules."""
    rules: str | None = None
    """The text of the rules, with ``--rules``."""
    problem: str | None = None
    """Why a game of another distribution cannot be used; it then has no fields besides its name."""


def describe(game: AnyGame | BrokenGame, *, rules: bool = False) -> GameDescription:
    """A game and its settings, and on request its rules."""
    if isinstance(game, BrokenGame):
        return GameDescription(game.name, problem=game.problem)
    return GameDescription(
        name=game.name,
        title=game.title,
        seats=game.seats,
        rules_version=game.rules_version,
        settings=tuple(keys(game.settings)),
        rules=game.rules if rules else None,
    )


# Starter kits: a folder with a first bot to build on.
#
# The kit of a game for a language is a folder of the game's package: ``kits/LANGUAGE``, with the
# name of the language as `folder_name` writes it. Its main file is called ``bot`` or ``MyBot``.

README = """\
# {name}

A bot for {title} in {language}. `{main}` is yours to change. The protocol, as typed state, is in
`{reader}`. The commands to try next, from the folder that holds this one:

    arena check {game} {folder}
    arena play {game} {bots} --watch
    arena play {game} {bots} --games 20

The rules are printed by `arena games {game} --rules`, the protocol by `arena guide protocol`.
"""


def folder_name(language: str) -> str:
    """The name of a language for the command line and for folders: C++ is ``cpp``."""
    return language.lower().replace("+", "p").replace("#", "sharp")


def kits(game: AnyGame) -> dict[str, Traversable]:
    """The kits of a game by the name of their language; a game in a single module has none."""
    root = game.own_file("kits")
    found = sorted(root.iterdir(), key=lambda kit: kit.name) if root else []
    return {kit.name: kit for kit in found}


def new_bot(game_name: str, language: str, folder: Path) -> list[Path]:
    """Create `folder` with a bot for a game, and return its files, the main file first.

    `language` is a name or a file extension. Raises UsageError without a kit for the language, and
    for a folder that is not empty or cannot be created.
    """
    game = find_game(game_name)
    offered = kits(game)
    if not offered:
        raise UsageError(f"{game.name} has no starter kits: begin with arena guide author")
    kit = offered.get(_known(language))
    if kit is None:
        raise UsageError(
            f"there is no kit for {game.name} in {language!r}, only in {', '.join(offered)}: name "
            f"one of them, or begin with a copy of sample_bots/{game.name}"
        )
    _check_free(folder)
    sources = _sources(kit)
    main = next(name for name in sources if name.partition(".")[0] in ("bot", "MyBot"))
    return _write(folder, main, sources | _papers(game, kit.name, folder, main, sources))


def _known(language: str) -> str:
    """The folder of a language that is given by its name or an ending."""
    wanted = language.lower().removeprefix(".")
    for one in LANGUAGES:
        if wanted in (one.name.lower(), *(ending.removeprefix(".") for ending in one.endings)):
            return folder_name(one.name)
    return wanted


def _check_free(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        return
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder} exists already: name a new folder")


def _sources(kit: Traversable) -> dict[str, str]:
    found = sorted((file for file in kit.iterdir() if file.is_file()), key=lambda file: file.name)
    return {file.name: file.read_text("utf-8") for file in found}


def _papers(
    game: AnyGame, language: str, folder: Path, main: str, sources: Mapping[str, str]
) -> dict[str, str]:
    name = printable(folder.resolve().name)[:64]
    title = next(one.name for one in LANGUAGES if folder_name(one.name) == language)
    text = README.format(
        name=name,
        title=game.title,
        language=title,
        main=main,
        reader="`, `".join(file for file in sources if file != main),
        game=game.name,
        folder=shlex.quote(name),
        bots=shlex.join([name] * min(game.seats)),
    )
    toml = f"name = {json.dumps(name, ensure_ascii=False)}\nmain = {json.dumps(main)}\n"
    return {"bot.toml": toml, "README.md": text}


def _write(folder: Path, main: str, texts: Mapping[str, str]) -> list[Path]:
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, "utf-8")
    except OSError as error:
        with suppress(OSError):  # else the next try would find a folder that is not empty
            for name in texts:
                (folder / name).unlink(missing_ok=True)
            if is_new:
                folder.rmdir()
        raise unwritable(folder, error, "folder") from None
    return [folder / main, *(folder / name for name in texts if name != main)]
