"""Who meets whom."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from arena.errors import UsageError
from arena.tournament.pairings import DIFFERENCE_SETS, balanced_groups, gauntlet, round_robin
from arena.tournament.schedule import Group


def meetings(groups: tuple[Group, ...]) -> Counter[Group]:
    return Counter(pair for group in groups for pair in combinations(sorted(group), 2))


@pytest.mark.parametrize("bots", [2, 3, 6, 7])
def test_a_round_robin_is_all_pairs_in_rounds(bots: int) -> None:
    pairs = round_robin(bots)
    assert meetings(pairs) == dict.fromkeys(combinations(range(bots), 2), 1)
    size = bots // 2
    for at in range(0, len(pairs), size):
        assert len({bot for pair in pairs[at : at + size] for bot in pair}) == 2 * size


def test_a_gauntlet_is_one_against_each() -> None:
    assert gauntlet(4) == ((0, 1), (0, 2), (0, 3))
    assert set(gauntlet(4, 2)) == {(0, 2), (1, 2), (0, 3), (1, 3)}


@pytest.mark.parametrize(("bots", "seats"), DIFFERENCE_SETS)
def test_difference_sets_balance_pairs_and_seats(bots: int, seats: int) -> None:
    groups = balanced_groups(bots, seats)
    assert len(groups) == bots
    counts = meetings(groups)
    assert set(counts.values()) == {3 if seats == 7 else 1}
    assert len(counts) == bots * (bots - 1) // 2
    for seat in zip(*groups, strict=True):
        assert sorted(seat) == list(range(bots))


@pytest.mark.parametrize(
    ("bots", "seats", "most"), [(4, 3, 2), (8, 3, 2), (9, 4, 2), (12, 8, 6), (50, 8, 4)]
)
def test_other_numbers_come_close(bots: int, seats: int, most: int) -> None:
    groups = balanced_groups(bots, seats)
    counts = meetings(groups)
    assert len(counts) == bots * (bots - 1) // 2
    assert max(counts.values()) <= most
    assert len(set(Counter(bot for group in groups for bot in group).values())) == 1
    assert all(len(set(group)) == seats for group in groups)


def test_as_many_bots_as_seats_are_one_group() -> None:
    assert round_robin(4, 4) == ((0, 1, 2, 3),)
    with pytest.raises(UsageError, match="3 bots cannot take 4 seats"):
        round_robin(3, 4)
