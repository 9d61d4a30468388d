"""Probe whether kills reach all processes of a bot, and whether bots end with the keeper."""

from __future__ import annotations

import os
import signal
import socket
import sys

import trio

from arena.doctor.capability import Capability, Status, degraded, failed, passed
from arena.doctor.context import ProbeContext, command_of, soon
from arena.doctor.inside import Echo, Echoed, LeaveDaemon, Stay, Task, TaskReady
from arena.sandbox.keeper.messages import (
    Executed,
    SpawnRequest,
    StartFailed,
    decode_message,
    encode_request,
)
from arena.sandbox.keeper.proc import below, descendants
from arena.sandbox.launch import launch_keeper
from arena.sandbox.levels import Level

QUICK_MS = 500.0
"""Milliseconds above which a kill is reported as slow."""
SHAPES: dict[str, Task] = {
    "process": Stay(),
    "daemon": LeaveDaemon(),
    "tree of 20": Stay(children=20),
}
IDLE = 12.0
"""Seconds. Some ways of tying a bot's life to ours end the bot after ten idle seconds."""
ABORTS = 100
ABORT_WITHIN = 0.008
"""Seconds after a start during which some sandboxes, if killed, leave processes behind."""


async def daemon(context: ProbeContext) -> list[Capability]:
    """Whether a daemon in its own session dies with its bot (without any other wall)."""
    async with context.started(LeaveDaemon(), Level.OFF) as inside:
        pid = (await inside.hear(TaskReady)).pid
        took = await inside.kill_ms()
    if not _is_there(pid):
        return [passed("daemons", f"ended with their bot (subreaper), {took:.0f} ms")]
    os.kill(pid, signal.SIGKILL)
    return [
        failed(
            "daemons",
            f"process {pid} outlived its bot",
            "a bot can leave programs running on your machine",
            "run the arena on Linux" if sys.platform != "linux" else "please report it",
        )
    ]


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def keeper_death(context: ProbeContext) -> list[Capability]:
    """Whether a bot dies when its keeper is killed with SIGKILL."""
    keeper = launch_keeper()
    try:
        bot = await trio.to_thread.run_sync(_start_bot, keeper.link)
        keeper.process.kill()
        keeper.process.wait()
        start = trio.current_time()
        died = await soon(lambda: not _is_there(bot) or _state(bot) in "ZX")
        took = (trio.current_time() - start) * 1000
    finally:
        keeper.close()
    if died:
        return [passed("keeper's death", f"its bots died with it, {took:.0f} ms")]
    os.kill(bot, signal.SIGKILL)
    after = "bots run on when the arena and its keeper are killed"
    return [failed("keeper's death", f"process {bot} outlived it", after, "run the arena on Linux")]


def _state(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0].decode()
    except OSError:
        return "X" if sys.platform == "linux" else "R"


def _start_bot(link: socket.socket) -> int:
    """Ask a keeper for a bot that keeps running. Returns its pid."""
    link.setblocking(True)
    link.settimeout(4)
    request = SpawnRequest(tuple(command_of(Stay())), "/", {})
    gate, opened = os.pipe()
    with open(os.devnull, "r+b") as null, open(gate, "rb"), open(opened, "wb", buffering=0) as go:
        socket.send_fds(link, [encode_request(request)], [*[null.fileno()] * 3, gate])
        go.write(b"\n")
    with link.makefile("rb") as lines:
        for line in lines:
            match decode_message(line):
                case Executed(pid):
                    return pid
                case StartFailed(error):
                    raise OSError(error)
    raise OSError("the keeper ended")


async def kills(context: ProbeContext) -> list[Capability]:
    """How long it takes to end a process, a daemon and a whole tree, and whether all are gone."""
    clean, took = True, dict[str, float]()
    for shape, task in SHAPES.items():
        async with context.started(task) as inside:
            await inside.hear(TaskReady)
            took[shape] = await inside.kill_ms()
            clean = clean and inside.child.clean
    text = ", ".join(f"{shape} {ms:.0f} ms" for shape, ms in took.items())
    if not clean:
        after = "a bot can outlive its match"
        return [failed("kills", f"{text}; some of it remained", after, "please report it")]
    if max(took.values()) > QUICK_MS:
        return [degraded("kills", text, "matches end late", "use a less busy machine")]
    return [passed("kills", text)]


async def idle(context: ProbeContext) -> list[Capability]:
    """Whether a bot still replies after a long idle time."""
    async with context.started(Echo()) as inside:
        await inside.hear(TaskReady)
        await trio.sleep(IDLE)
        inside.tell("still there?")
        with trio.move_on_after(2):
            if await inside.hear(Echoed) == Echoed("still there?"):
                return [passed("idle bot", f"answers after {IDLE:.0f} s")]
    text = f"no answer after {IDLE:.0f} s: {inside.child.exit}"
    return [failed("idle bot", text, "bots that wait long are lost", "please report it")]


async def aborts(context: ProbeContext) -> list[Capability]:
    """Whether starts that are aborted at once leave processes behind."""
    before = _all_below()
    for i in range(ABORTS):
        async with context.started(Stay()) as inside:
            await trio.sleep(ABORT_WITHIN * i / ABORTS)
            await inside.child.kill()
            if not inside.child.clean:
                break
    left = _all_below() - before
    found = [pid for pid in left if _state(pid) not in "ZX" and not _is_preforked(pid)]
    status = Status.FAIL if found or not inside.child.clean else Status.PASS
    text = f"{ABORTS} within {ABORT_WITHIN * 1000:.0f} ms of a start: {len(found)} processes left"
    if status is Status.PASS:
        return [passed("aborts", text)]
    return [failed("aborts", text, "abandoned matches leave bots behind", "please report it")]


def _all_below() -> set[int]:
    """All processes below the keepers of this process."""
    return {pid for keeper in below(os.getpid()) for pid in descendants(keeper)}


def _is_preforked(pid: int) -> bool:
    """Whether a process is a fork of the keeper that waits to become a bot."""
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return b"arena.sandbox.keeper.main" in file.read()
