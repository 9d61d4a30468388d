"""The time of a reply: what a program is charged, when it is late, and what a request waits for.

Everything that decides a charge lives in this file. Others only measure (the meters of
`arena.sandbox.usage`, `arena.sandbox.loop_delay`), carry lines (`arena.players.program`) or keep
accounts (`arena.match.seat`, `arena.core.clock`). `TimeAccount` is what they talk to.

Whose time it is
    T0 is the end of the write of a request, as far as the pipe took it. T1 is the moment when the
    newline of the answer is in the pipe; the arena reads it later, at T2. From T1 to T2 the answer
    lies unread: that is the arena's part, and is never charged (`TimeAccount.moment`). From T0 to
    T1 the time is the program's, except, on the fair clock, the host's part.

    What the pipe does not take at once waits until the program reads, and the clock runs meanwhile:
    otherwise a program that left a byte unread could think about most of a request for free. A line
    can be an answer only once the program has begun to read the last line of the request.

The three clocks (`REQUESTS`)
    *wall*: real time from T0 to T1.
    *fair*: wall, less the host's part.
    *cpu*: the CPU time of the whole tree.

    An answer in time is charged less than the bank, a missed one the whole bank.

The host's part: the delay (`Usage.delay`)
    The time in which the program was ready to run, and the machine ran something else. The kernel
    reports it for threads and, at the strongest level, for the control group; each figure is too
    small in some cases and never too large, so the larger one counts. Four things look like delay
    and are the program's own:

    * Waits from before the request. A program that was displaced while it wrote its last answer
      still waits for a core when it is asked again.
    * Waits of its threads for each other. So the delay is at most the time in which the program had
      less than one whole core, and the fair clock never charges less than the CPU time used (up to
      the real time).
    * Waits of threads that were ready when it was asked, beside others. They wait while the thread
      that answers sleeps. So of a program with such threads only the waits of the thread that ran
      most count, and those of the group without theirs.
    * Waits that it fakes. Where its CPU time is not known completely, threads can wait beside
      hidden children: there, at most `MAX_DELAY_PART` of a request is delay.

    Waits for a disk or for memory are recorded (`Usage.stalled`) and charged: a program can bring
    them about.

Late is what a look has found missing
    A *look* reads the pipe. Once a look has found no line although the whole bank is used, every
    later line is late. A line found by the first look after the deadline is in time, since it may
    have come before, and costs the whole bank. So an arena that is slow makes no program late, and
    a program that hangs loses at the first look, on a busy machine as on a quiet one.

    By the CPU and fair clocks the end of the bank is not known in advance, so the arena looks again
    while the bank may last. A real-time cap of `CAP_BANKS` banks and `CAP_EXTRA` seconds ends the
    wait for a program that neither answers nor runs.

    If the arena looks late without a reason of its own, the whole machine may have stood still, and
    the time is granted again.

Start-up (`StartUp`)
    From its start to its first answer a program may have extra time: a Java program on a busy
    machine takes seconds to its first word. What it does not use is lost; anything beyond it is
    charged.

The fast path
    Most answers between quick programs are *prompt*: the program was at rest, and one plain line
    arrives within a millisecond. In such a span nothing can hide that is worth measuring: the
    charge is real time, and no figure of the program is read. The reading at the start of a request
    is *put off* (`TimeAccount.put_off`); if the answer turns out not to be prompt, it is made up
    for (`TimeAccount.read_start`) before anything is decided. Every `FRESH_FOR` one request is
    measured in full, and accounts for the CPU time of the prompt ones before it. On the CPU clock,
    and for programs that are frozen between requests, every request is measured.

    (A request of Warlight between instant bots takes 2.4 times as long where each is measured: 181
    µs instead of 69 with bots in C, medians of 20 pairs.)
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from arena.core.clock import NS_PER_MS, Clock
from arena.core.replies import Cost
from arena.players.terms import Timing
from arena.sandbox.usage.meter import Pressure

if TYPE_CHECKING:
    from arena.sandbox.loop_delay import LoopDelay
    from arena.sandbox.usage.meter import Meter

PROMPT = 0.001
"""Seconds within which an answer is prompt: too quick to have been held up by anything."""
PROMPT_NS = 1_000_000
BRIEF = 0.0002
"""Longest pause or prompt answer, in seconds, that cannot hide a significant wait for a core. After
a longer one the delay is read again (1 µs), so that the wait is not credited to the next request.
(Half of the worst errors on a quiet machine were refunds of an earlier wait of 1 ms.)"""
FRESH_FOR = 0.005
"""Seconds for which a reading of the delay can serve as the beginning of a request, so that quick
consecutive requests share one reading."""
LONG_WRITE = 0.0002
"""Duration of a write, in seconds, above which the arena was displaced from its core."""
LONG_PROMPT_WRITE = 50e-6
"""The same for a request on the fast path: the program may have run on this core meanwhile, and its
CPU time then decides the charge."""
WRITES_WITHIN = 100_000
"""Nanoseconds in which a program can do no more than write its answer."""
STALL_FROM = 100_000_000
"""Length of a request, in nanoseconds, from which on it is worth asking what the program waited
for."""
MAX_DELAY_PART = 0.95
"""Largest fraction of a request that can be delay where the CPU time of the whole tree is not known
exactly."""
VERY_LATE = 0.1
"""Lateness of a look, in seconds, from which on it is worth asking whether the machine stood still.
"""
CAP_BANKS, CAP_EXTRA = 10, 1.0
"""The real-time cap of the CPU and fair clocks: so many banks, plus so many seconds."""
CLOCK_INTERVAL = 0.005
"""Minimum seconds between two looks at the CPU or fair clock."""
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
NO_PRESSURE = Pressure(0, 0)


def ns(seconds: float) -> int:
    """Seconds as nanoseconds."""
    return round(seconds * 1e9)


class Moment(Struct, frozen=True, gc=False):
    """The clocks when a line was read: real time in seconds, CPU time in nanoseconds."""

    time: float
    cpu: int = 0
    unread: float = 0.0
    """The arena's part: for how many seconds the line may have lain unread, at most."""

    @property
    def came(self) -> float:
        """When the line came, as far as is known."""
        return self.time - self.unread


# -- what the program did ----------------------------------------------------------------------


class Usage:
    """What a program does with its time, during and between requests: the meter's figures at both
    ends of each request.

    CPU time and delay count from before the write: on a core shared with the arena, a program may
    run before the arena gets to read a clock after the write.
    """

    def __init__(self, meter: Meter) -> None:
        self.pondered = 0
        """Nanoseconds of CPU time between its answers and the requests that followed."""
        self.unasked = 0.0
        """Seconds between its answers and the requests that followed."""
        self.prompt = 0
        """Nanoseconds of CPU time of prompt answers, as of the last request without one."""
        self.prompt_time = 0.0
        """Seconds that prompt answers took, since the last request without one."""
        self.prompt_came = -FRESH_FOR
        """When the last prompt answer came."""
        self.rests = False
        """Whether it used next to no CPU time between requests, as of the last measured request."""
        self.read_at = -FRESH_FOR
        """When the delay was read."""
        self._meter = meter
        self._answered: Moment | None = None
        self._begun: int | None = None
        self._pressure = self._begun_pressure = NO_PRESSURE
        """The pressure at the last reading, and at the beginning of the open request."""
        self._begun_stalled = 0
        self._waited_before = 0
        self._delay: int | None = None
        self._waited_at_answer = 0

    # -- both ends of a request

    def read_delay(self) -> None:
        """Read the delay before a request on the fast path: any wait for a core until now belongs
        to the time before."""
        self._delay = self._meter.delay_ns()

    def asked(self, start: Moment, since: int = 0) -> None:
        """Begin a request that is about to be written, or was written `since` nanoseconds ago."""
        answered, self._answered = self._answered, None
        was_prompt = self.prompt_time > 0
        if answered is not None:
            self.rests = self._use_unasked(answered, start.cpu) <= WRITES_WITHIN
            self.unasked += start.time - answered.time
        has_waited = self._read_pressure()
        self._begun_stalled = self._meter.stalled_before
        was_at_rest = self.rests or since > 0  # as is each request on the fast path
        now = self._meter.begin(waits=not was_at_rest)
        before, self._delay = self._delay, now
        self.read_at = start.time
        self._begun = now
        if before is not None and now is not None:  # the rest is older
            self._begun = max(before, now - since)
        self._waited_before = 0
        if answered is not None and has_waited:
            told = 0 if was_prompt else (self._begun or 0) - (before or 0)
            self._waited_before = max(0, self._waited_since(answered, start) - told)

    def _read_pressure(self) -> bool:
        """Read the pressure as a request begins. Returns whether a thread may have been waiting for
        a core long enough to matter, judged by the total wait since the last reading, which saves
        looking at each thread."""
        before = self._pressure
        pressure = self._meter.pressure()
        if pressure is None:
            return True
        self._pressure = self._begun_pressure = pressure
        return pressure.some - before.some > WRITES_WITHIN

    def _use_unasked(self, answered: Moment, now: int) -> int:
        """The CPU time from the last measured answer to `now` that was used between requests:
        whatever exceeds what one thread can have used for the prompt answers."""
        cpu = now - answered.cpu
        prompt = min(cpu, ns(self.prompt_time))
        self.prompt_time = 0.0
        self.prompt += prompt
        self.pondered += cpu - prompt
        return cpu - prompt

    def _waited_since(self, answered: Moment, start: Moment) -> int:
        """How long the program, when asked, has been waiting for a core without a break, because it
        was displaced while it wrote its answer. The kernel reports such a wait only afterwards; a
        wait reported since the answer is another one, and over."""
        came = answered.came if answered.unread < PROMPT else answered.time
        idle = ns(start.time - max(came, self.prompt_came))
        if idle < WRITES_WITHIN or not self.rests or not self._meter.ready():
            return 0
        return 0 if self._meter.cpu_ns() > start.cpu else idle

    def start_of(self, begun: float, now: float) -> Moment:
        """The start of a request whose CPU time was not read at its beginning but is needed now:
        assumes that the program ran ever since, if it ran that much since the last reading."""
        cpu = self._meter.cpu_ns()
        before = cpu if self._answered is None else self._answered.cpu
        return Moment(begun, cpu - min(cpu - before, ns(now - begun)))

    def answered(self, came: Moment) -> None:
        """End the request, with an answer or because its time is over."""
        self._answered = came
        self._waited_at_answer = self._delay or 0

    def finished(self) -> None:
        """Read what the last prompt answers used, after the last request."""
        if self._answered is not None and self.prompt_time:
            self._use_unasked(self._answered, self._meter.cpu_ns())
            self._answered = None

    # -- what a clock may ask

    def cpu(self) -> int:
        """CPU time so far, in nanoseconds."""
        return self._meter.cpu_ns()

    def ready(self) -> bool:
        """Whether the program would run now, if it had a core."""
        return self._meter.ready()

    def delay(self, wall: int, cpu: int) -> int | None:
        """The host's part: nanoseconds in which the program was ready but not running, in a request
        that so far took `wall` and used `cpu`. None where it is not measured."""
        if self._begun is None:
            return None
        if wall < PROMPT_NS:
            return 0
        self._delay = self._meter.delay_ns() or 0
        self.read_at = -FRESH_FOR  # the next request needs its own reading
        most = max(0, wall - cpu)
        if not self._meter.counts_all:
            most = min(most, int(wall * MAX_DELAY_PART))
        told = self._delay - self._begun - self._waited_before - self._meter.own_part(cpu)
        return most if told >= most else max(0, min(self._group_delay(), most), told)

    def _group_delay(self) -> int:
        """The delay that the kernel counts for the control group; 0 where it does not. Without
        the waits of threads that nobody asked."""
        pressure = self._meter.pressure()
        if pressure is None:
            return 0
        self._pressure = pressure
        return pressure.full - self._begun_pressure.full - self._meter.unasked

    def stalled(self, wall: int) -> int | None:
        """Nanoseconds in which the program waited for a disk or for memory, in a request that took
        `wall`, according to the kernel. Includes up to 50 ms of waiting before the request, since
        nothing is read as a request begins. None for a short request, or if not known."""
        now = None if wall < STALL_FROM else self._meter.stalled_ns()
        return None if now is None else min(now - self._begun_stalled, wall) or None

    def waited_since_answer(self) -> float:
        """Upper bound on the wait for a core since the last measured answer, in seconds."""
        return ((self._meter.delay_ns() or 0) - self._waited_at_answer) * 1e-9


# -- one request, by each clock ----------------------------------------------------------------


class Request:
    """One request with a bank in nanoseconds, on the wall clock."""

    __slots__ = ("bank", "begun", "late", "over", "patience", "sent", "start", "usage", "wake_at")

    def __init__(self, bank: int, patience: int, start: Moment, usage: Usage) -> None:
        self.bank = bank
        self.patience = patience
        self.start = start
        """The moment just before the write. CPU time counts from here."""
        self.sent = start.time
        """T0, the end of its write. Real time counts from here."""
        self.begun = start.time
        """When its write began."""
        self.usage = usage
        self.late = False
        """Whether a look found no line when the bank was used up."""
        self.over = False
        """Whether the patience is also used up, which ends the wait."""
        self.wake_at = self.deadline
        """When the arena intends to look next."""

    @property
    def deadline(self) -> float:
        """The earliest time at which the bank can be used up."""
        return self.sent + self.bank * 1e-9

    def written(self, begun: float, sent: float) -> None:
        """Note that the request is written, as far as the pipe takes it. A write takes
        microseconds; a longer one was displaced, most often by the program that it woke. Then the
        request counts from the beginning of the write, if the program has run since or is ready to.
        (Half of the requests that were undercharged by 5 to 10 ms had begun that way.)"""
        self.begun, self.sent = begun, sent
        if sent - begun > LONG_WRITE and (self.usage.cpu() > self.start.cpu or self.usage.ready()):
            self.sent = begun

    # -- looking

    def goes_on(self, now: float, loop_delay: LoopDelay) -> bool:
        """Whether to grant the time again when there is no line: the arena looks late without a
        reason, so the whole machine, and the program with it, may have stood still."""
        if now - self.wake_at < VERY_LATE:
            return False
        still = loop_delay.standstill(now, self.sent, self.wake_at)
        self.shift(still)
        return still > 0

    def shift(self, seconds: float) -> None:
        """Grant the time again, because the machine stood still."""
        self.sent += seconds

    def look(self, now: float) -> None:
        """Note a look that found no line."""
        used = self._used_at_least(now)
        self.late = used >= self.bank
        self.over = used >= self.bank * self.patience

    def _used_at_least(self, now: float) -> int:
        return ns(now - self.sent)

    def next_look(self, now: float) -> float:
        """When to look again if nothing arrives."""
        self.wake_at = self.sent + self.bank * (self.patience if self.late else 1) * 1e-9
        return self.wake_at

    # -- what an answer costs

    def is_late(self, line: Moment) -> bool:
        """Whether a line came too late: an earlier look decided so, or the line came exactly at the
        deadline, and did not lie unread."""
        return self.late or (
            line.time == self.deadline and self._charge(*self._times(line)) >= self.bank
        )

    def cost(self, line: Moment, *, missed: bool = False) -> Cost:
        """The cost of an answer read at that moment."""
        wall, cpu, delay = self._times(line)
        charged = min(self._charge(wall, cpu, delay), max(self.bank - 1, 0))
        unread = None if missed else ns(line.unread)
        charged = self.bank if missed else charged
        stalled = self.usage.stalled(wall)
        return Cost(charged, wall, cpu, delay, held_up=unread or None, stalled=stalled)

    def _times(self, line: Moment) -> tuple[int, int, int | None]:
        """Real time, CPU time and delay, from T0 to T1.

        A program that displaces the arena from its core runs before the arena can read the clock
        after the write, so its real time is at least its CPU time.
        """
        cpu = line.cpu - self.start.cpu
        wall = max(0, ns(line.came - self.sent), min(cpu, ns(line.came - self.begun)))
        return wall, cpu, self.usage.delay(wall, cpu)

    def _charge(self, wall: int, cpu: int, delay: int | None) -> int:
        return wall


class CappedRequest(Request):
    """A request on the CPU or fair clock, where the end of the bank is not known in advance."""

    __slots__ = ("cap",)

    def __init__(self, bank: int, patience: int, start: Moment, usage: Usage) -> None:
        super().__init__(bank, patience, start, usage)
        self.cap = start.time + CAP_BANKS * bank * patience * 1e-9 + CAP_EXTRA
        """The real time that ends the wait."""

    def shift(self, seconds: float) -> None:
        """See `Request`."""
        super().shift(seconds)
        self.cap += seconds

    def look(self, now: float) -> None:
        """See `Request`."""
        if now >= self.cap:
            self.late = self.over = True
        else:
            super().look(now)


class CpuRequest(CappedRequest):
    """A request on the CPU clock. An answer counts if less than the bank was used when it was read,
    however long that took."""

    __slots__ = ()

    def _used_at_least(self, now: float) -> int:
        return self.usage.cpu() - self.start.cpu

    def next_look(self, now: float) -> float:
        """The earliest moment at which the bank can be used up, on all cores at once."""
        left = self.bank * self.patience - self._used_at_least(now)
        self.wake_at = min(self.cap, now + max(CLOCK_INTERVAL, left * 1e-9 / CORES))
        return self.wake_at

    def is_late(self, line: Moment) -> bool:
        """See `Request`."""
        return line.cpu - self.start.cpu >= self.bank or line.time >= self.cap

    def _charge(self, wall: int, cpu: int, delay: int | None) -> int:
        return cpu


class FairRequest(CappedRequest):
    """A request on the fair clock.

    The kernel reports the delay of a thread that waits for a core only once the thread runs. So if
    the bank seems to be used up and the program is ready to run, the arena looks again every 5 ms:
    once the program has run, its wait is known up to the previous look. A program that sleeps has
    no such delay and loses at once, as does one that has used the bank as CPU time.
    """

    __slots__ = ("_left", "_looked", "_seen", "_waits_since")

    def __init__(self, bank: int, patience: int, start: Moment, usage: Usage) -> None:
        super().__init__(bank, patience, start, usage)
        self._left = bank
        self._looked = self._waits_since = start.time
        self._seen: tuple[int, int] | None = None

    def _used_at_least(self, now: float) -> int:
        wall = ns(now - self.sent)
        if wall < self.bank:  # then less is used, whatever the delay
            self._left = self.bank - wall
            return wall
        cpu = self.usage.cpu() - self.start.cpu
        used = wall - (self.usage.delay(wall, cpu) or 0)
        least = max(used - self._waiting(now, cpu, wall - used), min(used, cpu))
        self._left = self.bank * (self.patience if least >= self.bank else 1) - used
        return least

    def _waiting(self, now: float, cpu: int, delay: int) -> int:
        """How long the program may have been waiting for a core without a break until now."""
        if (cpu, delay) != self._seen:  # ran since the previous look
            self._seen, self._waits_since = (cpu, delay), self._looked
        self._looked = now
        return ns(now - self._waits_since) if self.usage.ready() else 0

    def next_look(self, now: float) -> float:
        """When the bank can be used up, or 5 ms later."""
        left = self._left * 1e-9 if self._left > 0 else CLOCK_INTERVAL
        self.wake_at = min(self.cap, now + left)
        return self.wake_at

    def _charge(self, wall: int, cpu: int, delay: int | None) -> int:
        return wall - (delay or 0)


REQUESTS: dict[Clock, type[Request]] = {
    Clock.WALL: Request,
    Clock.FAIR: FairRequest,
    Clock.CPU: CpuRequest,
}


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


# -- all requests of one program ---------------------------------------------------------------


class TimeAccount:
    """The time of one program, request by request: `open` it or `put_off` its first reading, note
    that it is `written`, and `close` it, or `close_promptly`.

    Reads time only from `now` and from the meter.
    """

    def __init__(
        self,
        meter: Meter,
        timing: Timing,
        loop_delay: LoopDelay,
        now: Callable[[], float],
        *,
        fast: bool = True,
    ) -> None:
        """`now` is ``trio.current_time`` or quicker. `fast`: whether prompt answers may take the
        fast path."""
        self.usage = Usage(meter)
        self.request = Request(0, 1, Moment(0.0), self.usage)
        """The last request whose start was read."""
        self.prompt_until = 0.0
        """Until when an answer is prompt; 0 unless the open request is on the fast path, with the
        reading at its start put off."""
        self.was_prompt = False
        """Whether the last measured answer was prompt."""
        self._meter = meter
        self._loop_delay = loop_delay
        self._now = now
        self._kind = REQUESTS[timing.clock]
        self._start_up = StartUp(timing.start_up * NS_PER_MS, ns(now()))
        self._may_put_off = fast and timing.pondering and timing.clock is not Clock.CPU
        self._fresh_until = 0.0
        """Until when a request may be put off; 0 if the last answer left something open."""
        self._bank, self._patience = 0, 1
        """Of the request that is put off."""
        self._begun = self._sent = 0.0
        """When the write of the open request began and ended."""
        self._came = self._took = 0.0
        """When the last answer came, and the seconds that it took."""
        self._delay: int | None = None
        """The delay of a prompt answer; None where no delay is measured."""
        self._empty_at = 0.0
        """When a look last found no line."""

    @property
    def start_up(self) -> int | None:
        """Start-up time taken, in nanoseconds; None if none is allowed, or not known yet."""
        return self._start_up.taken

    # -- opening a request

    def put_off(self, bank: int, patience: int) -> bool:
        """Open a request on the fast path, which is about to be written, if the last answer left
        nothing open and the figures of the program are fresh. Returns whether it did."""
        now = self._now()
        pause = now - self._came
        if now >= self._fresh_until or pause >= PROMPT or bank <= PROMPT_NS:
            return False
        self._bank, self._patience, self._begun = bank, patience, now
        self.prompt_until = now + PROMPT
        if pause >= BRIEF or self._took >= BRIEF:
            self.usage.read_delay()
        return True

    def open(self, bank: int, patience: int) -> None:
        """Open a request that is about to be written."""
        self._open(bank, patience, Moment(self._now(), self._meter.cpu_ns()))
        self._begun = self._now()

    def _open(self, bank: int, patience: int, start: Moment, since: int = 0) -> None:
        if self.usage.prompt_time:
            self.usage.prompt_came = self._came
        self.usage.asked(start, since)
        bank += self._start_up.grace(ns(start.time))
        self.request = self._kind(bank, patience, start, self.usage)

    def written(self) -> None:
        """Note that the request is written, as far as the pipe takes it."""
        sent = self._sent = self._now()
        if not self.prompt_until:
            self.request.written(self._begun, sent)
        elif sent - self._begun > LONG_PROMPT_WRITE:
            self.read_start()

    def read_start(self) -> None:
        """Leave the fast path: make up for the reading at the start of the open request, if it was
        put off."""
        if self.prompt_until:
            self.prompt_until = 0.0
            now = self._now()
            start = self.usage.start_of(self._begun, now)
            self._open(self._bank, self._patience, start, ns(now - self._begun))
            self.request.written(self._begun, self._sent)

    def forbid_fast_path(self) -> None:
        """Measure the next request in full."""
        self._fresh_until = 0.0

    # -- waiting

    def moment(self) -> Moment:
        """The moment of a line that is read now, which may have lain unread while the arena did
        something else. But a program that sleeps now, or rests between requests, used its CPU time
        before it wrote the line, and a line that a look did not find came later than that look."""
        now, cpu, sent = self._now(), self._meter.cpu_ns(), self.request.sent
        unread = min(self._loop_delay.unread(now, sent), now - self._empty_at)
        if unread > PROMPT and (self.usage.rests or not self._meter.ready()):
            used = (cpu - self.request.start.cpu) * 1e-9
            unread = min(unread, max(0.0, now - sent - used))
        return Moment(now, cpu, unread)

    def found_no_line(self, now: float) -> None:
        """Note that a look at `now` found no line."""
        self._empty_at = now

    def look(self, now: float) -> bool:
        """Decide whether the bank, and the patience, are used up without a line. Returns False when
        the time is granted again instead, because the machine stood still."""
        if self.request.goes_on(now, self._loop_delay):
            return False
        self.request.look(now)
        return True

    # -- what the answer costs

    def close_promptly(self, came: float) -> Cost:
        """The cost of a prompt answer on the fast path."""
        self.prompt_until, self._came = 0.0, came
        self._took = took = came - self._begun
        self.usage.prompt_time += took
        wall = round((came - self._sent) * 1e9)
        return Cost(wall, wall, None, self._delay)

    def close(self, came: Moment, *, missed: bool = False) -> Cost:
        """The cost of a measured answer, or of its absence."""
        cost = self._start_up.settle(self.request.cost(came, missed=missed))
        self.usage.answered(came)
        self._came, self._took = came.time, came.time - self.request.begun
        self.was_prompt = not missed and self._took < PROMPT
        self._delay = None if cost.delay is None else 0
        self._fresh_until = 0.0
        return cost

    def allow_fast_path(self) -> None:
        """Let the next request take the fast path, after an answer that left nothing open."""
        if self._may_put_off and self.was_prompt and self.usage.rests:
            self._fresh_until = self.usage.read_at + FRESH_FOR

    def finish(self) -> None:
        """Account for the last prompt answers, at the end of the match."""
        self.usage.finished()
