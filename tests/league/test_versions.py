"""What plays again begins without matches, and the table knows that a version was chosen."""

from __future__ import annotations

from pathlib import Path

from arena.league.audit import audit
from arena.league.bots import hand_in
from arena.league.league import League
from arena.league.plan import Meetings
from arena.league.sums import sums_of
from arena.league.table import league_table
from arena.league.types import LeaguePlayer
from arena.tournament.ratings import fit
from tests.league.making import ANSWERS, lay_out, opened, passes, play


def enter(league: League, folder: Path, comment: str) -> LeaguePlayer:
    """Hand in a copy of the second bot as its next version."""
    code = f"# {comment}\n{ANSWERS.format(answer=2)}"
    hand_in(league, lay_out(folder / comment, "bot2", code), "bot2", test=passes)
    player = league.player("bot2")
    assert player is not None
    return player


def games(league: League) -> dict[str, int]:
    return {row.name: row.games for row in league_table(league).table.standings}


def test_what_plays_again_after_another_version_begins_without_matches(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "3") as league:
        first = enter(league, tmp_path, "first")
        play(league, Meetings(2))
        assert games(league)["bot2"] == 4
        enter(league, tmp_path, "second")
        play(league, Meetings(2))
        again = enter(league, tmp_path / "again", "first")
        assert again.content == first.content
        assert again.bot != first.bot
        assert games(league) == {"bot1": 0, "bot2": 0}
        assert audit(league).ok


def test_what_plays_after_a_withdrawal_begins_without_matches(tmp_path: Path) -> None:
    with opened(tmp_path / "l", "1", "3") as league:
        first = enter(league, tmp_path, "first")
        play(league, Meetings(2))
        league.withdraw(enter(league, tmp_path, "second"), "it is bad")
        again = league.player("bot2")
        assert again is not None
        assert (again.content, again.name) == (first.content, first.name)
        assert again.bot != first.bot
        assert games(league)["bot2"] == 0
        league.withdraw(again, "it is bad, too")
        left = league.player("bot2")
        assert left is not None
        assert left.content not in (first.content, again.content)  # the one before both
        league.withdraw(left, "all of them are")
        assert league.player("bot2") is None


def test_the_table_moves_a_version_towards_those_before_it(tmp_path: Path) -> None:
    """Of three copies the last is lucky: its rating is that of all."""
    with opened(tmp_path / "l", "1", "2", "1") as league:
        versions = ("bad", "middling", "lucky")
        answers = dict(zip(versions, (0, 1, 3), strict=True))
        shown = {}
        for comment, answer in answers.items():
            code = f"# {comment}\n{ANSWERS.format(answer=answer)}"
            hand_in(league, lay_out(tmp_path / comment, "bot3", code), "bot3", test=passes)
            play(league, Meetings(1))
            table = league_table(league).table.standings[2]
            shown[comment] = table.elo, table.score
        assert shown["lucky"][1] == 1.0
        alone = fit(3, sums_of(league, league.players()).tally).elo[2]
        assert 0 < shown["lucky"][0] < alone / 2
        assert audit(league).ok
