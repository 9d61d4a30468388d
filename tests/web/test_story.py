"""A story that is told frame by frame is the story of the whole record."""

from __future__ import annotations

import msgspec
import pytest

from arena.core.registry import GAMES, find_game
from arena.core.steps import Show
from arena.record.reader import Match
from arena.view.story import tell_story
from arena.view.texts import Wrote, texts
from arena.web.story import LiveStory
from tests.view.records import record


def chapters(match: Match) -> list[list[object]]:
    """The records of each frame."""
    found: list[list[object]] = [[]]
    for one in match.records:
        found[-1].append(one)
        if isinstance(one, Show):
            found.append([])
    return found[:-1]


@pytest.mark.parametrize("game", GAMES)
def test_the_parts_make_the_whole(game: str) -> None:
    match = Match.parse(record(game))
    live = LiveStory(find_game(game), match.header)
    for chapter in chapters(match):
        live.add(chapter)  # type: ignore[arg-type]
    whole, parts = tell_story(match, ""), live.parts
    assert [part.frame for part in parts] == whole.frames
    assert [part.headline for part in parts] == whole.headlines
    assert [part.standing for part in parts] == whole.standing
    assert [part.events for part in parts] == whole.events
    assert [part.orders for part in parts] == whole.orders
    assert [part.banks for part in parts] == whole.banks
    for seat, seen in enumerate(whole.seen or ()):
        assert [part.seen[seat] for part in parts if part.seen] == seen
    told = [mark for part in parts for mark in part.marks]
    assert told == [mark for mark in whole.marks if mark in told]
    assert len(told) >= len(whole.marks) - 1  # what follows the last frame comes with the end
    for seat, frames in enumerate(texts(match)):
        wanted = [[one for one in lines if not isinstance(one, Wrote)] for lines in frames]
        assert [part.texts[seat] for part in parts][:-1] == wanted[:-1]
    head = msgspec.to_builtins(live.head)
    assert head["seats"] == msgspec.to_builtins(whole)["seats"]
    assert head["frames"] == []
