"""Ending trees of processes by a walk: what it reaches, where it stops, and whom it spares."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from arena.sandbox.keeper import kills
from tests.sandbox.programs import linux_only
from tests.support.descriptors import watched_descriptors
from tests.support.groups import wait_until
from tests.support.leftovers import kill_all

pytestmark = linux_only

COMB = """
import os, time
for _ in range(4):
    if os.fork() == 0: time.sleep(99)
    if os.fork(): break
else: print(1, flush=True)
time.sleep(99)
"""
"""Five levels deep, with a leaf beside each."""


@pytest.fixture
def comb() -> Iterator[psutil.Process]:
    argv = [sys.executable, "-I", "-S", "-c", COMB]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        known = psutil.Process(process.pid)
        family = [known, *known.children(recursive=True)]
        yield known
        kill_all(family)


def alive(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [one for one in processes if one.is_running() and one.status() != "zombie"]


@pytest.mark.parametrize("room", [1, 2, 200])
def test_all_below_and_not_the_root(
    comb: psutil.Process, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With less room, what is found at the time."""
    monkeypatch.setattr(kills, "HANDLES", room)
    children, below = comb.children(), comb.children(recursive=True)
    assert len(below) == 8
    with watched_descriptors() as opened:
        kills.kill_below(comb.pid, time.monotonic() + 60)
        assert opened() == {}
    wait_until(lambda: comb.status() == psutil.STATUS_STOPPED)
    wait_until(lambda: alive(children if room < 200 else below) == [])


def test_at_the_deadline_what_was_found_is_killed(comb: psutil.Process) -> None:
    below = comb.children(recursive=True)
    kills.kill_below(comb.pid, time.monotonic() - 1)
    assert alive(below) == below  # nothing was looked for
    assert comb.is_running()


def test_a_root_that_is_gone(comb: psutil.Process) -> None:
    kills.kill_below(2**22 + 1, time.monotonic() + 60)
    kills.kill_child(2**22 + 1)


def test_a_child_of_another_is_spared(comb: psutil.Process) -> None:
    """As when a number has gone to another process since it was read."""
    child = comb.children()[0]
    stranger, handle = os.getpid(), os.pidfd_open(os.getpid())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kills, "below", lambda pid: [child.pid])
        assert kills._hold_children(stranger, handle, 9) == []
    os.close(handle)
    assert child.is_running()


def test_a_parent_that_was_reaped_vouches_for_nothing() -> None:
    process = subprocess.Popen(["/bin/true"])
    handle = os.pidfd_open(process.pid)
    assert kills.is_there(handle)
    process.wait()
    assert not kills.is_there(handle)
    os.close(handle)


def test_the_last_resort_ends_all_children() -> None:
    code = (
        "import os, time\n"
        "from arena.sandbox.keeper import kills, spawn\n"
        "spawn.prctl(36, 1)\n"  # a subreaper, as the keeper is
        "reader, writer = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    if os.fork() == 0: os.setsid(); os.write(writer, b'1'); time.sleep(99)\n"
        "    time.sleep(99)\n"
        "os.read(reader, 1)\n"
        "kills.kill_children(os.getpid())\n"
        "try: os.waitpid(-1, os.WNOHANG)\n"
        "except ChildProcessError: print('none')\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout.splitlines()[-1] == "none"


def test_A11_a_shell_whose_command_is_killed_does_not_go_on(tmp_path: Path) -> None:
    """It is stopped before its children are killed."""
    command = f"sleep 1000; touch {tmp_path / 'went_on'}"
    with subprocess.Popen(["sh", "-c", command]) as shell:
        while not (below_it := psutil.Process(shell.pid).children()):
            time.sleep(0.001)
        kills.kill_below(shell.pid, time.monotonic() + 60)
        wait_until(lambda: alive(below_it) == [])  # gone, but for the shell to reap
        wait_until(lambda: psutil.Process(shell.pid).status() == psutil.STATUS_STOPPED)
        shell.kill()
    assert not (tmp_path / "went_on").exists()
