"""The probes of the machine, each with the cause of trouble put in its way."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import pytest

from arena.bots import languages
from arena.bots.wasm import command as wasm
from arena.doctor import machine
from arena.doctor.capability import Status
from arena.sandbox.levels import Level
from arena.sandbox.usage.procfs import ProcfsMeter
from tests.doctor.probing import assert_told, here, only, without

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")


def test_a_strange_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert_told(only(machine.system(without(why=""))), Status.DEGRADED, "riscv64", "x86_64")


@pytest.mark.parametrize("uid", [0, 1000])
def test_the_user_that_runs_the_arena(monkeypatch: pytest.MonkeyPatch, uid: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    one = only(machine.user(without(why="")))
    assert one.status is (Status.PASS if uid else Status.DEGRADED)
    assert uid or "user id of their own" in one.consequence


@pytest.mark.parametrize("pattern", ["|/usr/lib/systemd/systemd-coredump %P", "core"])
def test_core_dumps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pattern: str) -> None:
    (tmp_path / "core_pattern").write_text(pattern + "\n")
    monkeypatch.setattr(machine, "CORE_PATTERN", tmp_path / "core_pattern")
    one = only(machine.core_pattern(without(why="")))
    if pattern == "core":
        assert one.status is Status.PASS
    else:
        assert_told(one, Status.DEGRADED, "systemd-coredump", "sysctl -w kernel.core_pattern=core")


@pytest.mark.parametrize("shortage", ["space", "files", "noexec", "nothing"])
def test_the_temporary_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shortage: str
) -> None:
    context = without(why="")
    context.folder = tmp_path
    monkeypatch.setattr(machine, "SPACE", 1 << 62 if shortage == "space" else 0)
    monkeypatch.setattr(machine, "INODES", 1 << 62 if shortage == "files" else 0)
    monkeypatch.setattr(machine, "mounted_noexec", lambda path: shortage == "noexec")
    one = only(machine.temporary(context))
    assert one.status is (Status.PASS if shortage == "nothing" else Status.DEGRADED)
    assert shortage == "nothing" or "TMPDIR" in one.repair


def test_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "jobs_that_fit", lambda wanted, seats: (0, "100 open files"))
    assert_told(only(machine.room(without(why=""))), Status.DEGRADED, "0 matches", "ulimit -n")


async def test_no_wasmtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm, "library", lambda: None)
    assert ".wasm" not in only(machine.languages(without(why=""))).found
    one = only(await machine.webassembly(without(why="")))
    assert_told(one, Status.DEGRADED, "not installed", "pip install '.[wasm]'")


@pytest.mark.parametrize("level", [Level.OFF, Level.GUARD])
async def test_a_module_runs_at_the_lower_levels_too(tmp_path: Path, level: Level) -> None:
    async with here(tmp_path) as context:
        context.level = level
        assert only(await machine.webassembly(context)).status is Status.PASS


def test_missing_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "find_command", lambda name: None if name == "ruby" else "/x")
    assert_told(only(machine.languages(without(why=""))), Status.DEGRADED, "not .rb", " ruby")
    monkeypatch.setattr(languages, "find_command", lambda name: None if name == "fpc" else "/x")
    assert only(machine.languages(without(why=""))).status is Status.PASS


@pytest.mark.parametrize(("source", "cores"), [("hpet", 2), ("tsc", 1), ("tsc", 2)])
def test_the_clock(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: str, cores: int
) -> None:
    (tmp_path / "clock").write_text(f"{source}\n")
    monkeypatch.setattr(machine, "CLOCK", tmp_path / "clock")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)))
    one = only(machine.clock(without(why="")))
    assert one.status is (Status.PASS if (source, cores) == ("tsc", 2) else Status.DEGRADED)
    assert source in one.found


async def test_processes_that_cannot_be_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with here(tmp_path) as context:
        monkeypatch.setattr(machine, "HAS_SCHEDSTAT", False)
        assert_told(only(await machine.process_clock(context)), Status.DEGRADED, "no run delay")
        monkeypatch.setattr(ProcfsMeter, "cpu_ns", lambda self: 0)
        assert_told(only(await machine.process_clock(context)), Status.FAIL, "counted 0 ms")
