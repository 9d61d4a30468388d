"""When an input test says how it goes on, and when it gives a bot up that holds the machine."""

from __future__ import annotations

import math

import pytest
import trio

from arena.match.overtime import Overtime


def overtime(said: list[str], *, cores: float, charged: float = 0.0, tasks: int = 40) -> Overtime:
    """Of a bot that uses so many cores, and is charged so much of each second."""
    return Overtime(
        lambda: (trio.current_time() * cores, tasks),
        lambda: trio.current_time() * charged,
        10.0,
        lambda real, cpu: said.append(f"{real:.0f} s: {cpu:.1f} s of CPU"),
    )


async def test_a_bot_that_uses_more_than_a_core_beyond_its_time_is_given_up(
    autojump_clock: object,
) -> None:
    said: list[str] = []
    with trio.fail_after(100):
        hog = await overtime(said, cores=1.5).watch()
    assert (round(hog.real), round(hog.cpu, 1), hog.tasks) == (41, 61.5, 40)
    assert said == [f"{10 * n} s: {15.0 * n} s of CPU" for n in (1, 2, 3, 4)]


async def test_one_whose_many_processes_wait_for_each_other_is_given_up(
    autojump_clock: object,
) -> None:
    with trio.fail_after(100):
        assert (await overtime([], cores=0.1, tasks=401).watch()).tasks == 401


@pytest.mark.parametrize(("cores", "charged"), [(0.9, 0.0), (4.0, 0.99), (0.0, 0.0)])
async def test_one_that_waits_or_computes_in_its_own_time_is_not(
    autojump_clock: object, cores: float, charged: float
) -> None:
    said: list[str] = []
    with trio.move_on_after(600):
        await overtime(said, cores=cores, charged=charged).watch()
        pytest.fail("given up")
    assert len(said) >= math.floor(600 / 10) - 1
