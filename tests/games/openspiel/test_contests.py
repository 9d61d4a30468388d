"""Contests of OpenSpiel's games: leagues, comparisons, and the survey of all games."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import arena as face
from tests.cli.conftest import Arena, arena
from tests.support.tools import needs_open_spiel

pytestmark = pytest.mark.dear
needs_open_spiel()

from tests.experiments.openspiel import bot, examine  # noqa: E402

__all__ = ["arena"]

FIRST = """\
import sys
for line in sys.stdin:
    word, *rest = line.split()
    if word == "legal":
        first, last = rest[0], rest[-1]
    elif word == "go":
        print({choice}, flush=True)
"""
"""A bot that always takes the first or the last action."""
SAMPLE = (
    *("backgammon", "connect_four", "coordinated_mp", "leduc_poker", "matrix_pd"),
    *("phantom_ttt", "python_kuhn_poker", "tic_tac_toe"),
)
"""Games with dice, of moves at the same time, of hidden information, and in Python."""


def written(folder: Path, choice: str) -> str:
    """A bot that takes the first, or the last action."""
    path = folder / f"{choice}.py"
    path.write_text(FIRST.format(choice=choice))
    return str(path)


def test_a_league(arena: Arena, tmp_path: Path) -> None:
    cup = tmp_path / "c.league"
    how = ("--sandbox", "off", "--seed", "5", "--set", "max_moves=8")
    new = arena("league", "new", cup, "--game", "openspiel:tic_tac_toe", *how)
    assert "a league of openspiel:tic_tac_toe for 2 bots a match" in new.out
    bots = [written(tmp_path, "first"), written(tmp_path, "last"), bot()]
    assert arena("league", "add", cup, *bots).out.count(": passed") == 3
    assert arena("league", "run", cup, "--rounds", "1").out.startswith("6 matches played")
    table = arena("league", "table", cup).out
    assert all(re.search(rf"{name} +4 ", table) for name in ("first", "last", "simple"))
    assert arena("verify", cup).out.startswith(f"{cup}: ok, 6 records, ")


def test_a_comparison_stops(tmp_path: Path) -> None:
    """In Kuhn poker the last action is to bet. Who always passes loses to who always bets."""
    first, last = written(tmp_path, "first"), written(tmp_path, "last")
    comparison = face.compare(
        "openspiel:kuhn_poker", first, last, test=face.Sprt(elo1=200), games=400, seed=1
    )
    played = len(list(comparison))
    report = comparison.report()
    assert report.sentence == "last is better than first."
    assert played < 100


@pytest.mark.parametrize("name", SAMPLE)
def test_the_survey_finds_nothing(name: str) -> None:
    found = examine(f"openspiel:{name}")
    assert (found.broken, found.refuted) == ((), ())
    assert min(found.rounds) > 0


def test_the_survey_tells_what_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def check_nothing(game: object) -> None:
        raise AssertionError("it never holds")

    monkeypatch.setattr("tests.experiments.openspiel.CHECKS", (check_nothing,))
    monkeypatch.setattr("tests.experiments.openspiel.bot", lambda: "nothere.py")
    found = examine("openspiel:matrix_pd")
    assert found.refuted == ("check_nothing: it never holds",)
    assert [said.partition(":")[0] for said in found.broken] == ["arena check", "arena play"]
    assert found.rounds == (0,)
