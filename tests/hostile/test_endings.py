"""K: how programs end, and how they try not to."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
import trio

from arena.cli.text.match import match_text
from arena.match.play import play_match
from arena.match.report import ExitReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.players.terms import Terms
from arena.record.format import Answered
from arena.sandbox.child import Child
from arena.sandbox.children import Children
from arena.sandbox.keeper.messages import Spawned, SpawnRequest
from arena.sandbox.levels import Level
from arena.sandbox.session import keeper_running, run_with
from tests.hostile.arena_runs import (
    MIB,
    against_honest,
    bomb,
    compiled,
    fair_match,
    honest,
    hostile,
    linux_only,
    nothing_left,
    play,
)
from tests.sandbox.keeper.talk import Talk
from tests.sandbox.programs import needs
from tests.support.leftovers import left_behind
from tests.tiny import TinySettings


def test_K01_a_program_that_will_not_leave(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "stubborn")
    assert played.bad.faults == {}
    assert played.bad.exit == ExitReport(signal="SIGKILL", by_arena=True)
    assert played.seconds < 20


def test_K02_a_daemon(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "daemon")
    assert played.bad.faults == {}
    assert played.seconds < 20


def test_K03_a_daemon_that_holds_stdout(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "daemon_holds_stdout", timebank=60_000)
    assert played.bad.stopped == "exited"
    assert played.seconds < 10  # by the exit, not by the end of a time bank


def test_K04_a_daemon_that_holds_all_pipes(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "daemon_then_flood")
    assert played.bad.stopped == "output"
    assert played.seconds < 20


def test_K05_a_program_that_stops_itself(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "stop_itself", timebank=700, time_per_move=700)
    assert played.bad.stopped == "timeouts"
    assert played.bad.exit == ExitReport(signal="SIGKILL", by_arena=True)


def test_K06_a_program_that_kills_its_parent(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "kill_the_parent")
    assert played.bad.requests == 3


@pytest.mark.parametrize("walls", [Level.GUARD, None])
def test_K06_signals_by_way_of_descriptors(
    tmp_path: Path, strict: Level, walls: Level | None
) -> None:
    """They reach the keeper where there are no walls."""
    if walls is not None:
        needs(walls)
    played = against_honest(tmp_path, walls or strict, "signal_by_descriptor")
    assert played.answers == ["1", "1", "1"]


def test_K07_a_program_that_kills_everything_it_can(tmp_path: Path, level: Level) -> None:
    with bystander() as other:
        played = against_honest(tmp_path, level, "kill_everything", other.pid)
        assert played.attempts == {"see_the_host": "refused"}
        assert played.bad.stopped == "crashed"
        assert other.poll() is None


@contextmanager
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has nothing to do with any of it."""
    process = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.dear
def test_K08_matches_given_up_at_their_start(tmp_path: Path, level: Level) -> None:
    bots = (hostile(tmp_path, "daemon", 0), honest(tmp_path))
    spec = MatchSpec("tiny", programs(bots), "1", TinySettings(), Terms(sandbox=level))
    waits = random.Random(8)

    async def give_up_often(children: Children) -> None:
        await play_match(spec, children)  # what is loaded at the first time is loaded
        for _ in range(20):
            with trio.move_on_after(waits.uniform(0, 0.012)):
                await play_match(spec, children)

    with nothing_left(), keeper_running(level) as keeper:
        run_with(keeper, give_up_often)
        assert left_behind(keeper.process.pid) == []


@pytest.mark.dear
def test_K09_a_program_that_sits_still(tmp_path: Path, level: Level) -> None:
    trio_threads_live = 10
    played = against_honest(tmp_path, level, "idle", trio_threads_live + 1.5, timebank=60_000)
    assert played.bad.faults == {}
    assert played.answers == ["1", "1", "1"]


@pytest.mark.parametrize(
    ("code", "stopped", "end"),
    [
        (0, "exited", ExitReport(code=0)),
        (3, "crashed", ExitReport(code=3)),
        (-signal.SIGABRT, "crashed", ExitReport(signal="SIGABRT", by_arena=False)),
        (-signal.SIGTERM, "crashed", ExitReport(signal="SIGTERM", by_arena=False)),
    ],
)
def test_K10_an_exit_in_the_middle(
    tmp_path: Path, level: Level, code: int, stopped: str, end: ExitReport
) -> None:
    played = against_honest(tmp_path, level, "exit_with", int(code))
    assert played.bad.stopped == stopped
    assert played.bad.exit == end
    assert "last words" in played.said


def test_K11_a_program_that_starts_anew_from_each_crash(tmp_path: Path, level: Level) -> None:
    played = play(level, bomb(tmp_path, "crash_loop", number=50), honest(tmp_path))
    assert played.bad.stopped == "crashed"
    assert played.bad.exit == ExitReport(signal="SIGSEGV", by_arena=False)


@pytest.mark.dear
def test_K12_what_no_signal_can_end_does_not_hold_up_the_arena(tmp_path: Path) -> None:
    with frozen_group() as tasks:
        bot, rival = hostile(tmp_path, "mute"), honest(tmp_path)
        settings = TinySettings(max_rounds=3, timebank=700, time_per_move=700, max_timeouts=1)
        spec = MatchSpec("tiny", programs((bot, rival)), "1", settings)

        async def freeze_and_play(children: Children) -> None:
            start = children.start

            async def start_and_freeze(child: Child, *, name: str) -> Child:
                await start(child, name=name)
                if name == bot.name:
                    tasks.write_text(str(child.pid))
                return child

            children.start = start_and_freeze  # type: ignore[method-assign]  # for the test
            report = await fair_match(spec, children)
            assert report.players[1].faults == {}
            assert report.players[0].stopped == "timeouts"
            assert [player.left_behind for player in report.players] == [True, False]
            assert "not gone two seconds after it was killed" in match_text(report)

        start = time.monotonic()
        with keeper_running() as keeper:
            run_with(keeper, freeze_and_play)
        assert time.monotonic() - start < 15


@contextmanager
def frozen_group() -> Iterator[Path]:
    """The file of tasks of a control group that is frozen: SIGKILL does not reach into it."""
    place = Path(f"/sys/fs/cgroup/freezer/arena-test-{os.getpid()}")
    try:
        place.mkdir()
        (place / "freezer.state").write_text("FROZEN")
    except OSError as error:
        pytest.skip(f"needs a freezer of control groups, version 1: {error.strerror}")
    try:
        yield place / "tasks"
    finally:
        frozen = [int(pid) for pid in (place / "tasks").read_text().split()]
        (place / "freezer.state").write_text("THAWED")
        psutil.wait_procs([psutil.Process(p) for p in frozen if psutil.pid_exists(p)], timeout=5)
        place.rmdir()
        assert frozen, "nothing was frozen: the test proved nothing"
        assert not any(psutil.pid_exists(pid) for pid in frozen)


def test_K13_a_foreign_process_is_never_killed(tmp_path: Path) -> None:
    async def kill_other(children: Children) -> None:
        child = Child(children, other.pid, None, -1, -1, -1)
        with trio.fail_after(10):
            await child.kill()

    with bystander() as other:
        with keeper_running() as keeper:
            run_with(keeper, kill_other)
        assert other.poll() is None


@pytest.mark.parametrize("sin", ["block_in_vfork", "traced", "leader_leaves"])
def test_K14_odd_states(tmp_path: Path, level: Level, sin: str) -> None:
    """Memory that a child of vfork shares with its parent counts once."""
    bot, rival = bomb(tmp_path, sin, number=40), honest(tmp_path)
    played = play(level, bot, rival, memory=64 * MIB, timebank=700, time_per_move=700)
    assert played.bad.stopped == "timeouts"
    assert played.seconds < 20


@pytest.mark.dear
@linux_only
def test_a_deep_chain_of_processes() -> None:
    """Each has a session of its own, so that no process group reaches it. The keeper ends them all,
    and serves on."""
    command = (str(compiled("bomb")), "deep_chain", "0", "1100")
    with Talk() as talk:
        talk.hear()
        spawned, out = talk.spawn(SpawnRequest(command, "/", {}))
        assert isinstance(spawned, Spawned)
        with open(out) as file:
            assert file.readline() == "1\n"
            talk.kill(spawned.pid)
            assert file.read() == ""  # the last of them is gone
        assert talk.kill(spawned.pid).clean


@pytest.mark.dear
def test_K15_the_match_ends_when_all_of_it_is_gone(tmp_path: Path, strict: Level) -> None:
    """On the cores of the next match, killed processes would go on for seconds. What the kernel
    uses to end them is the bot's."""
    bot = bomb(tmp_path, "big_maps", 1, 200)
    usual: dict[str, Any] = {"timebank": 120_000, "processes": 256}
    played = play(strict, bot, honest(tmp_path), max_rounds=1, **usual)
    assert not played.bad.left_behind
    assert played.bad.cpu_ms is not None
    answered = sum(r.cpu_ms or 0 for r in played.records if type(r) is Answered and r.seat == 0)
    assert played.bad.cpu_ms > answered * 1.1
