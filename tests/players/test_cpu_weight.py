"""When a program's weight changes: by its CPU time between requests, on a mock clock."""

from __future__ import annotations

import pytest
import trio

from arena.players.process import PONDERING_NS
from tests.support.fake import Bot, FakeMeter, MockClock, Scenario, play

ROUNDS = 12
TICK = 0.020


def ponders(part: float, meters: list[FakeMeter]) -> Scenario:
    """A bot that answers at once, and computes for a part of the time until it is asked again."""

    async def scenario(bot: Bot) -> None:
        meters.append(bot.meter)

        async def compute() -> None:
            while True:
                await trio.sleep(TICK / 7)
                bot.meter.cpu += round(part * TICK / 7 * 1e9)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(compute)
            for _ in range(ROUNDS):
                await bot.request()
                assert bot.meter.gave_way[-1:] != [True]
                await bot.say("1\n")
            await trio.sleep_forever()

    return scenario


def thinks_for(seconds: float) -> Scenario:
    """A rival that needs so long, and uses its core alone."""

    async def scenario(bot: Bot) -> None:
        while True:
            await bot.request()
            await trio.sleep(seconds)
            bot.meter.cpu += round(seconds * 1e9)
            await bot.say("1\n")

    return scenario


@pytest.mark.parametrize("moves", [TICK / 4, TICK * 10])
async def test_a_program_that_ponders_gives_way_between_requests(
    autojump_clock: MockClock, moves: float
) -> None:
    """Whether its rival is quick or slow. When it is asked, or ends, it competes like others."""
    meters: list[FakeMeter] = []
    await play(ponders(2.0, meters), thinks_for(moves), max_rounds=ROUNDS)
    seen = meters[0].gave_way
    assert seen == [True, False] * (len(seen) // 2)
    assert len(seen) >= 2 * (ROUNDS - 3)


@pytest.mark.parametrize("moves", [TICK / 4, TICK * 10])
async def test_a_quiet_program_is_never_touched(autojump_clock: MockClock, moves: float) -> None:
    """Nor one that works without a break while it is asked, as the rival does."""
    meters: list[FakeMeter] = []
    await play(ponders(0.1, meters), thinks_for(moves), max_rounds=ROUNDS)
    await play(thinks_for(moves), thinks_for(moves), max_rounds=ROUNDS)
    assert moves * ROUNDS * 1e9 > PONDERING_NS
    assert meters[0].gave_way == []
