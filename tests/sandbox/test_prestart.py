"""Programs at their gates, with real processes at every level."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
import trio

from arena.errors import BotError
from arena.sandbox.child import Child
from arena.sandbox.children import Children
from arena.sandbox.keeper import proc
from arena.sandbox.keeper.messages import SpawnRequest
from arena.sandbox.keeper.tempdirs import owner
from arena.sandbox.levels import Level
from arena.sandbox.prestart import PrestartSpec, end_unused, opening, prepare
from arena.sandbox.session import keeper_running, run_with
from tests.sandbox.gates import reach_gate, recipe
from tests.sandbox.programs import WALLED, linux_only, needs
from tests.support.descriptors import watched_descriptors
from tests.support.forks import ROOT, ArenaProcess
from tests.support.groups import folders_of, wait_until
from tests.support.keepers import shared_keeper
from tests.support.leftovers import left_behind

at_each_level = pytest.mark.parametrize("level", WALLED)


async def word(child: Child) -> bytes:
    with trio.fail_after(60):
        await trio.lowlevel.wait_readable(child.stdout)
    return os.read(child.stdout, 99)


@linux_only
@at_each_level
def test_what_is_prepared_runs_when_it_is_wanted(level: Level, tmp_path: Path) -> None:
    needs(level)

    async def main(children: Children) -> None:
        made = recipe(children, tmp_path, level)
        prepare(children, [made])
        waiting = children.keeper.ahead[0]
        await reach_gate(children, waiting.child, level)
        assert _silent(waiting.child)
        async with opening(children, made) as prepared:
            assert prepared is waiting
            async with children.started(prepared.child, name="bot") as child:
                assert await word(child)
        assert children.keeper.ahead == []
        assert left_behind(children.keeper.process.pid) == []
        assert os.listdir(tmp_path) == []

    with shared_keeper(level) as keeper:
        run_with(keeper, main)


@linux_only
def test_without_walls_nothing_starts_before_it_is_wanted(tmp_path: Path) -> None:
    async def main(children: Children) -> None:
        made = recipe(children, tmp_path, Level.OFF)
        with watched_descriptors() as opened:
            prepare(children, [made] * 2)
            waiting = children.keeper.ahead[0]
            await trio.sleep(0.05)
            assert not waiting.child.spawned.is_set()
            assert opened() == {}
            async with opening(children, made) as prepared:
                assert prepared is waiting
                async with children.started(prepared.child, name="bot") as child:
                    assert await word(child) == b"%d\n" % child.pid
            await end_unused(children)
            assert os.listdir(tmp_path) == []
            assert opened() == {}

    with shared_keeper() as keeper:
        run_with(keeper, main)


def _silent(child: Child) -> bool:
    try:
        os.read(child.stdout, 1)
    except BlockingIOError:
        return True
    return False


@linux_only
@at_each_level
def test_what_is_not_used_leaves_nothing(level: Level, tmp_path: Path) -> None:
    """Whether it has reached its gate or is on its way."""
    needs(level)

    async def main(children: Children) -> None:
        with watched_descriptors() as opened:
            for wait in (True, False):
                prepare(children, [recipe(children, tmp_path, level)] * 2)
                if wait:
                    await reach_gate(children, children.keeper.ahead[1].child, level)
                await end_unused(children)
                assert left_behind(children.keeper.process.pid) == []
            assert opened() == {}
        assert os.listdir(tmp_path) == []

    with shared_keeper(level) as keeper:
        run_with(keeper, main)


@linux_only
@at_each_level
def test_the_end_of_the_arena_is_the_end_of_what_it_prepared(level: Level, tmp_path: Path) -> None:
    """In good order, with the pipes and the folder."""
    needs(level)

    async def main(children: Children) -> None:
        prepare(children, [recipe(children, tmp_path, level)])

    with watched_descriptors() as opened:
        with keeper_running(level) as keeper:
            run_with(keeper, main)
            groups = folders_of(owner(keeper.process.pid)) if level is Level.CGROUP else []
        assert opened() == {}
    assert keeper.process.returncode == 0
    assert list(tmp_path.iterdir()) == []
    assert not any(group.exists() for group in groups)


@linux_only
def test_what_is_prepared_serves_a_later_run(tmp_path: Path) -> None:
    """Each match has a loop of its own; what happens between two is heard in the second."""
    asked: list[PrestartSpec] = []

    async def first(children: Children) -> None:
        asked.append(recipe(children, tmp_path, Level.OFF))
        prepare(children, asked)

    async def second(children: Children) -> None:
        waiting = children.keeper.ahead[0]
        async with opening(children, asked[0]) as prepared:
            assert prepared is waiting
            async with children.started(prepared.child, name="bot") as child:
                assert await word(child) == b"%d\n" % child.pid

    with keeper_running() as keeper:
        run_with(keeper, first)
        run_with(keeper, second)
        assert left_behind(keeper.process.pid) == []


@linux_only
def test_what_differs_is_not_served_by_what_was_prepared(tmp_path: Path) -> None:
    async def main(children: Children) -> None:
        made = recipe(children, tmp_path, Level.OFF)
        prepare(children, [made])
        prepared = children.keeper.ahead[0]
        async with opening(children, PrestartSpec("another", made.folder, made.request)) as opened:
            assert opened is not prepared
            async with children.started(opened.child, name="bot"):
                pass
        assert children.keeper.ahead == [prepared]
        await end_unused(children)

    with shared_keeper() as keeper:
        run_with(keeper, main)


@linux_only
@pytest.mark.parametrize("level", [Level.GUARD, Level.SANDBOX])
def test_what_has_ended_at_its_gate_is_made_anew(level: Level, tmp_path: Path) -> None:
    """The out-of-memory killer takes what waits first."""
    needs(level)

    async def main(children: Children) -> None:
        made = recipe(children, tmp_path, level)
        prepare(children, [made])
        lost = children.keeper.ahead[0].child
        await reach_gate(children, lost, level)
        os.kill([lost.pid, *proc.descendants(lost.pid)][-1], signal.SIGKILL)
        with trio.fail_after(60):  # at the guard nothing was executed yet
            await (lost.executed if level is Level.GUARD else lost.exited).wait()
        assert lost.ended_early
        async with opening(children, made) as prepared:
            assert prepared.child is not lost
            async with children.started(prepared.child, name="bot") as child:
                assert await word(child)

    with shared_keeper(level) as keeper:
        run_with(keeper, main)


@linux_only
def test_what_cannot_be_executed_is_told_when_it_is_wanted(tmp_path: Path) -> None:
    async def main(children: Children) -> None:
        ghost = SpawnRequest(("/no/such/program",), "/", {})
        made = recipe(children, tmp_path, Level.OFF)
        made = PrestartSpec("ghost", made.folder, lambda folder: ghost)
        prepare(children, [made])
        async with opening(children, made) as prepared:
            with pytest.raises(BotError, match=r"cannot start ghost: .*No such file"):
                await children.start(prepared.child, name="ghost")
        assert left_behind(children.keeper.process.pid) == []

    with shared_keeper() as keeper:
        run_with(keeper, main)


KILLED = """
import sys
from pathlib import Path
from arena.sandbox.session import keeper_running, run_with
from arena.sandbox.prestart import prepare
from arena.sandbox.levels import Level
from tests.sandbox.gates import recipe, reach_gate
import trio
level = Level(sys.argv[1])
async def main(children):
    prepare(children, [recipe(children, Path(sys.argv[2]), level)])
    child = children.keeper.ahead[0].child
    await reach_gate(children, child, level)
    print(children.keeper.process.pid, child.pid, flush=True)
    await trio.sleep(99)
with keeper_running(level) as keeper:
    run_with(keeper, main)
"""


@linux_only
@at_each_level
def test_an_arena_that_is_killed_takes_along_what_it_prepared(level: Level, tmp_path: Path) -> None:
    needs(level)
    argv = [sys.executable, "-c", KILLED, level.value, str(tmp_path)]
    arena = ArenaProcess(argv, cwd=ROOT, stdout=subprocess.PIPE, start_new_session=True)
    assert arena.stdout is not None
    keeper, child = map(int, arena.stdout.readline().split())
    below = psutil.Process(keeper).children(recursive=True)
    groups = folders_of(owner(keeper)) if level is Level.CGROUP else []
    assert child in {process.pid for process in below}
    arena.kill()
    arena.wait()
    arena.stdout.close()
    wait_until(lambda: not any(psutil.pid_exists(pid) for pid in (keeper, child)))
    wait_until(lambda: not any(process.is_running() for process in below))
    assert not any(group.exists() for group in groups)


PAUSE = 0.05
SAMPLES = range(15, 90)


@linux_only
@pytest.mark.alone
@pytest.mark.parametrize("level", WALLED)
def test_walls_that_stand_cost_a_start_at_most_half_of_it(level: Level, tmp_path: Path) -> None:
    """From the order to the first word, against a start without walls; in turn, and the quickest of
    each: on a busy machine most of them wait for others. (Walls cost two to five times the start
    itself when they are put up then.)"""
    needs(level)
    plain: list[float] = []
    walled: list[float] = []

    def enough() -> bool:
        return len(plain) in SAMPLES and min(walled) < 1.5 * min(plain)

    async def started(children: Children, level: Level) -> float:
        made = recipe(children, tmp_path, level)
        prepare(children, [made])
        if level is not Level.OFF:
            await reach_gate(children, children.keeper.ahead[0].child, level)
        await trio.sleep(PAUSE)
        begin = time.perf_counter()
        async with (
            opening(children, made) as prepared,
            children.started(prepared.child, name="bot") as child,
        ):
            await word(child)
            return time.perf_counter() - begin

    async def main(children: Children) -> None:
        while not enough() and len(plain) < SAMPLES.stop:
            plain.append(await started(children, Level.OFF))
            walled.append(await started(children, level))

    with keeper_running(level) as keeper:
        run_with(keeper, main)
    assert min(walled) < 1.5 * min(plain)
