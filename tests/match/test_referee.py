"""The referee, in whole matches of the tiny game between scripted programs on a mock clock."""

from __future__ import annotations

import dataclasses
import os

import pytest
import trio
import trio.testing

from arena.core.game import Setup
from arena.core.listener import Spectator
from arena.core.steps import Ask, Fate, Frame, Note, Outcome, Script, Tell
from arena.core.table import Table
from arena.match.referee import Referee
from arena.players.inprocess import InProcessPlayer, silent
from arena.players.player import Stopped
from tests.support.fake import Bot, MockClock, fake_program, faults, obedient, play, thinks
from tests.tiny import TINY, TinySettings, TinyWorld


async def test_a_whole_match(autojump_clock: MockClock) -> None:
    result = await play(obedient, obedient)
    assert result.rounds == 5
    assert result.requests == 10
    assert result.outcome.reason == "max_rounds"
    assert faults(result) == faults(result, 1) == {}
    assert [seat.player.stopped for seat in result.seats] == [None, None]


async def test_lines_told_come_with_the_request_in_order(autojump_clock: MockClock) -> None:
    seen: list[str] = []

    async def scenario(bot: Bot) -> None:
        await trio.lowlevel.wait_readable(bot.child.bot_stdin)
        await trio.testing.wait_all_tasks_blocked()
        seen.append(os.read(bot.child.bot_stdin, 65536).decode())
        await bot.say("1\n")

    await play(scenario, obedient, max_rounds=1)
    assert seen == ["round 1\nupdate_map 20 5\ngo bid 10000\n"]


async def test_simultaneous_requests_are_asked_side_by_side(autojump_clock: MockClock) -> None:
    start = trio.current_time()
    await play(thinks(1.0), thinks(1.0), max_rounds=1)
    assert trio.current_time() - start == pytest.approx(1.0, abs=0.2)


async def test_a_seat_that_is_not_asked_is_told_before_the_wait(
    autojump_clock: MockClock,
) -> None:
    told_at: list[float] = []

    async def listens(bot: Bot) -> None:
        await trio.lowlevel.wait_readable(bot.child.bot_stdin)
        told_at.append(trio.current_time())
        assert os.read(bot.child.bot_stdin, 100) == b"game_over 2 0\n"

    def script(world: TinyWorld) -> Script:
        yield Tell(1, "game_over 2 0")
        yield (Ask(0, "go bid"),)
        return Outcome((1, 2), (1, 0), (Fate.SURVIVED, Fate.REMOVED), "done", "Done.")

    table = Table(dataclasses.replace(TINY, script=script), Setup("1", 2, TinySettings()))
    async with fake_program(thinks(5.0)) as first, fake_program(listens) as second:
        result = await Referee(table, [first, second]).run()
    assert told_at == [pytest.approx(0, abs=0.1)]
    assert faults(result, 1) == {}  # that it leaves now is no fault
    assert result.seats[1].player.stopped is None


async def test_sequential_asks_one_after_the_other(autojump_clock: MockClock) -> None:
    start = trio.current_time()
    result = await play(thinks(1.0), thinks(1.0), max_rounds=1, sequential=True)
    assert trio.current_time() - start == pytest.approx(2.0, abs=0.2)
    assert [seat.tally.charged.total for seat in result.seats] == [
        pytest.approx(1e9),
        pytest.approx(1e9),
    ]


async def test_a_slow_rival_is_not_charged_to_the_quick_one(autojump_clock: MockClock) -> None:
    result = await play(thinks(2.0), thinks(0.5), max_rounds=1)
    assert result.seats[0].tally.charged.total == pytest.approx(2e9)
    assert result.seats[1].tally.charged.total == pytest.approx(0.5e9)


async def test_the_rules_stop_a_seat_that_misses_too_often(autojump_clock: MockClock) -> None:
    async def mute(bot: Bot) -> None:
        await trio.sleep_forever()

    result = await play(mute, obedient)
    assert result.seats[0].player.stopped is Stopped.TIMEOUTS
    assert result.seats[0].player.stopped_detail == "missed 2 answers"
    assert faults(result) == {"timeout": 2, "timeouts": 1}
    assert result.rounds == 5


async def test_functions_play_too(autojump_clock: MockClock) -> None:
    def highest(lines: list[str]) -> str:
        return lines[-2].split()[1]

    table = Table(TINY, Setup("1", 3, TinySettings()))
    result = await Referee(table, [InProcessPlayer("all in", highest), silent(), silent()]).run()
    assert result.outcome.ranks[0] == 1
    assert result.seats[0].tally.faults == {}


async def test_a_spectator_sees_every_round(autojump_clock: MockClock) -> None:
    rounds: list[int] = []

    async def watch(frame: Frame) -> None:
        rounds.append(frame["round"])

    table = Table(TINY, Setup("1", 2, TinySettings()))
    await Referee(table, [silent(), silent()], listeners=[Spectator(watch)]).run()
    assert rounds == [0, 1, 2, 3, 4, 5]


async def test_instant_players_leave_other_tasks_their_turn(autojump_clock: MockClock) -> None:
    turns = 0
    seen: list[int] = []

    async def other() -> None:
        nonlocal turns
        while True:
            await trio.lowlevel.checkpoint()
            turns += 1

    def answer(lines: list[str]) -> str:
        autojump_clock.jump(0.006)
        seen.append(turns)
        return "1"

    table = Table(TINY, Setup("1", 2, TinySettings(max_rounds=30)))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(other)
        await Referee(table, [InProcessPlayer("a", answer), InProcessPlayer("b", answer)]).run()
        nursery.cancel_scope.cancel()
    assert seen[-1] - seen[0] >= 10  # 30 rounds of 12 ms, with a turn for others every 20 ms


async def test_a_note_is_counted_unless_it_is_a_remark(autojump_clock: MockClock) -> None:
    def script(world: TinyWorld) -> Script:
        yield Note(0, "bid", "wrong")
        yield Note(0, "hint", "try more", fault=False)
        return Outcome((1, 1), (0, 0), (Fate.SURVIVED, Fate.SURVIVED), "done", "Done.")

    table = Table(dataclasses.replace(TINY, script=script), Setup("1", 2, TinySettings()))
    result = await Referee(table, [silent(), silent()]).run()
    assert faults(result) == {"bid": 1}


async def test_the_last_answer_is_kept_with_its_number(autojump_clock: MockClock) -> None:
    async def tires(bot: Bot) -> None:
        for bid in (3, 4):
            await bot.request()
            await bot.say(f"{bid}\n")
        await trio.sleep_forever()

    seat = (await play(tires, obedient)).seats[0]
    assert (seat.last_answer, seat.last_answered, seat.answers) == ("4", 2, 2)
    assert seat.last_request.startswith("go bid ")
