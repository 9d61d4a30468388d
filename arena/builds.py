"""Building strangers' bots: each command behind the walls that bots have, within limits of its own.

A compiler is a program that a stranger steers: by ``#include "/etc/shadow"``, by templates without
end, or, in a ``bot.toml``, simply by naming it. So a build sees the system, the toolchains and its
own draft, in which alone it may write; it has no network and no other process; and when a command
has ended, its whole tree is ended before the next one starts, and before anybody looks at what it
left.

How the limits are kept:

* the size of **one file** by the kernel, and so are **processes**, but at the guard: there by
  looking;
* **memory** by the kernel where there are control groups; otherwise, as that of bots, by a look at
  all processes every `TICK` seconds;
* **CPU time**, of all commands together, the **size of the draft** and what is printed by looking;
* what the caller keeps of the **output**, and the time on the wall, as without walls.

Each build has a keeper of its own, which ends with it.
"""

from __future__ import annotations

import os
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arena import wasm
from arena.bots.workshop import Run, Steps
from arena.errors import BotError, HostFault
from arena.limits import Limits
from arena.run import keeper_running, run_with
from arena.sandbox.levels import Level, Wish

if TYPE_CHECKING:
    from arena.players.meter import Meter
    from arena.sandbox.children import Child, Children

LIMITS = Limits(processes=64, files=1024, file_size=100 << 20, disk=256 << 20)
"""Of each command; `disk` is its ``/tmp``."""
CPU_SECONDS = 60.0
DRAFT_SIZE = 1 << 30
DRAFT_ENTRIES = 100_000
PRINTED = 64 << 20
"""Bytes of output after which a command is stopped."""
TICK = 0.05
LOOK_AT_DRAFT = 10
"""Ticks from one look at the draft to the next."""


def behind(wish: Level | Wish) -> Run | None:
    """What executes the commands of builds for those who wish for such walls: for
    `arena.bots.find_bot`. None when none are wished for.

    It raises UsageError, before anything is executed, when the wish cannot be granted; and
    HostFault when walls that stood before could not be put up.
    """
    return None if wish is Level.OFF else partial(_run, wish)


def _run(wish: Level | Wish, what: str, steps: Steps, draft: Path) -> None:
    from arena.bots.draft import discard, seal

    try:
        with keeper_running(wish) as keeper:
            run_with(keeper, lambda children: _run_all(children, wish, what, steps, draft))
        seal(draft)
    except ValueError as error:
        discard(draft)
        raise BotError(f"cannot {what}: it leaves {error}") from None
    except BaseException:
        discard(draft)
        raise


async def _run_all(
    children: Children, wish: Level | Wish, what: str, steps: Steps, draft: Path
) -> None:
    from arena.bots.build import run_all_as_caller
    from arena.sandbox.choose import choose

    level = await choose(children, wish)
    if level is Level.OFF:
        return run_all_as_caller(what, steps, draft)
    build = Build(children, level, what, draft)
    for step in steps:
        await build.execute(step)
    return None


class Build:
    """The build of one bot behind walls."""

    def __init__(self, children: Children, level: Level, what: str, draft: Path) -> None:
        import trio

        from arena.bots.build import BUILD_SECONDS
        from arena.bots.draft import hand_over

        self._children = children
        self._level = level
        self._what = what
        self._draft = draft
        self._deadline = trio.current_time() + BUILD_SECONDS
        self._cpu = 0.0
        """Seconds that earlier commands have used."""
        self._kept = bytearray()
        """Of the output of the current command."""
        self._home = draft.with_name("home")
        self._home.mkdir()
        if os.geteuid() == 0 and level is not Level.GUARD:
            hand_over(draft)

    async def execute(self, step: tuple[str, ...]) -> None:
        """One command. Nothing of it runs when this returns or raises."""
        import trio

        from arena.players.launch import meter_of

        self._kept = bytearray()
        async with self._children.running(**self._order(step), name=_name(step)) as child:
            child.close_pipe("stdin")
            with closing(meter_of(child, LIMITS, self._level)) as meter:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._listen, step, child)
                    problem = await self._until_exit(step, child, meter)
                    await child.kill()  # whoever is left holds its output open
            self._judge(step, child, problem)

    async def _until_exit(self, step: tuple[str, ...], child: Child, meter: Meter) -> str | None:
        """Wait for its end; the limit that it exceeded in its last moment."""
        import trio

        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._watch, step, meter)
            await child.exited.wait()
            nursery.cancel_scope.cancel()
        problem = self._excess(meter)
        self._cpu += meter.cpu_ns() / 1e9
        return problem

    def _order(self, step: tuple[str, ...]) -> dict[str, Any]:
        from arena.sandbox.walls import build_order

        # Its own words in their order; what is left on stderr are those of the walls.
        argv = ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh", *step]
        shown = _shown(step)
        try:
            return build_order(
                argv, self._draft, self._home, self._level, LIMITS, shown, self._children.keeper.etc
            )
        except OSError as error:
            raise HostFault(f"cannot {self._what}: {error}") from error

    async def _listen(self, step: tuple[str, ...], child: Child) -> None:
        """Read its output to the end, and keep the beginning."""
        import trio

        from arena.bots.build import OUTPUT_CAP

        printed = 0
        while True:
            await trio.lowlevel.wait_readable(child.stdout)
            data = os.read(child.stdout, 1 << 16)
            if not data:
                return
            self._kept += data[: OUTPUT_CAP + 1 - len(self._kept)]
            printed += len(data)
            if printed > PRINTED:
                raise self._stopped(step, f"it printed more than {PRINTED >> 20} MB")

    async def _watch(self, step: tuple[str, ...], meter: Meter) -> None:
        """Stop it when it exceeds a limit."""
        import trio

        ticks = 0
        while trio.current_time() < self._deadline:
            await trio.sleep(TICK)
            ticks += 1
            problem = self._excess(meter)
            if problem is None and ticks % LOOK_AT_DRAFT == 0:
                problem = self._too_large()
            if problem is not None:
                raise self._stopped(step, problem)
        from arena.bots.build import BUILD_SECONDS

        raise self._stopped(step, f"it took longer than {BUILD_SECONDS} s")

    def _excess(self, meter: Meter) -> str | None:
        """Which limit is exceeded."""
        assert LIMITS.memory is not None
        try:
            memory, killed, tasks = meter.memory(), meter.oom_kills(), meter.tasks()
            cpu = self._cpu + meter.cpu_ns() / 1e9
        except OSError as error:
            raise HostFault(f"cannot {self._what}: what it uses cannot be read: {error}") from error
        if memory > LIMITS.memory or killed:
            return f"it needed more than {LIMITS.memory >> 20} MB of memory"
        if tasks > LIMITS.processes:
            return f"it had more than {LIMITS.processes} processes and threads"
        if cpu > CPU_SECONDS:
            return f"it used more than {CPU_SECONDS:.0f} s of CPU time"
        return None

    def _too_large(self) -> str | None:
        from arena.bots.draft import entries

        size = 0
        try:
            for number, (_, status) in enumerate(entries(self._draft.parent)):
                size += status.st_blocks * 512
                if size > DRAFT_SIZE or number > DRAFT_ENTRIES:
                    return f"it wrote more than {DRAFT_SIZE >> 20} MB or {DRAFT_ENTRIES} files"
        except ValueError as error:
            return f"it made {error}"
        return None

    def _judge(self, step: tuple[str, ...], child: Child, problem: str | None) -> None:
        """Raise what its end calls for."""
        end = child.exit
        assert end is not None
        if problem := problem or self._too_large():
            raise self._stopped(step, problem)
        if not end.entered:
            said = child.last_words()
            raise HostFault(f"cannot {self._what}: the walls around it did not stand: {said}")
        if end.code != 0:
            from arena.bots.build import failed

            status = end.code if end.code is not None else end.signal
            raise failed(self._what, _name(step), status, self._kept)

    def _stopped(self, step: tuple[str, ...], why: str) -> BotError:
        from arena.bots.build import text_of

        advice = "build it yourself and name the result"
        message = f"cannot {self._what}: {_name(step)} was stopped: {why}: {advice}"
        return BotError(message, text_of(self._kept))


def _name(step: tuple[str, ...]) -> str:
    return os.path.basename(step[0])


def _shown(step: tuple[str, ...]) -> list[Path]:
    """The toolchains of all languages, since ``make`` may call any of them, and its own program if
    that is one of the user's own (not one of the bot's choice: see `walls.order`)."""
    from arena.bots.executables import find_command
    from arena.bots.languages import programs
    from arena.sandbox.bubblewrap import toolchain

    own = [step[0]] if find_command(_name(step)) == step[0] else []
    found = [place for program in (*own, *programs()) for place in toolchain(program)]
    return list(dict.fromkeys([*found, *(wasm.parts() if wasm.is_wasm(step) else ())]))
