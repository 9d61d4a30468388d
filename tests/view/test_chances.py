"""Turning points: what a person would name who looks at the curve of the chances."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import msgspec
import pytest

from arena.core.replies import Why
from arena.core.steps import Show
from arena.record.format import Answered, Header, Origin, Record, Silent
from arena.record.reader import Match
from arena.view.chances import LEAST, Balance, MatchChances, TurningPoint, turning_points
from tests.support.tools import every

ROUNDS = 20


def points(
    chances: Sequence[Sequence[float]],
    forces: Sequence[Sequence[float]] | None = None,
    *,
    gone_from: int | None = None,
    in_turns: bool = False,
    played_from: int | None = None,
) -> list[TurningPoint]:
    """The turning points of a match with these chances, by seat and round. Each seat is asked in
    each round, or seats `in_turns`; the first has no program from round `gone_from` on."""
    seats, rounds = len(chances), len(chances[0])
    shares = forces or [[1 / seats] * rounds] * seats
    header = Header(3, "warlight", 1, "7", {}, [f"bot{seat}" for seat in range(seats)])
    if played_from is not None:
        header = msgspec.structs.replace(header, position=Origin(played_from, 0, "0"))
    records: list[Record] = []
    for number in range(rounds):
        for seat in range(seats):
            if number and (not in_turns or number % seats == seat):
                is_gone = seat == 0 and gone_from is not None and number >= gone_from
                records.append(
                    Silent(seat, Why.DEAD, bank=0, ms=0)
                    if is_gone
                    else Answered(seat, "pass", bank=0, ms=0)
                )
        records.append(Show({"round": number, "rounds": rounds - 1}))
    by_round = list(zip(*shares, strict=True))
    looks = [Balance(row, row, seats, 0.0) for row in by_round]
    found = MatchChances(looks, list(zip(*chances, strict=True)))
    return turning_points(Match.of([header, *records]), found)


def duel(curve: Sequence[float], **options: int | bool) -> list[tuple[int, int, int]]:
    """The seat, the first round and the last of each turning point, where the first seat has these
    chances and the second one the rest."""
    found = points([curve, [1 - one for one in curve]], **options)  # type: ignore[arg-type]
    return [(one.seat, one.round, one.last) for one in found]


def steps(*falls: tuple[int, float], start: float = 0.9) -> list[float]:
    """A curve that falls by so much in these rounds, and nowhere else."""
    return [start - sum(by for at, by in falls if number >= at) for number in range(ROUNDS + 1)]


@every("at", range(1, ROUNDS + 1))
@every("by", [LEAST + 0.01, 0.41, 0.9])
def test_one_fall_is_named_wherever_it_is(at: int, by: float) -> None:
    assert duel(steps((at, by))) == [(0, at, at)]


@pytest.mark.parametrize("first", range(1, ROUNDS, 3))
def test_two_equal_falls_are_both_named(first: int) -> None:
    for second in range(first + 2, ROUNDS + 1):
        found = duel(steps((first, 0.4), (second, 0.4)))
        assert sorted(found) == [(0, first, first), (0, second, second)], (first, second)


def test_equal_falls_in_adjacent_rounds_are_one() -> None:
    assert duel(steps((7, 0.4), (8, 0.4))) == [(0, 7, 8)]


def test_the_larger_fall_comes_first_and_three_at_most_are_named() -> None:
    falls = [(2, 0.16), (7, 0.3), (12, 0.2), (17, 0.18)]
    assert duel(steps(*falls)) == [(0, 7, 7), (0, 12, 12), (0, 17, 17)]


@pytest.mark.parametrize("first", [1, 5, 11])
@pytest.mark.parametrize("last", [17, ROUNDS])
def test_a_slide_is_named_by_its_first_round(first: int, last: int) -> None:
    """However many rounds it takes, none of which costs much by itself."""
    step = 0.7 / (last - first + 1)
    curve = steps(*[(at, step) for at in range(first, last + 1)])
    assert step < LEAST
    assert duel(curve) == [(0, first, last)]
    # one of 1,000 rounds, none of which costs a thousandth
    long = [0.5 - max(0, min(600, number - 200)) * 0.0008 for number in range(1001)]
    assert duel(long) == [(0, 201, 800)]


def test_small_falls_with_pauses_are_one_slide() -> None:
    """It has no rounds before the first and after the last."""
    assert duel(steps((9, 0.08), (11, 0.08))) == [(0, 9, 11)]
    assert duel(steps((8, 0.1), (12, 0.1))) == [(0, 8, 12)]
    assert duel(steps((8, 0.1))) == []


def test_a_drop_within_a_slide_is_named_by_itself() -> None:
    curve = steps(*[(at, 0.01) for at in range(1, ROUNDS + 1)], (8, 0.5))
    assert duel(curve) == [(0, 8, 8)]


def test_what_was_given_back_is_not_named() -> None:
    dip = [0.9] * 5 + [0.1] * 3 + [0.9] * 5
    assert duel(dip) == [(1, 8, 8)]  # the other seat had come to 0.9, and lost that for good
    assert [one.seat for one in points([dip, [0.05] * 13, [0.05] * 13])] == []
    # of 0.8 that were lost in round 5, half was given back: the rest counts
    (point,) = points([[0.9] * 5 + [0.1] * 3 + [0.5] * 5, [0.05] * 13])
    assert (point.round, point.chances) == (5, (0.9, 0.1))
    assert point.cost == pytest.approx(0.4)


@pytest.mark.parametrize("seed", range(20))
def test_noise_names_nothing(seed: int) -> None:
    """Below half of what a turning point costs, on a curve that goes nowhere."""
    random = Random(seed)
    assert duel([0.5 + random.uniform(-0.49, 0.49) * LEAST for _ in range(100)]) == []


@pytest.mark.parametrize("seed", range(10))
def test_noise_hides_no_fall_and_no_slide(seed: int) -> None:
    random = Random(seed)
    noise = [random.uniform(-0.2, 0.2) * LEAST for _ in range(ROUNDS + 1)]
    curve = [a + b for a, b in zip(steps((9, 0.5)), noise, strict=True)]
    assert duel(curve) == [(0, 9, 9)]
    slide = steps(*[(at, 0.06) for at in range(6, 16)])
    ((seat, first, _),) = duel([a + b for a, b in zip(slide, noise, strict=True)])
    assert seat == 0
    assert 5 <= first <= 8


@pytest.mark.parametrize("seed", range(10))
def test_seats_are_judged_alike(seed: int) -> None:
    """In a match with the seats exchanged the same rounds are named, of the other seat."""
    random = Random(seed)
    curve = [0.5]
    for _ in range(40):
        curve.append(min(0.99, max(0.01, curve[-1] + random.uniform(-0.3, 0.3))))
    mirrored = duel([1 - one for one in curve])
    assert sorted(duel(curve)) == sorted((1 - seat, *rounds) for seat, *rounds in mirrored)


def test_ties_and_even_matches_name_nothing() -> None:
    assert duel([0.5] * 30) == []
    assert duel([0.5]) == []
    assert points([[0.25] * 9] * 4) == []


def test_forces_thrown_away_are_named_after_what_was_lost_for_good() -> None:
    chances = [0.5, 0.5, 0.4, 0.2, 0.6, 0.6, 0.6, 0.1, 0.1]
    forces = [0.5, 0.3, 0.3, 0.3, 0.5, 0.5, 0.5, 0.5, 0.5]
    still = [0.1] * len(chances)
    first, second = points([chances, still], [forces, still])
    assert (first.round, first.last, first.regained) == (7, 7, None)
    assert (second.round, second.last, second.regained) == (1, 3, 4)
    assert (second.chances, second.forces) == ((0.5, 0.2), (0.5, 0.3))
    # forces that come back at once, and those that cost no chance, are nobody's matter
    back = [0.5, 0.3, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]
    assert [one.round for one in points([chances, still], [back, still])] == [7]
    assert points([[0.97] * 9, still], [forces, still]) == []


def test_forces_thrown_away_within_a_slide_are_part_of_it() -> None:
    slide = steps(*[(at, 0.07) for at in range(6, 16)])
    forces = [0.5 if number < 8 else 0.2 for number in range(ROUNDS + 1)]
    still = [0.1] * len(slide)
    found = points([slide, still], [forces, still])
    assert [(one.round, one.last) for one in found] == [(6, 15)]


def test_only_answers_are_turning_points() -> None:
    curve = steps((6, 0.3), (12, 0.4))
    assert duel(curve, gone_from=13) == [(0, 12, 12), (0, 6, 6)]
    # what is lost after the end of the program began with its last answers
    assert duel(curve, gone_from=9) == [(0, 8, 12), (0, 6, 6)]
    assert duel(curve, gone_from=1) == []
    # seats asked in turns: the first in even rounds
    assert duel(curve, in_turns=True) == [(0, 12, 12), (0, 6, 6)]
    assert duel(steps((7, 0.4)), in_turns=True) == [(0, 6, 7)]
    # those of a position are not of these players
    assert duel(curve, played_from=7) == [(0, 12, 12)]
    assert duel(curve, played_from=12) == [(0, 12, 12)]
    assert duel(curve, played_from=13) == []


class Curves(msgspec.Struct):
    """A match of sample bots, by seat and round."""

    chances: list[list[float]]
    forces: list[list[float]]


CURVES = msgspec.json.decode(
    Path(__file__).with_name("chances.json").read_bytes(), type=dict[str, Curves]
)
NAMED = {
    "warlight": [(0, 2, 2), (0, 3, 9)],  # 65 to 24 %; then armies, at 24 %
    "hextrategic": [(0, 13, 13), (3, 4, 4), (0, 14, 17), (0, 11, 12)],  # 4 seats
    "toroid": [(0, 1, 1)],  # 50 to 5 % in the first round
    "tncc": [(0, 17, 31), (0, 15, 18)],  # a slide from 48 to 1 %; 50 to 38 % as armies are lost
    "codecharacter": [(0, 17, 17), (0, 16, 18)],  # 44 to 7 %; soldiers are lost a turn before
}


@pytest.mark.parametrize("game", NAMED)
def test_golden_matches(game: str) -> None:
    curves = CURVES[game]
    found = points(curves.chances, curves.forces)
    assert [(one.seat, one.round, one.last) for one in found] == NAMED[game]
    for one in found:
        assert one.chances[0] == curves.chances[one.seat][one.round - 1]
