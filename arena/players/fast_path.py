"""A program that answers at once: its plain exchanges, in one go.

Most answers in a match between quick programs are *prompt*: the program was at rest, its answer is
there within a millisecond of the request, and it is one line of plain text and nothing else. Such
an exchange is one write and one read, and the clock is all that is looked at.

What it used is read together with other prompt answers, every 5 ms. Everything else goes the way of
`ProgramPlayer`, which says what the rules are: this module has none of its own. An exchange that
was begun here and is not prompt is handed over as if it had begun there.
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
from arena.players.request import Moment, Timing, ns
from arena.sandbox.child import Child
from arena.sandbox.loop_delay import UNKNOWN, LoopDelay
from arena.sandbox.usage.meter import Meter

PROMPT = 0.001
"""Seconds from a request to an answer that is prompt. Whatever held the arena or the program up in
them was as short."""
PROMPT_NS = 1_000_000
BRIEF = 0.0002
"""Seconds of a break, or of a prompt answer, in which no wait for a core lies that matters. After a
longer one the delay is read anew (1 µs): what was waited in it is not of the request that follows.
(By half of the worst errors on a quiet machine a wait of 1 ms was refunded that was over.)"""
DISPLACED = 50e-6
"""Seconds for a write, from which on the program may have run meanwhile on this core: then its CPU
time says what it is charged."""


class Posted(Struct, frozen=True, gc=False):
    """A request that is written, as far as the pipe took it."""

    text: str
    bank: int
    patience: int
    begun: float
    """When its write began."""
    sent: float


class FastPlayer(ProgramPlayer):
    """One program at the table, asked in the short way as long as that is enough."""

    def __init__(
        self,
        name: str,
        child: Child,
        limits: Limits,
        *,
        meter: Meter,
        timing: Timing = Timing(),  # noqa: B008  # frozen
        attention: LoopDelay = UNKNOWN,
    ) -> None:
        super().__init__(name, child, limits, meter=meter, timing=timing, attention=attention)
        self._may_be_prompt = timing.pondering and timing.clock is not Clock.CPU
        self._fresh_until = 0.0
        """Until when a request may get a prompt answer: the last answer left nothing open, and what
        was read of the program is fresh. 0 where that is not so."""
        self._came = 0.0
        """When the last answer came."""
        self._took = 0.0
        """Seconds that it took."""
        self._posted: Posted | None = None
        """The request that is open and may get a prompt answer."""
        self._delay: int | None = None
        """Of a prompt answer; None where no delay is measured."""
        self._asked_for = 0.0
        """Seconds of prompt requests since the last reading."""
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
        """The reply, where that came which is no prompt answer."""
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

    # -- the other way ---------------------------------------------------------------------

    def _hand_over(self) -> None:
        """The open request goes on as one of `ProgramPlayer`."""
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
        """Whether the program only waits for the next request, by all that is known."""
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
