"""A player that is a Python function: for tests, training, and as a quiet partner."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import trio

from arena.core.replies import Answer, Cost, TimedReply
from arena.errors import UsageError
from arena.players.player import Player

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
