"""Whose fault the time was, by which clock it is charged, and what a bot does when it is not asked:
the referee with scripted programs on a mock clock, whose meters the scenarios set."""

from __future__ import annotations

import json
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from arena import host
from arena.books import missed
from arena.clock import Clock as ByClock
from arena.errors import ArenaFault, HostFault, leaf
from arena.game import GAMES, Setup
from arena.limits import Limits
from arena.match import open_recorder
from arena.players import Heard, Stopped, request
from arena.players.inprocess import InProcess
from arena.players.request import Timing
from arena.referee import MatchResult, Referee
from arena.replay import Answered, PlayerTotals, Silent, read_replay
from arena.sandbox.children import Exit
from arena.steps import Ask, Silence, Why
from arena.table import Table
from arena.verify import verify
from tests.fake import Bot, FakeMeter, Scenario, fake_program, obedient
from tests.tiny import TINY, TinySettings

Clock = trio.testing.MockClock
MS = 1_000_000
CPU = Timing(ByClock.CPU)
FROZEN = Timing(pondering=False)


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


async def play(
    *scenarios: Scenario,
    timing: Timing = Timing(),  # noqa: B008  # frozen
    limits: Limits = Limits(),  # noqa: B008
    replay: Path | None = None,
    **settings: Any,
) -> MatchResult:
    """One match of the tiny game between scenarios; its record, if there is one, verifies."""
    setup = Setup("1", len(scenarios), TinySettings(**settings))
    recorder = open_recorder(replay, TINY, setup, ["a", "b"], timing.clock)
    async with AsyncExitStack() as stack:
        if recorder is not None:
            stack.enter_context(recorder)
        programs = [
            await stack.enter_async_context(fake_program(scenario, timing=timing, limits=limits))
            for scenario in scenarios
        ]
        return await Referee(
            Table(TINY, setup), programs, recorder=recorder, clock=timing.clock
        ).run()


def faults(result: MatchResult, seat: int = 0) -> dict[str, int]:
    return {code: fault.count for code, fault in result.seats[seat].faults.items()}


def first_fault(result: MatchResult, code: str) -> str:
    return result.seats[0].faults[code].detail


def works(wall: float, cpu: int, delay: int = 0) -> Scenario:
    """Answers every request after `wall` seconds, having used and waited so many milliseconds."""

    async def scenario(bot: Bot) -> None:
        while True:
            await bot.request()
            await trio.sleep(wall)
            bot.meter.cpu += cpu * MS
            assert bot.meter.delay is not None
            bot.meter.delay += delay * MS
            await bot.say("1\n")

    return scenario


async def mute(bot: Bot) -> None:
    await trio.sleep_forever()


# -- whose time it was ---------------------------------------------------------------------------


async def test_every_request_says_what_it_took(autojump_clock: Clock, tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    result = await play(works(0.7, 12, 430), obedient, replay=path)
    seat = result.seats[0]
    assert (seat.cpu.total, seat.cpu.most) == (60 * MS, 12 * MS)
    assert (seat.delay.total, seat.delay.most) == (2150 * MS, 430 * MS)
    assert seat.wall.most == pytest.approx(700 * MS)
    answers = [r for r, _ in read_replay(path) if isinstance(r, Answered) and r.seat == 0]
    assert [(r.cpu_ms, r.delay_ms, r.wall_ms) for r in answers] == [(12.0, 430.0, None)] * 5
    totals = next(r for r, _ in read_replay(path) if isinstance(r, PlayerTotals))
    assert (totals.thought_ms, totals.delay_ms) == (60.0, 2150.0)


async def test_the_times_are_no_part_of_the_digest(autojump_clock: Clock, tmp_path: Path) -> None:
    first = await play(works(0.7, 12, 430), obedient, replay=tmp_path / "1.jsonl")
    second = await play(works(0.1, 1, 0), obedient, replay=tmp_path / "2.jsonl")
    third = await play(works(0.1, 1, 0), obedient, replay=tmp_path / "3.jsonl", timing=CPU)
    assert first.digest == second.digest == third.digest != ""


async def test_an_old_replay_without_the_new_times_verifies(
    autojump_clock: Clock, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    await play(works(0.7, 12, 430), mute, replay=path)
    records = [json.loads(line) for line in path.read_text().splitlines()]
    new = {"delay_ms", "wall_ms", "thought_ms", "pondered_ms"}
    for record in records:
        dropped = new | {"cpu_ms"} if record["type"] in ("answer", "silence") else new
        for field in dropped & record.keys():
            del record[field]
    path.write_text("".join(json.dumps(r, separators=(",", ":")) + "\n" for r in records))
    assert verify(path).problem == ""


async def test_a_timeout_says_wall_cpu_and_delay(autojump_clock: Clock) -> None:
    async def starved(bot: Bot) -> None:
        await bot.request()
        bot.meter.cpu += 12 * MS
        bot.meter.delay = 430 * MS
        await trio.sleep_forever()

    result = await play(starved, obedient, timebank=500, max_rounds=1)
    assert first_fault(result, "timeout") == (
        "no answer to 'go bid' within 500 ms (used 12 ms of CPU; ready but not run for 430 ms)"
    )


async def test_where_delay_is_not_known_nothing_is_said_of_it(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeMeter, "delay_ns", lambda meter: None)
    result = await play(mute, obedient, timebank=500, max_rounds=1)
    assert first_fault(result, "timeout") == (
        "no answer to 'go bid' within 500 ms (used 0 ms of CPU)"
    )
    assert not result.seats[0].delay.known


def test_a_player_without_a_meter_has_no_evidence() -> None:
    heard = Heard(Silence(Why.LATE), 500 * MS)
    assert missed(Ask(0, "go"), heard, ByClock.WALL) == "no answer to 'go' within 500 ms"


async def test_T02_threads_that_wait_for_each_other_were_not_held_up(
    autojump_clock: Clock,
) -> None:
    """16 busy threads on two free cores: all of them wait, and the machine is not to blame."""
    result = await play(works(1.0, 2000, 14_000), obedient, limits=Limits(cpu_grace=1e6))
    assert result.seats[0].delay.total == 0
    crowded = await play(works(1.0, 600, 14_000), obedient)
    assert crowded.seats[0].delay.most == pytest.approx(400 * MS)


async def test_T03_pondering_is_audited(autojump_clock: Clock) -> None:
    async def ponders(bot: Bot) -> None:
        bot.meter.cpu += 500 * MS  # its start is nobody's business
        while True:
            await bot.request()
            bot.meter.cpu += 5 * MS
            await bot.say("1\n")
            await trio.sleep(0.1)
            bot.meter.cpu += 100 * MS

    result = await play(ponders, works(0.2, 1), timebank=10_000)
    assert result.seats[0].player.pondered_ms == 400.0  # between five requests
    assert result.seats[1].player.pondered_ms == 0.0


# -- exact clocks --------------------------------------------------------------------------------


async def test_T06_bank_minus_one_in_every_move_is_exact(autojump_clock: Clock) -> None:
    """10,000 moves, each at one millisecond before the end: no drift, no late answer."""
    shown: list[int] = []

    async def brinkman(bot: Bot) -> None:
        while True:
            bank = int((await bot.request()).split()[-1])
            shown.append(bank)
            await trio.sleep((bank - 1) / 1000)
            await bot.say("0\n")

    total = 0
    for _ in range(10):
        shown.clear()
        result = await play(brinkman, obedient, timebank=1000, time_per_move=100, max_rounds=1000)
        assert faults(result) == {}
        assert shown == [1000] + [101] * 999
        total += result.seats[0].total_ns
    assert total == 10 * (999 + 999 * 100) * MS


@pytest.mark.parametrize(
    ("seconds", "codes"), [(0.999999999, {}), (1.0, {"timeout": 1}), (1.019, {"timeout": 1})]
)
async def test_P12_the_stamp_of_arrival_decides(
    autojump_clock: Clock, seconds: float, codes: dict[str, int]
) -> None:
    async def at(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(seconds)
        await bot.say("1\n")
        await trio.sleep_forever()

    result = await play(at, obedient, timebank=1000, max_rounds=1)
    assert {code: n for code, n in faults(result).items() if code == "timeout"} == codes


async def test_T01_who_never_begins_runs_out_of_time(autojump_clock: Clock) -> None:
    result = await play(mute, obedient)
    assert result.seats[0].player.stopped is Stopped.TIMEOUTS
    assert first_fault(result, "timeout").startswith("no answer to 'go bid' within 10000 ms (")


# -- infra ---------------------------------------------------------------------------------------


def lags(clock: Clock, seconds: float, *, answers: bool = False, delay: float = 0.0) -> Scenario:
    """At the very deadline the arena is held up, and the answer comes meanwhile or not at all.
    `delay` seconds the bot was ready and not run."""

    async def scenario(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(0.9)
        clock.jump(0.1 + seconds)
        bot.meter.delay = round(delay * 1e9)
        if answers:
            await bot.say("1\n")
        await trio.sleep_forever()

    return scenario


@pytest.mark.parametrize(("answers", "delay"), [(True, 0.0), (False, 0.4)])
async def test_T07_O11_a_timeout_while_the_arena_lagged_is_nobodys(
    autojump_clock: Clock, answers: bool, delay: float
) -> None:
    scenario = lags(autojump_clock, 0.3, answers=answers, delay=delay)
    with pytest.raises(BaseExceptionGroup) as caught:
        await play(scenario, obedient, timebank=1000)
    fault = leaf(caught.value)
    assert isinstance(fault, HostFault)
    assert isinstance(fault, ArenaFault)
    assert str(fault) == (
        "a time bank ran out while the arena itself was held up for 300 ms (the machine is "
        "overloaded, or was stopped): the match is void; run it again, with fewer --jobs"
    )


@pytest.mark.parametrize("lag", [0.3, 0.9])
async def test_T07_who_had_its_whole_bank_loses_it_by_itself(
    autojump_clock: Clock, lag: float
) -> None:
    """The bot was not kept waiting for longer than we were late, and still no line was there."""
    scenario = lags(autojump_clock, lag, delay=lag - 0.01)
    result = await play(scenario, obedient, timebank=1000, max_rounds=1)
    assert faults(result) == {"timeout": 1}


async def test_T07_a_long_lag_is_a_machine_that_stood_still(autojump_clock: Clock) -> None:
    with pytest.raises(BaseExceptionGroup) as caught:
        await play(lags(autojump_clock, 1.1), obedient, timebank=1000)
    assert "held up for 1100 ms" in str(leaf(caught.value))


async def test_T07_where_delay_is_not_known_lag_is_nobodys_loss(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeMeter, "delay_ns", lambda meter: None)
    with pytest.raises(BaseExceptionGroup) as caught:
        await play(lags(autojump_clock, 0.03), obedient, timebank=1000)
    assert isinstance(leaf(caught.value), HostFault)


async def test_T07_a_little_lag_is_the_bots_risk(autojump_clock: Clock) -> None:
    result = await play(
        lags(autojump_clock, 0.019, answers=True), obedient, timebank=1000, max_rounds=1
    )
    assert faults(result) == {"timeout": 1, "late": 1}


async def test_T07_lag_without_a_timeout_is_no_matter(autojump_clock: Clock) -> None:
    async def quick(bot: Bot) -> None:
        while True:
            await bot.request()
            autojump_clock.jump(0.5)
            await bot.say("1\n")

    result = await play(quick, obedient, timebank=1000, time_per_move=1000)
    assert faults(result) == {}


async def test_T07_a_partner_in_our_own_process_holds_us_up(autojump_clock: Clock) -> None:
    """A Python object that thinks too long keeps us from hearing the program beside it."""

    def blocks(lines: list[str]) -> str:
        autojump_clock.jump(3.0)
        return "1"

    table = Table(TINY, Setup("1", 2, TinySettings(timebank=1000, max_rounds=1)))
    async with fake_program(mute) as first:
        with pytest.raises(BaseExceptionGroup) as caught:
            await Referee(table, [InProcess("slow", blocks), first]).run()
    assert "held up for 2000 ms" in str(leaf(caught.value))


async def test_a_line_that_certainly_came_late_is_late_whatever_the_lag(
    autojump_clock: Clock,
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

    import dataclasses

    table = Table(
        dataclasses.replace(TINY, script=script), Setup("1", 2, TinySettings(timebank=1000))
    )
    async with fake_program(late) as first, fake_program(obedient) as second:
        with pytest.raises(BaseExceptionGroup) as caught:
            await Referee(table, [first, second]).run()
    assert not isinstance(leaf(caught.value), HostFault)


@pytest.mark.parametrize(("slept", "void"), [(0.9, False), (3600.0, True)])
async def test_O05_a_suspended_machine_voids_the_match(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch, slept: float, void: bool
) -> None:
    async def sleeps(bot: Bot) -> None:
        await bot.request()
        monkeypatch.setattr(host, "suspended", lambda: before + slept)
        await bot.say("1\n")
        await obedient(bot)

    before = host.suspended()
    if void:
        with pytest.raises(BaseExceptionGroup) as caught:
            await play(sleeps, obedient)
        assert str(leaf(caught.value)) == (
            "the machine was suspended for 3600 s: the match is void; run it again"
        )
    else:
        assert faults(await play(sleeps, obedient)) == {}


async def test_O05_the_clock_of_the_machine_is_never_read(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden() -> float:
        raise AssertionError("the wall clock was read")

    monkeypatch.setattr(time, "time", forbidden)
    monkeypatch.setattr(time, "time_ns", forbidden)
    result = await play(works(0.1, 1), mute)
    assert faults(result, 1)["timeout"] == 2


# -- the CPU clock -------------------------------------------------------------------------------


async def test_the_cpu_clock_charges_cpu_time(autojump_clock: Clock, tmp_path: Path) -> None:
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
    assert result.seats[0].total_ns == 500 * MS
    assert result.seats[0].wall.total == pytest.approx(4500 * MS)
    header, *_ = [record for record, _ in read_replay(path)]
    assert getattr(header, "clock", None) == "cpu"
    answer = next(r for r, _ in read_replay(path) if isinstance(r, Answered) and r.seat == 0)
    assert (answer.ms, round(answer.wall_ms or 0)) == (100.0, 900)
    assert verify(path).problem == ""


async def test_an_answer_with_the_whole_bank_used_is_late_though_it_came(
    autojump_clock: Clock, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    result = await play(
        works(0.001, 500), obedient, timing=CPU, timebank=500, max_rounds=1, replay=path
    )
    assert faults(result) == {"timeout": 1, "late": 1}
    assert verify(path).problem == ""
    in_time = await play(works(0.001, 499), obedient, timing=CPU, timebank=500, max_rounds=1)
    assert faults(in_time) == {}


async def test_the_bank_can_be_used_up_without_a_line(autojump_clock: Clock) -> None:
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


async def test_the_wall_guard_ends_the_wait_for_who_does_nothing(
    autojump_clock: Clock, tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    start = trio.current_time()
    result = await play(mute, obedient, timing=CPU, timebank=500, max_rounds=1, replay=path)
    assert trio.current_time() - start == pytest.approx(6.0, abs=0.2)
    assert first_fault(result, "timeout") == (
        "no answer to 'go bid' within 500 ms of CPU time (used 0 ms of CPU; ready but not run for "
        "0 ms; given up after 6000 ms of real time)"
    )
    silent = next(r for r, _ in read_replay(path) if isinstance(r, Silent))
    assert (silent.ms, round(silent.wall_ms or 0)) == (500.0, 6000)
    assert verify(path).problem == ""


async def test_the_cpu_clock_is_not_polled(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bank of 10 s that nobody uses is looked at when it could be used up at the earliest, on all
    cores at once: at most 21 times in the 101 s of the guard on two cores, not every few ms."""
    looks = []

    def counted(meter: FakeMeter) -> int:
        looks.append(trio.current_time())
        return 0

    monkeypatch.setattr(FakeMeter, "cpu_ns", counted)
    await play(mute, obedient, timing=CPU, timebank=10_000, max_rounds=1)
    assert max(looks) > 100
    assert 5 < len(looks) < 20 + 4 * 11 * request.CORES


# -- pondering -----------------------------------------------------------------------------------


async def test_no_pondering_freezes_between_requests(autojump_clock: Clock) -> None:
    seen: list[bool] = []
    meters = []

    async def watched(bot: Bot) -> None:
        meters.append(bot.meter)
        while True:
            await bot.request()
            seen.append(bot.meter.frozen)
            await trio.sleep(0.1)
            await bot.say("1\n")
            await trio.sleep(0.1)
            seen.append(bot.meter.frozen)

    result = await play(watched, works(0.5, 1), timing=FROZEN)
    assert seen == [False, True] * 5
    assert not meters[0].frozen  # at the end it may run, and leave
    assert faults(result) == {}


async def test_who_answers_and_is_asked_at_once_is_never_frozen(autojump_clock: Clock) -> None:
    meters = []

    async def quick(bot: Bot) -> None:
        meters.append(bot.meter)
        await obedient(bot)

    await play(quick, obedient, timing=FROZEN)
    assert [meter.freezes for meter in meters] == [0]


async def test_who_is_shut_down_is_thawed_and_not_frozen_again(autojump_clock: Clock) -> None:
    meters = []

    async def keeps_silent(bot: Bot) -> None:
        meters.append(bot.meter)
        await trio.sleep_forever()

    result = await play(keeps_silent, works(0.5, 1), timing=FROZEN)
    assert result.seats[0].player.stopped is Stopped.TIMEOUTS
    assert meters[0].freezes > 0
    assert not meters[0].frozen


# -- limits between samples ----------------------------------------------------------------------


async def test_R03_who_dies_of_an_oom_kill_used_too_much_memory(autojump_clock: Clock) -> None:
    async def killed(bot: Bot) -> None:
        await bot.request()
        bot.meter.killed, bot.meter.bytes = 1, 256 << 20
        bot.child.leave(Exit(None, "SIGKILL", 0.0))

    result = await play(killed, obedient, limits=Limits(memory=256 << 20))
    player = result.seats[0].player
    assert player.stopped is Stopped.MEMORY
    assert player.stopped_detail == (
        "used 256 MiB of 256 MiB: the kernel ended one of its processes"
    )


@pytest.mark.parametrize(
    ("figure", "value", "stopped", "detail"),
    [
        ("killed", 1, Stopped.MEMORY, "used 1 MiB of 1 GiB: the kernel ended one of its processes"),
        ("bytes", 2 << 30, Stopped.MEMORY, "used 2 GiB of 1 GiB"),
        ("threads", 257, Stopped.PROCESSES, "used 257 of 256 processes and threads"),
        ("cpu", 71_200 * MS, Stopped.CPU, "used 71.2 s of 70.0 s of CPU time"),
    ],
)
async def test_a_limit_is_kept_while_nobody_asks(
    autojump_clock: Clock, figure: str, value: int, stopped: Stopped, detail: str
) -> None:
    async def sins(bot: Bot) -> None:
        await bot.request()
        await bot.say("1\n")
        setattr(bot.meter, figure, value)
        await trio.sleep_forever()

    timing = Timing(timebank=10_000 * MS, time_per_move=0)
    result = await play(sins, works(0.5, 1), timing=timing)
    assert result.seats[0].player.stopped is stopped
    assert result.seats[0].player.stopped_detail == detail
    assert faults(result, 1) == {}
