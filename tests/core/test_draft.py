"""Drafts of answers, and tables that judge answers and copy themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from arena.core import Answer, Setup, Stream, Table, UsageError, find_game
from arena.core.offers import RandomByOffers
from arena.core.registry import GAMES
from arena.testing.random_play import at_random, play
from tests.tiny import TINY


def table_of(name: str, seats: int = 2) -> Table[Any]:
    game = find_game(name)
    return Table(game, Setup("1", seats, game.settings()))


def test_a_draft_grows_by_picks_and_by_orders() -> None:
    draft = table_of("hextrategic").draft(0)
    assert draft.answer == "No moves"
    home = draft.pick(draft.offer.places[0])
    assert (home.answer, home.held) == (None, "")  # an order is not complete
    near = home.offer.places[0]
    moved = home.pick(near).pick("3")
    assert moved.answer == f"move {draft.offer.places[0]} {near} 3"
    more = moved.pick(draft.offer.places[0]).pick(near).pick("auto")
    assert more.answer == f"{moved.answer}, auto {draft.offer.places[0]} {near}"
    assert not more.done
    assert draft.answer == "No moves"  # it is a value


def test_an_answer_that_must_be_given_is_none_before() -> None:
    draft = table_of("warlight").draft(0)
    assert draft.answer is None
    whole = draft.pick(draft.offer.places[2])
    assert (whole.answer, whole.done) == (draft.offer.places[2], True)
    assert list(whole.offer.choices()) == []


@pytest.mark.parametrize("pick", ["", "tea", "-1", "9" * 20, "\u0663"])
def test_what_is_not_offered_cannot_be_picked(pick: str) -> None:
    draft = table_of("toroid").draft(0)
    with pytest.raises(ValueError, match="is not offered"):
        draft.pick(pick)
    with pytest.raises(ValueError, match="is not offered"):
        draft.pick("build").pick("build")


def test_only_who_is_asked_has_a_draft() -> None:
    table = table_of("toroid")
    for ask in (table.draft, lambda seat: table.try_answer(seat, "build")):
        with pytest.raises(ValueError, match="player2 is not asked"):
            ask(1)
    with pytest.raises(ValueError, match="player2 is not asked"):
        table.determinize(1, Stream("1", "x"))
    with pytest.raises(ValueError, match="no offers"):
        Table(TINY, Setup("1", 2, TINY.settings())).draft(0)


def test_all_choices_in_their_order() -> None:
    offer = table_of("toroid").draft(0).offer
    assert list(offer.choices()) == [*offer.places, "build", "No moves"]
    number = table_of("tncc").draft(0).pick("recruit").offer
    assert list(number.choices()) == [str(people) for people in range(801)]
    drawn = {number.random_pick(Stream(f"{i}", "x")) for i in range(2000)}
    assert {"0", "800"} <= drawn | {"0", "800"}
    assert drawn <= set(number.choices())


def test_a_game_with_offers_needs_no_random_answer() -> None:
    game = find_game("tncc")
    assert game.offers
    own = replace(game, random_answer=RandomByOffers(game.offers))
    table = Table(own, Setup("7", 2, own.settings()))
    stream = Stream("1", "answers")
    for _ in range(30):
        ask = table.asked[0]
        text = own.random_answer(table.world, ask, stream)
        assert table.try_answer(ask.seat, text).legal
        table.answer(ask.seat, Answer(text))
        if table.outcome:
            break
    with pytest.raises(UsageError, match="needs a random_answer, or offers"):
        replace(own, offers=None)


@pytest.mark.parametrize("name", [*GAMES, "tiny"])
def test_a_copy_plays_on_like_its_table_and_leaves_it_alone(name: str) -> None:
    """Tiny draws a prize as a round begins, so that a copy must not begin it anew."""
    game = TINY if name == "tiny" else find_game(name)
    for exchanges in (0, 1, 3, 8):
        table = Table(game, Setup("3", 2, game.settings()))
        play(table, at_random("before"), exchanges)
        if table.outcome:
            continue
        copies = [table.copy(), table.copy()]
        first, second = (play(copy, at_random("after"), 12) for copy in copies)
        assert first == second == play(table, at_random("after"), 12)


def test_a_copy_keeps_the_replies_that_are_there() -> None:
    table = table_of("codecharacter")
    table.answer(1, Answer("No moves"))
    twin = table.copy()
    assert [ask.seat for ask in twin.waiting()] == [0]
    twin.answer(0, Answer("No moves"))
    assert twin.asked
    assert [ask.seat for ask in table.waiting()] == [0]
