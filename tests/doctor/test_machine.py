"""The rest of the machine, each row with the cause of trouble put in its way."""

from __future__ import annotations

import os
import platform
import sys
import tomllib
from pathlib import Path

import pytest

from arena.bots import languages
from arena.bots.wasm import command as wasm
from arena.doctor import machine
from arena.doctor.capability import Status
from arena.runtime import capacity
from arena.sandbox.keeper.hierarchies import Hierarchy
from tests.doctor.probing import assert_told
from tests.structure import ROOT

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")


def test_a_strange_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert_told(machine.system(), Status.DEGRADED, "riscv64", "x86_64")


@pytest.mark.parametrize("uid", [0, 1000])
def test_the_user_that_runs_the_arena(monkeypatch: pytest.MonkeyPatch, uid: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    row = machine.user()
    assert row.status is (Status.PASS if uid else Status.DEGRADED)
    assert uid or "user id of their own" in row.consequence


@pytest.mark.parametrize(
    ("cores", "quota", "status", "text"),
    [
        (2, None, Status.PASS, "2 cores"),
        (1, None, Status.DEGRADED, "1 core"),
        (8, 16.0, Status.PASS, "8 cores"),
        (8, 2.5, Status.PASS, "8 cores, of which a quota of the control group gives 2.5"),
        (2, 0.5, Status.DEGRADED, "2 cores, of which a quota of the control group gives 0.5"),
    ],
)
def test_cores(
    monkeypatch: pytest.MonkeyPatch, cores: int, quota: float | None, status: Status, text: str
) -> None:
    monkeypatch.setattr(machine, "usable_cores", lambda: cores)
    monkeypatch.setattr(machine, "cpu_quota", lambda: quota)
    assert (machine.cores().status, machine.cores().found) == (status, text)


@pytest.mark.parametrize(
    ("controllers", "files", "quota"),
    [
        ("", {"unit/arena/cpu.max": "max 100000", "unit/cpu.max": "50000 100000"}, 0.5),
        ("", {"unit/arena/cpu.max": "max 100000"}, None),
        ("cpu", {"unit/cpu.cfs_quota_us": "150000", "unit/cpu.cfs_period_us": "100000"}, 1.5),
        ("cpu", {"unit/cpu.cfs_quota_us": "-1", "unit/cpu.cfs_period_us": "100000"}, None),
    ],
)
def test_the_quota_of_a_control_group_above_counts(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    controllers: str,
    files: dict[str, str],
    quota: float | None,
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text + "\n")
    tree = Hierarchy(controllers, "/unit/arena", str(tmp_path / "unit/arena"))
    monkeypatch.setattr(capacity, "hierarchies", lambda: [tree])
    assert capacity.cpu_quota() == quota


@pytest.mark.parametrize("is_counted", [True, False])
def test_the_run_delay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_counted: bool) -> None:
    (tmp_path / "schedstat").write_text("1 2 3\n")
    monkeypatch.setattr(machine, "SCHEDSTAT", tmp_path / ("schedstat" if is_counted else "none"))
    assert machine.run_delay().status is (Status.PASS if is_counted else Status.DEGRADED)


def test_missing_extras_are_one_row_with_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_is_there", lambda name: True)
    assert machine.extras().status is Status.PASS
    monkeypatch.setattr(machine, "_is_there", lambda name: name not in ("uvicorn", "cryptography"))
    row = machine.extras()
    assert (row.status, row.found) == (Status.DEGRADED, "wasm; not web, cluster")
    assert row.consequence == "no --live, no arena serve; no arena cluster keys"
    assert row.repair == "pip install '.[web,cluster]' in a clone"


def test_the_extras_are_those_of_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["name"] == machine.DISTRIBUTION
    assert set(machine.EXTRAS) <= set(project["optional-dependencies"])
    lines = ["trio>=0.29", "h11>=0.14; extra == 'web'", 'jinja2; extra == "web"', "x; extra == 'y'"]
    monkeypatch.setattr(machine, "requires", lambda name: lines)
    assert machine._libraries("web") == ["h11", "jinja2"]


def test_no_wasmtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm, "library", lambda: None)
    assert ".wasm" not in machine.languages().found
    assert "WebAssembly" not in {tool.name for tool in machine.language_tools()}


def test_missing_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(program: str) -> None:
        for module in (languages, machine):
            monkeypatch.setattr(
                module, "find_command", lambda name: None if name == program else f"/bin/{name}"
            )

    without("ruby")
    assert_told(machine.languages(), Status.DEGRADED, "not .rb", " ruby")
    tools = {tool.name: tool for tool in machine.language_tools()}
    assert (tools["Ruby"].program, tools["Ruby"].packages) == (None, "ruby")
    assert tools["C++"].program == "/bin/g++"
    assert tools["Python"].program == sys.executable
    without("fpc")
    assert machine.languages().status is Status.PASS
