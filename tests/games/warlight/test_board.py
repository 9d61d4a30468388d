"""The map file: what is read, what is refused, and in which words."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from arena.errors import MapError
from arena.games.warlight import board
from arena.games.warlight.board import load_board
from tests.games.warlight.helpers import ORIGINAL_MAP, SMALL_MAP


def small(**parts: Any) -> Any:
    """A copy of the small map, with changes to regions given as ``r4=...``."""
    data = copy.deepcopy(SMALL_MAP)
    for name, part in parts.items():
        data["Regions"][int(name[1:]) - 1].update(part)
    return data


def refusal(data: Any) -> str:
    with pytest.raises(MapError) as error:
        load_board(data)
    return str(error.value)


def test_the_small_map() -> None:
    board = load_board(SMALL_MAP)
    assert list(board.regions) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert list(board.supers) == [1, 2, 3]
    assert board.super_of == (0, 1, 1, 1, 2, 2, 3, 3, 3)
    assert board.bonus == (0, 3, 2, 0)
    assert board.members == ((), (1, 2, 3), (4, 5), (6, 7, 8))
    assert board.neighbors == ((), (2,), (1, 3, 5), (2, 4), (3, 5), (2, 4, 6), (5, 7), (6, 8), (7,))
    assert board.xy is None


def test_the_original_map_loads() -> None:
    board = load_board(ORIGINAL_MAP)
    assert (len(board.regions), len(board.supers)) == (64, 13)
    assert board.bonus[1:] == (5, 4, 1, 3, 4, 3, 3, 2, 3, 3, 6, 5, 4)
    assert board.neighbors[1] == (2, 3, 6)
    assert board.neighbors[64] == (59, 61, 62, 63)
    assert board.members[13] == (59, 60, 61, 62, 63, 64)


def test_links_are_made_both_ways() -> None:
    board = load_board(ORIGINAL_MAP)
    for region in board.regions:
        assert all(region in board.neighbors[other] for other in board.neighbors[region])
        assert list(board.neighbors[region]) == sorted(set(board.neighbors[region]))


def test_a_file_with_every_link_on_both_sides_is_as_good() -> None:
    board = load_board(SMALL_MAP)
    both = {f"r{r}": {"neighbors": list(board.neighbors[r])} for r in board.regions}
    assert load_board(small(**both)) == board


def test_the_order_and_the_side_of_a_link_do_not_matter() -> None:
    data = small(r1={"neighbors": []}, r2={"neighbors": [5, 1, 3]})
    data["Regions"].reverse()
    data["SuperRegions"].reverse()
    assert load_board(data) == load_board(SMALL_MAP)


def test_unknown_keys_are_ignored() -> None:
    data = small(r1={"name": "Iceland", "x": 3.5})
    data["Version"] = "1.2"
    assert load_board(data) == load_board(SMALL_MAP)


def test_a_one_way_link_is_refused() -> None:
    board = load_board(SMALL_MAP)
    both = {f"r{r}": {"neighbors": list(board.neighbors[r])} for r in board.regions}
    both["r5"] = {"neighbors": [2, 4]}
    assert refusal(small(**both)) == (
        "region 6 lists 5 as a neighbour but 5 does not list 6 (this file lists other links, such "
        "as 1-2, on both sides): add 6 to the neighbors of 5, or list every link once"
    )


def test_one_link_on_both_sides_among_single_ones_is_refused() -> None:
    assert "(this file lists other links, such as 3-4, on both sides)" in refusal(
        small(r4={"neighbors": [3, 5]})
    )


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            small(r4={"neighbors": [5, 9]}),
            "region 4 lists 9 as a neighbour, and there is no region 9: remove it, or add the "
            "region",
        ),
        (small(r4={"neighbors": [4]}), "region 4 lists itself as a neighbour: remove it"),
        (
            small(r4={"neighbors": [5, 5]}),
            "region 4 lists 5 twice as a neighbour: list it once",
        ),
        (
            small(r4={"id": 5}),
            "region 5 is there twice: give every region an id of its own",
        ),
        (
            small(r8={"id": 9}),
            "there is a region 9: number the 8 regions from 1 to 8, without a gap",
        ),
        (
            small(r1={"id": 0}),
            "there is a region 0: number the 8 regions from 1 to 8, without a gap",
        ),
        (
            small(r1={"id": -1}),
            "there is a region -1: number the 8 regions from 1 to 8, without a gap",
        ),
        (
            small(r1={"superRegion": 4}),
            "region 1 is in super region 4, which is not listed: add it to SuperRegions, or "
            "correct superRegion",
        ),
        (
            small(r4={"superRegion": 1}, r5={"superRegion": 1}),
            "super region 2 has no regions: remove it, or put a region into it",
        ),
        (
            small(r5={"neighbors": []}),
            "region 6 cannot be reached from region 1: link the parts of the map",
        ),
        (
            {"Regions": [], "SuperRegions": []},
            "the map has 0 regions: give at least 2 and at most 1000",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_named(data: Any, sentence: str) -> None:
    assert refusal(data) == sentence


@pytest.mark.parametrize(
    ("supers", "sentence"),
    [
        (
            [(1, 3), (2, -1), (3, 0)],
            "super region 2 has bonus -1: give a whole number from 0 to 1000",
        ),
        (
            [(1, 3), (2, 1001), (3, 0)],
            "super region 2 has bonus 1001: give a whole number from 0 to 1000",
        ),
        (
            [(1, 3), (1, 2), (3, 0)],
            "super region 1 is there twice: give every super region an id of its own",
        ),
        (
            [(1, 3), (2, 2), (4, 0)],
            "there is a super region 4: number the 3 super regions from 1 to 3, without a gap",
        ),
        ([(1, 3)], "the map has 1 super regions: give at least 2 and at most 1000"),
    ],
)
def test_wrong_super_regions_are_named(supers: list[tuple[int, int]], sentence: str) -> None:
    data = small()
    data["SuperRegions"] = [{"id": id_, "bonus": bonus} for id_, bonus in supers]
    assert refusal(data) == sentence


@pytest.mark.parametrize(
    ("data", "where"),
    [
        ([], "Expected `object`, got `array`"),
        (None, "Expected `object`, got `null`"),
        ({"Regions": []}, "missing required field `SuperRegions`"),
        (small(r3={"id": "3"}), "Expected `int`, got `str` - at `$.Regions[2].id`"),
        (small(r3={"superRegion": 1.0}), "got `float` - at `$.Regions[2].superRegion`"),
        (small(r3={"neighbors": "4"}), "Expected `array`, got `str` - at `$.Regions[2].neighbors`"),
        (small(r3={"neighbors": [None]}), "got `null` - at `$.Regions[2].neighbors[0]`"),
        (small(r3={"neighbors": [True]}), "got `bool` - at `$.Regions[2].neighbors[0]`"),
        ({"Regions": [{"id": 1, "superRegion": 1}], "SuperRegions": []}, "missing required field"),
    ],
    ids=str,
)
def test_wrong_types_are_located(data: Any, where: str) -> None:
    sentence = refusal(data)
    assert sentence.startswith("the map file has not the right form: ")
    assert where in sentence
    assert sentence.endswith(
        "Give an object with Regions (id, superRegion, neighbors) and SuperRegions (id, bonus), "
        "all whole numbers"
    )


class Counted(int):
    """A number that counts how often it is compared."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Counted.compared += 1
        return int(self) == other

    __hash__ = int.__hash__


@pytest.mark.parametrize("count", [100, 1000])
def test_the_check_of_a_map_compares_each_id_a_few_times(count: int) -> None:
    """It once looked for each id among all others: 25 ms for 1,000 regions."""
    Counted.compared = 0
    ids: list[int] = [Counted(id_) for id_ in range(1, count + 1)]
    board._check_ids("region", ids)
    hub = board._Region(1, 1, ids[1:])
    leaves = [board._Region(id_, 1, []) for id_ in range(2, count + 1)]
    assert len(board._read_links([hub, *leaves])) == count - 1
    assert Counted.compared < 10 * count
