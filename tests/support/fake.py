"""Programs without processes, and matches between them.

The pipes of a `ProgramPlayer` end in the test itself, so a mock clock controls all time and
scenarios are exact to the millisecond.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import trio
import trio.testing

from arena.core.clock import Clock
from arena.core.game import Setup
from arena.core.limits import Limits
from arena.core.lines import LineBuffer
from arena.core.table import Table
from arena.core.tally import Sum
from arena.match.play import header_for
from arena.match.referee import FinishedMatch, Referee
from arena.players.program import ProgramPlayer
from arena.players.terms import Grant, Timing
from arena.record.writer import Recorder
from arena.sandbox.child import Child
from arena.sandbox.keeper.messages import Exit
from arena.sandbox.loop_delay import UNMEASURED, LoopDelay
from arena.sandbox.usage.meter import Pressure, out_of_memory
from tests.tiny import TINY, TinySettings

MockClock = trio.testing.MockClock
MS = 1_000_000
CPU = Timing(Clock.CPU)
FAIR = Timing(Clock.FAIR)
FROZEN = Timing(pondering=False)


class FakeChild(Child):
    """The child for a `ProgramPlayer`, with the bot's ends of the pipes in `bot_*`."""

    def __init__(self) -> None:
        (theirs_in, stdin), (stdout, theirs_out), (stderr, theirs_err) = (
            os.pipe(),
            os.pipe(),
            os.pipe(),
        )
        for fd in (theirs_in, stdin, stdout, theirs_out, stderr, theirs_err):
            os.set_blocking(fd, False)
        super().__init__(None, os.getpid(), None, stdin, stdout, stderr)  # type: ignore[arg-type]  # no keeper here
        self.bot_stdin, self.bot_stdout, self.bot_stderr = theirs_in, theirs_out, theirs_err
        self.kills = 0
        self.leaving = False

    def is_leaving(self) -> bool:
        """The value set by the scenario."""
        return self.leaving

    async def kill(self) -> None:
        """Exit as if killed by the keeper: by a signal, unless it has left before."""
        self.kills += 1
        self.leave(Exit(None, "SIGKILL", 0.0))
        await trio.lowlevel.checkpoint()

    def leave(self, end: Exit) -> None:
        """The program ends."""
        if self.exit is None:
            self.exit = end
            self.exited.set()
            self.close_bot()

    def close_bot(self) -> None:
        """Close the bot's ends."""
        for name in ("bot_stdin", "bot_stdout", "bot_stderr"):
            descriptor = getattr(self, name)
            if descriptor >= 0:
                setattr(self, name, -1)
                trio.lowlevel.notify_closing(descriptor)
                os.close(descriptor)


class FakeMeter:
    """A `Meter` whose values are set by a scenario."""

    counts_all = True

    def __init__(self) -> None:
        self.bytes = 1 << 20
        self.cpu = 0
        self.delay: int | None = 0
        self.pressed: Pressure | None = None
        self.stalled: int | None = None
        self.stalled_before = 0
        self.unasked = 0
        self.threads = 1
        self.killed = 0
        self.machine_is_full = False
        self.frozen = False
        self.freezes = 0
        self.resists = 0
        """CPU nanoseconds used after each attempt to freeze the program, which then fails."""
        self.closed = False
        self.gave_way: list[bool] = []
        self.is_ready = False

    def memory(self) -> int:
        """The value set by the scenario."""
        return self.bytes

    async def shared_once(self) -> None:
        """The value set by the scenario."""

    def peak_memory(self) -> int:
        """The value set by the scenario."""
        return self.bytes

    def cpu_ns(self) -> int:
        """The value set by the scenario."""
        return self.cpu

    def delay_ns(self) -> int | None:
        """The value set by the scenario."""
        return self.delay

    def begin(self, *, waits: bool) -> int | None:
        """Begin a request without earlier waiting."""
        return self.delay_ns()

    def own_part(self, cpu: int) -> int:
        """Always 0."""
        return 0

    def pressure(self) -> Pressure | None:
        """The value set by the scenario."""
        return self.pressed

    def stalled_ns(self) -> int | None:
        """The value set by the scenario."""
        return self.stalled

    def ready(self) -> bool:
        """The value set by the scenario."""
        return self.is_ready

    def tasks(self) -> int:
        """The value set by the scenario."""
        return self.threads

    def oom_kills(self) -> int:
        """The value set by the scenario."""
        if self.machine_is_full:
            raise out_of_memory(self.bytes, None)
        return self.killed

    def refused_forks(self) -> int:
        """Always 0."""
        return 0

    def intact(self) -> bool:
        """Always true."""
        return True

    def freeze(self) -> bool:
        """Record the call."""
        self.freezes += not self.frozen
        self.frozen = True
        self.cpu += self.resists
        return not self.resists

    def thaw(self) -> None:
        """Record the call."""
        self.frozen = False

    def give_way(self, low: bool) -> None:
        """Record the call."""
        self.gave_way.append(low)

    def close(self) -> None:
        """Record the call."""
        self.closed = True


class Bot:
    """The bot's ends of the pipes, for use by a scenario."""

    def __init__(self, child: FakeChild, meter: FakeMeter) -> None:
        self.child = child
        self.meter = meter
        self._lines: list[bytes] = []
        self._buffer = LineBuffer()

    async def request(self) -> str:
        """Read up to the next ``go`` line."""
        while True:
            while self._lines:
                line = self._lines.pop(0)
                if line.startswith(b"go"):
                    return line.decode()
            await trio.lowlevel.wait_readable(self.child.bot_stdin)
            data = os.read(self.child.bot_stdin, 65536)
            if not data:
                raise EOFError
            self._lines += self._buffer.feed(data)

    async def say(self, text: str | bytes) -> None:
        """Write, waiting while the pipe is full."""
        data = text.encode() if isinstance(text, str) else text
        while data:
            try:
                data = data[os.write(self.child.bot_stdout, data) :]
            except BlockingIOError:
                await trio.lowlevel.wait_writable(self.child.bot_stdout)


Scenario = Callable[[Bot], Awaitable[None]]


@asynccontextmanager
async def fake_program(
    scenario: Scenario,
    name: str = "fake",
    *,
    limits: Limits = Limits(),  # noqa: B008  # frozen
    timing: Timing = Timing(),  # noqa: B008
    grant: Grant | None = None,
    loop_delay: LoopDelay = UNMEASURED,
) -> AsyncIterator[ProgramPlayer]:
    """A program that runs the scenario, and exits with 0 when the scenario returns."""
    child, meter = FakeChild(), FakeMeter()

    async def act() -> None:
        with suppress(EOFError, trio.ClosedResourceError, OSError):
            await scenario(Bot(child, meter))
        child.leave(Exit(0, None, 0.0))

    program = ProgramPlayer(
        name, child, limits, meter=meter, timing=timing, grant=grant, loop_delay=loop_delay
    )
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(act)
            yield program
            nursery.cancel_scope.cancel()
    finally:
        close_fake(program, child)


def close_fake(program: ProgramPlayer, child: FakeChild) -> None:
    """Close all descriptors of a program that is none, after its match."""
    program.close()
    child.close_bot()
    child.close()


async def obedient(bot: Bot) -> None:
    """Bids 1 whenever asked, until the end of input."""
    while True:
        await bot.request()
        await bot.say("1\n")


async def mute(bot: Bot) -> None:
    """Never reads or answers."""
    await trio.sleep_forever()


def thinks(*seconds: float) -> Scenario:
    """Answers 1 after the given numbers of seconds; the last number repeats forever."""

    async def scenario(bot: Bot) -> None:
        for i in range(10**6):
            await bot.request()
            await trio.sleep(seconds[min(i, len(seconds) - 1)])
            await bot.say("1\n")

    return scenario


def works(wall: float, cpu: int, delay: int = 0) -> Scenario:
    """Answers each request after `wall` seconds, having used `cpu` and waited `delay` ms."""

    async def scenario(bot: Bot) -> None:
        while True:
            await bot.request()
            bot.meter.is_ready = True
            await trio.sleep(wall)
            bot.meter.is_ready = False
            bot.meter.cpu += cpu * MS
            assert bot.meter.delay is not None
            bot.meter.delay += delay * MS
            await bot.say("1\n")

    return scenario


async def play(
    *scenarios: Scenario,
    timing: Timing = Timing(),  # noqa: B008  # frozen
    grant: Grant | None = None,
    limits: Limits = Limits(),  # noqa: B008
    replay: Path | None = None,
    sequential: bool = False,
    **settings: Any,
) -> FinishedMatch:
    """One match of the tiny game between scenarios."""
    setup = Setup("1", len(scenarios), TinySettings(**settings))
    header = header_for(TINY, setup, ["a", "b"], timing)
    async with AsyncExitStack() as stack:
        listeners = [stack.enter_context(Recorder(replay, header))] if replay else []
        players = [
            await stack.enter_async_context(
                fake_program(scenario, timing=timing, grant=grant, limits=limits)
            )
            for scenario in scenarios
        ]
        table = Table(TINY, setup)
        referee = Referee(
            table, players, listeners=listeners, sequential=sequential, clock=timing.clock
        )
        return await referee.run()


def faults(result: FinishedMatch, seat: int = 0) -> dict[str, int]:
    """Number of faults of a seat, by code."""
    return {code: fault.count for code, fault in result.seats[seat].tally.faults.items()}


def first_fault(result: FinishedMatch, code: str) -> str:
    """The text of the first seat's first fault with this code."""
    return result.seats[0].tally.faults[code].detail


def measured(figure: Sum | None) -> Sum:
    """Assert that a figure was measured."""
    assert figure is not None
    return figure


def fill_pipe(descriptor: int) -> None:
    """Fill a pipe completely."""
    with suppress(BlockingIOError):
        while True:
            os.write(descriptor, b"x" * 65536)
