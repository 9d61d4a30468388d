"""Debuggers: one that is attached to a bot from elsewhere, and Python's own at this terminal."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import trio

from arena.bots.program import BotProgram
from arena.cli.text.layout import say
from arena.cli.text.terminal import STDIN
from arena.text import safe

LOOK_EVERY = 0.1
"""Seconds between two looks for a debugger."""
PYTHONPATH = Path(__file__).with_name("pythonpath")
"""The folder with what `breakpoint()` calls."""


def at_terminal(program: BotProgram) -> BotProgram:
    """The same, where `breakpoint()` in Python talks to this terminal, if there is one. It must
    play without walls, which leave no terminal to open."""
    try:
        terminal = os.ttyname(STDIN)
    except OSError:
        return program
    variables = {
        "ARENA_TERMINAL": terminal,
        "PYTHONBREAKPOINT": "arena_breakpoint.stop",
        "PYTHONPATH": str(PYTHONPATH),
    }
    words = [f"{name}={value}" for name, value in variables.items()]
    return replace(program, argv=("/usr/bin/env", *words, *program.argv))


def waiting_for(name: str, seat: int) -> Callable[[int | None], Awaitable[None]]:
    """What waits for the author of the bot of that name and seat, once it runs."""

    async def wait(pid: int | None) -> None:
        who = f"player{seat + 1} {safe(name)}"
        say(f"arena: {who} runs as process {pid}, and was told nothing yet", err=True)
        say("arena: attach a debugger to it, or press Enter: then the match begins", err=True)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_until_enter, nursery.cancel_scope)
            await _until_traced(Path(f"/proc/{pid}/status"))
            nursery.cancel_scope.cancel()

    return wait


async def _until_enter(done: trio.CancelScope) -> None:
    """Until there is a line on stdin; without end where there is none to come."""
    with suppress(OSError):  # what cannot be waited for (a file, /dev/null) can be read at once
        await trio.lowlevel.wait_readable(STDIN)
    with suppress(OSError):
        if os.read(STDIN, 1 << 12):
            done.cancel()


async def _until_traced(status: Path) -> None:
    """Until a debugger is attached to the process, or it has ended. Only Linux tells."""
    if not status.parent.parent.joinpath("self").exists():
        await trio.sleep_forever()
    while not is_traced_or_gone(status):  # noqa: ASYNC110  # the kernel sends no event
        await trio.sleep(LOOK_EVERY)


def is_traced_or_gone(status: Path) -> bool:
    """Whether the process of this file in /proc has a debugger, or has ended."""
    try:
        lines = status.read_text().splitlines()
    except OSError:
        return True
    fields = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    return fields.get("TracerPid", "0") != "0" or fields.get("State", "").startswith("Z")
