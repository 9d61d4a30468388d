"""Which meter a program gets."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from arena.core.limits import Limits
from arena.sandbox.child import Child
from arena.sandbox.keeper.messages import GroupFiles
from arena.sandbox.levels import Level
from arena.sandbox.usage import choice
from arena.sandbox.usage.cgroup import CgroupMeter
from arena.sandbox.usage.choice import meter_of
from arena.sandbox.usage.delays import delay_is_known
from arena.sandbox.usage.psutil import PsutilMeter
from tests.sandbox.programs import linux_only

LIMITS = Limits(memory=5, disk=7, shared_memory=9)


def child(group: GroupFiles | None = None) -> Child:
    """This process, as a child."""
    return Child(None, os.getpid(), group, -1, -1, -1)  # type: ignore[arg-type]  # no keeper here


def test_the_kernel_counts_where_there_is_a_group(tmp_path: Path) -> None:
    (tmp_path / "memory.current").write_text("4096\n")
    (tmp_path / "memory.max").write_text("8192\n")
    files = {
        "memory": str(tmp_path / "memory.current"),
        "memory_limit": str(tmp_path / "memory.max"),
        "tasks": str(tmp_path / "pids.current"),
    }
    (tmp_path / "pids.current").write_text("2\n")
    meter = meter_of(child(GroupFiles(files, {"memory_limit": 8192})), LIMITS, Level.CGROUP)
    assert isinstance(meter, CgroupMeter)
    assert meter.memory() == 4096
    assert meter.intact()
    assert meter.counts_all
    assert (meter.delay_ns() is not None) == delay_is_known()
    if delay_is_known():
        assert meter.ready()  # this very process
    (tmp_path / "memory.max").write_text("max\n")
    assert not meter.intact()
    meter.close()


@linux_only
@pytest.mark.parametrize(
    ("level", "rooms"),
    [
        (Level.OFF, {}),
        (Level.GUARD, {}),
        (Level.SANDBOX, {"/tmp": 7, "/dev/shm": 9}),
    ],
)
def test_a_sandbox_without_a_group_counts_its_memory_file_systems(
    monkeypatch: pytest.MonkeyPatch, level: Level, rooms: dict[str, int]
) -> None:
    made: list[tuple[int, object, object]] = []

    class Meter:
        def __init__(self, pid: int, *, rooms: object, limit: object) -> None:
            made.append((pid, rooms, limit))

    monkeypatch.setattr(choice, "ProcfsMeter", Meter)
    meter_of(child(), LIMITS, level)
    assert made == [(os.getpid(), rooms, 5)]


def test_other_systems_have_psutil(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    assert isinstance(meter_of(child(), LIMITS, Level.OFF), PsutilMeter)
