"""Losses: every table of the rules, from all dice, with exact chances."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from arena.games.warlight.attack import losses
from tests.games.warlight.helpers import settings
from tests.support.tools import every

DEFAULT = settings()


def dice(n: int, chance: Fraction) -> list[Fraction]:
    """The chance of each number of hits."""
    return [comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]


def win(attackers: int, defenders: int) -> Fraction:
    """The exact chance to take a region."""
    return sum(
        (
            p * q
            for a, p in enumerate(dice(attackers, Fraction(6, 10)))
            for d, q in enumerate(dice(defenders, Fraction(7, 10)))
            if losses(DEFAULT, attackers, defenders, a, d)[1] == defenders
        ),
        Fraction(0),
    )


WINS: list[tuple[int, int, dict[int, float], int]] = [
    (1, 1, {}, 2),
    (2, 2, {}, 3),
    (3, 3, {4: 0.1296}, 5),
    (4, 5, {6: 0.8208}, 7),
    (5, 6, {7: 0.0280, 8: 0.9502}, 9),
    (6, 8, {9: 0.231787008, 10: 0.9877054464}, 11),
    (7, 9, {10: 0.0060, 11: 0.7535, 12: 0.9972}, 13),
    (8, 11, {12: 0.0834, 13: 0.9023, 14: 0.9994}, 15),
    (10, 14, {15: 0.0271140, 16: 0.7160634, 17: 0.9894058, 18: 0.9999744}, 19),
]


@pytest.mark.parametrize(("defenders", "lost", "between", "won"), WINS)
def test_certain_and_possible_wins(
    defenders: int, lost: int, between: dict[int, float], won: int
) -> None:
    assert all(win(attackers, defenders) == 0 for attackers in range(1, lost + 1))
    for attackers, chance in between.items():
        assert float(win(attackers, defenders)) == pytest.approx(chance, abs=5e-5)
    assert all(win(attackers, defenders) == 1 for attackers in range(won, won + 12))
    assert sorted(between) == list(range(lost + 1, won))


def test_the_chances_that_are_given_exactly() -> None:
    assert win(4, 3) == Fraction("0.1296")
    assert win(9, 6) == Fraction("0.231787008")
    assert win(10, 6) == Fraction("0.9877054464")


KILLED = {
    1: (1, 1, 1.0),
    2: (1, 1, 1.0),
    3: (2, 2, 2.0),
    4: (2, 3, 2.130),
    5: (3, 3, 3.0),
    6: (3, 4, 3.821),
    7: (4, 5, 4.028),
    8: (4, 5, 4.950),
    9: (5, 6, 5.232),
    10: (5, 7, 5.994),
    11: (6, 7, 6.753),
    12: (6, 8, 7.081),
}
LOST = {
    1: (1, 1, 1.0),
    2: (1, 1, 1.0),
    3: (2, 2, 2.0),
    4: (2, 3, 2.992),
    5: (3, 4, 3.528),
    6: (4, 4, 4.0),
    7: (4, 5, 4.971),
    8: (5, 6, 5.806),
    9: (5, 7, 6.196),
    10: (6, 7, 6.989),
    11: (6, 8, 7.790),
    12: (7, 9, 8.253),
}


@pytest.mark.parametrize("armies", KILLED)
def test_defenders_lost_by_attackers(armies: int) -> None:
    killed = [losses(DEFAULT, armies, 1000, hits, 700)[1] for hits in range(armies + 1)]
    mean = sum(
        (k * p for k, p in zip(killed, dice(armies, Fraction(6, 10)), strict=True)), Fraction(0)
    )
    assert (killed[0], killed[-1], round(float(mean), 3)) == KILLED[armies]
    assert killed == [(126 * armies + 40 * hits + 125) // 250 for hits in range(armies + 1)]


@pytest.mark.parametrize("armies", LOST)
def test_attackers_lost_by_defenders(armies: int) -> None:
    lost = [losses(DEFAULT, 1000, armies, 600, hits)[0] for hits in range(armies + 1)]
    mean = sum(
        (k * p for k, p in zip(lost, dice(armies, Fraction(7, 10)), strict=True)), Fraction(0)
    )
    assert (lost[0], lost[-1], round(float(mean), 3)) == LOST[armies]
    assert lost == [(147 * armies + 40 * hits + 125) // 250 for hits in range(armies + 1)]


@every("attackers", range(3, 30))
def test_an_ordinary_region_always_costs_one_army(attackers: int) -> None:
    for hits in range(attackers + 1):
        for back in range(3):
            assert losses(DEFAULT, attackers, 2, hits, back) == (1, 2)


@every("attackers", range(1, 30))
def test_a_wasteland_costs_four_armies_or_all(attackers: int) -> None:
    for hits in range(attackers + 1):
        for back in range(7):
            assert losses(DEFAULT, attackers, 6, hits, back)[0] == min(4, attackers)


def test_example_1_three_against_two() -> None:
    for hits in range(4):
        for back in range(3):
            assert losses(DEFAULT, 3, 2, hits, back) == (1, 2)


def test_example_2_two_against_two() -> None:
    for hits in range(3):
        for back in range(3):
            assert losses(DEFAULT, 2, 2, hits, back) == (1, 1)


def test_example_3_ten_against_six() -> None:
    assert (126 * 10 + 40 * 5 + 125, 147 * 6 + 40 * 4 + 125) == (1585, 1167)
    assert losses(DEFAULT, 10, 6, 5, 4) == (4, 6)


def test_example_4_nine_against_six() -> None:
    assert losses(DEFAULT, 9, 6, 5, 4) == (4, 5)


def test_example_5_one_against_one_leaves_the_defender() -> None:
    for hits in range(2):
        for back in range(2):
            assert losses(DEFAULT, 1, 1, hits, back) == (1, 0)


@pytest.mark.parametrize(("defenders", "hits", "lost"), [(25, 5, 16), (45, 19, 30)])
def test_exact_halves_round_up(defenders: int, hits: int, lost: int) -> None:
    assert (147 * defenders + 40 * hits) % 250 == 125
    assert losses(DEFAULT, 1000, defenders, 0, hits)[0] == lost
    assert losses(DEFAULT, 1000, defenders, 0, hits - 1)[0] == lost - 1


def test_without_luck_only_the_mean_counts() -> None:
    sure = settings(luck=0)
    assert {losses(sure, 10, 6, hits, back) for hits in range(11) for back in range(7)} == {(4, 6)}


def test_with_luck_only_the_dice_count() -> None:
    wild = settings(luck=1000)
    assert losses(wild, 10, 6, 2, 5) == (5, 2)
    assert losses(wild, 10, 6, 0, 0) == (0, 0)
    assert losses(wild, 10, 6, 9, 0) == (0, 6)


def test_the_chances_to_kill_are_settings() -> None:
    mild = settings(luck=0, attacker_kill=100, defender_kill=1000)
    assert losses(mild, 10, 6, 0, 0) == (6, 1)
