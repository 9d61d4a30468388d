"""Error bars: of blocks, not of games; and they cover the truth as often as they say."""

from __future__ import annotations

import random

import pytest

from arena.tournament.ratings import fit
from arena.tournament.results import Result, ResultTally
from tests.experiments.leagues import KINDS, coverage, crowd, league, ranks_covered


def pairs(*kinds: tuple[int, tuple[int, int], tuple[int, int]]) -> ResultTally:
    """So many mirrored pairs of two bots, with the ranks of bots 0 and 1 in both games."""
    tally = ResultTally()
    for kind, (count, first, second) in enumerate(kinds):
        for number in range(count):
            tally.add(Result((0, 1), first, (0, 0), f"{kind}.{number}"))
            tally.add(Result((1, 0), second[::-1], (0, 0), f"{kind}.{number}"))
    return tally


WIN, LOSS = (1, 2), (2, 1)


def test_games_on_one_seed_count_as_one() -> None:
    """The same 120 wins and 120 losses: by lucky maps, as of 240 games, and by lucky seats."""
    alike = fit(2, pairs((60, WIN, WIN), (60, LOSS, LOSS))).error(0)
    mixed = fit(2, pairs((30, WIN, WIN), (30, LOSS, LOSS), (60, WIN, LOSS))).error(0)
    against = fit(2, pairs((1, WIN, WIN), (1, LOSS, LOSS), (118, WIN, LOSS))).error(0)
    assert alike == pytest.approx(mixed * 2**0.5, rel=0.05)
    assert against < mixed / 2


def test_two_blocks_that_agree_are_no_certainty() -> None:
    assert fit(2, pairs((2, WIN, WIN))).error(0) > 150


@pytest.mark.parametrize("kind", KINDS)
def test_intervals_cover_the_truth(kind: str) -> None:
    """A little of `python -m tests.experiments.leagues`, where they do in 95 % ± 1 of 5,000
    leagues."""
    rng = random.Random(7)
    ratings, differences = coverage(league(rng, 6, 12, kind) for _ in range(60))
    assert 0.92 < ratings < 0.98
    assert 0.92 < differences < 0.98


def test_intervals_cover_the_truth_with_four_seats() -> None:
    rng = random.Random(5)
    ratings, differences = coverage(crowd(rng, 9, 4, 8) for _ in range(25))
    assert 0.91 < ratings < 0.985
    assert 0.91 < differences < 0.985


def test_true_ranks_are_among_those_that_a_bot_may_have() -> None:
    """They are in more than 95 %: rivals whose ratings are far apart take nothing of the rest."""
    rng = random.Random(5)
    assert ranks_covered(league(rng, 6, 12, "independent") for _ in range(60)) >= 0.95
