"""`rules.md` says what the code does."""

from __future__ import annotations

import re

import pytest

from arena.core.settings import keys
from arena.games.kit import Refusal
from arena.games.toroid import GAME, rules
from arena.games.toroid.orders import SIDES, Attack, read_order
from arena.games.toroid.settings import ToroidSettings
from tests.games.tables import read_table
from tests.games.toroid.helpers import Talk, fresh, ring, world

RULES = GAME.rules


def rows(header: str) -> list[list[str]]:
    """The cells of the table that begins with this header."""
    return read_table(RULES, header)


def test_every_setting_is_explained_with_its_default() -> None:
    told = {key: default for key, default, _ in rows("key | default | meaning")}
    assert told == {key.name: str(key.default) for key in keys(ToroidSettings)}


def test_every_code_is_explained_in_its_order() -> None:
    told = [code.strip("`") for code, _ in rows("code | the answer")]
    assert told == [
        "syntax", "direction", "own_target", "not_own", "few_units", "too_many", "resident_limit",
    ]  # fmt: skip


def test_the_example_dialogue_is_what_the_arena_says() -> None:
    (example,) = re.findall(r"```\n(> settings game.*?)\n```", RULES, re.DOTALL)
    lines = example.splitlines()
    answers = iter([line[2:] for line in lines if line.startswith("< ")])
    talk = Talk(fresh("447"))
    heard: list[str] = []
    while True:
        heard += [f"> {line}" for line in talk.told[1]]
        if talk.seat == 1:
            answer = next(answers, None)
            if answer is None:
                break
            heard.append(f"< {answer}")
            talk.say(answer)
        else:
            talk.say(opponent(talk))
    assert heard == lines


def opponent(talk: Talk) -> str:
    """Attacks player2 wherever it can."""
    made, country = talk.world, talk.country
    for side in ("left", "right"):
        units = made.units[country] - 1
        target = rules.neighbour(made, country, SIDES[side])
        if made.owner[target] == 1 and units:
            return f"attack {side} {units}"
    return "build"


@pytest.mark.parametrize("row", rows("A | the answer | the target | what happens"))
def test_the_table_of_examples(row: list[str]) -> None:
    units, answer, target = int(row[0]), row[1].strip("`"), re.match(r"\d+", row[2])
    order = read_order(answer)
    assert not isinstance(order, Refusal)
    owner = "A" if "ours" in row[2] else "B"
    start = f"A{units} {owner}{target[0] if target else 5} .1"
    reason = rules.objection(world(start), 0, order)
    if reason is not None:
        assert row[3].startswith(f"illegal, `{reason.code}`")
        return
    assert isinstance(order, Attack)
    assert target is not None
    for draws, result in re.findall(r"((?:\d, )*\d): (\w+)", row[3]):
        for draw in map(int, draws.split(", ")):
            made = world(start, [draw])
            act = rules.attack(made, 0, 1, order.units)
            assert act.result == result
            said = re.search(rf"{result}, A has (\d+) and the target (.*?)(?:\.|$)", row[3])
            assert said is not None
            left, theirs = said.groups()
            expected = f"A{left} {'A' if 'ours' in theirs else 'B'}{theirs.split()[-1]} .1"
            assert ring(made) == expected


def test_the_rules_stand_alone() -> None:
    assert RULES.startswith("# Toroid Wars")
    assert not re.search(r"shared/|seed document|the spec", RULES)
