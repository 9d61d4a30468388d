"""Fields whose truth is known."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random

import pytest

from arena.errors import UsageError
from arena.tournament.algebra import Matrix, dot
from arena.tournament.meta import FieldReport, field_report, nash
from arena.tournament.results import ResultTally
from tests.workbench.fields import PLANTED, played, ratings, transitive, with_cycle

NAMES = [f"bot{number}" for number in range(12)]


def counted(wins: dict[tuple[int, int], tuple[int, int]]) -> ResultTally:
    """So many blocks that the first and the second bot of each pair win."""
    tally = ResultTally()
    for (i, j), counts in wins.items():
        for ranks, count in zip(((1, 2), (2, 1)), counts, strict=True):
            if count:
                tally.add_blocks([((i, j), ranks), ((j, i), ranks[::-1])], count)
    return tally


CIRCLE = {(0, 1): (30, 10), (1, 2): (30, 10), (0, 2): (10, 30)}


def test_rock_paper_scissors_is_all_cyclic() -> None:
    found = field_report(NAMES[:3], counted(CIRCLE))
    assert found.cyclic == pytest.approx(1.0)
    assert (found.high, found.chance) == (1.0, 0.0)
    assert [bot.nash for bot in found.bots] == pytest.approx([1 / 3] * 3)
    assert [bot.score for bot in found.bots] == pytest.approx([0.5] * 3)
    (cycle,) = found.cycles
    assert cycle.bots == ("bot0", "bot1", "bot2")
    assert cycle.scores == pytest.approx((0.75, 0.75, 0.75))
    assert 0 < cycle.low < cycle.elo < cycle.high


def test_a_circle_the_other_way_round() -> None:
    turned = {pair: counts[::-1] for pair, counts in CIRCLE.items()}
    (cycle,) = field_report(NAMES[:3], counted(turned)).cycles
    assert cycle.bots == ("bot0", "bot2", "bot1")


def field(kind: str, beyond: float, seed: int, games: int = 200) -> FieldReport:
    rng = Random(seed)
    elo = ratings(rng)
    gaps = with_cycle(elo, beyond) if beyond else transitive(elo)
    return field_report(NAMES, played(rng, gaps, games, kind), draws=100, nash_draws=0)


@pytest.mark.parametrize("kind", ["independent", "lucky maps"])
def test_a_field_that_ratings_explain_has_no_cyclic_part(kind: str) -> None:
    found = [field(kind, 0.0, seed) for seed in range(2)]
    assert sum(one.cyclic for one in found) / 2 < 0.02
    assert all(one.low == 0.0 for one in found)
    assert not any(one.chance < 0.01 for one in found)
    assert not any(one.cycles for one in found)


def test_luck_alone_makes_cycles_which_are_taken_off() -> None:
    found = field("independent", 0.0, 1, games=20)
    assert found.luck > 0.1
    assert found.cyclic < 0.1


@pytest.mark.parametrize("kind", ["independent", "lucky maps"])
def test_a_planted_cycle_is_found(kind: str) -> None:
    found = field(kind, 150.0, 1)
    cycle = found.cycles[0]
    assert {NAMES.index(name) for name in cycle.bots} == set(PLANTED)
    assert cycle.low < 150 < cycle.high
    assert found.low > 0
    assert found.chance < 0.05


def test_certain_results_are_no_cycle() -> None:
    wins = dict.fromkeys(combinations(range(5), 2), (40, 0))
    found = field_report(NAMES[:5], counted(wins))
    assert found.cycles == []
    assert found.cyclic < 0.001
    assert "half win" in found.notes[0]
    assert [bot.nash for bot in found.bots] == pytest.approx([1, 0, 0, 0, 0])


def random_game(size: int, seed: int) -> Matrix:
    rng, found = Random(seed), [[0.0] * size for _ in range(size)]
    for i, j in combinations(range(size), 2):
        found[i][j] = rng.uniform(-0.5, 0.5)
        found[j][i] = -found[i][j]
    return found


def entered(game: Matrix, copies: dict[int, int]) -> Matrix:
    order = [*range(len(game)), *(bot for bot, count in copies.items() for _ in range(count))]
    return [[game[i][j] for j in order] for i in order]


@pytest.mark.parametrize("seed", range(12))
def test_nobody_beats_the_mixture_and_ten_clones_change_no_other_score(seed: int) -> None:
    size = 2 + seed
    game = random_game(size, seed)
    mixture = nash(game)
    before = [dot(row, mixture) for row in game]
    assert sum(mixture) == pytest.approx(1)
    assert min(mixture) >= 0
    assert max(before) < 1e-7
    for bot in (max(range(size), key=mixture.__getitem__), 0):
        with_clones = nash(entered(game, {bot: 10}))
        larger = entered(game, {bot: 10})
        assert [dot(row, with_clones) for row in larger][:size] == pytest.approx(before, abs=1e-7)
        copies = [with_clones[bot], *with_clones[size:]]
        assert sum(copies) == pytest.approx(mixture[bot], abs=1e-7)
        assert copies == pytest.approx([mixture[bot] / 11] * 11, abs=1e-7)


def test_of_several_equilibria_the_most_even() -> None:
    assert nash([[0.0] * 4] * 4) == pytest.approx([0.25] * 4)
    one, two = 0.1, 0.3  # two circles that draw against each other: any mixture of them will do
    game = [[0.0] * 6 for _ in range(6)]
    for first, by in ((0, one), (3, two)):
        for i in range(3):
            j = (i + 1) % 3
            game[first + i][first + j], game[first + j][first + i] = by, -by
    assert nash(game) == pytest.approx([1 / 6] * 6)


def test_seats_and_maps() -> None:
    tally = ResultTally()
    for pair in combinations(range(3), 2):
        for ranks, count in (((1, 2), 30), ((2, 1), 10)):  # the first seat wins three in four
            tally.add_blocks([(pair, ranks), (pair[::-1], ranks)], count)
    found = field_report(NAMES[:3], tally, {"book:1": tally.blocks()})
    first, second, of_book, _ = found.seats
    assert (first.score, second.score) == (0.75, 0.25)
    assert first.low is not None
    assert 0.5 < first.low < 0.75
    assert (of_book.map, of_book.score) == ("book:1", 0.75)
    assert found.maps is not None
    assert found.maps.correlation == pytest.approx(1)  # both games end alike
    lucky = field_report(NAMES[:3], counted(CIRCLE)).maps
    assert lucky is not None
    assert lucky.correlation == pytest.approx(-1)


def test_more_than_two_seats() -> None:
    tally, rng = ResultTally(), Random(2)
    for _ in range(60):
        times = [rng.expovariate(1 + bot) for bot in range(4)]
        for group in combinations(range(4), 3):
            block = []
            for turn in range(3):
                order = tuple(group[(at + turn) % 3] for at in range(3))
                ranks = tuple(1 + sum(times[o] < times[bot] for o in order) for bot in order)
                block.append((order, ranks))
            tally.add_blocks(block, 1)
    found = field_report(NAMES[:4], tally)
    assert (len(found.seats), found.maps, found.pairs) == (3, None, 6)
    assert {(bot.nash, bot.score) for bot in found.bots} == {(None, None)}
    assert "for two seats" in found.notes[0]
    assert found.cyclic < 0.3
    assert math.isfinite(found.high)


@pytest.mark.parametrize(
    ("names", "wins", "why"),
    [
        (2, {(0, 1): (3, 3)}, "at least three bots, and 2 play: add others"),
        (3, {}, "no matches lead from bot0 to bot1"),
        (4, {(0, 1): (3, 3), (2, 3): (3, 3)}, "no matches lead from bot0 to bot2"),
        (3, {(0, 1): (3, 3), (1, 2): (3, 3)}, "too few for a circle"),
        (3, {(0, 1): (1, 0), (1, 2): (1, 0), (0, 2): (0, 1)}, "3 pairs have 3 blocks"),
    ],
)
def test_too_few_matches(
    names: int, wins: dict[tuple[int, int], tuple[int, int]], why: str
) -> None:
    with pytest.raises(UsageError, match=why):
        field_report(NAMES[:names], counted(wins))


def test_equal_reports_each_time() -> None:
    assert field("independent", 100.0, 5) == field("independent", 100.0, 5)
