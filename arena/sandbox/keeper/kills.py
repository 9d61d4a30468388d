"""SIGKILL to whole trees of processes: in bounded time, without recursion, never to a stranger.

The number of a process goes to another one once it is reaped. So a process is signalled only by a
handle (pidfd): opened first, and then its parent was asked for, who was held by such a handle too.

Each is stopped before its children are killed: otherwise a shell whose command was just killed goes
on to its next one.

A walk may be cut short, since no memory and no time is spent without bound on what a bot has made.
What it leaves out has lost its parent, becomes a child of the keeper, and is the root of a later
walk.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress

from arena.sandbox.keeper.proc import below, parent

HANDLES = 200
"""Open handles of one walk."""
WALK = 0.05
"""Seconds for one walk: a thousand processes. The keeper has other bots to serve."""
LAST_WALKS = 5.0
"""Seconds in which the children of a keeper that fails are ended."""


def kill_below(root: int, deadline: float) -> None:
    """SIGKILL to all below `root`, which is a child of ours that was not reaped; itself is only
    stopped. Ends at `deadline` (monotonic), and then kills only what it had found."""
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
    """Handles of the children of a process that is held. Those for which there is no room are
    killed at once."""
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
    """Whether a process has not been reaped, so that its number is still its own."""
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
    """SIGKILL to a child of ours, whose number is its own until we reap it."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_children(keeper: int) -> None:
    """The last resort of a keeper (this process) that has failed: SIGKILL to its children, and to
    those that become its children by that, until none is left."""
    deadline = time.monotonic() + LAST_WALKS
    while (left := below(keeper)) and time.monotonic() < deadline:
        for pid in left:
            kill_child(pid)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.001)
