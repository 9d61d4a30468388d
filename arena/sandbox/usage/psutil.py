"""Measure a process tree through psutil, where there is no /proc (macOS)."""

from __future__ import annotations

import os
import signal
from contextlib import suppress

import psutil


class PsutilMeter:
    """A `Meter` of the process `pid` and everything below it, without delays."""

    def __init__(self, pid: int) -> None:
        self._root = pid
        self._known: dict[int, psutil.Process] = {}
        self._cpu: dict[int, int] = {}
        self._tasks = 1
        self._peak = 0
        self._frozen: list[psutil.Process] = []

    def memory(self) -> int:
        """See `Meter`. Processes that are gone, or end during the look, do not count."""
        used = self._tasks = 0
        for process in self._look():
            with suppress(psutil.Error):
                used += process.memory_info().rss
                self._tasks += process.num_threads()
        self._peak = max(self._peak, used)
        return used

    def _look(self) -> list[psutil.Process]:
        try:
            root = psutil.Process(self._root)
            found = [root, *root.children(recursive=True)]
        except psutil.Error:
            found = []
        self._known = {process.pid: process for process in found}
        return found

    async def shared_once(self) -> None:
        """See `Meter`. Unknown here."""

    def peak_memory(self) -> int:
        """See `Meter`."""
        return self._peak

    def cpu_ns(self) -> int:
        """See `Meter`. A process that is gone counts with its last reading."""
        for pid, process in self._known.items():
            with suppress(psutil.Error):
                times = process.cpu_times()
                self._cpu[pid] = int((times.user + times.system) * 1e9)
        return sum(self._cpu.values())

    @property
    def counts_all(self) -> bool:
        """See `Meter`."""
        return False

    def delay_ns(self) -> None:
        """See `Meter`. Unknown here."""

    def begin(self, *, waits: bool) -> None:
        """See `Meter`."""

    def own_part(self, cpu: int) -> int:
        """See `Meter`. Unknown here."""
        return 0

    @property
    def unasked(self) -> int:
        """See `Meter`."""
        return 0

    def pressure(self) -> None:
        """See `Meter`. Unknown here."""

    def stalled_ns(self) -> None:
        """See `Meter`. Unknown here."""

    @property
    def stalled_before(self) -> int:
        """See `Meter`. Unknown here."""
        return 0

    def ready(self) -> bool:
        """See `Meter`. Unknown here."""
        return False

    def tasks(self) -> int:
        """See `Meter`."""
        return self._tasks

    def oom_kills(self) -> int:
        """See `Meter`. Unknown here."""
        return 0

    def refused_forks(self) -> int:
        """See `Meter`. Unknown here."""
        return 0

    def intact(self) -> bool:
        """See `Meter`. The kernel enforces no limits here."""
        return True

    def freeze(self) -> bool:
        """See `Meter`."""
        self._frozen = self._look()
        self._signal(signal.SIGSTOP)
        return True

    def thaw(self) -> None:
        """See `Meter`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for process in self._frozen:
            with suppress(psutil.Error, OSError):
                if process.is_running():  # compares start times, as pids are reused
                    os.kill(process.pid, number)

    def give_way(self, low: bool) -> None:
        """See `Meter`. Not possible here."""

    def close(self) -> None:
        """See `Meter`."""
