"""A small soak; see `tests.experiments.soak` for the promises."""

from __future__ import annotations

import gc
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from arena.sandbox.levels import SANDBOX_MODES
from tests.experiments.soak import Tally, judge
from tests.hostile.arena_runs import linux_only, nothing_left
from tests.support.kernel_memory import KernelMemory, Sample, grown

if TYPE_CHECKING:
    from arena.match.report import MatchReport

pytestmark = pytest.mark.dear
LOOSER = 1.25
"""Six matches a quarter tell little: a page of the heap more or less is some per cent."""
CODE = """
import sys
from arena.sandbox.levels import SANDBOX_MODES
from tests.experiments.soak import soak
tally = soak(24, SANDBOX_MODES[sys.argv[1]], ("say", "daemon", "flood_blank", "memory"))
print(tally.text())
print("BROKEN:", tally.broken(growth=float(sys.argv[2])))
"""


@linux_only
def test_some_matches_leave_nothing() -> None:
    """Without walls: the gate (.ci/run) plays many more behind them, with all sins."""
    words = [sys.executable, "-c", CODE, "off", str(LOOSER)]
    root = Path(__file__).parents[2]
    ran = subprocess.run(words, cwd=root, capture_output=True, text=True, timeout=120)
    assert "BROKEN: []" in ran.stdout, ran.stdout + ran.stderr


def test_what_is_left_or_grows_breaks_a_promise() -> None:
    tally = Tally(arena=[50, 50, 50, 60], keeper=[9, 9, 9, 9], processes=2)
    assert tally.broken() == ["2 processes left", "the arena grew from 50.0 to 60.0 MiB"]
    assert Tally(arena=[50, 51, 50, 51], keeper=[9, 9, 9, 9]).broken() == []
    assert set(SANDBOX_MODES) == {"off", "auto", "strict"}


@pytest.mark.parametrize(
    ("slab", "own", "groups", "broken"),
    [
        ([100, 100, 101, 102], [9, 9, 9, 9], [5, 5, 6, 7], []),
        (
            [100, 100, 110, 120],
            [9, 9, 9, 9],
            [5, 5, 5, 5],
            ["the kernel grew from 100.0 to 120.0 MiB"],
        ),
        (
            [100, 100, 100, 100],
            [9, 9, 12, 15],
            [5, 50, 90, 140],
            [
                "the kernel's part of the own group grew from 9.0 to 15.0 MiB",
                "the control groups grew from 50 to 140",
            ],
        ),
    ],
)
def test_memory_of_the_kernel_that_grows_breaks_a_promise(
    slab: list[int], own: list[int], groups: list[int], broken: list[str]
) -> None:
    looks = zip(slab, own, groups, strict=True)
    samples = [Sample({"SUnreclaim": a << 20}, b << 20, count) for a, b, count in looks]
    assert grown(samples) == broken
    kernel = KernelMemory(every=1, drop_caches=True)
    kernel.samples = samples
    tally = Tally(arena=[50] * 4, keeper=[9] * 4, kernel=kernel)
    assert tally.broken() == broken


@linux_only
def test_the_memory_of_the_kernel_is_looked_at_now_and_then() -> None:
    kernel, told = KernelMemory(every=2, drop_caches=False), list[str]()
    for match in range(1, 6):
        kernel.after(match, told.append)
    assert [line.split(":")[0] for line in told] == ["after 2 matches", "after 4 matches"]
    assert all(one.kernel > 0 for one in kernel.samples)
    assert kernel.broken() == []


def test_a_late_answer_is_in_time_only_where_the_arena_was_away() -> None:
    def report(stopped: str | None) -> MatchReport:
        bad = SimpleNamespace(stopped=stopped, stopped_detail="", faults={})
        good = SimpleNamespace(stopped=None, faults={})
        return cast("MatchReport", SimpleNamespace(players=[bad, good]))

    assert judge(7, "late_by_bank", report("timeouts"), 0.0) == []
    assert judge(7, "late_by_bank", report(None), 0.1) == []
    assert judge(7, "late_by_bank", report(None), 0.06) == [
        "match 7: late_by_bank was ended for None (; the loop was away for 60 ms at most)"
    ]
    assert judge(7, "deaf", report(None), 1.0) != []


def test_what_is_left_of_a_match_is_told_from_what_others_left(own_temporary_folder: Path) -> None:
    """Python closes what stands in a circle whenever it comes by: once within a match."""
    circle: list[object] = [socket.socket()]
    circle.append(circle)
    with nothing_left():
        del circle
        with pytest.warns(ResourceWarning):
            gc.collect()
    with pytest.raises(AssertionError, match="pipe:"), nothing_left():
        pipe = os.pipe()
    for end in pipe:
        os.close(end)
