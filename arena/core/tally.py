"""The tally of one seat: its costs and faults, added up over a match."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from arena.core.replies import Cost


class Sum(Struct, frozen=True):
    """The total of one figure over a seat's requests, and its maximum."""

    total: int
    most: int
    """The largest figure of one request."""


NOTHING = Sum(0, 0)


class FaultCount(Struct, frozen=True):
    """How often a seat committed one kind of fault, with the first example in words."""

    count: int
    round: int
    request: int
    detail: str


class Tally:
    """The costs and faults of one seat so far. Times are in nanoseconds.

    Costs are kept one by one and added up on demand: a match makes thousands of them, and needs the
    sums once.
    """

    __slots__ = ("costs", "counted", "faults", "past", "prompt_cpu")

    def __init__(self, *, counted: bool = False) -> None:
        self.costs: list[Cost] = []
        """The cost of each reply, in order."""
        self.counted = counted
        """Whether instructions count instead of time."""
        self.faults: dict[str, FaultCount] = {}
        self.past = 0
        """Requests before the position from which the match is played; they have no cost."""
        self.prompt_cpu = 0
        """CPU time of all answers that came too quickly to be measured one by one."""

    @property
    def requests(self) -> int:
        """The number of replies."""
        return len(self.costs)

    @property
    def charged(self) -> Sum:
        """The charges to the time bank."""
        return _sum(cost.charged for cost in self.costs) or NOTHING

    @property
    def wall(self) -> Sum | None:
        """Real time; None where it was never measured."""
        return _sum(cost.wall for cost in self.costs)

    @property
    def cpu(self) -> Sum | None:
        """CPU time during requests; None where it was never measured."""
        known = _sum(cost.cpu for cost in self.costs)
        return known and Sum(known.total + self.prompt_cpu, known.most)

    @property
    def delay(self) -> Sum | None:
        """Time in which the program was ready but not running; None if never measured."""
        return _sum(cost.delay for cost in self.costs)

    @property
    def held_up(self) -> Sum | None:
        """Time that answers waited unread because the arena was held up; None if none did."""
        return _sum(cost.held_up for cost in self.costs)

    @property
    def instructions(self) -> Sum | None:
        """Counted instructions; None if time is what counts."""
        found = _sum(cost.instructions for cost in self.costs)
        return found or NOTHING if self.counted else None

    def count_fault(self, code: str, detail: str, round_number: int, count: int = 1) -> None:
        """Count a fault, and keep the first of its kind as the example."""
        first = FaultCount(0, round_number, self.past + len(self.costs), detail)
        known = self.faults.get(code, first)
        self.faults[code] = replace(known, count=known.count + count)


def _sum(amounts: Iterable[int | None]) -> Sum | None:
    known = [amount for amount in amounts if amount is not None]
    return Sum(sum(known), max(known)) if known else None


class Drawing(Struct, frozen=True):
    """The drawings of a program in its replay, from one request."""

    request: int
    """The number of the request; 0: before the first."""
    text: str
    """The drawing lines, without their prefix."""
    left_out: int = 0
    """Number of lines over the budget."""


class SeatTotals(Struct, frozen=True):
    """The totals of a seat at the end of its match."""

    seat: int
    stopped: str | None
    """Why its program ended before the match did; None if it did not."""
    tally: Tally
    cpu_ms: float | None
    """Total CPU time of its program."""
    peak_memory: int | None
    """Peak memory in bytes."""
    pondered_ms: float | None
    """CPU time between requests, from the first request to the last."""
    start_up_ms: float | None = None
    """Start-up time that its program used; None if it had none."""
    stderr: tuple[tuple[int, str], ...] = ()
    """The end of its stderr, with the number of the request (0: before the first)."""
    drawn: tuple[Drawing, ...] = ()
    """Its drawings in the replay."""
