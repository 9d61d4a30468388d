"""The whole examination: everything passes on a machine that has everything."""

from __future__ import annotations

import sys
import tempfile
from functools import cache

import pytest
import trio

from arena.cli.doctor import diagnosis_text
from arena.doctor import examine as examination
from arena.doctor import walls
from arena.doctor.capability import Capability, Diagnosis, Status, failed, passed
from arena.sandbox.children import Children
from arena.sandbox.levels import Level, SandboxMode
from tests.doctor.probing import by_name
from tests.hostile.arena_runs import nothing_left, strongest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")

GUARD = "landlock version 6 is needed, this kernel has 2"
NO_GROUPS = "no writable memory controller: run as root, in a unit with `Delegate=yes`, or as root"


@cache
def diagnosis() -> Diagnosis:
    """Of this machine, by an examination that leaves nothing in a temporary folder of its own."""
    strongest()  # or skip
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory() as folder:
        tempfile.tempdir = folder
        try:
            with nothing_left():
                return examination.examine()
        finally:
            tempfile.tempdir = before


def test_all_that_is_promised_holds_here_and_nothing_is_left() -> None:
    rows = by_name(diagnosis().capabilities)
    promised = walls.promised(diagnosis().level)
    assert set(rows) >= promised | {"bubblewrap", "landlock", "system", "user", "cores"}
    for name in {*promised, "bubblewrap"}:
        assert (rows[name].status, rows[name].repair) == (Status.PASS, ""), rows[name]
    for row in rows.values():
        assert row.found
        assert (row.status is Status.PASS) == (row.consequence == ""), row
    assert diagnosis().granted
    assert diagnosis().wished == "auto"


@pytest.mark.parametrize(
    ("missing", "best", "next_level", "step"),
    [
        ({}, Level.CGROUP, None, ""),
        ({Level.GUARD: GUARD}, Level.CGROUP, None, ""),
        ({Level.CGROUP: NO_GROUPS, Level.GUARD: GUARD}, Level.SANDBOX, Level.CGROUP, ""),
        (
            dict.fromkeys((Level.CGROUP, Level.SANDBOX), "bubblewrap is not installed"),
            *(Level.GUARD, Level.SANDBOX, "sudo apt-get install bubblewrap"),
        ),
        (
            dict.fromkeys(Level, "bubblewrap is not installed") | {Level.GUARD: GUARD},
            *(Level.OFF, Level.SANDBOX, "sudo apt-get install bubblewrap"),
        ),
    ],
)
def test_the_next_step_leads_up(
    missing: dict[Level, str], best: Level, next_level: Level | None, step: str
) -> None:
    """Never to a level below the one that the machine has, as `guard` of Linux before 6.12."""
    found = examination.next_step(missing, best)
    assert (found and found.level) == next_level
    if found is not None:
        assert step in found.step
        words = diagnosis_text(Diagnosis(best, "auto", True, found, [], {}))
        assert f"For the level {next_level} (" in words
        assert "landlock" not in words


class NoChildren:
    """What stands for the programs where none can be started."""


async def test_a_probe_that_crashes_or_hangs_is_a_failure_with_its_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def crash(children: Children, level: Level) -> list[Capability]:
        raise RuntimeError("out of luck")

    async def hang(children: Children, level: Level) -> list[Capability]:
        await trio.sleep_forever()
        return []

    monkeypatch.setattr(examination, "PROBE_WITHIN", 0.05)
    for probe, words in ((crash, "RuntimeError: out of luck"), (hang, "program ran for 0 s")):
        monkeypatch.setattr(walls, "escape", probe)
        rows = by_name(await examination._escape(NoChildren(), Level.SANDBOX))  # type: ignore[arg-type]
        assert set(rows) == walls.promised(Level.SANDBOX)
        for row in rows.values():
            assert row.status is Status.FAIL
            assert words in row.found


def test_what_is_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [passed("descriptors", "none")]

    async def escape(children: object, level: Level) -> list[Capability]:
        return rows

    async def missing(children: object) -> dict[Level, str]:
        return {Level.CGROUP: "no groups", Level.SANDBOX: "no bwrap"}

    monkeypatch.setattr(examination, "_escape", escape)
    monkeypatch.setattr(examination, "missing_levels", missing)
    assert not examination.examine(SandboxMode.STRICT).granted
    assert examination.examine(SandboxMode.AUTO).granted
    assert examination.examine(SandboxMode.AUTO).level is Level.GUARD
    assert examination.examine(Level.OFF).granted
    rows[0] = failed("descriptors", "inherited 7", "a bot finds files of the arena open")
    assert not examination.examine(Level.OFF).granted
