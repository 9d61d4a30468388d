"""`arena rows`, as a researcher uses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.record.reader import save
from tests.cli.conftest import Arena
from tests.support.past import played


def test_records_become_rows(arena: Arena, tmp_path: Path) -> None:
    record, out = tmp_path / "r.jsonl", tmp_path / "rows.jsonl"
    save(played("tncc"), record)
    ran = arena("rows", record, record, "-o", out)
    assert ran.status == 0
    lines = out.read_text().splitlines()
    assert ran.err == f"arena: {len(lines)} rows of 2 matches: {out}\n"
    assert json.loads(lines[0])["game"] == "tncc"
    ran = arena("rows", record, "-o", out)
    assert (ran.status, "add --overwrite" in ran.err) == (2, True)
    assert arena("rows", record, "-o", out, "--overwrite").status == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "name a replay"),
        (("none.jsonl",), "there is no file none.jsonl"),
        ((__file__,), "line 1: not a line of a replay"),
    ],
)
def test_wrong_arguments(arena: Arena, tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    ran = arena("rows", *words, "-o", tmp_path / "x.jsonl")
    assert ran.status in (1, 2)
    assert says in ran.err
    ran = arena("rows", __file__, "-o", "x.csv")
    assert "-o x.csv: name a file that ends in" in ran.err
