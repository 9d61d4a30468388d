"""Levels, and what an escape program achieves behind walls and without them."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.core.limits import Limits
from arena.doctor import walls
from arena.doctor.capability import Status
from arena.doctor.escape import Report
from arena.sandbox.keeper import landlock
from arena.sandbox.levels import Level
from arena.sandbox.usage.cgroup import CgroupMeter
from tests.doctor.probing import assert_told, at_level, by_name
from tests.support.tools import short_folder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")


def test_each_missing_level_has_a_row_with_its_repair() -> None:
    missing = {
        Level.CGROUP: "bubblewrap is not installed",
        Level.SANDBOX: "bubblewrap is not installed",
        Level.GUARD: "landlock version 6 is needed",
    }
    rows = by_name(walls.levels(missing, Level.OFF))
    assert_told(rows["landlock"], Status.FAIL, "version 6", "Linux 6.12")
    assert_told(rows["bubblewrap"], Status.FAIL, "apt-get install bubblewrap")
    assert_told(rows["control groups"], Status.FAIL, "apt-get install bubblewrap")


def test_a_sandbox_needs_no_guard() -> None:
    rows = by_name(walls.levels({Level.GUARD: "landlock version 6 is needed"}, Level.CGROUP))
    assert_told(rows["landlock"], Status.DEGRADED, "version 6")
    assert rows["landlock"].repair == ""
    assert rows["bubblewrap"].status is rows["control groups"].status is Status.PASS


async def test_the_escape_succeeds_without_walls() -> None:
    async with at_level(Level.OFF) as children:
        rows = by_name(await walls.escape(children, Level.OFF))
    assert set(rows) == set(walls.CONSEQUENCES) - set(walls.KEPT_BY_KERNEL)
    assert rows.pop("descriptors").status is Status.PASS  # nothing is inherited at any level
    rows.pop("services")  # of this machine, which may have none
    for name in ("capabilities", "identity", "writing", "secrets") if os.getuid() else ():
        rows.pop(name)
    for row in rows.values():
        assert_told(row, Status.DEGRADED, "level off")


async def test_a_service_within_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    if not landlock.NEEDED <= landlock.abi() < 9:
        pytest.skip("this kernel's landlock has no guard, or keeps sockets out of reach")
    with short_folder() as folder:
        path = str(folder / "docker.sock")
        monkeypatch.setattr(walls, "well_known_sockets", lambda: [path, "/no/such/socket"])
        async with at_level(Level.GUARD) as children:
            with socket.socket(socket.AF_UNIX) as service:
                service.bind(path)
                service.listen()
                rows = by_name(await walls.escape(children, Level.GUARD))
            assert_told(rows["services"], Status.DEGRADED, path)
            rows = by_name(await walls.escape(children, Level.GUARD))
            assert rows["services"].status is Status.PASS  # none listens any more


@pytest.mark.parametrize("name", sorted(set(walls.CONSEQUENCES) - {walls.UNPROMISED}))
def test_a_wall_that_is_promised_and_does_not_stand_is_a_failure(name: str) -> None:
    report = Report(name, "it got out", "")
    is_guarded = name not in (*walls.UNGUARDED, *walls.KEPT_BY_KERNEL)
    for level, is_promised in ((Level.CGROUP, True), (Level.GUARD, is_guarded)):
        holds = is_promised and name != walls.UNPROMISED
        row = walls._judge(report, level)
        assert_told(row, Status.FAIL if holds else Status.DEGRADED, "it got out")
        assert ("report it" in row.repair) is holds


def test_counters_depend_on_the_kernel_and_the_user() -> None:
    row = walls._judge(Report(walls.UNPROMISED, "/proc/stat", ""), Level.CGROUP)
    assert_told(row, Status.DEGRADED, "/proc/stat")
    assert "root" in row.consequence


async def test_an_escape_program_that_ends_early(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "escape.py"
    report = json.dumps(Report("network", "", "refused"))
    program.write_text(f"print({report!r}, flush=True)\nraise SystemExit('I broke')")
    program.chmod(0o644)
    monkeypatch.setattr(walls, "ESCAPE", program)
    async with at_level(Level.SANDBOX) as children:
        rows = by_name(await walls.escape(children, Level.SANDBOX))
    assert set(rows) == walls.promised(Level.SANDBOX)
    assert rows.pop("network").status is Status.PASS
    for row in rows.values():
        assert_told(row, Status.FAIL, "the escape program ended early: I broke")


async def test_limits_that_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program is told of lower limits than it has."""
    targets = walls._targets

    def lower(*arguments: Any) -> Any:
        return targets(*arguments)._replace(memory=16 << 20, processes=16, disk=2 << 20)

    monkeypatch.setattr(walls, "_targets", lower)
    async with at_level(Level.CGROUP) as children:
        rows = by_name(await walls.escape(children, Level.CGROUP))
    assert_told(rows["memory limit"], Status.FAIL, "no kill at the limit")
    assert_told(rows["process limit"], Status.FAIL, "made 32 of 16 processes")
    assert_told(rows["disk"], Status.FAIL, "wrote 4 MiB of 2")
    assert rows["CPU time"].status is Status.PASS


async def test_counters_that_stand_still(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CgroupMeter, "cpu_ns", lambda self: 0)
    monkeypatch.setattr(CgroupMeter, "oom_kills", lambda self: 0)
    monkeypatch.setattr(walls, "LIMITS", replace(walls.LIMITS, processes=32, memory=64 << 20))
    async with at_level(Level.CGROUP) as children:
        rows = by_name(await walls.escape(children, Level.CGROUP))
    assert_told(rows["CPU time"], Status.FAIL, "counted 0 ms")
    assert_told(rows["memory limit"], Status.FAIL, "no kill at the limit")
    assert rows["process limit"].status is Status.PASS


def test_limits_are_tried_as_a_match_has_them() -> None:
    """In a container of an ordinary user, processes of the host count, too: a low limit of the
    doctor's own would fail where matches are played."""
    assert walls.LIMITS.processes == Limits().processes


@pytest.mark.parametrize("lacking", [*walls.FEATURES, ""])
def test_what_the_kernel_lacks_is_one_row(monkeypatch: pytest.MonkeyPatch, lacking: str) -> None:
    monkeypatch.setattr(walls, "_has_no_swap", lambda: False)
    files = {key: f"/sys/fs/cgroup/arena/{key}.file" for key in walls.FEATURES if key != lacking}
    (row,) = walls._features(files)
    if lacking:
        assert_told(row, Status.DEGRADED, f"; not {lacking}")
        assert row.consequence == walls.FEATURES[lacking]
        assert row.repair == ""  # a kernel without it has no switch for it
    else:
        assert row.status is Status.PASS


def test_no_limit_of_swap_is_needed_without_swap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walls, "_has_no_swap", lambda: True)
    (row,) = walls._features({key: key for key in walls.FEATURES if key != "swap_limit"})
    assert row.status is Status.PASS


def test_a_leaked_descriptor_is_seen() -> None:
    with open("/dev/null") as leak:
        number = leak.fileno()
        code = "import sys; sys.path.insert(0, sys.argv[1]); import escape; escape.descriptors()"
        ran = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, str(walls.ESCAPE.parent)],
            pass_fds=[number], capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert json.loads(ran.stdout)[:2] == ["descriptors", f"inherited {number}"]
