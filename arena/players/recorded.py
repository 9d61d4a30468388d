"""A player that gives again what a seat gave in a recorded match."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from msgspec.structs import replace

from arena.core.budget import Budget
from arena.core.replies import FREE, Answer, Silence, TimedReply, Why
from arena.players.player import Player, Stopped


class RecordedPlayer(Player):
    """Gives the recorded replies in their order, whatever is asked, and then has left.

    Each costs what it cost then, as far as the bank of this match allows: an answer stays in time,
    and a missed one takes all. Where instructions are counted, the `budget` decides again.
    """

    def __init__(
        self, name: str, replies: Iterable[TimedReply], budget: Budget | None = None
    ) -> None:
        super().__init__(name)
        self._replies = deque(replies)
        self._budget = budget
        self._bank = 0

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Whatever is asked, the next reply of the record is due."""
        self._bank = bank

    def poll(self) -> TimedReply:
        """The next reply of the record."""
        if not self._replies:
            self.mark_stopped(Stopped.EXITED, "its record has no more answers")
            return TimedReply(Silence(Why.DEAD), FREE)
        timed = self._replies.popleft()
        count = timed.cost.instructions
        if self._budget is not None and count is not None:
            return replace(timed, reply=self._budget.judge(timed.reply, count))
        return replace(timed, cost=replace(timed.cost, charged=self._charge(timed)))

    def _charge(self, timed: TimedReply) -> int:
        if isinstance(timed.reply, Answer):
            return min(timed.cost.charged, max(self._bank - 1, 0))
        return self._bank if timed.reply.missed else 0
