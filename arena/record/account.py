"""The clock, the counts and the totals of one seat, reckoned again from its recorded replies."""

from __future__ import annotations

from arena.core.budget import Budget
from arena.core.clock import from_ms, open_bank
from arena.core.replies import Answer, Cost, Reply, Silence
from arena.core.settings import Settings
from arena.core.tally import SeatTotals, Tally
from arena.record.format import PlayerTotals, ReplyRecord, Silent
from arena.record.totals import player_totals


class Mismatch(Exception):
    """The record and the rules disagree; the text says how."""


class Account:
    """What one seat had and used so far. Each method raises Mismatch."""

    def __init__(
        self,
        seat: int,
        settings: Settings,
        budget: Budget | None,
        *,
        untimed: bool = False,
        start_up: int = 0,
    ) -> None:
        """`start_up`: the milliseconds that its start may take."""
        self._untimed = untimed
        self._start_up = start_up
        self.tally = Tally(counted=budget is not None)
        self._seat = seat
        self._name = f"player{seat + 1}"
        self._budget = budget
        runs = budget is None
        self._bank = open_bank(settings.timebank, settings.time_per_move, runs=runs)

    def charge(self, record: ReplyRecord, reply: Reply, cost: Cost, round_number: int) -> None:
        """One reply and what it cost: whether it came in time, and what the request had shown."""
        if record.bank != self._bank.left_ms:
            raise Mismatch(
                f"{self._name} was shown {record.bank} ms and had {self._bank.left_ms} ms"
            )
        missed = type(reply) is Silence and reply.missed
        asked = missed or type(reply) is Answer
        if self._untimed and cost.charged:
            raise Mismatch(f"{self._name} has no clock, and is charged {record.ms} ms")
        if self._budget is not None:
            self._check_count(record, self._budget, asked)
        elif asked and missed == self._bank.in_time(cost.charged):
            raise Mismatch(
                f"{self._name} took {record.ms} of {record.bank} ms, "
                f"recorded as {'late' if missed else 'in time'}"
            )
        self._bank.spend(cost.charged)
        self.tally.costs.append(cost)
        if missed:
            self.tally.count_fault("timeout", "", round_number)

    def _check_count(self, record: ReplyRecord, budget: Budget, asked: bool) -> None:
        count = record.instructions
        if (count is not None) != asked:
            raise Mismatch(f"a reply of {self._name} has a count that is missing or too many")
        if count is not None:
            found = record.why if isinstance(record, Silent) else None
            if found != budget.verdict(count):
                raise Mismatch(
                    f"{self._name} took {count} instructions, limits {budget.turn} and "
                    f"{budget.game}, recorded as {found or 'in time'}"
                )

    def close(self, record: PlayerTotals) -> None:
        """The totals: all but six of their values are sums over the lines before."""
        took = record.start_up_ms
        if took is not None and not (self._start_up and 0 <= took <= self._start_up):
            raise Mismatch(f"the start of {self._name} took {took:g} of {self._start_up} ms")
        self.tally.prompt_cpu = from_ms(record.prompt_ms) or 0
        totals = player_totals(
            SeatTotals(
                self._seat,
                record.stopped,
                self.tally,
                record.cpu_ms,
                record.peak_memory,
                record.pondered_ms,
                record.start_up_ms,
            )
        )
        counts = totals.instructions, totals.max_instructions
        if (record.instructions, record.max_instructions) != counts:
            raise Mismatch(f"the instructions of {self._name} do not match the record")
        if record != totals:
            raise Mismatch(f"the totals of {self._name} do not match the record")
