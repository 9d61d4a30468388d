"""Whole matches of the tiny game between scripted programs, on a mock clock: every rule of the
conversation, to the millisecond."""

from __future__ import annotations

import dataclasses
import os
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from arena.game import Setup
from arena.players import Stopped
from arena.players.inprocess import InProcess, silent
from arena.referee import MatchResult, Referee
from arena.replay import FORMAT, Header, Recorder
from arena.sandbox.children import Exit
from arena.steps import Answer, Ask, Fate, Frame, Outcome, Reply, Script, Silence, Tell, Why
from arena.table import Table
from tests.fake import Bot, Scenario, fake_program, obedient
from tests.tiny import TINY, TinySettings, TinyWorld

Clock = trio.testing.MockClock


async def play(*scenarios: Scenario, sequential: bool = False, **settings: Any) -> MatchResult:
    """One match of the tiny game between scenarios."""
    table = Table(TINY, Setup("1", len(scenarios), TinySettings(**settings)))
    async with AsyncExitStack() as stack:
        programs = [
            await stack.enter_async_context(fake_program(scenario)) for scenario in scenarios
        ]
        return await Referee(table, programs, sequential=sequential).run()


def faults(result: MatchResult, seat: int = 0) -> dict[str, int]:
    return {code: fault.count for code, fault in result.seats[seat].faults.items()}


def thinks(*seconds: float) -> Scenario:
    """Answers 1 after so many seconds, the last number for ever."""

    async def scenario(bot: Bot) -> None:
        for i in range(10**6):
            await bot.request()
            await trio.sleep(seconds[min(i, len(seconds) - 1)])
            await bot.say("1\n")

    return scenario


async def test_a_whole_match(autojump_clock: Clock) -> None:
    result = await play(obedient, obedient)
    assert result.rounds == 5
    assert result.requests == 10
    assert result.outcome.reason == "max_rounds"
    assert faults(result) == faults(result, 1) == {}
    assert [seat.player.stopped for seat in result.seats] == [None, None]


async def test_the_bank_is_shown_and_charged(autojump_clock: Clock) -> None:
    heads: list[str] = []

    async def scenario(bot: Bot) -> None:
        while True:
            heads.append(await bot.request())
            await trio.sleep(0.7)
            await bot.say("1\n")

    result = await play(scenario, obedient, timebank=10000, time_per_move=500)
    assert heads == [f"go bid {bank}" for bank in (10000, 9800, 9600, 9400, 9200)]
    assert result.seats[0].total_ns == pytest.approx(5 * 700e6)
    assert result.seats[0].max_ns == pytest.approx(700e6)


async def test_lines_told_come_with_the_request_in_order(autojump_clock: Clock) -> None:
    seen: list[str] = []

    async def scenario(bot: Bot) -> None:
        await trio.lowlevel.wait_readable(bot.child.bot_stdin)
        await trio.testing.wait_all_tasks_blocked()
        seen.append(os.read(bot.child.bot_stdin, 65536).decode())
        await bot.say("1\n")

    await play(scenario, obedient, max_rounds=1)
    assert seen == ["round 1\nupdate_map 20 5\ngo bid 10000\n"]


async def test_simultaneous_requests_are_asked_side_by_side(autojump_clock: Clock) -> None:
    start = trio.current_time()
    await play(thinks(1.0), thinks(1.0), max_rounds=1)
    assert trio.current_time() - start == pytest.approx(1.0, abs=0.2)


async def test_who_is_not_asked_is_told_before_anybody_is_waited_for(
    autojump_clock: Clock,
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
    assert faults(result, 1) == {}  # that it leaves now is nobody's business
    assert result.seats[1].player.stopped is None


async def test_sequential_asks_one_after_the_other(autojump_clock: Clock) -> None:
    start = trio.current_time()
    result = await play(thinks(1.0), thinks(1.0), max_rounds=1, sequential=True)
    assert trio.current_time() - start == pytest.approx(2.0, abs=0.2)
    assert [seat.total_ns for seat in result.seats] == [pytest.approx(1e9), pytest.approx(1e9)]


async def test_a_slow_rival_is_not_charged_to_the_quick_one(autojump_clock: Clock) -> None:
    result = await play(thinks(2.0), thinks(0.5), max_rounds=1)
    assert result.seats[0].total_ns == pytest.approx(2e9)
    assert result.seats[1].total_ns == pytest.approx(0.5e9)


async def test_no_answer_is_a_timeout_and_counts_as_the_whole_bank(autojump_clock: Clock) -> None:
    async def mute(bot: Bot) -> None:
        await trio.sleep_forever()

    result = await play(mute, obedient, timebank=3000, time_per_move=500, max_timeouts=100)
    assert faults(result) == {"timeout": 5}
    assert result.seats[0].total_ns == 3000e6 + 4 * 500e6
    assert faults(result, 1) == {}


async def test_the_rules_stop_a_seat_that_misses_too_often(autojump_clock: Clock) -> None:
    async def mute(bot: Bot) -> None:
        await trio.sleep_forever()

    result = await play(mute, obedient)
    assert result.seats[0].player.stopped is Stopped.TIMEOUTS
    assert result.seats[0].player.stopped_detail == "missed 2 answers"
    assert faults(result) == {"timeout": 2, "timeouts": 1}
    assert result.rounds == 5


async def test_one_late_answer_is_dropped_and_the_next_request_gets_its_own(
    autojump_clock: Clock,
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
        referee = Referee(table, [late, other], spectator=watch)
        result = await referee.run()
    assert bids[1:] == [0, 1, 1, 1, 1]
    assert faults(result) == {"timeout": 1, "late": 1}


async def test_an_answer_at_the_deadline_is_late(autojump_clock: Clock) -> None:
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
    autojump_clock: Clock, pause: float, reply: Reply, codes: dict[str, int]
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


async def test_a_partial_line_does_not_extend_the_deadline(autojump_clock: Clock) -> None:
    async def drip(bot: Bot) -> None:
        while True:
            await bot.say("1")
            await trio.sleep(0.1)

    start = trio.current_time()
    result = await play(drip, obedient, timebank=2000, max_rounds=1)
    assert faults(result) == {"timeout": 1, "unfinished": 1}
    assert trio.current_time() - start == pytest.approx(2.0, abs=0.2)


async def test_the_rest_of_a_late_line_is_dropped(autojump_clock: Clock) -> None:
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


async def test_a_bot_that_does_not_read_blocks_nobody(autojump_clock: Clock) -> None:
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
        fill_pipe(first.child.stdin)
        result = await Referee(table, [first, second]).run()
    assert faults(result) == {"timeout": 2, "timeouts": 1}
    assert faults(result, 1) == {}
    assert result.seats[1].max_ns < 1e8


def fill_pipe(descriptor: int) -> None:
    with suppress(BlockingIOError):
        while True:
            os.write(descriptor, b"x" * 65536)


async def test_a_request_is_delivered_whole_after_a_full_pipe(autojump_clock: Clock) -> None:
    """Lines of a deaf spell are not cut: when it reads again, the conversation is in step."""

    async def sleeper(bot: Bot) -> None:
        await trio.sleep(1.5)
        while True:
            assert (await bot.request()).startswith("go bid ")
            await bot.say("2\n")

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=1000, time_per_move=1000)))
    async with fake_program(sleeper) as first, fake_program(obedient) as second:
        fill_pipe(first.child.stdin)
        first._outbox = b"\n"
        result = await Referee(table, [first, second]).run()
    assert faults(result) == {"timeout": 1, "late": 1}
    assert result.seats[0].last_answer == "2"


async def test_lines_before_a_request_are_excess(autojump_clock: Clock) -> None:
    async def eager(bot: Bot) -> None:
        await bot.say("9\n")
        await trio.sleep_forever()

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=1000, max_rounds=1)))
    async with fake_program(eager) as first, fake_program(obedient) as second:
        await trio.testing.wait_all_tasks_blocked()
        result = await Referee(table, [first, second]).run()
    assert faults(result) == {"excess": 1, "timeout": 1}


async def test_a_second_answer_is_excess_and_never_used(autojump_clock: Clock) -> None:
    async def twice(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("1\n5\n")

    result = await play(twice, obedient)
    assert faults(result)["excess"] == 4  # what comes after the last answer is not looked at
    assert result.seats[0].last_answer == "1"


async def test_a_blank_line_stands_after_20_ms(autojump_clock: Clock) -> None:
    async def blank(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("  \r\n")

    start = trio.current_time()
    result = await play(blank, obedient)
    assert faults(result) == {}
    assert result.seats[0].last_answer == ""
    assert result.seats[0].total_ns < 1e6  # the wait is ours, not charged
    assert trio.current_time() - start == pytest.approx(5 * 0.020, abs=0.01)


@pytest.mark.parametrize(("pause", "bid"), [(0.0, "3"), (0.019, "3"), (0.021, "")])
async def test_a_line_soon_after_a_blank_one_is_the_answer(
    autojump_clock: Clock, pause: float, bid: str
) -> None:
    async def stray(bot: Bot) -> None:
        await bot.request()
        await bot.say("\n")
        await trio.sleep(pause)
        await bot.say("3\n")
        await trio.sleep_forever()

    result = await play(stray, thinks(0.5), max_rounds=1)
    assert result.seats[0].last_answer == bid


async def test_a_stray_blank_line_behind_each_answer_does_no_harm(autojump_clock: Clock) -> None:
    async def stray(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("1\n\n")

    result = await play(stray, obedient)
    assert faults(result) == {}
    assert result.seats[0].last_answer == "1"


async def test_a_blank_line_before_the_deadline_stands_at_the_deadline(
    autojump_clock: Clock,
) -> None:
    async def blank(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(0.99)
        await bot.say("\n")
        await trio.sleep_forever()

    result = await play(blank, obedient, timebank=1000, max_rounds=1)
    assert faults(result) == {}


async def test_crlf_is_taken_and_remarked_upon(autojump_clock: Clock, tmp_path: Path) -> None:
    async def windows(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say(" 1 \r\n")

    result = await play(windows, obedient)
    assert faults(result) == {}
    assert result.seats[0].last_answer == "1"


@pytest.mark.parametrize("raw", [b"\xff1\n", b"1\x002\n", b"\xe2\x28, 1\n"])
async def test_what_is_not_text_is_one_malformed_word(autojump_clock: Clock, raw: bytes) -> None:
    async def garbled(bot: Bot) -> None:
        await bot.request()
        await bot.say(raw)
        await trio.sleep_forever()

    result = await play(garbled, obedient, max_rounds=1)
    assert faults(result) == {"bid": 1, "garbled": 1}
    answer = result.seats[0].last_answer
    assert answer.isprintable()
    assert not set(answer) & set(" ,")


@pytest.mark.parametrize("separator", ["\r", "\u2028", "\x0b", "\x85"])
async def test_only_lf_ends_a_line(autojump_clock: Clock, separator: str) -> None:
    async def odd(bot: Bot) -> None:
        await bot.request()
        await bot.say(f"1{separator}2\n")
        await trio.sleep_forever()

    result = await play(odd, obedient, max_rounds=1)
    assert faults(result) == {"bid": 1}


async def test_a_flood_without_newline_is_shut_down(autojump_clock: Clock) -> None:
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
async def test_a_flood_of_lines_is_shut_down(autojump_clock: Clock, line: bytes) -> None:
    async def flood(bot: Bot) -> None:
        await bot.request()
        while True:
            await bot.say(line)

    result = await play(flood, thinks(0.05))
    assert result.seats[0].player.stopped is Stopped.OUTPUT


async def test_a_long_line_within_the_cap_is_an_answer(autojump_clock: Clock) -> None:
    async def wordy(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("9" * 65536 + "\n")

    result = await play(wordy, obedient)
    assert faults(result) == {"bid": 5}


async def test_an_answer_followed_by_the_exit_counts(autojump_clock: Clock) -> None:
    async def brief(bot: Bot) -> None:
        await bot.request()
        await bot.say("5\n")

    result = await play(brief, obedient)
    assert result.seats[0].last_answer == "5"
    assert result.seats[0].player.stopped is Stopped.EXITED
    assert faults(result) == {"exited": 1}
    assert result.rounds == 5


async def test_an_unfinished_line_before_the_exit_is_no_answer(autojump_clock: Clock) -> None:
    async def cut(bot: Bot) -> None:
        await bot.request()
        await bot.say("5")

    result = await play(cut, obedient)
    assert result.seats[0].last_answer == ""
    assert result.seats[0].player.stopped is Stopped.EXITED


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (Exit(3, None, 1.0), "left with exit code 3"),
        (Exit(None, "SIGSEGV", 1.0), "ended by SIGSEGV"),
    ],
)
async def test_a_crash_says_how(autojump_clock: Clock, end: Exit, why: str) -> None:
    async def crash(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(0.3)
        bot.child.leave(end)

    start = trio.current_time()
    result = await play(crash, obedient)
    assert result.seats[0].player.stopped is Stopped.CRASHED
    assert result.seats[0].player.stopped_detail == why
    assert result.seats[0].faults["crashed"].round == 1
    assert trio.current_time() - start < 1  # seen at once, not at the end of the bank


async def test_an_exit_is_seen_though_a_daemon_holds_stdout_open(autojump_clock: Clock) -> None:
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
async def test_closing_a_pipe_and_running_on_is_shut_down(autojump_clock: Clock, end: str) -> None:
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


async def test_a_stderr_flood_is_bounded_and_blocks_nobody(autojump_clock: Clock) -> None:
    async def noisy(bot: Bot) -> None:
        while True:
            await bot.request()
            for _ in range(20):
                await trio.lowlevel.wait_writable(bot.child.bot_stderr)
                os.write(bot.child.bot_stderr, b"e" * 4096 + b"\n")
            await bot.say("1\n")

    table = Table(TINY, Setup("1", 2, TinySettings()))
    async with fake_program(noisy) as first, fake_program(obedient) as second:
        result = await Referee(table, [first, second]).run()
        assert faults(result) == {}
        assert first.stderr.total == 5 * 20 * 4097
        kept = "".join(text for _, text in first.stderr.turns())
        assert len(kept) < 140_000
        assert "bytes left out" in kept


async def test_stderr_is_kept_by_turn(autojump_clock: Clock) -> None:
    async def talks(bot: Bot) -> None:
        os.write(bot.child.bot_stderr, b"hello\n")
        for i in range(5):
            await bot.request()
            os.write(bot.child.bot_stderr, f"thinking {i}\n".encode())
            await bot.say("1\n")
            if i == 2:
                os.write(bot.child.bot_stderr, b"\xff done\n")
        await trio.sleep_forever()

    table = Table(TINY, Setup("1", 2, TinySettings()))
    async with fake_program(talks) as first, fake_program(obedient) as second:
        await trio.testing.wait_all_tasks_blocked()
        await Referee(table, [first, second]).run()
        turns = first.stderr.turns()
    assert turns[:2] == [(0, "hello\n"), (1, "thinking 0\n")]
    assert turns[3] == (3, "thinking 2\n\\xff done\n")


async def test_a_bot_that_stays_after_the_end_is_ended(autojump_clock: Clock) -> None:
    async def stays(bot: Bot) -> None:
        while True:
            await bot.request()
            await bot.say("1\n")

    async def stubborn(bot: Bot) -> None:
        try:
            await stays(bot)
        finally:
            with trio.CancelScope(shield=True):
                await bot.child.exited.wait()

    start = trio.current_time()
    result = await play(stubborn, obedient)
    assert trio.current_time() - start == pytest.approx(0.1, abs=0.02)
    assert result.seats[0].player.stopped is None


async def test_functions_play_too(autojump_clock: Clock) -> None:
    def highest(lines: list[str]) -> str:
        return lines[-2].split()[1]

    table = Table(TINY, Setup("1", 3, TinySettings()))
    result = await Referee(table, [InProcess("all in", highest), silent(), silent()]).run()
    assert result.outcome.ranks[0] == 1
    assert result.seats[0].faults == {}


async def test_a_spectator_sees_every_round(autojump_clock: Clock) -> None:
    rounds: list[int] = []

    async def watch(frame: Frame) -> None:
        rounds.append(frame["round"])

    table = Table(TINY, Setup("1", 2, TinySettings()))
    await Referee(table, [silent(), silent()], spectator=watch).run()
    assert rounds == [0, 1, 2, 3, 4, 5]


async def test_a_record_is_on_disk_while_a_bot_thinks(
    autojump_clock: Clock, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    seen: list[int] = []

    async def looks(bot: Bot) -> None:
        while True:
            await bot.request()
            await trio.sleep(0.1)
            seen.append(path.read_text().count("\n"))
            await bot.say("1\n")

    header = Header(FORMAT, "tiny", 1, "1", {}, ["a", "b"])
    table = Table(TINY, Setup("1", 2, TinySettings()))
    async with fake_program(looks) as first, fake_program(obedient) as second:
        with Recorder(path, header) as recorder:
            await Referee(table, [first, second], recorder=recorder).run()
    assert seen[0] == 9  # header, the set-up and its digest, two tells a seat, two requests
    assert seen == sorted(set(seen))
