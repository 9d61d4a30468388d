"""The interface of all meters, which measure a program's process tree from outside."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from arena.errors import MachineError
from arena.text import size_text, used_text


def out_of_memory(used: int, limit: int | None) -> MachineError:
    """The error when the kernel ended a process that was within the limit of its program."""
    share = f"{size_text(used)}, without a limit" if limit is None else used_text(used, limit)
    return MachineError(
        f"this machine ran out of memory, and the kernel ended a bot that used {share}: "
        "the match is void; play fewer matches at a time, or lower --memory"
    )


class Pressure(NamedTuple):
    """Nanoseconds that tasks have waited, including short-lived and still waiting ones. A wait on
    one core counts less while other tasks of the group run on another."""

    some: int
    """Time in which at least one task waited."""
    full: int
    """The part of it in which no task ran; 0 where the kernel does not report it."""


class Meter(Protocol):
    """Resource use of one process tree. Every method may be called at any time, even when the whole
    tree is gone."""

    def memory(self) -> int:
        """Bytes now. Each call looks for the current processes, on which the other figures are
        based. Memory that processes share may count once for each."""

    async def shared_once(self) -> int | None:
        """The bytes of the last look with shared memory counted once; None where that makes no
        difference. Takes a second at most."""

    def peak_memory(self) -> int:
        """The most bytes so far (of all looks, where the kernel keeps no peak). A look whose bytes
        are in doubt counts with the result of `shared_once`."""

    def cpu_ns(self) -> int:
        """CPU time of all processes ever seen, in nanoseconds. Never decreases."""

    @property
    def counts_all(self) -> bool:
        """Whether `cpu_ns` includes every process, however short-lived."""

    def delay_ns(self) -> int | None:
        """Time in which threads were ready but not running, summed over the busiest threads, in
        nanoseconds; None where the system does not report it. Never decreases."""

    def begin(self, *, waits: bool) -> int | None:
        """Mark the start of a request. `waits`: threads of the program may already be waiting for
        a core. Returns `delay_ns`."""

    def own_part(self, cpu: int) -> int:
        """The part of the growth of `delay_ns` since `begin` that the program caused itself or that
        dates from before the request; `cpu` is the program's CPU time since then."""

    @property
    def unasked(self) -> int:
        """How long, in nanoseconds, threads waited in the request that were ready when it began,
        beside others: `pressure` counts these waits, too."""

    def pressure(self) -> Pressure | None:
        """How long tasks have waited for a core so far, as the kernel counts it for the whole
        program; None where it does not."""

    def stalled_ns(self) -> int | None:
        """Time so far in which all runnable work of the program waited for a disk or for memory, in
        nanoseconds; None where the kernel does not count it."""

    @property
    def stalled_before(self) -> int:
        """`stalled_ns` as of the last look (`memory`)."""

    def ready(self) -> bool:
        """Whether a thread of the program is running or ready to run. False where the system does
        not report it."""

    def tasks(self) -> int:
        """Threads of all processes now, as of the last look."""

    def oom_kills(self) -> int:
        """Number of the program's processes that the kernel killed at the memory limit. Raises
        MachineError when it killed some although the program was within its limit."""

    def refused_forks(self) -> int:
        """Number of new processes and threads that the kernel refused at the limit."""

    def intact(self) -> bool:
        """Whether the limits in the kernel are still those that were set. (True where the kernel
        enforces none.)"""

    def freeze(self) -> bool:
        """Ask the whole tree to stop until `thaw`, without waiting. Returns whether all of it has
        stopped; otherwise, call again."""

    def thaw(self) -> None:
        """Let the tree run again. Idempotent."""

    def give_way(self, low: bool) -> None:
        """Let all other programs have the cores first, or compete with them as before. (Does
        nothing where the system cannot tell programs apart.)"""

    def close(self) -> None:
        """Release the meter's own resources. The tree keeps running."""
