"""Whole matches with real programs: the sample bots, and one that never answers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.core.registry import GAMES
from arena.core.settings import parse
from arena.games.hextrategic import GAME
from arena.match.play import play_match
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.record.verify import verify
from arena.sandbox.session import run_with
from tests.support.keepers import shared_keeper
from tests.support.tools import needs_tool

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "sample_bots" / "hextrategic"


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """The game is known by its name."""
    monkeypatch.setitem(GAMES, GAME.name, "arena.games.hextrategic:GAME")


def play(*bots: BotProgram, replay: Path, **values: object) -> MatchReport:
    """A match, and the proof of its record."""
    spec = MatchSpec(GAME.name, programs(bots), "5", parse(GAME.settings, values), replay=replay)
    with shared_keeper() as keeper:
        report = run_with(keeper, lambda children: play_match(spec, children))
    assert verify(replay).problem == ""
    return report


@pytest.mark.dear_for("2")
@pytest.mark.tool
@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_the_strong_sample_beats_the_simple_ones_without_a_fault(
    tmp_path: Path, seats: int
) -> None:
    needs_tool("g++", "g++")
    bots = [find_bot(str(SAMPLES / "strong.cpp")), *_simple(seats - 1)]
    report = play(*bots, replay=tmp_path / "r.jsonl")
    assert [player.rank for player in report.players].index(1) == 0
    assert all(player.faults == {} for player in report.players)
    assert report.reason == "last_standing"


def _simple(count: int) -> list[BotProgram]:
    return [find_bot(str(SAMPLES / "simple.py"))] * count


def test_who_never_answers_is_removed(tmp_path: Path) -> None:
    hostile = str(ROOT / "tests" / "hostile" / "bot.py")
    mute = BotProgram("mute", (sys.executable, hostile, "mute", "1"), None, None, "mute")
    report = play(mute, *_simple(1), replay=tmp_path / "r.jsonl", timebank=1000)
    loser, winner = report.players
    assert (loser.fate, loser.rank, loser.points) == ("removed", 2, 2)
    assert (winner.fate, winner.rank, winner.points) == ("survived", 1, 12)
    assert loser.faults == {"timeout": 3}
    assert report.rounds == 3
