"""Signals reach the processes of a tree and no other."""

from __future__ import annotations

import os
import signal

import psutil
import pytest

from arena.sandbox.keeper import proc
from arena.sandbox.usage.procfs import Signals
from tests.sandbox.programs import linux_only
from tests.sandbox.usage.trees import IDLE, parent_of, running
from tests.support.descriptors import watched_descriptors
from tests.support.groups import wait_until

pytestmark = linux_only


def status(pid: int) -> str:
    """``stopped``, ``sleeping``, …"""
    return str(psutil.Process(pid).status())


def test_a_process_below_the_root_is_signalled() -> None:
    with running(parent_of(IDLE)) as process:
        [child] = proc.below(process.pid)
        signals = Signals(process.pid)
        for pid in (process.pid, child):
            signals.send(pid, signal.SIGSTOP)
            wait_until(lambda pid=pid: status(pid) == "stopped")  # type: ignore[misc]
        assert signals.last_first() == [child, process.pid]
        for pid in signals.last_first():
            signals.send(pid, signal.SIGCONT)
            wait_until(lambda pid=pid: status(pid) != "stopped")  # type: ignore[misc]
        signals.close()


def test_another_process_is_not() -> None:
    with running(IDLE) as root, running(IDLE) as other:
        signals = Signals(root.pid)
        signals.send(other.pid, signal.SIGKILL)
        signals.send(2**22 + 1, signal.SIGKILL)  # no process has this number
        assert signals.last_first() == []
        assert other.poll() is None
        signals.close()


def test_a_child_of_what_was_not_signalled_is_not() -> None:
    """Its parent's number may have gone to another process."""
    with running(parent_of(IDLE)) as process:
        [child] = proc.below(process.pid)
        signals = Signals(process.pid)
        signals.send(child, signal.SIGKILL)
        assert signals.last_first() == []
        signals.close()


def test_a_handle_never_means_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was opened for one that has ended since; its number may be taken."""
    with running(IDLE) as root:
        signals = Signals(root.pid)
        signals.send(root.pid, signal.SIGCONT)
        root.kill()
        root.wait()
        monkeypatch.setattr(os, "pidfd_open", None)  # it is not opened again
        signals.send(root.pid, signal.SIGKILL)
        signals.close()


def test_handles_are_given_back() -> None:
    with running(IDLE) as root, watched_descriptors() as opened:
        signals = Signals(root.pid)
        for _ in range(2):
            signals.send(root.pid, signal.SIGCONT)
        assert len(opened()) == 1
        signals.forget(root.pid)
        signals.forget(root.pid)
        assert opened() == {}
        signals.send(root.pid, signal.SIGCONT)
        signals.send(os.getpid(), signal.SIGCONT)  # not below: its handle is not kept
        assert len(opened()) == 1
        signals.close()
        signals.close()
        assert opened() == {}
