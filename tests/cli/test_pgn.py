"""`arena pgn`, as a chess programmer uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena import play
from arena.record.reader import save
from tests.cli.conftest import Arena
from tests.support.past import bots, played
from tests.support.tools import needs_open_spiel

pytestmark = pytest.mark.dear
needs_open_spiel()


def test_matches_become_pgn(arena: Arena, tmp_path: Path) -> None:
    record, out = tmp_path / "r.jsonl", tmp_path / "games.pgn"
    save(play("openspiel:chess", bots(), settings={"play_on": True, "max_moves": 4}), record)
    ran = arena("pgn", record, record, "-o", out)
    assert (ran.status, ran.err) == (0, f"arena: 2 matches of chess: {out}\n")
    assert out.read_text().count('[Event "arena') == 2
    assert "add --overwrite" in arena("pgn", record, "-o", out).err
    assert arena("pgn", record, "-o", out, "--overwrite").status == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "name a replay"),
        (("none.jsonl",), "there is no file none.jsonl"),
        ((__file__,), "line 1: not a line of a replay"),
    ],
)
def test_wrong_arguments(arena: Arena, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    ran = arena("pgn", *words, "-o", tmp_path / "x.pgn")
    assert ran.status in (1, 2)
    assert says in ran.err
    assert "-o x.txt: name a file that ends in" in arena("pgn", __file__, "-o", "x.txt").err
    record = tmp_path / "r.jsonl"
    save(played("tncc"), record)
    ran = arena("pgn", record, "-o", tmp_path / "x.pgn")
    assert ran.err.startswith(f"arena: {record}: the match is one of tncc")
    assert not (tmp_path / "x.pgn").exists()
