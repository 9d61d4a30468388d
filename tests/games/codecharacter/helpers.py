"""Worlds in the middle of a match, one turn without the conversation, and a driver with it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from arena.core.game import Setup
from arena.core.replies import Answer, Silence, Why
from arena.core.rng import Stream
from arena.core.settings import parse
from arena.core.steps import Ask
from arena.games.codecharacter import GAME, rules
from arena.games.codecharacter.checks import check
from arena.games.codecharacter.script import script
from arena.games.codecharacter.settings import CodecharacterSettings
from arena.games.codecharacter.words import read_orders
from arena.games.codecharacter.world import CodecharacterWorld, Soldier, Tower, new_world
from arena.testing import talk

FOLDER = Path(__file__).parent

NO_MOVES = Answer("No moves")
LATE = Silence(Why.LATE)
ABSENT = Silence(Why.ABSENT)
DEAD = Silence(Why.DEAD)
STOPPED = Silence(Why.STOPPED)


def settings(**values: Any) -> CodecharacterSettings:
    """Settings that differ from the defaults in `values`."""
    return parse(CodecharacterSettings, values)


def small(**values: Any) -> CodecharacterSettings:
    """A map of 12 × 12 tiles for two soldiers each."""
    few: dict[str, Any] = {"map_size": 12, "num_soldiers": 2, "base_tiles": (1, 1, 10, 10)}
    return settings(**few | values)


def fresh(given: CodecharacterSettings | None = None) -> CodecharacterWorld:
    """A world before its first line."""
    return new_world(Setup("1", 2, given or settings()))


def world(**values: Any) -> CodecharacterWorld:
    """A world at the start of turn 1; soldiers 0-19 and 20-39, bases 40 and 41."""
    made = fresh(settings(**values))
    made.round = 1
    return made


def put(made: CodecharacterWorld, id: int, x: float, y: float, **state: Any) -> Soldier:
    """Place a soldier, in units, and change what else is named."""
    soldier = made.soldiers[id]
    soldier.x, soldier.y = round(x * 1000), round(y * 1000)
    for name, value in state.items():
        setattr(soldier, name, value)
    return soldier


def tower(
    made: CodecharacterWorld, seat: int, x: int, y: int, level: int = 1, hp: int | None = None
) -> Tower:
    """Add a tower on a tile."""
    one = made.add_tower(seat, (x, y))
    one.level = level
    one.hp = made.settings.tower_hp[level - 1] if hp is None else hp
    made.survey()
    return one


def at(made: CodecharacterWorld, id: int) -> tuple[float, float]:
    """Where a soldier is, in units."""
    return made.soldiers[id].x / 1000, made.soldiers[id].y / 1000


Faults = list[tuple[int, str]]
"""The number and the code of each order that does not count."""


def turn(made: CodecharacterWorld, one: str = "", two: str = "") -> tuple[Faults, Faults]:
    """Play one turn with these answers."""
    plans = check(made, [read_orders(made, seat, text) for seat, text in enumerate((one, two))])
    rules.play(made, plans)
    made.round += 1
    faults = [[(void.number, void.refusal.code) for void in plan.void] for plan in plans]
    return faults[0], faults[1]


def states(made: CodecharacterWorld, *ids: int) -> list[str]:
    """What these soldiers did last."""
    return [made.soldiers[id].state for id in ids]


class Talk(talk.Talk[CodecharacterWorld]):
    """The script of a world, driven by hand."""

    def __init__(self, made: CodecharacterWorld) -> None:
        super().__init__(made, script(made), 2)


def fighting_answer(made: CodecharacterWorld, seat: int, stream: Stream) -> str:
    """Legal orders at random, with many more fights than `random_answer` gives."""
    orders = []
    foes: list[Soldier | Tower] = [
        one for one in made.towers.values() if one.seat != seat and not one.base
    ]
    foes += [one for one in made.soldiers if one.seat != seat and one.state != "dead"]
    for one in made.soldiers:
        if one.seat == seat and one.state != "dead" and foes and stream.below(2):
            near = sorted(foes, key=lambda foe: (foe.x - one.x) ** 2 + (foe.y - one.y) ** 2)
            orders.append(f"attack {one.id} {near[stream.below(min(3, len(near)))].id}")
    taken = {order.split()[1] for order in orders}
    text = GAME.random_answer(made, Ask(seat, "go action"), stream)
    more = [order for order in text.split(", ") if _fits(order, taken)]
    return ", ".join(orders + more) or "No moves"


def _fits(order: str, taken: set[str]) -> bool:
    """Whether a random order can stand beside those for the soldiers `taken`."""
    verb, *words = order.split()
    return order != "No moves" and (verb not in ("move", "attack") or words[0] not in taken)


NONSENSE: Sequence[str] = (
    "move", "attack", "build", "upgrade", "suicide", "0", "7", "21", "39", "40", "41", "42", "-3",
    "05", "1500", "1500.001", "12.5", "", "No moves",
)  # fmt: skip


def careless_answer(made: CodecharacterWorld, seat: int, stream: Stream) -> str:
    """Good orders mixed with some that are wrong in some way, and with repetitions."""
    orders = fighting_answer(made, seat, stream).split(", ")
    for _ in range(stream.below(4)):
        words = [NONSENSE[stream.below(len(NONSENSE))] for _ in range(1 + stream.below(4))]
        orders += [" ".join(words), orders[stream.below(len(orders))]]
    stream.shuffle(orders)
    return ",".join(orders)
