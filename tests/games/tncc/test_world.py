"""The state, and that a copy is one."""

from __future__ import annotations

import dataclasses
from typing import Any

from arena.games.tncc import rules
from arena.games.tncc.rules import record
from arena.games.tncc.world import RESOURCES, Recruit, Trade, Wait, War
from tests.games.tncc.helpers import RICH, country, fresh, numbers, world


def state(made: Any) -> dict[str, Any]:
    """Everything in a world."""
    return {field.name: repr(getattr(made, field.name)) for field in dataclasses.fields(made)}


def test_the_resources_are_in_the_order_of_the_lines() -> None:
    assert RESOURCES == ("gold", "food", "population", "military", "land")
    assert numbers(country(1, 2, 3, 4, 5)) == [1, 2, 3, 4, 5]


def test_a_fresh_world() -> None:
    made = fresh(3)
    assert made.names == ("player1", "player2", "player3")
    assert (made.round, made.turn, made.proposal) == (0, 0, None)
    assert made.alive == [True] * 3
    assert made.ranks == [1] * 3
    assert [numbers(own) for own in made.countries] == [[600, 800, 800, 0, 150]] * 3


def test_a_copy_is_equal_and_independent() -> None:
    made = world(RICH, RICH, RICH)
    made.turn, made.proposal = 1, War(1, 0, (1, 2, 3))
    record(made, Wait(0))
    twin, before = made.copy(), state(made)
    assert state(twin) == before
    rules.carry_out(twin, Recruit(0, 5))
    record(twin, Wait(1))
    rules.fight(twin, War(1, 0, (200, 0, 0)), (0, 0, 0))
    rules.trade(twin, Trade(2, 0, "gold", 1, "food", 1), True)
    rules.briefed(twin, 0)
    twin.alive[1], twin.ranks[1], twin.proposal = False, 3, None
    rules.production(twin)
    rules.next_cycle(twin)
    assert state(made) == before
