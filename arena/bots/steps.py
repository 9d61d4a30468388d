"""The commands of one build, run one after the other.

A compiler does what a bot's author tells it: by ``#include "/etc/shadow"``, by endless templates,
or because a ``bot.toml`` names any command. So a build behind walls sees the system, the toolchains
and its own staged folder, the only one it may write to; it has no network and sees no other
process; and an `Allowance` limits its resources. Without walls it has the rights of the
caller. Its environment is fixed at every level (`sandbox.environment`).

Either way its time is limited and the beginning of its output is kept. After each command, its
whole process tree is ended before the next one starts, and before the caller examines the results.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Protocol

import trio

from arena.bots.cache import writable_home
from arena.bots.executables import find_command
from arena.bots.languages import programs
from arena.bots.staging import Staged, StagingError, Steps, contents, hand_over
from arena.bots.wasm import command as wasm
from arena.core.limits import Limits
from arena.errors import BotError, MachineError
from arena.sandbox.child import Child
from arena.sandbox.children import Children
from arena.sandbox.environment import Variables, of_hashes, outside
from arena.sandbox.installations import toolchain
from arena.sandbox.keeper.messages import SpawnRequest
from arena.sandbox.levels import Level, SandboxWish
from arena.sandbox.placement import BuildCommand, build_request
from arena.sandbox.probe import prove_level
from arena.sandbox.usage.choice import meter_of
from arena.sandbox.usage.meter import Meter
from arena.text import printable, size_text

# Resource limits for the commands of one build.
#
# Without walls there are none. Behind walls they are enforced as follows:
#
# * the size of **one file** and the number of **processes** by the kernel, except processes at the
#   level guard: by polling;
# * **memory** by the kernel if there are control groups; otherwise, as for bots, by polling all
#   processes every `TICK` seconds;
# * **CPU time** of all commands together, the **size of the staged folder** and the size of the
#   output by polling.

LIMITS = Limits(processes=64, files=1024, file_size=100 << 20, disk=256 << 20)
"""Limits of each command; `disk` is its ``/tmp``."""
CPU_SECONDS = 60.0
STAGED_SIZE = 1 << 30
STAGED_ENTRIES = 100_000
PRINTED = 64 << 20
"""Bytes of output after which a command is stopped."""
TICK = 0.05
TICKS_TO_FILES = 10
"""Ticks between checks of the staged folder."""


class Allowance(Protocol):
    """Resource limits of one build. Problems are texts: "it needed more than …"."""

    def measuring(self, child: Child) -> AbstractContextManager[None]:
        """Enter this while a command and its child processes may run. The other methods that
        inspect processes need it."""

    async def exceeded(self) -> str:
        """Wait until a limit is exceeded, and say which."""

    async def last_look(self) -> str | None:
        """The limit that a command exceeded in its last moment. Call it once, at the end."""

    def held_up(self) -> float:
        """Seconds for which the commands so far have waited for a core."""

    def files(self) -> str | None:
        """What is wrong with the staged folder."""

    def printed(self, size: int) -> str | None:
        """What is wrong with so many bytes of output."""


class Unlimited:
    """The allowance of a build without walls."""

    @contextmanager
    def measuring(self, child: Child) -> Iterator[None]:
        """Measure nothing."""
        yield

    async def exceeded(self) -> str:
        """Wait forever."""
        await trio.sleep_forever()
        raise AssertionError

    async def last_look(self) -> None:
        """Nothing is wrong."""

    def held_up(self) -> float:
        """Nothing is measured."""
        return 0.0

    def files(self) -> None:
        """Nothing is wrong."""

    def printed(self, size: int) -> None:
        """Nothing is wrong."""


class Limited:
    """The allowance of a build behind walls."""

    def __init__(self, what: str, staged: Staged, level: Level) -> None:
        self._what = what
        self._staged = staged
        self._level = level
        self._earlier_cpu = 0.0
        """CPU seconds of the commands that have ended."""
        self._earlier_delay = 0.0
        """Seconds for which they have waited for a core."""
        self._meter: Meter
        """The meter of the running command."""

    @contextmanager
    def measuring(self, child: Child) -> Iterator[None]:
        """Meter the command."""
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
        self._earlier_delay = self.held_up()
        return problem

    def held_up(self) -> float:
        """Seconds for which the commands so far have waited for a core."""
        with suppress(OSError):
            return self._earlier_delay + (self._meter.delay_ns() or 0) / 1e9
        return self._earlier_delay

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


# The first error of a compiler in one line, as a headline for the bot's author.

LENGTH = 240
"""Maximum characters of a headline."""
LINES = 1000
"""Maximum lines searched for an error."""
LINE = 1000
"""Maximum characters of a line that are searched."""

_ERROR = re.compile(
    r"\b(?:fatal |syntax |type |parse |internal compiler )?error\b(?!s\b)|undefined reference"
    r"|multiple definition|^\*\* \(\w+Error\)|\bFatal: |\bException\b",
    re.IGNORECASE,
)
_NO_ERROR = re.compile(
    r"\bwarnings?\b|\b(?:0|no) errors?\b|In file included|^== Comp", re.IGNORECASE
)
_PLACED = re.compile(r"^\S+?[:(]\d+(?:[:,]\d+)?\)?:")
"""A line that begins with a file and a line number, as in ``bot.go:3:2: undefined: x``."""
_OCAML_PLACE = re.compile(r'^File "([^"]*)", line (\d+)')
_RUST_PLACE = re.compile(r"^\s*--> (\S+)")
_FORTRAN_PLACE = re.compile(r"^(\S+:\d+):\d+:$")


def headline(said: str) -> str:
    """The line of a compiler's output with the first error and its location; the first line if
    none looks like an error; empty for no output."""
    lines = [line[:LINE].rstrip() for line in said.split("\n", LINES)[:LINES] if line.strip()]
    found = _first(lines)
    text = " ".join(_whole(lines, found).split()) if lines else ""
    return printable(text if len(text) <= LENGTH else f"{text[: LENGTH - 1]}…")


def _first(lines: Sequence[str]) -> int:
    """The index of the first error, else of the first line with a location, else 0."""
    own = [number for number, line in enumerate(lines) if not _NO_ERROR.search(line)]
    for pattern in (_ERROR, _PLACED):
        for number in own:
            if pattern.search(lines[number]):
                return number
    quiet = [number for number in own if not lines[number].startswith("#")]
    return (quiet or own or [0])[0]


def _whole(lines: Sequence[str], number: int) -> str:
    """That line, with a location or an error message from the line above or below."""
    line, above, below = lines[number], lines[:number], lines[number + 1 :]
    if line.endswith(":") or re.search(r"error: \[[\w-]+\]$", line):  # Haskell's
        return " ".join([line, *below[:1]])
    if line.startswith("error") and below and (found := _RUST_PLACE.match(below[0])):
        return f"{found[1]}: {line}"
    if line.startswith("Error"):
        for other in reversed(above):
            if found := _OCAML_PLACE.match(other):
                return f"{found[1]}:{found[2]}: {line}"
            if found := _FORTRAN_PLACE.match(other):
                return f"{found[1]}: {line}"
    return line


BUILD_SECONDS = 120
"""Maximum time to build one bot, without the time that its commands wait for a core."""
MAX_WAIT_SECONDS = 360
"""Maximum of the time that its commands may wait for a core: the CPU time that a build may use then
fits into the share of one of eight programs."""

OUTPUT_CAP = 32 * 1024
"""Bytes kept of a compiler's output: its first errors explain the others."""


async def run_steps(
    children: Children,
    sandbox: SandboxWish,
    what: str,
    steps: Steps,
    staged: Staged,
    variables: Variables,
) -> str:
    """Run the commands behind the walls that `sandbox` asks for (see `execute.execute`). Returns
    their output."""
    level = await prove_level(children, sandbox)
    build = Build(children, level, what, staged, variables)
    for step in steps:
        await build.run(step)
    return "".join(build.log)


class Build:
    """The build of one bot."""

    def __init__(
        self,
        children: Children,
        level: Level,
        what: str,
        staged: Staged,
        variables: Variables = (),
    ) -> None:
        self._children = children
        self._level = level
        self._what = what
        self._staged = staged
        self._variables = {**dict(of_hashes()), **dict(variables)}
        self._began = trio.current_time()
        self._allowance: Allowance = Unlimited()
        self._kept = bytearray()
        """The beginning of the current command's output."""
        self.log: list[str] = []
        """The output of each command."""
        if level is not Level.OFF:
            self._allowance = Limited(what, staged, level)
            staged.home.mkdir()
            if os.geteuid() == 0 and level is not Level.GUARD:
                hand_over(staged.entry)

    async def run(self, step: tuple[str, ...]) -> None:
        """Run one command. None of its processes survives this call."""
        self._kept = bytearray()
        async with self._children.running(self._request(step), name=_name(step)) as child:
            child.close_pipe("stdin")
            with self._allowance.measuring(child):
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._listen, step, child)
                    problem = await self._until_exit(step, child)
                    await child.kill()  # leftover processes hold its output open
            self._judge(step, child, problem)
            self.log.append(self._said())

    def _request(self, step: tuple[str, ...]) -> SpawnRequest:
        # Merge stdout and stderr, to keep the order of the output; anything left on stderr comes
        # from the walls.
        argv = ("/bin/sh", "-c", 'exec "$@" 2>&1', "sh", *step)
        staged = self._staged
        if self._level is Level.OFF:
            return SpawnRequest(argv, str(staged.files), self._outside())
        command = BuildCommand(
            argv=argv,
            workplace=staged.entry,
            home=staged.home,
            shown=_shown(step),
            has_user=staged.has_user,
        )
        try:
            request = build_request(command, self._level, LIMITS, self._children.keeper)
        except OSError as error:
            raise MachineError(f"cannot {self._what}: {error}") from error
        return request._replace(env={**request.env, **self._variables})

    def _outside(self) -> dict[str, str]:
        """The environment without walls, with a folder for compilers' own caches (Go's) where there
        is no home."""
        cache = {} if writable_home() else {"XDG_CACHE_HOME": str(self._staged.cache)}
        return {**outside(), **cache, **self._variables}

    async def _listen(self, step: tuple[str, ...], child: Child) -> None:
        """Read the output of a command to its end, and keep the beginning."""
        printed = 0
        while True:
            await trio.lowlevel.wait_readable(child.stdout)
            data = os.read(child.stdout, 1 << 16)
            if not data:
                return
            self._kept += data[: OUTPUT_CAP + 1 - len(self._kept)]  # + 1 shows that there was more
            printed += len(data)
            if problem := self._allowance.printed(printed):
                raise self._stopped(step, f": {problem}")

    async def _until_exit(self, step: tuple[str, ...], child: Child) -> str | None:
        """Wait until a command exits. Returns the limit that it exceeded in its last moment."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch, step)
            await child.exited.wait()
            nursery.cancel_scope.cancel()
        return await self._allowance.last_look()

    async def _watch(self, step: tuple[str, ...]) -> None:
        """Stop a command when it exceeds a limit."""
        while (deadline := self._deadline()) > trio.current_time():
            with trio.move_on_at(deadline):
                raise self._stopped(step, f": {await self._allowance.exceeded()}")
        raise self._stopped(step, f" after {BUILD_SECONDS} s")

    def _deadline(self) -> float:
        """When the time of the build is over, if its commands wait for no core from now on."""
        return self._began + BUILD_SECONDS + min(self._allowance.held_up(), MAX_WAIT_SECONDS)

    def _judge(self, step: tuple[str, ...], child: Child, problem: str | None) -> None:
        """Raise the error for a failed command, if it failed."""
        end = child.exit
        assert end is not None
        if problem := problem or self._allowance.files():
            raise self._stopped(step, f": {problem}")
        if not end.entered:
            said = child.last_words()
            raise MachineError(f"cannot {self._what}: its walls could not be put up: {said}")
        if end.code != 0:
            status = end.code if end.code is not None else end.signal
            raise self._failed(step, status)

    def _failed(self, step: tuple[str, ...], status: int | str | None) -> BotError:
        said = self._said()
        first = headline(said)
        wordless = f"{_name(step)} failed without a message (status {status}): run it by hand"
        return BotError(f"cannot {self._what}: {first or wordless}", said)

    def _stopped(self, step: tuple[str, ...], why: str) -> BotError:
        advice = "build it yourself and name the result"
        message = f"cannot {self._what}: {_name(step)} was stopped{why}: {advice}"
        return BotError(message, self._said())

    def _said(self) -> str:
        """The kept output as readable text."""
        text = self._kept[:OUTPUT_CAP].decode("utf-8", "replace")
        text = text.replace(f"{self._staged.files}/", "")  # the build folder is irrelevant
        return text if len(self._kept) <= OUTPUT_CAP else f"{text}\n… (the rest is cut)\n"


def _name(step: tuple[str, ...]) -> str:
    return os.path.basename(step[0])


def _shown(step: tuple[str, ...]) -> list[Path]:
    """Paths that a command sees besides the system: the toolchains of all languages, since ``make``
    may call any of them, and its own program if that belongs to the user (otherwise a bot could be
    shown any folder that it names: see `placement.bot_request`)."""
    own = [step[0]] if find_command(_name(step)) == step[0] else []
    found = [place for program in (*own, *programs()) for place in toolchain(program)]
    return list(dict.fromkeys([*found, *wasm.parts()]))
