"""Probing how a program talks, outside a match.

Used to find what a program says when its input ends, or when the same request is repeated, and
whether it does anything at all.

A program that *waits for input* has read all that it was sent, all its threads sleep, one of them
in a ``read`` of its stdin, and none for a set time. It will say nothing more by itself (unless its
other threads wait for something else). A program that waits for a core, computes, loads or sleeps
for a while does not count as waiting for input, however long that takes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import trio
from msgspec import Struct

from arena.core.lines import trim
from arena.players.pipes import READ_SIZE, unread_bytes
from arena.players.player import Player
from arena.players.program import ProgramPlayer
from arena.sandbox.child import Child
from arena.sandbox.keeper import proc

MAX_STRETCH = 10
"""Factor by which listening to a program may be extended on a busy machine."""
MAX_OUTPUT = 1 << 16
"""Maximum bytes of output to read."""
SETTLED, SETTLED_LOOK = 5, 0.03
"""Consecutive looks that must find a program waiting for input, and the seconds between them, until
it counts as having nothing more to say."""


def child_of(player: Player) -> Child | None:
    """The program behind a player; None without one."""
    return player.process.child if isinstance(player, ProgramPlayer) else None


def take_stderr(player: Player) -> None:
    """Take what a program has written to stderr so far."""
    if isinstance(player, ProgramPlayer):
        player.process.read_stderr()


def is_unread(player: Player) -> bool:
    """Whether a program has left something of its input unread."""
    child = child_of(player)
    return child is not None and child.stdin >= 0 and unread_bytes(child.stdin) > 0


def usage(player: Player) -> tuple[float, int]:
    """CPU seconds that a program has used so far, and its current number of tasks."""
    if not isinstance(player, ProgramPlayer):
        return 0.0, 0
    try:
        return player.process.meter.cpu_ns() * 1e-9, player.process.meter.tasks()
    except OSError:
        if player.process.child.killed is None:
            raise
        return 0.0, 0  # the program was ended meanwhile


class Look(Struct, frozen=True):
    """What a program does at one moment, and its usage until then. Times in seconds."""

    time: float
    used: float
    """CPU time plus the time in which the program was ready but not running."""
    waits: bool | None
    """Whether the program waited for input; None where the system cannot tell."""


BUSY = 0.25
"""Fraction of the time running or waiting for a core, from which on a program was not at rest.
Language runtimes wake up now and then."""


def look_at(player: Player) -> Look:
    """Look at what the program behind a player does now."""
    now = trio.current_time()
    if not isinstance(player, ProgramPlayer):
        return Look(now, 0.0, None)
    try:
        player.process.meter.memory()  # refreshes the list of processes
        used = (player.process.meter.cpu_ns() + (player.process.meter.delay_ns() or 0)) * 1e-9
    except OSError:
        if player.process.child.killed is None:
            raise
        return Look(now, 0.0, False)  # the program was ended meanwhile
    return Look(now, used, waits_for_input(player.process.child))


def rested(before: Look, after: Look) -> bool:
    """Whether the program did nothing between two looks, and at both only waited for input (or may
    have, where the system cannot tell)."""
    is_calm = after.used - before.used <= BUSY * (after.time - before.time)
    return before.waits is not False and after.waits is not False and is_calm


ASLEEP = b"SIZX"
"""The states of sleeping or ended threads."""
READS, TIMED_SLEEPS = {
    "x86_64": (0, (35, 230)),
    "aarch64": (63, (101, 115)),
}.get(os.uname().machine, (-1, ()))
"""The numbers of the system calls ``read``, ``nanosleep`` and ``clock_nanosleep``."""


def waits_for_input(child: Child) -> bool | None:
    """Whether a program waits for input (see the module); None where the system cannot tell."""
    if child.stdin < 0 or unread_bytes(child.stdin):
        return False
    pipe, threads, reads = os.fstat(child.stdin).st_ino, list(_threads(child.pid)), False
    is_known = bool(threads) and READS >= 0
    for pid, tid in threads:
        folder = f"/proc/{pid}/task/{tid}"
        state = proc.read(f"{folder}/stat").rpartition(b") ")[2][:1]
        number, *words = proc.read(f"{folder}/syscall").split() or [b""]
        if state not in ASLEEP or (words and int(number) in TIMED_SLEEPS):
            return False
        is_known &= bool(words) or state != b"S"
        reads |= bool(words) and int(number) == READS and _inode(pid, int(words[0], 16)) == pipe
    return reads or (False if is_known else None)


def _threads(root: int) -> Iterator[tuple[int, int]]:
    """All threads of a tree of processes, each with its process."""
    ahead = [root]
    while ahead:
        pid = ahead.pop()
        for tid in proc.threads(pid):
            yield pid, tid
            ahead += proc.children(pid, tid)


def _inode(pid: int, descriptor: int) -> int:
    try:
        return os.stat(f"/proc/{pid}/fd/{descriptor}").st_ino
    except OSError:
        return 0


class Heard(Struct, frozen=True):
    """The response of a program to a text."""

    lines: list[str]
    """Complete lines of its stdout."""
    rest: str
    """Output after the last newline."""
    took: bool
    """Whether the program took all of the text."""
    waits: bool | None = None
    """Whether the program waits for input now; None where the system cannot tell."""

    @property
    def waits_in_silence(self) -> bool:
        """Whether the program said nothing, and may wait for more input."""
        return not self.lines and self.waits is not False


async def listen(
    player: Player,
    text: str,
    within: float,
    *,
    skip: int = 0,
    close: bool = False,
    until_it_waits: bool = False,
) -> Heard:
    """Send `text` to a program and return what it says after the first `skip` lines.

    With `close`, its input is closed after the text. The wait ends once the program has said more
    than `skip` lines, with `until_it_waits` also when it waits for more input, and after `within`
    seconds (fair clock) at the latest."""
    assert isinstance(player, ProgramPlayer)
    child, heard, took = player.process.child, bytearray(), False

    async def tell() -> None:
        nonlocal took
        await _write(child, text.encode())
        took = True
        if close:
            child.close_pipe("stdin")

    with trio.move_on_after(MAX_STRETCH * within):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(tell)
            nursery.start_soon(_drain, child)
            nursery.start_soon(_end_in_time, player, within, nursery.cancel_scope)
            if until_it_waits:
                nursery.start_soon(_see_it_wait, child, nursery.cancel_scope)
            await _read(child, heard, skip + 1)
            nursery.cancel_scope.cancel()
    lines = [trim(line) for line in heard.decode(errors="backslashreplace").split("\n")]
    return Heard(lines[skip:-1], lines[-1], took, None if close else waits_for_input(child))


async def _write(child: Child, data: bytes) -> None:
    """Write all the data, unless the program closes its end."""
    while data:
        await trio.lowlevel.wait_writable(child.stdin)
        try:
            data = data[os.write(child.stdin, data) :]
        except BlockingIOError:
            continue
        except OSError:
            return


async def _read(child: Child, heard: bytearray, lines: int) -> None:
    """Read stdout until it has brought `lines` lines, or until its end."""
    while heard.count(b"\n") < lines and len(heard) < MAX_OUTPUT:
        await trio.lowlevel.wait_readable(child.stdout)
        data = os.read(child.stdout, READ_SIZE)
        if not data:
            return
        heard += data


async def _end_in_time(player: ProgramPlayer, within: float, listening: trio.CancelScope) -> None:
    """End the listening after `within` seconds, not counting time when ready but not running."""
    start = trio.current_time()
    before = player.process.meter.delay_ns() or 0
    until = start + within
    while trio.current_time() < until:
        await trio.sleep_until(until)
        player.process.meter.memory()  # refreshes the list of threads
        until = start + within + ((player.process.meter.delay_ns() or 0) - before) * 1e-9
    listening.cancel()


async def _see_it_wait(child: Child, listening: trio.CancelScope) -> None:
    """End the listening when `SETTLED` consecutive looks find the program waiting for input."""
    seen = 0
    while seen < SETTLED:
        await trio.sleep(SETTLED_LOOK)
        seen = seen + 1 if waits_for_input(child) else 0
    listening.cancel()


async def _drain(child: Child) -> None:
    """Drain stderr, so that it never blocks the program."""
    while True:
        await trio.lowlevel.wait_readable(child.stderr)
        if not os.read(child.stderr, READ_SIZE):
            return
