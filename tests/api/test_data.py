"""Files of rows, data frames, and matches in notebooks."""

from __future__ import annotations

import gzip
import html
import json
import sys
from pathlib import Path

import pytest

import arena
from arena.api.data import NESTED_FIELDS
from arena.match.report import PlayerReport
from arena.record.reader import save
from tests.support.past import played


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "r.jsonl"
    save(played("warlight"), path)
    return path


@pytest.mark.dear
def test_lines_and_parquet_and_the_frame_have_the_same_rows(record: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pip install '.[data]'")
    found = list(arena.rows(record))
    lines, table = tmp_path / "r.jsonl.gz", tmp_path / "r.parquet"
    assert arena.write_rows([record, record], lines) == 2 * len(found)
    assert arena.write_rows(record, table) == len(found)
    with gzip.open(lines) as file:
        one = json.loads(file.readline())
    read = parquet.read_table(table)
    assert read.column_names == list(arena.Row.__struct_fields__)
    assert read.to_pylist()[0] == one
    frame = arena.data_frame(arena.Match.read(record))
    assert list(frame["answer"]) == [row.answer for row in found]


@pytest.mark.dear
def test_a_series_is_a_frame_with_a_row_for_each_seat() -> None:
    pytest.importorskip("pandas", reason="pip install '.[data]'")
    quiet = arena.python_bot(lambda: lambda lines: "No moves", name="quiet")
    series = arena.series("toroid", [quiet, quiet], games=2, seed=1)
    assert arena.data_frame(series).empty
    list(series)
    frame = arena.data_frame(series)
    assert list(frame["match"]) == [1, 1, 2, 2]
    assert list(frame["bot"]) == ["quiet #1", "quiet #2", "quiet #2", "quiet #1"]
    assert list(frame.groupby("match")["score"].sum()) == [1, 1]


def test_a_series_of_programs_has_the_columns_of_one_of_functions() -> None:
    """`NESTED_FIELDS` has all that can be no single value: a column for it would come and go."""
    plain = {"str", "int", "float", "bool", "None", "Fate"}
    kinds = {name: set(kind.split(" | ")) for name, kind in PlayerReport.__annotations__.items()}
    assert {name for name, kind in kinds.items() if kind - plain} == NESTED_FIELDS


def test_a_notebook_shows_the_page_of_a_match(record: Path) -> None:
    shown = arena.Match.read(record)._repr_html_()
    assert shown.startswith("<iframe title=")
    assert "allow-same-origin" not in shown
    page = html.unescape(shown.partition('srcdoc="')[2].partition('"')[0])
    assert page.startswith("<!DOCTYPE html>")
    assert "Content-Security-Policy" in page


@pytest.mark.dear_for("parquet")
@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz", "parquet"])
def test_where_nothing_can_be_written_it_says_why(
    ending: str, record: Path, tmp_path: Path
) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow", reason="pip install '.[data]'")
    for name, why in (("none/r", "No such file or directory"), ("r" * 256, "File name too long")):
        with pytest.raises(arena.UsageError, match=f"r.{ending}: {why}: name another file"):
            arena.write_rows(record, tmp_path / f"{name}.{ending}")


def test_a_file_that_is_there_is_kept(record: Path, tmp_path: Path) -> None:
    there = tmp_path / "r.jsonl"
    there.write_text("mine")
    with pytest.raises(arena.UsageError, match="exists already: name another"):
        arena.write_rows(record, there)
    with pytest.raises(arena.ReplayError):
        arena.write_rows([record, __file__], there, overwrite=True)
    assert there.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [there]
    assert arena.write_rows(record, there, overwrite=True)
    with pytest.raises(arena.UsageError, match=r"end the name with \.parquet"):
        arena.write_rows(record, tmp_path / "r.csv")


def test_without_the_extra_it_says_what_to_install(
    record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pyarrow", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    for ask in (
        lambda: arena.data_frame(record),
        lambda: arena.write_rows(record, tmp_path / "r.parquet"),
    ):
        with pytest.raises(arena.UsageError, match=r"pip install '.\[data\]'"):
            ask()
    assert not list(tmp_path.iterdir())
