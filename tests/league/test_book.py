"""Leagues whose matches begin at the positions of a book."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.errors import LeagueError, UsageError
from arena.league.audit import audit
from arena.league.bots import hand_in
from arena.league.league import League
from arena.league.plan import Meetings
from arena.league.types import settle
from arena.record.position import Position, position_line
from arena.record.reader import Match
from tests.league.making import ANSWERS, lay_out, passes, play

BOOK = [Position("tiny", 1, 2, str(seed), answers=("1", "2", "3", "4")) for seed in (5, 6, 7)]


def begin(path: Path) -> League:
    """A league of two bots with that book."""
    terms = settle("tiny", None, {"seed": "1", "sandbox": "off"}, BOOK)
    league = League.begin(path, terms, BOOK)
    for name in ("one", "two"):
        folder = path.with_name("sources")
        hand_in(league, lay_out(folder, name, ANSWERS.format(answer="1")), test=passes)
    return league


def test_each_position_is_played_from_both_sides_and_proved(tmp_path: Path) -> None:
    with begin(tmp_path / "cup.league") as league:
        play(league, Meetings(3))
        found = audit(league)
        assert found.ok, (found.wrong, found.changed)
        began = Counter[str]()
        for number in range(1, 7):
            match = Match.read(league.record(number))
            began[match.seed] += 1
            assert match.header.position
        assert began == {"5": 2, "6": 2, "7": 2}


def test_a_league_goes_on_after_a_kill(tmp_path: Path) -> None:
    with begin(tmp_path / "cup.league") as league:
        play(league, Meetings(1))
    with League(tmp_path / "cup.league") as league:
        play(league, Meetings(2))
        assert audit(league).ok
        assert league.count("valid") == 4


def test_a_record_that_begins_elsewhere_is_found(tmp_path: Path) -> None:
    with begin(tmp_path / "cup.league") as league:
        play(league, Meetings(3))
        assert league.book
        other = replace(league.book, positions=tuple(reversed(BOOK)))
        league.__dict__["book"] = other
        problems = [one.problem for one in audit(league).wrong]
        assert problems
        assert set(problems) == {"it does not begin where the league says"}


def test_a_changed_book_is_refused(tmp_path: Path) -> None:
    with begin(tmp_path / "cup.league") as league:
        file = league.book_file
    file.write_bytes(position_line(BOOK[0]))
    with League(tmp_path / "cup.league") as league, pytest.raises(LeagueError, match="was changed"):
        play(league, Meetings(1))
    file.unlink()
    with League(tmp_path / "cup.league") as league, pytest.raises(LeagueError, match="is damaged"):
        play(league, Meetings(1))


def test_wrong_books() -> None:
    with pytest.raises(UsageError, match="the book is for 2 seats: leave out --seats"):
        settle("tiny", 3, {"seed": "1"}, BOOK)
    with pytest.raises(UsageError, match="the setting purse comes with the position"):
        settle("tiny", None, {"settings": {"purse": 3}}, BOOK)
