"""The books of a running match: what each seat used, and what it did wrong."""

from __future__ import annotations

from msgspec import Struct

from arena.clock import NS_PER_MS, Clock, TimeBank
from arena.players import Heard, Player
from arena.replay import PlayerTotals
from arena.steps import Ask


class FaultCount(Struct):
    """How often a seat did one thing wrong, and the first time in words."""

    count: int
    round: int
    request: int
    detail: str


class Times:
    """Nanoseconds of one kind, summed over the requests of a seat; and the most of one."""

    __slots__ = ("known", "most", "total")

    def __init__(self) -> None:
        self.total = 0
        self.most = 0
        self.known = False
        """Whether anybody measured them."""

    def add(self, ns: int | None) -> None:
        """One more request."""
        if ns is not None:
            self.known = True
            self.total += ns
            if ns > self.most:
                self.most = ns


class Seat:
    """One player's place in a running match: its clock, its mail, its books."""

    def __init__(
        self, index: int, player: Player, bank: TimeBank, *, counted: bool = False
    ) -> None:
        """`counted`: it is instructions that are counted, not time."""
        self.index = index
        self.player = player
        self.bank = bank
        self.outbox: list[str] = []
        self.requests = 0
        self.total_ns = 0
        self.max_ns = 0
        self.wall, self.cpu, self.delay = Times(), Times(), Times()
        self.instructions: list[int] | None = [] if counted else None
        """Of each reply, where they are counted."""
        self.faults: dict[str, FaultCount] = {}
        self.last_request = ""
        self.answers = 0
        self.last_answer = ""
        self.last_answered = 0
        """The number of the request that had the last answer."""
        self.stop_seen = False

    def mail(self, *last: str) -> str:
        """All lines for the player since the last call, and `last`."""
        lines, self.outbox = self.outbox, []
        return "\n".join([*lines, *last, ""])

    def book(self, heard: Heard) -> None:
        """Charge the time of a reply."""
        self.requests += 1
        self.bank.spend(heard.elapsed)
        self.total_ns += heard.elapsed
        self.max_ns = max(self.max_ns, heard.elapsed)
        self.wall.add(heard.wall)
        self.cpu.add(heard.cpu)
        self.delay.add(heard.delay)
        if self.instructions is not None and heard.instructions is not None:
            self.instructions.append(heard.instructions)

    def count_fault(self, code: str, detail: str, round_number: int, count: int = 1) -> None:
        """Count a fault, and keep the first as the example."""
        known = self.faults.get(code)
        if known is None:
            self.faults[code] = FaultCount(count, round_number, self.requests, detail)
        else:
            known.count += count


def totals(seat: Seat) -> PlayerTotals:
    """The books of a seat, as they stand at the end of the replay."""
    stopped, counts = seat.player.stopped, seat.instructions
    return PlayerTotals(
        seat.index,
        stopped.value if stopped else None,
        {code: known.count for code, known in seat.faults.items()},
        seat.requests,
        seat.total_ns / NS_PER_MS,
        seat.max_ns / NS_PER_MS,
        seat.player.cpu_ms,
        seat.player.peak_memory,
        seat.delay.total / NS_PER_MS if seat.delay.known else None,
        seat.cpu.total / NS_PER_MS if seat.cpu.known else None,
        seat.player.pondered_ms,
        None if counts is None else sum(counts),
        None if counts is None else max(counts, default=0),
    )


def missed(ask: Ask, heard: Heard, clock: Clock) -> str:
    """A timeout in words, with the evidence whose fault it was: the program's or the machine's."""
    if heard.instructions is not None:
        return f"the answer to {ask.head!r} took {heard.instructions} instructions"
    of = " of CPU time" if clock is Clock.CPU else ""
    text = f"no answer to {ask.head!r} within {heard.elapsed // NS_PER_MS} ms{of}"
    evidence = []
    if heard.cpu is not None:
        evidence.append(f"used {heard.cpu / NS_PER_MS:.0f} ms of CPU")
    if heard.delay is not None:
        evidence.append(f"ready but not run for {heard.delay / NS_PER_MS:.0f} ms")
    if clock is Clock.CPU and heard.wall is not None and (heard.cpu or 0) < heard.elapsed:
        evidence.append(f"given up after {heard.wall / NS_PER_MS:.0f} ms of real time")
    return f"{text} ({'; '.join(evidence)})" if evidence else text
