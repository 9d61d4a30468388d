"""The run delay of threads: how long each was ready, and the machine ran something else.

It is the second field of a thread's ``schedstat``, nanoseconds, and tells of a wait when it is
over. The few threads that have run most are *followed*: their delay is read whenever it is asked
for, that of the first from a descriptor that is kept (1 µs). What a thread waited before it was
followed does not count, so that no delay of earlier is told as one of now.

Only threads of ordinary class count. One that made itself `SCHED_IDLE`, or nicer than the arena,
waits because it chose to: it would make delay for the others to hide behind.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from arena.sandbox.keeper import procfs

FOLLOWED = 6
"""Threads. A bot that works in more of them at a time is held up for less than it was."""

Thread: TypeAlias = tuple[int, int]
"""The ids of a process and of one of its threads."""


def delay_is_known() -> bool:
    """Whether this system tells how long a thread was ready and not run."""
    return os.path.exists("/proc/thread-self/schedstat")


class RunDelays:
    """The delays of the threads of one tree, which whoever walks it tells of."""

    def __init__(self, first: int) -> None:
        """`first` is the first process."""
        self._ran: dict[Thread, int] = {}
        """By thread: nanoseconds run, as of the last look."""
        self._followed: dict[Thread, int] = {}
        """Those that are followed, the busiest first, with their delay as of the last reading."""
        self._sum = 0
        self._busiest = (first, first)
        self._file = _open(self._busiest)
        self._nice = os.getpriority(os.PRIO_PROCESS, 0)
        self._follow([self._busiest])

    def visit(self, thread: Thread) -> None:
        """Note how long a thread has run."""
        ran, _ = _schedstat(thread)
        self._ran[thread] = ran

    def choose(self, living: Iterable[Thread]) -> None:
        """Follow those of the living threads that have run most."""
        self.total()  # the last reading of those that are followed no longer
        alive = set(living)
        self._ran = {thread: ran for thread, ran in self._ran.items() if thread in alive}
        most = sorted(self._ran, key=self._ran.__getitem__, reverse=True)[:FOLLOWED]
        self._follow([thread for thread in most if self._is_ordinary(thread)])

    def _follow(self, threads: list[Thread]) -> None:
        if threads and threads[0] != self._busiest:
            self.close()
            self._busiest = threads[0]
            self._file = _open(self._busiest)
        known = self._followed
        self._followed = {
            thread: known[thread] if thread in known else _schedstat(thread)[1]
            for thread in threads
        }

    def total(self) -> int:
        """Nanoseconds in which followed threads were ready and not run. It never falls."""
        for thread, before in self._followed.items():
            delay = self._kept() if thread == self._busiest else _schedstat(thread)[1]
            if delay > before:
                self._followed[thread] = delay
                self._sum += delay - before
        return self._sum

    def _kept(self) -> int:
        try:
            return int(os.pread(self._file, 64, 0).split()[1])
        except (OSError, IndexError):  # it is gone
            return 0

    def any_ready(self, pids: Iterable[int]) -> bool:
        """Whether a thread of these processes would run now, or does."""
        return any(map(self._is_ready, pids))

    def _is_ready(self, pid: int) -> bool:
        first = _stat((pid, pid))
        if self._would_run(first):
            return True
        if first.threads == 1:
            return False
        others = (_stat((pid, tid)) for tid in procfs.threads(pid) if tid != pid)
        return any(map(self._would_run, others))

    def _would_run(self, stat: _Stat) -> bool:
        return stat.state == b"R" and self._ordinary(stat)

    def _is_ordinary(self, thread: Thread) -> bool:
        return self._ordinary(_stat(thread))

    def _ordinary(self, stat: _Stat) -> bool:
        classes = os.SCHED_OTHER, os.SCHED_FIFO, os.SCHED_RR
        return stat.nice <= self._nice and stat.policy in classes

    def close(self) -> None:
        """Close the descriptor. May be repeated."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def _open(thread: Thread) -> int:
    try:
        return os.open(f"/proc/{thread[0]}/task/{thread[1]}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def _schedstat(thread: Thread) -> tuple[int, int]:
    """Nanoseconds that a thread has run, and has been ready and not run; 0 when it is gone."""
    fields = procfs.read(f"/proc/{thread[0]}/task/{thread[1]}/schedstat").split()
    return (int(fields[0]), int(fields[1])) if len(fields) > 1 else (0, 0)


class _Stat(NamedTuple):
    """What the kernel tells of a thread."""

    state: bytes
    nice: int
    policy: int
    threads: int
    """Of its process."""


def _stat(thread: Thread) -> _Stat:
    """As if asleep when it is gone."""
    data = procfs.read(f"/proc/{thread[0]}/task/{thread[1]}/stat")
    fields = data.rpartition(b")")[2].split(None, 39)
    if len(fields) <= 38:
        return _Stat(b"S", 0, 0, 1)
    return _Stat(fields[0], int(fields[16]), int(fields[38]), int(fields[17]))
