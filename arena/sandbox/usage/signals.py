"""Signals to the processes of a tree, and never to another that has got the number of one."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

from arena.sandbox.keeper import procfs
from arena.sandbox.keeper.kills import is_there


class Signals:
    """Handles of processes below `root`, kept from their first signal on."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._pidfds: dict[int, int] = {}

    def send(self, pid: int, number: signal.Signals) -> None:
        """Signal a process, if it is there and is the root, or the child of one that was signalled
        before: parents come first."""
        pidfd = self._pidfds.get(pid)
        if pidfd is None:
            pidfd = self._open(pid)
        if pidfd is not None:
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(pidfd, number)

    def _open(self, pid: int) -> int | None:
        try:
            pidfd = os.pidfd_open(pid)
        except OSError:
            return None
        # Asked after opening: now it cannot change hands.
        if pid == self._root or self._holds(procfs.parent(pid)):
            self._pidfds[pid] = pidfd
            return pidfd
        os.close(pidfd)
        return None

    def _holds(self, pid: int) -> bool:
        """Whether a process was signalled and its number is still its own."""
        return pid in self._pidfds and is_there(self._pidfds[pid])

    def last_first(self) -> list[int]:
        """The processes that were signalled, the last one first."""
        return list(reversed(self._pidfds))

    def forget(self, pid: int) -> None:
        """Close the handle of a process that is gone."""
        if pid in self._pidfds:
            os.close(self._pidfds.pop(pid))

    def close(self) -> None:
        """Close all handles."""
        for pid in list(self._pidfds):
            self.forget(pid)
