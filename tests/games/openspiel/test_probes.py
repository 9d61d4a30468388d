"""What is hidden from a seat, drawn anew."""

from __future__ import annotations

import pytest

from arena.core import Stream, find_game
from arena.testing import at_random, play
from tests.games.openspiel.tables import table_of
from tests.support.tools import needs_open_spiel

pytestmark = pytest.mark.dear
needs_open_spiel()

from arena.games.openspiel import library  # noqa: E402
from arena.games.openspiel.probes import (  # noqa: E402
    SAMPLED,
    can_redraw,
    perturb_hidden,
    redeals,
)
from arena.games.openspiel.world import observation  # noqa: E402

REDEALT = {name for name, kind in library.games().items() if redeals(kind) and can_redraw(kind)}
"""The games in which chance hides something that can be drawn anew."""
HIDE_LITTLE = {"coin_game", "repeated_leduc_poker", "social_deduction"}
"""Games of which most positions have no other one with the same lines."""
LONG_REPLAYS = {"colored_trails", "gin_rummy", "python_liars_poker"}
"""Games of which a match takes two seconds: one is enough."""


@pytest.mark.parametrize("name", sorted(REDEALT - {"bridge"}))
def test_a_search_does_not_see_what_is_hidden(name: str) -> None:
    """It gets a match with the same lines, in which others hold other cards."""
    others, seats = 0, find_game(f"openspiel:{name}").seats[0]
    for seed in ("1",) if name in LONG_REPLAYS else ("1", "2", "3"):
        table = table_of(name, seed, seats)
        play(table, at_random(seed), 1)
        seat = table.asked[0].seat
        for draw in range(4):
            guess = table.determinize(seat, Stream(f"{draw}", "search"))
            assert guess.lines(seat) == table.lines(seat)
            assert guess.asked == table.asked
            others += str(guess.world.state) != str(table.world.state)
            play(guess, at_random("on"), 20)
    assert others > 1 or name in HIDE_LITTLE


def test_bridge_is_redrawn_too() -> None:
    """A second for each deal: the library finds the best play of all cards."""
    table = table_of("bridge", seats=4)
    guess = table.determinize(0, Stream("1", "search"))
    assert guess.lines(0) == table.lines(0)
    assert str(guess.world.state) != str(table.world.state)


@pytest.mark.parametrize("name", ["negotiation", "tarok"])
def test_where_the_library_hides_its_chance_a_search_is_refused(name: str) -> None:
    assert library.games()[name].chance_mode == SAMPLED
    table = table_of(name, seats=find_game(f"openspiel:{name}").seats[0])
    with pytest.raises(ValueError, match="OpenSpiel draws its chance itself and does not tell it"):
        table.determinize(table.asked[0].seat, Stream("1", "search"))
    assert not perturb_hidden(table.world, 0, Stream("1", "probe"))
    assert table.copy().asked == table.asked


def test_where_chance_hides_nothing_others_answers_are_drawn_anew() -> None:
    for name in ("phantom_ttt", "backgammon"):
        table = table_of(name)
        play(table, at_random("1"), 4)
        seat = table.asked[0].seat
        assert table.determinize(seat, Stream("1", "search")).lines(seat) == table.lines(seat)


@pytest.mark.parametrize("name", ["crazy_eights", "dark_hex", "phantom_ttt", "coop_box_pushing"])
def test_what_is_hidden_is_changed_for_tests(name: str) -> None:
    """In games with cards, without chance, and of moves at the same time."""
    found = 0
    for seed in range(12):
        table = table_of(name, f"{seed}")
        play(table, at_random(f"{seed}"), 4)
        world, seat = table.world.copy(), table.asked[0].seat
        if perturb_hidden(world, seat, Stream(f"{seed}", "probe")):
            found += 1
            assert str(world.state) != str(table.world.state)
            assert observation(world, seat) == observation(table.world, seat)
            assert world.state.legal_actions(seat) == table.world.state.legal_actions(seat)
    assert found > 5


def test_a_game_that_hides_nothing_is_left_alone() -> None:
    table = table_of("backgammon")
    play(table, at_random("1"), 4)
    assert not perturb_hidden(table.world, 0, Stream("1", "probe"))
