from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from arena.core import Settings, Setup
from arena.core.replies import Answer, Silence, Why
from arena.core.table import Table
from arena.errors import UsageError
from arena.match.play import play_match
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import Entrant, HumanEntrant, PythonEntrant, named_human
from arena.players.human import HumanPlayer, Turn
from arena.players.player import Stopped
from arena.players.terms import PlayerTerms
from arena.record.reader import Match
from arena.record.verify import verify
from tests.tiny import TINY

SECOND = 10**9


class Desk:
    """Gives these answers, each after a time."""

    def __init__(self, *answers: str | None, seconds: float = 0.0) -> None:
        self.answers = list(answers)
        self.seconds = seconds
        self.turns: list[Turn] = []
        self.last: tuple[str, ...] = ()

    async def answer(self, turn: Turn) -> str | None:
        self.turns.append(turn)
        await trio.sleep(self.seconds)
        return self.answers.pop(0) if self.answers else "No moves"

    async def dismiss(self, name: str, lines: tuple[str, ...]) -> None:
        self.last = lines


def seated(desk: Desk, *, timed: bool = False) -> HumanPlayer:
    player = HumanPlayer("Ann", desk, timed=timed)
    player.sit(Table(TINY, Setup("7", 2, TINY.settings())), 0)
    return player


async def test_a_person_gets_the_lines_the_request_and_help(
    autojump_clock: trio.testing.MockClock,
) -> None:
    desk = Desk(" 7 ", seconds=2)
    player = seated(desk)
    player.tell("round 1\n")
    player.post("update_map 20 3\ngo bid 10000\n", 10 * SECOND)
    timed = await player.reply()
    assert timed.reply == Answer("7")
    assert timed.cost.charged == timed.cost.wall == 2 * SECOND
    (turn,) = desk.turns
    assert (turn.name, turn.player, turn.seconds) == ("Ann", "player1", None)
    assert turn.lines == ("round 1", "update_map 20 3")
    assert turn.request == "go bid 10000"
    assert turn.helper.trial("21").problems


async def test_when_the_time_is_over_nothing_is_given(
    autojump_clock: trio.testing.MockClock,
) -> None:
    player = seated(Desk("7", seconds=11), timed=True)
    player.post("go bid 10000\n", 10 * SECOND)
    timed = await player.reply()
    assert timed.reply == Silence(Why.LATE)
    assert timed.cost.charged == 10 * SECOND
    assert player.stopped is None


async def test_giving_up_is_leaving() -> None:
    player = seated(Desk(None))
    player.post("go bid 10000\n", SECOND)
    assert (await player.reply()).reply == Silence(Why.DEAD)
    assert (player.stopped, player.stopped_detail) == (Stopped.EXITED, "gave up")


async def test_the_last_lines_are_shown() -> None:
    desk = Desk()
    await seated(desk).finish("game_over 1 1\n")
    assert desk.last == ("game_over 1 1",)


def play(path: Path, *entrants: Entrant, **settings: int) -> MatchReport:
    async def main() -> MatchReport:
        return await play_match(spec)

    spec = MatchSpec("warlight", entrants, "7", find_settings(**settings), replay=path)
    return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


def find_settings(**settings: int) -> Settings:
    from arena.core.registry import find_game
    from arena.core.settings import parse

    kind: type[Settings] = find_game("warlight").settings
    return parse(kind, {"max_rounds": 3, **settings})


QUIET = PythonEntrant("quiet", lambda lines: "No moves")


def test_a_match_of_a_person_is_recorded_and_verifies(tmp_path: Path) -> None:
    """Without a clock nothing is charged, however long it takes; the record says so."""
    path = tmp_path / "r.jsonl"
    report = play(path, HumanEntrant("Ann", Desk(seconds=3600)), QUIET)
    ann, quiet = report.players
    assert (ann.name, ann.command, ann.untimed, quiet.untimed) == ("Ann", "human:Ann", True, False)
    assert (ann.time_ms.total, ann.faults.get("timeout")) == (0.0, None)
    assert ann.wall_ms is not None
    assert ann.wall_ms.max == 3600_000.0
    match = Match.read(path)
    assert (match.players, match.header.untimed) == (("Ann", "quiet"), [0])
    assert {given.bank_ms for given in match.replies(0)} == {10_000}
    assert verify(path).ok


def test_a_record_that_charges_a_seat_without_a_clock_is_not_right(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    play(path, HumanEntrant("Ann", Desk(seconds=1)), QUIET)
    text = path.read_text().replace('"ms":0.0,"wall_ms":1000.0', '"ms":1000.0', 1)
    path.write_text(text)
    assert "player1 has no clock, and is charged 1000.0 ms" in verify(path).problem


def test_with_a_clock_a_person_is_late_like_a_bot(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    ann = HumanEntrant("Ann", Desk(seconds=11), timed=True)
    report = play(path, ann, QUIET, max_timeouts=100)
    assert report.players[0].faults["timeout"] == report.players[0].requests
    assert verify(path).ok


def test_a_person_who_gives_up_loses_and_the_record_verifies(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    report = play(path, HumanEntrant("Ann", Desk(None)), QUIET)
    assert report.players[0].stopped == "exited"
    assert verify(path).ok


@pytest.mark.parametrize(
    ("word", "name"),
    [("human", "human"), ("human:Ann", "Ann"), ("./human", None), ("humans", None), ("x", None)],
)
def test_the_word_for_a_person(word: str, name: str | None) -> None:
    assert named_human(word) == name


@pytest.mark.parametrize("word", ["human:", "human: ", "human:\x1b", f"human:{'x' * 41}"])
def test_a_name_that_is_none(word: str) -> None:
    with pytest.raises(UsageError, match="has no valid name"):
        named_human(word)


async def test_a_person_without_a_desk_is_no_player() -> None:
    with pytest.raises(UsageError, match="needs a terminal or a page"):
        async with HumanEntrant("Ann").open(PlayerTerms(), None):
            pass
