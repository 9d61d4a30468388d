"""The run delay of threads: how long each was ready, and the machine ran something else.

It is the second field of a thread's ``schedstat``, nanoseconds, and tells of a wait when it is
over. The few threads that have run most are *followed*: their delay is read whenever it is asked
for, from descriptors that are kept (2 µs each; by its path it takes 6 to 8). What a thread waited
before it was followed does not count, so that no delay of earlier is told as one of now.

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

from arena.sandbox.keeper import proc

FOLLOWED = 6
"""Threads. A bot that works in more of them at a time is held up for less than it was."""

Thread: TypeAlias = tuple[int, int]
"""The ids of a process and of one of its threads."""


NEVER_SEEN = 1 << 62
"""What a thread may have waited that was not looked at before: nanoseconds."""


class _Followed:
    """What is known of a thread that is followed, in nanoseconds."""

    __slots__ = ("before", "begun_ran", "delay", "file", "ran", "seen", "seen_known", "told")

    def __init__(self, thread: Thread) -> None:
        self.file = _open(thread)
        """Its ``schedstat``; -1 when it is gone."""
        self.ran, self.delay = _schedstat(self.file) or (0, 0)
        self.told = 0
        """What it waited since the request began, as it was told since."""
        self.before = NEVER_SEEN
        """How much of that can be of before."""
        self.begun_ran = self.ran
        self.seen = time.monotonic_ns()
        self.seen_known = self.ran + self.delay

    def read(self) -> int:
        """Read anew how long it has run and waited. Returns how much more it has waited."""
        self.ran, delay = _schedstat(self.file) or (self.ran, self.delay)
        more = max(0, delay - self.delay)
        self.delay += more
        self.told += more
        return more

    def look(self) -> int:
        """For how long it may have been waiting now, if it is ready: since the last look, less what
        is known."""
        passed, known = time.monotonic_ns() - self.seen, self.ran + self.delay
        waited = passed - (known - self.seen_known)
        self.seen, self.seen_known = self.seen + passed, known
        return max(0, waited)

    def begin(self) -> None:
        """A request begins, before which it waited for nothing."""
        self.told = self.before = 0
        self.begun_ran = self.ran

    def own_part(self, cpu: int) -> int:
        """How much of `told` is of before, or can be for other threads: all of the program has run
        for `cpu` since the request began."""
        others = max(0, cpu - (self.ran - self.begun_ran))
        return min(self.told, self.before + others)

    def close(self) -> None:
        """Close the descriptor. May be repeated."""
        if self.file >= 0:
            os.close(self.file)
        self.file = -1


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
        self._nice = os.getpriority(os.PRIO_PROCESS, 0)
        self._follow([(first, first)])

    def visit(self, thread: Thread) -> None:
        """Note how long a thread has run."""
        self._ran[thread] = _has_run(thread)

    def choose(self, living: Iterable[Thread]) -> None:
        """Follow those of the living threads that have run most."""
        self.total()  # the last reading of those that are followed no longer
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
        """Nanoseconds in which followed threads were ready and not run. It never falls."""
        self._sum += sum([one.read() for one in self._followed.values()])
        return self._sum

    def see(self) -> None:
        """Look at what is followed, so that it is known later since when one may wait."""
        self.total()
        for one in self._followed.values():
            one.look()

    def begin(self, *, waits: bool) -> int:
        """A request begins, of a program that may wait for a core already (`waits`). Returns
        `total`."""
        total = self.total()
        self._own_part = 0
        for thread, one in self._followed.items():
            waited = one.look()
            one.begin()
            if waits and waited and self._would_run(_stat(thread)):
                one.before = waited
        return total

    def own_part(self, cpu: int | None, *, at_once: bool) -> int:
        """The part of what was told since the request began that is of before, or that threads of
        the program kept each other waiting for; all of them have run for `cpu` since. (None: there
        is one thread alone.) `at_once`: its threads may have waited at the same time, so no more
        counts than what one of them waited."""
        threads = self._followed.values()
        owns = [one.own_part(cpu or 0) for one in threads]
        if not at_once:
            return self._own_part + sum(owns)
        waits = [one.told - own for one, own in zip(threads, owns, strict=True)]
        return self._own_part + sum(one.told for one in threads) - max(waits, default=0)

    def any_ready(self, pids: Iterable[int]) -> bool:
        """Whether a thread of these processes would run now, or does."""
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
        return self._ordinary(_stat(thread))

    def _ordinary(self, stat: _Stat) -> bool:
        classes = os.SCHED_OTHER, os.SCHED_BATCH, os.SCHED_FIFO, os.SCHED_RR
        return stat.nice <= self._nice and stat.policy in classes

    def close(self) -> None:
        """Close the descriptors. May be repeated."""
        for one in self._followed.values():
            one.close()


def _open(thread: Thread) -> int:
    try:
        return os.open(f"/proc/{thread[0]}/task/{thread[1]}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def _schedstat(file: int) -> tuple[int, int] | None:
    """Nanoseconds that a thread has run (as of the last tick, while it runs), and has been ready
    and not run; None when it is gone."""
    try:
        fields = os.pread(file, 64, 0).split()
    except OSError:
        return None
    return (int(fields[0]), int(fields[1])) if len(fields) > 1 else None


def _has_run(thread: Thread) -> int:
    """The same of a thread that is not followed, without the second; 0 when it is gone."""
    fields = proc.read(f"/proc/{thread[0]}/task/{thread[1]}/schedstat").split()
    return int(fields[0]) if fields else 0


class _Stat(NamedTuple):
    """What the kernel tells of a thread."""

    state: bytes
    nice: int
    policy: int
    threads: int
    """Of its process."""


def _stat(thread: Thread) -> _Stat:
    """As if asleep when it is gone."""
    data = proc.read(f"/proc/{thread[0]}/task/{thread[1]}/stat")
    fields = data.rpartition(b")")[2].split(None, 39)
    if len(fields) <= 38:
        return _Stat(b"S", 0, 0, 1)
    return _Stat(fields[0], int(fields[16]), int(fields[38]), int(fields[17]))
