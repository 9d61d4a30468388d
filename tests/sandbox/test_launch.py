"""The start of a keeper, and its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import psutil
import pytest

from arena.sandbox.children import open_children
from arena.sandbox.keeper.tempdirs import owner
from arena.sandbox.launch import ROOT, launch_keeper
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.session import keeper_running
from tests.sandbox.programs import linux_only


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


FORKED = """
import os, sys, time, psutil
from arena.sandbox import launch
from arena.sandbox.keeper import main

def look(process):
    one = psutil.Process(process.pid)
    while one.name() != main.KEEPER_NAME:
        pass
    places = [os.readlink(f"/proc/{one.pid}/fd/{number}") for number in (0, 1)]
    descriptors = min(time.sleep(0.002) or one.num_fds() for _ in range(50))  # one more in a sweep
    return one.ppid(), os.getsid(one.pid) == one.pid, one.cwd(), descriptors, places

open_here = [os.open("/", os.O_RDONLY) for _ in range(20)]
os.set_inheritable(open_here[0], True)
seen = []
for fork in (True, False):
    keeper = launch.launch_keeper(fork=fork)
    keeper.link.setblocking(True)
    assert b"KeeperReady" in keeper.link.recv(1 << 16)
    seen.append(look(keeper.process))
    keeper.close()
    assert keeper.process.returncode == 0
    assert isinstance(keeper.process, launch.ForkedProcess) == fork
assert seen[0] == seen[1], seen

main.serve = lambda *_: 1 / 0
keeper = launch.launch_keeper(fork=True)
assert keeper.process.wait() == 1
"""


@linux_only
def test_a_fork_is_a_keeper_like_any_other() -> None:
    """It shares no descriptor, session, folder or stream with the arena, and ends with its own
    status; what goes wrong in it does not come back into the code of the arena."""
    words = [sys.executable, "-c", FORKED]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.count("ZeroDivisionError") == 1


@linux_only
def test_a_process_with_threads_is_not_forked() -> None:
    done = threading.Event()
    other = threading.Thread(target=done.wait)
    other.start()
    try:
        keeper = launch_keeper(fork=True)
        keeper.close()
    finally:
        done.set()
        other.join()
    assert isinstance(keeper.process, subprocess.Popen)


def test_a_keeper_sweeps_the_folder_for_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with keeper_running() as keeper:
        assert isinstance(keeper.process, subprocess.Popen)
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
