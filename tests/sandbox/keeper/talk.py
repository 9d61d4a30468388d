"""Talking to a keeper over its socket, without the arena's side of it."""

from __future__ import annotations

import os
import socket
from types import TracebackType

import psutil

from arena.sandbox.keeper.messages import Exited, Killed, Message, decode_message
from arena.sandbox.keeper.request import KillRequest, Request, SpawnRequest, encode_request
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

    def spawn(self, request: SpawnRequest) -> tuple[Message, int]:
        """Ask for a program; the answer, and the reading end of its stdout."""
        reader, writer = os.pipe()
        with open(os.devnull, "r+b") as null:
            self.send(request, [null.fileno(), writer, null.fileno()])
        os.close(writer)
        return self.hear(), reader

    def kill(self, pid: int) -> Killed:
        """End a program; what is said then."""
        self.send(KillRequest(pid), [])
        while not isinstance(message := self.hear(), Killed):
            assert isinstance(message, Exited)
        return message

    def preforked(self) -> list[psutil.Process]:
        """The processes that wait: copies of the keeper."""
        own = self.process.cmdline()
        return [one for one in self.process.children() if one.cmdline() == own]
