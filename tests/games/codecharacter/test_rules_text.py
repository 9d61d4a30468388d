"""`rules.md` says what the code does: its tables and its example are made again."""

from __future__ import annotations

import re

from arena.core.settings import keys
from arena.games.codecharacter import GAME, checks, rules
from arena.games.codecharacter.settings import CodecharacterSettings
from arena.games.kit.wire import value_text
from tests.games.codecharacter.helpers import Talk, fresh, settings
from tests.games.tables import read_table

RULES = GAME.rules


def rows(header: str) -> list[list[str]]:
    """The cells of the table that begins with this header."""
    return read_table(RULES, header)


def test_every_setting_is_explained_with_its_default() -> None:
    told = {key: default for key, default, _ in rows("key | default | meaning")}
    assert told == {key.name: value_text(key.default) for key in keys(CodecharacterSettings)}


def test_every_code_is_explained_in_the_order_of_the_checks() -> None:
    told = [code.strip("`") for code, _ in rows("code | the order")]
    assert told == re.findall(r"^``(\w+)``", checks.__doc__ or "", re.MULTILINE)


def test_the_refunds() -> None:
    (row,) = [row for row in rows("key | default | meaning") if row[0] == "suicide_refund"]
    assert ", ".join(map(str, rules.REFUNDS)) in row[2]


def test_the_example_is_what_the_arena_says() -> None:
    (example,) = re.findall(r"```\n(> settings game.*?)```", RULES, re.DOTALL)
    given = settings(
        map_size=8,
        base_tiles=(1, 1, 6, 6),
        num_soldiers=2,
        num_turns=3,
        money_start=1000,
        attack_range=160,
    )
    talk = Talk(fresh(given))
    answers = re.findall(r"^< (.*)$", example, re.MULTILINE)
    others = ["attack 0 2, build 3 3", "attack 0 2, attack 1 2", ""]
    for one, two in zip(others, answers, strict=True):
        talk.reply(one, two)
    assert example.splitlines() == [line[1:] for line in talk.log if line.startswith("1")]
    assert talk.outcome is not None


def test_the_example_names_its_settings() -> None:
    given = "`map_size=8`, `base_tiles=1,1,6,6`, `num_soldiers=2`, `num_turns=3`"
    assert given in " ".join(RULES.split())
    assert "`money_start=1000`, `attack_range=160`" in " ".join(RULES.split())


def test_the_rules_stand_alone() -> None:
    assert RULES.startswith("# Code Character\n")
    assert "## Seat fairness\n" in RULES
    assert (
        max(map(len, re.sub(r"```.*?```|^\|.*$", "", RULES, flags=re.S | re.M).splitlines())) < 112
    )
