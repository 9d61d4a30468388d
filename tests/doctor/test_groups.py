"""The probes of control groups, with limits that are forgotten and counters that stand still."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.doctor import context as context_module
from arena.doctor import examine as examination
from arena.doctor import groups
from arena.doctor.capability import Status
from arena.doctor.context import ProbeContext
from arena.doctor.inside import Task
from arena.sandbox.levels import Level
from arena.sandbox.usage.cgroup import CgroupMeter
from tests.doctor.probing import assert_told, with_groups, without

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")

GROUPS = ("control groups", *groups.WITHOUT)


async def test_no_control_groups() -> None:
    context = without(Level.CGROUP, why="no writable memory controller")
    context.children.groups = "no writable memory controller"
    found = await groups.groups(context)
    assert [one.name for one in found] == list(GROUPS)
    assert_told(found[0], Status.FAIL, "no writable memory controller")
    for one in found[1:]:
        assert_told(one, Status.DEGRADED, "by looking")
    assert examination.broken(found, Level.SANDBOX) == []


async def test_control_groups_without_a_sandbox() -> None:
    context = without(Level.CGROUP, Level.SANDBOX, why="bubblewrap is not installed")
    assert_told((await groups.groups(context))[0], Status.FAIL, "apt-get install bubblewrap")


class Unlimited(ProbeContext):
    """A context on which every limit is forgotten."""

    def started(self, task: Task, level: Any = None, limits: Any = None) -> Any:
        limits = msgspec.structs.replace(context_module.LIMITS, memory=None, processes=256)
        return super().started(task, level, limits)


async def test_limits_that_are_not_kept(tmp_path: Path) -> None:
    async with with_groups(tmp_path) as context:
        forgetful = Unlimited(context.children, tmp_path, {})
        memory = await groups.memory(forgetful, {})
        assert_told(memory, Status.FAIL, "took 2", "MiB of 64 MiB")
        processes = await groups.processes(forgetful, {})
        assert_told(processes, Status.FAIL, f"made {4 * groups.PROCESSES} of")
    assert len(examination.broken([memory, processes], Level.CGROUP)) == 2


async def test_a_freezer_and_books_that_do_not_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The probes give up soon: they wait beside busy loops."""
    monkeypatch.setattr(groups, "soon", partial(context_module.soon, seconds=0.2))
    async with with_groups(tmp_path) as context:
        monkeypatch.setattr(CgroupMeter, "freeze", lambda self: None)
        assert_told(await groups.freeze(context, {"freeze": ""}), Status.DEGRADED, "a busy loop")
        monkeypatch.setattr(CgroupMeter, "delay_ns", lambda self: None)
        told = await groups.pressure(context, {"pressure": ""})
        assert_told(told, Status.DEGRADED, "not counted")
        monkeypatch.setattr(CgroupMeter, "cpu_ns", lambda self: 0)
        assert_told(await groups.cpu(context, {"cpu": ""}), Status.FAIL, "counted 0 ms")


@pytest.mark.parametrize("probe", [groups.freeze, groups.kill, groups.cpu, groups.pressure])
async def test_what_a_kernel_does_not_have(probe: Any) -> None:
    one = await probe(without(why=""), {})
    assert_told(one, Status.DEGRADED)
    assert one.consequence == groups.WITHOUT[one.name]


@pytest.mark.parametrize("swap", [True, False])
async def test_swap(monkeypatch: pytest.MonkeyPatch, swap: bool) -> None:
    monkeypatch.setattr(groups, "_no_swap", lambda: not swap)
    one = await groups.swap(without(why=""), {})
    assert one.status is (Status.DEGRADED if swap else Status.PASS)
