"""Results as values, and what fixtures are called."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from arena.errors import ReplayError
from arena.league.league import League
from arena.league.rows import block_of, bot_id, from_record
from arena.record.reader import Match


def test_a_record_tells_the_same_as_the_report(played: League) -> None:
    for fixture, _, _ in played.results():
        result = played.result(fixture.number)
        assert result is not None
        found = from_record(Match.read(played.folder.record(fixture.number)))
        for seat, said in zip(found.seats, result.seats, strict=True):
            assert replace(seat, detail=said.detail) == said
        assert replace(found, seats=()) == replace(result, seats=())


def test_half_a_record_is_no_result(played: League) -> None:
    match = Match.read(played.folder.record(1))
    with pytest.raises(ReplayError, match="has no end"):
        from_record(Match(match.header, match.records[:-1]))


def test_fixtures_follow_from_league_pairing_and_meeting() -> None:
    first = block_of("1", "league", 0, ["b", "a"], 0)
    assert first == block_of("1", "league", 0, ["a", "b"], 0)
    assert [one.seats for one in first] == [("a", "b"), ("b", "a")]
    others = [
        block_of("2", "league", 0, ["a", "b"], 0),
        block_of("1", "swiss", 0, ["a", "b"], 0),
        block_of("1", "league", 0, ["a", "c"], 0),
        block_of("1", "league", 0, ["a", "b"], 1),
    ]
    seeds = {block[0].seed for block in [first, *others]}
    ids = {one.id for block in [first, *others] for one in block}
    assert len(seeds) == 5
    assert len(ids) == 10


def test_a_bot_is_called_by_name_and_content() -> None:
    assert len({bot_id("a", "x"), bot_id("b", "x"), bot_id("a", "y"), bot_id("ax", "")}) == 4
