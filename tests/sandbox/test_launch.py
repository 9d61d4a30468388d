"""The start of a keeper, and its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from arena.sandbox.children import open_children
from arena.sandbox.keeper.tempdirs import owner
from arena.sandbox.launch import ROOT, launch_keeper
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.session import keeper_running


def test_the_keeper_needs_nothing_but_the_standard_library() -> None:
    """A bare interpreter without installed packages can import all of it."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from arena.sandbox.keeper import main, cgroup, tempdirs\n"
        "foreign = {name.partition('.')[0] for name in sys.modules} - sys.stdlib_module_names\n"
        "print(*sorted(foreign - {'arena', '__main__'}))\n"
        "print(*sorted(name for name in sys.modules if name.startswith('arena.')))\n"
    )
    argv = [sys.executable, "-I", "-S", "-c", code, str(ROOT)]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True)
    foreign, own = ran.stdout.splitlines()
    assert foreign == ""
    outside = {name for name in own.split() if not name.startswith("arena.sandbox.keeper")}
    assert outside == {"arena.sandbox"}


def test_a_keeper_is_no_part_of_the_terminal() -> None:
    with keeper_running() as keeper:
        process = psutil.Process(keeper.process.pid)
        assert os.getsid(process.pid) == process.pid
        assert process.cwd() == "/"
    assert keeper.process.returncode == 0


@pytest.mark.parametrize(
    ("mode", "groups"), [(Level.OFF, False), (Level.GUARD, False), (SandboxMode.AUTO, True)]
)
async def test_a_keeper_looks_for_groups_only_where_they_may_be_used(
    mode: Level | SandboxMode, groups: bool
) -> None:
    with keeper_running(mode) as keeper:
        async with open_children(keeper) as children:
            assert (await children.no_groups_because() != "not asked for") == groups


def test_closing_removes_what_the_keeper_showed(tmp_path: Path) -> None:
    keeper = launch_keeper()
    keeper.etc = tmp_path / "etc"
    keeper.etc.mkdir()
    keeper.close()
    assert not keeper.etc.exists()


def test_a_keeper_sweeps_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with keeper_running() as keeper:
        words = keeper.process.args
    assert isinstance(words, list)
    assert words[-3:] == ["plain", str(tmp_path), owner()]


KILLED_AT_ITS_END = """
import os, signal
from arena.sandbox.placement import shared_etc
from arena.sandbox.session import keeper_running
with keeper_running() as keeper:
    shared_etc(keeper)
    with keeper.folders.lent():
        pass
    wait = keeper.process.wait
    keeper.process.wait = lambda: (wait(), os.kill(os.getpid(), signal.SIGKILL))
"""


def test_an_arena_that_is_killed_when_its_keeper_has_gone_leaves_nothing(tmp_path: Path) -> None:
    """Nobody is there any more who would clear away what it leaves."""
    command = [sys.executable, "-c", KILLED_AT_ITS_END]
    where = {**os.environ, "TMPDIR": str(tmp_path)}
    ran = subprocess.run(command, cwd=ROOT, env=where, timeout=60, check=False)
    assert ran.returncode == -signal.SIGKILL
    assert list(tmp_path.iterdir()) == []
