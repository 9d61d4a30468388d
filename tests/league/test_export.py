"""A league for other programs."""

from __future__ import annotations

import json
import re
import tracemalloc

import msgspec
import pytest

from arena.cli.status import print_json
from arena.league.export import csv_line as cells
from arena.league.export import export, html_text, matches
from arena.league.league import League
from arena.league.table import league_table


def test_a_document_with_its_matches_one_by_one(
    played: League, capsys: pytest.CaptureFixture[str]
) -> None:
    document, crosstable = export(played)
    print_json(document, crosstable=crosstable, matches=matches(played))
    found = json.loads(text := capsys.readouterr().out)
    assert text == json.dumps(found, indent=2, ensure_ascii=False) + "\n"
    assert found["table"] == msgspec.to_builtins(league_table(played))
    assert list(found) == ["format", "terms", "bots", "table", "matches"]
    assert len(found["matches"]) == 12
    print_json(document, matches=[])
    assert json.loads(capsys.readouterr().out)["matches"] == []


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        *[(f"{sign}A1", f"'{sign}A1") for sign in ("=", "+", "-", "@", "＝", "＋", "－", "＠")],
        ("a;=cmd()", "a;'=cmd()"),
        (";@x;-y", ";'@x;'-y"),
        *[(name, name) for name in ("a=b", "a-b", "a; b", "-".join("ab"), "ñ@x")],
    ],
)
def test_no_cell_is_a_formula(name: str, cell: str) -> None:
    """Also where a semicolon parts cells, and in full width."""
    assert cells([name, 1.5, -1]) == f"{cell},1.5,-1\n"


def test_what_is_printed_one_by_one_is_not_kept(capfd: pytest.CaptureFixture[str]) -> None:
    def peak(items: int) -> int:
        tracemalloc.start()
        print_json({"items": []}, items=({"text": "x" * 1000} for _ in range(items)))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        capfd.readouterr()
        return most

    peak(10)
    assert peak(2000) < 100_000


def test_who_did_how_against_whom_is_a_number_with_a_colour(played: League) -> None:
    page = "".join(html_text(played))
    found = re.findall(r'<td style="--score:(\d+)" title="(\w+) against (\w+): ([\d-]+)">', page)
    assert len(found) == 12
    assert ("100", "bot3", "bot1", "2-0-0") in found
