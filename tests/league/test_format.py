"""A league remembers its format, and annulled matches are played again without any others."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from arena.cli.main import run
from arena.errors import UsageError
from arena.league.league import League
from arena.league.plan import FOREVER, LeagueFormat, choose, remembered
from tests.league.making import opened, play


@pytest.fixture
def swiss(tmp_path: Path) -> Path:
    """A Swiss league of a class: six bots after two rounds."""
    path = tmp_path / "class.league"
    with opened(path, *"123456"):
        pass
    assert run(["league", "run", str(path), "--format", "swiss", "--rounds", "2"]) == 0
    return path


def count(path: Path, table: str = "fixture") -> int:
    with League(path) as league:
        return league.count(table)


def test_what_annul_prints_plays_these_matches_alone(
    swiss: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planned = count(swiss)
    assert run(["league", "annul", str(swiss), "2", "4-6", "--reason", "the disk was full"]) == 0
    said = capsys.readouterr().out
    assert "4 results: no longer count" in said
    (command,) = re.findall("arena (league .*)", said)
    assert count(swiss, "pending") == 4
    assert run(shlex.split(command)) == 0
    assert (count(swiss), count(swiss, "pending"), count(swiss, "annulment")) == (planned, 0, 4)


def test_a_run_that_names_no_format_goes_on_in_that_of_the_league(swiss: Path) -> None:
    planned = count(swiss)
    assert run(["league", "run", str(swiss)]) == 0
    assert count(swiss) == planned
    assert run(["league", "run", str(swiss), "--rounds", "3"]) == 0
    assert count(swiss) == planned + 6
    with League(swiss) as league:
        assert {event for (event,) in league.store.all("SELECT event FROM fixture")} == {"swiss"}
        assert remembered(league) == LeagueFormat("swiss", 3)
    assert run(["league", "run", str(swiss), "--format", "round-robin"]) == 0
    assert count(swiss) == planned + 6 + 30


def test_of_an_older_league_the_last_round_tells_the_format(swiss: Path) -> None:
    """Leagues of format 4 remember none."""
    with League(swiss) as league:
        league.remembered = lambda: None  # type: ignore[method-assign]
        assert remembered(league) == LeagueFormat("swiss", 2)
        league.last_planned = lambda: ("league", 3)  # type: ignore[method-assign]
        assert remembered(league) is None


def test_all_matches_are_annulled_or_none(swiss: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for numbers in (["1-99"], ["5", "1-999999999999"]):  # more than memory holds
        assert run(["league", "annul", str(swiss), *numbers, "--reason", "all of them"]) == 2
        assert "there is no match 13" in capsys.readouterr().err
    assert count(swiss, "annulment") == 0
    for wrong in ("5-3", "x", "1-x", "0", "-"):
        assert run(["league", "annul", str(swiss), "--reason", "why", "--", wrong]) == 2


CUP = LeagueFormat("swiss", 5)
NINA = LeagueFormat("gauntlet", 2, "nina")


@pytest.mark.parametrize(
    ("before", "kind", "rounds", "challenger", "after"),
    [
        (None, None, None, None, LeagueFormat("round-robin", 1)),
        (None, "swiss", 3, None, LeagueFormat("swiss", 3)),
        (CUP, None, None, None, CUP),
        (CUP, None, 6, None, LeagueFormat("swiss", 6)),
        (CUP, "swiss", None, None, CUP),
        (CUP, "round-robin", None, None, LeagueFormat("round-robin", 1)),
        (NINA, None, 3, None, LeagueFormat("gauntlet", 3, "nina")),
        (NINA, None, None, "omar", LeagueFormat("gauntlet", 2, "omar")),
        (NINA, "swiss", None, None, LeagueFormat("swiss", 1)),
        (LeagueFormat(FOREVER), None, None, None, LeagueFormat(FOREVER)),
        (LeagueFormat(FOREVER), "swiss", 2, None, LeagueFormat("swiss", 2)),
    ],
)
def test_what_options_leave_open_is_as_before(
    before: LeagueFormat | None,
    kind: str | None,
    rounds: int | None,
    challenger: str | None,
    after: LeagueFormat,
) -> None:
    assert choose(before, kind, rounds, forever=False, challenger=challenger) == after


def test_endless_play_has_no_rounds() -> None:
    with pytest.raises(UsageError, match="name the format that it shall have now"):
        choose(LeagueFormat(FOREVER), None, 3, forever=False, challenger=None)
    assert choose(CUP, None, None, forever=True, challenger=None) == LeagueFormat(FOREVER)


def test_a_format_that_cannot_be_played_is_not_remembered(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "2", "3", seats=3) as league:
        with pytest.raises(UsageError, match="for games of two"):
            play(league, LeagueFormat("swiss"))
        assert remembered(league) is None
