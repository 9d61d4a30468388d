"""What a program may take to start, and what its bank pays: whole matches on a mock clock."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import trio

from arena.core.replies import Cost
from arena.players.terms import Timing
from arena.players.timing import StartUp
from tests.support.fake import Bot, MockClock, Scenario, faults, obedient, play

TEN = 10_000_000_000


def starts_in(seconds: float, then: float = 0.0) -> Scenario:
    """A bot that takes so long to its first answer, and `then` for each other."""

    async def scenario(bot: Bot) -> None:
        pause = seconds
        while True:
            await bot.request()
            await trio.sleep(pause)
            await bot.say("1\n")
            pause = then

    return scenario


@pytest.mark.parametrize(
    ("seconds", "timeouts", "charged", "taken"),
    [
        (3.0, 0, 0.0, 3000),
        (10.5, 0, 500.0, 10_000),  # half a second of its bank
        (10.999, 0, 999.0, 10_000),
        (11.1, 1, 1000.0, 10_000),
    ],
)
async def test_the_start_is_not_charged(
    autojump_clock: MockClock, seconds: float, timeouts: int, charged: float, taken: float
) -> None:
    timing = Timing(start_up=10_000)
    slow = starts_in(seconds)
    result = await play(slow, obedient, timing=timing, timebank=1000, max_rounds=1)
    assert faults(result).get("timeout", 0) == timeouts
    totals = result.seats[0].totals()
    assert totals.tally.charged.total / 1e6 == pytest.approx(charged, abs=0.1)
    assert totals.start_up_ms == pytest.approx(taken, abs=0.1)


async def test_what_is_left_of_it_is_gone(autojump_clock: MockClock) -> None:
    """The second answer comes 1.2 s after its request, of a bank of a second."""
    timing = Timing(start_up=10_000)
    slow = starts_in(0.1, then=1.2)
    result = await play(slow, obedient, timing=timing, timebank=1000, max_rounds=2)
    assert faults(result)["timeout"] == 1


async def test_without_one_the_bank_pays(autojump_clock: MockClock) -> None:
    result = await play(starts_in(0.5), obedient, timebank=1000, max_rounds=1)
    totals = result.seats[0].totals()
    assert totals.tally.charged.total == pytest.approx(500e6, abs=1e5)
    assert totals.start_up_ms is None


def test_a_first_request_that_comes_late_has_what_is_left() -> None:
    start_up = StartUp(TEN, began=0)
    assert start_up.grace(TEN - 5) == 5
    assert start_up.settle(Cost(7)) == Cost(2)
    assert start_up.taken == TEN
    assert start_up.grace(TEN) == 0
    assert start_up.settle(Cost(7)) == Cost(7)


async def test_the_record_tells_what_it_took(autojump_clock: MockClock, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    timing = Timing(start_up=10_000)
    await play(starts_in(2.0), obedient, timing=timing, timebank=1000, replay=path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("start_up_ms") for line in lines if line["type"] == "player"] == [2000, 0]
    first = next(line for line in lines if line["type"] == "answer")
    assert (first["ms"], first["wall_ms"]) == (0, 2000)
