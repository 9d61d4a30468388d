"""What viewers see of records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.league.league import League
from arena.record.format import Stderr
from arena.record.reader import Match
from arena.record.verify import verify
from arena.site import accounts, records
from tests.site.test_accounts import joined


@pytest.fixture
def league(league_file: Path) -> Iterator[League]:
    with League(league_file) as league:
        league.store.add_site()
        yield league


def crash(league: League) -> int:
    """A match in which bot3 wrote to stderr."""
    return next(
        one.fixture.number
        for one in league.results()
        if "bot3" in [league.copy_of(bot)[0] for bot in one.fixture.seats]
    )


def owned(league: League, name: str, *bots: str) -> accounts.Participant:
    who = joined(league, name)
    with league.store.changing() as change:
        for bot in bots:
            change.add("owner", bot=bot, team=who.team)
    return who


def said(league: League, viewer: accounts.Participant | None) -> list[str]:
    """What this viewer reads of stderr in that match."""
    sight = records.sight_of(league, crash(league), viewer)
    assert sight is not None
    return [one.text for one in records.match_for(sight).records if isinstance(one, Stderr)]


def test_stderr_is_for_its_own_team(league: League) -> None:
    nina, tom = owned(league, "Nina", "bot3"), owned(league, "Tom", "bot1", "bot2")
    assert any("alas" in text for text in said(league, nina))
    assert said(league, tom) == said(league, None) == []
    assert said(league, joined(league, "Olga", "organiser")) == said(league, nina)


def test_an_organiser_shows_and_hides_what_rivals_say(league: League) -> None:
    for kind, sees in (("show", True), ("hide", False)):
        with league.store.changing() as change:
            due = "2020-01-01 00:00:00"
            change.add("moment", kind=kind, due=due, account=None, reason="")
        assert bool(said(league, None)) is sees


def test_each_view_verifies_and_has_its_own_tag(league: League, tmp_path: Path) -> None:
    number = crash(league)
    viewers = (None, owned(league, "Nina", "bot3"), joined(league, "Olga", "organiser"))
    sights = [records.sight_of(league, number, viewer) for viewer in viewers]
    assert len({sight.etag for sight in sights if sight}) == 3
    stored = league.record(number)
    for sight in sights:
        assert sight is not None
        copy = tmp_path / "copy.jsonl.gz"
        copy.write_bytes(records.packed_for(sight))
        assert verify(copy).ok
        assert Match.read(copy).digest == Match.read(stored).digest
    assert copy.read_bytes() == stored.read_bytes()  # that of the organiser: as stored
    assert sight is not None
    assert sight.sha256 == hashlib.sha256(stored.read_bytes()).hexdigest()


def test_who_left_a_team_sees_no_more(league: League) -> None:
    nina, tom = owned(league, "Nina", "bot3"), joined(league, "Tom")
    for team, is_in in ((tom.team, 0), (nina.team, 1)):
        with league.store.changing() as change:
            change.add("member", team=team, account=tom.number, joined=is_in)
    assert said(league, accounts.participant(league, tom.number))
    with league.store.changing() as change:
        change.add("member", team=nina.team, account=tom.number, joined=0)
        change.add("member", team=tom.team, account=tom.number, joined=1)
    assert not said(league, accounts.participant(league, tom.number))


def test_a_match_without_a_result(league: League) -> None:
    assert records.sight_of(league, 999, None) is None
    number = crash(league)
    league.annul([number], "the machine was busy")
    assert records.sight_of(league, number, None) is None
