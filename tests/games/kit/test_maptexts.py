"""Texts that are kept, compared with texts that are written anew."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from arena.games.kit import MapTexts

NAMES = ("player1", "player2", "neutral")
PLACES = 6
EDITS = st.lists(
    st.tuples(st.integers(0, PLACES - 1), st.integers(-1, 1), st.integers(0, 3), st.booleans()),
    max_size=30,
)


def test_places_are_told_in_the_order_in_which_they_are_given() -> None:
    texts = MapTexts(NAMES, [0, -1, 1], [5, 2, 12])
    assert texts.line() == "update_map 0 player1 5 1 neutral 2 2 player2 12"
    assert texts.line([2, 0]) == "update_map 2 player2 12 0 player1 5"
    assert texts.line([]) == "update_map"


@given(EDITS)
@options(derandomize=True, deadline=None, max_examples=100)
def test_kept_texts_are_those_written_anew(edits: list[tuple[int, int, int, bool]]) -> None:
    owner, counts = [-1] * PLACES, [2] * PLACES
    kept = MapTexts(NAMES, owner, counts)
    for place, seat, count, renewed in edits:
        owner[place], counts[place] = seat, count
        if renewed:
            kept.renew(owner, counts)
            assert kept.line() == MapTexts(NAMES, owner, counts).line()


def test_texts_do_not_change_before_they_are_renewed() -> None:
    owner, counts = [0, 1], [3, 4]
    kept = MapTexts(NAMES, owner, counts)
    owner[0], counts[1] = 1, 9
    assert kept.line() == "update_map 0 player1 3 1 player2 4"
