"""Copies share nothing that changes."""

from __future__ import annotations

import copy
import dataclasses

from arena.core.steps import Fate
from arena.games.hextrategic.world import HexWorld
from tests.games.hextrategic.helpers import Talk, fresh, world

CONSTANT = {"settings", "board", "names", "position_points"}


def state(made: HexWorld) -> dict[str, object]:
    """Everything that changes."""
    names = [field.name for field in dataclasses.fields(made) if field.name not in CONSTANT]
    return {name: copy.deepcopy(getattr(made, name)) for name in names}


def test_a_copy_is_equal() -> None:
    made = world({0: 0, 3: 1}, {0: 5}, auto={0: 1})
    Talk(made).idle(3)
    assert state(made.copy()) == state(made)


def test_no_list_is_shared() -> None:
    made = world({0: 0, 3: 1}, {0: 5}, auto={0: 1})
    Talk(made).idle(3)
    twin, before = made.copy(), state(made)
    for name, value in state(made).items():
        if isinstance(value, list):
            getattr(twin, name).append(7)
    assert state(made) == before


def test_playing_on_in_a_copy_changes_nothing() -> None:
    made = fresh(6)
    talk = Talk(made).idle(2)
    before = state(made)
    Talk(made.copy()).reply("surrender", *["No moves"] * 5).idle(3)
    assert state(made) == before
    assert talk.world is made


def test_who_is_in() -> None:
    made = fresh(3)
    made.fate[1] = Fate.ELIMINATED
    assert made.playing() == [0, 2]
