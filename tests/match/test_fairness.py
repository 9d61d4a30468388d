"""Whether the machine kept a match fair: scripted programs on a mock clock that jumps."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
import trio

from arena.core.game import Setup
from arena.core.steps import Ask
from arena.core.table import Table
from arena.errors import MachineError, root_cause
from arena.match import referee
from arena.match.referee import SLEEP_LIMIT, Fairness, Referee
from arena.players.inprocess import InProcessPlayer
from tests.support.fake import (
    Bot,
    MockClock,
    Scenario,
    fake_program,
    faults,
    mute,
    obedient,
    play,
    thinks,
    works,
)
from tests.tiny import TINY, TinySettings


def lags(clock: MockClock, seconds: float, *, answers: bool = False) -> Scenario:
    """At the very deadline the arena is held up, and the answer comes meanwhile or not at all."""

    async def scenario(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(0.9)
        clock.jump(0.1 + seconds)
        if answers:
            await bot.say("1\n")
        await trio.sleep_forever()

    return scenario


@pytest.mark.parametrize("lag", [0.019, 0.3, 0.9, 30.0])
async def test_T07_O11_an_arena_that_lagged_makes_no_answer_late(
    autojump_clock: MockClock, lag: float
) -> None:
    scenario = lags(autojump_clock, lag, answers=True)
    result = await play(scenario, obedient, timebank=1000, max_rounds=1)
    assert faults(result) == {}


@pytest.mark.parametrize("lag", [0.019, 0.3, 0.9, 30.0])
async def test_T07_O11_no_lag_voids_the_match_of_a_bot_that_hangs(
    autojump_clock: MockClock, lag: float
) -> None:
    """It loses at the first look; after a standstill without any reason it gets its bank anew."""
    start = trio.current_time()
    result = await play(lags(autojump_clock, lag), obedient, timebank=1000, max_rounds=1)
    assert faults(result) == {"timeout": 1}
    assert trio.current_time() - start < lag + (2.2 if lag > 1 else 1.2)


async def test_T07_lag_without_a_timeout_is_no_matter(autojump_clock: MockClock) -> None:
    async def quick(bot: Bot) -> None:
        while True:
            await bot.request()
            autojump_clock.jump(0.5)
            await bot.say("1\n")

    result = await play(quick, obedient, timebank=1000, time_per_move=1000)
    assert faults(result) == {}


async def test_T07_a_function_that_thinks_too_long_holds_up_the_arena(
    autojump_clock: MockClock,
) -> None:
    """A Python object that thinks too long keeps us from hearing the program beside it."""

    def blocks(lines: list[str]) -> str:
        autojump_clock.jump(3.0)
        return "1"

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=1000, max_rounds=1)))
    async with fake_program(thinks(0.5)) as first:
        result = await Referee(table, [InProcessPlayer("slow", blocks), first]).run()
    assert faults(result, 1) == {}


async def test_a_line_that_certainly_came_late_is_late_whatever_the_lag(
    autojump_clock: MockClock,
) -> None:
    """Nothing was there when we looked after the deadline, so the line came later than that."""

    async def late(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(1.5)
        autojump_clock.jump(0.2)
        await bot.say("1\n")
        await trio.sleep_forever()

    def script(world: Any) -> Any:
        yield (Ask(0, "go bid", patience=3),)
        raise Done

    class Done(Exception):
        pass

    table = Table(
        dataclasses.replace(TINY, script=script), Setup("1", 2, TinySettings(timebank=1000))
    )
    async with fake_program(late) as first, fake_program(obedient) as second:
        with pytest.raises(BaseExceptionGroup) as caught:
            await Referee(table, [first, second]).run()
    assert not isinstance(root_cause(caught.value), MachineError)


@pytest.mark.parametrize(("slept", "void"), [(0.9, False), (3600.0, True)])
async def test_O05_a_suspended_machine_voids_the_match(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, slept: float, void: bool
) -> None:
    async def sleeps(bot: Bot) -> None:
        await bot.request()
        monkeypatch.setattr(referee, "suspended", lambda: before + slept)
        await bot.say("1\n")
        await obedient(bot)

    before = referee.suspended()
    if void:
        with pytest.raises(BaseExceptionGroup) as caught:
            await play(sleeps, obedient)
        assert str(root_cause(caught.value)) == (
            "the machine was suspended for 3600 s: the match is void; run it again"
        )
    else:
        assert faults(await play(sleeps, obedient)) == {}


async def test_O05_the_clock_of_the_machine_is_never_read(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden() -> float:
        raise AssertionError("the wall clock was read")

    monkeypatch.setattr(time, "time", forbidden)
    monkeypatch.setattr(time, "time_ns", forbidden)
    result = await play(works(0.1, 1), mute)
    assert faults(result, 1)["timeout"] == 2


# -- the limits themselves -------------------------------------------------------------------------


def test_a_suspension_is_seen_at_each_missed_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee, "suspended", lambda: 10.0)
    fair = Fairness()
    monkeypatch.setattr(referee, "suspended", lambda: 10.0 + SLEEP_LIMIT)
    fair.check_sleep()
    monkeypatch.setattr(referee, "suspended", lambda: 10.1 + SLEEP_LIMIT)
    with pytest.raises(MachineError, match="the machine was suspended for 1 s"):
        fair.check_sleep()


# -- with real processes --------------------------------------------------------------------------


@pytest.mark.alone
@pytest.mark.parametrize(("after", "timeouts"), [(1.2, 0), (100, 2)])
def test_T07_O11_an_arena_that_was_stopped_across_a_deadline_gives_a_verdict(
    tmp_path: Path, after: float, timeouts: int
) -> None:
    """A real arena is stopped while a bot's time of 1.5 s runs out. A bot that answers meanwhile is
    in time, one that hangs is not, and no match is void."""
    asked = tmp_path / "asked"
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        "    if line.startswith(('pick', 'go')):\n"
        f"        if line.startswith('pick') and sys.argv[1] == 'slow':\n"
        f"            open({str(asked)!r}, 'w').close()\n"
        f"            time.sleep({after})\n"
        "            sys.argv[1] = ''\n"
        "        print('No moves', flush=True)\n"
    )
    with subprocess.Popen(
        (
            *(sys.executable, "-m", "arena", "play", "warlight"),
            *(f"{sys.executable} {bot} {how}" for how in ("slow", "quick")),
            *("--seed", "1", "--timebank", "1500", "--set", "max_rounds=2", "--json"),
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as arena:
        deadline = time.monotonic() + 60
        while not asked.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        children = psutil.Process(arena.pid).children(recursive=True)
        os.kill(arena.pid, signal.SIGSTOP)
        time.sleep(2.0)
        os.kill(arena.pid, signal.SIGCONT)
        out, err = arena.communicate(timeout=60)
    assert arena.returncode == 0, err
    faults = [player["faults"].get("timeout", 0) for player in json.loads(out)["players"]]
    assert faults == [timeouts, 0]
    _, alive = psutil.wait_procs(children, timeout=20)
    assert alive == []
