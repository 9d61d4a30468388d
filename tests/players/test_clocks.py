"""The clocks that are not real time, exact to the nanosecond."""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median

import pytest
import trio

from arena.core.clock import Clock as ByClock
from arena.players import timing as charging
from arena.players.process import EXIT_WITHIN, READY_WITHIN
from arena.players.timing import CpuRequest, FairRequest, Moment, Usage
from arena.record.format import Answered, Silent
from arena.record.source import read_records
from arena.record.verify import verify
from arena.sandbox.levels import Level
from tests.experiments import timing
from tests.experiments.clocks import compare
from tests.support import live
from tests.support.fake import (
    CPU,
    FAIR,
    MS,
    Bot,
    FakeMeter,
    MockClock,
    faults,
    first_fault,
    measured,
    mute,
    obedient,
    play,
    works,
)
from tests.support.groups import open_groups
from tests.support.tools import dear


async def test_the_cpu_clock_charges_cpu_time(autojump_clock: MockClock, tmp_path: Path) -> None:
    """Answers after 900 ms of a bank of 500 ms are in time: only 100 ms of them were its own."""
    heads: list[str] = []

    async def scenario(bot: Bot) -> None:
        while True:
            heads.append(await bot.request())
            await trio.sleep(0.9)
            bot.meter.cpu += 100 * MS
            await bot.say("1\n")

    path = tmp_path / "r.jsonl"
    result = await play(scenario, obedient, timing=CPU, timebank=500, time_per_move=40, replay=path)
    assert faults(result) == {}
    assert heads == [f"go bid {bank}" for bank in (500, 440, 380, 320, 260)]
    assert result.seats[0].tally.charged.total == 500 * MS
    assert measured(result.seats[0].tally.wall).total == pytest.approx(4500 * MS)
    header, *_ = list(read_records(path))
    assert getattr(header, "clock", None) == "cpu"
    answer = next(r for r in read_records(path) if isinstance(r, Answered) and r.seat == 0)
    assert (answer.ms, round(answer.wall_ms or 0)) == (100.0, 900)
    assert verify(path).problem == ""


async def test_an_answer_with_the_whole_bank_used_is_late_though_it_came(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    result = await play(
        works(0.001, 500), obedient, timing=CPU, timebank=500, max_rounds=1, replay=path
    )
    assert faults(result) == {"timeout": 1, "late": 1}
    assert verify(path).problem == ""
    in_time = await play(works(0.001, 499), obedient, timing=CPU, timebank=500, max_rounds=1)
    assert faults(in_time) == {}


async def test_the_bank_can_be_used_up_without_a_line(autojump_clock: MockClock) -> None:
    async def burns(bot: Bot) -> None:
        await bot.request()
        while True:
            await trio.sleep(0.01)
            bot.meter.cpu += 10 * MS

    start = trio.current_time()
    result = await play(burns, obedient, timing=CPU, timebank=500, max_rounds=1)
    assert first_fault(result, "timeout").startswith(
        "no answer to 'go bid' within 500 ms of CPU time (used 5"
    )
    assert 0.49 < trio.current_time() - start < 0.7


async def test_the_wall_guard_ends_the_wait_for_a_bot_that_does_nothing(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    start = trio.current_time()
    result = await play(mute, obedient, timing=CPU, timebank=500, max_rounds=1, replay=path)
    assert trio.current_time() - start == pytest.approx(6.0, abs=0.2)
    assert first_fault(result, "timeout") == (
        "no answer to 'go bid' within 500 ms of CPU time (used 0 ms of CPU; ready but not run for "
        "0 ms; given up after 6000 ms of real time)"
    )
    silent = next(r for r in read_records(path) if isinstance(r, Silent))
    assert (silent.ms, round(silent.wall_ms or 0)) == (500.0, 6000)
    assert verify(path).problem == ""


async def test_the_cpu_clock_is_not_polled(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bank of 10 s that is not used is looked at when it could be used up at the earliest, on all
    cores at once: at most 21 times in the 101 s of the guard on two cores, not every few ms."""
    looks = []

    def counted(meter: FakeMeter) -> int:
        looks.append(trio.current_time())
        return 0

    monkeypatch.setattr(FakeMeter, "cpu_ns", counted)
    await play(mute, obedient, timing=CPU, timebank=10_000, max_rounds=1)
    assert max(looks) > 100
    assert 5 < len(looks) < 20 + 4 * 11 * charging.CORES


# -- with real processes --------------------------------------------------------------------------


BUSY = """
import sys, time
for line in sys.stdin:
    if line.startswith("go"):
        until = time.process_time() + 0.05
        while time.process_time() < until:
            pass
        time.sleep(0.15)
        print(1, flush=True)
"""
"""Uses 50 ms of CPU in some 200 ms of real time."""


@pytest.mark.alone
def test_the_cpu_clock_charges_what_was_used() -> None:
    report = live.play(
        live.bot(BUSY), live.honest(), clock=ByClock.CPU, timebank=1000, time_per_move=1
    )
    busy = live.first(report)
    assert report.clock == "cpu"
    assert busy.faults == {}
    assert busy.wall_ms is not None
    assert busy.thought_ms is not None
    assert 249 < busy.time_ms.total < busy.wall_ms.total * 0.6
    assert busy.wall_ms.total > 1000
    assert busy.time_ms.total == pytest.approx(busy.thought_ms.total, rel=0.01)


@pytest.mark.alone
def test_the_cpu_clock_ends_a_bot_that_only_burns() -> None:
    burns = "import sys\nsys.stdin.readline()\nwhile True: pass\n"
    start = time.monotonic()
    report = live.play(
        live.bot(burns), live.honest(), clock=ByClock.CPU, timebank=200, time_per_move=1
    )
    detail = live.first(report).first_faults["timeout"].detail
    assert live.first(report).stopped == "timeouts"
    assert "within 200 ms of CPU time (used 2" in detail
    assert time.monotonic() - start < 30


@pytest.mark.dear
@pytest.mark.alone
def test_the_cpu_clock_keeps_its_measure_on_a_full_machine() -> None:
    """Eight busy bots on two cores: by the wall a move takes several times its CPU time, by the CPU
    clock as long as alone (`python -m tests.experiments.clocks` for the figures: within 10 %).

    The wall is not compared with that of the bot alone, which other work of the machine lengthens,
    too."""
    pairs = [compare(8) for _ in range(3)]  # the machine's own speed may move within one of them
    assert median(crowded.wall / crowded.cpu for _, crowded in pairs) > 2
    assert 0.75 < median(crowded.cpu / alone.cpu for alone, crowded in pairs) < 1.25


# -- the boundaries, one by one --------------------------------------------------------------------

SECOND = 10**9


def cpu_request(
    bank: int,
    patience: int = 1,
    start: Moment = Moment(0.0),  # noqa: B008  # frozen
    used: list[int] = [0],  # noqa: B006
) -> CpuRequest:
    """With a meter that has counted `used`."""
    meter = FakeMeter()
    meter.cpu_ns = lambda: used[0]  # type: ignore[method-assign]
    return CpuRequest(bank, patience, start, Usage(meter))


@pytest.mark.parametrize(("bank", "charged"), [(0, 0), (1, 0), (40, 39), (41, 40), (100, 40)])
def test_an_answer_in_time_is_charged_less_than_the_bank(bank: int, charged: int) -> None:
    assert cpu_request(bank).cost(Moment(7e-9, 40)).charged == charged


def test_the_cpu_clock_of_a_request() -> None:
    used = [100]
    clock = cpu_request(2 * SECOND, start=Moment(10.0, 100), used=used)
    assert clock.cap == 10.0 + 10 * 2 + 1
    late = [clock.is_late(Moment(11.0, 100 + cpu)) for cpu in (2 * SECOND - 1, 2 * SECOND)]
    assert late == [False, True]
    assert [clock.is_late(Moment(when, 100)) for when in (30.999, 31.0)] == [False, True]
    used[0] = 100 + 2 * SECOND - 1
    clock.look(30.999)
    assert not clock.over
    used[0] += 1
    clock.look(11.0)
    assert clock.over
    used[0] = 100
    clock.look(31.0)
    assert clock.over


def test_patience_on_the_cpu_clock() -> None:
    clock = cpu_request(2 * SECOND, 3, used=[6 * SECOND - 1])
    assert clock.cap == pytest.approx(61.0)
    clock.look(1.0)
    assert (clock.late, clock.over) == (True, False)
    assert clock.is_late(Moment(1.0, 2 * SECOND))


def test_the_cpu_clock_is_looked_at_when_the_bank_can_be_used_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(charging, "CORES", 4)
    used = [0]
    clock = cpu_request(2 * SECOND, used=used)
    assert clock.next_look(1.0) == clock.wake_at == 1.5
    used[0] = 2 * SECOND - 20_000_000
    assert clock.next_look(1.0) == pytest.approx(1.005)
    used[0] = 2 * SECOND - 1  # never more often than every 5 ms
    assert clock.next_look(1.0) == 1.005
    assert clock.next_look(20.999) == 21.0


async def test_the_cpu_clock_is_looked_at_so_often_and_no_more(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On one core a bank of a second that is not used is looked at each second of the guard."""
    looks = []

    def counted(meter: FakeMeter) -> int:
        looks.append(round(trio.current_time(), 6))
        return 0

    monkeypatch.setattr(charging, "CORES", 1)
    monkeypatch.setattr(FakeMeter, "cpu_ns", counted)
    await play(mute, obedient, timing=CPU, timebank=1000, max_rounds=1)
    start = looks[0]
    assert {look - start for look in looks if look - start <= 11} == set(range(12))


# -- the fair clock --------------------------------------------------------------------------------


async def test_the_fair_clock_charges_real_time_less_delay(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """900 ms of real time, 100 of CPU, 650 ready and not run: 250 are charged. Of a bank of 500 it
    is in time, though real time is over."""
    path = tmp_path / "r.jsonl"
    result = await play(
        works(0.9, 100, 650), obedient, timing=FAIR, timebank=500, time_per_move=250, replay=path
    )
    assert faults(result) == {}
    assert result.seats[0].tally.charged.total == pytest.approx(5 * 250 * MS)
    assert measured(result.seats[0].tally.wall).total == pytest.approx(4500 * MS)
    header, *_ = list(read_records(path))
    assert getattr(header, "clock", None) == "fair"
    assert verify(path).problem == ""


@pytest.mark.parametrize(
    ("cpu", "delay", "charged"),
    [
        (0, 0, 700),  # it slept
        (700, 5000, 700),  # its threads waited for each other: nothing is refunded
        (1400, 5000, 700),  # and using two cores costs no more than real time
        (100, 5000, 100),  # never less than the CPU time that it used
        (100, 300, 400),  # it slept for 300 ms
    ],
)
async def test_a_bot_pays_for_its_sleep_and_its_work(
    autojump_clock: MockClock, cpu: int, delay: int, charged: int
) -> None:
    result = await play(
        works(0.7, cpu, delay), obedient, timing=FAIR, timebank=10_000, max_rounds=1
    )
    assert result.seats[0].tally.charged.total == pytest.approx(charged * MS)


async def test_where_not_all_cpu_time_is_known_the_refund_has_a_cap(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeMeter, "counts_all", False)
    result = await play(works(1.0, 0, 5000), obedient, timing=FAIR, max_rounds=1)
    assert result.seats[0].tally.charged.total == pytest.approx(50 * MS)


async def test_a_hung_bot_loses_as_fast_as_by_the_wall(autojump_clock: MockClock) -> None:
    """It sleeps: whatever it waited for a core before, the kernel has told."""
    start = trio.current_time()
    result = await play(mute, obedient, timing=FAIR, timebank=500, max_rounds=1)
    assert faults(result) == {"timeout": 1}
    assert trio.current_time() - start == pytest.approx(0.5, abs=0.11)  # 0.1 to leave


async def test_a_bot_that_waits_for_a_core_at_the_deadline_is_waited_for(
    autojump_clock: MockClock,
) -> None:
    """It was never run for 1.3 s of a bank of 0.5, and then answers at once. While it waits, the
    kernel says only that it is ready."""

    async def starved(bot: Bot) -> None:
        await bot.request()
        bot.meter.is_ready = True
        await trio.sleep(1.3)
        bot.meter.is_ready = False
        bot.meter.cpu += 1 * MS
        assert bot.meter.delay is not None
        bot.meter.delay += 1299 * MS
        await bot.say("1\n")
        await trio.sleep_forever()

    result = await play(starved, obedient, timing=FAIR, timebank=500, max_rounds=1)
    assert faults(result) == {}
    assert result.seats[0].tally.charged.total == pytest.approx(1 * MS)


@pytest.mark.parametrize("share", [1.0, 0.25])
async def test_a_bot_that_only_burns_loses_when_its_bank_is_burnt(
    autojump_clock: MockClock, share: float
) -> None:
    """Alone it has a core for itself; on a full machine a quarter of one, and loses 2 s later. At
    the end of the match it has not left when it has burnt another `EXIT_WITHIN`."""

    async def burns(bot: Bot) -> None:
        await bot.request()
        bot.meter.is_ready = True
        while True:
            await trio.sleep(0.004)
            bot.meter.cpu += round(4 * share * MS)
            assert bot.meter.delay is not None
            bot.meter.delay += round(4 * (1 - share) * MS)

    start = trio.current_time()
    result = await play(burns, obedient, timing=FAIR, timebank=500, max_rounds=1)
    assert faults(result) == {"timeout": 1}
    took = trio.current_time() - start
    assert (0.5 + EXIT_WITHIN) / share - 0.001 <= took < (0.5 + EXIT_WITHIN) / share + 0.05


async def test_real_time_ends_the_wait_for_a_bot_that_is_never_run(
    autojump_clock: MockClock,
) -> None:
    async def starved(bot: Bot) -> None:
        bot.meter.is_ready = True
        await trio.sleep_forever()

    start = trio.current_time()
    result = await play(starved, obedient, timing=FAIR, timebank=500, max_rounds=1)
    assert trio.current_time() - start == pytest.approx(6.0 + READY_WITHIN, abs=0.2)
    assert first_fault(result, "timeout") == (
        "no answer to 'go bid' within 500 ms (used 0 ms of CPU; ready but not run for 0 ms)"
    )


async def test_patience_on_the_fair_clock(autojump_clock: MockClock) -> None:
    """Late after a bank, absent after three; and waiting for a core counts for neither."""
    meter = FakeMeter()
    clock = FairRequest(SECOND, 3, Moment(0.0), Usage(meter))
    clock.usage.asked(Moment(0.0))
    meter.delay = SECOND // 2
    for when, late, over in ((1.0, False, False), (1.5, True, False), (3.4, True, False)):
        clock.look(when)
        assert (clock.late, clock.over) == (late, over)
    assert clock.next_look(3.4) == pytest.approx(3.5)
    clock.look(3.5)
    assert clock.over


# -- the fair clock, with real processes -----------------------------------------------------------


@pytest.mark.dear
@pytest.mark.alone
def test_the_charge_is_the_known_work_on_a_busy_machine() -> None:
    """CPU time and sleep, beside eight loops on two cores: by the wall it costs much more.
    (`python -m tests.experiments.timing charges` for the figures.)"""
    kinds = ((10, 0), (20, 10))
    with timing.load(8):
        fair = timing.measure_error(16, kinds)
        wall = timing.measure_error(16, kinds, clock=ByClock.WALL)
    assert fair.timeouts == 0
    assert 0.7 < fair.ratio < 1.25
    assert wall.ratio > fair.ratio * 1.5


@pytest.mark.alone
def test_the_charge_is_the_known_work_though_the_arena_is_stopped() -> None:
    stopped = timing.measure_error(25, ((20, 0), (30, 0)), stop=True)
    assert stopped.timeouts == 0
    assert 0.7 < stopped.ratio < 1.3


@pytest.mark.alone
@pytest.mark.parametrize("loops", dear([2, 8], but=lambda loops: loops == 2))
def test_instant_bots_with_a_small_bank_never_run_out_of_it(loops: int) -> None:
    with timing.load(loops):
        counted = timing.count_timeouts(1, 1)
    assert counted.requests > 300
    assert (counted.timeouts, counted.stopped, counted.void) == (0, 0, 0)


@pytest.mark.dear
@pytest.mark.alone
def test_a_start_that_waits_for_a_core_is_not_lost() -> None:
    """A program whose start takes 300 ms of CPU time, as those of JVMs do, and a bank of 600."""
    start = "import time\nwhile time.process_time() < .3: pass\n" + live.HONEST
    with timing.load(12):
        fair = live.first(
            live.play(live.bot(start), live.honest(), clock=ByClock.FAIR, timebank=600)
        )
    assert fair.faults == {}
    assert fair.wall_ms is not None
    assert fair.wall_ms.max > 600


@pytest.mark.dear
@pytest.mark.alone
def test_a_hung_bot_loses_on_a_crowded_host_as_fast_as_on_a_quiet_one(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    hung = "import sys, time\nsys.stdin.readline()\ntime.sleep(999)\n"
    with timing.load(8):
        live.play(
            live.bot(hung),
            live.honest(),
            clock=ByClock.FAIR,
            timebank=1000,
            time_per_move=500,
            replay=path,
        )
    silent = [r for r in read_records(path) if isinstance(r, Silent) and r.why == "late"]
    assert [round(one.ms) for one in silent] == [1000, 500]
    assert silent[-1].wall_ms is None or silent[-1].wall_ms < 2 * 500


@pytest.mark.dear
@pytest.mark.alone
def test_no_trick_gains_at_the_strongest_level() -> None:
    """(`python -m tests.experiments.timing gains` for all of them, and at other levels.)"""
    with open_groups():
        pass
    with timing.load(4):
        honest, *charged = [
            timing.charge_of(timing.TRICKS[trick], Level.CGROUP, 6, ByClock.FAIR)
            for trick in ("honest", "idle ballast, hidden children", "stops itself")
        ]
    assert min(charged) > honest / 1.15
