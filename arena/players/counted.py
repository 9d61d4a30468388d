"""A program whose instructions are counted: a WebAssembly bot in its runner.

The runner stands between the module and the arena. It writes ``COUNT ANSWER`` for each request,
after ``-HOW_MANY FIRST`` when there were lines that answer no request (`arena.bots.wasm.runner`).
The count alone decides whether an answer is in time.

The clock only guards against a stuck runner. It allows a microsecond per instruction, and at least
a minute; a runner needs a hundredth of that.
"""

from __future__ import annotations

from msgspec.structs import replace

from arena.core.budget import Budget
from arena.core.limits import Limits
from arena.core.replies import Answer, Silence, TimedReply, Why
from arena.players.player import Stopped
from arena.players.program import ProgramPlayer
from arena.players.terms import Grant, Timing
from arena.sandbox.child import Child
from arena.sandbox.usage.meter import Meter
from arena.text import shown

GUARD_NS = 60_000_000_000
NS_PER_INSTRUCTION = 1000


class CountedPlayer(ProgramPlayer):
    """A program at the table whose instructions are counted."""

    def __init__(
        self,
        name: str,
        child: Child,
        limits: Limits,
        budget: Budget,
        *,
        meter: Meter,
        timing: Timing = Timing(),  # noqa: B008  # frozen
        grant: Grant | None = None,
    ) -> None:
        super().__init__(name, child, limits, meter=meter, timing=timing, grant=grant, fast=False)
        self.budget = budget
        self._guard = max(GUARD_NS, budget.game * NS_PER_INSTRUCTION)
        self._mark = b"0"

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Send a request; the answer is due within the guard, whatever the bank."""
        super().post(text, self._guard)

    def poll(self) -> TimedReply | None:
        """The reply, judged by its count."""
        while (timed := super().poll()) is not None:
            if not isinstance(timed.reply, Answer):
                return self._stuck(timed) if timed.reply.why is Why.LATE else timed
            count = int(self._mark)
            if count >= 0:
                return self._judge(timed, count)
            first = shown(timed.reply.text.encode())
            self.inbox.violate("excess", f"a line that was not asked for: {first}", -count)
        return None

    def text_of(self, line: bytes) -> str:
        """The line without the runner's prefix."""
        self._mark, _, line = line.partition(b" ")
        return super().text_of(line)

    def _judge(self, timed: TimedReply, count: int) -> TimedReply:
        reply = self.budget.judge(timed.reply, count)
        return TimedReply(reply, replace(timed.cost, instructions=count))

    def _stuck(self, timed: TimedReply) -> TimedReply:
        seconds = self._guard // 1_000_000_000
        self.mark_stopped(Stopped.TIMEOUTS, f"no answer after {seconds} s of real time")
        return replace(timed, reply=Silence(Why.STOPPED))
