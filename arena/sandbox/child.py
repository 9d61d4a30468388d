"""One program of the arena, from its request to its end."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Protocol

import trio
from msgspec import Struct

from arena.sandbox.keeper import proc
from arena.sandbox.keeper.messages import Exit, GroupFiles, SpawnRequest, StartFailed


class Killer(Protocol):
    """Connection to the keeper (`children.Children`)."""

    def request_kill(self, child: Child) -> None:
        """Ask the keeper to end a process tree; `child.killed` is set when it is gone."""


class Child:
    """One program: its pipes (non-blocking; we close them), its gate or lifeline, and its exit."""

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
        """0 until the keeper reports it."""
        self.group = group
        """The program's control group; None without one."""
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.gate = gate
        """The gate; without walls our end of the lifeline."""
        self.request: SpawnRequest | None = None
        """The request for the program, as long as the keeper has not been asked for it."""
        self.spawned = trio.Event()
        """Set when the program has a process or failed to get one."""
        self.executed = trio.Event()
        """Set when the program is executed or has failed."""
        if pid:
            self.spawned.set()
            self.executed.set()
        self.failed: StartFailed | None = None
        self.exit: Exit | None = None
        self.exited = trio.Event()
        self.killed: trio.Event | None = None
        self.clean = True
        """False when some process of the tree survived the kill."""
        self.cpu_ns = 0
        """CPU time of its control group, once it was killed and is gone."""
        self.children = children

    def open_gate(self) -> None:
        """Let the program run as soon as its walls are up."""
        with suppress(BrokenPipeError):  # the program is gone, and the keeper reports that
            os.write(self.gate, b"\n")
        self.close_pipe("gate")

    def fail(self, failed: StartFailed) -> None:
        """Record that the program will not run."""
        self.failed = failed
        self.spawned.set()
        self.executed.set()

    @property
    def ended_early(self) -> bool:
        """Whether it failed or ended before its gate was opened, as far as the keeper reported."""
        return self.failed is not None or self.exit is not None

    async def kill(self) -> None:
        """End the whole tree, daemons included, and wait until it is gone. Idempotent."""
        if self.killed is None:
            self.killed = trio.Event()
            if self.request is not None:
                self.killed.set()
                return
            if not self.spawned.is_set():
                with trio.CancelScope(shield=True):
                    await self.spawned.wait()
            self.children.request_kill(self)
        if not self.killed.is_set():
            await self.killed.wait()

    def is_leaving(self) -> bool:
        """Whether the program is exiting, even if its end was not reported yet."""
        return sys.platform == "linux" and proc.is_leaving(self.pid)

    def last_words(self) -> str:
        """The current content of the program's stderr (at most 64 KiB)."""
        try:
            return os.read(self.stderr, 1 << 16).decode(errors="replace").strip()
        except BlockingIOError:
            return ""

    def close(self) -> None:
        """Close our ends of the pipes. Idempotent."""
        for name in ("stdin", "stdout", "stderr", "gate"):
            self.close_pipe(name)

    def close_pipe(self, name: str) -> None:
        """Close one pipe: the program sees the end of its input, or a broken pipe."""
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
        """Close the pipes, which ends a program still at its gate, and release the folder."""
        self.child.close()
        self._open.close()

    async def end(self) -> None:
        """End the program and release its pipes and folder."""
        with trio.CancelScope(shield=True):
            await self.child.kill()
        self.close()
