"""A player that is a program: the conversation over its pipes, and everything that can go wrong
in it.

Its neighbours each know one thing: `request` the clock of a request, `inbox` the lines that came,
`watch` the limits between the answers, `effort` what it does with its time, `freezer` how it is
kept from pondering, `meter` what its tree of processes uses. Time is read only from
``trio.current_time()`` and from the meter.

**One line per request.** A blank line is a tentative answer: it stands when no other line follows
within 20 ms, since real programs say nothing with a blank line, and real programs print a stray
blank line behind an answer.

stderr is always drained, so that it never blocks the program, and its head and tail are kept.
"""

from __future__ import annotations

import os

import trio
from msgspec.structs import replace

from arena.clock import Clock
from arena.errors import HostFault
from arena.host import unfair
from arena.limits import Limits
from arena.players import Fault, Heard, Stopped
from arena.players.effort import Effort
from arena.players.freezer import Freezer
from arena.players.inbox import Inbox
from arena.players.meter import Meter, tree_meter
from arena.players.request import CpuRequest, Moment, Request, Timing
from arena.players.turnlog import TurnLog
from arena.players.watch import Watch
from arena.sandbox.children import Child
from arena.steps import Answer, Reply, Silence, Why

READ_SIZE = 1 << 16
BLANK_STANDS_AFTER = 0.020
"""Seconds after which a blank line is an answer."""
EXIT_FOLLOWS = 0.100
"""Seconds between the end of stdout and the exit, beyond which the program `closed` stdout."""
LEAVE_WITHIN = 0.100
"""Seconds for a program to leave by itself after the end of its input."""


class Program:
    """One program at the table, on the three pipes of `child`."""

    def __init__(
        self,
        name: str,
        child: Child,
        limits: Limits,
        *,
        meter: Meter | None = None,
        timing: Timing = Timing(),  # noqa: B008  # frozen
    ) -> None:
        """Without a `meter` the tree is looked at process by process."""
        self.name = name
        self.timing = timing
        self.stopped: Stopped | None = None
        self.stopped_detail = ""
        self.ended_by_arena = False
        """It did not leave by itself: its exit status is our doing."""
        self.stderr = TurnLog()
        self.child = child
        self.meter = meter or tree_meter(child.pid, limit=limits.memory)
        self._watch = Watch(self.meter, limits)
        self._outbox = b""
        self._inbox = Inbox(limits)
        self._turn = 0
        self._eof = False
        self._request = Request(0, 1, Moment(0.0))
        self._blank: Moment | None = None
        self._waiting: trio.CancelScope | None = None
        self._cpu_ns = 0
        self._effort = Effort(self.meter)
        self._freezer = Freezer(self.meter)

    @property
    def cpu_ms(self) -> float | None:
        """CPU time, known once it has ended: what the system told at its end, or what was seen
        before. (The system leaves out whom nobody waited for.)"""
        if self.child.exit is None:
            return None
        return max(self.child.exit.cpu_ms, self._cpu_ns / 1e6)

    @property
    def peak_memory(self) -> int | None:
        """Bytes of the whole tree; None before the first look."""
        return self._watch.peak_memory

    @property
    def pondered_ms(self) -> float | None:
        """CPU time that it used while it was not asked, from its first request to its last."""
        return self._effort.pondered / 1e6

    # -- beside the match ------------------------------------------------------------------

    async def watch(self) -> None:
        """Drain stderr, keep the limits, and wake whoever waits when the program ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._drain_stderr)
            nursery.start_soon(self._keep_limits)
            if not self.timing.pondering:
                nursery.start_soon(self._freezer.run)
            await self.child.exited.wait()
            self._wake()

    async def _drain_stderr(self) -> None:
        while True:
            await trio.lowlevel.wait_readable(self.child.stderr)
            if not self.read_stderr():
                return

    def read_stderr(self) -> bool:
        """Take what is there on stderr; false when its end was seen."""
        try:
            data = os.read(self.child.stderr, READ_SIZE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.stderr.add(self._turn, data)
        return bool(data)

    async def _keep_limits(self) -> None:
        try:
            verdict = await self._watch.until_broken()
        except OSError as error:
            if self.child.killed is None:  # else its books went with it
                raise HostFault(
                    f"cannot measure {self.name}: {error}: the match is void"
                ) from error
            return
        if self.child.exit is None:
            await self.shut_down(*verdict)

    def _wake(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()

    # -- asking ----------------------------------------------------------------------------

    def tell(self, text: str) -> None:
        """Write lines that ask for nothing; what the pipe does not take goes with the next."""
        self._outbox += text.encode()
        self._write()

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Drop what came unasked, then write the request as far as the pipe takes it."""
        while self._read():
            pass
        self._inbox.open_turn()
        self.read_stderr()
        self._turn += 1
        self._blank = None
        self._grant()
        self._freezer.thaw()
        start = self._moment()
        self._effort.asked(start)
        if self.timing.clock is Clock.CPU:
            self._request = CpuRequest(bank, patience, start, self.meter.cpu_ns)
        else:
            self._request = Request(bank, patience, start)
        self._outbox += text.encode()
        self._write()

    def _grant(self) -> None:
        if self.timing.timebank is not None:
            granted = self.timing.timebank + (self._turn - 1) * self.timing.time_per_move
            self._watch.granted = granted

    def _moment(self) -> Moment:
        return Moment(trio.current_time(), self.meter.cpu_ns())

    def _write(self) -> None:
        """Write until done or the pipe is full; stamp the end of the request."""
        try:
            written = os.write(self.child.stdin, self._outbox)
        except BlockingIOError:
            return
        except OSError:  # nobody reads any more; the reading side will say why
            self._outbox = b""
            self._eof = True
            return
        self._outbox = self._outbox[written:]
        if not self._outbox:
            self._request.sent = trio.current_time()

    async def _write_rest(self) -> None:
        while self._outbox:
            await trio.lowlevel.wait_writable(self.child.stdin)
            self._write()
        self._wake()

    def poll(self) -> Heard | None:
        """The reply, if it is decided by what has arrived."""
        if not self._inbox.lines:
            self._read()
        return self._decide()

    async def reply(self) -> Heard:
        """Wait for the reply, at most until it is due."""
        if not self._outbox:
            return await self._wait_for_reply()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._write_rest)
            heard = await self._wait_for_reply()
            nursery.cancel_scope.cancel()
        return heard

    async def _wait_for_reply(self) -> Heard:
        while (heard := self.poll()) is None:
            if self._eof:
                await self._learn_how_it_ended()
            else:
                await self._wait_readable()
        return heard

    async def _wait_readable(self) -> None:
        if self._blank is None:
            until = self._request.next_look(trio.current_time())
        else:
            until = self._blank_stands()
        with trio.CancelScope(deadline=until) as self._waiting:
            await trio.lowlevel.wait_readable(self.child.stdout)
        self._waiting = None

    async def _learn_how_it_ended(self) -> None:
        with trio.move_on_after(EXIT_FOLLOWS):
            await self.child.exited.wait()
        if self.stopped is None and self.child.exit is None:
            await self.shut_down(Stopped.CLOSED, "closed its stdin or stdout and kept running")

    # -- what arrived ----------------------------------------------------------------------

    def _read(self) -> bool:
        """Take one chunk from stdout; false when nothing (more) is there."""
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
        # Before the request is out nobody has asked for anything.
        self._inbox.take(data, self._moment, asked=not self._outbox)
        if self._inbox.broken:
            self._eof = True
            self._mark_stopped(Stopped.OUTPUT, self._inbox.broken)
        return True

    def _decide(self) -> Heard | None:
        """What the lines, the clock and the state of the program say about the request."""
        inbox = self._inbox
        while inbox.lines:
            line, came = inbox.lines.popleft()
            if inbox.owed:
                inbox.drop([line])
            elif self._blank is not None and came.time >= self._blank_stands():
                inbox.lines.appendleft((line, came))
                return self._answer("", self._blank)
            elif self._request.is_late(came):
                inbox.late(line)
                return self._missed(Why.LATE, came, line=True)
            elif line.strip():
                return self._answer(self._text(line), came)
            elif self._blank is None:
                self._blank = came
        return self._decide_without_line()

    def _text(self, line: bytes) -> str:
        """What an answer says."""
        return self._inbox.text(line)

    def _blank_stands(self) -> float:
        """When the blank line that came will have been the answer."""
        assert self._blank is not None
        return min(self._blank.time + BLANK_STANDS_AFTER, self._request.deadline)

    def _decide_without_line(self) -> Heard | None:
        if self.stopped is not None:
            return Heard(Silence(Why.STOPPED), 0)
        if self._eof and self.child.exit is not None:
            self._note_exit()
            return Heard(Silence(Why.DEAD), 0)
        now = trio.current_time()
        if self._blank is not None and now >= self._blank_stands():
            return self._answer("", self._blank)
        if self._request.is_over(now):
            self._inbox.owed += 1
            self._inbox.note_unfinished()
            came = self._moment()
            self._watch.look()  # a fresh view of all threads, for the evidence
            return self._missed(Why.LATE if self._request.patience == 1 else Why.ABSENT, came)
        return None

    def _answer(self, text: str, came: Moment) -> Heard:
        return self._heard(Answer(text), self._request.charge(came), came)

    def _missed(self, why: Why, came: Moment, *, line: bool = False) -> Heard:
        heard = self._heard(Silence(why), self._request.bank, came)
        lag = round((came.time - self._request.wake_at) * 1e9)
        return replace(heard, lag=unfair(lag, line=line, delay=heard.delay))

    def _heard(self, reply: Reply, charge: int, came: Moment) -> Heard:
        request = self._request
        wall, cpu = request.wall(came), request.cpu(came)
        delay = self._effort.delay(wall, cpu)
        self._effort.answered(came)
        if not self.timing.pondering:
            self._freezer.answered()
        return Heard(reply, charge, wall, cpu, delay)

    def _note_exit(self) -> None:
        end = self.child.exit
        assert end is not None
        if not end.entered:
            self.read_stderr()
            raise HostFault(
                f"the sandbox of {self.name} failed before the program ran: "
                f"{self.stderr.text().strip()}: the match is void (arena doctor says more)"
            )
        self._check_limits()
        self._inbox.note_unfinished()
        self._mark_stopped(*self._watch.verdict_on(end.code, end.signal))

    def take_faults(self) -> list[Fault]:
        """The protocol faults since the last call."""
        return self._inbox.take_faults()

    # -- ending ----------------------------------------------------------------------------

    def _mark_stopped(self, why: Stopped, detail: str) -> None:
        if self.stopped is None:
            self.stopped, self.stopped_detail = why, detail

    async def shut_down(self, why: Stopped, detail: str) -> None:
        """End the whole tree now."""
        self._mark_stopped(why, detail)
        self._wake()
        await self._end()

    async def finish(self, text: str) -> None:
        """Say the last lines and close its input; whoever stays longer than 100 ms is ended."""
        self._freezer.thaw()
        if self.stopped is None and self.child.exit is None:
            self._watch.look()
            self.tell(text)
            self.child.close_pipe("stdin")
            with trio.move_on_after(LEAVE_WITHIN):
                await self.child.exited.wait()
        await self._end()
        self.read_stderr()

    async def _end(self) -> None:
        self.ended_by_arena |= self.child.exit is None
        if self.child.killed is None:
            self._check_limits()
            self._cpu_ns = self.meter.cpu_ns()
            self._tell_refused()
        self._freezer.thaw()  # some freezers hold the dying as well
        await self.child.kill()

    def _tell_refused(self) -> None:
        refused, limit = self.meter.refused_forks(), self._watch.limits.processes
        if refused:
            used = f"used {limit} of {limit} processes and threads, and was refused more"
            self._inbox.fault("refused", used, refused)

    def _check_limits(self) -> None:
        """Nobody loses by limits that are not ours. Looked at before every verdict on a program
        that ended, and before we end one."""
        if not self.meter.intact():
            raise HostFault(
                f"somebody changed the limits of the control group of {self.name} during the match "
                "(another manager of groups, such as systemd or Docker?): the match is void; give "
                "the arena a group of its own: systemd-run --scope -p Delegate=yes arena …"
            )

    def close(self) -> None:
        """Let go of the meter, and of the program if it is frozen. The match is over."""
        self._freezer.thaw()
        self.meter.close()
