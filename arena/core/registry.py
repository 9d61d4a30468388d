"""Which games there are: ours, and those that join through an entry point."""

from __future__ import annotations

import importlib
from functools import cache

from msgspec import Struct

from arena.core.faults import own_line
from arena.core.game import AnyGame, Game
from arena.errors import UsageError, did_you_mean

GAMES: dict[str, str] = {
    "warlight": "arena.games.warlight:GAME",
    "toroid": "arena.games.toroid:GAME",
    "hextrategic": "arena.games.hextrategic:GAME",
    "tncc": "arena.games.tncc:GAME",
    "codecharacter": "arena.games.codecharacter:GAME",
}
"""The games of this package. Others join through the entry-point group ``arena.games``."""


class BrokenGame(Struct, frozen=True):
    """A game that is installed and cannot be used."""

    name: str
    problem: str
    """What is wrong, as a sentence without an end."""


def game_names() -> list[str]:
    """The names of all games, ours first; also of broken ones."""
    return [*GAMES, *(name for name in _plugins() if name not in GAMES)]


def find_game(name: str) -> AnyGame:
    """The game of that name. Raises UsageError with the nearest name, or with what is wrong with
    a game that cannot be used."""
    target = GAMES.get(name) or _plugins().get(name)
    if target is None:
        raise UsageError(f"there is no game {name!r}: {did_you_mean(name, game_names())}")
    game = load_game(target, name)
    if isinstance(game, BrokenGame):
        raise UsageError(
            f"the game {name!r} cannot be used, {game.problem}: repair or remove the package that "
            "brings it"
        )
    return game


def installed_game(name: str) -> AnyGame | None:
    """The game of that name; None when there is none that can be used."""
    try:
        return find_game(name)
    except UsageError:
        return None


def list_games() -> list[AnyGame | BrokenGame]:
    """All games in the order of their names in `game_names`."""
    plugins = _plugins()
    return [load_game(GAMES.get(name) or plugins[name], name) for name in game_names()]


def load_game(target: str, name: str | None = None) -> AnyGame | BrokenGame:
    """The game at ``MODULE:ATTRIBUTE``, which must call itself `name`, if that is given."""
    module, _, attribute = target.partition(":")
    try:
        game = getattr(importlib.import_module(module), attribute)
    except (Exception, SystemExit) as error:  # a module of others may raise anything
        line = own_line(module.partition(".")[0], error.__traceback__)
        at = f" at {line}" if line else ""
        return BrokenGame(name or target, f"since {target} cannot be loaded ({_said(error)}{at})")
    if not isinstance(game, Game):
        return BrokenGame(name or target, f"since {target} is no Game but {type(game).__name__}")
    if name not in (None, game.name):
        return BrokenGame(name or target, f"since {target} calls itself {game.name!r}")
    return game


def _said(error: BaseException) -> str:
    """What an interpreter prints of it last: of a SyntaxError with its file and line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


@cache
def _plugins() -> dict[str, str]:
    import importlib.metadata  # 30 ms: only for names that are not in GAMES

    found = importlib.metadata.entry_points(group="arena.games")
    return {point.name: point.value for point in found}
