"""Trying out how a program talks, outside a match: what it says when its input ends, or while it is
asked the same again and again; and whether it does anything at all.

A program that *waits for input* has read all that it was sent, all its threads sleep, one of them
in a ``read`` of its stdin, and none for a set time. It will say nothing more by itself (but for one
whose other threads wait for something else). One that waits for a core, computes, loads or sleeps
for a while is no such program, however long that takes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import trio
from msgspec import Struct

from arena.players.pipes import unread_bytes
from arena.players.player import Player
from arena.players.process import READ_SIZE, ProcessPlayer
from arena.sandbox.child import Child
from arena.sandbox.keeper import proc

MOST = 10
"""How many times as long a program may be listened to, on a busy machine."""
ENOUGH = 1 << 16
"""Bytes of output that are read at most."""
SETTLED, SETTLED_LOOK = 5, 0.03
"""Looks at which a program waits for input, one after the other, and the seconds between them,
after which it says nothing more."""


def child_of(player: Player) -> Child | None:
    """The program behind a player; None where there is none."""
    return player.child if isinstance(player, ProcessPlayer) else None


def take_stderr(player: Player) -> None:
    """Take what a program has written to stderr by now."""
    if isinstance(player, ProcessPlayer):
        player.read_stderr()


def is_unread(player: Player) -> bool:
    """Whether a program has left something of its input unread."""
    child = child_of(player)
    return child is not None and child.stdin >= 0 and unread_bytes(child.stdin) > 0


def usage(player: Player) -> tuple[float, int]:
    """Seconds of CPU time that a program has used so far, and its processes and threads now."""
    if not isinstance(player, ProcessPlayer):
        return 0.0, 0
    try:
        return player.meter.cpu_ns() * 1e-9, player.meter.tasks()
    except OSError:
        if player.child.killed is None:
            raise
        return 0.0, 0  # it was ended meanwhile


class Look(Struct, frozen=True):
    """What a program did at one moment, and had used until then. Times in seconds."""

    time: float
    used: float
    """CPU time, and time in which it was ready and not run."""
    waits: bool | None
    """Whether it waited for input; None where the system does not say."""


BUSY = 0.25
"""The part of a time in which a program runs or waits for a core from which on it did not rest.
Runtimes of languages wake up now and then."""


def look_at(player: Player) -> Look:
    """What the program behind a player does now."""
    now = trio.current_time()
    if not isinstance(player, ProcessPlayer):
        return Look(now, 0.0, None)
    try:
        player.meter.memory()  # which processes there are
        used = (player.meter.cpu_ns() + (player.meter.delay_ns() or 0)) * 1e-9
    except OSError:
        if player.child.killed is None:
            raise
        return Look(now, 0.0, False)  # it was ended meanwhile
    return Look(now, used, waits_for_input(player.child))


def rested(before: Look, after: Look) -> bool:
    """Whether it did nothing between two looks, at neither of which it did anything else than wait
    for input (or may have, where the system does not say)."""
    is_calm = after.used - before.used <= BUSY * (after.time - before.time)
    return before.waits is not False and after.waits is not False and is_calm


ASLEEP = b"SIZX"
"""The states of threads that sleep, or have ended."""
READS, TIMED_SLEEPS = {
    "x86_64": (0, (35, 230)),
    "aarch64": (63, (101, 115)),
}.get(os.uname().machine, (-1, ()))
"""The numbers of the system calls ``read``, ``nanosleep`` and ``clock_nanosleep``."""


def waits_for_input(child: Child) -> bool | None:
    """Whether a program waits for input (see the module); None where the system does not say."""
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
    """What came of a program that was told a text."""

    lines: list[str]
    """Lines of its stdout, complete ones."""
    rest: str
    """What came after the last newline."""
    took: bool
    """Whether it took all of the text."""
    waits: bool | None = None
    """Whether it waits for input now; None where the system does not say."""

    @property
    def waits_in_silence(self) -> bool:
        """Whether it said nothing, and may wait for more."""
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
    """Tell a program `text`, then close its input if asked to, and wait until it has said more than
    `skip` lines, or perhaps until it waits for more input, for so many seconds at most (by the fair
    clock); what came after those lines."""
    assert isinstance(player, ProcessPlayer)
    child, heard, took = player.child, bytearray(), False

    async def tell() -> None:
        nonlocal took
        await _write(child, text.encode())
        took = True
        if close:
            child.close_pipe("stdin")

    with trio.move_on_after(MOST * within):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(tell)
            nursery.start_soon(_drain, child)
            nursery.start_soon(_end_in_time, player, within, nursery.cancel_scope)
            if until_it_waits:
                nursery.start_soon(_see_it_wait, child, nursery.cancel_scope)
            await _read(child, heard, skip + 1)
            nursery.cancel_scope.cancel()
    lines = [line.strip() for line in heard.decode(errors="backslashreplace").split("\n")]
    return Heard(lines[skip:-1], lines[-1], took, None if close else waits_for_input(child))


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


async def _end_in_time(player: ProcessPlayer, within: float, listening: trio.CancelScope) -> None:
    """End the listening after so many seconds, without those in which it was ready and not run."""
    start = trio.current_time()
    before = player.meter.delay_ns() or 0
    until = start + within
    while trio.current_time() < until:
        await trio.sleep_until(until)
        player.meter.memory()  # which threads there are
        until = start + within + ((player.meter.delay_ns() or 0) - before) * 1e-9
    listening.cancel()


async def _see_it_wait(child: Child, listening: trio.CancelScope) -> None:
    """End the listening when it is seen to wait for input, some times on end."""
    seen = 0
    while seen < SETTLED:
        await trio.sleep(SETTLED_LOOK)
        seen = seen + 1 if waits_for_input(child) else 0
    listening.cancel()


async def _drain(child: Child) -> None:
    """What it writes to stderr must not hold it up."""
    while True:
        await trio.lowlevel.wait_readable(child.stderr)
        if not os.read(child.stderr, READ_SIZE):
            return
