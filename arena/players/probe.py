"""Trying out how a program talks, outside a match: what it says when its input ends, or while it is
asked the same again and again."""

from __future__ import annotations

import os

import trio
from msgspec import Struct

from arena.players.player import Player
from arena.players.process import READ_SIZE, ProcessPlayer
from arena.sandbox.child import Child

ENOUGH = 1 << 16
"""Bytes of output that are read at most."""


def child_of(player: Player) -> Child | None:
    """The program behind a player; None where there is none."""
    return player.child if isinstance(player, ProcessPlayer) else None


def take_stderr(player: Player) -> None:
    """Take what a program has written to stderr by now."""
    if isinstance(player, ProcessPlayer):
        player.read_stderr()


def usage(player: Player) -> tuple[float, int]:
    """Seconds of CPU time that a program has used so far, and its processes and threads now."""
    if not isinstance(player, ProcessPlayer):
        return 0.0, 0
    return player.meter.cpu_ns() * 1e-9, player.meter.tasks()


class Heard(Struct, frozen=True):
    """What came of a program that was told a text."""

    lines: list[str]
    """Lines of its stdout, complete ones."""
    rest: str
    """What came after the last newline."""
    took: bool
    """Whether it took all of the text."""


async def listen(
    child: Child, text: str, within: float, *, skip: int = 0, close: bool = False
) -> Heard:
    """Tell it `text`, then close its input if asked to, and wait until it has said more than `skip`
    lines, for so many seconds at most; what came after those."""
    heard, took = bytearray(), False

    async def tell() -> None:
        nonlocal took
        await _write(child, text.encode())
        took = True
        if close:
            child.close_pipe("stdin")

    with trio.move_on_after(within):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(tell)
            nursery.start_soon(_drain, child)
            await _read(child, heard, skip + 1)
            nursery.cancel_scope.cancel()
    lines = [line.strip() for line in heard.decode(errors="backslashreplace").split("\n")]
    return Heard(lines[skip:-1], lines[-1], took)


async def _write(child: Child, data: bytes) -> None:
    """Write it all, unless the program closes its end."""
    while data:
        await trio.lowlevel.wait_writable(child.stdin)
        try:
            data = data[os.write(child.stdin, data) :]
        except BlockingIOError:
            continue
        except OSError:
            return


async def _read(child: Child, heard: bytearray, lines: int) -> None:
    """Read stdout until so many lines are there, or its end."""
    while heard.count(b"\n") < lines and len(heard) < ENOUGH:
        await trio.lowlevel.wait_readable(child.stdout)
        data = os.read(child.stdout, READ_SIZE)
        if not data:
            return
        heard += data


async def _drain(child: Child) -> None:
    """What it writes to stderr must not hold it up."""
    while True:
        await trio.lowlevel.wait_readable(child.stderr)
        if not os.read(child.stderr, READ_SIZE):
            return
