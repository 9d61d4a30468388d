"""The arena's side of the keeper: asking it for programs, and hearing how they ended."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from arena.errors import BotError, MachineError
from arena.sandbox.attention import UNKNOWN, attention_of_loop
from arena.sandbox.keeper import messages, procfs
from arena.sandbox.keeper.messages import Exit, Failed, GroupFiles, Hello, decode_message
from arena.sandbox.keeper.request import KillRequest, Request, SpawnRequest, encode_request
from arena.sandbox.launch import KeeperProcess

GONE = "the keeper of the bots is gone"


class Child:
    """One running program: its pipes (non-blocking, ours to close) and its end."""

    def __init__(
        self,
        children: Children,
        pid: int,
        group: GroupFiles | None,
        stdin: int,
        stdout: int,
        stderr: int,
    ) -> None:
        self.pid = pid
        self.group = group
        """Its control group; None without one."""
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr
        self.exit: Exit | None = None
        self.exited = trio.Event()
        self.killed: trio.Event | None = None
        self.clean = True
        """False when something of its tree could not be ended within two seconds."""
        self._children = children

    async def kill(self) -> None:
        """End the whole tree, daemons included, and wait until it is gone. May be repeated."""
        if self.killed is None:
            self.killed = trio.Event()
            await self._children.request_kill(self)
        await self.killed.wait()

    def is_leaving(self) -> bool:
        """Whether its program is ending, though its end was not told yet."""
        return sys.platform == "linux" and procfs.is_leaving(self.pid)

    def last_words(self) -> str:
        """What stands in its stderr now (at most 64 KiB)."""
        try:
            return os.read(self.stderr, 1 << 16).decode(errors="replace").strip()
        except BlockingIOError:
            return ""

    def close(self) -> None:
        """Close our ends of the pipes. May be repeated."""
        for name in ("stdin", "stdout", "stderr"):
            self.close_pipe(name)

    def close_pipe(self, name: str) -> None:
        """Close one of them: the program sees the end of its input, or a broken pipe."""
        descriptor: int = getattr(self, name)
        if descriptor >= 0:
            setattr(self, name, -1)
            trio.lowlevel.notify_closing(descriptor)
            os.close(descriptor)


class Children:
    """All programs of one arena, through one keeper. Make it with `open_children`."""

    def __init__(self, keeper: KeeperProcess) -> None:
        self._link = keeper.link
        self.keeper = keeper
        self.attention = UNKNOWN
        """What watches the loop that hears the programs."""
        self._greeted = trio.Event()
        self.gone = False
        """The keeper ended unexpectedly."""
        self._alive: dict[int, Child] = {}
        self._being_killed: dict[int, Child] = {}
        self._one_at_a_time = trio.Lock()
        self._spawning: tuple[int, ...] = ()
        """Our ends of the pipes of the program that was asked for last."""
        self._spawned: Child | Failed = Failed("not asked for", True)
        self._spawn_answered = trio.Event()

    async def spawn(self, request: SpawnRequest, *, name: str) -> Child:
        """Start a program, called `name` in errors.

        Raises BotError when the system cannot execute it, MachineError when a wall cannot be put
        up.
        """
        pipes = [os.pipe(), os.pipe(), os.pipe()]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        ours = [pipes[0][1], pipes[1][0], pipes[2][0]]
        try:
            spawned = await self._request_spawn(request, theirs, ours)
        except BaseException:
            _close_all(ours)
            raise
        finally:
            _close_all(theirs)
        if isinstance(spawned, Failed):
            _close_all(ours)
            raise _error(spawned, name)
        for descriptor in ours:
            os.set_blocking(descriptor, False)
        return spawned

    @asynccontextmanager
    async def running(self, request: SpawnRequest, *, name: str) -> AsyncIterator[Child]:
        """As `spawn`, for the time of an ``async with``: then its whole tree is gone, and its pipes
        are closed."""
        child = await self.spawn(request, name=name)
        try:
            yield child
        finally:
            with trio.CancelScope(shield=True):
                await child.kill()
            child.close()

    async def _request_spawn(
        self, request: SpawnRequest, theirs: list[int], ours: list[int]
    ) -> Child | Failed:
        # Shielded: a program that was asked for and not heard of would run unseen.
        with trio.CancelScope(shield=True):
            async with self._one_at_a_time:
                self._spawning = tuple(ours)
                self._spawn_answered = trio.Event()
                await self._send(request, theirs)
                await self._spawn_answered.wait()
                spawned = self._spawned
        return spawned

    async def request_kill(self, child: Child) -> None:
        """Ask the keeper to end a tree; `child.killed` is set when it is gone."""
        assert child.killed is not None
        if self.gone:
            child.killed.set()
            return
        self._being_killed[child.pid] = child
        with trio.CancelScope(shield=True):
            async with self._one_at_a_time:
                await self._send(KillRequest(child.pid), [])

    async def _send(self, request: Request, pipes: list[int]) -> None:
        data = encode_request(request)
        while data:
            try:
                sent = socket.send_fds(self._link, [data], pipes)
            except BlockingIOError:
                await trio.lowlevel.wait_writable(self._link)
            except OSError as error:
                self._let_go()
                raise MachineError(f"{GONE} ({error}): the match is void") from error
            else:
                data, pipes = data[sent:], []

    async def no_groups_because(self) -> str | None:
        """Why programs get no control groups; None when they do. Waits until the keeper is up."""
        if self.keeper.greeting is None:
            await self._greeted.wait()
        greeting = self.keeper.greeting or Hello(GONE)
        return greeting.no_groups_because

    async def listen(self) -> None:
        """Hear the keeper until cancelled. Raises MachineError when it ends on its own."""
        buffer = b""
        while True:
            await trio.lowlevel.wait_readable(self._link)
            try:
                data = self._link.recv(1 << 16)
            except BlockingIOError:
                continue
            except OSError:
                data = b""
            if not data:
                self._let_go()
                raise MachineError("the keeper of the bots ended unexpectedly: the match is void")
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                self._hear(decode_message(line))

    def _let_go(self) -> None:
        """The keeper is gone, and its bots with it: let no task wait for its word."""
        self.gone = True
        self._spawned = Failed(GONE, True)
        self._spawn_answered.set()
        self._greeted.set()
        for child in self._being_killed.values():
            assert child.killed is not None
            child.killed.set()

    def _hear(self, message: messages.Message) -> None:
        match message:
            case messages.Exited(pid, end):
                self._hear_exit(pid, end)
            case messages.Killed(pid, clean):
                self._hear_killed(pid, clean)
            case messages.Spawned(pid, group):
                # Booked here and not in `spawn`: its exit may stand in the very next line.
                child = Child(self, pid, group, *self._spawning)
                self._spawned = self._alive[pid] = child
                self._spawn_answered.set()
            case Failed():
                self._spawned = message
                self._spawn_answered.set()
            case Hello():
                self.keeper.greeting = message
                self._greeted.set()

    def _hear_exit(self, pid: int, end: Exit) -> None:
        child = self._alive.pop(pid, None)  # None: it never became a bot
        if child is not None:
            child.exit = end
            child.exited.set()

    def _hear_killed(self, pid: int, clean: bool) -> None:
        child = self._being_killed.pop(pid, None)
        if child is not None:
            assert child.killed is not None
            child.clean = clean
            child.killed.set()


def _error(failed: Failed, name: str) -> MachineError | BotError:
    if failed.ours:
        return MachineError(f"{name}: {failed.error}: the match is void (arena doctor says more)")
    return BotError(f"cannot start {name}: {failed.error}")


def _close_all(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


@asynccontextmanager
async def open_children(keeper: KeeperProcess) -> AsyncIterator[Children]:
    """Bots for the time of an ``async with``. Also when it is cancelled from outside, the keeper is
    heard until the block has ended: the ends of bots are waited for there."""
    children = Children(keeper)
    with attention_of_loop() as children.attention:
        async with _listening(children):
            yield children


@asynccontextmanager
async def _listening(children: Children) -> AsyncIterator[None]:
    listening = trio.CancelScope(shield=True)

    async def listen() -> None:
        with listening:
            await children.listen()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen)
        try:
            yield
        finally:
            listening.cancel()
