"""The process of a program: its stderr, its limits, and how it ends; scripted, on a mock clock."""

from __future__ import annotations

import itertools
import os
from contextlib import suppress

import pytest
import trio
import trio.testing

from arena.core.clock import Clock
from arena.core.game import Setup
from arena.core.limits import Limits
from arena.core.table import Table
from arena.errors import MachineError, root_cause
from arena.match.referee import Referee
from arena.players import process
from arena.players.pipes import READ_SIZE
from arena.players.player import Ending, Stopped
from arena.players.process import READ_BURST, READ_SHARE
from arena.players.terms import Grant
from arena.sandbox.keeper.messages import Exit
from tests.experiments import timing
from tests.support import live
from tests.support.fake import (
    MS,
    Bot,
    FakeMeter,
    MockClock,
    fake_program,
    faults,
    mute,
    obedient,
    play,
    thinks,
    works,
)
from tests.tiny import TINY, TinySettings


async def test_a_flood_on_stderr_is_bounded_and_blocks_no_other(autojump_clock: MockClock) -> None:
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


async def test_a_flood_on_stderr_takes_a_share_of_a_core(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where each reading takes a millisecond, so many come in two seconds, and no more."""
    used = itertools.count()
    monkeypatch.setattr(process, "thread_time", lambda: next(used) * 0.001)

    async def floods(bot: Bot) -> None:
        while True:
            with suppress(BlockingIOError):
                os.write(bot.child.bot_stderr, b"e" * READ_SIZE)
            await trio.lowlevel.wait_writable(bot.child.bot_stderr)

    async with fake_program(floods) as program, trio.open_nursery() as nursery:
        nursery.start_soon(program.watch)
        await trio.sleep(2)
        readings = (READ_BURST + 2 * READ_SHARE) / 0.001
        assert 0.9 * readings < program.stderr.total / READ_SIZE < 1.1 * readings
        nursery.cancel_scope.cancel()


@pytest.mark.alone
def test_a_megabyte_of_stderr_for_each_answer_costs_a_bot_no_answer() -> None:
    """It is thrown away as fast as it comes: 64 MB in the 4.8 s that the bot has in all. (At 8 MiB
    a second, on any machine, it would be charged 6.5 s.)"""
    noisy = live.bot(
        "import sys\nfor line in sys.stdin:\n    if line.startswith('go'):\n"
        "        sys.stderr.write('0123456789abcde\\n' * 65536)\n        print(1, flush=True)\n"
    )
    report = live.play(
        noisy,
        live.honest(),
        clock=Clock.FAIR,
        max_rounds=64,
        purse=1000,
        timebank=3500,
        time_per_move=20,
    )
    assert [player.faults for player in report.players] == [{}, {}]


async def test_stderr_is_kept_by_turn(autojump_clock: MockClock) -> None:
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


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (Exit(3, None, 1.0), "left with exit code 3"),
        (Exit(None, "SIGSEGV", 1.0), "ended by SIGSEGV"),
    ],
)
async def test_a_crash_says_how(autojump_clock: MockClock, end: Exit, why: str) -> None:
    async def crash(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(0.3)
        bot.child.leave(end)

    start = trio.current_time()
    result = await play(crash, obedient)
    assert result.seats[0].player.stopped is Stopped.CRASHED
    assert result.seats[0].player.stopped_detail == why
    assert result.seats[0].tally.faults["crashed"].round == 1
    assert trio.current_time() - start < 1  # seen at once, not at the end of the bank


async def test_a_bot_that_stays_after_the_end_is_ended(autojump_clock: MockClock) -> None:
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


@pytest.mark.parametrize(
    ("figure", "value", "stopped", "detail"),
    [
        (
            "killed",
            1,
            Stopped.MEMORY,
            "used 1 MiB of 1024 MiB: the kernel ended one of its processes",
        ),
        ("bytes", 2 << 30, Stopped.MEMORY, "used 2048 MiB of 1024 MiB"),
        ("threads", 257, Stopped.PROCESSES, "used 257 of 256 processes and threads"),
        ("cpu", 71_200 * MS, Stopped.CPU, "used 71.2 s of 70.0 s of CPU time"),
    ],
)
async def test_a_limit_is_kept_between_requests(
    autojump_clock: MockClock, figure: str, value: int, stopped: Stopped, detail: str
) -> None:
    async def sins(bot: Bot) -> None:
        await bot.request()
        await bot.say("1\n")
        setattr(bot.meter, figure, value)
        await trio.sleep_forever()

    result = await play(sins, works(0.5, 1), grant=Grant(10_000))
    assert result.seats[0].player.stopped is stopped
    assert result.seats[0].player.stopped_detail == detail
    assert faults(result, 1) == {}


# -- what the kernel and the meter say -------------------------------------------------------------


@pytest.mark.parametrize("leaves", [True, False])
async def test_foreign_limits_void_the_match(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, leaves: bool
) -> None:
    """Whether a program left by itself or is ended by the arena."""

    async def scenario(bot: Bot) -> None:
        await bot.request()
        monkeypatch.setattr(FakeMeter, "intact", lambda meter: False)
        if not leaves:
            await trio.sleep_forever()

    with pytest.raises(BaseExceptionGroup) as caught:
        await play(scenario, thinks(0.5), max_timeouts=1)
    assert isinstance(root_cause(caught.value), MachineError)
    assert "another program changed the limits" in str(root_cause(caught.value))


async def test_a_sandbox_that_fails_voids_the_match(autojump_clock: MockClock) -> None:
    async def never_entered(bot: Bot) -> None:
        os.write(bot.child.bot_stderr, b"bwrap: no room\n")
        bot.child.leave(Exit(1, None, 0.0, entered=False))

    with pytest.raises(BaseExceptionGroup) as caught:
        await play(never_entered, obedient)
    assert str(root_cause(caught.value)) == (
        "the sandbox of fake failed before the program ran: bwrap: no room: the match is void "
        "(arena doctor says more)"
    )


async def test_memory_comes_before_the_walls(autojump_clock: MockClock) -> None:
    """When the kernel has ended a process for memory, it may have been one of the sandbox's own."""

    async def killed_early(bot: Bot) -> None:
        bot.meter.killed = 1
        bot.child.leave(Exit(None, "SIGKILL", 0.0, entered=False))

    result = await play(killed_early, obedient)
    assert result.seats[0].player.stopped == "memory"


async def test_refused_forks_are_told(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FakeMeter, "refused_forks", lambda meter: 3)
    result = await play(obedient, obedient, limits=Limits(processes=8), max_rounds=1)
    fault = result.seats[0].tally.faults["refused"]
    assert fault.count == 3
    assert fault.detail == "used 8 of 8 processes and threads, and was refused more"


@pytest.mark.parametrize(("told", "cpu_ms"), [(3.0, 5.0), (8.0, 8.0)])
async def test_cpu_time_is_the_more_of_what_was_told_and_seen(
    autojump_clock: MockClock, told: float, cpu_ms: float
) -> None:
    async def works_and_leaves(bot: Bot) -> None:
        await bot.request()
        await trio.sleep(0.02)  # between two looks
        bot.meter.cpu, bot.meter.bytes = 5 * MS, 1 << 25
        await bot.say("1\n")
        with suppress(EOFError):
            await bot.request()
        bot.child.leave(Exit(0, None, told))

    result = await play(works_and_leaves, obedient, max_rounds=1)
    player = result.seats[0].player
    assert player.cpu_ms == cpu_ms
    assert player.peak_memory == 1 << 25  # of the last look, when the match was over
    assert player.ending == Ending(0, None, by_arena=False)


async def test_before_its_end_nothing_is_known_of_it(autojump_clock: MockClock) -> None:
    async with fake_program(obedient) as player:
        assert (player.cpu_ms, player.ending, player.peak_memory) == (None, None, None)
        assert not player.left_behind
        player.process.child.clean = False
        assert player.left_behind


async def test_a_program_that_the_arena_ended_did_not_leave(autojump_clock: MockClock) -> None:
    result = await play(mute, obedient)
    assert result.seats[0].player.ending == Ending(None, "SIGKILL", by_arena=True)


@pytest.mark.parametrize(
    ("ready", "leaving", "cpu_ms", "took"),
    [
        (False, False, 0, 0.1),
        (True, False, 0, None),
        (False, True, 0, None),
        (True, False, 100, 0.1),
        (True, False, 10, 1.0),
    ],
)
async def test_a_program_that_waits_for_a_core_is_given_time_to_leave(
    autojump_clock: MockClock, ready: bool, leaving: bool, cpu_ms: int, took: float | None
) -> None:
    """One that would leave after 0.45 s is ended before if it sleeps, or has used 100 ms of CPU.
    The last does not leave by itself, and uses a little at a time."""
    ended = 0.0

    async def stays(bot: Bot) -> None:
        nonlocal ended
        await bot.request()
        await bot.say("1\n")
        with suppress(EOFError):
            await bot.request()
        start = trio.current_time()
        bot.meter.is_ready, bot.child.leaving = ready, leaving
        while bot.child.exit is None and trio.current_time() - start < (2.0 if cpu_ms else 0.45):
            bot.meter.cpu += cpu_ms * MS // 10
            await trio.sleep(0.01)
            ended = trio.current_time() - start
        bot.child.leave(Exit(0, None, 0.0))

    result = await play(stays, obedient, max_rounds=1)
    ending = result.seats[0].player.ending
    assert ending is not None
    assert ending.by_arena == (took is not None)
    assert ended == pytest.approx(took or 0.45, abs=0.02)


@pytest.mark.parametrize("killed", [False, True])
async def test_a_program_that_cannot_be_measured_voids_the_match(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, killed: bool
) -> None:
    """Unless it is being ended: then its figures go with it."""

    def gone(meter: FakeMeter) -> int:
        raise OSError("no such group")

    async with fake_program(mute) as player:
        player.process.child.killed = trio.Event() if killed else None
        monkeypatch.setattr(FakeMeter, "memory", gone)
        if killed:
            with trio.move_on_after(1):
                await player.watch()
        else:
            with pytest.raises(BaseExceptionGroup) as caught:
                await player.watch()
            assert "cannot measure fake: no such group" in str(root_cause(caught.value))


async def test_the_limit_of_cpu_time_grows_with_each_request(autojump_clock: MockClock) -> None:
    """A bank of 1 s and half a second for each further request; the grace is none."""

    async def burns(bot: Bot) -> None:
        for used in (900, 1400, 1900, 2100):
            await bot.request()
            bot.meter.cpu = used * MS
            await trio.sleep(0.1)
            await bot.say("1\n")
        await bot.request()
        bot.meter.cpu = 3100 * MS
        await trio.sleep_forever()

    grant = Grant(1000, 500)
    result = await play(burns, obedient, grant=grant, limits=Limits(cpu_grace=0))
    assert result.seats[0].player.stopped_detail == "used 3.1 s of 3.0 s of CPU time"


@pytest.mark.parametrize("ready", [True, False])
async def test_the_end_of_a_program_is_known_before_the_verdict(
    autojump_clock: MockClock, ready: bool
) -> None:
    """On a busy host the word of an exit comes 0.9 seconds after the end of stdout."""

    async def crashes(bot: Bot) -> None:
        await bot.request()
        bot.meter.is_ready, bot.child.leaving = ready, not ready
        descriptor, bot.child.bot_stdout = bot.child.bot_stdout, -1
        os.close(descriptor)
        await trio.sleep(0.9)
        bot.child.leave(Exit(None, "SIGSEGV", 0.0))

    result = await play(crashes, obedient)
    assert faults(result) == {"crashed": 1}


async def test_a_kill_for_memory_is_one_before_its_exit_is_known(
    autojump_clock: MockClock,
) -> None:
    async def killed(bot: Bot) -> None:
        await bot.request()
        bot.meter.killed = 1
        descriptor, bot.child.bot_stdout = bot.child.bot_stdout, -1
        os.close(descriptor)
        await trio.sleep_forever()

    assert faults(await play(killed, obedient)) == {"memory": 1}


@pytest.mark.parametrize(("ready", "leaving", "seconds"), [(True, False, 1.1), (False, True, 10.1)])
async def test_the_wait_for_an_end_has_an_end(
    autojump_clock: MockClock, ready: bool, leaving: bool, seconds: float
) -> None:
    async def stays(bot: Bot) -> None:
        await bot.request()
        bot.meter.is_ready, bot.child.leaving = ready, leaving
        descriptor, bot.child.bot_stdout = bot.child.bot_stdout, -1
        os.close(descriptor)
        await trio.sleep_forever()

    start = trio.current_time()
    assert faults(await play(stays, obedient)) == {"closed": 1}
    assert trio.current_time() - start == pytest.approx(seconds, abs=0.15)


@pytest.mark.dear
@pytest.mark.alone
def test_a_crash_on_a_busy_machine_is_a_crash() -> None:
    """The kernel frees 200 MiB before the end of the program is told, beside twelve loops."""
    crash = "import os, sys\nsys.stdin.readline()\nx = b'x' * (200 << 20)\nos.abort()\n"
    with timing.load(12):
        report = live.play(live.bot(crash), live.honest())
    assert live.first(report).faults == {"crashed": 1}
    assert live.first(report).stopped_detail == "ended by SIGABRT"
