"""What a seat sees."""

from __future__ import annotations

from arena.games.warlight.board import load_board
from arena.games.warlight.fog import Sight
from tests.games.warlight.helpers import SMALL_MAP, world

BOARD = load_board(SMALL_MAP)


def sight_of(*own: int) -> Sight:
    sight = Sight(BOARD)
    for region in own:
        sight.change(region, 1)
    return sight


def seen(sight: Sight) -> list[int]:
    return [region for region in BOARD.regions if sight.count[region]]


def test_nothing_is_seen_without_regions() -> None:
    assert seen(sight_of()) == []
    assert sight_of().view() == []


def test_own_regions_and_their_neighbours_are_seen() -> None:
    assert seen(sight_of(1)) == [1, 2]
    assert seen(sight_of(2)) == [1, 2, 3, 5]
    assert seen(sight_of(1, 7)) == [1, 2, 6, 7, 8]


def test_own_regions_come_first_then_neighbours_by_own_region() -> None:
    assert sight_of(7, 2).view() == [2, 7, 1, 3, 5, 6, 8]
    assert sight_of(4, 6).view() == [4, 6, 3, 5, 7]
    assert sight_of(5, 8).view() == [5, 8, 2, 4, 6, 7]


def test_the_view_follows_wins_and_losses() -> None:
    sight = sight_of(2)
    assert sight.view() == [2, 1, 3, 5]
    sight.change(5, 1)
    assert sight.view() == [2, 5, 1, 3, 4, 6]
    sight.change(2, -1)
    assert sight.view() == [5, 2, 4, 6]
    assert seen(sight) == [2, 4, 5, 6]


def test_a_copy_goes_its_own_way() -> None:
    sight = sight_of(2)
    sight.view()
    twin = sight.copy()
    twin.change(5, 1)
    assert sight.view() == [2, 1, 3, 5]
    assert twin.view() == [2, 5, 1, 3, 4, 6]
    assert seen(sight) == [1, 2, 3, 5]


def test_a_region_seen_from_two_sides_stays_seen_until_both_are_lost() -> None:
    made = world({2: 0, 4: 0, 8: 1})
    assert made.sight[0].count[3] == 2
    made.hand_over(2, 1)
    assert made.sight[0].count[3] == 1
    made.hand_over(4, 1)
    assert made.sight[0].count[3] == 0
