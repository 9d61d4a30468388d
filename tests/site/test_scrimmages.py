"""Scrimmages: asking, the quota, playing, and who sees what."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import trio

from arena.cli.main import run
from arena.errors import UsageError
from arena.league.judge import RANKED, Judge
from arena.league.league import League
from arena.league.plan import Nothing
from arena.league.table import league_table
from arena.league.types import PlannedMatch, spec_of
from arena.record.verify import verify
from arena.site import accounts, judging, records, scrimmages
from tests.site.browsing import visited
from tests.site.test_accounts import joined


@pytest.fixture
def league(league_file: Path) -> Iterator[League]:
    with League(league_file) as league:
        league.store.add_site()
        yield league


def owner(league: League, name: str, *bots: str) -> accounts.Participant:
    who = joined(league, name)
    with league.store.changing() as change:
        for bot in bots:
            change.add("owner", bot=bot, team=who.team)
    return who


def ask(league: League, who: accounts.Participant, rival: str = "bot2", seat: int = 1) -> int:
    own = scrimmages.own_versions(league, who.team)[0].submission
    return scrimmages.ask(league, who, own, [rival], seat)


def play(league: League) -> list[str]:
    """Play all that wait. Returns what was told."""
    told: list[str] = []
    unranked = scrimmages.Scrimmages(league, told.append)
    assert not list(Judge(league, Nothing(), unranked=unranked).run())
    return told


def test_it_is_played_and_changes_no_table(league: League) -> None:
    nina = owner(league, "Nina", "bot1")
    before = league_table(league)
    number = ask(league, nina, "bot3", seat=2)
    waits = scrimmages.scrimmage(league, number, nina)
    assert waits is not None
    assert (waits.state, [one.name for one in waits.seats]) == ("waits", ["bot3", "bot1"])
    assert play(league) == []
    found = scrimmages.scrimmage(league, number, nina)
    assert found is not None
    assert found.state == "played"
    assert found.result is not None
    assert [one.rank for one in found.result.seats] == [2, 1]  # bot3 crashes
    assert verify(scrimmages.record_of(league, number)).ok
    assert league_table(league) == before
    assert play(league) == []
    assert league.count("answer") == 1
    league.check_rows()


def test_only_its_sides_and_organisers_see_it(league: League) -> None:
    nina, tom = owner(league, "Nina", "bot1"), owner(league, "Tom", "bot3")
    eve, olga = owner(league, "Eve", "bot2"), joined(league, "Olga", "organiser")
    number = ask(league, nina, "bot3")
    play(league)
    assert scrimmages.scrimmage(league, number, eve) is None
    assert not scrimmages.scrimmages_of(league, eve)
    seen = {}
    for who in (nina, tom, olga):
        found = scrimmages.scrimmage(league, number, who)
        assert found is not None
        sight = scrimmages.sight_of(league, found, who)
        assert sight is not None
        text = repr(records.match_for(sight).records)
        seen[who.name] = "alas" in text
    assert seen == {"Nina": False, "Tom": True, "Olga": True}  # what bot3 wrote to stderr
    assert [one.number for one in scrimmages.scrimmages_of(league, tom)] == [number]


def test_other_teams_versions_and_unknown_rivals(league: League) -> None:
    nina, tom = owner(league, "Nina", "bot1"), owner(league, "Tom", "bot2")
    theirs = scrimmages.own_versions(league, tom.team)[0].submission
    for own, rivals, seat, why in (
        (theirs, ["bot2"], 1, "your own team"),
        (999, ["bot2"], 1, "your own team"),
        (1, ["nobody"], 1, "no bot plays as"),
        (1, [], 1, "1 rival"),
        (1, ["bot2", "bot3"], 1, "1 rival"),
        (1, ["bot2"], 3, "seat from 1 to 2"),
        (1, ["bot2"], 0, "seat from 1 to 2"),
    ):
        with pytest.raises(UsageError, match=why):
            scrimmages.ask(league, nina, own, rivals, seat)
    assert league.count("request") == 0


def test_waiting_ones_and_those_of_the_hour_count(league: League) -> None:
    nina = owner(league, "Nina", "bot1")
    for _ in range(scrimmages.WAITING):
        ask(league, nina)
    with pytest.raises(UsageError, match="3 scrimmages of your team wait"):
        ask(league, nina)
    for number in range(scrimmages.WAITING + 1, scrimmages.HOURLY + 1):
        _answered(league, number - scrimmages.WAITING)
        assert ask(league, nina) == number
    for number in range(scrimmages.HOURLY - scrimmages.WAITING + 1, scrimmages.HOURLY + 1):
        _answered(league, number)
    with pytest.raises(UsageError, match="12 scrimmages in an hour"):
        ask(league, nina)
    ask(league, owner(league, "Tom", "bot2"), "bot1")  # the quota is one team's


def _answered(league: League, number: int) -> None:
    with league.store.changing() as change:
        change.add("answer", request=number, content='{"problem":"no"}')


def test_a_race_at_the_quota_is_lost(league_file: Path, league: League) -> None:
    nina = owner(league, "Nina", "bot1")
    own = scrimmages.own_versions(league, nina.team)[0].submission
    begin, asked = threading.Barrier(8), []

    def one() -> None:
        with League(league_file) as mine:
            begin.wait()
            with suppress(UsageError):
                asked.append(scrimmages.ask(mine, nina, own, ["bot2"]))

    threads = [threading.Thread(target=one) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == scrimmages.WAITING == league.count("request")


def test_what_fails_is_an_answer_and_the_judge_goes_on(league: League) -> None:
    nina = owner(league, "Nina", "bot1")
    number = ask(league, nina)
    _, _, folder = league.copy_of(scrimmages.own_versions(league, nina.team)[0].bot)
    folder.joinpath("bot.sh").chmod(0o600)
    folder.joinpath("bot.sh").write_text("exit 1")  # the copy was changed on the disk
    (told,) = play(league)
    assert "was changed" in told
    found = scrimmages.scrimmage(league, number, nina)
    assert found is not None
    assert (found.state, found.problem) == ("failed", scrimmages.FAILED)
    assert str(league.path.parent) not in found.problem
    assert not list((league.folder.path / "drafts").iterdir())


def test_ranked_matches_come_first(league: League) -> None:
    nina = owner(league, "Nina", "bot1")
    first, second = ask(league, nina), ask(league, nina)
    unranked = scrimmages.Scrimmages(league, print)
    judge = Judge(league, Nothing(), unranked=unranked)
    spec = spec_of(league.terms)
    some = [PlannedMatch(at, "", "", 0, "", "", ()) for at in range(3 * RANKED)]
    order = [key for key, _ in judge._with_unranked((one, spec) for one in some)]
    expected: list[PlannedMatch | int] = [*some]
    expected[RANKED:RANKED] = [first]
    expected[2 * RANKED + 1 : 2 * RANKED + 1] = [second]
    assert order == expected
    assert judge._next_unranked() is None  # none is given out twice
    assert next(judge._with_unranked([]), None) is None
    unranked.give_up()  # the arena failed: neither is played again
    assert league.count("answer") == 2
    assert not list(scrimmages.Scrimmages(league, print).next(judge._bots) or ())


def test_a_failure_of_the_arena_itself_is_not_repeated(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = ask(league, nina := owner(league, "Nina", "bot1"))

    def fails(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(scrimmages, "from_report", fails)
    with pytest.raises(ZeroDivisionError):
        play(league)
    found = scrimmages.scrimmage(league, number, nina)
    assert found is not None
    assert (found.state, found.problem) == ("failed", scrimmages.FAILED)
    assert play(league) == []


def test_who_judges_on_a_terminal_plays_them_too(
    league: League, league_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nina = owner(league, "Nina", "bot1")
    number = ask(league, nina)
    assert run(["league", "run", str(league_file), "--rounds", "1", "--jobs", "2"]) == 0
    found = scrimmages.scrimmage(league, number, nina)
    assert found is not None
    assert found.state == "played"
    assert verify(scrimmages.record_of(league, number)).ok
    assert "scrimmage" not in capsys.readouterr().err


def test_the_judge_plays_them(league: League, league_file: Path) -> None:
    nina = owner(league, "Nina", "bot1")
    number = ask(league, nina, "bot1")  # against itself
    for name in ("bot2", "bot3"):
        player = league.player(name)
        assert player is not None
        league.withdraw(player, "")
    judging.judge_league(league_file, 1)  # too few for a ranked match
    found = scrimmages.scrimmage(league, number, nina)
    assert found is not None
    assert found.state == "played"


@pytest.mark.dear
def test_the_judge_plays_them_between_ranked_ones(
    league: League, league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nina = owner(league, "Nina", "bot1")
    number = ask(league, nina)
    before = league.count("result")
    monkeypatch.setattr(judging, "is_paused", lambda league: league.count("answer") > 0)
    judging.judge_league(league_file, 2)  # the pool has processes of its own meanwhile
    found = scrimmages.scrimmage(league, number, nina)
    assert found is not None
    assert found.state == "played"
    assert league.count("result") - before >= RANKED
    league.check_rows()


async def test_scrimmages_on_pages(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as nina, site.browser() as eve:
        await nina.join("Nina")
        await eve.join("Eve")
        with site.league.store.changing() as change:
            change.add("owner", bot="bot1", team=1)
        page = (await nina.get("scrimmages")).text
        assert 'value="bot2"' in page
        made = await nina.send_form("scrimmages", own="1", rival="bot2", seat="1")
        assert made.headers["location"] == "/spring-cup/scrimmages/1"
        waiting = await nina.get("scrimmages/1")
        assert waiting.headers["refresh"]
        assert (await nina.get("scrimmages/1/record")).status_code == 404
        assert await trio.to_thread.run_sync(play, site.league) == []
        over = await nina.get("scrimmages/1")
        assert "refresh" not in over.headers
        record = await nina.get("scrimmages/1/record")
        assert record.content[:2] == b"\x1f\x8b"
        replay = await nina.get("scrimmages/1/replay")
        assert "script-src 'sha256-" in replay.headers["content-security-policy"]
        assert "frame-ancestors 'none'; sandbox" in replay.headers["content-security-policy"]
        for path in ("scrimmages/1", "scrimmages/1/record", "scrimmages/1/replay"):
            assert (await eve.get(path)).status_code == 404
            assert (await eve.get(path)).text == (await eve.get(path.replace("1", "9"))).text
        assert "your own team" in (await eve.send_form("scrimmages", own="1", rival="bot2")).text
        async with site.browser() as visitor:
            assert (await visitor.get("scrimmages")).status_code == 401


def test_they_are_played_where_all_bots_are_of_one_team(
    league: League, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where an organiser tries the site alone."""
    nina = owner(league, "Nina", "bot1", "bot2", "bot3", "bot4")
    number = ask(league, nina)
    judging.judge_league(league.path, 1)
    found = scrimmages.scrimmage(league, number, nina)
    assert found is not None
    assert found.state == "played"
    assert capsys.readouterr().err == ""
