"""What a game is to the rest of the arena, and which games there are."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.budget import Budget
from arena.errors import UsageError, did_you_mean
from arena.rng import Stream
from arena.settings import Settings
from arena.steps import Ask, Frame, Script


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything a match depends on besides the answers of its players."""

    seed: str
    seats: int
    settings: Settings
    map: Any = None
    """The content of a map file (parsed JSON), checked by the game; None: the game makes one."""


def _no_budget(settings: Any) -> Budget | None:
    return None


@dataclass(frozen=True, slots=True)
class Game:
    """One game, as four small files describe it.

    `script(world)` plays on from the round at which `world` stands: a fresh world from the
    set-up, any other from the start of its current round.
    """

    name: str
    title: str
    seats: tuple[int, ...]
    """How many players it is for."""
    rules_version: int
    """Raised with every change that could make an old replay play differently."""
    settings: type[Settings]
    world: Callable[[Setup], Any]
    """A fresh world: the whole state of a match, in a class of the game's own, with a `copy()`
    that is independent of it. Raises UsageError (a MapError, a SettingError) for what it cannot
    make."""
    script: Callable[[Any], Script]
    headline: Callable[[Frame], str]
    """One short line for people: how the match stands in this frame."""
    picture: Callable[[Any, Frame], str]
    """The board as text, at most 100 columns wide, for ``arena play --watch``: from the `board` of
    the first frame (None if it has none) and a frame."""
    random_answer: Callable[[Any, Ask, Stream], str]
    """A legal answer, at random, for a world that waits for `Ask`: the partner of
    ``arena check``, and what the tests play with."""
    disturb: Callable[[Any, int, Stream], bool]
    """Change something that `seat` cannot see and nothing that it can; false if all is seen."""
    map_seats: tuple[int, ...] = ()
    """Further numbers of players, for whom a map file is needed."""
    budget: Callable[[Any], Budget | None] = _no_budget
    """What these settings allow a request in instructions; None: time is what counts."""
    metered: Mapping[str, str] = field(default_factory=dict)
    """Settings that ``--meter instructions`` changes, unless they are given; without any, the game
    knows time only."""

    def check_seats(self, count: int, *, on_map: bool = False) -> None:
        """Raise UsageError when the game is not for `count` players (on a map file)."""
        seats = sorted({*self.seats, *(self.map_seats if on_map else ())})
        if count not in seats:
            *most, last = (str(n) for n in seats)
            wanted = f"{', '.join(most)} or {last}" if most else last
            raise UsageError(
                f"{self.name} is for {wanted} bots, and {count} {'is' if count == 1 else 'are'} "
                f"given: name {wanted} bots"
            )

    @property
    def rules(self) -> str:
        """The text of the game's `rules.md`."""
        import importlib.resources

        package = importlib.import_module(self.script.__module__).__package__
        if not package:
            raise UsageError(f"the game {self.name} has no rules.md: it is no package")
        return importlib.resources.files(package).joinpath("rules.md").read_text("utf-8")


GAMES: dict[str, str] = {
    "warlight": "arena.games.warlight:GAME",
    "toroid": "arena.games.toroid:GAME",
    "hextrategic": "arena.games.hextrategic:GAME",
    "tncc": "arena.games.tncc:GAME",
    "codecharacter": "arena.games.codecharacter:GAME",
}
"""The games of this package. Others join through the entry-point group ``arena.games``."""


def game_names() -> list[str]:
    """The names of all games, ours first."""
    return [*GAMES, *(name for name in _plugins() if name not in GAMES)]


def find_game(name: str) -> Game:
    """The game of that name. Raises UsageError with the nearest name."""
    target = GAMES.get(name) or _plugins().get(name)
    if target is None:
        raise UsageError(f"there is no game {name!r}: {did_you_mean(name, game_names())}")
    module, _, attribute = target.partition(":")
    game: Game = getattr(importlib.import_module(module), attribute)
    return game


def _plugins() -> dict[str, str]:
    import importlib.metadata  # 30 ms: only for names that are not in GAMES

    found = importlib.metadata.entry_points(group="arena.games")
    return {point.name: point.value for point in found}
