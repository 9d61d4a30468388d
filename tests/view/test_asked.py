"""What a person at a page sees and can pick at a request follows from the lines that the seat was
told, in every game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from arena.core import Setup, Stream, Table, find_game
from arena.core.registry import GAMES
from arena.core.replies import Answer
from arena.core.settings import parse
from arena.core.steps import Ask, Frame
from arena.core.view import find_view
from tests.view.test_seen import SMALL

SEATS = 2
TURNED = 12
OPEN = {
    "hextrategic": "all is told that the others do",
    "tncc": "all is told but flanks",
    "codecharacter": "all is told but money and orders, and these show soon",
}
"""Games in which two worlds that differ are hardly ever told alike, and why."""
REQUESTS = 24
"""Of the seat that is looked at."""


def play(name: str, seat: int, turned: int) -> Iterator[tuple[list[str], str, list[str]]]:
    """At each request to a seat: its lines, what its person sees and can pick, and what the others
    have answered. The seat answers by what it was told alone; the others at random, and otherwise
    from their answer number `turned` on."""
    game = find_game(name)
    table = Table(game, Setup("7", SEATS, parse(game.settings, SMALL.get(name, {}))))
    said, requests = list[str](), 0
    while table.outcome is None and requests < REQUESTS:
        texts = {}
        for ask in table.asked:
            if ask.seat == seat:
                requests += 1
                lines = table.lines(seat)
                yield lines, shown(table, ask), said[:]
                own = Stream(f"{len(lines)} {lines[-1]}", "own")
                texts[seat] = game.random_answer(table.world, ask, own)
            else:
                other = Stream(f"{len(said)}", "here" if len(said) < turned else "there")
                texts[ask.seat] = game.random_answer(table.world, ask, other)
                said.append(texts[ask.seat])
        for asked, text in texts.items():
            table.answer(asked, Answer(text))


def shown(table: Table[Any], ask: Ask) -> str:
    """All that the page has of the request."""
    view = find_view(table.game)
    assert view
    offers = table.game.offers
    assert offers
    frame = view.asked(table.world, ask) if view.asked else None
    offer = offers(table.world, ask, "", ())
    more = [offers(table.world, ask, "", (place,)) for place in offer.places[:20]]
    return json.dumps([frame, repr(offer), repr(more)])


@pytest.mark.parametrize("seat", range(SEATS))
@pytest.mark.parametrize("name", GAMES)
def test_nothing_is_shown_that_was_not_told(name: str, seat: int) -> None:
    hidden = 0
    usual = list(play(name, seat, 1000))
    for turned in range(TURNED):
        for now, then in zip(usual, play(name, seat, turned), strict=False):
            (lines, page, said), (again, same, otherwise) = now, then
            if lines != again:
                break
            assert page == same
            hidden += said != otherwise
    assert hidden or name in OPEN


@pytest.mark.parametrize("name", GAMES)
def test_the_board_of_a_request_has_the_shape_of_a_frame(name: str) -> None:
    game, stream = find_game(name), Stream("shape", "answers")
    table, view = Table(game, Setup("7", SEATS, game.settings())), find_view(find_game(name))
    assert view
    if view.asked is None:
        return
    frames: list[Frame | None] = []
    while len(frames) < 30 and table.asked:
        frames += [view.asked(table.world, ask) for ask in table.asked]
        for ask in table.asked:
            table.answer(ask.seat, Answer(game.random_answer(table.world, ask, stream)))
    for frame in filter(None, frames):
        plain = {key for key in frame if key != "board"}
        assert {"round", "rounds", "moves"} <= plain
        assert len(view.orders(frame)) == len(frame["moves"])
        assert len(view.standing(frame)) == SEATS
        view.events(frame.get("board"), None, frame)
