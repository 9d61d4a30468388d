"""Looking at every process of a tree, through /proc of Linux.

A *look* walks down from the first process and takes each one's resident memory, threads and
children: 15 µs for one process. A process with many threads gets `SHARE` of them looked at each
time, in turn, so that a Java program costs no more than ten small processes.

*CPU* is the sum of the process CPU clocks (half a microsecond each; they cover threads, also those
that ended, but no children). A process that is gone counts with its last reading.

*Delay* is the second field of a thread's ``schedstat``: nanoseconds in which it was ready and not
run. That of the thread that has run most is read whenever it is asked for, from a descriptor that
is kept (1 µs); the others go by the last look.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TypeAlias

from arena.sandbox import procfs

MOST = 2000
"""Processes of one tree that a look goes through: whoever has more is over every limit anyway."""
FREEZE_ROUNDS = 8
"""Looks in which a tree is stopped. Only a program that starts processes all the time needs more
than two, and may get away (a control group would hold it)."""
SHARE = 5
"""Threads of one process, besides its first, that one look visits."""


Thread: TypeAlias = tuple[int, int]
"""The ids of a process and of one of its threads."""


class _Process:
    """What is known of one process of the tree."""

    __slots__ = ("children", "clock", "cpu", "cpu_seen", "pid", "threads", "turn")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.clock = (~pid << 3) | 2
        """The id of its CPU clock (``CPUCLOCK_SCHED`` of all its threads)."""
        self.cpu = 0
        self.cpu_seen = -1
        self.threads = 1
        self.turn = 0
        self.children: dict[int, list[int]] = {}
        """By the thread that started them."""

    def look(self) -> list[int]:
        """Count its threads, and visit them or a share of them. Returns whom it visited."""
        self.threads = procfs.thread_count(self.pid)
        if self.threads == 1:
            visited = everyone = [self.pid]
        else:
            everyone = procfs.threads(self.pid)
            visited = everyone[:1] + self._share(everyone[1:])
        known = self.children
        self.children = {tid: known[tid] for tid in everyone if tid in known}
        for tid in visited:
            self.children[tid] = procfs.children(self.pid, tid)
        return visited

    def has_run(self) -> bool:
        """Whether its CPU clock has moved since the last call."""
        seen, self.cpu_seen = self.cpu_seen, self.cpu
        return self.cpu != seen

    def _share(self, others: list[int]) -> list[int]:
        start = self.turn if self.turn < len(others) else 0
        self.turn = start + SHARE
        return others[start : self.turn]


class TreeMeter:
    """A `Meter` of the process `pid` and everything below it."""

    def __init__(
        self, pid: int, *, rooms: Mapping[str, int] = {}, limit: int | None = None
    ) -> None:
        """See `arena.players.meter.tree_meter`."""
        self._root = pid
        self._rooms = rooms
        self._limit = limit
        self._processes = {pid: _Process(pid)}
        self._ended_cpu = 0
        self._peak = 0
        self._ran: dict[Thread, tuple[int, int]] = {}
        """By thread: nanoseconds run, nanoseconds ready and not run, as of the last look."""
        self._ended_delay = 0
        self._busiest = (pid, pid)
        self._schedstat = _open_schedstat((pid, pid))
        self._live_delay = 0
        self._other_delay = 0
        self._pidfds: dict[int, int] = {}

    # -- looking ---------------------------------------------------------------------------

    def memory(self) -> int:
        """Walk the tree. See `Meter`."""
        used = self._look()
        if self._limit is not None and used > self._limit and len(self._processes) > 1:
            used = sum(procfs.proportional(pid) or 0 for pid in self._processes)
        used += self._rooms_used()
        self._peak = max(self._peak, used)
        return used

    def _rooms_used(self) -> int:
        """What lies in the sandbox's memory file systems, as its first process sees them."""
        if not self._rooms:
            return 0
        first = next(iter(self._processes.keys() - {self._root}), self._root)
        return sum(procfs.room_used(first, room, size) for room, size in self._rooms.items())

    def _look(self) -> int:
        """Find everybody, and return the sum of their resident memory."""
        self.cpu_ns()  # the last reading of those who are gone
        found: dict[int, _Process] = {}
        used, ahead = 0, [self._root]
        while ahead and len(found) < MOST:
            pid = ahead.pop()
            resident = procfs.resident(pid)
            if resident is None or pid in found:
                continue
            used += resident
            process = found[pid] = self._processes.get(pid) or _Process(pid)
            visited = process.look()
            if process.has_run():
                for tid in visited:
                    self._read_schedstat((pid, tid))
            ahead += [child for below in process.children.values() for child in below]
        for pid in self._processes.keys() - found:
            self._ended_cpu += self._processes[pid].cpu
            self._close_pidfd(pid)
        self._processes = found
        self._sum_delays()
        return used

    def _read_schedstat(self, thread: Thread) -> None:
        fields = procfs.read(f"/proc/{thread[0]}/task/{thread[1]}/schedstat").split()
        if len(fields) > 1:
            self._ran[thread] = int(fields[0]), int(fields[1])

    def _sum_delays(self) -> None:
        """Let ended threads leave their delay behind, and keep the busiest one's at hand."""
        if self._busiest in self._ran:
            ran, delay = self._ran[self._busiest]
            self._ran[self._busiest] = ran, max(delay, self._live_delay)
        for thread in [thread for thread in self._ran if not self._lives(thread)]:
            self._ended_delay += self._ran.pop(thread)[1]
        busiest = max(self._ran, key=lambda thread: self._ran[thread][0], default=self._busiest)
        if busiest != self._busiest:
            _close(self._schedstat)
            self._busiest, self._schedstat = busiest, _open_schedstat(busiest)
        self._live_delay = self._ran.get(busiest, (0, 0))[1]
        self._other_delay = sum(delay for _, delay in self._ran.values()) - self._live_delay

    def _lives(self, thread: Thread) -> bool:
        process = self._processes.get(thread[0])
        return process is not None and thread[1] in process.children

    def peak_memory(self) -> int:
        """See `Meter`."""
        return self._peak

    def tasks(self) -> int:
        """See `Meter`."""
        return sum(process.threads for process in self._processes.values())

    def oom_kills(self) -> int:
        """Nobody tells."""
        return 0

    def refused_forks(self) -> int:
        """Nobody tells."""
        return 0

    # -- time ------------------------------------------------------------------------------

    def cpu_ns(self) -> int:
        """See `Meter`. Half a microsecond for each process."""
        total = self._ended_cpu
        for process in self._processes.values():
            try:
                cpu = process.cpu = time.clock_gettime_ns(process.clock)
            except OSError:  # it is gone
                cpu = process.cpu
            total += cpu
        return total

    def delay_ns(self) -> int:
        """See `Meter`."""
        try:
            delay = self._live_delay = int(os.pread(self._schedstat, 64, 0).split()[1])
        except (OSError, IndexError):  # it is gone
            delay = self._live_delay
        return self._ended_delay + self._other_delay + delay

    # -- freezing --------------------------------------------------------------------------

    def intact(self) -> bool:
        """The kernel keeps no limit here."""
        return True

    def freeze(self) -> None:
        """Stop everybody with SIGSTOP, parents before children: who is stopped starts nobody."""
        stopped: set[int] = set()
        for _ in range(FREEZE_ROUNDS):
            self._look()
            fresh = self._processes.keys() - stopped
            if not fresh:
                return
            for pid in fresh:
                self._signal(pid, signal.SIGSTOP)
            stopped |= fresh

    def thaw(self) -> None:
        """Let all continue who were stopped, children first."""
        for pid in reversed(self._pidfds):
            self._signal(pid, signal.SIGCONT)

    def _signal(self, pid: int, number: signal.Signals) -> None:
        """Signal a process of the tree, and never another that has got its number since."""
        pidfd = self._pidfds.get(pid)
        if pidfd is None:
            pidfd = self._open_pidfd(pid)
        if pidfd is not None:
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(pidfd, number)

    def _open_pidfd(self, pid: int) -> int | None:
        try:
            pidfd = os.pidfd_open(pid)
        except OSError:
            return None
        if not procfs.is_below(pid, self._root):  # asked after opening: now it cannot change hands
            os.close(pidfd)
            return None
        self._pidfds[pid] = pidfd
        return pidfd

    def _close_pidfd(self, pid: int) -> None:
        if pid in self._pidfds:
            os.close(self._pidfds.pop(pid))

    def close(self) -> None:
        """See `Meter`."""
        for pid in list(self._pidfds):
            self._close_pidfd(pid)
        _close(self._schedstat)
        self._schedstat = -1


def _open_schedstat(thread: Thread) -> int:
    try:
        return os.open(f"/proc/{thread[0]}/task/{thread[1]}/schedstat", os.O_RDONLY)
    except OSError:
        return -1


def _close(descriptor: int) -> None:
    if descriptor >= 0:
        os.close(descriptor)
