"""What is said of rounds: a seat is told what its own frames say, and shares the rest."""

from __future__ import annotations

from typing import Any

import pytest

from arena.core.registry import GAMES, find_game
from arena.core.view import Event, find_view
from arena.record.reader import Match
from arena.view.story import RoundAccount, SeatRoundAccount, account, in_common, tell_story, worlds
from tests.view.records import record
from tests.view.test_patch import patched


def known(public: RoundAccount, told: SeatRoundAccount) -> RoundAccount:
    """What the page makes of it."""
    return RoundAccount(
        [public.orders[one] if isinstance(one, int) else one for one in told.orders],
        [public.events[one] if isinstance(one, int) else one for one in told.events],
        patched(public.standing, told.standing),
    )


def test_what_a_seat_shares_with_spectators_is_a_number() -> None:
    one, other, own = (Event("battle", text) for text in ("a", "b", "what was seen of b"))
    public = RoundAccount(["x", "y"], [one, other], [1, 2])
    mine = RoundAccount(["y", "z"], [own, one], [1, None])
    told = in_common(public, mine)
    assert told == SeatRoundAccount([1, "z"], [own, 0], {"1": [None]})
    assert known(public, told) == mine
    assert in_common(public, public).standing == {}


@pytest.mark.parametrize("game", GAMES)
def test_what_a_seat_knows_follows_from_what_it_saw(game: str) -> None:
    match, view = (
        Match.parse(record(game, 3 if game == "toroid" else 2)),
        find_view(find_game(game)),
    )
    assert view
    story, differs, first, before = tell_story(match, ""), 0, list[Any](), list[Any]()
    for index, (world, frame) in enumerate(worlds(find_game(game), match)):
        assert view.seen
        seen = [view.seen(world, seat, frame) for seat in range(len(match.players))]
        public = RoundAccount(story.orders[index], story.events[index], story.standing[index])
        for seat, told in enumerate(row[index] for row in story.told):
            own = account(view, (first or seen)[seat], (before or [None] * 3)[seat], seen[seat])
            assert known(public, told) == own
            differs += own != public
        first, before = first or seen, seen
    assert differs or game not in ("toroid", "warlight")  # others hide little
