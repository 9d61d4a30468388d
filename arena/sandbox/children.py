"""The arena's side of the keeper: asking it for bots, and hearing how they ended."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import trio
from msgspec import Struct

from arena.errors import ArenaFault, BotError, HostFault
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.walls import NO_WALLS


class Exit(Struct, frozen=True):
    """How a program ended: with a code, or by a signal; and the CPU time of all it waited for."""

    code: int | None
    signal: str | None
    cpu_ms: float
    entered: bool = True
    """False when the sandbox failed before the program was executed."""


class GroupFiles(Struct, frozen=True):
    """A control group as its meter needs it: its files by what they tell, and what the limits
    among them must read."""

    files: dict[str, str]
    limits: dict[str, int]


class Failed(Struct, frozen=True):
    """Why a program was not started, and whether that is ours to answer for."""

    error: str
    ours: bool

    def as_error(self, name: str) -> HostFault | BotError:
        """The exception for it."""
        if self.ours:
            return HostFault(f"{name}: {self.error}: the match is void (arena doctor says more)")
        return BotError(f"cannot start {name}: {self.error}")


class Child:
    """One running bot: its pipes (non-blocking, ours to close) and its end."""

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
            await self._children.order_kill(self)
        await self.killed.wait()

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
        """Close one of them: the bot sees the end of its input, or a broken pipe."""
        descriptor: int = getattr(self, name)
        if descriptor >= 0:
            setattr(self, name, -1)
            trio.lowlevel.notify_closing(descriptor)
            os.close(descriptor)


class Children:
    """All bots of one arena, through one keeper. Make it with `open_children`."""

    def __init__(self, keeper: KeeperProcess) -> None:
        self._link = keeper.link
        self.keeper = keeper
        self._greeted = trio.Event()
        self.gone = False
        """The keeper ended unexpectedly."""
        self._alive: dict[int, Child] = {}
        self._ending: dict[int, Child] = {}
        self._one_at_a_time = trio.Lock()
        self._spawning: tuple[int, ...] = ()
        self._spawned: Child | Failed = Failed("not asked for", True)
        self._spawn_heard = trio.Event()

    async def spawn(
        self,
        argv: Sequence[str],
        *,
        cwd: str,
        env: Mapping[str, str],
        name: str,
        walls: Mapping[str, Any] = NO_WALLS,
    ) -> Child:
        """Start a program behind `walls` (see `birth.be_born`).

        Raises BotError when the system cannot execute it, HostFault when a wall cannot be put up.
        """
        pipes = [os.pipe(), os.pipe(), os.pipe()]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        ours = [pipes[0][1], pipes[1][0], pipes[2][0]]
        try:
            spawned = await self._order_spawn(
                {"argv": argv, "cwd": cwd, "env": env, **walls}, theirs, ours
            )
        except BaseException:
            _close_all(ours)
            raise
        finally:
            _close_all(theirs)
        if isinstance(spawned, Failed):
            _close_all(ours)
            raise spawned.as_error(name)
        for descriptor in ours:
            os.set_blocking(descriptor, False)
        return spawned

    @asynccontextmanager
    async def running(self, argv: Sequence[str], **how: Any) -> AsyncIterator[Child]:
        """As `spawn`, for the time of an ``async with``: then its whole tree is gone, and its pipes
        are closed."""
        child = await self.spawn(argv, **how)
        try:
            yield child
        finally:
            with trio.CancelScope(shield=True):
                await child.kill()
            child.close()

    async def _order_spawn(
        self, order: dict[str, Any], theirs: list[int], ours: list[int]
    ) -> Child | Failed:
        # Shielded: a program that was ordered and not taken into the books would run unseen.
        with trio.CancelScope(shield=True):
            async with self._one_at_a_time:
                self._spawning = tuple(ours)
                self._spawn_heard = trio.Event()
                await self._send({"op": "spawn", **order}, theirs)
                await self._spawn_heard.wait()
                spawned = self._spawned
        return spawned

    async def order_kill(self, child: Child) -> None:
        """Ask the keeper to end a tree; `child.killed` is set when it is gone."""
        assert child.killed is not None
        if self.gone:
            child.killed.set()
            return
        self._ending[child.pid] = child
        with trio.CancelScope(shield=True):
            async with self._one_at_a_time:
                await self._send({"op": "kill", "pid": child.pid}, [])

    async def _send(self, order: dict[str, Any], pipes: list[int]) -> None:
        data = msgspec.json.encode(order) + b"\n"
        while data:
            try:
                sent = socket.send_fds(self._link, [data], pipes)
            except BlockingIOError:
                await trio.lowlevel.wait_writable(self._link)
            except OSError as error:
                self._let_go()
                raise ArenaFault(f"the keeper of the bots is gone ({error})") from error
            else:
                data, pipes = data[sent:], []

    async def no_groups_because(self) -> str | None:
        """Why bots get no control groups; None when they do. Waits until the keeper is up."""
        if self.keeper.greeting is None:
            await self._greeted.wait()
        greeting = self.keeper.greeting or {"groups": "the keeper of the bots is gone"}
        problem: str | None = greeting["groups"]
        return problem

    async def listen(self) -> None:
        """Hear the keeper until cancelled. Raises ArenaFault when it ends on its own."""
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
                raise ArenaFault("the keeper of the bots ended unexpectedly: the match is void")
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                self._hear(msgspec.json.decode(line))

    def _let_go(self) -> None:
        """The keeper is gone, and its bots with it: nobody must wait for its word."""
        self.gone = True
        self._spawned = Failed("the keeper of the bots is gone", True)
        self._spawn_heard.set()
        self._greeted.set()
        for child in self._ending.values():
            assert child.killed is not None
            child.killed.set()

    def _hear(self, message: dict[str, Any]) -> None:
        match message:
            case {"op": "exit", "pid": pid}:
                self._heard_exit(pid, msgspec.convert(message, Exit))
            case {"op": "killed", "pid": pid}:
                self._heard_killed(pid, message["clean"])
            case {"op": "spawned", "pid": pid}:
                # Booked here and not in `spawn`: its exit may stand in the very next line.
                group = msgspec.convert(message["group"], GroupFiles | None)
                child = Child(self, pid, group, *self._spawning)
                self._spawned = self._alive[pid] = child
                self._spawn_heard.set()
            case {"op": "failed"}:
                self._spawned = Failed(message["error"], message["ours"])
                self._spawn_heard.set()
            case {"op": "hello"}:
                self.keeper.greeting = message
                self._greeted.set()

    def _heard_exit(self, pid: int, end: Exit) -> None:
        child = self._alive.pop(pid, None)  # None: it never became a bot
        if child is not None:
            child.exit = end
            child.exited.set()

    def _heard_killed(self, pid: int, clean: bool) -> None:
        child = self._ending.pop(pid, None)
        if child is not None:
            assert child.killed is not None
            child.clean = clean
            child.killed.set()


def _close_all(descriptors: list[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


@asynccontextmanager
async def open_children(keeper: KeeperProcess) -> AsyncIterator[Children]:
    """Bots for the time of an ``async with``."""
    children = Children(keeper)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(children.listen)
        yield children
        nursery.cancel_scope.cancel()
