"""Measurement of kernel memory, and of its growth.

A match leaves things in the kernel that belong to no process: slab objects, page tables, and the
control groups of bots, which stay as long as something is charged to them. Most of it is file
cache, which can be dropped; what remains and grows with the matches is a leak.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

MIB = 1 << 20
KINDS = ("SUnreclaim", "PageTables", "KernelStack", "Percpu", "VmallocUsed")
"""Fields of ``/proc/meminfo`` that are not cache."""
GROWTH = 1.05
"""Allowed ratio of the last quarter to the second."""
SLACK = 2 * MIB
FEW = 8
"""Growth in bytes and in control groups that proves nothing: the machine has other work too."""


class Sample(Struct, frozen=True):
    """One measurement."""

    kinds: dict[str, int]
    """Bytes by kind."""
    own: int
    """Kernel bytes charged to our own control group and those in it."""
    groups: int
    """Memory control groups, including those that are removed but not yet freed."""

    @property
    def kernel(self) -> int:
        """The sum of all kinds, in bytes."""
        return sum(self.kinds.values())

    def text(self) -> str:
        """The measurement as text for people."""
        kinds = ", ".join(f"{name} {size / MIB:.1f}" for name, size in self.kinds.items())
        own = f"own group {self.own / MIB:.1f} MiB, {self.groups} memory groups"
        return f"kernel {self.kernel / MIB:.1f} MiB ({kinds}), {own}"


class KernelMemory:
    """The measurements of a soak."""

    def __init__(self, *, every: int, drop_caches: bool) -> None:
        """Measure after every `every` matches. With `drop_caches`, which needs root, caches are
        dropped first."""
        self._every, self._drop = every, drop_caches
        self.samples: list[Sample] = []

    def after(self, match: int, tell: Callable[[str], None] = print) -> None:
        """Measure, if it is time to."""
        if match % self._every:
            return
        if self._drop:
            drop_caches()
        self.samples.append(sample())
        tell(f"after {match} matches: {self.samples[-1].text()}")

    def broken(self) -> list[str]:
        """Texts that say what grew. (Unknown if caches are included.)"""
        return grown(self.samples) if self._drop else []


def grown(samples: Sequence[Sample]) -> list[str]:
    """Texts that say what is larger in the last quarter than in the second."""
    found = []
    for what, sizes in (
        ("kernel", [one.kernel for one in samples]),
        ("kernel's part of the own group", [one.own for one in samples]),
    ):
        second, last = _quarters(sizes)
        if last > second * GROWTH + SLACK:
            found.append(f"the {what} grew from {second / MIB:.1f} to {last / MIB:.1f} MiB")
    second, last = _quarters([one.groups for one in samples])
    if last > second + FEW:
        found.append(f"the control groups grew from {second:.0f} to {last:.0f}")
    return found


def _quarters(values: Sequence[int]) -> tuple[float, float]:
    """The medians of the second and of the last quarter."""
    size = max(1, len(values) // 4)
    return statistics.median(values[size : 2 * size] or values), statistics.median(values[-size:])


def drop_caches() -> None:
    """Make the kernel drop its file caches. Raises OSError without root."""
    os.sync()
    Path("/proc/sys/vm/drop_caches").write_text("3\n")


def sample() -> Sample:
    """Measure now."""
    lines = Path("/proc/meminfo").read_text().splitlines()
    sizes = {
        name: int(rest.split()[0]) << 10 for name, _, rest in (one.partition(":") for one in lines)
    }
    return Sample({name: sizes.get(name, 0) for name in KINDS}, _own_group(), _groups())


def _own_group() -> int:
    """Kernel bytes of our own group, by control groups v2 or v1; 0 if neither reports it."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        with suppress(OSError, StopIteration, ValueError):
            if controllers == "memory":
                folder = Path(f"/sys/fs/cgroup/memory{path}")
                return int((folder / "memory.kmem.usage_in_bytes").read_text())
            if not controllers:
                stat = Path(f"/sys/fs/cgroup{path}/memory.stat").read_text().splitlines()
                return next(int(one.split()[1]) for one in stat if one.startswith("kernel "))
    return 0


def _groups() -> int:
    """The number of memory control groups, from ``/proc/cgroups``."""
    lines = Path("/proc/cgroups").read_text().splitlines()
    return next((int(one.split()[2]) for one in lines if one.startswith("memory\t")), 0)
