"""The run delay of threads: how long each was ready, and the machine ran something else.

It is the second field of a thread's ``schedstat``, nanoseconds, and tells of a wait when it is
over. The few threads that have run most are *followed*: their delay is read whenever it is asked
for, that of the first from a descriptor that is kept (1 µs). What a thread waited before it was
followed does not count, so that no delay of earlier is told as one of now.

Two kinds of delay are the program's own part (`RunDelays.own_part`), and not of the request:

* What a thread was waiting for already when the request began. The kernel tells of it when the wait
  is over. Of a thread that is ready then, it is at most the time since the look before in which it
  neither ran, nor was told to have waited.
* What threads of the program kept each other waiting. Eight that wake up together on one core wait
  for a while in all of which one of them runs. A thread can have waited so for no longer than the
  others ran: that much of its delay is not told of.

Only threads of ordinary class count, and those of the batch class, which get as much. One that made
itself `SCHED_IDLE`, or nicer than the arena, waits because it chose to: it would make delay for the
others to hide behind.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from arena.sandbox.keeper import procfs

FOLLOWED = 6
"""Threads. A bot that works in more of them at a time is held up for less than it was."""

Thread: TypeAlias = tuple[int, int]
"""The ids of a process and of one of its threads."""


NEVER_SEEN = 1 << 62
"""What a thread may have waited that was not looked at before: nanoseconds."""


class _Followed:
    """What is known of a thread that is followed, in nanoseconds."""

    __slots__ = ("before", "begun_cpu", "clock", "delay", "seen", "seen_cpu", "seen_delay", "told")

    def __init__(self, thread: Thread, delay: int) -> None:
        self.clock = (~thread[1] << 3) | 6
        """The id of its CPU clock (``CPUCLOCK_SCHED`` of one thread)."""
        self.delay = delay
        self.told = 0
        """What it waited since the request began, as it was told since."""
        self.before = NEVER_SEEN
        """How much of that can be of before."""
        self.begun_cpu = self.seen_cpu = self.cpu() or 0
        self.seen = time.monotonic_ns()
        self.seen_delay = delay

    def cpu(self) -> int | None:
        """How long it has run; None when it is gone."""
        try:
            return time.clock_gettime_ns(self.clock)
        except OSError:
            return None

    def look(self) -> int:
        """For how long it may have been waiting now, if it is ready: since the last look, less what
        is known."""
        now, cpu = time.monotonic_ns(), self.cpu() or self.seen_cpu
        known = cpu - self.seen_cpu + self.delay - self.seen_delay
        passed, self.seen = now - self.seen, now
        self.seen_cpu, self.seen_delay = cpu, self.delay
        return max(0, passed - known)

    def own_part(self, others: int) -> int:
        """How much of `told` is of before, or can be for other threads that ran for so long."""
        return min(self.told, self.before + others)


def delay_is_known() -> bool:
    """Whether this system tells how long a thread was ready and not run."""
    return os.path.exists("/proc/thread-self/schedstat")


class RunDelays:
    """The delays of the threads of one tree, which whoever walks it tells of."""

    def __init__(self, first: int) -> None:
        """`first` is the first process."""
        self._ran: dict[Thread, int] = {}
        """By thread: nanoseconds run, as of the last look."""
        self._followed: dict[Thread, _Followed] = {}
        """Those that are followed, the busiest first."""
        self._sum = 0
        self._own_part = 0
        """That of threads that are not followed any more, of the open request."""
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
            thread: known.pop(thread)
            if thread in known
            else _Followed(thread, _schedstat(thread)[1])
            for thread in threads
        }
        self._own_part += sum(one.told for one in known.values())

    def total(self) -> int:
        """Nanoseconds in which followed threads were ready and not run. It never falls."""
        for thread, one in self._followed.items():
            delay = self._kept() if thread == self._busiest else _schedstat(thread)[1]
            if delay > one.delay:
                self._sum += delay - one.delay
                one.told += delay - one.delay
                one.delay = delay
        return self._sum

    def see(self) -> None:
        """Look at what is followed, so that it is known later since when one may wait."""
        self.total()
        for one in self._followed.values():
            one.look()

    def begin(self, *, rests: bool) -> None:
        """A request begins, of a program that `rests` until then."""
        self.total()
        self._own_part = 0
        for thread, one in self._followed.items():
            waited = one.look()
            one.told, one.begun_cpu = 0, one.seen_cpu
            one.before = 0 if rests or not self._would_run(_stat(thread)) else waited

    def own_part(self, cpu: int | None, *, at_once: bool) -> int:
        """The part of what was told since the request began that is of before, or that threads of
        the program kept each other waiting for; all of them have run for `cpu` since. (None: there
        is one thread alone.) `at_once`: its threads may have waited at the same time, so no more
        counts than what one of them waited."""
        threads = self._followed.values()
        owns = [one.own_part(self._others(one, cpu)) for one in threads]
        if not at_once:
            return self._own_part + sum(owns)
        waits = [one.told - own for one, own in zip(threads, owns, strict=True)]
        return self._own_part + sum(one.told for one in threads) - max(waits, default=0)

    def _others(self, one: _Followed, cpu: int | None) -> int:
        """For how long other threads have run since the request began."""
        return 0 if cpu is None else max(0, cpu - (one.cpu() or one.seen_cpu) + one.begun_cpu)

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
        classes = os.SCHED_OTHER, os.SCHED_BATCH, os.SCHED_FIFO, os.SCHED_RR
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
