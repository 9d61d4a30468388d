"""`rules.md` says what the code does."""

from __future__ import annotations

import re

import pytest

from arena.core.settings import keys
from arena.games.hextrategic import GAME
from arena.games.hextrategic.rules import battle
from arena.games.hextrategic.settings import HexSettings
from arena.games.kit.wire import value_text
from tests.games.hextrategic.helpers import Talk, fresh
from tests.games.tables import read_table

RULES = GAME.rules


def rows(header: str) -> list[list[str]]:
    """The cells of the table that begins with this header."""
    return read_table(RULES, header)


def test_every_setting_is_explained_with_its_default() -> None:
    told = {key: default for key, default, _ in rows("key | default | meaning")}
    derived = {"position_points": "10 × (players − position)"}
    assert told == {key.name: value_text(key.default) for key in keys(HexSettings)} | derived


def test_every_code_is_explained() -> None:
    assert [code.strip("`") for code, _ in rows("code | the order")] == [
        "syntax", "not_own", "not_adjacent", "too_many", "more"
    ]  # fmt: skip


@pytest.mark.parametrize("row", rows("in the cell after the moves | result"))
def test_the_table_of_battles(row: list[str]) -> None:
    """``player1 7, player2 5``, the owner first."""
    names = {"neutral": -1} | {f"player{seat + 1}": seat for seat in range(4)}
    sides = {names[name]: int(units) for name, units in re.findall(r"(\w+) (\d+)", row[0])}
    (winner, units), *_ = re.findall(r"(\w+) (\d+)", row[1])
    assert battle(sides) == (names[winner], int(units))


def test_the_example_dialogue_is_what_the_arena_says() -> None:
    example = re.findall(r"```\n(> settings game.*?)```", RULES, re.DOTALL)[0].splitlines()
    talk = Talk(fresh(2, "1", radius=1, max_rounds=2))
    told = [f"> {line}" for line in talk.told[0]]
    answers = [line[2:] for line in example if line.startswith("< ")]
    for mine, other in zip(answers, ("move 2 5 9, auto 2 5", "move 5 6 5"), strict=True):
        talk.reply(mine, other)
        told += [f"< {mine}", *[f"> {line}" for line in talk.told[0]]]
    assert told == example


def test_the_rules_have_a_title() -> None:
    assert RULES.startswith("# Hextrategic\n")
    assert "## Seat fairness" in RULES
