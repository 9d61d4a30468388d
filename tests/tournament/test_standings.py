"""The table of a series and its intervals."""

from __future__ import annotations

import pytest

from arena.tournament.results import Result, ResultTally
from arena.tournament.standings import NOT_LINKED, make_table, wilson


def test_the_table_counts_by_bot_and_not_by_seat() -> None:
    results = [
        Result((0, 1), (1, 2), (1, 0), "b1"),
        Result((1, 0), (2, 1), (0, 1), "b1", stopped=("crashed", None)),
        Result((0, 1), (1, 1), (0.5, 0.5), "b2", faults=({}, {"syntax": 2})),
    ]
    table = make_table(["a", "b"], ResultTally(results))
    rows = table.standings
    assert [(r.name, r.rank, r.wins, r.draws, r.losses, r.points) for r in rows] == [
        ("a", 1, 2, 1, 0, 2.5),
        ("b", 2, 0, 1, 2, 0.5),
    ]
    assert rows[0].score == pytest.approx(2.5 / 3)
    assert rows[0].low < rows[0].score < rows[0].high
    assert rows[0].low == pytest.approx(1 - rows[1].high)
    assert rows[0].elo == pytest.approx(-rows[1].elo)
    assert [(row.faults, row.stopped) for row in rows] == [
        ({}, {}),
        ({"syntax": 2}, {"crashed": 1}),
    ]
    assert table.notes == [NOT_LINKED]
    assert make_table(["a", "b"], ResultTally(reversed(results))) == table


def test_with_three_bots_the_score_is_the_share_of_rivals_beaten() -> None:
    table = make_table(
        ["a", "b", "c"], ResultTally([Result((0, 1, 2), (2, 1, 2), (0, 1, 0), "b1")])
    )
    assert [row.score for row in table.standings] == [0.25, 1, 0.25]
    assert [(row.wins, row.losses) for row in table.standings] == [(0, 1), (1, 0), (0, 1)]
    assert [row.rank for row in table.standings] == [2, 1, 2]
    counts = {
        (cell.bot, cell.rival): (cell.ahead, cell.level, cell.behind) for cell in table.crosstable
    }
    assert counts[0, 1] == (0, 0, 1)
    assert counts[1, 2] == (1, 0, 0)
    assert counts[0, 2] == counts[2, 0] == (0, 1, 0)


def test_a_cell_says_by_how_much_one_is_better() -> None:
    results = [Result((0, 1), (1, 2) if n % 3 else (2, 1), (0, 0), f"b{n}") for n in range(30)]
    one, other = make_table(["a", "b"], ResultTally(results)).crosstable
    assert (one.bot, one.rival, one.ahead, one.level, one.behind) == (0, 1, 20, 0, 10)
    assert one.elo == pytest.approx(120.41, abs=3)  # the odds are 2; the prior shrinks them
    assert other.elo == pytest.approx(-one.elo)
    assert other.error == pytest.approx(one.error)
    assert other.superiority == pytest.approx(1 - one.superiority)
    assert 0.9 < one.superiority < 1


def test_before_the_first_match_all_are_equal() -> None:
    table = make_table(["a", "b"], ResultTally())
    assert [(row.games, row.rank, row.elo) for row in table.standings] == [(0, 1, 0), (0, 1, 0)]
    assert table.notes == []


def test_wilson_against_published_values() -> None:
    """Newcombe (1998), table I: 81 of 263, and 0 of 20."""
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=1e-4)
    assert wilson(0, 20) == pytest.approx((0, 0.1611), abs=1e-4)
    assert wilson(0, 0) == (0, 1)
