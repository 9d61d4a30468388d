"""Owners: which still live, and which names are left alone."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arena.sandbox.keeper import tempdirs as module
from arena.sandbox.keeper.tempdirs import alive, owner


def test_we_live() -> None:
    assert alive(owner())
    assert owner() == owner(os.getpid())
    assert owner().partition("-")[0] == str(os.getpid())


def test_a_process_dies_as_a_zombie_already() -> None:
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", "input()"], stdin=-1) as process:
        name = owner(process.pid)
        assert alive(name)
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, and not yet reaped
        assert sys.platform != "linux" or not alive(name)
    assert not alive(name)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process started")
def test_the_same_pid_at_another_time_is_another_owner() -> None:
    pid, start = owner().split("-")
    assert not alive(f"{pid}-{int(start) + 1}")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells when a process started")
def test_a_name_with_spaces_and_brackets_does_not_mislead() -> None:
    code = "open('/proc/self/comm', 'w').write(') Z 1 ('); print(1, flush=True); input()"
    argv = [sys.executable, "-I", "-S", "-c", code]
    with subprocess.Popen(argv, stdin=-1, stdout=-1) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert alive(owner(process.pid))
        process.kill()


@pytest.mark.parametrize(
    "name",
    ["", "home", "1", "1-", "-1", "0-1", "007-1", "1-01", "1-2-3", "1-2\n", " 1-2", "1-2x", "١-٢"],
)
def test_what_is_no_owner_counts_as_alive(name: str) -> None:
    assert alive(name)


def test_no_process_has_that_pid() -> None:
    assert not alive("9999999999-1")
    with pytest.raises(OSError, match="No such"):
        owner(2**31 - 1)


def test_without_proc_the_process_id_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_has_proc", lambda: False)
    assert owner() == f"{os.getpid()}-0"
    assert alive(owner())
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", ""]) as process:
        process.wait()
    assert not alive(f"{process.pid}-0")
    assert not alive("9999999999-0")
