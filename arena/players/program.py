"""A program as a player: the conversation over its pipes, and its start-up time.

`request` has the clock of a request, `inbox` decides which line is the answer, and `process`
handles everything else about the process.
"""

from __future__ import annotations

import os
import time

import trio
from msgspec.structs import replace

from arena.core.clock import NS_PER_MS, to_ms
from arena.core.limits import Limits
from arena.core.replies import FREE, Answer, Cost, Silence, TimedReply, Why
from arena.players.inbox import BLANK_STANDS_AFTER, Doubt, HeldLine, Inbox
from arena.players.pipes import PipePoller, unread_bytes
from arena.players.player import Stopped
from arena.players.process import READ_SIZE, ProcessPlayer
from arena.players.request import REQUESTS, Moment, Request, ns
from arena.players.terms import Grant, Timing
from arena.sandbox.child import Child
from arena.sandbox.loop_delay import UNKNOWN, LoopDelay
from arena.sandbox.usage.meter import Meter

# Start-up time, which is not charged to the time bank.
#
# A program may get extra time from its start to its first answer: on a busy machine, a Java or
# Elixir program takes seconds to its first word. Unused start-up time is lost; anything beyond it
# is charged.


class StartUp:
    """Start-up time that one program may take, and has taken, in nanoseconds."""

    def __init__(self, allowed: int, began: int) -> None:
        """`began`: when the program was started."""
        self.taken: int | None = None
        """Start-up time taken; known with the first reply, None if none is allowed."""
        self._allowed = allowed
        self._began = began
        self._grace = 0

    def grace(self, now: int) -> int:
        """Time beyond its bank for a request made now; only the first request has any."""
        if self._allowed and self.taken is None:
            self._grace = max(0, self._allowed - (now - self._began))
        return self._grace

    def settle(self, cost: Cost) -> Cost:
        """The cost of a reply, without the start-up time."""
        if not self._allowed or self.taken is not None:
            return cost
        free = min(cost.charged, self._grace)
        self.taken, self._grace = self._allowed - self._grace + free, 0
        return replace(cost, charged=cost.charged - free)


WORTH_A_LOOK = 0.001
"""Seconds of the arena's own part from which on it is worth asking what the program does."""
LOOK_AGAIN = 0.005
"""Seconds between two looks at a program that waits for a core after its blank line."""
FINISHES_IN = 0.001
"""Seconds for a program that writes excess lines to finish writing them."""


class Rest:
    """Tells by repeated looks whether a program rests after a held line."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._line: HeldLine | None = None
        self._since = 0.0
        self._cpu = 0

    def lasts(self, line: HeldLine, now: float) -> bool:
        """Look at the program: whether it has done nothing since the line, or for 20 ms."""
        if line is not self._line:
            self._line, self._since, self._cpu = line, -BLANK_STANDS_AFTER, line.came.cpu
        cpu = self._meter.cpu_ns()
        if self._meter.ready() or cpu - self._cpu > WORTH_A_LOOK * 1e9:
            self._since, self._cpu = now, cpu
        return now - self._since >= BLANK_STANDS_AFTER


class ProgramPlayer(ProcessPlayer):
    """One program at the table."""

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
        super().__init__(name, child, limits, meter=meter, timing=timing, grant=grant)
        self._attention = attention
        self._ears = PipePoller(child.stdout, child.stderr)
        self._now = trio.lowlevel.current_clock().current_time  # a third of `trio.current_time`
        self._outbox = b""
        self._inbox = Inbox(limits, self.violations, self._share.waited_since_answer)
        self._rest = Rest(meter)
        self._request = Request(0, 1, Moment(0.0), self._share)
        self._unread = 0
        """Length of the last line of the request in bytes; 0 once the program began to read it."""
        self._eof = False
        self._empty_at = 0.0
        """When a look at its stdout last found no line."""
        self._start_up = StartUp(timing.start_up * NS_PER_MS, ns(self._now()))

    # -- asking ----------------------------------------------------------------------------

    def tell(self, text: str) -> None:
        """Write lines without a request; what the pipe does not take goes with the next write."""
        self._outbox += text.encode()
        self._write()

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Drop unrequested lines, then write the request as far as the pipe takes it."""
        if self._inbox.expects_excess:
            self._let_finish()
        if self._ears.hear():
            while self._read():
                pass
            self.read_stderr()
        self._inbox.open_turn()
        self._turn += 1
        self._freezer.thaw()
        self._open(text, bank, patience, Moment(self._now(), self.meter.cpu_ns()))
        self._outbox += text.encode()
        begun = self._now()
        self._write()
        self._request.written(begun, self._now())

    def _let_finish(self) -> None:
        """Wait briefly until the program rests. A line that it writes after its answer, in a
        separate write, could otherwise arrive after the next request and be taken for its answer.
        """
        until = time.monotonic() + FINISHES_IN
        while self.meter.ready() and time.monotonic() < until:
            time.sleep(FINISHES_IN / 20)

    def _open(self, text: str, bank: int, patience: int, start: Moment, since: int = 0) -> None:
        """Open the request in the text's last line, which began `since` nanoseconds ago."""
        self._watch.granted = None if self.grant is None else self.grant.by(self._turn)
        self._share.asked(start, since)
        self._courtesy.asked()
        bank += self._start_up.grace(ns(start.time))
        self._request = REQUESTS[self.timing.clock](bank, patience, start, self._share)
        self._unread = len(text) - text.rfind("\n", 0, -1) - 1

    def _moment(self) -> Moment:
        """The current moment. A line read now may have arrived while the arena was held up. But a
        program that sleeps now, or rests between requests, used its CPU time before it wrote the
        line, and a line that a look did not find came later than that look."""
        now, cpu, sent = self._now(), self.meter.cpu_ns(), self._request.sent
        held_up = min(self._attention.held_up(now, sent), now - self._empty_at)
        if held_up > WORTH_A_LOOK and (self._share.rests or not self.meter.ready()):
            used = (cpu - self._request.start.cpu) * 1e-9
            held_up = min(held_up, max(0.0, now - sent - used))
        return Moment(now, cpu, held_up)

    def _write(self) -> None:
        """Write until done, or until the pipe is full."""
        try:
            written = os.write(self.child.stdin, self._outbox)
        except BlockingIOError:
            return
        except OSError:  # the program closed its end; reading stdout will tell why
            self._outbox = b""
            self._eof = True
            return
        self._outbox = self._outbox[written:]

    # -- waiting ---------------------------------------------------------------------------

    async def reply(self) -> TimedReply:
        """Wait for the reply, at most until it is due."""
        if not self._outbox:
            return await self._wait_for_reply()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write_rest)
            timed = await self._wait_for_reply()
            nursery.cancel_scope.cancel()
        return timed

    async def _write_rest(self) -> None:
        while self._outbox:
            await trio.lowlevel.wait_writable(self.child.stdin)
            self._write()
        self._wake()

    async def _wait_for_reply(self) -> TimedReply:
        while (timed := self.poll()) is None:
            if self._eof:
                await self.learn_how_it_ended()
            else:
                with trio.CancelScope(deadline=self.next_look()) as self.waiting:
                    await trio.lowlevel.wait_readable(self.child.stdout)
                self.waiting = None
        return timed

    def wait_at(self) -> int | None:
        """See `Player`."""
        return None if self._outbox or self._eof else self.child.stdout

    def next_look(self) -> float:
        """See `Player`."""
        until = self._request.next_look(self._now())
        if self._inbox.held is not None:
            until = min(until, self._inbox.look_at)
        return until

    def _wake(self) -> None:
        if self.waiting is not None:
            self.waiting.cancel()

    # -- what arrived ----------------------------------------------------------------------

    def _read(self) -> bool:
        """Take one chunk from stdout; false when there is nothing more."""
        if self._eof:
            return False
        try:
            data = os.read(self.child.stdout, READ_SIZE)
        except BlockingIOError:
            self._eof = self.child.exit is not None  # a daemon may hold the pipe open
            return False
        except OSError:
            data = b""
        if not data:
            self._eof = True
            return False
        self._take(data)
        return True

    def _take(self, data: bytes) -> None:
        self._inbox.take(data, self._moment, asked=self._request_was_read())
        if self._inbox.broken:
            self._eof = True
            self.mark_stopped(Stopped.OUTPUT, self._inbox.broken)

    def _request_was_read(self) -> bool:
        """Whether a line can be an answer: only after the request is written, and the program has
        begun to read its last line."""
        if self._unread and not self._outbox and unread_bytes(self.child.stdin) < self._unread:
            self._unread = 0
        return not (self._outbox or self._unread)

    def poll(self) -> TimedReply | None:
        """The reply, if the lines, the clock and the state of the program already decide it."""
        looked = self._now()
        while not self._inbox.lines and self._read():
            pass
        found = self._inbox.find(self._request)
        if found is None:
            return self._decide_without_line(looked)
        line, came = found
        if self._request.is_late(came):
            self._inbox.late(line)
            return self._missed(Why.LATE, came)
        return self._answer(line, came)

    def _decide_without_line(self, now: float) -> TimedReply | None:
        """The reply, if any, when there was no line at `now`."""
        self._empty_at = now
        if self.stopped is not None:
            return TimedReply(Silence(Why.STOPPED), FREE)
        inbox, request = self._inbox, self._request
        if self._eof and self.child.exit is not None:
            if inbox.held is not None and inbox.held.doubt is not Doubt.OWED:
                return self._answer(*inbox.stand())
            why = self._see_exit()
            inbox.note_unfinished()
            return TimedReply(Silence(why), FREE)
        if request.goes_on(now, self._attention):
            return None
        request.look(now)
        if inbox.held is not None and self._stands(inbox.held, now, is_last=request.late):
            return self._answer(*inbox.stand())
        if request.over:
            inbox.give_up_held()
            inbox.owed += 1
            inbox.note_unfinished()
            self.meter.memory()  # a fresh view of all threads, for the evidence
            came = Moment(now, self.meter.cpu_ns())
            return self._missed(Why.LATE if request.patience == 1 else Why.ABSENT, came)
        return None

    def _stands(self, held: HeldLine, now: float, *, is_last: bool) -> bool:
        """Whether the held line is the answer, judging by what the program does.
        `is_last`: the time of the request is over."""
        if not is_last and now < self._inbox.look_at:
            return False
        if held.doubt is Doubt.OWED:
            rests = self._rest.lasts(held, now)
            self._inbox.postpone(BLANK_STANDS_AFTER, now)
            return is_last and rests and self._waits_for_input()
        if not self.meter.ready():
            return True
        if held.doubt is Doubt.STRAY:  # no waiting beyond the time of one that never rests
            self._inbox.postpone(BLANK_STANDS_AFTER, now)
            return is_last and not self._share.rests
        self._inbox.postpone(LOOK_AGAIN, now)
        return is_last or self.meter.cpu_ns() - held.came.cpu >= ns(BLANK_STANDS_AFTER)

    def _waits_for_input(self) -> bool:
        """Whether a resting program can only be waiting for input: it is not waiting for room in
        its own pipes either."""
        is_read = not self._outbox and unread_bytes(self.child.stdin) == 0
        return is_read and not self._ears.hear()

    def _answer(self, line: bytes, came: Moment) -> TimedReply:
        text = self._text(line) if line else ""
        return TimedReply(Answer(text), self._close_request(came))

    def _text(self, line: bytes) -> str:
        """The text of an answer."""
        return self._inbox.text(line)

    def _missed(self, why: Why, came: Moment) -> TimedReply:
        return TimedReply(Silence(why), self._close_request(came, missed=True))

    def _close_request(self, came: Moment, *, missed: bool = False) -> Cost:
        """Close the request and return its cost."""
        cost = self._start_up.settle(self._request.cost(came, missed=missed))
        self.start_up_ms = to_ms(self._start_up.taken)
        self._share.answered(came)
        if not self.timing.pondering:
            self._freezer.answered()
        self._courtesy.answered()
        return cost

    def close(self) -> None:
        """See `ProcessPlayer`."""
        super().close()
        self._ears.close()
