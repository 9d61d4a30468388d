"""The run delay of threads: how long each was ready while the machine ran something else.

The delay is the second field of a thread's ``schedstat``, in nanoseconds; the kernel adds a wait
when it is over. The few threads that have run most are *followed*: their delay is read on each
query, from open descriptors (2 µs each; by path it takes 6 to 8). Delay from before a thread was
followed does not count, so that no earlier delay is reported as a current one.

What of it is charged, and why, is told in `arena.players.timing`. Here is how the two parts are
measured that are the program's own (`RunDelays.own_part`):

* A wait that began before the request. The kernel reports it when the wait is over. For a thread
  that is ready when the request begins, it is at most the time since the previous look in which the
  thread neither ran nor was reported as waiting.
* Waits for the program's other threads: no longer than those ran.

A third part is that of threads that were ready when the request began, beside others: they compute
what nobody asked for, and such a thread may wait for its core while the thread that answers sleeps
(a bot with one of them got 1.2 times as much for its time). So their waits are no delay of the
group, and of the threads only the one that ran most counts then.

Only threads of the ordinary class count, and of the batch class, which gets as much. A thread that
made itself `SCHED_IDLE`, or nicer than the arena, waits by its own choice.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from arena.sandbox.keeper import proc

FOLLOWED = 6
"""Number of threads followed. For a bot that uses more at a time, the delay is underestimated."""

Thread: TypeAlias = tuple[int, int]
"""Process id and thread id."""


NEVER_SEEN = 1 << 62
"""Possible wait, in nanoseconds, of a thread without a previous look."""


class _Followed:
    """State of a followed thread, in nanoseconds."""

    __slots__ = (
        *("alive", "before", "begun_ran", "computes", "delay", "file", "ran"),
        *("seen", "seen_known", "told", "waited"),
    )

    def __init__(self, thread: Thread) -> None:
        self.file = _open(thread)
        """Descriptor of the thread's ``schedstat``; -1 when the thread is gone."""
        self.ran, self.delay = _schedstat(self.file) or (0, 0)
        self.alive = True
        self.told = 0
        """Waits reported since the request began."""
        self.before = NEVER_SEEN
        """How much of `told` can date from before the request."""
        self.begun_ran = self.ran
        self.computes = False
        """Whether it was ready when the request began: it computes what was not asked for."""
        self.seen = time.monotonic_ns()
        self.seen_known = self.ran + self.delay
        self.waited = 0
        """How long it may have been waiting at the last look."""

    def read(self) -> int:
        """Update the run time and delay from the kernel. Returns the increase of the delay."""
        figures = _schedstat(self.file)
        self.alive = figures is not None
        self.ran, delay = figures or (self.ran, self.delay)
        more = max(0, delay - self.delay)
        self.delay += more
        self.told += more
        return more

    def look(self) -> int:
        """How long the thread may have been waiting, if it is ready now: the time since the last
        look less its known run time and delay. If it neither ran nor was reported as waiting since,
        the wait may be older than that look."""
        passed, known = time.monotonic_ns() - self.seen, self.ran + self.delay
        if known == self.seen_known:
            self.waited += passed
        else:
            self.waited = max(0, passed - (known - self.seen_known))
        self.seen, self.seen_known = self.seen + passed, known
        return self.waited

    def begin(self) -> None:
        """Mark the start of a request, with no wait from before it."""
        self.told = self.before = 0
        self.begun_ran = self.ran

    def own_part(self, cpu: int) -> int:
        """How much of `told` dates from before the request or can be due to the program's other
        threads; `cpu` is the program's CPU time since the request began."""
        others = max(0, cpu - (self.ran - self.begun_ran))
        return min(self.told, self.before + others)

    def close(self) -> None:
        """Close the descriptor. Idempotent."""
        if self.file >= 0:
            os.close(self.file)
        self.file = -1


def delay_is_known() -> bool:
    """Whether this system reports how long a thread was ready but not running."""
    return os.path.exists("/proc/thread-self/schedstat")


class RunDelays:
    """The run delays of the threads of one process tree; the caller walks the tree."""

    def __init__(self, first: int) -> None:
        """`first` is the root process."""
        self._ran: dict[Thread, int] = {}
        """Nanoseconds run by thread, as of the last look."""
        self._followed: dict[Thread, _Followed] = {}
        """Followed threads, the busiest first."""
        self._sum = 0
        self._are_several = False
        """Whether several followed threads lived when the request began."""
        self._own_part = 0
        """The own part, in the open request, of threads that are no longer followed."""
        self._ordinary_classes = os.SCHED_OTHER, os.SCHED_BATCH, os.SCHED_FIFO, os.SCHED_RR
        self._nice = os.getpriority(os.PRIO_PROCESS, 0)
        self._follow([(first, first)])

    def visit(self, thread: Thread) -> None:
        """Record how long a thread has run. (That of followed threads is known.)"""
        if thread not in self._followed:
            self._ran[thread] = _has_run(thread)

    def choose(self, living: Iterable[Thread]) -> None:
        """Look at the followed threads as `see` does, and follow the living ones that have run
        most."""
        self.see()
        self._ran |= {thread: one.ran for thread, one in self._followed.items()}
        alive = set(living)
        self._ran = {thread: ran for thread, ran in self._ran.items() if thread in alive}
        most = sorted(self._ran, key=self._ran.__getitem__, reverse=True)[:FOLLOWED]
        self._follow([thread for thread in most if self._is_ordinary(thread)])

    def _follow(self, threads: list[Thread]) -> None:
        known = self._followed
        self._followed = {
            thread: known.pop(thread) if thread in known else _Followed(thread)
            for thread in threads
        }
        self._own_part += sum(one.told for one in known.values())
        for one in known.values():
            one.close()

    def total(self) -> int:
        """Nanoseconds in which followed threads were ready but not running. Never decreases."""
        self._sum += sum([one.read() for one in self._followed.values()])
        return self._sum

    def see(self) -> None:
        """Look at the followed threads, which bounds how long each may later have been waiting."""
        self.total()
        for one in self._followed.values():
            one.look()

    def begin(self, *, waits: bool) -> int:
        """Mark the start of a request. `waits`: the program may already be waiting for a core.
        Returns `total`."""
        total = self.total()
        self._own_part = 0
        self._are_several = sum(one.alive for one in self._followed.values()) > 1
        for thread, one in self._followed.items():
            waited = one.look()
            one.begin()
            looks = self._are_several or (waits and waited)
            one.computes = bool(looks and self._would_run(_stat(thread)))
            if waits and one.computes:
                one.before = waited
        return total

    @property
    def unasked(self) -> int:
        """The longest wait, in the request, of a thread that was ready when it began, beside
        others."""
        waits = [one.told for one in self._followed.values() if one.computes]
        return max(waits, default=0) if self._are_several else 0

    def own_part(self, cpu: int | None, *, at_once: bool) -> int:
        """The part of the delay reported since the request began that dates from before it or is
        due to the program's own threads; `cpu` is their total run time since. (None: there is only
        one thread.) `at_once`: threads may have waited at the same time, so that only the longest
        wait of one thread counts as delay: of the one that ran most, if some computed `unasked`."""
        threads = self._followed.values()
        owns = [one.own_part(cpu or 0) for one in threads]
        if not at_once:
            return self._own_part + sum(owns)
        waits = [
            (one.ran - one.begun_ran if self.unasked else 0, one.told - own)
            for one, own in zip(threads, owns, strict=True)
        ]
        return self._own_part + sum(one.told for one in threads) - max(waits, default=(0, 0))[1]

    def any_ready(self, pids: Iterable[int]) -> bool:
        """Whether a thread of these processes is running or ready to run."""
        return any(map(self._is_ready, pids))

    def _is_ready(self, pid: int) -> bool:
        first = _stat((pid, pid))
        if self._would_run(first):
            return True
        if first.threads == 1:
            return False
        others = (_stat((pid, tid)) for tid in proc.threads(pid) if tid != pid)
        return any(map(self._would_run, others))

    def _would_run(self, stat: _Stat) -> bool:
        return stat.state == b"R" and self._ordinary(stat)

    def _is_ordinary(self, thread: Thread) -> bool:
        """Like `_ordinary`, in a tenth of the time that reading a ``stat`` file takes."""
        try:
            policy = os.sched_getscheduler(thread[1]) & ~os.SCHED_RESET_ON_FORK
            nice = os.getpriority(os.PRIO_PROCESS, thread[1])
        except OSError:  # it is gone
            return True
        return nice <= self._nice and policy in self._ordinary_classes

    def _ordinary(self, stat: _Stat) -> bool:
        return stat.nice <= self._nice and stat.policy in self._ordinary_classes

    def close(self) -> None:
        """Close the descriptors. Idempotent."""
        for one in self._followed.values():
            one.close()


def _open(thread: Thread) -> int:
    try:
        return os.open(f"/proc/{thread[0]}/task/{thread[1]}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def _schedstat(file: int) -> tuple[int, int] | None:
    """Nanoseconds that a thread has run (as of the last tick, while it runs) and was ready but not
    running; None when it is gone."""
    try:
        fields = os.pread(file, 64, 0).split()
    except OSError:
        return None
    return (int(fields[0]), int(fields[1])) if len(fields) > 1 else None


def _has_run(thread: Thread) -> int:
    """Nanoseconds that a thread which is not followed has run; 0 when it is gone."""
    fields = proc.read(f"/proc/{thread[0]}/task/{thread[1]}/schedstat").split()
    return int(fields[0]) if fields else 0


class _Stat(NamedTuple):
    """Fields of a thread's ``stat`` file."""

    state: bytes
    nice: int
    policy: int
    threads: int
    """Number of threads of the process."""


def _stat(thread: Thread) -> _Stat:
    """The state of a thread; asleep if it is gone."""
    data = proc.read(f"/proc/{thread[0]}/task/{thread[1]}/stat")
    fields = data.rpartition(b")")[2].split(None, 39)
    if len(fields) <= 38:
        return _Stat(b"S", 0, 0, 1)
    return _Stat(fields[0], int(fields[16]), int(fields[38]), int(fields[17]))
