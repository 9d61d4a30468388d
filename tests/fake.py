"""Programs without processes: a `Program` whose pipes end in this very test, so that a mock clock
rules all time and a scenario is exact to the millisecond."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import trio

from arena.limits import Limits
from arena.lines import LineBuffer
from arena.players.program import Program
from arena.players.request import Timing
from arena.sandbox.children import Child, Exit


class FakeChild(Child):
    """What `Program` needs of a child, with the bot's ends of the pipes in `bot_*`."""

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

    async def kill(self) -> None:
        """As the keeper would: it exits, by a signal unless it has left before."""
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
    """A `Meter` whose figures a scenario sets."""

    def __init__(self) -> None:
        self.bytes = 1 << 20
        self.cpu = 0
        self.delay: int | None = 0
        self.threads = 1
        self.killed = 0
        self.frozen = False
        self.freezes = 0
        self.closed = False

    def memory(self) -> int:
        """As set."""
        return self.bytes

    def peak_memory(self) -> int:
        """As set."""
        return self.bytes

    def cpu_ns(self) -> int:
        """As set."""
        return self.cpu

    def delay_ns(self) -> int | None:
        """As set."""
        return self.delay

    def tasks(self) -> int:
        """As set."""
        return self.threads

    def oom_kills(self) -> int:
        """As set."""
        return self.killed

    def refused_forks(self) -> int:
        """None."""
        return 0

    def intact(self) -> bool:
        """Always."""
        return True

    def freeze(self) -> None:
        """Remember it."""
        self.freezes += not self.frozen
        self.frozen = True

    def thaw(self) -> None:
        """Remember it."""
        self.frozen = False

    def close(self) -> None:
        """Remember it."""
        self.closed = True


class Bot:
    """The other end of the pipes, for a scenario to use."""

    def __init__(self, child: FakeChild, meter: FakeMeter) -> None:
        self.child = child
        self.meter = meter
        self._lines: list[bytes] = []
        self._buffer = LineBuffer()

    async def request(self) -> str:
        """Read on to the next ``go`` line."""
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
) -> AsyncIterator[Program]:
    """A program that behaves as the scenario says; when the scenario returns it exits with 0."""
    child, meter = FakeChild(), FakeMeter()

    async def act() -> None:
        with suppress(EOFError, trio.ClosedResourceError, OSError):
            await scenario(Bot(child, meter))
        child.leave(Exit(0, None, 0.0))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(act)
        program = Program(name, child, limits, meter=meter, timing=timing)
        yield program
        nursery.cancel_scope.cancel()
    child.close_bot()
    child.close()


async def obedient(bot: Bot) -> None:
    """Bids 1 whenever asked, until the end of input."""
    while True:
        await bot.request()
        await bot.say("1\n")
