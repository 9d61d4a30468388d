"""Probes of what outlives a bot: its daemons, and the bot itself when its keeper is killed."""

from __future__ import annotations

import os
import signal
import socket
import sys

import trio

from arena.doctor.capability import Capability, failed, passed
from arena.doctor.context import ProbeContext, command_of, soon
from arena.doctor.inside import LeaveDaemon, Stay, TaskReady
from arena.sandbox.keeper.messages import (
    Executed,
    SpawnRequest,
    StartFailed,
    decode_message,
    encode_request,
)
from arena.sandbox.launch import launch_keeper
from arena.sandbox.levels import Level


async def daemon(context: ProbeContext) -> list[Capability]:
    """Whether a daemon in its own session dies with its bot (without any other wall)."""
    async with context.started(LeaveDaemon(), Level.OFF) as inside:
        pid = (await inside.hear(TaskReady)).pid
        await inside.child.kill()
    if _is_gone(pid):
        return [passed("daemons", "ended with their bot")]
    os.kill(pid, signal.SIGKILL)
    after = "a bot can leave programs running on your machine"
    repair = "run the arena on Linux" if sys.platform != "linux" else "please report it"
    return [failed("daemons", f"process {pid} outlived its bot", after, repair)]


async def keeper_death(context: ProbeContext) -> list[Capability]:
    """Whether a bot dies when its keeper is killed with SIGKILL."""
    keeper = launch_keeper()
    ours, theirs = socket.socketpair()
    try:
        with theirs:
            bot = await trio.to_thread.run_sync(_start_bot, keeper.link, theirs, ours)
        keeper.process.kill()
        keeper.process.wait()
        died = await soon(lambda: _is_gone(bot))
    finally:
        ours.close()
        keeper.close()
    if died:
        return [passed("keeper's death", "its bots died with it")]
    os.kill(bot, signal.SIGKILL)
    after = "bots run on when the arena and its keeper are killed"
    return [failed("keeper's death", f"process {bot} outlived it", after, "run the arena on Linux")]


def _is_gone(pid: int) -> bool:
    """Whether a process has ended, even if nobody has waited for it yet."""
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in b"ZX"
    except ProcessLookupError:
        return True
    except OSError:  # it ended between the two looks, or this system has no /proc
        return sys.platform == "linux"


def _start_bot(link: socket.socket, *lifeline: socket.socket) -> int:
    """Ask a keeper for a bot that keeps running. Returns its pid."""
    link.setblocking(True)
    link.settimeout(4)
    request = SpawnRequest(tuple(command_of(Stay())), "/", {})
    ends = [end.fileno() for end in lifeline]
    with open(os.devnull, "r+b") as null:
        socket.send_fds(link, [encode_request(request)], [*[null.fileno()] * 3, *ends])
    with link.makefile("rb") as lines:
        for line in lines:
            match decode_message(line):
                case Executed(pid):
                    return pid
                case StartFailed(error):
                    raise OSError(error)
    raise OSError("the keeper ended")
