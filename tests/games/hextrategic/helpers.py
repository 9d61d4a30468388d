"""Worlds in the middle of a match, a driver of the script, and players that are often wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from arena.core.game import Setup
from arena.core.replies import Answer, Reply, Silence, Why
from arena.core.rng import Stream
from arena.core.settings import parse
from arena.core.steps import Ask
from arena.games.hextrategic.board import NEUTRAL, TYPES, hexagon, make_board
from arena.games.hextrategic.probes import random_answer
from arena.games.hextrategic.script import script
from arena.games.hextrategic.settings import HexSettings
from arena.games.hextrategic.world import HexWorld, new_world
from arena.games.kit.wire import player_names
from arena.testing import talk

FOLDER = Path(__file__).parent
NO_MOVES = Answer("No moves")
LATE = Silence(Why.LATE)
ABSENT = Silence(Why.ABSENT)
DEAD = Silence(Why.DEAD)
STOPPED = Silence(Why.STOPPED)


def settings(**values: Any) -> HexSettings:
    """Settings that differ from the defaults in `values`."""
    return parse(HexSettings, values)


def fresh(seats: int = 2, seed: str = "1", **values: Any) -> HexWorld:
    """A world before its set-up."""
    return new_world(Setup(seed, seats, settings(**values)))


def world(
    owner: Mapping[int, int],
    units: Mapping[int, int] | None = None,
    types: Mapping[int, str] | None = None,
    auto: Mapping[int, int] | None = None,
    seats: int = 2,
    radius: int = 1,
    **values: Any,
) -> HexWorld:
    """A world at the start of round 1 on a small board, by radius::

        1:   0 1        2:     0  1  2
            2 3 4            3  4  5  6
             5 6            7  8  9  10 11
                             12 13 14 15
                              16 17 18

    `owner` gives the cells that are not neutral, `units` those that are not empty, `types` those
    that are not normal, `auto` those with an auto-move.
    """
    cells = hexagon(radius)
    kinds = [TYPES.index((types or {}).get(cell, "normal")) for cell in range(len(cells))]
    made = HexWorld(
        settings=settings(**values),
        board=make_board(cells, kinds),
        names=player_names(seats),
        position_points=tuple(range(10 * (seats - 1), -1, -10)),
        owner=[owner.get(cell, NEUTRAL) for cell in range(len(cells))],
        units=[(units or {}).get(cell, 0) for cell in range(len(cells))],
        round=1,
    )
    for cell, target in (auto or {}).items():
        made.auto[cell] = target
    return made


def held(made: HexWorld, cell: int) -> tuple[int, int]:
    """Owner and units of a cell."""
    return made.owner[cell], made.units[cell]


class Talk(talk.Talk[HexWorld]):
    """The script of a world, driven by hand."""

    def __init__(self, made: HexWorld) -> None:
        super().__init__(made, script(made), len(made.names))

    def idle(self, rounds: int = 1) -> Talk:
        """All answer that they have no orders."""
        for _ in range(rounds):
            self.reply(*[NO_MOVES] * len(self.asked))
        return self

    def results(self, seat: int) -> list[str]:
        """The `result` lines that the seat was told since the last replies."""
        return [line for line in self.told[seat] if line.startswith("result ")]


def once(made: HexWorld, *replies: str | Reply) -> Talk:
    """Play one round with these replies."""
    return Talk(made).reply(*replies)


WORDS = ("move", "auto", "stop", "surrenders", "0", "1", "3", "7", "99", "-1", "05", "", "No moves")


def nonsense(stream: Stream) -> str:
    """An order that is probably wrong in some way."""
    return " ".join(WORDS[stream.below(len(WORDS))] for _ in range(1 + stream.below(4)))


def random_reply(made: HexWorld, ask: Ask, stream: Stream) -> Reply:
    """Mostly good answers, mixed with orders that are not; now and then none, or giving up."""
    kind = stream.below(300)
    if kind < 12:
        return (LATE, DEAD, Answer(""))[kind % 3]
    if kind == 12:
        return Answer("surrender")
    text = random_answer(made, ask, stream)
    if kind < 100:
        orders = [*text.split(", "), *_any(made, stream), nonsense(stream)]
        stream.shuffle(orders)
        text = ",".join(orders)
    return Answer(text)


def _any(made: HexWorld, stream: Stream) -> Iterable[str]:
    """Orders in form from anywhere to anywhere near."""
    for _ in range(6):
        source = stream.below(len(made.owner))
        near = made.board.neighbors[source]
        target = near[stream.below(len(near))] if stream.below(4) else stream.below(200)
        yield (f"move {source} {target} {stream.below(9)}", f"auto {source} {target}")[
            stream.below(3) // 2
        ]
