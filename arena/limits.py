"""What a program's tree of processes uses, measured from outside; and sizes in words."""

from __future__ import annotations

import re
import sys

import psutil

from arena.errors import UsageError
from arena.sandbox.keeper import descendants

MEMORY_TICK = 0.050
"""Seconds between two looks at a program's memory: a program that allocates as fast as it can
gets about 200 MB over its limit before it is ended."""

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


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


def parse_size(text: str) -> int:
    """Bytes from ``512M``, ``1.5GiB`` or ``800 KB`` (all powers of 1024). A unit is needed: nobody
    means 512 bytes. Raises UsageError."""
    match = re.fullmatch(
        r"([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*([KMG])(?:i?B)?", text.strip(), re.IGNORECASE
    )
    size = int(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
    if size < 1 << 20:
        raise UsageError(f"{text!r} is not a size: give at least 1M, with a unit, as in 512M or 2G")
    return size


def size_text(size: int) -> str:
    """Bytes for people: ``512 MiB``."""
    if size >= 1 << 30 and size % (1 << 28) == 0:
        return f"{size / (1 << 30):g} GiB"
    return f"{size / (1 << 20):.0f} MiB"
