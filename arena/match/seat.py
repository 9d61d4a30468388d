"""One seat of a running match: its clock, its mail, and the tally of its costs and faults."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from msgspec.structs import replace

from arena.core.clock import NS_PER_MS, Clock, TimeBank, from_ms, open_bank, to_ms
from arena.core.replies import Answer, Cost, TimedReply
from arena.core.steps import Ask
from arena.core.table import Table
from arena.core.tally import SeatTotals, Tally
from arena.players.player import Player

NO_CLOCK = 1000 * 24 * 3600 * 1000 * NS_PER_MS
"""A time bank that never runs out: a thousand days."""
STDERR_TAIL = 4000
"""Characters of a bot's stderr that are kept in records and reports."""


class Seat:
    """A player at the table."""

    def __init__(
        self,
        index: int,
        player: Player,
        bank: TimeBank,
        *,
        counted: bool = False,
        untimed: bool = False,
    ) -> None:
        """`counted`: instructions count instead of time. `untimed`: the seat has no clock."""
        self.index = index
        self.player = player
        self.bank = bank
        self.full_ms = bank.left_ms
        """The full time bank."""
        self.untimed = untimed
        self.outbox: list[str] = []
        self.tally = Tally(counted=counted)
        self.last_request = ""
        self.shown_ms = 0
        """The time bank shown by its last request, in milliseconds."""
        self.asked_in = 0
        """The round of its last request; 0 before the first."""
        self.answers = 0
        self.last_answer = ""
        self.last_answered = 0
        """The number of the last request that was answered."""
        self.stop_seen = False
        self._prompt_before = 0.0
        """Milliseconds of CPU time that quick answers before the position took."""

    def begin(self) -> None:
        """Count from now on, at the position from which the match is played, with a full bank."""
        self.bank.refill()
        self._prompt_before = self.player.prompt_ms or 0.0

    def ask(self, ask: Ask, round: int) -> None:
        """Send a request, after all lines since the last one, unless the player was stopped."""
        player, bank = self.player, self.bank
        self.shown_ms = shown_ms = bank.left_ms
        if player.stopped is None:
            self.last_request = line = ask.line(shown_ms)
            self.outbox.append(line)
            player.post(self.mail(), NO_CLOCK if self.untimed else bank.left, ask.patience)
            self.asked_in = round  # only now: stderr is read before the request

    def enter(self, timed: TimedReply) -> TimedReply:
        """Keep a reply and charge its cost. Returns the reply with that cost."""
        if self.untimed:
            timed = _free_of_charge(timed)
        reply, cost, costs = timed.reply, timed.cost, self.tally.costs
        costs.append(cost)
        self.bank.spend(cost.charged)
        if type(reply) is Answer:
            self.answers += 1
            self.last_answer, self.last_answered = reply.text, self.tally.past + len(costs)
        return timed

    def mail(self) -> str:
        """All lines for the player since the last call. Raises ValueError for an invalid line."""
        lines = self.outbox
        text = "\n".join([*lines, ""])
        if "\n" in "".join(lines) or not text.isascii():
            raise ValueError(f"not each of {lines!r} is one line of ASCII text")
        lines.clear()
        return text

    def totals(self) -> SeatTotals:
        """The totals of what the seat used and did wrong. Final once the player has finished."""
        player = self.player
        prompt_ms = None if player.prompt_ms is None else player.prompt_ms - self._prompt_before
        self.tally.prompt_cpu = from_ms(prompt_ms) or 0
        return SeatTotals(
            seat=self.index,
            stopped=player.stopped.value if player.stopped else None,
            tally=self.tally,
            cpu_ms=player.cpu_ms,
            peak_memory=player.peak_memory,
            pondered_ms=player.pondered_ms,
            start_up_ms=player.start_up_ms,
            stderr=tuple(player.stderr.tail(STDERR_TAIL)),
            drawn=player.stderr.drawings.turns(),
        )


def _free_of_charge(timed: TimedReply) -> TimedReply:
    """The reply of a seat without a clock, at no cost."""
    cost = timed.cost
    wall = cost.charged if cost.wall is None else cost.wall
    return replace(timed, cost=replace(cost, charged=0, wall=wall))


def missed_text(ask: Ask, timed: TimedReply, clock: Clock) -> str:
    """A timeout in words, with evidence of whether the program or the machine was slow."""
    cost = timed.cost
    if cost.instructions is not None:
        return f"the answer to {ask.head!r} took {cost.instructions} instructions"
    of = " of CPU time" if clock is Clock.CPU else ""
    text = f"no answer to {ask.head!r} within {int(to_ms(cost.charged))} ms{of}"
    evidence = []
    if cost.cpu is not None:
        evidence.append(f"used {to_ms(cost.cpu):.0f} ms of CPU")
    if cost.delay is not None:
        evidence.append(f"ready but not run for {to_ms(cost.delay):.0f} ms")
    if cost.stalled is not None:
        evidence.append(f"waited for a disk or for memory for {to_ms(cost.stalled):.0f} ms")
    if was_given_up(cost, clock):
        assert cost.wall is not None
        evidence.append(f"given up after {to_ms(cost.wall):.0f} ms of real time")
    return f"{text} ({'; '.join(evidence)})" if evidence else text


def was_given_up(cost: Cost, clock: Clock) -> bool:
    """Whether the real-time cap of another clock ended the wait."""
    used = {Clock.CPU: cost.cpu, Clock.FAIR: (cost.wall or 0) - (cost.delay or 0)}.get(clock)
    return cost.wall is not None and used is not None and used < cost.charged


def seats_of(
    table: Table[Any], players: Sequence[Player], untimed: Collection[int] = ()
) -> tuple[Seat, ...]:
    """The seats of a match, each with a full time bank (one that is never charged if instructions
    count). The `untimed` seats have no clock."""
    settings = table.setup.settings
    counted = table.game.budget(settings) is not None
    runs = not counted
    return tuple(
        Seat(
            i,
            player,
            open_bank(settings.timebank, settings.time_per_move, runs=runs),
            counted=counted,
            untimed=i in untimed,
        )
        for i, player in enumerate(players)
    )
