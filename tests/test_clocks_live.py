"""Clocks and freezing with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from arena.bots import BotProgram
from arena.clock import Clock
from arena.game import GAMES
from arena.reports import MatchReport, PlayerReport
from tests.clocks import compare
from tests.test_match import honest, play, program

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


@pytest.fixture(autouse=True)
def _tiny_is_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "tiny", "tests.tiny:TINY")


def bot(code: str) -> BotProgram:
    return program("-I", "-S", "-c", code)


def first(report: MatchReport) -> PlayerReport:
    return report.players[0]


def pondered(player: PlayerReport) -> float:
    assert player.pondered_ms is not None
    return player.pondered_ms


def test_T03_no_pondering_takes_the_time_between_turns_away() -> None:
    free = first(play(bot(PONDERS), bot(SLOW)))
    frozen = first(play(bot(PONDERS), bot(SLOW), pondering=False))
    assert pondered(free) > 100
    assert pondered(frozen) < pondered(free) / 5
    assert frozen.faults == {}
    assert frozen.exit == {"code": 0}  # it leaves by itself


def test_T03_no_pondering_does_an_honest_bot_no_harm() -> None:
    report = play(honest(), bot(SLOW), pondering=False)
    assert [player.faults for player in report.players] == [{}, {}]
    assert [player.exit for player in report.players] == [{"code": 0}, {"code": 0}]
    assert [player.requests for player in report.players] == [5, 5]


def test_T05_freezing_interrupts_epoll_wait() -> None:
    """Why freezing is off unless asked for: some programs take EINTR for their end."""
    assert first(play(bot(EPOLL), bot(SLOW))).stopped is None
    frozen = first(play(bot(EPOLL), bot(SLOW), pondering=False))
    assert frozen.stopped == "crashed"
    assert "epoll_wait: Interrupted system call" in "".join(turn.text for turn in frozen.stderr)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_match_ends_stopped_trees_too(tmp_path: Path, number: signal.Signals) -> None:
    """A bot and its child are frozen while the other bot thinks; then the arena is ended."""
    quick, slow = tmp_path / "quick.py", tmp_path / "slow.py"
    family = "import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'while 1: pass'])\n"
    quick.write_text(family + PONDERS)
    slow.write_text("import time; time.sleep(100)")
    command = (sys.executable, "-m", "arena", "play", "hextrategic", str(quick), str(slow))
    options = ("--timebank", "60000", "--no-pondering")
    with subprocess.Popen(
        (*command, *options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as arena:
        deadline = time.monotonic() + 60
        while len(stopped := stopped_below(arena.pid)) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        everybody = psutil.Process(arena.pid).children(recursive=True)
        arena.send_signal(number)
    assert set(stopped) <= set(everybody)
    _, alive = psutil.wait_procs(everybody, timeout=10)
    assert alive == []


def stopped_below(pid: int) -> list[psutil.Process]:
    """The stopped processes below an arena."""
    found = []
    for process in psutil.Process(pid).children(recursive=True):
        with suppress(psutil.Error):
            if process.status() == psutil.STATUS_STOPPED:
                found.append(process)
    return found


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


def test_the_cpu_clock_charges_what_was_used() -> None:
    report = play(bot(BUSY), honest(), clock=Clock.CPU, timebank=1000, time_per_move=1)
    busy = first(report)
    assert report.clock == "cpu"
    assert busy.faults == {}
    assert busy.wall_ms is not None
    assert busy.thought_ms is not None
    assert 249 < busy.time_ms.total < 600
    assert busy.wall_ms.total > 1000
    assert busy.time_ms.total == pytest.approx(busy.thought_ms.total, rel=0.01)


def test_the_cpu_clock_ends_a_bot_that_only_burns() -> None:
    burns = "import sys\nsys.stdin.readline()\nwhile True: pass\n"
    start = time.monotonic()
    report = play(bot(burns), honest(), clock=Clock.CPU, timebank=200, time_per_move=1)
    detail = first(report).first_faults["timeout"].detail
    assert first(report).stopped == "timeouts"
    assert "within 200 ms of CPU time (used 2" in detail
    assert time.monotonic() - start < 30


@pytest.mark.parametrize(("after", "stopped"), [(1.8, 2.0), (100, 3.0)])
def test_T07_O11_an_arena_that_was_stopped_across_a_deadline_voids_the_match(
    tmp_path: Path, after: float, stopped: float
) -> None:
    """A real arena, stopped while a bot's time of 1.5 s runs out, gives no verdict: exit status 4.
    The bot answers meanwhile, or the standstill is too long to be explained by load."""
    asked = tmp_path / "asked"
    mute = tmp_path / "mute.py"
    mute.write_text(
        "import sys, time\n"
        "for line in sys.stdin:\n"
        f"    if line.startswith('pick'): open({str(asked)!r}, 'w').close(); break\n"
        f"time.sleep({after})\n"
        "print(1, flush=True)\n"
    )
    with subprocess.Popen(
        (
            *(sys.executable, "-m", "arena", "play", "warlight", str(mute), str(mute)),
            *("--seed", "1", "--timebank", "1500"),
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as arena:
        deadline = time.monotonic() + 60
        while not asked.exists():
            assert time.monotonic() < deadline
            time.sleep(0.01)
        children = psutil.Process(arena.pid).children(recursive=True)
        os.kill(arena.pid, signal.SIGSTOP)
        time.sleep(stopped)
        os.kill(arena.pid, signal.SIGCONT)
        out, err = arena.communicate(timeout=60)
    assert arena.returncode == 4
    assert out == ""
    assert "a time bank ran out while the arena itself was held up for " in err
    assert "the match is void; run it again" in err
    _, alive = psutil.wait_procs(children, timeout=10)
    assert alive == []


def test_the_cpu_clock_keeps_its_measure_on_a_full_machine() -> None:
    """Eight busy bots on two cores: by the wall a move takes several times as long as alone, by the
    CPU clock as long (`python -m tests.clocks` for the figures: within 10 %)."""
    alone, crowded = compare(8)
    assert crowded.wall > 2 * alone.wall
    assert 0.75 < crowded.cpu / alone.cpu < 1.25


def test_O11_a_bot_on_a_busy_core_is_found_to_have_waited() -> None:
    """A move of 100 ms of CPU, on one core with two others that only burn: it waits for longer than
    it runs, and the report says so."""
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
    others = [subprocess.Popen([sys.executable, "-c", burn]) for _ in range(2)]
    try:
        held_up = first(play(bot(works), honest()))
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert held_up.delay_ms is not None
    assert held_up.thought_ms is not None
    assert held_up.wall_ms is not None
    assert held_up.delay_ms.total > held_up.thought_ms.total / 2
    assert held_up.delay_ms.total + held_up.thought_ms.total < held_up.wall_ms.total * 1.05
