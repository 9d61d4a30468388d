"""A series from Python: iterated, inside Trio, and ended early."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

import arena
from arena.match.spec import numbered
from arena.record.verify import verify
from tests.api.conftest import one, two
from tests.support.leftovers import watched_processes

SETTINGS = {"max_rounds": 3}


def test_seats_rotate_and_the_table_counts_by_bot() -> None:
    series = arena.series("tiny", [one, two], games=4, seed=7, settings=SETTINGS)
    seeds = [report.seed for report in series]
    assert seeds == ["7", "7", "7.1", "7.1"]
    assert [row.name for row in series.standings] == ["one", "two"]
    assert [(row.wins, row.losses) for row in series.standings] == [(0, 4), (4, 0)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_worker_processes_make_no_difference(jobs: int, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    series = arena.series(
        "tiny", [one, two], games=3, jobs=jobs, seed=7, settings=SETTINGS, replay=path
    )
    assert len(list(series)) == 3
    assert [row.wins for row in series.standings] == [0, 3]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r-1.jsonl", "r-2.jsonl", "r-3.jsonl"]
    assert all(verify(p).ok for p in tmp_path.iterdir())


def test_more_bots_than_seats_are_a_round_robin() -> None:
    series = arena.series("tiny", [one, two, one, two], games=2, seed=7, settings=SETTINGS)
    assert series.games == 12
    seeds = [report.seed for report in series]
    assert seeds[:4] == ["7.1-4.1", "7.1-4.1", "7.2-3.1", "7.2-3.1"]
    document = series.report()
    assert [row.games for row in document.summary.standings] == [6] * 4
    assert [row.wins for row in document.summary.standings] == [1, 5, 1, 5]
    cells = {(cell.bot, cell.rival): cell for cell in document.summary.crosstable}
    assert (cells[1, 0].ahead, cells[0, 1].behind, cells[0, 2].ahead) == (2, 2, 1)
    assert [one.order for one in document.fixtures[:2]] == [(0, 3), (3, 0)]


@pytest.mark.parametrize(("bots", "given", "seats"), [(3, None, 3), (4, None, 2), (4, 3, 3)])
def test_so_many_bots_take_part_in_a_match(bots: int, given: int | None, seats: int) -> None:
    series = arena.series("tiny", [one] * bots, games=1, seats=given)
    assert len(series.spec(0).entrants) == series.seats == seats


@pytest.mark.parametrize(("bots", "seats"), [(4, 4), (2, 3)])
def test_a_match_cannot_be_for_so_many(bots: int, seats: int) -> None:
    with pytest.raises(arena.UsageError, match=f"seats={seats} is not allowed for {bots} bots"):
        arena.series("tiny", [one] * bots, games=1, seats=seats)


def test_two_bots_of_one_name_are_told_apart() -> None:
    series = arena.series("tiny", [one, one], games=1)
    assert series.names == ["one #1", "one #2"]


def test_what_was_played_before_a_break_is_kept() -> None:
    series = arena.series("tiny", [one, two], games=10**9, settings=SETTINGS)
    for number, _ in enumerate(series):
        if number == 2:
            break
    assert len(series.reports) == 3
    assert series.standings[1].wins == 3
    document = series.report(KeyboardInterrupt())
    assert (document.summary.played, document.summary.stopped) == (3, "interrupted")


def test_a_function_of_a_function_cannot_be_sent_to_workers() -> None:
    series = arena.series("tiny", [one, lambda lines: "1"], games=2, jobs=2)
    with pytest.raises(arena.UsageError, match="cannot be sent to worker processes"):
        list(series)


async def test_inside_trio() -> None:
    series = arena.series("tiny", [one, two], games=3, jobs=2, settings=SETTINGS)
    heard: list[str] = []
    await series.play_async(lambda report: heard.append(report.seed))
    assert len(heard) == len(series.reports) == 3


@pytest.mark.dear
async def test_a_cancelled_series_leaves_nothing(tmp_path: Path) -> None:
    bot = tmp_path / "sleeper.py"
    bot.write_text("import time\ntime.sleep(99)\n")
    series = arena.series("tiny", [bot, bot], games=4, jobs=2)
    with watched_processes(), trio.move_on_after(2) as scope:
        await series.play_async()
    assert scope.cancelled_caught


async def test_an_error_in_what_hears_the_reports_ends_the_series() -> None:
    series = arena.series("tiny", [one, two], games=50, settings=SETTINGS)

    def refuse(report: object) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        await series.play_async(refuse)
    assert len(series.reports) < 50


def test_records_are_numbered() -> None:
    assert numbered(Path("a/r.jsonl.gz"), 12) == Path("a/r-12.jsonl.gz")
    assert numbered(None, 1) is None


@pytest.mark.parametrize(
    ("ends", "jobs", "hourly"),
    [
        ([], 1, None),
        ([9.0], 1, None),
        ([9.0, 10.0], 1, 3600.0),
        ([9.0, 10.0, 13.0], 1, 1800.0),
        ([8.0, 9.0, 10.0], 2, None),
        ([8.0, 9.0, 10.0, 11.0], 2, 3600.0),
        ([9.0, 9.0], 1, None),
    ],
)
def test_the_matches_an_hour_leave_the_first_of_each_job_out(
    ends: list[float], jobs: int, hourly: float | None
) -> None:
    """It also starts what plays."""
    planned = arena.series("warlight", [one, two], games=9, jobs=jobs)
    planned._ends = ends
    assert planned.matches_per_hour == hourly
    assert planned.report().summary.matches_per_hour == hourly
