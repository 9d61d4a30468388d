"""The conversation with a program, to the millisecond: whole matches between scripted programs on a
mock clock."""

from __future__ import annotations

import dataclasses
import os

import pytest
import trio
import trio.testing

from arena.core.game import Setup
from arena.core.listener import Spectator
from arena.core.replies import Answer, Reply, Silence, Why
from arena.core.steps import Ask, Fate, Frame, Outcome, Script
from arena.core.table import Table
from arena.match.referee import Referee
from arena.players.player import Stopped
from arena.sandbox.keeper.messages import Exit
from tests.support.fake import (
    Bot,
    MockClock,
    fake_program,
    faults,
    fill_pipe,
    obedient,
    play,
    thinks,
)
from tests.tiny import TINY, TinySettings, TinyWorld


async def test_the_bank_is_shown_and_charged(autojump_clock: MockClock) -> None:
    heads: list[str] = []

    async def scenario(bot: Bot) -> None:
        while True:
            heads.append(await bot.request())
            await trio.sleep(0.7)
            await bot.say("1\n")

    result = await play(scenario, obedient, timebank=10000, time_per_move=500)
    assert heads == [f"go bid {bank}" for bank in (10000, 9800, 9600, 9400, 9200)]
    assert result.seats[0].tally.charged.total == pytest.approx(5 * 700e6)
    assert result.seats[0].tally.charged.most == pytest.approx(700e6)


async def test_an_answer_at_the_deadline_is_late(autojump_clock: MockClock) -> None:
    in_time = await play(thinks(0.999), obedient, timebank=1000, max_rounds=1)
    assert faults(in_time) == {}
    at_once = await play(thinks(1.0), obedient, timebank=1000, max_rounds=1)
    assert faults(at_once)["timeout"] == 1


@pytest.mark.parametrize(
    ("pause", "reply", "codes"),
    [
        (0.9, Answer("1"), {}),
        (1.1, Silence(Why.LATE), {"timeout": 1, "late": 1}),
        (2.9, Silence(Why.LATE), {"timeout": 1, "late": 1}),
        (3.1, Silence(Why.ABSENT), {"timeout": 1}),
    ],
)
async def test_a_patient_request_tells_late_from_absent(
    autojump_clock: MockClock, pause: float, reply: Reply, codes: dict[str, int]
) -> None:
    heard: list[Reply] = []

    def script(world: TinyWorld) -> Script:
        heard.extend((yield (Ask(0, "go bid", patience=3),)))
        return Outcome((1, 2), (1, 0), (Fate.SURVIVED, Fate.SURVIVED), "done", "Done.")

    game = dataclasses.replace(TINY, script=script)
    table = Table(game, Setup("1", 2, TinySettings(timebank=1000)))
    async with fake_program(thinks(pause)) as first, fake_program(obedient) as second:
        start = trio.current_time()
        result = await Referee(table, [first, second]).run()
        assert trio.current_time() - start < min(pause, 3) + 0.2
    assert heard == [reply]
    assert faults(result) == codes


async def test_no_answer_is_a_timeout_and_counts_as_the_whole_bank(
    autojump_clock: MockClock,
) -> None:
    async def mute(bot: Bot) -> None:
        await trio.sleep_forever()

    result = await play(mute, obedient, timebank=3000, time_per_move=500, max_timeouts=100)
    assert faults(result) == {"timeout": 5}
    assert result.seats[0].tally.charged.total == 3000e6 + 4 * 500e6
    assert faults(result, 1) == {}


async def test_one_late_answer_is_dropped_and_the_next_request_gets_its_own(
    autojump_clock: MockClock,
) -> None:
    """The bot sleeps through its bank once; its answer to that request (7) comes 100 ms late."""

    async def late_once(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(1.1)
        await bot.say("7\n")
        while True:
            await bot.request()
            await bot.say("1\n")

    bids = []

    async def watch(frame: Frame) -> None:
        bids.append(frame["bids"][0])

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=1000, time_per_move=500)))
    async with fake_program(late_once) as late, fake_program(obedient) as other:
        referee = Referee(table, [late, other], listeners=[Spectator(watch)])
        result = await referee.run()
    assert bids[1:] == [0, 1, 1, 1, 1]
    assert faults(result) == {"timeout": 1, "late": 1}


async def test_a_partial_line_does_not_extend_the_deadline(autojump_clock: MockClock) -> None:
    async def drip(bot: Bot) -> None:
        while True:
            await bot.say("1")
            await trio.sleep(0.1)

    start = trio.current_time()
    result = await play(drip, obedient, timebank=2000, max_rounds=1)
    assert faults(result) == {"timeout": 1, "unfinished": 1}
    assert trio.current_time() - start == pytest.approx(2.0, abs=0.2)


async def test_the_rest_of_a_late_line_is_dropped(autojump_clock: MockClock) -> None:
    async def half(bot: Bot) -> None:
        await bot.request()
        await bot.say("1")
        await bot.request()
        await bot.say("9\n3\n")
        await bot.request()
        await bot.say("4\n")

    result = await play(half, obedient, timebank=1000, max_rounds=3)
    assert faults(result) == {"timeout": 1, "unfinished": 1, "late": 1}
    assert result.seats[0].last_answer == "4"


async def test_a_bot_that_does_not_read_blocks_no_other(autojump_clock: MockClock) -> None:
    """The pipe is full before the first request: the deadline covers the write as well."""
    times: list[float] = []

    async def deaf(bot: Bot) -> None:
        await trio.sleep_forever()

    async def timed(bot: Bot) -> None:
        while True:
            await bot.request()
            times.append(trio.current_time())
            await bot.say("1\n")

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=2000)))
    async with fake_program(deaf) as first, fake_program(timed) as second:
        fill_pipe(first.process.child.stdin)
        result = await Referee(table, [first, second]).run()
    assert faults(result) == {"timeout": 2, "timeouts": 1}
    assert faults(result, 1) == {}
    assert result.seats[1].tally.charged.most < 1e8


async def test_a_request_is_delivered_whole_after_a_full_pipe(autojump_clock: MockClock) -> None:
    """Lines of a deaf spell are not cut: when it reads again, the conversation is in step."""

    async def sleeper(bot: Bot) -> None:
        await trio.sleep(1.5)
        while True:
            assert (await bot.request()).startswith("go bid ")
            await bot.say("2\n")

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=1000, time_per_move=1000)))
    async with fake_program(sleeper) as first, fake_program(obedient) as second:
        fill_pipe(first.process.child.stdin)
        first.pipes.outbox = b"\n"
        result = await Referee(table, [first, second]).run()
    assert faults(result) == {"timeout": 1, "late": 1}
    assert result.seats[0].last_answer == "2"


async def test_a_line_before_the_request_is_out_answers_nothing(autojump_clock: MockClock) -> None:
    async def hasty(bot: Bot) -> None:
        await trio.sleep(0.1)
        await bot.say("9\n")
        await trio.sleep(0.1)
        while True:
            await bot.request()
            await bot.say("2\n")

    table = Table(TINY, Setup("1", 2, TinySettings(max_rounds=1)))
    async with fake_program(hasty) as first, fake_program(obedient) as second:
        fill_pipe(first.process.child.stdin)
        first.pipes.outbox = b"\n"
        result = await Referee(table, [first, second]).run()
    assert faults(result) == {"excess": 1}
    assert result.seats[0].last_answer == "2"


async def test_lines_before_a_request_are_excess(autojump_clock: MockClock) -> None:
    async def eager(bot: Bot) -> None:
        await bot.say("9\n")
        await trio.sleep_forever()

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=1000, max_rounds=1)))
    async with fake_program(eager) as first, fake_program(obedient) as second:
        await trio.testing.wait_all_tasks_blocked()
        result = await Referee(table, [first, second]).run()
    assert faults(result) == {"excess": 1, "timeout": 1}


async def test_a_second_answer_is_excess_and_never_used(autojump_clock: MockClock) -> None:
    async def twice(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("1\n5\n")

    result = await play(twice, obedient)
    assert faults(result)["excess"] == 4  # what comes after the last answer is not looked at
    assert result.seats[0].last_answer == "1"


async def test_a_flood_without_newline_is_shut_down(autojump_clock: MockClock) -> None:
    async def flood(bot: Bot) -> None:
        while True:
            await bot.say(b"x" * 65536)

    result = await play(flood, obedient)
    player = result.seats[0].player
    assert player.stopped is Stopped.OUTPUT
    assert player.stopped_detail == "a line longer than 65536 bytes on stdout"
    assert result.rounds == 5
    assert faults(result, 1) == {}


@pytest.mark.parametrize("line", [b"\n", b"# thinking\n"])
async def test_a_flood_of_lines_is_shut_down(autojump_clock: MockClock, line: bytes) -> None:
    async def flood(bot: Bot) -> None:
        await bot.request()
        while True:
            await bot.say(line)

    result = await play(flood, thinks(0.05))
    assert result.seats[0].player.stopped is Stopped.OUTPUT


async def test_a_long_line_within_the_cap_is_an_answer(autojump_clock: MockClock) -> None:
    async def wordy(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("9" * 65536 + "\n")

    result = await play(wordy, obedient)
    assert faults(result) == {"bid": 5}


async def test_an_answer_followed_by_the_exit_counts(autojump_clock: MockClock) -> None:
    async def brief(bot: Bot) -> None:
        await bot.request()
        await bot.say("5\n")

    result = await play(brief, obedient)
    assert result.seats[0].last_answer == "5"
    assert result.seats[0].player.stopped is Stopped.EXITED
    assert faults(result) == {"exited": 1}
    assert result.rounds == 5


async def test_an_unfinished_line_before_the_exit_is_no_answer(autojump_clock: MockClock) -> None:
    async def cut(bot: Bot) -> None:
        await bot.request()
        await bot.say("5")

    result = await play(cut, obedient)
    assert result.seats[0].last_answer == ""
    assert result.seats[0].player.stopped is Stopped.EXITED
    assert faults(result) == {"unfinished": 1, "exited": 1}


async def test_an_exit_is_seen_though_a_daemon_holds_stdout_open(autojump_clock: MockClock) -> None:
    async def daemon(bot: Bot) -> None:
        await bot.request()
        bot.child.exit = Exit(0, None, 0.0)
        bot.child.exited.set()
        await trio.sleep_forever()

    start = trio.current_time()
    result = await play(daemon, obedient)
    assert result.seats[0].player.stopped is Stopped.EXITED
    assert trio.current_time() - start < 1


@pytest.mark.parametrize("end", ["bot_stdout", "bot_stdin"])
async def test_closing_a_pipe_and_running_on_is_shut_down(
    autojump_clock: MockClock, end: str
) -> None:
    async def closes(bot: Bot) -> None:
        await bot.request()
        await bot.say("1\n")
        descriptor = getattr(bot.child, end)
        setattr(bot.child, end, -1)
        os.close(descriptor)
        await trio.sleep_forever()

    start = trio.current_time()
    result = await play(closes, obedient)
    assert result.seats[0].player.stopped is Stopped.CLOSED
    assert trio.current_time() - start < 1
