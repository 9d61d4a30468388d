"""Pondering, and how it is taken away: scripted on a mock clock, then with real processes."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
import trio

from arena.match.report import ExitReport, PlayerReport
from arena.players.player import Stopped
from arena.players.process import Freezer
from tests.hostile.arena_runs import bomb, honest, linux_only, strongest
from tests.hostile.arena_runs import play as hostile_match
from tests.support import live
from tests.support.fake import FROZEN, Bot, FakeMeter, MockClock, faults, obedient, play, works
from tests.support.forks import ArenaProcess


async def test_no_pondering_freezes_between_requests(autojump_clock: MockClock) -> None:
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


async def test_a_bot_that_is_asked_again_at_once_is_never_frozen(autojump_clock: MockClock) -> None:
    meters = []

    async def quick(bot: Bot) -> None:
        meters.append(bot.meter)
        await obedient(bot)

    await play(quick, obedient, timing=FROZEN)
    assert [meter.freezes for meter in meters] == [0]


async def test_a_bot_that_is_shut_down_is_thawed_and_not_frozen_again(
    autojump_clock: MockClock,
) -> None:
    meters = []

    async def keeps_silent(bot: Bot) -> None:
        meters.append(bot.meter)
        await trio.sleep_forever()

    result = await play(keeps_silent, works(0.5, 1), timing=FROZEN)
    assert result.seats[0].player.stopped is Stopped.TIMEOUTS
    assert meters[0].freezes > 0
    assert not meters[0].frozen


async def test_at_the_end_of_the_match_it_may_leave(autojump_clock: MockClock) -> None:
    frozen: list[bool] = []

    async def leaves(bot: Bot) -> None:
        try:
            while True:
                await bot.request()
                await bot.say("1\n")
        except EOFError:
            frozen.append(bot.meter.frozen)

    await play(leaves, works(0.5, 1), timing=FROZEN)
    assert frozen == [False]


async def test_it_is_frozen_2_ms_after_its_last_answer(autojump_clock: MockClock) -> None:
    meter = FakeMeter()
    freezer = Freezer(meter)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(freezer.run)
        seen = []
        for act in (freezer.answered, freezer.thaw, freezer.answered):
            act()
            await trio.sleep(0.0015)
            seen.append(meter.frozen)
        await trio.sleep(0.00049)
        seen.append(meter.frozen)
        await trio.sleep(0.00002)
        assert [*seen, meter.frozen] == [False, False, False, False, True]
        freezer.thaw()
        await trio.sleep(1)
        assert not meter.frozen
        nursery.cancel_scope.cancel()


async def test_a_program_that_does_not_stand_still_is_shut_down(
    autojump_clock: MockClock,
) -> None:
    async def resists(bot: Bot) -> None:
        bot.meter.resists = 10**7
        while True:
            await bot.request()
            await bot.say("1\n")

    result = await play(resists, works(0.5, 1), timing=FROZEN)
    player = result.seats[0].player
    assert player.stopped is Stopped.CPU
    assert player.stopped_detail == "used 110 ms of CPU time while it was to stand still"
    assert result.seats[1].player.stopped is None


async def test_one_that_is_only_slow_to_stand_still_is_waited_for(
    autojump_clock: MockClock,
) -> None:
    """As on a busy machine, where it waits for a core to stop on."""
    meters = []

    async def slow(bot: Bot) -> None:
        meters.append(bot.meter)
        bot.meter.resists = 1
        await obedient(bot)

    result = await play(slow, works(0.5, 1), timing=FROZEN)
    assert faults(result) == {}
    assert meters[0].cpu > 100  # it was told again and again


# -- with real processes --------------------------------------------------------------------------


PONDERS = """
import select, sys
while line := sys.stdin.readline():
    if line.startswith("go"):
        print(1, flush=True)
        while not select.select([0], [], [], 0)[0]:
            pass
"""
"""Answers at once and thinks on until it is spoken to again."""


SLOW = "import sys, time\nfor line in sys.stdin:\n    if line.startswith('go'):\n"
SLOW += "        time.sleep(.2); print(1, flush=True)\n"


EPOLL = """
import ctypes, os, select, sys
libc = ctypes.CDLL(None, use_errno=True)
poll = select.epoll()
poll.register(0, select.EPOLLIN)
event = ctypes.create_string_buffer(64)
while True:
    if libc.epoll_wait(poll.fileno(), event, 1, -1) < 0:
        sys.exit(f"epoll_wait: {os.strerror(ctypes.get_errno())}")
    data = os.read(0, 65536)
    if not data:
        break
    if b"go" in data:
        os.write(1, b"1\\n")
"""
"""Waits as a C program would, and takes every error of epoll_wait for its end."""


def pondered(player: PlayerReport) -> float:
    assert player.pondered_ms is not None
    return player.pondered_ms


@pytest.mark.alone
def test_T03_no_pondering_takes_the_time_between_turns_away() -> None:
    report = live.play(live.bot(PONDERS), live.bot(SLOW))
    free, slow = report.players
    frozen = live.first(live.play(live.bot(PONDERS), live.bot(SLOW), pondering=False))
    assert pondered(free) > slow.time_ms.total / 20  # it ponders while the other bot thinks
    assert pondered(frozen) < pondered(free) / 5
    assert frozen.faults == {}
    assert frozen.exit == ExitReport(code=0)  # it leaves by itself


@pytest.mark.alone
def test_T03_no_pondering_does_an_honest_bot_no_harm() -> None:
    report = live.play(live.honest(), live.bot(SLOW), pondering=False)
    assert [player.faults for player in report.players] == [{}, {}]
    assert [player.exit for player in report.players] == [ExitReport(code=0), ExitReport(code=0)]
    assert [player.requests for player in report.players] == [5, 5]


@pytest.mark.alone
def test_T05_freezing_interrupts_epoll_wait() -> None:
    """Why freezing is off unless asked for: some programs take EINTR for their end."""
    assert live.first(live.play(live.bot(EPOLL), live.bot(SLOW))).stopped is None
    frozen = live.first(live.play(live.bot(EPOLL), live.bot(SLOW), pondering=False))
    assert frozen.stopped == "crashed"
    assert "epoll_wait: Interrupted system call" in "".join(turn.text for turn in frozen.stderr)


@pytest.mark.dear
@linux_only
@pytest.mark.usefixtures("own_temporary_folder")
def test_a_thread_that_maps_memory_all_the_time(tmp_path: Path) -> None:
    """It leaves the kernel, where alone it can be stopped, every tenth of a second."""
    level = strongest()
    bot = bomb(tmp_path, "populate", when=1, number=1500)
    played = hostile_match(level, bot, honest(tmp_path, pause=0.3), memory=2 << 30, pondering=False)
    assert played.bad.stopped in (None, "cpu")
    assert played.rival.faults == {}


@pytest.mark.alone
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_match_ends_stopped_trees_too(tmp_path: Path, number: signal.Signals) -> None:
    """A bot and its child are frozen while the other bot thinks; then the arena is ended."""
    quick, slow = tmp_path / "quick.py", tmp_path / "slow.py"
    family = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'while 1: pass'])\n"
    quick.write_text(family + PONDERS)
    slow.write_text("import time; time.sleep(100)")
    command = (sys.executable, "-m", "arena", "play", "hextrategic", str(quick), str(slow))
    options = ("--timebank", "60000", "--no-pondering")
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with ArenaProcess((*command, *options), start_new_session=True, **quiet) as arena:
        deadline = time.monotonic() + 60
        while len(stopped := stopped_below(arena.pid)) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        family = psutil.Process(arena.pid).children(recursive=True)
        arena.send_signal(number)
    assert set(stopped) <= set(family)
    _, alive = psutil.wait_procs(family, timeout=20)
    assert alive == []


def stopped_below(pid: int) -> list[psutil.Process]:
    """The stopped processes below an arena."""
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.Error):
            if process.status() == psutil.STATUS_STOPPED:
                found.append(process)
    return found
