"""Whole matches with real programs: the sample bots, and one that leaves."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.core.registry import GAMES
from arena.match.play import play_match
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.record.verify import verify
from arena.sandbox.session import run_with
from tests.games.tncc.helpers import settings
from tests.support.keepers import shared_keeper
from tests.support.tools import needs_tool

ROOT = Path(__file__).parents[3]
BOTS = ROOT / "sample_bots" / "tncc"


@pytest.fixture(autouse=True)
def _tncc_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tncc", "arena.games.tncc:GAME")


def play(*bots: BotProgram, replay: Path) -> MatchReport:
    """A match that was recorded, and whose record verifies."""
    spec = MatchSpec("tncc", programs(bots), "1", settings(), replay=replay)
    with shared_keeper() as keeper:
        report = run_with(keeper, lambda children: play_match(spec, children))
    assert verify(replay).problem == ""
    return report


@pytest.mark.parametrize(("seats", "place"), [(2, 0), (2, 1), (4, 2)])
def test_strong_beats_simple(seats: int, place: int, tmp_path: Path) -> None:
    needs_tool("node", "nodejs")
    simple, strong = (find_bot(str(BOTS / name)) for name in ("simple.py", "strong.js"))
    bots = [strong if seat == place else simple for seat in range(seats)]
    report = play(*bots, replay=tmp_path / "r.jsonl")
    assert report.players[place].points == 1
    assert all(player.faults == {} for player in report.players)


def test_who_leaves_agrees_to_everything_and_loses_no_war(tmp_path: Path) -> None:
    gone = BotProgram("gone", (sys.executable, "-c", "pass"), None, None, "gone")
    report = play(gone, find_bot(str(BOTS / "simple.py")), replay=tmp_path / "r.jsonl")
    assert report.players[0].stopped == "exited"
    assert report.players[0].fate == "eliminated"
    assert report.players[1].points == 1
