"""What `openspiel.md` says is so: its commands run, and its tables are those of the code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from arena.core.registry import library_games
from tests.cli.conftest import Arena
from tests.games.openspiel.tables import table_of
from tests.guide.reading import block, code_words, flat, rows
from tests.structure import ROOT
from tests.support.tools import needs_open_spiel, needs_tool

pytestmark = pytest.mark.dear
needs_open_spiel()

from arena.games.openspiel import library  # noqa: E402
from arena.games.openspiel.probes import RESAMPLED, can_redraw, redeals  # noqa: E402

TEXT = flat("openspiel")


def test_the_bot_is_the_sample_bot() -> None:
    sample = ROOT / "sample_bots" / "openspiel" / "simple.py"
    assert block("openspiel", '"""simple') == sample.read_text("utf-8")


def test_the_commands_run(arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_bots").symlink_to(ROOT / "sample_bots")
    for line in block("openspiel", "arena games").splitlines():
        ran = arena(*shlex.split(line)[1:])
        assert ran.status == 0, (line, ran.out, ran.err)


def test_the_commands_of_engines_run(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_tool("stockfish", "stockfish")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_bots").symlink_to(ROOT / "sample_bots")
    for begins in (
        "arena play openspiel:chess uci:stockfish uci:stockfish --set timebank=1000 --set t",
        "arena play openspiel:chess uci:stockfish uci:stockfish --set timebank=1000 --set m",
        "arena play openspiel:chess uci:stockfish uci:stockfish --set resign_moves",
    ):
        for line in block("openspiel", begins).splitlines():
            ran = arena(*shlex.split(line)[1:])
            assert ran.status == 0, (line, ran.out, ran.err)
    assert (tmp_path / "engines.pgn").read_text().count("[%clk") == 4


def test_how_many_games_there_are() -> None:
    assert f"{len(library_games())} games of the library OpenSpiel" in TEXT


def test_the_games_that_are_redrawn() -> None:
    text = " ".join(TEXT.split())
    (listed,) = re.findall(r"redraws them itself for (.*?)\. In the others", text)
    assert set(code_words(listed)) == RESAMPLED
    (refused,) = re.findall(r"For ([^.]*?), whose chance the library does not tell", text)
    hidden = [kind for kind in library.games().values() if redeals(kind)]
    assert set(code_words(refused)) == {one.short_name for one in hidden if not can_redraw(one)}


def test_the_games_that_differ() -> None:
    found = {row[1]: code_words(row[0]) for row in rows("openspiel", "games | what")}
    known = {name.partition(":")[2] for name in library_games()}
    assert {name for names in found.values() for name in names} <= known
    modes = {name: kind.chance_mode for name, kind in library.games().items()}
    sampled = {name for name, mode in modes.items() if mode.name == "SAMPLED_STOCHASTIC"}
    (listed,) = (names for text, names in found.items() if "draws chance itself" in text)
    assert set(listed) == sampled


def test_player2_has_white() -> None:
    for name in code_words(rows("openspiel", "games | what")[0][0]):
        assert list(table_of(name).world.reading.legal) == [1], name


def test_the_longest_match_of_chess() -> None:
    assert f"{table_of('chess').world.rounds:,} moves in chess" in TEXT
