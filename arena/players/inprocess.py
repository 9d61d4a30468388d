"""Players inside the arena's own process: Python functions and recorded seats.

For tests, training, quiet partners and reruns.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeAlias

import trio
from msgspec.structs import replace

from arena.core.budget import Budget
from arena.core.lines import trim_written
from arena.core.offers import NO_MOVES
from arena.core.replies import FREE, Answer, Cost, Silence, TimedReply, Why
from arena.errors import UsageError
from arena.players.player import Player, Stopped

Answerer: TypeAlias = Callable[[list[str]], str]
"""Takes the lines since the last request, the request last; returns one line."""


class InProcessPlayer(Player):
    """Calls ``answer(lines)`` for each request.

    Nothing can interrupt the function, so it is never late: it is charged the time that it took, at
    most its bank less one nanosecond.
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
        """Compute the answer. Raises UsageError when it is not one line of text."""
        start = trio.current_time()
        lines, self._lines = self._lines, []
        answer = self._answer(lines)
        if not isinstance(answer, str) or "\n" in (text := trim_written(answer)):
            raise UsageError(f"{self.name} answered {answer!r:.80}: return one line of text")
        elapsed = round((trio.current_time() - start) * 1e9)
        return TimedReply(Answer(text), Cost(min(elapsed, max(self._bank - 1, 0))))


def silent(name: str = "quiet") -> InProcessPlayer:
    """A player that never does anything, in words that every game understands."""
    return InProcessPlayer(name, lambda lines: NO_MOVES)


# A player that repeats the replies of a seat in a recorded match.


class RecordedPlayer(Player):
    """Gives the recorded replies in order, whatever the requests, and then leaves.

    Each reply is charged its recorded cost, as far as the bank of this match allows: an answer
    stays in time, and a missed one takes the whole bank. With counted instructions, the `budget`
    judges again.
    """

    def __init__(
        self, name: str, replies: Iterable[TimedReply], budget: Budget | None = None
    ) -> None:
        super().__init__(name)
        self._replies = deque(replies)
        self._budget = budget
        self._bank = 0

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Make the next reply of the record due, whatever the request."""
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
