"""A small map, worlds in the middle of a match, chance that is said beforehand, and a driver."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.core.game import Setup
from arena.core.replies import Answer, Reply, Silence, Why
from arena.core.rng import Stream
from arena.core.settings import parse
from arena.core.steps import Ask
from arena.core.table import Table
from arena.games.warlight import GAME
from arena.games.warlight.script import script
from arena.games.warlight.settings import WarlightSettings
from arena.games.warlight.world import WarlightWorld, new_world
from arena.testing import talk

FOLDER = Path(__file__).parent
ORIGINAL_MAP: Any = json.loads((FOLDER / "data" / "original_map.json").read_text("utf-8"))

SMALL_MAP: Any = {
    "Regions": [
        {"id": 1, "superRegion": 1, "neighbors": [2]},
        {"id": 2, "superRegion": 1, "neighbors": [3, 5]},
        {"id": 3, "superRegion": 1, "neighbors": [4]},
        {"id": 4, "superRegion": 2, "neighbors": [5]},
        {"id": 5, "superRegion": 2, "neighbors": [6]},
        {"id": 6, "superRegion": 3, "neighbors": [7]},
        {"id": 7, "superRegion": 3, "neighbors": [8]},
        {"id": 8, "superRegion": 3, "neighbors": []},
    ],
    "SuperRegions": [{"id": 1, "bonus": 3}, {"id": 2, "bonus": 2}, {"id": 3, "bonus": 0}],
}
"""::

    1 - 2 - 3        super region 1: 1 2 3, bonus 3
        |   |
        5 - 4        super region 2: 4 5, bonus 2
        |
        6 - 7 - 8    super region 3: 6 7 8, bonus 0
"""

NO_MOVES = Answer("No moves")
LATE = Silence(Why.LATE)
DEAD = Silence(Why.DEAD)


class Said(Stream):
    """A stream whose draws are said beforehand. It fails when they do not suffice."""

    def __init__(self, draws: Sequence[int]) -> None:
        super().__init__("", "")
        self.left = list(draws)

    def below(self, n: int) -> int:
        """The next of the draws."""
        draw = self.left.pop(0)
        assert 0 <= draw < n
        return draw

    def hits(self, tries: int, p: int) -> int:
        """The next of the draws."""
        draw = self.left.pop(0)
        assert 0 <= draw <= tries
        return draw


def settings(**values: Any) -> WarlightSettings:
    """Settings that differ from the defaults in `values`."""
    return parse(WarlightSettings, values)


def fresh(seed: str = "1", data: Any = SMALL_MAP, **values: Any) -> WarlightWorld:
    """A world before its set-up."""
    return new_world(Setup(seed, 2, settings(**values), data))


def world(
    seats: Mapping[int, int],
    armies: Mapping[int, int] | None = None,
    coins: Sequence[int] | None = None,
    hits: Sequence[int] | None = None,
    **values: Any,
) -> WarlightWorld:
    """A world of the small map at the start of round 1.

    `seats` gives the owner of each region that is not neutral, `armies` the armies where they are
    not 2. `coins` and `hits` say the chance (hits of an attack: first the attackers').
    """
    made = fresh(wastelands=0, **values)
    made.round = 1
    for region, seat in seats.items():
        made.hand_over(region, seat)
    for region, count in (armies or {}).items():
        made.armies[region] = count
    rig(made, coins, hits)
    return made


def rig(made: WarlightWorld, coins: Sequence[int] | None, hits: Sequence[int] | None) -> None:
    """Say the chance of a world beforehand."""
    if coins is not None:
        made.chance["order"] = Said(coins)
    if hits is not None:
        made.chance["combat"] = Said(hits)


def standing(made: WarlightWorld) -> dict[int, tuple[int, int]]:
    """Owner and armies of each region."""
    return {region: (made.owner[region], made.armies[region]) for region in made.board.regions}


class Talk(talk.Talk[WarlightWorld]):
    """The script of a world, driven by hand."""

    def __init__(self, made: WarlightWorld) -> None:
        super().__init__(made, script(made), 2)

    def round(self, place: tuple[str, str], attack: tuple[str, str]) -> Talk:
        """Answer both requests of a round."""
        assert [ask.head for ask in self.asked] == ["go place_armies"] * 2
        return self.reply(*place).reply(*attack)


Player = Callable[[Table[Any], Ask], str]


def nonsense(stream: Stream) -> str:
    """An order that is probably wrong in some way."""
    words = ["player1", "player2", "place_armies", "attack/transfer", "1", "2", "9", "-3", "05", ""]
    return " ".join(words[stream.below(len(words))] for _ in range(2 + stream.below(4)))


def random_reply(table: Table[Any], ask: Ask, stream: Stream) -> Reply:
    """Mostly good answers, mixed with orders that are not, and now and then none."""
    kind = stream.below(30)
    if kind == 0:
        return DEAD
    if kind == 1:
        return Answer("")
    text = GAME.random_answer(table.world, ask, stream)
    if kind < 10:
        orders = text.split(", ")
        extra = [f"player{1 + ask.seat} attack/transfer {a} {b} {c}" for a, b, c in _any(stream)]
        orders += [nonsense(stream), *extra, *orders[:1]]
        stream.shuffle(orders)
        text = ",".join(orders)
    return Answer(text)


def _any(stream: Stream) -> list[tuple[int, int, int]]:
    return [(1 + stream.below(9), 1 + stream.below(9), stream.below(9)) for _ in range(4)]
