"""The wall clock of a request, exact to the nanosecond, and what all clocks have in common."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from arena.core.game import Setup
from arena.core.table import Table
from arena.match.play import header_for
from arena.match.referee import Referee
from arena.players.player import Stopped
from arena.players.terms import Timing
from arena.players.timing import Moment, Request, Usage
from arena.record.format import Answered
from arena.record.source import read_records
from arena.record.verify import verify
from arena.record.writer import Recorder
from arena.sandbox.loop_delay import LoopDelay
from tests.support.fake import (
    CPU,
    FAIR,
    MS,
    Bot,
    FakeMeter,
    MockClock,
    fake_program,
    faults,
    fill_pipe,
    first_fault,
    measured,
    mute,
    obedient,
    play,
    thinks,
)
from tests.tiny import TINY, TinySettings


@pytest.mark.dear
async def test_T06_bank_minus_one_in_every_move_is_exact(autojump_clock: MockClock) -> None:
    """500 moves, each at one millisecond before the end: no drift, no late answer. (Ten thousand
    of the bank alone: tests/hostile/test_time.py.)"""
    shown: list[int] = []

    async def brinkman(bot: Bot) -> None:
        while True:
            bank = int((await bot.request()).split()[-1])
            shown.append(bank)
            await trio.sleep((bank - 1) / 1000)
            await bot.say("0\n")

    result = await play(brinkman, obedient, timebank=1000, time_per_move=100, max_rounds=500)
    assert faults(result) == {}
    assert shown == [1000] + [101] * 499
    assert result.seats[0].tally.charged.total == (999 + 499 * 100) * MS


@pytest.mark.parametrize(
    ("seconds", "codes"), [(0.999999999, {}), (1.0, {"timeout": 1}), (1.019, {"timeout": 1})]
)
async def test_P12_the_stamp_of_arrival_decides(
    autojump_clock: MockClock, seconds: float, codes: dict[str, int]
) -> None:
    async def at(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(seconds)
        await bot.say("1\n")
        await trio.sleep_forever()

    result = await play(at, obedient, timebank=1000, max_rounds=1)
    assert {code: n for code, n in faults(result).items() if code == "timeout"} == codes


async def test_T01_a_bot_that_never_begins_runs_out_of_time(autojump_clock: MockClock) -> None:
    result = await play(mute, obedient)
    assert result.seats[0].player.stopped is Stopped.TIMEOUTS
    assert first_fault(result, "timeout").startswith("no answer to 'go bid' within 10000 ms (")


# -- one beginning, and a look that is late --------------------------------------------------------


@pytest.mark.parametrize("timing", [Timing(), FAIR])
@pytest.mark.parametrize(("thinks", "codes"), [(0.05, {}), (0.15, {"timeout": 1})])
async def test_an_input_left_unread_buys_no_time(
    autojump_clock: MockClock, timing: Timing, thinks: float, codes: dict[str, int]
) -> None:
    """The pipe takes the rest of the request only after 0.9 of a second, since the program does not
    read: deadline and charge begin before that. (It could think about all but the last byte.)"""

    async def reads_late(bot: Bot) -> None:
        await trio.sleep(0.9)
        while True:
            await bot.request()
            await trio.sleep(thinks)
            await bot.say("2\n")

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=1000, max_rounds=1)))
    async with fake_program(reads_late, timing=timing) as first, fake_program(obedient) as second:
        fill_pipe(first.process.child.stdin)
        first.pipes.outbox = b"\n"
        result = await Referee(table, [first, second]).run()
    assert faults(result) == codes
    assert result.seats[0].tally.charged.total == pytest.approx(1000 * MS if codes else 950 * MS)


@pytest.mark.parametrize("timing", [Timing(), FAIR])
@pytest.mark.parametrize("held_up", [0.001, 0.019, 0.3])
async def test_a_line_found_at_the_first_look_after_the_deadline_is_in_time(
    autojump_clock: MockClock, held_up: float, timing: Timing
) -> None:
    """At the deadline the arena is held up. The answer that is there when it looks may have come
    before, and counts, at the price of the whole bank."""

    async def answers_meanwhile(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(0.9)
        autojump_clock.jump(0.1 + held_up)
        await bot.say("1\n")
        await trio.sleep_forever()

    result = await play(answers_meanwhile, obedient, timing=timing, timebank=1000, max_rounds=1)
    assert faults(result) == {}
    assert result.seats[0].tally.charged.total == 1000 * MS - 1


async def test_a_line_after_an_empty_look_at_the_deadline_is_late(
    autojump_clock: MockClock,
) -> None:
    """However short after: the arena has looked, and nothing was there."""
    result = await play(thinks(1.0000001), obedient, timebank=1000, max_rounds=1)
    assert faults(result) == {"timeout": 1}


@pytest.mark.parametrize("timing", [Timing(), FAIR, CPU])
async def test_a_machine_that_stood_still_grants_the_time_once_more(
    autojump_clock: MockClock, timing: Timing
) -> None:
    """Arena and bot are stopped for three seconds, across the deadline of a second. The bot needs
    200 ms more when it wakes up, and has them."""

    async def stopped_with_it(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(0.5)
        autojump_clock.jump(30.0)
        await trio.sleep(0.2)
        await bot.say("1\n")
        await trio.sleep_forever()

    result = await play(stopped_with_it, obedient, timing=timing, timebank=1000, max_rounds=1)
    assert faults(result) == {}


class HeldUp(LoopDelay):
    """An arena that was held up for so many seconds before each line, and knows why it is late."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def unread(self, now: float, since: float) -> float:
        """As said."""
        return min(self.seconds, now - since)

    def standstill(self, now: float, since: float, meant: float) -> float:
        """Never."""
        return 0.0


@pytest.mark.parametrize("timing", [Timing(), FAIR])
async def test_a_hung_program_loses_at_the_first_look(
    autojump_clock: MockClock, timing: Timing
) -> None:
    """The arena comes back 0.7 seconds after the deadline, held up by load: nothing is there."""

    async def hangs(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(0.9)
        autojump_clock.jump(0.8)
        await trio.sleep_forever()

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=1000, max_rounds=1)))
    start = trio.current_time()
    async with (
        fake_program(hangs, timing=timing, loop_delay=HeldUp(0.7)) as first,
        fake_program(obedient, timing=timing) as second,
    ):
        result = await Referee(table, [first, second]).run()
    assert faults(result) == {"timeout": 1}
    assert trio.current_time() - start < 1.9


@pytest.mark.parametrize(("timing", "charged"), [(Timing(), 300), (FAIR, 300), (CPU, 20)])
async def test_the_arenas_own_part_is_never_the_bots(
    autojump_clock: MockClock, tmp_path: Path, timing: Timing, charged: int
) -> None:
    """Answered after 300 ms, read after 700: the record says what became of the rest."""

    async def scenario(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(0.3)
        bot.meter.cpu += 20 * MS
        autojump_clock.jump(0.4)
        await bot.say("1\n")
        await trio.sleep_forever()

    path = tmp_path / "r.jsonl"
    setup = Setup("1", 2, TinySettings(timebank=1000, max_rounds=1))
    async with (
        fake_program(scenario, timing=timing, loop_delay=HeldUp(0.4)) as first,
        fake_program(obedient, timing=timing) as second,
    ):
        with Recorder(path, header_for(TINY, setup, ["a", "b"], timing)) as recorder:
            result = await Referee(Table(TINY, setup), [first, second], listeners=[recorder]).run()
    tally = result.seats[0].tally
    assert tally.charged.total == pytest.approx(charged * MS)
    assert measured(tally.wall).total == pytest.approx(300 * MS)
    assert measured(tally.held_up).total == pytest.approx(400 * MS)
    answer = next(r for r in read_records(path) if isinstance(r, Answered) and r.seat == 0)
    assert answer.held_up_ms == pytest.approx(400)
    assert verify(path).problem == ""


async def test_a_program_that_sleeps_has_used_its_cpu_time_before_its_line(
    autojump_clock: MockClock,
) -> None:
    """Nothing says when the line came in 100 ms of hold-up; but the program has run for 60 of them,
    and does not any more."""

    async def scenario(bot: Bot) -> None:
        await bot.request()
        autojump_clock.jump(0.1)
        bot.meter.cpu += 60 * MS
        await bot.say("1\n")
        await trio.sleep_forever()

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=1000, max_rounds=1)))
    async with (
        fake_program(scenario, loop_delay=HeldUp(9.9)) as first,
        fake_program(obedient) as second,
    ):
        result = await Referee(table, [first, second]).run()
    assert result.seats[0].tally.charged.total == pytest.approx(60 * MS)


async def test_a_program_that_rests_has_used_its_cpu_time_before_its_line(
    autojump_clock: MockClock,
) -> None:
    """It was displaced when it wrote its line, so it is still ready to run. It has used no CPU time
    between its last answer and the request, so what it has used since was for the answer."""

    async def scenario(bot: Bot) -> None:
        await bot.request()
        await bot.say("1\n")
        await bot.request()
        autojump_clock.jump(0.1)
        bot.meter.cpu += 60 * MS
        bot.meter.is_ready = True
        await bot.say("1\n")
        await trio.sleep_forever()

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=1000, max_rounds=2)))
    async with (
        fake_program(scenario, loop_delay=HeldUp(9.9)) as first,
        fake_program(obedient) as second,
    ):
        result = await Referee(table, [first, second]).run()
    assert result.seats[0].tally.charged.total == pytest.approx(60 * MS)


# -- the boundaries, one by one --------------------------------------------------------------------

SECOND = 10**9


def request(bank: int, patience: int = 1, start: Moment = Moment(10.0)) -> Request:  # noqa: B008  # frozen
    return Request(bank, patience, start, Usage(FakeMeter()))


def test_the_looks_of_a_request() -> None:
    clock = request(2 * SECOND, 3)
    assert clock.deadline == 12.0
    assert [clock.next_look(when) for when in (10.0, 11.999)] == [12, 12]
    for when, late, over in ((11.999, False, False), (12.0, True, False), (16.0, True, True)):
        clock.look(when)
        assert (clock.late, clock.over) == (late, over)
        assert clock.is_late(Moment(when + 0.1)) == late
    assert clock.next_look(12.0) == clock.wake_at == 16.0


def test_a_line_read_at_the_deadline_itself_is_late() -> None:
    clock = request(2 * SECOND)
    late = [clock.is_late(Moment(when)) for when in (11.999, 12.0, 12.0000001)]
    assert late == [False, True, False]  # the last was read late, and may have come before


def test_real_time_counts_from_the_end_of_the_write_and_cpu_time_from_its_start() -> None:
    clock = request(SECOND, start=Moment(10.0, 500))
    clock.written(10.2, 10.25)
    cost = clock.cost(Moment(10.5, 700, 0.125))
    assert (cost.wall, cost.cpu, cost.held_up) == (SECOND // 8, 200, SECOND // 8)
    assert clock.cost(Moment(10.5, 700)).held_up is None
    assert clock.deadline == 11.25


@pytest.mark.parametrize(
    ("ran", "ready", "charged"),
    [
        (0.002, False, 30 * MS),
        (0.0001, False, 30 * MS),  # it has read the request, and sleeps
        (0.0, True, 30 * MS),  # it has not run yet, since another program does
        (0.0, False, 28 * MS),  # nothing has woken it up
        (0.5, False, 30 * MS),
    ],
)
def test_a_program_that_displaces_the_arena_while_it_writes_pays_for_it(
    ran: float, ready: bool, charged: int
) -> None:
    """The write takes 2 ms, and the answer comes 30 ms after it began."""
    meter = FakeMeter()
    meter.is_ready = ready
    asked = Request(100 * MS, 1, Moment(10.0), Usage(meter))
    meter.cpu = round(ran * 1e9)
    asked.written(10.0, 10.002)
    assert asked.cost(Moment(10.030)).charged == charged


@pytest.mark.parametrize(("bank", "charged"), [(0, 0), (1, 0), (40, 39), (41, 40), (100, 40)])
def test_an_answer_in_time_is_charged_less_than_the_bank(bank: int, charged: int) -> None:
    line = Moment(10.00000004, 7)
    assert request(bank).cost(line).charged == charged
    assert request(bank).cost(line, missed=True).charged == bank
