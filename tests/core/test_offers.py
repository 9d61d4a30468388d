from __future__ import annotations

import pytest

from arena.core.offers import Number, Offer, Picks, Word, follow


def offer(picks: Picks) -> Offer:
    """A place or a word, then a number."""
    match picks:
        case [place, number]:
            return Offer("", order=f"go {place} {number}")
        case ["rest"]:
            return Offer("", order="rest", alone=True)
        case [_]:
            return Offer("How many?", number=Number(1, 5, 5))
    return Offer("Where?", ("7", "8"), (Word("rest", "Rest"),))


@pytest.mark.parametrize(
    ("picks", "taken", "order"),
    [
        ([], [], ""),
        (["7"], ["7"], ""),
        (["7", "5"], ["7", "5"], "go 7 5"),
        (["rest"], ["rest"], "rest"),
        (["rest", "7"], ["rest"], "rest"),  # nothing follows a whole order
        (["9", "5"], [], ""),
        (["7", "6"], ["7"], ""),
        (["7", "0"], ["7"], ""),
        (["7", "-1"], ["7"], ""),
        (["7", "1" * 5000], ["7"], ""),  # longer than Python would read
        (["7", "٣"], ["7"], ""),  # a digit, and no ASCII
        (["7", ""], ["7"], ""),
    ],
)
def test_picks_are_taken_as_far_as_they_are_offered(
    picks: list[str], taken: list[str], order: str
) -> None:
    now, found = follow(offer, picks)
    assert (found, now.order) == (taken, order)
