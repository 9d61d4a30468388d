"""A program whose instructions are counted: a WebAssembly bot in its runner.

The runner stands between the module and us. It writes ``COUNT ANSWER`` for each request, after
``-HOW_MANY FIRST`` when there were lines that nobody had asked for (`arena.wasm.runner`). The
count decides alone whether an answer is in time.

The clock is only a guard against a runner that is stuck. It allows a microsecond for each
instruction, and a minute at least; a runner needs a hundredth of that.
"""

from __future__ import annotations

from msgspec.structs import replace

from arena.budget import Budget
from arena.limits import Limits
from arena.players import Heard, Stopped
from arena.players.foreign import shown
from arena.players.meter import Meter
from arena.players.program import Program
from arena.players.request import Timing
from arena.sandbox.children import Child
from arena.steps import Answer, Silence, Why

GUARD_NS = 60_000_000_000
NS_PER_INSTRUCTION = 1000


class Metered(Program):
    """One counted program at the table."""

    def __init__(
        self,
        name: str,
        child: Child,
        limits: Limits,
        budget: Budget,
        *,
        meter: Meter | None = None,
        timing: Timing = Timing(),  # noqa: B008  # frozen
    ) -> None:
        super().__init__(name, child, limits, meter=meter, timing=timing)
        self.budget = budget
        self._guard = max(GUARD_NS, budget.game * NS_PER_INSTRUCTION)
        self._mark = b"0"

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Send a request; the answer is due within the guard, whatever the bank."""
        super().post(text, self._guard)

    def poll(self) -> Heard | None:
        """The reply, judged by its count."""
        while (heard := super().poll()) is not None:
            if not isinstance(heard.reply, Answer):
                return self._stuck(heard) if heard.reply.why is Why.LATE else heard
            count = int(self._mark)
            if count >= 0:
                return self._judge(heard, count)
            first = shown(heard.reply.text.encode())
            self._inbox.fault("excess", f"a line that nobody asked for: {first}", -count)
        return None

    def _text(self, line: bytes) -> str:
        """The line without what the runner wrote before it."""
        self._mark, _, line = line.partition(b" ")
        return super()._text(line)

    def _judge(self, heard: Heard, count: int) -> Heard:
        why = self.budget.verdict(count)
        reply = heard.reply if why is None else Silence(why)
        return replace(heard, reply=reply, instructions=count)

    def _stuck(self, heard: Heard) -> Heard:
        seconds = self._guard // 1_000_000_000
        self._mark_stopped(Stopped.TIMEOUTS, f"no answer after {seconds} s of real time")
        return replace(heard, reply=Silence(Why.STOPPED))
