"""What the page of a person is sent: nothing that its seat was not told."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arena.core import find_game
from arena.core.registry import GAMES
from arena.core.view import Event, find_view
from arena.record.format import Record
from arena.record.reader import Match
from arena.view.chapters import Mark, chapters
from arena.view.story import SeatRoundAccount, worlds
from arena.view.texts import ToldLine, Wrote
from arena.web import live
from arena.web.story import LiveSeatStory, LiveStory
from tests.view.records import record
from tests.view.test_seen import SMALL
from tests.web.people import RandomEntrant, Watched

TURNS = 8
FIELDS = {
    "frame", "headline", "seen", "picture", "standing", "events", "orders", "marks", "banks",
    "texts", "told",
}  # fmt: skip
"""Of a part on the wire. Before you add one, see that it tells a seat nothing that is hidden."""
TURNED = (2, 4, 5, 6)
"""Answers of the other from which on it answers otherwise."""
MARK = "for spectators alone"
MARKED_NUMBER = 987654321
OPEN = {
    "hextrategic": "all is told that the others do",
    "tncc": "all is told but flanks",
    "codecharacter": "all is told but money and orders, and these show soon",
}
"""Games in which two matches that differ are hardly ever told alike, and why."""


def test_of_a_game_without_a_view_the_wire_has_no_board_but_the_text_of_the_seat() -> None:
    """How much of its frames a seat may see, only a view could say."""
    match = Match.parse(record("tncc"))
    told = LiveStory(find_game("tncc"), match.header)
    told.add(chapters(match)[0])
    story = LiveSeatStory(0, None, told.head)
    before = story.now(None, "")
    assert before
    assert before.frame == {"round": 0, "rounds": 0}
    story.add(told.parts[0], told.views[0])
    assert story.parts[0].frame == {"round": 0, "rounds": 100}
    assert (story.head.pictures, story.parts[0].picture, story.parts[0].orders) == ([], "", [])
    asked = story.now(None, "the board")
    assert asked
    assert (asked.picture, asked.frame) == ("the board", {"round": 0, "rounds": 100})
    assert story.now(None, "") is None


async def wire_of(game: str, seat: int, turned: int) -> tuple[list[Any], list[Any]]:
    """What goes to the page of that seat, and the frames that spectators see."""
    watched = Watched(game, (seat,), RandomEntrant(turned, []), **SMALL.get(game, {}))
    await watched.play(TURNS)
    everything = [plain(message) for message in watched.all]
    frames = [one["frame"] for one in everything if not isinstance(one, bytes)]
    return steady([plain(message) for message in watched.wire[seat]]), frames


def plain(message: bytes) -> Any:
    """A message without what depends on times."""
    if not message.startswith(b'{"') or b'"part"' not in message[:8]:
        return message
    part = json.loads(message)["part"]
    part["texts"] = [[entry[:5] for entry in entries] for entries in part["texts"]]
    return part


def asked(wire: list[Any]) -> list[tuple[int, list[str]]]:
    """Where the requests stand, each with the lines that led to it."""
    found = []
    for place, message in enumerate(wire):
        if isinstance(message, bytes) and message.startswith(b'{"turn":{'):
            turn = json.loads(message)["turn"]
            found.append((place, [*turn["lines"], turn["request"]]))
    return found


def steady(wire: list[Any]) -> list[Any]:
    """Without what may be skipped when much happens at once."""
    return [one for one in wire if one != b'{"turn":null}']


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("game", GAMES)
async def test_the_wire_has_nothing_that_was_not_told(
    game: str, seat: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever two matches tell a seat the same lines, its page is sent the same bytes."""
    monkeypatch.setattr(live, "PACE", 0)
    usual, truth = await wire_of(game, seat, 1000)
    hidden = 0
    for turned in TURNED:
        other, elsewhere = await wire_of(game, seat, turned)
        end = 0
        for (place, lines), (_, again) in zip(asked(usual), asked(other), strict=False):
            if lines != again:
                break
            end = place + 1
        assert usual[:end] == other[:end]
        parts = sum(not isinstance(one, bytes) for one in usual[:end])
        hidden += truth[:parts] != elsewhere[:parts]
    assert hidden or game in OPEN


class Marked(LiveStory):
    """A story in which all that spectators alone are told has a mark."""

    def add(self, chapter: Sequence[Record]) -> None:
        super().add(chapter)
        part = self.parts[-1]
        seats, all_seats = len(part.banks), tuple(range(len(part.banks)))
        self.parts[-1] = replace(
            part,
            frame=part.frame | {"hidden": MARK},
            headline=MARK,
            seen=[[MARK]] * seats,
            told=[SeatRoundAccount([MARK], [Event(MARK, MARK, all_seats)], [MARK])] * seats,
            picture=MARK,
            standing=[MARKED_NUMBER] * seats,
            events=[Event(MARK, MARK, all_seats)],
            orders=[MARK],
            marks=[*part.marks, Mark(len(self.parts), 1, MARK, MARK, 1)],
            banks=[part.banks[0], *[MARKED_NUMBER] * (seats - 1)],
            texts=[
                [*part.texts[0], Wrote(MARK)],
                [*part.texts[1], ToldLine(MARK)],
                *part.texts[2:],
            ],
        )


@pytest.mark.parametrize("game", GAMES)
async def test_nothing_that_only_spectators_are_told_goes_to_a_page_of_a_seat(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In any round: its page is sent the same, whatever they are told."""
    monkeypatch.setattr(live, "PACE", 0)
    usual, _ = await wire_of(game, 0, 1000)
    monkeypatch.setattr(live, "LiveStory", Marked)
    watched = Watched(game, (0,), RandomEntrant(1000, []), **SMALL.get(game, {}))
    await watched.play(TURNS)
    public, wire = b"".join(watched.all), b"".join(watched.wire[0])
    for mark in (MARK, MARKED_NUMBER):
        assert str(mark).encode() in public
        assert str(mark).encode() not in wire
    assert steady([plain(message) for message in watched.wire[0]]) == usual


@pytest.mark.parametrize("game", GAMES)
async def test_two_people_see_what_their_seats_see(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The frames on the wire are those of the game's own fog code; nothing tells the seed, nor the
    lines of the other."""
    monkeypatch.setattr(live, "PACE", 0)
    watched = Watched(game, (0, 1), **SMALL.get(game, {}))
    await watched.play(TURNS)
    match = Match.parse(watched.live._record.getvalue())
    view = find_view(find_game(game))
    assert view
    see = view.seen or (lambda world, seat, frame: frame)
    seen = [
        [see(world, seat, frame) for seat in (0, 1)]
        for world, frame in worlds(find_game(game), match)
    ]
    for seat, wire in watched.wire.items():
        told = [plain(message) for message in wire]
        parts = [one for one in told if not isinstance(one, bytes)]
        assert len(parts) > 1
        before = None
        for part, both in zip(parts, seen, strict=False):
            frame = json.loads(json.dumps(both[seat]))
            assert part["frame"] == frame
            assert part.keys() == FIELDS
            assert part["orders"] == list(view.orders(part["frame"]))
            events = view.events(parts[0]["frame"].get("board"), before, part["frame"])
            assert part["events"] == msgspec.to_builtins(list(events))
            before = part["frame"]
            assert part["standing"] == list(view.standing(part["frame"]))
        assert all(part["texts"][1 - seat] == [] for part in parts)
        assert all(part["banks"][1 - seat] is None and not part["headline"] for part in parts)
        assert not any(mark[1] != seat for part in parts for mark in part["marks"])
        everything = b"".join(wire)
        assert b"a-secret-seed" not in everything
        assert (b"settings your_bot player%d" % (seat + 1)) in everything
        assert (b"settings your_bot player%d" % (2 - seat)) not in everything
