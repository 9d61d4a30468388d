"""The end of control groups, with real processes in them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.sandbox.keeper import cgroup
from arena.sandbox.keeper.cgroup import kill_round, populated, remove_all, remove_folder, sweep
from arena.sandbox.keeper.hierarchies import PREFIX, hierarchies
from arena.sandbox.keeper.tempdirs import alive
from tests.support.groups import (
    FORK_BOMB,
    SLEEP,
    folders_of,
    hear,
    open_group,
    proc_without_v2,
    running,
    wait_until,
)

CRASHED_ARENA = """
import sys
from arena.sandbox.keeper.cgroup import Groups
from arena.sandbox.keeper.tempdirs import owner
group = Groups.open(owner()).make("bot")
group.limit(None, 8)
group.join(int(sys.argv[1]))
print(owner(), flush=True)
input()
"""


def test_processes_that_are_killed_one_by_one_cannot_fork_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not any(hierarchy.version == "v1" for hierarchy in hierarchies()):
        pytest.skip("this machine has no v1 hierarchies")
    proc = proc_without_v2(tmp_path)
    seen = []
    kill = cgroup._kill_members
    with open_group(proc=proc) as group, running(group, FORK_BOMB, proc) as process:
        limit = group.files["pids_limit"]

        def look_and_kill(folder: str) -> None:
            seen.append(Path(limit).read_text().strip())
            kill(folder)

        monkeypatch.setattr(cgroup, "_kill_members", look_and_kill)
        assert hear(process) == "1"
        group.kill()
        assert set(seen) == {"0"}
        assert not group.populated()
        monkeypatch.undo()


def test_what_a_dead_arena_left_is_swept_and_nothing_else() -> None:
    with (
        open_group() as ours,
        running(ours, SLEEP) as living,
        subprocess.Popen([sys.executable, "-I", "-S", "-c", SLEEP]) as orphan,
    ):
        dead = leave_behind(orphan.pid)
        foreign = Path(hierarchies()[-1].folder, f"{PREFIX}{dead}-x")
        foreign.mkdir()
        try:
            assert folders_of(dead)
            sweep(alive)
            assert orphan.wait(20) == -signal.SIGKILL
            wait_until(lambda: not sweep(alive) and not folders_of(dead))
            assert foreign.exists()
        finally:
            foreign.rmdir()
        assert living.poll() is None
        assert ours.populated()


def leave_behind(pid: int) -> str:
    """An arena that is killed with -9 while `pid` is in a group of its; its owner."""
    argv = [sys.executable, "-c", CRASHED_ARENA, str(pid)]
    root = Path(__file__).parents[3]
    with subprocess.Popen(argv, stdin=-1, stdout=-1, cwd=root) as arena:
        name = hear(arena)
        assert folders_of(name)
        sweep(alive)
        assert folders_of(name), "it lives"
        arena.kill()
    return name


def test_a_group_with_groups_below_it_goes_with_them() -> None:
    with open_group() as group:
        folder = group._folders[0]
        os.mkdir(f"{folder}/below")
        os.mkdir(f"{folder}/below/deep")
        assert remove_folder(folder)
        assert not os.path.exists(folder)
        assert remove_folder(folder)  # may be repeated


def test_what_is_inhabited_stays_and_the_rest_goes() -> None:
    with open_group() as group, running(group, SLEEP) as process:
        folder = group._folders[0]
        os.mkdir(f"{folder}/below")
        assert populated(folder)
        assert not remove_all([folder, f"{folder}/below"])
        assert os.path.exists(folder)
        assert not os.path.exists(f"{folder}/below")
        assert process.poll() is None


def test_a_group_that_is_gone_holds_no_process(tmp_path: Path) -> None:
    assert not populated(str(tmp_path / "gone"))
    with pytest.raises(NotADirectoryError):
        populated(__file__)


def test_a_process_of_another_namespace_is_not_our_own_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel writes 0 for it, and a signal to 0 reaches all processes of our own group."""
    signalled: list[int] = []
    (tmp_path / "cgroup.procs").write_text("0\n123\n")
    monkeypatch.setattr(os, "kill", lambda pid, number: signalled.append(pid))
    kill_round([str(tmp_path)])
    assert signalled == [123]


def test_what_is_frozen_dies_too(tmp_path: Path) -> None:
    if not any(hierarchy.version == "v1" for hierarchy in hierarchies()):
        pytest.skip("this machine has no v1 hierarchies")
    proc = proc_without_v2(tmp_path)
    with open_group(proc=proc) as group, running(group, SLEEP, proc) as process:
        Path(group.files["freeze"]).write_text("FROZEN")
        group.kill()
        assert process.wait(20) == -signal.SIGKILL
