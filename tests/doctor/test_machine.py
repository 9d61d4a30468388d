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
from tests.doctor.probing import assert_told, only, without

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


def test_no_wasmtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm, "library", lambda: None)
    assert ".wasm" not in only(machine.languages(without(why=""))).found


def test_missing_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "find_command", lambda name: None if name == "ruby" else "/x")
    assert_told(only(machine.languages(without(why=""))), Status.DEGRADED, "not .rb", " ruby")
    monkeypatch.setattr(languages, "find_command", lambda name: None if name == "fpc" else "/x")
    assert only(machine.languages(without(why=""))).status is Status.PASS


@pytest.mark.parametrize("cores", [1, 2])
def test_one_core(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)))
    one = only(machine.room(without(why="")))
    assert one.status is (Status.PASS if cores == 2 else Status.DEGRADED)
    assert one.found.startswith("2 cores;" if cores == 2 else "1 core;")


@pytest.mark.parametrize("is_counted", [True, False])
def test_the_run_delay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_counted: bool) -> None:
    (tmp_path / "schedstat").write_text("1 2 3\n")
    monkeypatch.setattr(machine, "SCHEDSTAT", tmp_path / ("schedstat" if is_counted else "none"))
    one = only(machine.run_delay(without(why="")))
    assert one.status is (Status.PASS if is_counted else Status.DEGRADED)
