"""`rules.md` says what the code does: its tables are recomputed."""

from __future__ import annotations

import re

import pytest

from arena.core.settings import keys
from arena.games.warlight import GAME, orders
from arena.games.warlight.attack import losses
from arena.games.warlight.settings import WarlightSettings
from tests.games.tables import read_table
from tests.games.warlight.test_combat import DEFAULT, KILLED, LOST, win

RULES = GAME.rules


def rows(header: str) -> list[list[str]]:
    """The cells of the table that begins with this header."""
    return read_table(RULES, header)


def test_every_setting_is_explained_with_its_default() -> None:
    told = {key: default for key, default, _ in rows("key | default | meaning")}
    assert told == {key.name: str(key.default) for key in keys(WarlightSettings)}


def test_every_code_is_explained() -> None:
    told = [code.strip("`") for code, _ in rows("code | the order")]
    ours = re.findall(r"^``(\w+)``", orders.__doc__ or "", re.MULTILINE)
    assert told == ours


@pytest.mark.parametrize("row", rows("D | surely lost with | chance with | surely won with"))
def test_the_table_of_wins(row: list[str]) -> None:
    defenders, lost, won = int(row[0]), int(row[1]), int(row[3])
    between = dict(re.findall(r"(\d+): ([\d.]+) %", row[2]))
    assert [int(attackers) for attackers in between] == list(range(lost + 1, won))
    assert win(lost, defenders) == 0
    assert win(won, defenders) == 1
    for attackers, percent in between.items():
        assert f"{float(100 * win(int(attackers), defenders)):.1f}" == percent


@pytest.mark.parametrize(
    "row",
    rows(
        "armies | defenders lost against this many attackers "
        "| attackers lost against this many defenders"
    ),
)
def test_the_table_of_losses(row: list[str]) -> None:
    for cell, table in zip(row[1:], (KILLED, LOST), strict=True):
        least, most, mean = table[int(row[0])]
        assert cell == (str(least) if least == most else f"{least}–{most} ({mean:.3f})")


@pytest.mark.parametrize("row", rows("A, D, hits | K | L | result"))
def test_the_table_of_examples(row: list[str]) -> None:
    attackers, defenders, *hits = map(int, re.findall(r"\d+", row[0]))
    a, d = hits or (0, 0)
    lost, killed = losses(DEFAULT, attackers, defenders, a, d)
    one_stays = row[3].startswith("both would be lost")
    assert (killed + one_stays, lost) == (int(row[1]), int(row[2]))
    assert (killed == defenders) == row[3].startswith("taken")


def test_the_rules_have_a_title() -> None:
    assert RULES.startswith("# Warlight\n")
