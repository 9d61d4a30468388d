"""Processes that are forked ahead of need, each a copy of the keeper that waits for its request.

A preforked process is in a control group of its own already: joining one may take 20 ms, which no
bot should wait for. What it does with its request is told in `spawn`.
"""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from typing import TYPE_CHECKING

from arena.sandbox.keeper.messages import Failed, decode_message
from arena.sandbox.keeper.request import GroupLimits
from arena.sandbox.keeper.spawn import EXECUTES, link_pair, prepare_walls, wait_and_exec

if TYPE_CHECKING:
    from arena.sandbox.keeper.cgroup import Group, Groups

AHEAD = 2
"""Processes that wait at a time: what most matches need."""


class PreforkedProcess:
    """A process that waits to become a bot, seen from the keeper."""

    def __init__(self, group: Group | None = None, *, walls: bool = True) -> None:
        """With `walls` it may put some up. Raises OSError."""
        self.group = group
        if walls:
            prepare_walls()
        self.link, theirs = link_pair()
        keeper = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            wait_and_exec(theirs, keeper)
        theirs.close()
        if group is not None:
            group.join(self.pid)

    def limit(self, limits: GroupLimits) -> None:
        """Set the limits of its control group. Raises OSError unless all are in force."""
        if self.group is None:
            raise OSError("this keeper has no control groups")
        self.group.limit(limits.memory, limits.processes)

    def become(self, request: bytes, descriptors: list[int]) -> Failed | None:
        """Send it on its way with an encoded request. Returns what failed at once; its link tells
        how it went on, and is readable when `outcome` does not wait."""
        try:
            while request:
                sent = socket.send_fds(self.link, [request], descriptors)
                request, descriptors = request[sent:], []
        except OSError as error:
            return Failed(f"the process meant for it is gone ({error})", True)
        return None

    def outcome(self) -> Failed | None:
        """None when the program (or bubblewrap) runs, else what failed; then it has ended, or is
        about to. (It says `EXECUTES` as its last word: what was killed before has said nothing.)"""
        said = b""
        with self.link, suppress(ConnectionError):  # it had not even read its request
            said = b"".join(iter(lambda: self.link.recv(4096), b""))
        if said == EXECUTES:
            return None
        if not said:
            return Failed("the process meant for it was killed", True)
        return _failure(said.removeprefix(EXECUTES))

    def dismiss(self) -> None:
        """It is not needed: the end of its input ends it."""
        self.link.close()


def _failure(said: bytes) -> Failed:
    message = decode_message(said)
    assert isinstance(message, Failed)
    return message


class PreforkedProcesses:
    """Those of one keeper."""

    def __init__(self, groups: Groups | None, *, walls: bool) -> None:
        self._groups = groups
        self._walls = walls
        self._wanted = AHEAD
        self._waiting: list[PreforkedProcess] = []
        self._made = 0

    def complete(self) -> bool:
        """Whether as many wait as are wanted."""
        return len(self._waiting) >= self._wanted

    def add(self) -> None:
        """Make one more. When that fails, no more are wanted: the request that needs one will say
        why there is none."""
        try:
            self._waiting.append(self._make())
        except OSError:
            self._wanted = 0

    def take(self) -> PreforkedProcess:
        """The one that has waited longest, or a new one. Raises OSError."""
        return self._waiting.pop(0) if self._waiting else self._make()

    def _make(self) -> PreforkedProcess:
        if self._groups is None:
            return PreforkedProcess(walls=self._walls)
        self._made += 1
        group = self._groups.make(str(self._made))
        try:
            return PreforkedProcess(group)
        except BaseException:
            group.remove()
            raise

    def pids(self) -> set[int]:
        """Of those that wait."""
        return {process.pid for process in self._waiting}

    def remove(self, pid: int) -> PreforkedProcess | None:
        """One that has ended while it waited; None when it was none of them."""
        for process in self._waiting:
            if process.pid == pid:
                self._waiting.remove(process)
                process.dismiss()
                return process
        return None

    def clear(self) -> list[PreforkedProcess]:
        """All that wait; none is wanted any more."""
        self._wanted, waiting, self._waiting = 0, self._waiting, []
        return waiting
