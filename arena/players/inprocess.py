"""A player that is a Python function: for tests, training, and as a quiet partner."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeAlias

import trio
from msgspec.structs import replace

from arena.core.budget import Budget
from arena.core.replies import FREE, Answer, Cost, Silence, TimedReply, Why
from arena.errors import UsageError
from arena.players.player import Player, Stopped

Answerer: TypeAlias = Callable[[list[str]], str]
"""Gets the lines that came since the last request, the request last; returns one line."""


class InProcessPlayer(Player):
    """Calls ``answer(lines)`` for each request.

    Nothing can interrupt it, so it is never late: it is charged the time that it took, and at most
    all but a nanosecond of its bank.
    """

    def __init__(self, name: str, answer: Answerer) -> None:
        super().__init__(name)
        self._answer = answer
        self._lines: list[str] = []
        self._bank = 0

    def tell(self, text: str) -> None:
        """Keep the lines for the next request."""
        self._lines += text.splitlines()

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Keep the lines; the work is done in `poll`."""
        self._lines += text.splitlines()
        self._bank = bank

    def poll(self) -> TimedReply:
        """Work out the answer. Raises UsageError when it is not one line of text."""
        start = trio.current_time()
        lines, self._lines = self._lines, []
        answer = self._answer(lines)
        if not isinstance(answer, str) or "\n" in answer.strip():
            raise UsageError(f"{self.name} answered {answer!r:.80}: return one line of text")
        text = answer.strip()
        elapsed = round((trio.current_time() - start) * 1e9)
        return TimedReply(Answer(text), Cost(min(elapsed, max(self._bank - 1, 0))))


def silent(name: str = "quiet") -> InProcessPlayer:
    """A player that never does anything: every game understands its words."""
    return InProcessPlayer(name, lambda lines: "No moves")


# A player that gives again what a seat gave in a recorded match.


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
