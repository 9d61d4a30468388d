"""What the commands of one build may use.

Without walls that is not limited. Behind walls the limits are kept in these ways:

* the size of **one file** by the kernel, and so are **processes**, except at the level guard: there
  by looking;
* **memory** by the kernel where there are control groups; otherwise, as that of bots, by a look at
  all processes every `TICK` seconds;
* **CPU time**, of all commands together, the **size of the staged folder** and what is printed by
  looking.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Protocol

import trio

from arena.bots.staging import Staged, StagingError, contents
from arena.core.limits import Limits
from arena.errors import MachineError
from arena.sandbox.child import Child
from arena.sandbox.levels import Level
from arena.sandbox.usage.choice import meter_of
from arena.sandbox.usage.meter import Meter
from arena.text import size_text

LIMITS = Limits(processes=64, files=1024, file_size=100 << 20, disk=256 << 20)
"""Of each command; `disk` is its ``/tmp``."""
CPU_SECONDS = 60.0
STAGED_SIZE = 1 << 30
STAGED_ENTRIES = 100_000
PRINTED = 64 << 20
"""Bytes of output after which a command is stopped."""
TICK = 0.05
TICKS_TO_FILES = 10
"""Ticks from one look at the staged folder to the next."""


class Allowance(Protocol):
    """What the commands of one build may use. Each problem is a text: "it needed more than …"."""

    def measuring(self, child: Child) -> AbstractContextManager[None]:
        """To be entered while a command and what it started may run. The other methods that look
        at processes need it."""

    async def exceeded(self) -> str:
        """Wait until a limit is exceeded, and say which."""

    async def last_look(self) -> str | None:
        """The limit that a command exceeded in its last moment. To be called once, at its end."""

    def files(self) -> str | None:
        """What is wrong with the staged folder."""

    def printed(self, size: int) -> str | None:
        """What is wrong with so many bytes of output."""


class Unlimited:
    """The allowance of builds without walls."""

    @contextmanager
    def measuring(self, child: Child) -> Iterator[None]:
        """Measure nothing."""
        yield

    async def exceeded(self) -> str:
        """Never."""
        await trio.sleep_forever()
        raise AssertionError

    async def last_look(self) -> None:
        """Nothing is wrong."""

    def files(self) -> None:
        """Nothing is wrong."""

    def printed(self, size: int) -> None:
        """Nothing is wrong."""


class Limited:
    """The allowance of builds behind walls."""

    def __init__(self, what: str, staged: Staged, level: Level) -> None:
        self._what = what
        self._staged = staged
        self._level = level
        self._earlier_cpu = 0.0
        """Seconds that commands have used that have ended."""
        self._meter: Meter
        """Of the command that runs."""

    @contextmanager
    def measuring(self, child: Child) -> Iterator[None]:
        """Measure what the command uses."""
        with closing(meter_of(child, LIMITS, self._level)) as self._meter:
            yield

    async def exceeded(self) -> str:
        """Wait until a limit is exceeded, and say which."""
        ticks = 0
        while True:
            await trio.sleep(TICK)
            ticks += 1
            problem = await self._excess()
            if problem is None and ticks % TICKS_TO_FILES == 0:
                problem = self.files()
            if problem is not None:
                return problem

    async def last_look(self) -> str | None:
        """The limit that a command exceeded in its last moment."""
        problem = await self._excess()
        self._earlier_cpu += self._meter.cpu_ns() / 1e9
        return problem

    async def _excess(self) -> str | None:
        assert LIMITS.memory is not None
        meter = self._meter
        try:
            memory, killed, tasks = meter.memory(), meter.oom_kills(), meter.tasks()
            if memory > LIMITS.memory:
                memory = await meter.shared_once() or memory
            cpu = self._earlier_cpu + self._meter.cpu_ns() / 1e9
        except OSError as error:
            problem = f"cannot {self._what}: what it uses cannot be read: {error}"
            raise MachineError(problem) from error
        if memory > LIMITS.memory or killed:
            return f"it needed more than {size_text(LIMITS.memory)} of memory"
        if tasks > LIMITS.processes:
            return f"it had more than {LIMITS.processes} processes and threads"
        if cpu > CPU_SECONDS:
            return f"it used more than {CPU_SECONDS:.0f} s of CPU time"
        return None

    def files(self) -> str | None:
        """What is wrong with the staged folder."""
        size = 0
        try:
            for number, (_, status) in enumerate(contents(self._staged.place)):
                size += status.st_blocks * 512
                if size > STAGED_SIZE or number > STAGED_ENTRIES:
                    return f"it wrote more than {size_text(STAGED_SIZE)} or {STAGED_ENTRIES} files"
        except StagingError as error:
            return f"it made {error}"
        return None

    def printed(self, size: int) -> str | None:
        """What is wrong with so many bytes of output."""
        return f"it printed more than {size_text(PRINTED)}" if size > PRINTED else None
