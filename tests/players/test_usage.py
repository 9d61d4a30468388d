"""What a program does with its time, asked and not asked."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from arena.core.limits import Limits
from arena.players.timing import FRESH_FOR, PROMPT_NS, STALL_FROM, Moment, Usage
from arena.record.format import Answered, PlayerTotals, Silent
from arena.record.source import read_records
from arena.sandbox.usage.meter import Pressure
from tests.support import live
from tests.support.fake import (
    MS,
    Bot,
    FakeMeter,
    MockClock,
    first_fault,
    measured,
    mute,
    obedient,
    play,
    works,
)


async def test_every_request_says_what_it_took(autojump_clock: MockClock, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    result = await play(works(0.7, 12, 430), obedient, replay=path)
    seat = result.seats[0].tally
    assert (measured(seat.cpu).total, measured(seat.cpu).most) == (60 * MS, 12 * MS)
    assert (measured(seat.delay).total, measured(seat.delay).most) == (2150 * MS, 430 * MS)
    assert measured(seat.wall).most == pytest.approx(700 * MS)
    answers = [r for r in read_records(path) if isinstance(r, Answered) and r.seat == 0]
    assert [(r.cpu_ms, r.delay_ms, r.wall_ms) for r in answers] == [(12.0, 430.0, None)] * 5
    totals = next(r for r in read_records(path) if isinstance(r, PlayerTotals))
    assert (totals.thought_ms, totals.delay_ms) == (60.0, 2150.0)


async def test_where_delay_is_not_known_nothing_is_said_of_it(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeMeter, "delay_ns", lambda meter: None)
    result = await play(mute, obedient, timebank=500, max_rounds=1)
    assert first_fault(result, "timeout") == (
        "no answer to 'go bid' within 500 ms (used 0 ms of CPU)"
    )
    assert result.seats[0].tally.delay is None


async def test_T02_threads_that_wait_for_each_other_were_not_held_up(
    autojump_clock: MockClock,
) -> None:
    """16 busy threads on two free cores: all of them wait, and the machine is not to blame."""
    result = await play(works(1.0, 2000, 14_000), obedient, limits=Limits(cpu_grace=1e6))
    assert measured(result.seats[0].tally.delay).total == 0
    crowded = await play(works(1.0, 600, 14_000), obedient)
    assert measured(crowded.seats[0].tally.delay).most == pytest.approx(400 * MS)


async def test_T03_pondering_is_audited(autojump_clock: MockClock) -> None:
    async def ponders(bot: Bot) -> None:
        bot.meter.cpu += 500 * MS  # its start does not count
        while True:
            await bot.request()
            bot.meter.cpu += 5 * MS
            await bot.say("1\n")
            await trio.sleep(0.1)
            bot.meter.cpu += 100 * MS

    result = await play(ponders, works(0.2, 1), timebank=10_000)
    assert result.seats[0].player.pondered_ms == 400.0  # between five requests
    assert result.seats[1].player.pondered_ms == 0.0


# -- with real processes --------------------------------------------------------------------------


@pytest.mark.alone
def test_O11_a_bot_on_a_busy_core_is_found_to_have_waited() -> None:
    """A move of 100 ms of CPU, on one core with two others that only burn: it waits for longer than
    it runs, and the report says so. (Each in a session: some kernels weigh one as a program.)"""
    core = min(os.sched_getaffinity(0))
    works = (
        f"import os, sys, time\nos.sched_setaffinity(0, {{{core}}})\n"
        "for line in sys.stdin:\n"
        "    if line.startswith('go'):\n"
        "        until = time.process_time() + .1\n"
        "        while time.process_time() < until: pass\n"
        "        print(1, flush=True)\n"
    )
    burn = f"import os\nos.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    words = [sys.executable, "-I", "-S", "-c", burn]
    others = [subprocess.Popen(words, start_new_session=True) for _ in range(2)]
    try:
        held_up = live.first(live.play(live.bot(works), live.honest(), max_rounds=2))
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert held_up.delay_ms is not None
    assert held_up.thought_ms is not None
    assert held_up.wall_ms is not None
    assert held_up.delay_ms.total > held_up.thought_ms.total / 2
    assert held_up.delay_ms.total + held_up.thought_ms.total < held_up.wall_ms.total * 1.05


# -- the readings, one by one ----------------------------------------------------------------------


def share(*delays: int | None) -> Usage:
    """One whose meter gives these delays in turn."""
    meter = FakeMeter()
    left = iter(delays)
    meter.delay_ns = lambda: next(left)  # type: ignore[method-assign]
    return Usage(meter)


@pytest.mark.parametrize(
    ("wall", "cpu", "delay"),
    [
        (PROMPT_NS - 1, 0, 0),
        (PROMPT_NS, 0, 700),
        (PROMPT_NS, PROMPT_NS - 700, 700),
        (PROMPT_NS, PROMPT_NS - 699, 699),
        (PROMPT_NS, PROMPT_NS + 1, 0),
    ],
)
def test_a_program_is_held_up_for_what_it_lacked_of_one_core(
    wall: int, cpu: int, delay: int
) -> None:
    meter = share(100, 800)
    meter.asked(Moment(1.0))
    assert meter.delay(wall, cpu) == delay


def test_the_delay_of_a_quick_request_before_is_not_refunded() -> None:
    meter = share(100, 400, 900)
    meter.asked(Moment(0.0))
    assert meter.delay(PROMPT_NS - 1, 0) == 0
    meter.asked(Moment(FRESH_FOR * 0.99))
    assert meter.delay(PROMPT_NS, 0) == 500


def test_a_request_that_is_a_millisecond_old_had_no_more_delay_than_that() -> None:
    """Seven milliseconds were told since the last reading: six of them were of earlier."""
    meter = share(0, 7 * MS, 9 * MS)
    meter.asked(Moment(0.0))
    meter.asked(Moment(1.0), since=MS)
    assert meter.delay(20 * MS, 0) == 3 * MS


@pytest.mark.parametrize(
    ("since", "told", "held_up", "ran", "refunded"),
    [
        (10, 0, 0.0, 0, 5),  # it waits since its answer: ten of fifteen are of earlier
        (0.05, 0, 0.0, 0, 15),  # too short to look
        (10, 8, 0.0, 0, 13),  # another wait is over: this one began two ago
        (10, 0, 0.009, 0, 5),  # nothing says when the answer came in nine
        (10, 0, 0.0, 1, 15),  # it runs
    ],
)
def test_a_wait_that_began_before_a_request_is_not_refunded(
    since: float, told: int, held_up: float, ran: int, refunded: int
) -> None:
    """A program is displaced when it has written its answer, and waits for a core when the next
    request comes. The kernel tells of it when it runs: 15 ms."""
    meter = FakeMeter()
    shared = Usage(meter)
    shared.asked(Moment(0.0))
    shared.answered(Moment(1.0, unread=held_up))
    meter.is_ready = True
    meter.delay = told * MS
    meter.cpu = ran
    shared.asked(Moment(1.0 + since / 1000))
    meter.delay += 15 * MS
    assert shared.delay(40 * MS, 0) == refunded * MS


@pytest.mark.parametrize(
    ("threads", "own", "group", "refunded"),
    [
        (15, 0, None, 15),
        (15, 9, None, 6),
        (15, 0, 11, 15),  # what moved between cores
        (0, 0, 11, 11),  # what lived for a moment
        (15, 9, 11, 11),
        (99, 0, 99, 38),  # never more than it lacked of one core
    ],
)
def test_it_was_held_up_as_its_threads_tell_or_its_group(
    threads: int, own: int, group: int | None, refunded: int
) -> None:
    meter = FakeMeter()
    meter.own_part = lambda cpu: own * MS  # type: ignore[method-assign]
    meter.pressed = None if group is None else Pressure(700 * MS, 500 * MS)
    shared = Usage(meter)
    shared.asked(Moment(0.0))
    meter.delay = threads * MS
    meter.pressed = None if group is None else Pressure(900 * MS, (500 + group) * MS)
    assert shared.delay(40 * MS, 2 * MS) == refunded * MS


def test_the_group_of_a_program_that_computes_unasked_tells_too_much() -> None:
    """It counts the waits of a thread while the one that answers sleeps."""
    meter = FakeMeter()
    meter.pressed, meter.unasked = Pressure(0, 0), 28 * MS
    shared = Usage(meter)
    shared.asked(Moment(0.0))
    meter.delay, meter.pressed = 5 * MS, Pressure(30 * MS, 30 * MS)
    assert shared.delay(40 * MS, 2 * MS) == 5 * MS


def test_a_program_that_was_asked_at_rest_waits_since_then() -> None:
    """A request that was begun as a prompt one: nothing that it waits for is of before, though it
    was seen to run since its answer."""
    begun = []
    meter = FakeMeter()
    meter.begin = lambda *, waits: begun.append(waits)  # type: ignore[method-assign]
    shared = Usage(meter)
    for since in (0, MS):
        shared.answered(Moment(1.0))
        shared.asked(Moment(2.0, cpu=5 * MS), since=since)
    assert begun == [True, False]


@pytest.mark.parametrize(("grown", "refunded"), [(0, 15), (99_999, 15), (MS, 5)])
def test_threads_are_looked_at_only_where_one_can_have_waited(grown: int, refunded: int) -> None:
    """The group's tasks have waited for so long since the reading before, with the wait that lasts:
    none of them waits for longer."""
    meter = FakeMeter()
    meter.pressed = Pressure(0, 0)
    shared = Usage(meter)
    shared.asked(Moment(0.0))
    meter.pressed = Pressure(7 * MS, 0)
    shared.delay(2 * MS, 0)  # a reading at its end
    shared.answered(Moment(1.0))
    meter.pressed = Pressure(7 * MS + grown, 0)
    meter.is_ready = True
    shared.asked(Moment(1.01))
    meter.delay = 15 * MS
    assert shared.delay(40 * MS, 0) == refunded * MS


@pytest.mark.parametrize(
    ("wall", "now", "stalled"),
    [
        (STALL_FROM - 1, 900 * MS, None),  # short: it is not read
        (STALL_FROM, None, None),
        (STALL_FROM, 300 * MS, None),
        (STALL_FROM, 340 * MS, 40 * MS),
        (
            STALL_FROM,
            900 * MS,
            STALL_FROM,
        ),  # with what was before the request, but after the look before it
    ],
)
def test_a_long_request_says_what_its_program_waited_for(
    wall: int, now: int | None, stalled: int | None
) -> None:
    meter = FakeMeter()
    meter.stalled_before = 300 * MS
    shared = Usage(meter)
    shared.asked(Moment(0.0))
    meter.stalled = now
    assert shared.stalled(wall) == stalled


async def test_what_a_program_waited_for_stands_in_the_record(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    async def scenario(bot: Bot) -> None:
        await bot.request()
        bot.meter.stalled = 1700 * MS
        await mute(bot)

    path = tmp_path / "r.jsonl"
    result = await play(scenario, obedient, replay=path, max_rounds=1)
    [silence] = [r for r in read_records(path) if isinstance(r, Silent) and r.seat == 0]
    assert silence.stalled_ms == 1700
    assert silence.cost.stalled == 1700 * MS
    assert "waited for a disk or for memory for 1700 ms" in first_fault(result, "timeout")


def test_no_figure_is_read_twice_in_a_request() -> None:
    read: list[str] = []

    class Meter(FakeMeter):
        def begin(self, *, waits: bool) -> int | None:
            read.append("delays")
            return self.delay

        def delay_ns(self) -> int | None:
            read.append("delays")
            return self.delay

        def pressure(self) -> Pressure | None:
            read.append("pressure")
            return Pressure(0, 0)

        def ready(self) -> bool:
            read.append("states")
            return False

        def cpu_ns(self) -> int:
            read.append("cpu")
            return 0

    meter = Meter()
    shared = Usage(meter)
    for start in (0.0, 1.0):
        read.clear()
        shared.asked(Moment(start))
        assert sorted(read) == ["delays", "pressure"]
        read.clear()
        assert shared.delay(PROMPT_NS - 1, 0) == 0  # a quick answer
        assert read == []
        assert shared.delay(20 * MS, 0) == 0
        assert sorted(read) == ["delays", "pressure"]
        meter.delay = (meter.delay or 0) + 20 * MS
        read.clear()
        assert shared.delay(20 * MS, 0) == 20 * MS  # its threads tell of all
        assert read == ["delays"]
        shared.answered(Moment(start + 0.5))


def test_pondering_is_the_cpu_time_between_an_answer_and_the_next_request() -> None:
    meter = share(None, None, None)
    meter.asked(Moment(1.0, 50))
    meter.answered(Moment(2.0, 60))
    meter.asked(Moment(3.0, 90))
    assert meter.pondered == 30
    meter.asked(Moment(4.0, 200))  # it missed the answer: nothing is pondered
    assert meter.pondered == 30
