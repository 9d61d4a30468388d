"""`rules.md` says what the code does: its tables and its dialogue are played again."""

from __future__ import annotations

import re

import pytest

from arena.core.settings import keys
from arena.games.kit.wire import value_text
from arena.games.tncc import GAME, rules
from arena.games.tncc.settings import TnccSettings
from arena.games.tncc.world import Flanks
from tests.games.tables import read_table
from tests.games.tncc.helpers import Talk, country, fresh, numbers, settings, world

RULES = GAME.rules


def rows(header: str) -> list[list[str]]:
    """The cells of the table that begins with this header."""
    return read_table(RULES, header)


def flanks(cell: str) -> Flanks:
    """Three numbers."""
    left, middle, right = map(int, cell.split())
    return left, middle, right


def test_the_rules_have_a_title_and_the_fairness() -> None:
    assert RULES.startswith("# TNCC\n")
    assert "\n## Seat fairness\n" in RULES


def test_every_setting_is_explained_with_its_default() -> None:
    told = {key: default for key, default, _ in rows("key | default | meaning")}
    ours = {key.name: value_text(key.default) for key in keys(TnccSettings)}
    assert list(told.items()) == list(ours.items())


def test_every_code_is_explained_in_the_order_of_the_checks() -> None:
    told = [code.strip("`") for code, _ in rows("code | the answer")]
    assert told == ["syntax", "target", "resource", "funds", "soldiers", "citizens"]


@pytest.mark.parametrize("row", rows("attacker | defender | left after wave one | result"))
def test_the_table_of_battles(row: list[str]) -> None:
    victor, survivors = rules.battle(settings(), flanks(row[0]), flanks(row[1]))
    text = "a tie" if victor == "tie" else f"the {victor} wins with {survivors}"
    assert row[3] == text
    pairs = list(zip(flanks(row[0]), flanks(row[1]), strict=True))
    left = sum(max(0, a - 2 * d) for a, d in pairs), sum(max(0, d - a) for a, d in pairs)
    assert row[2] == f"{left[0]} against {left[1]}"


@pytest.mark.parametrize("row", rows("attacker | defender | `seed` | `source`"))
def test_the_table_of_the_two_wave_rules(row: list[str]) -> None:
    for rule, cell in zip(("seed", "source"), row[2:], strict=True):
        found = rules.battle(settings(wave_rule=rule), flanks(row[0]), flanks(row[1]))
        assert cell == f"{found[0]} {found[1]}"


@pytest.mark.parametrize("row", rows("gold food citizens soldiers land | becomes | why"))
def test_the_table_of_productions(row: list[str]) -> None:
    made = world((1, 1, 1, 1, 1), (1, 1, 1, 1, 1))
    made.countries[0] = country(*map(int, row[0].split()))
    dead = rules.production(made)
    assert numbers(made.countries[0]) == [int(number) for number in row[1].split()]
    assert (0 in dead) == row[2].endswith("dead")


def test_the_dialogue_is_what_the_arena_says() -> None:
    dialogue = re.findall(r"```\n(> settings game.*?)```", RULES, re.DOTALL)[0]
    talk = Talk(fresh(3, gold_for_war=500, max_cycles=2))
    own = iter(line[2:] for line in dialogue.splitlines() if line.startswith("< "))
    others = iter(["recruit 100", "yes", "recruit 50", "trade player2 food 200 gold 80",
                   "war player2 10 20 20"])  # fmt: skip
    while talk.outcome is None:
        talk.say(next(own if talk.ask.seat == 1 else others))
    heard = [line[1:] for line in talk.log if line.startswith(("1>", "1<"))]
    assert heard == dialogue.splitlines()
