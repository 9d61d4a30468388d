"""The bots of a keeper: how their ends are told, and that nothing of them is left."""

from __future__ import annotations

import os
import select
import signal
import sys
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from arena.errors import MachineError
from arena.sandbox.keeper.messages import (
    ENTERED,
    STDOUT,
    Executed,
    Exited,
    GroupLimits,
    Killed,
    KillRequest,
    ProcessLimits,
    Sandbox,
    SelfWalls,
    Spawned,
    SpawnRequest,
    StartFailed,
)
from arena.sandbox.keeper.tempdirs import owner
from arena.sandbox.levels import Level
from tests.sandbox.keeper.talk import Talk
from tests.sandbox.programs import linux_only, needs, run_request, shell
from tests.support.groups import folders_of, groups_of, wait_until

LIMITS = ProcessLimits(files=64, file_size=1 << 20, processes=64)
GUARD = SelfWalls(LIMITS, (), ("/",), ())


@linux_only
def test_limits_of_a_group_that_cannot_be_set_are_a_failure_of_ours() -> None:
    walls = Sandbox(LIMITS, (), ("/bin/true",), GroupLimits(1 << 30, 5))
    with pytest.raises(MachineError, match="cannot make a process: this keeper has no control"):
        run_request(SpawnRequest(("x",), "/", {}, walls))


def is_zombie(process: psutil.Process) -> bool:
    """Whether it has ended and was not reaped."""
    with suppress(psutil.NoSuchProcess):
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    return False


@linux_only
def test_failures_cost_no_descriptors() -> None:
    with Talk() as talk:
        talk.hear()
        before = talk.process.num_fds() + 1  # on one, the kernel asks for `sysinfo`
        for _ in range(4):
            for walls in (
                Sandbox(LIMITS, (), ("/bin/true",), GroupLimits(1 << 30, 5)),
                Sandbox(LIMITS, (), ("/no/such/bwrap",)),
                None,
            ):
                failed, out = talk.spawn(SpawnRequest(("/no/such/program",), "/", {}, walls))
                os.close(out)
                assert isinstance(failed, StartFailed)
                assert failed.ours == (walls is not None)
        wait_until(lambda: talk.process.num_fds() <= before)
        wait_until(lambda: not any(is_zombie(child) for child in talk.process.children()))


@linux_only
def test_starts_cost_no_descriptors() -> None:
    with Talk() as talk:
        talk.hear()
        before = talk.process.num_fds() + 1  # on one, the kernel asks for `sysinfo`
        for _ in range(4):
            for walls in (None, Sandbox(LIMITS, (), shell("exit 3"))):
                spawned, out = talk.spawn(SpawnRequest(shell("exit 3"), "/", {}, walls))
                os.close(out)
                assert isinstance(spawned, Spawned)
                exited = talk.hear()
                assert isinstance(exited, Exited)
                talk.kill(spawned.pid)
        wait_until(lambda: talk.process.num_fds() <= before)


SLOW = f"echo 1 >&{STDOUT}; until [ -e $1 ]; do sleep 0.01; done; echo >&{ENTERED}; sleep 99"
"""Walls that stand when there is a file."""


@linux_only
def test_a_program_is_executed_when_its_walls_stand(tmp_path: Path) -> None:
    stand = tmp_path / "stand"
    walls = Sandbox(LIMITS, (), (*shell(SLOW), str(stand)))
    with Talk() as talk:
        talk.hear()
        out, gate = talk.ask(SpawnRequest((), "/", {}, walls))
        os.write(gate, b"\n")
        os.close(gate)
        spawned = talk.hear()
        assert isinstance(spawned, Spawned)
        with open(out) as file:
            assert file.readline() == "1\n"  # they are put up
            assert not select.select([talk.link], [], [], 0.1)[0]
            stand.touch()
            assert talk.hear() == Executed(spawned.pid)
            talk.send(KillRequest(spawned.pid), [])
            assert isinstance(talk.hear(), Exited)
            assert talk.hear() == Killed(spawned.pid, True)


@linux_only
def test_the_end_of_one_does_not_hide_the_start_of_another(tmp_path: Path) -> None:
    """The second tells that it stands on a descriptor whose number the first had."""
    stand = tmp_path / "stand"
    ends = Sandbox(LIMITS, (), shell(f"echo >&{ENTERED}"))
    stands = Sandbox(LIMITS, (), (*shell(SLOW), str(stand)))
    with Talk() as talk:
        talk.hear()
        first, out = talk.spawn(SpawnRequest((), "/", {}, ends))
        os.close(out)
        assert isinstance(first, Spawned)
        assert isinstance(talk.hear(), Exited)
        out, gate = talk.ask(SpawnRequest((), "/", {}, stands))
        second = talk.hear()
        assert isinstance(second, Spawned)
        with open(out) as file:
            assert file.readline() == "1\n"
        assert talk.kill(first.pid) == Killed(first.pid, True)
        stand.touch()
        assert talk.hear() == Executed(second.pid)
        os.close(gate)


@linux_only
def test_a_process_that_is_killed_at_its_gate_has_failed_to_start() -> None:
    """By the out-of-memory killer, say."""
    needs(Level.GUARD)
    with Talk() as talk:
        talk.hear()
        out, gate = talk.ask(SpawnRequest(shell("exit 3"), "/", {}, GUARD))
        os.close(out)
        spawned = talk.hear()
        assert isinstance(spawned, Spawned)
        os.kill(spawned.pid, signal.SIGKILL)
        failed = talk.hear()
        assert failed == StartFailed("the process meant for it was killed", True, spawned.pid)
        os.close(gate)
        wait_until(lambda: not psutil.pid_exists(spawned.pid))
        again, out = talk.spawn(SpawnRequest(shell("exit 3"), "/", {}, GUARD))
        os.close(out)
        assert isinstance(again, Spawned)


CHAIN = """
import os, time
for _ in range(3):
    if os.fork(): break
else: print(1, flush=True)
time.sleep(99)
"""
ORPHAN = """
import os, time
if os.fork() == 0:
    os.setsid()
    time.sleep(99)
print(1, flush=True)
"""


@linux_only
@pytest.mark.parametrize("code", [CHAIN, ORPHAN])
def test_a_kill_is_told_when_all_is_gone(code: str) -> None:
    with Talk() as talk:
        talk.hear()
        request = SpawnRequest((sys.executable, "-I", "-S", "-c", code), "/", {})
        spawned, out = talk.spawn(request)
        assert isinstance(spawned, Spawned)
        with open(out, buffering=1) as file:
            assert file.readline() == "1\n"
            assert talk.kill(spawned.pid).clean
            assert talk.process.children(recursive=True) == []
            assert file.read() == ""


@linux_only
def test_processes_that_never_became_bots_leave_no_groups() -> None:
    needs(Level.CGROUP)
    with Talk(Level.CGROUP) as talk:
        talk.hear()
        name = owner(talk.process.pid)
        out, gate = talk.ask(SpawnRequest(shell("exit 3"), "/", {}, GUARD))
        os.close(out)
        lost = talk.hear()
        assert isinstance(lost, Spawned)
        assert set(groups_in_hierarchies(name)) == {1}
        os.kill(lost.pid, signal.SIGKILL)
        assert isinstance(talk.hear(), StartFailed)
        os.close(gate)
        failed, out = talk.spawn(SpawnRequest(("/no/such/program",), "/", {}, GUARD))
        os.close(out)
        assert isinstance(failed, StartFailed)
        impossible = Sandbox(LIMITS, (), ("/bin/true",), GroupLimits(-(1 << 40), 5))
        failed, out = talk.spawn(SpawnRequest(("x",), "/", {}, impossible))
        os.close(out)
        assert isinstance(failed, StartFailed)
        assert folders_of(name)
        wait_until(lambda: not set(groups_in_hierarchies(name)))


@linux_only
def test_a_program_without_walls_waits_for_no_group() -> None:
    needs(Level.CGROUP)
    with Talk(Level.CGROUP) as talk:
        talk.hear()
        spawned, out = talk.spawn(SpawnRequest(shell("echo; exec sleep 99"), "/", {}))
        assert isinstance(spawned, Spawned)
        assert os.read(out, 1) == b"\n"
        os.close(out)
        assert spawned.group is None
        assert not groups_of(owner(talk.process.pid))
        assert talk.kill(spawned.pid).clean


def groups_in_hierarchies(name: str) -> Iterable[int]:
    """How many groups of bots an owner has in each hierarchy."""
    return Counter(place.parent for place in groups_of(name)).values()
