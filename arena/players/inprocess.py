"""A player that is a Python function: for tests, training, and as a quiet partner."""

from __future__ import annotations

from collections.abc import Callable

import trio

from arena.players import Fault, Heard, Stopped
from arena.steps import Answer


class InProcess:
    """Calls ``answer(lines)`` with the lines that came since the last request, the request last.

    Its time is charged like anybody's, though nothing can interrupt it.
    """

    def __init__(self, name: str, answer: Callable[[list[str]], str]) -> None:
        self.name = name
        self.stopped: Stopped | None = None
        self.stopped_detail = ""
        self.cpu_ms: float | None = None
        self.peak_memory: int | None = None
        self.pondered_ms: float | None = None
        self._answer = answer
        self._lines: list[str] = []

    async def watch(self) -> None:
        """Nothing to watch."""

    def tell(self, text: str) -> None:
        """Keep the lines for the next request."""
        self._lines += text.splitlines()

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Keep the lines; the work is done in `poll`."""
        self._lines += text.splitlines()

    def poll(self) -> Heard:
        """Work out the answer."""
        start = trio.current_time()
        lines, self._lines = self._lines, []
        answer = Answer(self._answer(lines).strip())
        return Heard(answer, int((trio.current_time() - start) * 1e9))

    async def reply(self) -> Heard:
        """As `poll`."""
        return self.poll()

    def take_faults(self) -> list[Fault]:
        """A function's answers are always in form."""
        return []

    async def shut_down(self, why: Stopped, detail: str) -> None:
        """Call the function no more."""
        self.stopped, self.stopped_detail = why, detail

    async def finish(self, text: str) -> None:
        """Nothing to end."""


def silent(name: str = "quiet") -> InProcess:
    """A player that never does anything: the words are understood in every game."""
    return InProcess(name, lambda lines: "No moves")
