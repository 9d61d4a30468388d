"""What is hidden from a seat, drawn anew."""

from __future__ import annotations

import pytest

from arena.core import Stream
from arena.testing import at_random, play
from tests.games.openspiel.tables import table_of
from tests.support.tools import needs_open_spiel

needs_open_spiel()

from arena.games.openspiel.probes import RESAMPLED, perturb_hidden  # noqa: E402

SEATS = {"euchre": 4, "hearts": 4, "oh_hell": 3}


@pytest.mark.parametrize("name", sorted(RESAMPLED))
def test_a_search_does_not_see_what_is_hidden(name: str) -> None:
    """It gets a match with the same lines, in which others hold other cards."""
    others = 0
    for seed in ("1", "2", "3"):
        table = table_of(name, seed, SEATS.get(name, 2))
        play(table, at_random(seed), 1)
        seat = table.asked[0].seat
        for draw in range(4):
            guess = table.determinize(seat, Stream(f"{draw}", "search"))
            assert guess.lines(seat) == table.lines(seat)
            assert guess.asked == table.asked
            others += str(guess.world.state) != str(table.world.state)
            play(guess, at_random("on"), 2000)
            assert guess.outcome
    assert others > 2


@pytest.mark.parametrize("name", ["crazy_eights", "gin_rummy", "hanabi", "tiny_bridge_2p"])
def test_where_the_library_cannot_a_search_is_refused(name: str) -> None:
    table = table_of(name)
    with pytest.raises(ValueError, match="OpenSpiel does not redraw what is hidden"):
        table.determinize(table.asked[0].seat, Stream("1", "search"))
    assert not perturb_hidden(table.world, 0, Stream("1", "probe"))
    assert table.copy().asked == table.asked


def test_where_chance_hides_nothing_others_answers_are_drawn_anew() -> None:
    for name in ("phantom_ttt", "backgammon"):
        table = table_of(name)
        play(table, at_random("1"), 4)
        seat = table.asked[0].seat
        assert table.determinize(seat, Stream("1", "search")).lines(seat) == table.lines(seat)
