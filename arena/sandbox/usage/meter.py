"""What a program's tree of processes uses, measured from outside: the interface of all meters."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class Pressure(NamedTuple):
    """How long tasks have waited, in nanoseconds: also those that live for a moment, and those that
    still wait. A wait on one core counts less while others of them run on another."""

    some: int
    """Time in which at least one of them waited."""
    full: int
    """The part in which none of them ran; 0 where the kernel does not tell it apart."""


class Meter(Protocol):
    """The figures of one tree. Each method may be called at any time, also when all of it is
    gone."""

    def memory(self) -> int:
        """Bytes now. This looks anew at which processes there are; the other figures go by that.
        What processes share may count for each of them."""

    async def shared_once(self) -> int | None:
        """The bytes of the last look, where what processes share counts once; None where that is
        no other number. Takes a second at most."""

    def peak_memory(self) -> int:
        """The most bytes so far (of all looks, where there is nothing better). A look whose bytes
        are in doubt counts with what `shared_once` says."""

    def cpu_ns(self) -> int:
        """CPU time of all processes that were ever seen, in nanoseconds. It never falls."""

    @property
    def counts_all(self) -> bool:
        """Whether `cpu_ns` has every process, however short its life."""

    def delay_ns(self) -> int | None:
        """Time in which a thread was ready to run and the machine did not run it, summed over the
        threads that run most, in nanoseconds; None where the system does not say. It never
        falls."""

    def begin(self, *, waits: bool) -> int | None:
        """A request begins. `waits`: some of the program may be waiting for a core already. Returns
        `delay_ns`."""

    def own_part(self, cpu: int) -> int:
        """The part of what `delay_ns` grew by since `begin` that is the program's own doing, or of
        before the request; all of the program has used so much CPU time since then."""

    def pressure(self) -> Pressure | None:
        """How long its tasks have waited for a core so far, as the kernel counts it for all of them
        together. None where it does not."""

    def stalled_ns(self) -> int | None:
        """Time so far in which all that the program had to do waited for a disk or for memory, in
        nanoseconds. None where the kernel does not count it."""

    @property
    def stalled_before(self) -> int:
        """The same as of the last look (`memory`)."""

    def ready(self) -> bool:
        """Whether one of its threads is ready to run now, or runs. False where the system does not
        say."""

    def tasks(self) -> int:
        """Threads of all processes now, as of the last look."""

    def oom_kills(self) -> int:
        """How many of its processes the kernel has ended because it was at its memory limit."""

    def refused_forks(self) -> int:
        """How many new processes and threads the kernel has refused it, at its limit."""

    def intact(self) -> bool:
        """Whether the limits that the kernel keeps are still those that were set. (True where it
        keeps none.)"""

    def freeze(self) -> bool:
        """Tell all of it to stand still until `thaw`, and do not wait: true when all stands still.
        Else it is to be repeated."""

    def thaw(self) -> None:
        """Let it run again. May be repeated."""

    def give_way(self, low: bool) -> None:
        """Let all others have the cores first, or compete with them as before. (Nothing happens
        where the system cannot tell programs apart.)"""

    def close(self) -> None:
        """Let go of what the measuring holds. The tree is left running."""
