"""The fast path of a prompt answer: the same results as the full one, for less."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import pytest
import trio
from msgspec import Struct

from arena.core.clock import Clock
from arena.core.limits import Limits
from arena.core.replies import Answer, Cost, TimedReply
from arena.players.program import ProgramPlayer
from arena.players.terms import Timing
from arena.players.timing import Moment, Usage
from tests.support.fake import MS, FakeChild, FakeMeter, MockClock, close_fake

BANK = 1_000 * MS
PIECES = (
    *(b"No moves\n", b"1\n", b"1\n", b" a b \n", b"\xc3\xa9t\xc3\xa9\n"),
    *(
        b"\n",
        b" \t \n",
        b"x\r\n",
        b"a\0b\n",
        b"\xff\n",
        b"1\n2\n",
        b"1\n\n",
        b"\n\n",
        b"par",
        b"tial\n",
    ),
    *(b"\x1b[0m\n", b"a" * 300 + b"\n", b"\t1\n", b""),
)
"""What a program writes at a time, good and bad."""
PAUSES = (0.0, 0.0, 0.0, 0.0003, 0.0009, 0.002, 0.019, 0.03, 1.2)


class Act(Struct, frozen=True):
    """What a program does about one request: whether it reads, what it writes after which pause."""

    reads: bool
    words: tuple[tuple[float, bytes], ...]
    after: tuple[bytes, float]
    """What it writes unasked once it was answered, and the pause to the next request."""
    cpu: int = 0


def acts(seed: int, count: int = 40) -> list[Act]:
    """Mostly plain answers, in runs, with everything else in between."""
    chance = random.Random(seed)
    return [_odd(chance) if chance.random() < 0.25 else _plain(chance) for _ in range(count)]


def _plain(chance: random.Random) -> Act:
    """One plain line at once; now and then with a blank line before it, or behind it."""
    answer = (chance.choice((0.0, 0.0, 0.0004)), chance.choice(PIECES[:5]))
    words = ((0.0, b"\n"), answer) if chance.random() < 0.1 else (answer,)
    unasked = chance.choice((b"", b"", b"", b"", b"\n", b"par"))
    return Act(True, words, (unasked, chance.choice((0.0, 0.0003))))


def _odd(chance: random.Random) -> Act:
    words = [(chance.choice(PAUSES), chance.choice(PIECES)) for _ in range(chance.randint(0, 3))]
    unasked = (chance.choice((b"", b"", *PIECES)), chance.choice(PAUSES))
    return Act(chance.random() < 0.9, tuple(words), unasked, chance.choice((0, 0, 1, 5)) * MS)


async def converse(
    script: Sequence[Act], timing: Timing, limits: Limits, *, fast: bool
) -> tuple[list[Any], ProgramPlayer]:
    """Every reply, every breach, and how the player stood at the end."""
    child, meter = FakeChild(), FakeMeter()
    player = ProgramPlayer("bot", child, limits, meter=meter, timing=timing, fast=fast)
    told: list[Any] = []
    for act in script:
        if player.stopped is not None:
            break
        told.append(await one_request(player, child, meter, act))
        told.append(player.take_violations())
        os.write(child.bot_stdout, act.after[0])
        await trio.sleep(act.after[1])
    told.append((player.stopped, player.stopped_detail))
    close_fake(player, child)
    return told, player


async def one_request(
    player: ProgramPlayer, child: FakeChild, meter: FakeMeter, act: Act
) -> tuple[Any, ...]:
    """The reply as far as both ways must agree: all but the CPU time."""

    async def answer() -> None:
        for pause, word in act.words:
            if pause:
                await trio.sleep(pause)
            meter.cpu += act.cpu
            os.write(child.bot_stdout, word)

    player.post("some line\ngo 1000\n", BANK)
    if act.reads:
        os.read(child.bot_stdin, 1 << 16)
    async with trio.open_nursery() as nursery:
        if act.words and not act.words[0][0]:
            os.write(child.bot_stdout, act.words[0][1])
            act = Act(act.reads, act.words[1:], act.after, act.cpu)
        nursery.start_soon(answer)
        timed: TimedReply = player.poll() or await player.reply()
    if not act.reads:
        os.read(child.bot_stdin, 1 << 16)
    cost = timed.cost
    return timed.reply, cost.charged, cost.wall, cost.delay, cost.held_up


@pytest.mark.parametrize("seed", range(8))
async def test_both_ways_tell_the_same(autojump_clock: MockClock, seed: int) -> None:
    script, timing = acts(seed), Timing((Clock.WALL, Clock.FAIR)[seed % 2])
    careful, _ = await converse(script, timing, Limits(), fast=False)
    prompt, _ = await converse(script, timing, Limits(), fast=True)
    assert prompt == careful


async def test_both_ways_keep_the_caps_of_output(autojump_clock: MockClock) -> None:
    for limits in (Limits(match_output=100), Limits(turn_output=8)):
        script = [Act(True, ((0.0, b"No moves\n"),), (b"", 0.0))] * 20
        careful, _ = await converse(script, Timing(), limits, fast=False)
        prompt, _ = await converse(script, Timing(), limits, fast=True)
        assert prompt == careful
        assert "bytes of stdout" in careful[-1][1]


async def test_plain_answers_take_the_short_way(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    careful = 0
    asked = Usage.asked

    def counted(self: Usage, start: Moment, since: int = 0) -> None:
        nonlocal careful
        careful += 1
        asked(self, start, since)

    monkeypatch.setattr(Usage, "asked", counted)
    script = [Act(True, ((0.0, b"No moves\n"),), (b"", 0.0))] * 50
    for timing, times in ((Timing(), 2), (Timing(Clock.CPU), 50), (Timing(pondering=False), 50)):
        careful = 0
        await converse(script, timing, Limits(), fast=True)
        assert careful == times


async def test_the_cpu_time_of_prompt_answers_is_told_in_all(autojump_clock: MockClock) -> None:
    """Each answer takes 0.5 ms and uses 0.4 ms of CPU time: what has no figure of its own is in
    the sum."""
    child, meter = FakeChild(), FakeMeter()
    player = ProgramPlayer("bot", child, Limits(), meter=meter)
    costs = []
    for _ in range(100):
        player.post("go\n", BANK)
        os.read(child.bot_stdin, 100)
        await trio.sleep(0.0005)
        meter.cpu += 400_000
        os.write(child.bot_stdout, b"1\n")
        timed = player.poll()
        assert timed is not None
        assert timed.reply == Answer("1")
        costs.append(timed.cost)
    await player.finish("")
    measured = [cost.cpu for cost in costs if cost.cpu is not None]
    assert 2 <= len(measured) <= 30
    assert player.prompt_ms is not None
    assert sum(measured) / MS + player.prompt_ms == pytest.approx(40.0)
    assert player.pondered_ms == 0.0
    close_fake(player, child)


async def promptly(player: ProgramPlayer, child: FakeChild, took: float = 0.0) -> None:
    """A request with a prompt answer, after so many seconds."""
    player.post("go\n", BANK)
    os.read(child.bot_stdin, 100)
    await trio.sleep(took)
    os.write(child.bot_stdout, b"1\n")
    assert player.poll() is not None


async def test_no_prompt_answer_is_charged_more_than_a_bank_below_a_millisecond(
    autojump_clock: MockClock,
) -> None:
    """It was not found late, so it is in time, and a record that says it took more is refused."""
    child = FakeChild()
    player = ProgramPlayer("bot", child, Limits(), meter=FakeMeter())
    for _ in range(3):
        await promptly(player, child)
    player.post("go\n", MS // 2)
    os.read(child.bot_stdin, 100)
    await trio.sleep(0.0008)
    os.write(child.bot_stdout, b"1\n")
    timed = player.poll() or await player.reply()
    assert timed.reply == Answer("1")
    assert timed.cost.charged == MS // 2 - 1
    close_fake(player, child)


async def after_two_ms(player: ProgramPlayer, child: FakeChild) -> Cost:
    """A request with an answer that is not prompt."""
    player.post("go\n", BANK)
    os.read(child.bot_stdin, 100)
    await trio.sleep(0.001)
    assert player.poll() is None
    await trio.sleep(0.001)
    os.write(child.bot_stdout, b"1\n")
    return (await player.reply()).cost


async def test_a_request_that_is_not_prompt_is_refunded_no_delay_of_earlier(
    autojump_clock: MockClock,
) -> None:
    """Three milliseconds are told before it, when nothing is read, and one at most can be of its
    first millisecond."""
    child, meter = FakeChild(), FakeMeter()
    player = ProgramPlayer("bot", child, Limits(), meter=meter)
    for delay in (0, 0, 0, 1, 2):
        meter.delay = delay * MS
        await promptly(player, child)
    meter.delay = 3 * MS
    cost = await after_two_ms(player, child)
    assert cost.wall == pytest.approx(2 * MS)
    assert cost.delay == pytest.approx(MS)
    close_fake(player, child)


@pytest.mark.parametrize(("took", "pause"), [(0.0, 0.0005), (0.0005, 0.0)])
async def test_a_wait_before_a_request_is_not_refunded_in_it(
    autojump_clock: MockClock, took: float, pause: float
) -> None:
    """Told after the beginning of a prompt request and before the next one, which is not prompt: a
    wait in a prompt answer, or in the break behind it."""
    child, meter = FakeChild(), FakeMeter()
    player = ProgramPlayer("bot", child, Limits(), meter=meter)
    for _ in range(3):
        await promptly(player, child, took)
        await trio.sleep(pause)
    meter.delay = MS
    assert (await after_two_ms(player, child)).delay == 0
    close_fake(player, child)


async def test_cpu_time_of_a_request_that_leaves_the_fast_path_is_counted_from_its_beginning(
    autojump_clock: MockClock,
) -> None:
    """It uses 0.9 ms before the arena reads any figure, and as much afterwards."""
    child, meter = FakeChild(), FakeMeter()
    player = ProgramPlayer("bot", child, Limits(), meter=meter)
    for _ in range(3):
        await promptly(player, child)
    player.post("go\n", BANK)
    os.read(child.bot_stdin, 100)
    await trio.sleep(0.001)
    meter.cpu += 900_000
    assert player.poll() is None
    await trio.sleep(0.001)
    meter.cpu += 900_000
    os.write(child.bot_stdout, b"1\n")
    assert (await player.reply()).cost.cpu == 1_800_000
    close_fake(player, child)


async def test_a_line_before_the_request_was_read_is_no_prompt_answer(
    autojump_clock: MockClock,
) -> None:
    child = FakeChild()
    player = ProgramPlayer("bot", child, Limits(), meter=FakeMeter())
    for _ in range(3):
        await promptly(player, child)
    player.post("go\n", BANK)
    os.write(child.bot_stdout, b"early\n")
    assert player.poll() is None
    os.read(child.bot_stdin, 100)
    os.write(child.bot_stdout, b"1\n")
    assert (await player.reply()).reply == Answer("1")
    assert [violation.code for violation in player.take_violations()] == ["excess"]
    close_fake(player, child)


async def test_a_request_after_other_lines_is_measured_in_full(autojump_clock: MockClock) -> None:
    """The program may still be busy with what it was told."""
    child = FakeChild()
    player = ProgramPlayer("bot", child, Limits(), meter=FakeMeter())
    for told in (False, True):
        for _ in range(3):
            await promptly(player, child)
        if told:
            player.tell("news\n")
        player.post("go\n", BANK)
        os.read(child.bot_stdin, 100)
        os.write(child.bot_stdout, b"1\n")
        timed = player.poll()
        assert timed is not None
        assert (timed.cost.cpu is not None) == told
    close_fake(player, child)


@pytest.mark.alone
async def test_a_prompt_answer_costs_half_of_a_careful_one() -> None:
    """What each costs beyond the bare pipes."""

    def us(fast: bool | None) -> float:
        child, player = FakeChild(), None
        if fast is not None:
            player = ProgramPlayer("bot", child, Limits(), meter=FakeMeter(), fast=fast)
        text = f"update_map {' '.join(f'{i} player1 2' for i in range(60))}\ngo 10000\n"
        exchange = bare(child, text) if player is None else through(player, child, text)
        start = time.thread_time()
        for _ in range(300):
            exchange()
        took = time.thread_time() - start
        if player is not None:
            player.close()
        child.close_bot()
        child.close()
        return took

    def bare(child: FakeChild, text: str) -> Callable[[], None]:
        def exchange() -> None:
            os.write(child.stdin, text.encode())
            os.read(child.bot_stdin, 1 << 16)
            os.write(child.bot_stdout, b"1\n")
            os.read(child.stdout, 1 << 16)

        return exchange

    def through(player: ProgramPlayer, child: FakeChild, text: str) -> Callable[[], None]:
        def exchange() -> None:
            player.post(text, BANK)
            os.read(child.bot_stdin, 1 << 16)
            os.write(child.bot_stdout, b"1\n")
            assert player.poll() is not None

        return exchange

    ratios = []
    for _ in range(15):
        floor, careful, prompt = us(None), us(False), us(True)
        ratios.append((prompt - floor) / (careful - floor))
    assert median(ratios) < 0.5
