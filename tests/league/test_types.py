"""The values of a league: terms, results, and what fixtures are called."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from arena.core.clock import Clock
from arena.core.limits import Limits
from arena.core.registry import find_game
from arena.errors import ReplayError, SettingError, UsageError
from arena.league.league import League
from arena.league.types import LeagueTerms, block_of, bot_id, from_record, settle, spec_of
from arena.players.terms import Terms, Timing
from arena.record.reader import Match
from arena.sandbox.levels import SandboxMode


def test_a_record_tells_the_same_as_the_report(played: League) -> None:
    for one in played.results():
        result = one.result
        found = from_record(Match.read(played.record(one.fixture.number)))
        for seat, said in zip(found.seats, result.seats, strict=True):
            assert replace(seat, detail=said.detail) == said
        assert replace(found, seats=()) == replace(result, seats=())


def test_half_a_record_is_no_result(played: League) -> None:
    match = Match.read(played.folder.record(1))
    with pytest.raises(ReplayError, match="has no outcome"):
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


def test_a_league_is_strict_and_fair_unless_told_otherwise() -> None:
    terms = settle("warlight", None, {})
    assert (terms.sandbox, terms.clock, terms.seats) == ("strict", Clock.FAIR, 2)
    assert terms.mode is SandboxMode.STRICT
    assert terms.seed
    assert settle("warlight", None, {"sandbox": "off", "clock": "cpu"}).clock is Clock.CPU


@pytest.mark.parametrize("game", ["warlight", "toroid", "hextrategic", "tncc", "codecharacter"])
def test_the_terms_give_the_same_match_again(game: str) -> None:
    terms = settle(game, None, {"seed": "7", "memory": "300M", "pondering": False})
    spec = spec_of(terms)
    assert (spec.game, spec.seed, spec.terms.limits.memory) == (game, "7", 300 << 20)
    assert not spec.terms.timing.pondering
    assert settle(game, None, {"seed": "7", "settings": terms.settings}).settings == terms.settings


def test_terms_are_kept_under_the_names_of_the_first_leagues() -> None:
    kept = (
        b'{"game":"warlight","rules_version":%d,"seats":2,"seed":"7","settings":{"luck":0},'
        b'"map":null,"memory":536870912,"sandbox":"strict","clock":"wall","pondering":false,'
        b'"sequential":true,"start_up":500,"forfeit":true,"meter":"time"}'
    ) % find_game("warlight").rules_version
    terms = msgspec.json.decode(kept, type=LeagueTerms)
    assert msgspec.json.encode(terms) == kept
    assert spec_of(terms).terms == Terms(
        limits=Limits(memory=512 << 20),
        timing=Timing(Clock.WALL, pondering=False, start_up=500),
        sandbox=SandboxMode.STRICT,
        sequential=True,
        forfeit=True,
    )


def test_what_cannot_be_is_refused_at_once() -> None:
    with pytest.raises(SettingError, match="did you mean 'luck'"):
        settle("warlight", None, {"settings": {"lucky": 1}})
    with pytest.raises(UsageError, match="2"):
        settle("warlight", 3, {})
