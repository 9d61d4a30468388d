"""Schedules: blocks, seats and seeds."""

from __future__ import annotations

from collections import Counter
from itertools import islice, pairwise

import pytest

from arena.tournament.pairings import round_robin
from arena.tournament.schedule import Fixture, Schedule, fixture, seatings


def test_a_group_alone_rotates_on_one_seed() -> None:
    games = Schedule("7", ((0, 1),), 5, alone=True)
    assert [(game.seed, game.order) for game in games] == [
        ("7", (0, 1)),
        ("7", (1, 0)),
        ("7.1", (0, 1)),
        ("7.1", (1, 0)),
        ("7.2", (0, 1)),
    ]
    three = Schedule("7", ((0, 1, 2),), 3, alone=True)
    assert [game.order for game in three] == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]


def test_a_fixture_follows_from_seed_group_and_game() -> None:
    assert fixture("7", (0, 2), 5) == Fixture(
        key="1-3.3b", group=(0, 2), game=5, block="1-3.3", seed="7.1-3.3", order=(2, 0)
    )


@pytest.mark.parametrize("games", [1, 4, 5])
def test_a_schedule_plays_block_by_block(games: int) -> None:
    schedule = Schedule("7", round_robin(3), games)
    fixtures = list(schedule)
    assert len(fixtures) == len(schedule) == 3 * games
    assert len({one.key for one in fixtures}) == 3 * games
    assert Counter(one.group for one in fixtures) == dict.fromkeys(round_robin(3), games)
    blocks = [one.game // 2 for one in fixtures]
    assert blocks == sorted(blocks)
    with pytest.raises(IndexError):
        schedule[3 * games]


def test_O18_twenty_million_matches_take_no_memory() -> None:
    schedule = Schedule("7", round_robin(200), 1006)
    assert len(schedule) == 20_019_400
    assert schedule[20_019_399].seed == f"7.{schedule[20_019_399].block}"
    assert [one.game for one in islice(schedule, 2)] == [0, 1]


@pytest.mark.parametrize("seats", range(2, 9))
def test_seats_and_neighbours_are_balanced(seats: int) -> None:
    """In each block each bot takes each seat once; in two of them (in one, with an even number of
    seats) each follows each other equally often."""
    for odd in (False, True):
        for column in zip(*seatings(seats, odd), strict=True):
            assert sorted(column) == list(range(seats))
    rows = seatings(seats) + (seatings(seats, True) if seats % 2 else ())
    follows = Counter(pair for row in rows for pair in pairwise(row))
    assert len(follows) == seats * (seats - 1)
    assert set(follows.values()) == {1 + seats % 2}
