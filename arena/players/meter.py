"""What a program's tree of processes uses, measured from outside."""

from __future__ import annotations

import sys

import psutil

from arena.sandbox.procfs import descendants


class MemoryMeter:
    """The resident memory of a process and everything below it, in bytes."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._known: dict[int, psutil.Process] = {}

    def resident(self) -> int:
        """The sum now. What is gone, or ends while we look, counts nothing."""
        return sum(self._resident(pid) for pid in (self._pid, *self._below()))

    def _below(self) -> list[int]:
        if sys.platform == "linux":
            return descendants(self._pid)  # psutil would read every process of the host
        try:
            return [p.pid for p in psutil.Process(self._pid).children(recursive=True)]
        except psutil.Error:
            return []

    def _resident(self, pid: int) -> int:
        try:
            process = self._known.get(pid)
            if process is None:
                process = self._known[pid] = psutil.Process(pid)
            rss: int = process.memory_info().rss
        except psutil.Error:
            self._known.pop(pid, None)
            return 0
        return rss
