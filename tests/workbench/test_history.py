"""Strength over versions, the page, and the search by halves."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.errors import UsageError
from arena.tournament.ratings import Z
from arena.tournament.sprt import Sprt, SprtVerdict
from arena.workbench.bisect import BisectReport, BisectStep, BisectVerdict, bisect, each_test
from arena.workbench.history import (
    HistoryEntry,
    VersionLabel,
    append_to_history,
    history,
    history_page,
    read_history,
    strengths,
)


def version(name: str) -> VersionLabel:
    return VersionLabel(name, f"{name}.py", f"address of {name}")


def entry(
    old: str, new: str, elo: float | None, half: float = 10.0, game: str = "tiny"
) -> HistoryEntry:
    bounds = (None, None) if elo is None else (elo - half, elo + half)
    return HistoryEntry(
        "2026-01-01T00:00:00Z", game, version(old), version(new), [version("rival")], "7",
        100, 400, "better", elo, *bounds,
    )  # fmt: skip


def test_a_chain_adds_up_with_its_errors() -> None:
    report = history([entry("a", "b", 20.0), entry("b", "c", -5.0)])
    assert [one.elo for one in report.versions] == [0, 20, 15]
    assert [one.error for one in report.versions] == pytest.approx([0, 10, 14.142], abs=0.01)


def test_a_loop_is_the_best_fit() -> None:
    """Three equal comparisons whose sum is 6 off: each takes a third of it."""
    found = strengths(3, [(0, 1, 10.0, 5.0), (1, 2, 10.0, 5.0), (0, 2, 26.0, 5.0)])
    assert [elo for elo, _ in found] == pytest.approx([0, 12, 24])


def test_versions_that_nothing_links_have_no_strength() -> None:
    report = history([entry("a", "b", 1.0), entry("c", "d", 5.0), entry("b", "e", None)])
    assert [one.elo for one in report.versions] == [0, 1, None, None, None]
    assert report.notes == ["e against b has no bound: left out"]
    assert "<td>-</td>" in history_page(report)


def test_a_version_is_its_content() -> None:
    """Not its name or its file."""
    renamed = replace(version("b"), name="other", command="other.py")
    report = history([entry("a", "b", 3.0), replace(entry("b", "c", 1.0), old=renamed)])
    assert [one.elo for one in report.versions] == [0, 3, 4]


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    assert read_history(path, may_be_absent=True) == []
    first, second = entry("a", "b", 1.0), entry("b", "c", 2.0)
    append_to_history(path, first)
    path.write_bytes(path.read_bytes() + b'{"when": "cut sho')
    append_to_history(path, second)
    assert read_history(path) == [first, second]


@pytest.mark.parametrize("content", [b"", b"# Notes\n", b'{"a":1}\n', b"\xff\xfe\n"])
def test_other_files_are_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"is no history|is empty"):
        read_history(path)


def test_one_game_at_a_time() -> None:
    both = [entry("a", "b", 1.0), entry("a", "b", 2.0, game="other")]
    with pytest.raises(UsageError, match="choose one with --game"):
        history(both)
    assert history(both, "other").versions[1].elo == 2
    with pytest.raises(UsageError, match="no comparison in third"):
        history(both, "third")


def test_names_cannot_break_the_page() -> None:
    page = history_page(history([entry("<script>", "b\n&", 1.0)]))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def search(broken: int, versions: int = 9) -> BisectReport:
    def ask(asked: int) -> BisectStep:
        verdict = SprtVerdict.BETTER if asked >= broken else SprtVerdict.NOT_BETTER
        return BisectStep(asked, verdict, 1.0, 0.0, 2.0, 100)

    return bisect("tiny", [f"v{i}" for i in range(versions)], ask)


@pytest.mark.parametrize("broken", range(1, 9))
def test_the_broken_version_is_found(broken: int) -> None:
    report = search(broken)
    assert (report.good, report.bad) == (f"v{broken - 1}", f"v{broken}")
    assert report.verdict is BisectVerdict.FOUND
    assert len(report.steps) <= 4


def test_nothing_to_find_and_nothing_known() -> None:
    assert search(9).verdict is BisectVerdict.NOT_WORSE
    assert len(search(9).steps) == 1
    undecided = BisectStep(1, SprtVerdict.UNDECIDED, None, None, None, 4)
    assert bisect("tiny", ["a", "b"], lambda _: undecided).verdict is BisectVerdict.UNDECIDED
    with pytest.raises(UsageError, match="name the good one first"):
        bisect("tiny", ["a"], lambda _: undecided)


def test_all_questions_share_the_error() -> None:
    assert each_test(Sprt(), 9).alpha == pytest.approx(0.05 / 4)
    assert each_test(Sprt(), 2).alpha == 0.05
    assert Z > 1.9
