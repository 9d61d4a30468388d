"""What one seat used and did wrong, added up over a match."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from arena.core.replies import Cost


class Sum(Struct, frozen=True):
    """One figure of a seat over its requests."""

    total: int
    most: int
    """The most of one request."""


NOTHING = Sum(0, 0)


class FaultCount(Struct, frozen=True):
    """How often a seat did one thing wrong, and the first time in words."""

    count: int
    round: int
    request: int
    detail: str


class Tally:
    """The costs and the faults of one seat, so far. Times are in nanoseconds.

    The costs are kept one by one and added up when they are asked for: a match makes thousands of
    them, and asks once.
    """

    __slots__ = ("costs", "counted", "faults", "prompt_cpu")

    def __init__(self, *, counted: bool = False) -> None:
        self.costs: list[Cost] = []
        """Of each reply, in order."""
        self.counted = counted
        """Whether instructions are what counts, not time."""
        self.faults: dict[str, FaultCount] = {}
        self.prompt_cpu = 0
        """CPU time of all those answers that came too soon to have one of their own."""

    @property
    def requests(self) -> int:
        """How many replies there were."""
        return len(self.costs)

    @property
    def charged(self) -> Sum:
        """What the time bank was charged."""
        return _sum(cost.charged for cost in self.costs) or NOTHING

    @property
    def wall(self) -> Sum | None:
        """Real time; None where it was never measured."""
        return _sum(cost.wall for cost in self.costs)

    @property
    def cpu(self) -> Sum | None:
        """CPU time while it was asked; None where it was never measured."""
        known = _sum(cost.cpu for cost in self.costs)
        return known and Sum(known.total + self.prompt_cpu, known.most)

    @property
    def delay(self) -> Sum | None:
        """Time in which it was ready and not run; None where it was never measured."""
        return _sum(cost.delay for cost in self.costs)

    @property
    def held_up(self) -> Sum | None:
        """Time for which answers lay there because the arena was held up; None where none did."""
        return _sum(cost.held_up for cost in self.costs)

    @property
    def instructions(self) -> Sum | None:
        """Instructions; None where time is what counts."""
        found = _sum(cost.instructions for cost in self.costs)
        return found or NOTHING if self.counted else None

    def count_fault(self, code: str, detail: str, round_number: int, count: int = 1) -> None:
        """Count a fault, and keep the first of its kind as the example."""
        first = FaultCount(0, round_number, len(self.costs), detail)
        known = self.faults.get(code, first)
        self.faults[code] = replace(known, count=known.count + count)


def _sum(amounts: Iterable[int | None]) -> Sum | None:
    known = [amount for amount in amounts if amount is not None]
    return Sum(sum(known), max(known)) if known else None


class Drawing(Struct, frozen=True):
    """What a program drew into its replay in one request."""

    request: int
    """Its number; 0: before the first."""
    text: str
    """Its lines, without the sign at their beginning."""
    left_out: int = 0
    """Lines that were over the budget."""


class SeatTotals(Struct, frozen=True):
    """A seat at the end of its match."""

    seat: int
    stopped: str | None
    """Why its program ended before the match did."""
    tally: Tally
    cpu_ms: float | None
    """CPU time of its program in all."""
    peak_memory: int | None
    """Bytes."""
    pondered_ms: float | None
    """CPU time while it was not asked, from its first request to its last."""
    start_up_ms: float | None = None
    """What its program took of the time for its start; None where it had none."""
    stderr: tuple[tuple[int, str], ...] = ()
    """The last of what it wrote to stderr, with the number of the request (0: before the first)."""
    drawn: tuple[Drawing, ...] = ()
    """What it drew into the replay."""
