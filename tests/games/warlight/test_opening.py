"""Wastelands, regions to pick from, number of picks."""

from __future__ import annotations

from collections import Counter

import pytest

from arena.core.rng import Stream
from arena.errors import MapError, SettingError
from arena.games.warlight.board import Board, load_board, make_board
from arena.games.warlight.generator import Opening, draw_opening
from tests.conftest import DEEP
from tests.games.warlight.helpers import ORIGINAL_MAP, SMALL_MAP, Said, settings
from tests.support.tools import every

SMALL = load_board(SMALL_MAP)
ORIGINAL = load_board(ORIGINAL_MAP)
SEEDS = [str(seed) for seed in range(200 * DEEP)]


def opened(seed: str, board: Board = ORIGINAL, **values: object) -> Opening:
    return draw_opening(board, settings(**values), Stream(seed, "setup"))


def chain(*sizes: int) -> Board:
    """Super regions of these sizes in a row."""
    supers = [zone for zone, size in enumerate(sizes, start=1) for _ in range(size)]
    return make_board(supers, [0] * len(sizes), [(r, r + 1) for r in range(1, len(supers))])


def normal(board: Board, opening: Opening, zone: int) -> set[int]:
    return set(board.members[zone]) - set(opening.wastelands)


@every("seed", SEEDS[: 8 * DEEP])
def test_half_of_the_super_regions_in_wastelands_and_one_region_of_each_to_pick(seed: str) -> None:
    opening = opened(seed)
    assert len(set(opening.wastelands)) == 13 // 2
    assert list(opening.wastelands) == sorted(opening.wastelands)
    assert [ORIGINAL.super_of[region] for region in opening.pickable] == list(ORIGINAL.supers)
    for zone, region in zip(ORIGINAL.supers, opening.pickable, strict=True):
        assert region in normal(ORIGINAL, opening, zone)


def test_strict_wastelands_by_hand() -> None:
    # Candidates 1–8, take the third: 3. Then 1 2 4 5 6 7 8, the fourth: 5; now 4 must stay.
    # Then 1 2 6 7 8, the second: 2; now 1 must stay. Then 6 7 8.
    draws = Said([2, 3, 1, 0, 0, 0, 0])
    opening = draw_opening(SMALL, settings(wastelands=4), draws)
    assert opening.wastelands == (2, 3, 5, 6)
    assert opening.pickable == (1, 4, 7)
    assert opening.picks == 2
    assert draws.left == []


def test_every_super_region_keeps_an_ordinary_region() -> None:
    for seed in SEEDS:
        opening = opened(seed, SMALL, wastelands=5)
        assert all(len(normal(SMALL, opening, zone)) == 1 for zone in SMALL.supers)


def test_too_many_wastelands_are_refused() -> None:
    with pytest.raises(SettingError) as error:
        opened("1", SMALL, wastelands=6)
    assert str(error.value) == (
        "wastelands=6 is not allowed on this map: give at most 5, so that every super region "
        "keeps an ordinary region"
    )


def test_derived_wastelands_stop_where_there_is_no_room() -> None:
    assert opened("1", chain(1, 1, 1, 1)).wastelands == ()
    assert len(opened("1", chain(2, 1, 1, 1, 1, 1)).wastelands) == 1


def test_no_wastelands_draw_nothing() -> None:
    draws = Said([0, 1, 2])
    assert draw_opening(SMALL, settings(wastelands=0), draws).pickable == (1, 5, 8)
    assert draws.left == []


def test_source_wastelands_by_hand() -> None:
    # 4 becomes one, so super region 2 has one ordinary region: drawing 4 again draws anew,
    # 6 becomes one, drawing 6 again counts since 7 and 8 are ordinary: three of four.
    draws = Said([3, 3, 5, 5, 0, 0, 0, 0])
    opening = draw_opening(SMALL, settings(wastelands=4, wasteland_rule="source"), draws)
    assert opening.wastelands == (1, 4, 6)
    assert draws.left == []


def test_source_wastelands_may_fill_a_super_region() -> None:
    draws = Said([3, 4, 2, 0])
    opening = draw_opening(SMALL, settings(wastelands=2, wasteland_rule="source"), draws)
    assert opening.wastelands == (4, 5)
    assert [SMALL.super_of[region] for region in opening.pickable] == [1, 3]


def test_source_wastelands_are_fewer_now_and_then() -> None:
    counts = Counter(len(opened(seed, wasteland_rule="source").wastelands) for seed in SEEDS)
    assert max(counts) == 6
    assert 0.08 < sum(counts[n] for n in counts if n < 6) / len(SEEDS) < 0.35


def test_a_board_of_nothing_but_wastelands_ends_the_drawing_and_is_refused() -> None:
    with pytest.raises(MapError, match="the wastelands leave fewer than two regions to pick from"):
        opened("1", SMALL, wastelands=1000, wasteland_rule="source")


@pytest.mark.parametrize(
    ("pickable", "draws", "picks"),
    [
        (2, [], 2),
        (3, [], 2),
        (6, [], 6),
        (7, [], 6),
        (8, [1], 6),
        (8, [0], 8),
        (13, [0, 0, 0], 12),
        (13, [0, 1, 0], 10),
        (13, [1, 1, 1], 6),
        (14, [1, 0, 0, 1], 10),
    ],
)
def test_the_number_of_picks(pickable: int, draws: list[int], picks: int) -> None:
    class Coins(Said):
        """Says the chances in thousandths."""

        def permille(self, p: int) -> bool:
            assert p == 250
            return bool(self.left.pop(0))

    chance = Coins([0] * pickable + draws)
    opening = draw_opening(chain(*[1] * pickable), settings(), chance)
    assert opening.picks == picks
    assert chance.left == []


def test_the_chance_of_the_picks_is_a_setting() -> None:
    board = chain(*[1] * 20)
    assert opened("1", board, pick_drop=0).picks == 20
    assert opened("1", board, pick_drop=1000).picks == 6
    assert opened("1", board, pick_drop=1000, min_picks=2).picks == 2
    assert opened("1", board, pick_drop=1000, min_picks=100).picks == 20


def test_a_quarter_of_the_pairs_is_dropped() -> None:
    board = chain(*[1] * 26)
    dropped = [(26 - opened(seed, board).picks) // 2 for seed in SEEDS]
    assert 2.2 < sum(dropped) / len(dropped) < 2.8  # ten pairs, each with 25 %
