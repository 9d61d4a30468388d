"""The table of a series and its intervals."""

from __future__ import annotations

import pytest

from arena.tournament.schedule import pairing
from arena.tournament.standings import distinct, standings, wilson


def test_the_table_counts_by_bot_and_not_by_seat() -> None:
    first, swapped = pairing("7", 2, 0), pairing("7", 2, 1)
    rows = standings(
        ["a", "b"],
        [(first, [1, 2], [1, 0]), (swapped, [2, 1], [0, 1]), (first, [1, 1], [0.5, 0.5])],
    )
    assert [(r.name, r.wins, r.draws, r.losses, r.points) for r in rows] == [
        ("a", 2, 1, 0, 2.5),
        ("b", 0, 1, 2, 0.5),
    ]
    assert rows[0].score == pytest.approx(2.5 / 3)
    assert rows[0].low < rows[0].score < rows[0].high
    assert rows[0].low == pytest.approx(1 - rows[1].high)


def test_with_three_bots_the_score_is_the_share_of_rivals_beaten() -> None:
    rows = standings(["a", "b", "c"], [(pairing("7", 3, 0), [2, 1, 2], [0, 1, 0])])
    assert [row.score for row in rows] == [0.25, 1, 0.25]
    assert [(row.wins, row.losses) for row in rows] == [(0, 1), (1, 0), (0, 1)]


def test_wilson_against_published_values() -> None:
    """Newcombe (1998), table I: 81 of 263, and 0 of 20."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=1e-4)
    assert wilson(0, 0) == (0, 1)


def test_names_are_told_apart() -> None:
    assert distinct(["a", "b", "a"]) == ["a #1", "b", "a #2"]
