"""The registry of games: our own, and plugins from an entry-point group."""

from __future__ import annotations

import importlib
import re
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
"""The games of this package. Plugins register in the entry-point group ``arena.games``."""


FAMILIES: dict[str, tuple[str, str, str]] = {
    "openspiel": ("arena.games.openspiel", "pyspiel", "pip install '.[openspiel]'"),
}
"""Games of a library: their names begin with the name of the family and a colon. A package with
`names` and `find`, the module that must be installed for it, and how."""
WELL_KNOWN: dict[str, tuple[str, ...]] = {
    "openspiel": (
        *("backgammon", "breakthrough", "bridge", "checkers", "chess", "connect_four"),
        *("crazy_eights", "gin_rummy", "go", "go_fish", "goofspiel", "hanabi", "havannah"),
        *("hearts", "hex", "kuhn_poker", "leduc_poker", "liars_dice", "mancala", "nim"),
        *("othello", "pig", "quoridor", "skat", "spades", "tic_tac_toe", "twixt"),
        "universal_poker",
    ),
}
"""Games of each family for advice where its library is not installed."""


class BrokenGame(Struct, frozen=True):
    """A game that is installed but cannot be used."""

    name: str
    problem: str
    """What is wrong, as a sentence without a full stop."""


def game_names() -> list[str]:
    """The names of all games but those of libraries, broken ones included, ours first."""
    return [*GAMES, *(name for name in _plugins() if name not in GAMES)]


def library_games() -> list[str]:
    """The names of all games of libraries that are installed."""
    return [name for family in FAMILIES if _is_installed(family) for name in _family_names(family)]


def is_game(word: str) -> bool:
    """Whether a word names a game. (One of a library need not be installed.)"""
    return word in GAMES or word.partition(":")[0] in FAMILIES or word in game_names()


def find_game(name: str) -> AnyGame:
    """The game of that name. Raises UsageError with the nearest name for an unknown game, or with
    the problem of a broken one."""
    if name.partition(":")[0] in FAMILIES:
        return _in_family(name)
    target = GAMES.get(name) or _plugins().get(name)
    if target is None:
        raise UsageError(f"there is no game {name!r}: {_meant(name)}")
    game = load_game(target, name)
    if isinstance(game, BrokenGame):
        raise UsageError(
            f"the game {name!r} cannot be used, {game.problem}: repair or remove the package that "
            "brings it"
        )
    return game


def installed_game(name: str) -> AnyGame | None:
    """The game of that name; None without a usable one."""
    try:
        return find_game(name)
    except UsageError:
        return None


def list_games() -> list[AnyGame | BrokenGame]:
    """All games, in the order of `game_names`, and then those of libraries."""
    return [*own_games(), *map(_in_family, library_games())]


def own_games() -> list[AnyGame | BrokenGame]:
    """The games of `game_names`."""
    plugins = _plugins()
    return [load_game(GAMES.get(name) or plugins[name], name) for name in game_names()]


def _is_installed(family: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(FAMILIES[family][1]) is not None


def _family_names(family: str) -> list[str]:
    names: list[str] = importlib.import_module(FAMILIES[family][0]).names()
    return names


def _in_family(name: str) -> AnyGame:
    """The game ``FAMILY:NAME``. Raises UsageError."""
    family = name.partition(":")[0]
    package, library, install = FAMILIES[family]
    if not _is_installed(family):
        raise UsageError(f"{name} needs the library {library}: {install} in a clone")
    if name in (family, f"{family}:"):
        raise UsageError(f"{name} names no game: give {family}:NAME; arena games lists the names")
    game: AnyGame | None = importlib.import_module(package).find(name)
    if game is None:
        raise UsageError(f"there is no game {name!r}: {did_you_mean(name, _family_names(family))}")
    return game


def _meant(name: str) -> str:
    """Advice for an unknown game, which may be one of a library, without its family."""
    import difflib

    plain = re.sub(r"[\W_]+", "_", name.lower())
    is_near_own = difflib.get_close_matches(plain, game_names(), n=1, cutoff=0.5)
    for family, (_, library, install) in FAMILIES.items():
        here = _is_installed(family)
        known = _family_names(family) if here else WELL_KNOWN.get(family, ())
        short = [one.removeprefix(f"{family}:") for one in known]
        close = difflib.get_close_matches(plain, short, n=1, cutoff=1.0 if is_near_own else 0.7)
        if close:
            advice = f"did you mean {f'{family}:{close[0]}'!r}?"
            missing = "" if here else f" It needs the library {library}: {install} in a clone"
            return advice + missing
    return did_you_mean(name, game_names())


def load_game(target: str, name: str | None = None) -> AnyGame | BrokenGame:
    """The game at ``MODULE:ATTRIBUTE``, which must have the name `name` if given."""
    module, _, attribute = target.partition(":")
    try:
        game = getattr(importlib.import_module(module), attribute)
    except (Exception, SystemExit) as error:  # foreign modules may raise anything
        line = own_line(module.partition(".")[0], error.__traceback__)
        at = f" at {line}" if line else ""
        return BrokenGame(name or target, f"since {target} cannot be loaded ({_said(error)}{at})")
    if not isinstance(game, Game):
        return BrokenGame(name or target, f"since {target} is not a Game but {type(game).__name__}")
    if name not in (None, game.name):
        return BrokenGame(name or target, f"since {target} calls itself {game.name!r}")
    return game


def _said(error: BaseException) -> str:
    """The last line that an interpreter prints for it; a SyntaxError also has its file and line."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


@cache
def _plugins() -> dict[str, str]:
    import importlib.metadata  # 30 ms: only for names that are not in GAMES

    found = importlib.metadata.entry_points(group="arena.games")
    return {point.name: point.value for point in found}
