"""Ranks from standings, and the shares that they are worth."""

from __future__ import annotations

from arena.core.ranking import ranks, shares


def test_ranks_share_the_better_one() -> None:
    assert ranks([7, 7, 3]) == (1, 1, 3)
    assert ranks([(1, 2), (1, 3)]) == (2, 1)


def test_shares_of_the_opponents() -> None:
    assert shares((1, 2)) == (1.0, 0.0)
    assert shares((1, 1)) == (0.5, 0.5)
    assert shares((1, 1, 3)) == (0.75, 0.75, 0.0)
