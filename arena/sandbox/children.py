"""The arena's side of the keeper socket: request programs and learn how they ended."""

from __future__ import annotations

import os
import select
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from arena.errors import BotError, MachineError
from arena.sandbox.child import Child
from arena.sandbox.keeper import messages
from arena.sandbox.keeper.messages import (
    Exit,
    KeeperReady,
    KillRequest,
    Request,
    SpawnRequest,
    StartFailed,
    decode_message,
    encode_request,
)
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.loop_delay import UNMEASURED, measure_loop_delay

STANDS_WITHIN = 60
"""Maximum seconds from the opening of the gate to the exec of the program. (With 60 busy programs
on two cores the walls took up to half a second, spent waiting inside the kernel.)"""
GONE = "the keeper of the bots is gone"


class Children:
    """All programs of one arena, run by one keeper. Created by `open_children`."""

    def __init__(self, keeper: KeeperProcess) -> None:
        self._link = keeper.link
        self.keeper = keeper
        self.loop_delay = UNMEASURED
        """Measures the delays of the loop that reads the programs."""
        self._greeted = trio.Event()
        self.gone = False
        """Whether the keeper ended unexpectedly."""
        self._being_killed: dict[int, Child] = {}
        for child in self._unended():
            child.children = self

    async def spawn(self, request: SpawnRequest, *, name: str) -> Child:
        """Start a program, called `name` in errors.

        Raises BotError when the system cannot execute it, MachineError when a wall cannot be put
        up.
        """
        return await self.start(self.prepare(request), name=name)

    def prepare(self, request: SpawnRequest) -> Child:
        """Bring a program to its gate, without waiting for it. `start` reports a failure. Raises
        MachineError when the keeper is gone.

        Without walls there is no gate, and the keeper is not asked before `start`."""
        child = Child(self, 0, None, -1, -1, -1)
        child.request = request
        if request.walls is not None:
            self._ask_for(child, request)
        return child

    def _ask_for(self, child: Child, request: SpawnRequest) -> None:
        """Ask the keeper for the program of a child, on new pipes."""
        is_plain = request.walls is None
        pipes = [os.pipe(), os.pipe(), os.pipe(), _lifeline() if is_plain else os.pipe()]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1], pipes[3][0]]
        ours = [pipes[0][1], pipes[1][0], pipes[2][0], pipes[3][1]]
        for descriptor in ours:
            os.set_blocking(descriptor, False)
        child.stdin, child.stdout, child.stderr, child.gate = ours
        child.children, child.request = self, None
        try:
            self.keeper.asked.append(child)
            self._send(request, [*theirs, child.gate] if is_plain else theirs)
        except BaseException:
            child.close()
            raise
        finally:
            for descriptor in theirs:
                os.close(descriptor)

    async def start(self, child: Child, *, name: str) -> Child:
        """Open the gate of a program, if it has one, and wait until it is executed. Raises like
        `spawn`."""
        if child.request is None:
            child.open_gate()
        else:
            self._ask_for(child, child.request)
        with trio.move_on_after(STANDS_WITHIN, shield=True):
            await child.executed.wait()
        if not child.executed.is_set():
            await child.kill()
            child.close()
            raise MachineError(
                f"{name}: its walls were not up within {STANDS_WITHIN} s: the match is void; "
                "run it again while this machine is less busy"
            )
        if child.failed is not None:
            child.close()
            raise _error(child.failed, name)
        return child

    @asynccontextmanager
    async def running(self, request: SpawnRequest, *, name: str) -> AsyncIterator[Child]:
        """Like `spawn`, for an ``async with`` block, which ends the whole tree and closes the
        pipes on exit."""
        async with self.started(self.prepare(request), name=name) as child:
            yield child

    @asynccontextmanager
    async def started(self, child: Child, *, name: str) -> AsyncIterator[Child]:
        """Like `start`, with the same cleanup as `running`."""
        await self.start(child, name=name)
        try:
            yield child
        finally:
            with trio.CancelScope(shield=True):
                await child.kill()
            child.close()

    def request_kill(self, child: Child) -> None:
        """Ask the keeper to end a tree; `child.killed` is set when it is gone."""
        assert child.killed is not None
        if self.gone or child.failed is not None:
            child.killed.set()
            return
        self._being_killed[child.pid] = child
        self._send(KillRequest(child.pid), [])

    def _send(self, request: Request, pipes: list[int]) -> None:
        """Send a request, without a checkpoint: a program requested by a cancelled task would run
        unseen. The keeper always keeps reading, so this hardly ever waits."""
        data = encode_request(request)
        while data:
            try:
                sent = socket.send_fds(self._link, [data], pipes)
            except BlockingIOError:
                self._wait_for_room()
            except OSError as error:
                self._let_go()
                raise MachineError(f"{GONE} ({error}): the match is void") from error
            else:
                data, pipes = data[sent:], []

    def _wait_for_room(self) -> None:
        """Wait until the keeper has read, and handle its messages meanwhile.

        This blocks the loop on purpose. Tasks that waited asynchronously would mix the bytes of
        their requests, and callers must not be suspended here: a program must be registered before
        its task can be cancelled, and a kill starts without waiting. It takes 278 kills, or 44
        programs of 4 KiB, unread at once to get here."""
        poll = select.poll()
        poll.register(self._link, select.POLLIN | select.POLLOUT)
        poll.poll()
        self.catch_up()

    async def no_groups_because(self) -> str | None:
        """Why programs get no control groups; None when they do. Waits until the keeper is up."""
        if self.keeper.greeting is None:
            await self._greeted.wait()
        greeting = self.keeper.greeting or KeeperReady(GONE)
        return greeting.no_groups_because

    async def listen(self) -> None:
        """Handle the keeper's messages until cancelled. Raises MachineError when it ends on its
        own."""
        while True:
            await trio.lowlevel.wait_readable(self._link)
            self.catch_up()

    def catch_up(self) -> None:
        """Handle the messages received so far. Raises MachineError when the keeper has ended."""
        try:
            data = self._link.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._let_go()
            raise MachineError("the keeper of the bots ended unexpectedly: the match is void")
        *lines, self.keeper.unheard = (self.keeper.unheard + data).split(b"\n")
        for line in lines:
            self._hear(decode_message(line))

    def _let_go(self) -> None:
        """The keeper and its bots are gone: wake all tasks that wait for its messages."""
        self.gone = True
        self._greeted.set()
        for child in self._unended():
            if not child.executed.is_set():
                child.fail(StartFailed(GONE, True))
        for child in self._being_killed.values():
            assert child.killed is not None
            child.killed.set()

    def _hear(self, message: messages.Message) -> None:
        match message:
            case messages.Exited(pid, end):
                self._hear_exit(pid, end)
            case messages.Killed(pid, clean, cpu_ns):
                self._hear_killed(pid, clean, cpu_ns)
            case messages.Spawned(pid, group):
                child = self.keeper.alive[pid] = self.keeper.asked.popleft()
                child.pid, child.group = pid, group
                child.spawned.set()
            case messages.Executed(pid):
                self.keeper.alive[pid].executed.set()
            case StartFailed(pid=None):
                self.keeper.asked.popleft().fail(message)
            case StartFailed(pid=int(pid)):
                self.keeper.alive.pop(pid).fail(message)
                self._hear_killed(pid, True)
            case KeeperReady():
                self.keeper.greeting = message
                self._greeted.set()

    def _hear_exit(self, pid: int, end: Exit) -> None:
        child = self.keeper.alive.pop(pid)
        child.exit = end
        child.exited.set()

    def _unended(self) -> list[Child]:
        return [*self.keeper.asked, *self.keeper.alive.values()]

    def _hear_killed(self, pid: int, clean: bool, cpu_ns: int | None = None) -> None:
        child = self._being_killed.pop(pid, None)
        if child is not None:
            assert child.killed is not None
            child.clean, child.cpu_ns = clean, cpu_ns or 0
            if not clean:
                self.keeper.folders.close()
            child.killed.set()


def _lifeline() -> tuple[int, int]:
    """Both ends of a pair of sockets, which the keeper ties to a program (`spawn.tie`)."""
    one, other = socket.socketpair()
    return one.detach(), other.detach()


def _error(failed: StartFailed, name: str) -> MachineError | BotError:
    if failed.ours:
        return MachineError(f"{name}: {failed.error}: the match is void (arena doctor says more)")
    return BotError(f"cannot start {name}: {failed.error}")


@asynccontextmanager
async def open_children(keeper: KeeperProcess) -> AsyncIterator[Children]:
    """Yield the `Children` of a keeper. Messages are handled until the block has ended, even if it
    is cancelled from outside, because it waits for bots to end."""
    children = Children(keeper)
    with measure_loop_delay() as children.loop_delay:
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
