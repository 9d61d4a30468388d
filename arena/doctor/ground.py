"""What every probe stands on: the keeper's bots, a folder, programs started behind real walls."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import trio

from arena.errors import HostFault
from arena.limits import Limits
from arena.players.launch import meter_of
from arena.players.meter import Meter
from arena.sandbox import folders
from arena.sandbox.children import Child, Children
from arena.sandbox.levels import Level
from arena.sandbox.walls import Placed, order

INSIDE = Path(__file__).with_name("inside.py")
MB = 1 << 20
LIMITS = Limits(memory=256 * MB, processes=64, disk=8 * MB)


class Ground:
    """One examination of this machine."""

    def __init__(self, children: Children, folder: Path, missing: dict[Level, str]) -> None:
        self.children = children
        self.folder = folder
        """A folder that only its owner can read."""
        self.missing = missing
        """Why levels are not to be had, strongest first."""
        self.best = next(
            level for level in (Level.CGROUP, Level.SANDBOX, Level.GUARD, Level.OFF)
            if level not in missing
        )  # fmt: skip
        self.level = self.best
        """The level whose walls are examined."""

    @asynccontextmanager
    async def started(
        self, task: str, level: Level | None = None, limits: Limits = LIMITS, **given: Any
    ) -> AsyncIterator[Inside]:
        """A task of the program inside, running for the time of an ``async with``."""
        argv = [sys.executable, "-I", "-S", str(INSIDE), task, json.dumps(given)]
        async with self.running(argv, [INSIDE], level or self.level, limits) as inside:
            yield inside

    @asynccontextmanager
    async def running(
        self, argv: list[str], parts: list[Path], level: Level, limits: Limits
    ) -> AsyncIterator[Inside]:
        """Any program, likewise. Raises what `Children.spawn` raises."""
        with tempfile.TemporaryDirectory(prefix=folders.prefix()) as folder:
            arguments = order(
                Placed(argv, parts, Path(folder)), level, limits, self.children.keeper.etc
            )
            async with self.children.running(**arguments, name="the doctor's program") as child:
                yield Inside(child, limits, level)

    async def hear(self, task: str, level: Level | None = None, **given: Any) -> dict[str, Any]:
        """The first thing that a task says."""
        async with self.started(task, level, **given) as inside:
            return await inside.hear()


class Inside:
    """A program behind walls, and what it says."""

    def __init__(self, child: Child, limits: Limits, level: Level) -> None:
        self.child = child
        self._limits = limits
        self._level = level
        self._buffer = b""

    async def lines(self) -> AsyncIterator[dict[str, Any]]:
        """All that it says, to the end of its output."""
        while (said := await self._line()) is not None:
            yield said

    async def hear(self) -> dict[str, Any]:
        """The next thing that it says. Raises HostFault when it ends instead."""
        said = await self._line()
        if said is None:
            with trio.move_on_after(1):
                await self.child.exited.wait()
            raise HostFault(self.last_words() or f"it ended without a word: {self.child.exit}")
        return said

    async def _line(self) -> dict[str, Any] | None:
        while b"\n" not in self._buffer:
            await trio.lowlevel.wait_readable(self.child.stdout)
            data = os.read(self.child.stdout, 1 << 16)
            if not data:
                return None
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\n")
        return dict(json.loads(line))

    def last_words(self) -> str:
        """The last line of its stderr."""
        said = self.child.last_words()
        return said.splitlines()[-1] if said else ""

    def tell(self, line: str) -> None:
        """Give it a line to read."""
        os.write(self.child.stdin, line.encode() + b"\n")

    def metered(self) -> closing[Meter]:
        """What measures it, as in a match."""
        return closing(meter_of(self.child, self._limits, self._level))

    async def kill_ms(self) -> float:
        """End its tree; how long that took."""
        start = trio.current_time()
        await self.child.kill()
        return (trio.current_time() - start) * 1000


async def soon(condition: Callable[[], bool], seconds: float = 2.0) -> bool:
    """Whether it comes true within so many seconds. For what no event announces."""
    with trio.move_on_after(seconds):
        while not condition():  # noqa: ASYNC110
            await trio.sleep(0.001)
        return True
    return False
