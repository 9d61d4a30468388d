"""SIGKILL to whole process trees: bounded in time, not recursive, never to unrelated processes.

A pid can be reused once its process is reaped. So processes are signalled only through a pidfd
(here: handle): the handle is opened first, and then the parent is checked, which is held by a
handle too.

Each process is stopped before its children are killed: otherwise a shell whose command was just
killed goes on to its next one.

A walk may be cut short, so that no bot can cost unbounded memory or time. Processes that it leaves
out have lost their parent, become children of the keeper, and are roots of later walks.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress

from arena.sandbox.keeper.proc import below, parent

HANDLES = 200
"""Maximum open handles of one walk."""
WALK = 0.05
"""Maximum seconds of one walk (a thousand processes). The keeper has other bots to serve."""
LAST_WALKS = 5.0
"""Maximum seconds in which a failing keeper ends its children."""


def kill_below(root: int, deadline: float) -> None:
    """SIGKILL to all processes below `root`, an unreaped child of ours, which is only stopped. From
    `deadline` (monotonic) on, kills only the processes found so far."""
    held = [(root, handle)] if (handle := _open(root)) is not None else []
    while held:
        pid, handle = held.pop()
        _send(handle, signal.SIGSTOP)
        if time.monotonic() < deadline:
            held += _hold_children(pid, handle, HANDLES - len(held))
        if pid != root:
            _send(handle, signal.SIGKILL)
        os.close(handle)


def _hold_children(pid: int, handle: int, room: int) -> list[tuple[int, int]]:
    """Open handles of a held process's children. Children beyond `room` are killed at once."""
    held: list[tuple[int, int]] = []
    for child in below(pid):
        opened = _open(child)
        if opened is None:
            continue
        ours = parent(child) == pid and is_there(handle)
        if ours and len(held) < room:
            held.append((child, opened))
            continue
        if ours:
            _send(opened, signal.SIGKILL)
        os.close(opened)
    return held


def _open(pid: int) -> int | None:
    if sys.platform != "linux":
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def is_there(handle: int) -> bool:
    """Whether a process was not reaped yet, so that its pid is still its own."""
    try:
        signal.pidfd_send_signal(handle, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


def _send(handle: int, number: signal.Signals) -> None:
    with suppress(OSError):
        signal.pidfd_send_signal(handle, number)


def kill_child(pid: int) -> None:
    """SIGKILL to a child of ours, which keeps its pid until we reap it."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_children(keeper: int) -> None:
    """Last resort of a failed keeper (this process): SIGKILL to its children, and to those that
    become its children by that, until none is left."""
    deadline = time.monotonic() + LAST_WALKS
    while (left := below(keeper)) and time.monotonic() < deadline:
        for pid in left:
            kill_child(pid)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.001)
