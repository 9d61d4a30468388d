"""Talking to a keeper over its socket, without the arena's side of it."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from types import TracebackType

import psutil

from arena.sandbox.keeper.messages import (
    Executed,
    Exited,
    Killed,
    KillRequest,
    Message,
    Request,
    Spawned,
    SpawnRequest,
    decode_message,
    encode_request,
)
from arena.sandbox.launch import KeeperProcess, launch_keeper
from arena.sandbox.levels import Level, SandboxMode


class Talk:
    """One keeper, and what it says."""

    def __init__(self, mode: Level | SandboxMode = Level.OFF) -> None:
        self.keeper: KeeperProcess = launch_keeper(mode)
        self.link = self.keeper.link
        self.link.setblocking(True)
        self.link.settimeout(20)
        self._lines = self.link.makefile("rb")
        self._lifelines: list[socket.socket] = []

    def __enter__(self) -> Talk:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """The end of the arena, as the keeper sees it."""
        self._lines.close()
        self.keeper.close()
        for end in self._lifelines:
            end.close()

    @property
    def process(self) -> psutil.Process:
        """The keeper."""
        return psutil.Process(self.keeper.process.pid)

    def hear(self) -> Message:
        """The next message."""
        return decode_message(self._lines.readline())

    def send(self, request: Request, descriptors: list[int]) -> None:
        """Ask for something."""
        socket.send_fds(self.link, [encode_request(request)], descriptors)

    def ask(self, request: SpawnRequest) -> tuple[int, int]:
        """Ask for a program behind walls: the reading end of its stdout, and its gate."""
        assert request.walls is not None
        theirs, gate = os.pipe()
        reader = self._ask(request, theirs)
        os.close(theirs)
        return reader, gate

    def _ask(self, request: SpawnRequest, *gate: int) -> int:
        reader, writer = os.pipe()
        with open(os.devnull, "r+b") as null:
            self.send(request, [null.fileno(), writer, null.fileno(), *gate])
        os.close(writer)
        return reader

    def spawn(self, request: SpawnRequest) -> tuple[Message, int]:
        """Ask for a program that need not wait; what is said when it is executed, or the last
        message before, and the reading end of its stdout."""
        if request.walls is None:
            reader = self._ask_without_walls(request)
        else:
            reader, gate = self.ask(request)
            with suppress(BrokenPipeError):  # what has failed already does not wait
                os.write(gate, b"\n")
            os.close(gate)
        return self.started(self.hear()), reader

    def _ask_without_walls(self, request: SpawnRequest) -> int:
        ours, theirs = socket.socketpair()
        self._lifelines.append(ours)
        with theirs:
            return self._ask(request, theirs.fileno(), ours.fileno())

    def cut_lifelines(self) -> None:
        """What the system does to an arena that is killed."""
        for end in self._lifelines:
            end.close()

    def started(self, first: Message) -> Message:
        """What is said of a start, up to its exec."""
        if not isinstance(first, Spawned):
            return first
        second = self.hear()
        return first if isinstance(second, Executed) else second

    def kill(self, pid: int) -> Killed:
        """End a program; what is said then."""
        self.send(KillRequest(pid), [])
        while not isinstance(message := self.hear(), Killed):
            assert isinstance(message, Exited)
        return message
