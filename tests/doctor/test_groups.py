"""The probes of control groups, with limits that are forgotten and counters that stand still."""

from __future__ import annotations

import sys
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


@pytest.mark.dear
async def test_limits_that_are_not_kept(tmp_path: Path) -> None:
    async with with_groups(tmp_path) as context:
        forgetful = Unlimited(context.children, tmp_path, {})
        memory = await groups.memory(forgetful)
        assert_told(memory, Status.FAIL, "took 2", "MiB of 64 MiB")
        processes = await groups.processes(forgetful)
        assert_told(processes, Status.FAIL, f"made {4 * groups.PROCESSES} of")
    assert len(examination.broken([memory, processes], Level.CGROUP)) == 2


async def test_cpu_time_that_is_not_counted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with with_groups(tmp_path) as context:
        monkeypatch.setattr(CgroupMeter, "cpu_ns", lambda self: 0)
        one, files, limits = await groups.cpu_time(context)
    assert_told(one, Status.FAIL, "counted 0 ms")
    assert "cpu" in files
    assert "memory_limit" in limits
    assert groups._cpu_time(0.1, 0.0, {}).status is Status.DEGRADED  # no group counts it


@pytest.mark.parametrize("name", groups.FILES)
def test_a_file_that_a_kernel_has_and_has_not(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(groups, "_no_swap", lambda: False)
    key, repair = groups.FILES[name]
    there = groups.by_file(name, {key: f"/sys/fs/cgroup/arena/{key}.file"})
    assert (there.status, there.found) == (Status.PASS, f"{key}.file")
    one = groups.by_file(name, {})
    assert_told(one, Status.DEGRADED, repair)
    assert one.consequence == groups.WITHOUT[name]


def test_no_limit_of_swap_is_needed_without_swap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "_no_swap", lambda: True)
    assert groups.by_file("swap limit", {}).status is Status.PASS
