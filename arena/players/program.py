"""A player that is a program: the conversation over its pipes, and everything that can go wrong
in it.

**The clock** of a request runs from the end of its write to the arrival of the answer's newline.
One absolute deadline, start of the write plus the bank, covers both, so that a program that does
not read cannot hold us. Time is read only from ``trio.current_time()``.

**One line per request.** What arrives while nothing is asked is an *excess* line, and dropped.
A missed answer stays *owed*: it is dropped as *late* whenever it comes, and never taken for the
answer to a later request. A blank line is a tentative answer: it stands when no other line
follows within 20 ms, since real programs say nothing with a blank line, and real programs print
a stray blank line behind an answer.

**Limits.** A line may be 64 KiB long; a turn (from one request to the next) may bring 1 MiB or
1,000 lines. Beyond that we stop reading and shut the program down. stderr is always drained, so
that it never blocks the program, and its head and tail are kept.
"""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING

import trio

from arena.limits import Limits
from arena.lines import LINE_CAP, LineBuffer
from arena.players import Fault, Heard, Stopped
from arena.players.foreign import garble, shown
from arena.players.turnlog import TurnLog
from arena.sandbox.children import Child
from arena.sizes import size_text
from arena.steps import Answer, Reply, Silence, Why

if TYPE_CHECKING:
    from arena.players.meter import MemoryMeter

MEMORY_TICK = 0.050
"""Seconds between two looks at the memory of a program: one that allocates as fast as it can gets
about 200 MB over its limit before it is ended."""
TURN_LINES = 1000
"""Lines of stdout in one turn."""
READ_SIZE = 1 << 16
BLANK_STANDS_AFTER = 0.020
"""Seconds after which a blank line is an answer."""
EXIT_FOLLOWS = 0.100
"""Seconds between the end of stdout and the exit, beyond which the program `closed` stdout."""
LEAVE_WITHIN = 0.100
"""Seconds for a program to leave by itself after the end of its input."""


class Program:
    """One program at the table, on the three pipes of `child`."""

    def __init__(self, name: str, child: Child, limits: Limits) -> None:
        self.name = name
        self.limits = limits
        self.stopped: Stopped | None = None
        self.stopped_detail = ""
        self.ended_by_arena = False
        """It did not leave by itself: its exit status is our doing."""
        self.stderr = TurnLog()
        self.peak_memory: int | None = None
        self.child = child
        self._meter: MemoryMeter | None = None
        self._outbox = b""
        self._buffer = LineBuffer()
        self._inbox: deque[tuple[bytes, float]] = deque()
        self._turn = 0
        self._turn_bytes = 0
        self._turn_lines = 0
        self._eof = False
        self._owed = 0
        self._sent = 0.0
        self._deadline = 0.0
        self._give_up = 0.0
        self._bank = 0
        self._blank: float | None = None
        self._faults: list[Fault] = []
        self._crlf_remarked = False
        self._waiting: trio.CancelScope | None = None

    @property
    def cpu_ms(self) -> float | None:
        """CPU time, known once it has ended."""
        return self.child.exit.cpu_ms if self.child.exit else None

    # -- beside the match ------------------------------------------------------------------

    async def watch(self) -> None:
        """Drain stderr, and wake whoever waits when the program ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._drain_stderr)
            nursery.start_soon(self._watch_memory)
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

    async def _watch_memory(self) -> None:
        while self.child.exit is None:
            self.sample_memory()
            used_bytes = self.peak_memory or 0
            limit = self.limits.memory
            if limit is not None and used_bytes > limit:
                used = f"used {size_text(used_bytes)} of {size_text(limit)}"
                await self.shut_down(Stopped.MEMORY, used)
                return
            await trio.sleep(MEMORY_TICK)

    def sample_memory(self) -> None:
        """Look at the resident memory of the whole tree and keep the peak."""
        if self._meter is None:
            from arena.players.meter import MemoryMeter  # 20 ms, while the program starts too

            self._meter = MemoryMeter(self.child.pid)
        self.peak_memory = max(self.peak_memory or 0, self._meter.resident())

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
        self._drop_unasked()
        self.read_stderr()
        self._turn += 1
        self._turn_bytes = self._turn_lines = 0
        self._blank = None
        self._bank = bank
        start = trio.current_time()
        self._deadline = start + bank * 1e-9
        self._give_up = start + bank * patience * 1e-9
        self._outbox += text.encode()
        self._write()

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
            self._sent = trio.current_time()

    async def _write_rest(self) -> None:
        while self._outbox:
            await trio.lowlevel.wait_writable(self.child.stdin)
            self._write()
        self._wake()

    def poll(self) -> Heard | None:
        """The reply, if it is decided by what has arrived."""
        if not self._inbox:
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
        until = self._give_up if self._blank is None else self._blank_stands()
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
        self._take_in(data, trio.current_time())
        return True

    def _take_in(self, data: bytes, stamp: float) -> None:
        lines = self._buffer.feed(data)
        self._turn_bytes += len(data)
        self._turn_lines += len(lines)
        if self._outbox:  # the request is not out yet: nobody asked for these
            self._drop(lines)
        else:
            self._inbox.extend([(line, stamp) for line in lines])
        self._check_caps()

    def _check_caps(self) -> None:
        if self._buffer.overlong:
            self._stop_reading(f"a line longer than {LINE_CAP} bytes on stdout")
        elif self._turn_bytes > self.limits.turn_output:
            cap = self.limits.turn_output
            self._stop_reading(f"more than {cap} bytes on stdout in one turn")
        elif self._turn_lines > TURN_LINES:
            self._stop_reading(f"more than {TURN_LINES} lines on stdout in one turn")

    def _stop_reading(self, detail: str) -> None:
        self._eof = True
        self._mark_stopped(Stopped.OUTPUT, detail)

    def _drop_unasked(self) -> None:
        """Empty the pipe before a request: nothing in it can be its answer."""
        while self._read():
            pass
        if self._inbox:
            self._drop([line for line, _ in self._inbox])
            self._inbox.clear()

    def _drop(self, lines: list[bytes]) -> None:
        """Count lines that answer nothing: first those that are owed, then excess ones."""
        late, excess = lines[: self._owed], [line for line in lines[self._owed :] if line.strip()]
        if late:
            self._owed -= len(late)
            self._fault("late", f"an answer came after its time: {shown(late[0])}", len(late))
        if excess:
            self._fault("excess", f"a line that nobody asked for: {shown(excess[0])}", len(excess))

    def _decide(self) -> Heard | None:
        """What the lines, the clock and the state of the program say about the request."""
        while self._inbox:
            line, stamp = self._inbox.popleft()
            if self._owed:
                self._drop([line])
            elif self._blank is not None and stamp >= self._blank_stands():
                self._inbox.appendleft((line, stamp))
                return self._heard(Answer(""), self._blank)
            elif stamp >= self._deadline:
                self._fault("late", f"an answer came after its time: {shown(line)}")
                return self._timeout()
            elif line.strip():
                return self._heard(Answer(self._text(line)), stamp)
            elif self._blank is None:
                self._blank = stamp
        return self._decide_without_line()

    def _blank_stands(self) -> float:
        """When the blank line that came will have been the answer."""
        assert self._blank is not None
        return min(self._blank + BLANK_STANDS_AFTER, self._deadline)

    def _decide_without_line(self) -> Heard | None:
        if self.stopped is not None:
            return Heard(Silence(Why.STOPPED), 0)
        if self._eof and self.child.exit is not None:
            self._note_exit()
            return Heard(Silence(Why.DEAD), 0)
        now = trio.current_time()
        if self._blank is not None and now >= self._blank_stands():
            return self._heard(Answer(""), self._blank)
        if now >= self._give_up:
            self._owed += 1
            return self._timeout(Why.LATE if self._give_up == self._deadline else Why.ABSENT)
        return None

    def _heard(self, reply: Reply, stamp: float) -> Heard:
        elapsed = max(0, round((stamp - self._sent) * 1e9))
        return Heard(reply, min(elapsed, max(self._bank - 1, 0)))

    def _timeout(self, why: Why = Why.LATE) -> Heard:
        return Heard(Silence(why), self._bank)

    def _note_exit(self) -> None:
        end = self.child.exit
        assert end is not None
        if end.code == 0:
            self._mark_stopped(Stopped.EXITED, "left with exit code 0")
        elif end.code is not None:
            self._mark_stopped(Stopped.CRASHED, f"left with exit code {end.code}")
        else:
            self._mark_stopped(Stopped.CRASHED, f"ended by {end.signal}")

    def _text(self, line: bytes) -> str:
        """The line as text, trimmed. What is not text becomes one word that no rule knows."""
        if line.endswith(b"\r"):
            line = line[:-1]
            self._remark_crlf()
        if b"\0" not in line:
            try:
                return line.decode().strip(" \t")
            except UnicodeDecodeError:
                pass
        self._fault("garbled", f"not UTF-8 text, or a NUL in it: {shown(line)}")
        return garble(line)

    def _remark_crlf(self) -> None:
        if not self._crlf_remarked:
            self._crlf_remarked = True
            self._faults.append(Fault("crlf", "lines end with CR LF; LF is enough", fault=False))

    def _fault(self, code: str, detail: str, count: int = 1) -> None:
        self._faults.append(Fault(code, detail, count))

    def take_faults(self) -> list[Fault]:
        """The protocol faults since the last call."""
        faults, self._faults = self._faults, []
        return faults

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
        if self.stopped is None and self.child.exit is None:
            self.sample_memory()
            self.tell(text)
            self.child.close_pipe("stdin")
            with trio.move_on_after(LEAVE_WITHIN):
                await self.child.exited.wait()
        await self._end()
        self.read_stderr()

    async def _end(self) -> None:
        self.ended_by_arena |= self.child.exit is None
        await self.child.kill()
