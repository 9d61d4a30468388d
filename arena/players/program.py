"""A program as a player: the conversation over its pipes.

`ProgramPlayer` holds its parts: the `BotProcess` behind it, its `BotPipes`, the `Inbox` that
decides which line is the answer, and the `TimeAccount` that decides what it costs and when it is
late.
"""

from __future__ import annotations

import time

import trio

from arena.core.clock import to_ms
from arena.core.limits import Limits
from arena.core.replies import FREE, Answer, Cost, Silence, TimedReply, Why
from arena.players.inbox import BLANK_ACCEPTED_AFTER, Doubt, HeldLine, Inbox
from arena.players.pipes import BotPipes
from arena.players.player import Ending, Player, Stopped
from arena.players.process import BotProcess
from arena.players.terms import Grant, Timing
from arena.players.timing import PROMPT_NS, Moment, TimeAccount, ns
from arena.sandbox.child import Child
from arena.sandbox.loop_delay import UNMEASURED, LoopDelay
from arena.sandbox.usage.meter import Meter

READY_INTERVAL = 0.005
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
            self._line, self._since, self._cpu = line, -BLANK_ACCEPTED_AFTER, line.came.cpu
        cpu = self._meter.cpu_ns()
        if self._meter.ready() or cpu - self._cpu > PROMPT_NS:
            self._since, self._cpu = now, cpu
        return now - self._since >= BLANK_ACCEPTED_AFTER


class ProgramPlayer(Player):
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
        loop_delay: LoopDelay = UNMEASURED,
        fast: bool = True,
    ) -> None:
        """`fast`: whether prompt answers may take the fast path (`arena.players.timing`)."""
        super().__init__(name)
        self.pid = child.pid
        self._now = now = trio.lowlevel.current_clock().current_time  # a third of the usual call
        self.account = TimeAccount(meter, timing, loop_delay, now, fast=fast)
        usage = self.account.usage
        self.process = BotProcess(
            self, child, limits, meter, timing=timing, grant=grant, usage=usage
        )
        self.pipes = BotPipes(child)
        self.inbox = Inbox(limits, self.violations, usage.waited_since_answer)
        self._meter = meter
        self._rest = Rest(meter)
        self._fast = fast

    # -- asking ----------------------------------------------------------------------------

    def tell(self, text: str) -> None:
        """Write lines without a request; what the pipe does not take goes with the next write."""
        self.account.forbid_fast_path()
        self.pipes.send(text)

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Drop unrequested lines, then write the request as far as the pipe takes it."""
        account, pipes = self.account, self.pipes
        has_input = bool(pipes.has_input())
        is_fast = not has_input and account.put_off(bank, patience)
        if not is_fast:
            self._drop_unrequested(has_input)
        self.inbox.open_turn()
        self.process.turn += 1
        if not is_fast:
            self.process.asked()
            account.open(bank, patience)
        pipes.request = text
        pipes.send(text)
        account.written()
        if pipes.outbox:
            account.read_start()

    def _drop_unrequested(self, has_input: bool) -> None:
        if self.inbox.expects_excess:
            self._let_finish()
            has_input = True  # perhaps
        if has_input:
            while self._read():
                pass
            self.process.read_stderr()

    def _let_finish(self) -> None:
        """Wait briefly until the program rests. A line that it writes after its answer, in a
        separate write, could otherwise arrive after the next request and be taken for its answer.
        """
        until = time.monotonic() + FINISHES_IN
        while self._meter.ready() and time.monotonic() < until:
            time.sleep(FINISHES_IN / 20)

    # -- waiting ---------------------------------------------------------------------------

    async def reply(self) -> TimedReply:
        """Wait for the reply, at most until it is due."""
        self.account.read_start()
        if not self.pipes.outbox:
            return await self._wait_for_reply()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write_rest)
            timed = await self._wait_for_reply()
            nursery.cancel_scope.cancel()
        return timed

    async def _write_rest(self) -> None:
        await self.pipes.write_rest()
        self.wake()

    async def _wait_for_reply(self) -> TimedReply:
        while (timed := self.poll()) is None:
            if self.pipes.ended:
                await self.process.learn_how_it_ended()
            else:
                with trio.CancelScope(deadline=self.next_look()) as self.waiting:
                    await trio.lowlevel.wait_readable(self.process.child.stdout)
                self.waiting = None
        return timed

    def wait_at(self) -> int | None:
        """See `Player`."""
        self.account.read_start()
        pipes = self.pipes
        return None if pipes.outbox or pipes.ended else self.process.child.stdout

    def next_look(self) -> float:
        """See `Player`."""
        until = self.account.request.next_look(self._now())
        if self.inbox.held is not None:
            until = min(until, self.inbox.look_at)
        return until

    # -- what arrived ----------------------------------------------------------------------

    def _read(self) -> bool:
        """Take one chunk from stdout; false when there is nothing more."""
        data = self.pipes.read()
        if data:
            self._take(data)
        return bool(data)

    def _take(self, data: bytes) -> None:
        self.inbox.take(data, self.account.moment, asked=self.pipes.request_was_read())
        if self.inbox.broken:
            self.pipes.ended = True
            self.mark_stopped(Stopped.OUTPUT, self.inbox.broken)

    def poll(self) -> TimedReply | None:
        """The reply, if the lines, the clock and the state of the program already decide it."""
        account = self.account
        if not account.prompt_until:
            return self._poll_in_full()
        data, came = self.pipes.read(), self._now()
        if came < account.prompt_until:
            if not data and not self.pipes.ended:
                return None
            if data and self.pipes.all_was_read():
                text = self.inbox.take_plain(data, came)
                if text is not None:
                    return TimedReply(Answer(text), account.close_promptly(came))
        account.read_start()
        if data:
            self._take(data)
        return self._poll_in_full()

    def _poll_in_full(self) -> TimedReply | None:
        looked = self._now()
        while not self.inbox.lines and self._read():
            pass
        found = self.inbox.find(self.account.request)
        if found is None:
            return self._decide_without_line(looked)
        line, came = found
        if self.account.request.is_late(came):
            self.inbox.count_late(line)
            return self._missed(Why.LATE, came)
        return self._answer(line, came)

    def _decide_without_line(self, now: float) -> TimedReply | None:
        """The reply, if any, when there was no line at `now`."""
        account, inbox = self.account, self.inbox
        account.found_no_line(now)
        if self.stopped is not None:
            return TimedReply(Silence(Why.STOPPED), FREE)
        if self.pipes.ended and self.process.child.exit is not None:
            if inbox.held is not None and inbox.held.doubt is not Doubt.MISSED:
                return self._answer(*inbox.accept_held())
            why = self.process.see_exit()
            inbox.note_unfinished()
            return TimedReply(Silence(why), FREE)
        if not account.look(now):
            return None
        request = account.request
        if inbox.held is not None and self._is_answer(inbox.held, now, is_last=request.late):
            return self._answer(*inbox.accept_held())
        if request.over:
            inbox.drop_held()
            inbox.missed_replies += 1
            inbox.note_unfinished()
            self._meter.memory()  # a fresh view of all threads, for the evidence
            came = Moment(now, self._meter.cpu_ns())
            return self._missed(Why.LATE if request.patience == 1 else Why.ABSENT, came)
        return None

    def _is_answer(self, held: HeldLine, now: float, *, is_last: bool) -> bool:
        """Whether the held line is the answer, judging by what the program does.
        `is_last`: the time of the request is over."""
        if not is_last and now < self.inbox.look_at:
            return False
        if held.doubt is Doubt.MISSED:
            rests = self._rest.lasts(held, now)
            self.inbox.postpone(BLANK_ACCEPTED_AFTER, now)
            return is_last and rests and self.pipes.are_idle()  # so it can only wait for input
        if not self._meter.ready():
            return True
        if held.doubt is Doubt.STRAY:  # no waiting beyond the time of one that never rests
            self.inbox.postpone(BLANK_ACCEPTED_AFTER, now)
            return is_last and not self.account.usage.rests
        self.inbox.postpone(READY_INTERVAL, now)
        return is_last or self._meter.cpu_ns() - held.came.cpu >= ns(BLANK_ACCEPTED_AFTER)

    def _answer(self, line: bytes, came: Moment) -> TimedReply:
        text = self.text_of(line) if line else ""
        return TimedReply(Answer(text), self._close_request(came))

    def text_of(self, line: bytes) -> str:
        """The text of an answer."""
        return self.inbox.text(line)

    def _missed(self, why: Why, came: Moment) -> TimedReply:
        return TimedReply(Silence(why), self._close_request(came, missed=True))

    def _close_request(self, came: Moment, *, missed: bool = False) -> Cost:
        """Close the request and return its cost."""
        account = self.account
        cost = account.close(came, missed=missed)
        self.start_up_ms = to_ms(account.start_up)
        self.process.answered()
        is_quick = self._fast and account.was_prompt and self.stopped is None
        self.waited_for = self.process.child.stdout if is_quick else None
        if self._is_at_rest():
            account.allow_fast_path()
        return cost

    def _is_at_rest(self) -> bool:
        """Whether the program, as far as is known, only waits for the next request."""
        return (
            self.inbox.at_rest
            and not self.inbox.expects_excess
            and not (self.pipes.outbox or self.pipes.ended or self.process.weight.ponders)
        )

    # -- the process -----------------------------------------------------------------------

    async def watch(self) -> None:
        """See `BotProcess.run`."""
        await self.process.run()

    async def shut_down(self, why: Stopped, detail: str) -> None:
        """End the whole tree now."""
        self.mark_stopped(why, detail)
        self.wake()
        await self.process.end()

    async def finish(self, text: str) -> None:
        """Send the last lines and close its input; end the program if it does not leave."""
        self.account.finish()
        await self.process.finish(lambda: self.tell(text))

    def close(self) -> None:
        """Release what measures the program, after the match."""
        self.process.close()
        self.pipes.close()

    @property
    def cpu_ms(self) -> float | None:
        """See `BotProcess`."""
        return self.process.cpu_ms

    @property
    def peak_memory(self) -> int | None:
        """See `BotProcess`."""
        return self.process.peak_memory

    @property
    def pondered_ms(self) -> float | None:
        """CPU time used between requests, from the first request to the last."""
        return self.account.usage.pondered / 1e6

    @property
    def prompt_ms(self) -> float | None:
        """See `Player`."""
        return self.account.usage.prompt / 1e6 if self._fast else None

    @property
    def ending(self) -> Ending | None:
        """See `BotProcess`."""
        return self.process.ending

    @property
    def left_behind(self) -> bool:
        """See `BotProcess`."""
        return self.process.left_behind
