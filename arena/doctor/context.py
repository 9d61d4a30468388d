"""The common base of all probes: start programs behind real walls and read their output."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import TypeVar

import trio

from arena.core.limits import Limits
from arena.doctor.inside import Task, decode, encode
from arena.errors import MachineError
from arena.sandbox.child import Child
from arena.sandbox.children import Children
from arena.sandbox.keeper import tempdirs
from arena.sandbox.levels import Level
from arena.sandbox.placement import Program, bot_request
from arena.sandbox.usage.choice import meter_of
from arena.sandbox.usage.meter import Meter

INSIDE = Path(__file__).with_name("inside.py")
MIB = 1 << 20
LIMITS = Limits(memory=256 * MIB, processes=64, disk=8 * MIB)
T = TypeVar("T", bound=tuple[object, ...])


def command_of(task: Task) -> list[str]:
    """The command that runs a task of `inside`."""
    return [sys.executable, "-I", "-S", str(INSIDE), encode(task)]


class ProbeContext:
    """One examination of this machine."""

    def __init__(self, children: Children, folder: Path, missing: dict[Level, str]) -> None:
        self.children = children
        self.folder = folder
        """A folder that only its owner can read."""
        self.missing = missing
        """Why levels are unavailable, strongest first."""
        self.best = next(
            level for level in (Level.CGROUP, Level.SANDBOX, Level.GUARD, Level.OFF)
            if level not in missing
        )  # fmt: skip
        self.level = self.best
        """The examined level."""

    @asynccontextmanager
    async def started(
        self, task: Task, level: Level | None = None, limits: Limits = LIMITS
    ) -> AsyncIterator[Inside]:
        """Run a task of `inside` for an ``async with`` block."""
        level = level or self.level
        async with self.running(command_of(task), [INSIDE], level, limits) as inside:
            yield inside

    @asynccontextmanager
    async def running(
        self, argv: list[str], parts: list[Path], level: Level, limits: Limits
    ) -> AsyncIterator[Inside]:
        """Like `started`, for any program. Raises like `Children.spawn`."""
        with tempfile.TemporaryDirectory(prefix=tempdirs.prefix()) as folder:
            program = Program(argv, parts, Path(folder))
            request = bot_request(program, level, limits, self.children.keeper)
            async with self.children.running(request, name="the doctor's program") as child:
                yield Inside(child, limits, level)

    async def hear(self, kind: type[T], task: Task, level: Level | None = None) -> T:
        """Run a task and return its first value, of type `kind`."""
        async with self.started(task, level) as inside:
            return await inside.hear(kind)


class Inside:
    """A running program behind walls and its output."""

    def __init__(self, child: Child, limits: Limits, level: Level) -> None:
        self.child = child
        self._limits = limits
        self._level = level
        self._buffer = b""

    async def hear_all(self, kind: type[T]) -> AsyncIterator[T]:
        """All values that the program says, of type `kind`, until the end of its output."""
        while (line := await self._line()) is not None:
            yield decode(line, kind)

    async def hear(self, kind: type[T]) -> T:
        """The next value that the program says, of type `kind`. Raises like `hear_line`."""
        return decode(await self.hear_line(), kind)

    async def hear_line(self) -> str:
        """The next line of output. Raises MachineError when the program ends instead."""
        line = await self._line()
        if line is None:
            with trio.move_on_after(1):
                await self.child.exited.wait()
            raise MachineError(
                self.last_words() or f"it ended without a message: {self.child.exit}"
            )
        return line

    async def _line(self) -> str | None:
        while b"\n" not in self._buffer:
            await trio.lowlevel.wait_readable(self.child.stdout)
            data = os.read(self.child.stdout, 1 << 16)
            if not data:
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode()

    def last_words(self) -> str:
        """The last line of the program's stderr."""
        said = self.child.last_words()
        return said.splitlines()[-1] if said else ""

    def tell(self, line: str) -> None:
        """Send a line to the program."""
        os.write(self.child.stdin, line.encode() + b"\n")

    def metered(self) -> closing[Meter]:
        """The program's meter, as in a match."""
        return closing(meter_of(self.child, self._limits, self._level))


async def soon(condition: Callable[[], bool], seconds: float = 2.0) -> bool:
    """Poll whether a condition becomes true within `seconds`, where no event announces it."""
    with trio.move_on_after(seconds):
        while not condition():  # noqa: ASYNC110
            await trio.sleep(0.001)
        return True
    return False
