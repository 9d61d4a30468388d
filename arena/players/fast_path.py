"""The fast path for programs that answer at once.

Most answers in a match between quick programs are *prompt*: the program was at rest, and its answer
arrives within a millisecond of the request as exactly one line of plain text. Such an exchange is
one write, one read and a look at the clock.

The CPU usage of prompt answers is read every 5 ms, for all of them together. `ProgramPlayer`
handles everything else and defines the rules; this module adds none. An exchange that begins here
and turns out not to be prompt is handed over as if it had begun there.
"""

from __future__ import annotations

import os

from msgspec import Struct

from arena.core.clock import Clock
from arena.core.limits import Limits
from arena.core.replies import Answer, Cost, TimedReply
from arena.players.pipes import is_read
from arena.players.process import FRESH, READ_SIZE
from arena.players.program import ProgramPlayer
from arena.players.request import Moment, ns
from arena.players.terms import Grant, Timing
from arena.sandbox.child import Child
from arena.sandbox.loop_delay import UNKNOWN, LoopDelay
from arena.sandbox.usage.meter import Meter

PROMPT = 0.001
"""Longest time from a request to a prompt answer, in seconds. It also bounds any delay of the arena
or the program in between."""
PROMPT_NS = 1_000_000
BRIEF = 0.0002
"""Longest pause or prompt answer, in seconds, that cannot hide a significant wait for a core. After
a longer one the delay is read again (1 µs), so that the wait is not credited to the next request.
(Half of the worst errors on a quiet machine were refunds of an earlier wait of 1 ms.)"""
DISPLACED = 50e-6
"""Duration of a write, in seconds, above which the program may have run on this core meanwhile; its
CPU time then decides the charge."""


class Posted(Struct, frozen=True, gc=False):
    """A request that has been written, as far as the pipe took it."""

    text: str
    bank: int
    patience: int
    begun: float
    """When its write began."""
    sent: float


class FastPlayer(ProgramPlayer):
    """A program at the table that takes the fast path whenever its answers are prompt."""

    def __init__(
        self,
        name: str,
        child: Child,
        limits: Limits,
        *,
        meter: Meter,
        timing: Timing = Timing(),  # noqa: B008  # frozen
        grant: Grant | None = None,
        attention: LoopDelay = UNKNOWN,
    ) -> None:
        super().__init__(
            name, child, limits, meter=meter, timing=timing, grant=grant, attention=attention
        )
        self._may_be_prompt = timing.pondering and timing.clock is not Clock.CPU
        self._fresh_until = 0.0
        """Until when a request may get a prompt answer: the last answer left nothing open, and the
        readings of the program are fresh. 0 otherwise."""
        self._came = 0.0
        """When the last answer came."""
        self._took = 0.0
        """How long the last answer took, in seconds."""
        self._posted: Posted | None = None
        """The open request that may still get a prompt answer."""
        self._delay: int | None = None
        """The delay of a prompt answer; None where no delay is measured."""
        self._asked_for = 0.0
        """Total seconds of prompt requests since the last reading."""
        self._unread_count = bytearray(4)

    # -- asking ----------------------------------------------------------------------------

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """See `Player`."""
        begun = self._now()
        is_stale = begun >= self._fresh_until or begun - self._came >= PROMPT
        if is_stale or bank <= PROMPT_NS or self._ears.hear():
            self._tell_share()
            super().post(text, bank, patience)
            return
        if begun - self._came >= BRIEF or self._took >= BRIEF:
            self._share.read_delay()
        self._turn += 1
        self._outbox = text.encode()
        self._write()
        sent = self._now()
        self._posted = Posted(text, bank, patience, begun, sent)
        if self._outbox or sent - begun > DISPLACED:
            self._hand_over()

    def tell(self, text: str) -> None:
        """See `Player`."""
        self._fresh_until = 0.0
        super().tell(text)

    # -- answers ---------------------------------------------------------------------------

    def poll(self) -> TimedReply | None:
        """See `Player`."""
        posted = self._posted
        if posted is None:
            return super().poll()
        try:
            data = os.read(self.child.stdout, READ_SIZE)
        except BlockingIOError:
            return self._none_yet(posted)
        except OSError:
            data = b""
        came = self._now()
        took = came - posted.begun
        if took < PROMPT and is_read(self.child.stdin, self._unread_count):
            text = self._inbox.take_plain(data, came)
            if text is not None:
                self._posted, self._came, self._took = None, came, took
                self._asked_for += took
                wall = round((came - posted.sent) * 1e9)
                return TimedReply(Answer(text), Cost(wall, wall, None, self._delay))
        return self._decide(data)

    def _none_yet(self, posted: Posted) -> TimedReply | None:
        if self._now() - posted.begun < PROMPT and self.child.exit is None:
            return None
        self._hand_over()
        return super().poll()

    def _decide(self, data: bytes) -> TimedReply | None:
        """The reply after data that is not a prompt answer."""
        self._hand_over()
        if data:
            self._take(data)
        else:
            self._eof = True
        return super().poll()

    def wait_at(self) -> int | None:
        """See `Player`."""
        if self._posted is not None:
            self._hand_over()
        return super().wait_at()

    async def reply(self) -> TimedReply:
        """See `Player`."""
        if self._posted is not None:
            self._hand_over()
        return await super().reply()

    # -- the slow path ---------------------------------------------------------------------

    def _hand_over(self) -> None:
        """Continue the open request as one of `ProgramPlayer`."""
        posted = self._posted
        assert posted is not None
        self._posted, self._fresh_until = None, 0.0
        self._inbox.open_turn()
        self._tell_share()
        now = self._now()
        start = self._share.start_of(posted.begun, now)
        since = ns(now - posted.begun)
        self._open(posted.text, posted.bank, posted.patience, start, since)
        self._request.written(posted.begun, posted.sent)

    def _tell_share(self) -> None:
        if self._asked_for:
            self._share.answered_promptly(ns(self._asked_for), self._came)
            self._asked_for = 0.0

    def _close_request(self, came: Moment, *, missed: bool = False) -> Cost:
        cost = super()._close_request(came, missed=missed)
        self._came, self._took = came.time, came.time - self._request.begun
        was_prompt = not missed and self._took < PROMPT
        self.waited_for = self.child.stdout if was_prompt and self.stopped is None else None
        self._delay = None if cost.delay is None else 0
        may_follow = self._may_be_prompt and was_prompt and self._is_at_rest()
        self._fresh_until = self._share.read_at + FRESH if may_follow else 0.0
        return cost

    def _is_at_rest(self) -> bool:
        """Whether the program, as far as is known, only waits for the next request."""
        return (
            self._inbox.at_rest
            and self._share.rests
            and not (self._outbox or self._eof or self._courtesy.ponders)
            and not self._inbox.expects_excess
        )

    @property
    def prompt_ms(self) -> float | None:
        """See `Player`."""
        return self._share.prompt / 1e6

    async def finish(self, text: str) -> None:
        """See `Player`."""
        self._tell_share()
        self._share.finished()
        await super().finish(text)
