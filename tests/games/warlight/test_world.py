"""State: what follows from the owners, chance, and copies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from arena.core.game import Setup
from arena.core.rng import Stream
from arena.games.warlight.world import NAMES, NEUTRAL, Placed, WarlightWorld, new_world
from tests.games.warlight.helpers import fresh, settings, standing, world


def test_all_regions_start_neutral() -> None:
    made = fresh(wastelands=0)
    assert set(standing(made).values()) == {(NEUTRAL, 2)}
    assert made.round == 0


def test_wastelands_start_with_more() -> None:
    made = fresh()
    (wasteland,) = made.opening.wastelands
    assert made.armies[wasteland] == 6
    assert sum(made.armies) == 7 * 2 + 6


def test_the_armies_at_the_start_are_settings() -> None:
    made = fresh(neutral_armies=3, wasteland_armies=10, wastelands=2)
    assert sorted(made.armies[1:]) == [3] * 6 + [10] * 2


def test_owners_have_names() -> None:
    assert [NAMES[owner] for owner in (0, 1, NEUTRAL)] == ["player1", "player2", "neutral"]


def test_income_is_the_base_and_whole_super_regions() -> None:
    made = world({1: 0, 2: 0, 4: 1})
    assert made.income == [5, 5]
    made.hand_over(3, 0)
    assert made.income == [8, 5]
    made.hand_over(5, 1)
    assert made.income == [8, 7]
    made.hand_over(5, 0)
    assert made.income == [8, 5]
    made.hand_over(4, 0)
    assert made.income == [10, 5]
    made.hand_over(2, NEUTRAL)
    assert made.income == [7, 5]


def test_the_base_of_the_income_is_a_setting() -> None:
    assert world({1: 0, 2: 0, 3: 0, 8: 1}, starting_armies=9).income == [12, 9]


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(-1, 1)), max_size=40))
@options(derandomize=True, deadline=None)
def test_what_follows_from_the_owners_is_kept_up(changes: list[tuple[int, int]]) -> None:
    made = fresh()
    for region, owner in changes:
        made.hand_over(region, owner)
    again = WarlightWorld(
        made.settings,
        made.board,
        made.opening,
        made.max_rounds,
        made.owner[:],
        made.armies[:],
        made.chance,
    )
    assert (made.regions, made.income, made.held) == (again.regions, again.income, again.held)
    for mine, other in zip(made.sight, again.sight, strict=True):
        assert mine.count == other.count
        assert mine.view() == other.view()


@pytest.mark.dear
@given(st.lists(st.tuples(st.integers(1, 8), st.integers(-1, 1)), max_size=40))
@options(derandomize=True, deadline=None)
def test_the_income_is_what_a_count_from_nothing_gives(changes: list[tuple[int, int]]) -> None:
    made = fresh()
    for region, owner in changes:
        made.hand_over(region, owner)
    for seat in (0, 1):
        whole = [
            z
            for z in made.board.supers
            if all(made.owner[r] == seat for r in made.board.members[z])
        ]
        assert made.income[seat] == 5 + sum(made.board.bonus[zone] for zone in whole)
        assert made.regions[seat] == made.owner.count(seat)


def test_a_stream_goes_on_where_it_was() -> None:
    made, plain = fresh("s"), Stream("s", "order")
    assert [made.chance["order"].below(9) for _ in range(5)] == [plain.below(9) for _ in range(5)]


def test_streams_of_different_names_are_independent() -> None:
    made = fresh("s")
    made.chance["combat"].hits(50, 600)
    assert made.chance["order"].below(1000) == Stream("s", "order").below(1000)


def change_all(made: WarlightWorld) -> None:
    """Change everything that can change."""
    made.hand_over(1, 1)
    made.armies[1] += 7
    made.acts.append(Placed(1, 1, 7))
    made.witnessed[0].append(Placed(1, 1, 7))
    made.timeouts[1] += 1
    made.round += 1
    made.chance["order"].below(2)


def picture(made: WarlightWorld) -> object:
    """Everything that can change, and what comes next in the streams."""
    twin = made.copy()
    return (
        made.owner[:],
        made.armies[:],
        made.acts[:],
        made.witnessed[0][:],
        made.witnessed[1][:],
        made.timeouts[:],
        made.round,
        made.regions[:],
        made.income[:],
        [held[:] for held in made.held],
        [(sight.count[:], sight.view()[:]) for sight in made.sight],
        [twin.chance[label].below(10**6) for label in ("order", "combat", "pick")],
    )


def test_a_copy_is_the_same_and_independent() -> None:
    made = world({2: 0, 5: 1})
    made.chance["order"].below(2)
    twin = made.copy()
    before = picture(made)
    assert picture(twin) == before
    change_all(twin)
    assert picture(made) == before
    assert picture(twin) != before


def test_the_original_is_as_independent_of_its_copy() -> None:
    made = world({2: 0, 5: 1})
    made.chance["order"].below(2)
    twin = made.copy()
    before = picture(twin)
    change_all(made)
    assert picture(twin) == before


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=30))
@options(derandomize=True, deadline=None, max_examples=50)
def test_families_of_copies_draw_independently(events: list[tuple[int, bool]]) -> None:
    """Draws and copies in any order: every world goes on as if it had the stream alone."""
    family = [(fresh("s"), 0)]
    reference = Stream("s", "order")
    expected = [reference.below(10**6) for _ in range(40)]
    for index, copied in events:
        made, drawn = family[index % len(family)]
        if copied:
            family.append((made.copy(), drawn))
        else:
            assert made.chance["order"].below(10**6) == expected[drawn]
            family[index % len(family)] = made, drawn + 1
    for made, drawn in family:
        assert made.chance["order"].below(10**6) == expected[drawn]


def test_one_seed_one_world() -> None:
    one, other = (new_world(Setup("7", 2, settings())) for _ in range(2))
    assert (one.board, one.opening, one.armies) == (other.board, other.opening, other.armies)
    assert new_world(Setup("8", 2, settings())).board != one.board


def test_matches_with_one_seed_share_the_map_and_nothing_else() -> None:
    setup = Setup("147", 2, settings())
    one, other = new_world(setup), new_world(setup)
    assert one.board is other.board
    assert one.armies is not other.armies
    assert new_world(Setup("148", 2, settings())).board != one.board
    assert new_world(setup).board == one.board
