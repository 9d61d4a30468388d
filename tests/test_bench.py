"""The computation of rates from the end times of matches. (tests/cli/test_bench plays matches.)"""

from __future__ import annotations

import pytest

from arena.bench import Forecast, forecast, slice_rates


def test_each_slice_has_its_own_rate() -> None:
    """Ten matches, the last five of which took twice as long."""
    ends = [0.0, 1, 2, 3, 4, 5, 7, 9, 11, 13, 15]
    assert slice_rates(ends, jobs=1) == [1, 1, 2 / 3, 0.5, 0.5]


def test_no_more_slices_than_there_is_time_for() -> None:
    assert len(slice_rates([float(end) for end in range(1000)], jobs=2)) == 5


@pytest.mark.parametrize(
    ("matches", "jobs", "slices"), [(1, 1, 1), (7, 2, 1), (8, 2, 2), (9, 1, 4)]
)
def test_a_slice_has_two_matches_of_each_job(matches: int, jobs: int, slices: int) -> None:
    """Two that were played side by side may end in one moment."""
    assert slice_rates([float(end) for end in range(matches + 1)], jobs) == [1.0] * slices


@pytest.mark.parametrize(("seats", "matches"), [(2, 60 * 59), (4, 360 * 4)])
def test_a_league_of_sixty_bots(seats: int, matches: int) -> None:
    """Each pair from both sides; in a game for four 360 groups, each from every seat."""
    assert forecast(seats, matches_per_hour=1800.0) == Forecast(60, matches, matches * 2.0)
