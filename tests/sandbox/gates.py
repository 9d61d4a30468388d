"""Shell programs that are prepared, and wait at their gates. (Without pytest: arenas that are
killed import it too.)"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import trio

from arena.core.limits import Limits
from arena.sandbox.child import Child
from arena.sandbox.children import Children
from arena.sandbox.keeper import proc
from arena.sandbox.keeper.main import KEEPER_NAME
from arena.sandbox.keeper.messages import SpawnRequest
from arena.sandbox.levels import Level
from arena.sandbox.placement import Program, bot_request
from arena.sandbox.prestart import PrestartSpec

SAY = "echo $$; read end"


def recipe(children: Children, folder: Path, level: Level, code: str = SAY) -> PrestartSpec:
    """Of a shell program."""

    @contextmanager
    def own() -> Iterator[Path]:
        place = folder / os.urandom(4).hex()
        place.mkdir()
        yield place
        place.rmdir()

    def request(place: Path) -> SpawnRequest:
        program = Program(("/bin/sh", "-c", code), (), place)
        return bot_request(program, level, Limits(), children.keeper)

    return PrestartSpec(("test", level), own, request)


async def reach_gate(children: Children, child: Child, level: Level) -> None:
    """Wait until its walls stand: the first process behind them waits for the gate."""
    await child.spawned.wait()
    with trio.fail_after(60):
        while not _waits(child.pid, level):  # noqa: ASYNC110  # no event tells us
            await trio.sleep(0.005)


def _waits(pid: int, level: Level) -> bool:
    last = [pid, *proc.descendants(pid)][-1]
    name = "sh" if level in (Level.SANDBOX, Level.CGROUP) else KEEPER_NAME
    command = proc.read(f"/proc/{last}/comm").decode()
    return name in command and b"pipe" in proc.read(f"/proc/{last}/wchan")
