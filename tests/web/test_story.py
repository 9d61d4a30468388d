"""A story that is told frame by frame is the story of the whole record."""

from __future__ import annotations

import msgspec
import pytest

from arena.core.registry import GAMES, find_game
from arena.record.reader import Match
from arena.view.chapters import chapters
from arena.view.story import tell_story
from arena.view.texts import Entry, Wrote, texts
from arena.web.story import LiveStory
from tests.view.records import record


def unwritten(lines: list[Entry]) -> list[Entry]:
    """All but what bots wrote to stderr, which stands at the end of a record."""
    return [one for one in lines if not isinstance(one, Wrote)]


@pytest.mark.parametrize("game", GAMES)
def test_the_parts_make_the_whole(game: str) -> None:
    match = Match.parse(record(game))
    live = LiveStory(find_game(game), match.header)
    for chapter in chapters(match):
        live.add(chapter)
    whole, parts = tell_story(match, ""), live.parts
    assert [part.frame for part in parts] == whole.frames
    assert [part.headline for part in parts] == whole.headlines
    assert [part.standing for part in parts] == whole.standing
    assert [part.events for part in parts] == whole.events
    assert [part.orders for part in parts] == whole.orders
    assert [part.banks for part in parts] == whole.banks
    for seat, seen in enumerate(whole.seen or ()):
        assert [part.seen[seat] for part in parts if part.seen] == seen
    assert [mark for part in parts for mark in part.marks] == whole.marks
    for seat, frames in enumerate(texts(match)):
        *told, last = [part.texts[seat] for part in parts]
        assert [*told, unwritten(last)] == [unwritten(lines) for lines in frames]
    head = msgspec.to_builtins(live.head)
    assert head["seats"] == msgspec.to_builtins(whole)["seats"]
    assert head["frames"] == []
