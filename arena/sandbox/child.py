"""One program of the arena: on its way to its gate, behind it, and its end."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol

import trio
from msgspec import Struct

from arena.sandbox.keeper import proc
from arena.sandbox.keeper.messages import Exit, GroupFiles, StartFailed


class Killer(Protocol):
    """What reaches the keeper (`children.Children`)."""

    def request_kill(self, child: Child) -> None:
        """Ask for the end of a tree; `child.killed` is set when it is gone."""


class Child:
    """One program: its pipes (non-blocking, ours to close), its gate and its end."""

    def __init__(
        self,
        children: Killer,
        pid: int,
        group: GroupFiles | None,
        stdin: int,
        stdout: int,
        stderr: int,
        gate: int = -1,
    ) -> None:
        self.pid = pid
        """0 until the keeper has told of it."""
        self.group = group
        """Its control group; None without one."""
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.gate = gate
        self.spawned = trio.Event()
        """It has a process, or failed to get one."""
        self.executed = trio.Event()
        """It runs, or bubblewrap does; or it failed."""
        if pid:
            self.spawned.set()
            self.executed.set()
        self.failed: StartFailed | None = None
        self.exit: Exit | None = None
        self.exited = trio.Event()
        self.killed: trio.Event | None = None
        self.clean = True
        """False when something of its tree could not be ended within two seconds."""
        self.children = children

    def open_gate(self) -> None:
        """Let the program run, as soon as its walls stand."""
        with suppress(BrokenPipeError):  # it is gone, which the keeper tells
            os.write(self.gate, b"\n")
        self.close_pipe("gate")

    def fail(self, failed: StartFailed) -> None:
        """It will not run."""
        self.failed = failed
        self.spawned.set()
        self.executed.set()

    @property
    def ended_early(self) -> bool:
        """Whether it failed or ended before its gate was opened, as far as the keeper has told."""
        return self.failed is not None or self.exit is not None

    async def kill(self) -> None:
        """End the whole tree, daemons included, and wait until it is gone. May be repeated."""
        if self.killed is None:
            self.killed = trio.Event()
            if not self.spawned.is_set():
                with trio.CancelScope(shield=True):
                    await self.spawned.wait()
            self.children.request_kill(self)
        if not self.killed.is_set():
            await self.killed.wait()

    def is_leaving(self) -> bool:
        """Whether its program is ending, though its end was not told yet."""
        return sys.platform == "linux" and proc.is_leaving(self.pid)

    def last_words(self) -> str:
        """What stands in its stderr now (at most 64 KiB)."""
        try:
            return os.read(self.stderr, 1 << 16).decode(errors="replace").strip()
        except BlockingIOError:
            return ""

    def close(self) -> None:
        """Close our ends of the pipes. May be repeated."""
        for name in ("stdin", "stdout", "stderr", "gate"):
            self.close_pipe(name)

    def close_pipe(self, name: str) -> None:
        """Close one of them: the program sees the end of its input, or a broken pipe."""
        descriptor: int = getattr(self, name)
        if descriptor >= 0:
            setattr(self, name, -1)
            if trio.lowlevel.in_trio_run():
                trio.lowlevel.notify_closing(descriptor)
            os.close(descriptor)


class Prepared(Struct, frozen=True):
    """A program at its gate, or on its way there."""

    key: object
    child: Child
    folder: Path
    _open: ExitStack

    def close(self) -> None:
        """Let go of its pipes, which ends it before its gate, and of its folder."""
        self.child.close()
        self._open.close()

    async def end(self) -> None:
        """End it, and let go of all."""
        with trio.CancelScope(shield=True):
            await self.child.kill()
        self.close()
