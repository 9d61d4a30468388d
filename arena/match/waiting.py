"""Waits for the replies of several players.

First comes a glance: one poll over the pipes of all players that may answer at once, for a
millisecond in total. Nothing else on the loop runs meanwhile, so only players whose last answer was
as quick are included. (Without it, a request between instant bots takes 3.2 to 3.8 times as long:
the thread sleeps, is woken up, and changes its scheduling class, each time.)

The remaining replies are waited for at all pipes together: one wait of the loop, after which every
pipe with data is read. This ends when a player cannot be waited for in this way (its request is
not written yet, its program is gone, or it is not a program); then each missing reply gets a task
of its own.
"""

from __future__ import annotations

import select
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import trio

from arena.core.replies import FREE, Silence, TimedReply, Why
from arena.players.player import Player
from arena.sandbox.priority import expect_prompt_answers

T = TypeVar("T")
Replies: TypeAlias = list[TimedReply | None]
GLANCE = 0.001
"""Length of a glance in seconds."""
_STOPPED = TimedReply(Silence(Why.STOPPED), FREE)


class Lookout:
    """Looks and waits for replies during one match; a context manager."""

    def __init__(self) -> None:
        self._glances: dict[tuple[int | None, ...], Glance] = {}
        """Glances by their pipes: the same seats are asked again and again."""
        self._gate = PipeGate() if hasattr(select, "epoll") else None

    def __enter__(self) -> Lookout:
        return self

    def __exit__(self, *_: object) -> None:
        if self._gate is not None:
            self._gate.close()

    def look(self, players: Sequence[Player]) -> Replies:
        """The replies that are there or come within a millisecond; None for each missing one."""
        pipes = tuple([player.waited_for for player in players])
        glance = self._glances.get(pipes) or self._new_glance(pipes)
        replies: Replies = [None] * len(pipes)
        for i in glance.others:
            player = players[i]
            replies[i] = player.poll() if player.stopped is None else _STOPPED
        if glance.places:
            glance.fill_in(players, replies)
        return replies

    def _new_glance(self, pipes: tuple[int | None, ...]) -> Glance:
        self._glances[pipes] = glance = Glance(pipes)
        return glance

    async def wait_for(self, players: Sequence[Player], replies: Replies) -> None:
        """Fill in the replies that `look` did not find."""
        if self._gate is not None:
            await self._wait_at_pipes(self._gate, players, replies)
        missing = [i for i, timed in enumerate(replies) if timed is None]
        if missing:

            async def wait(i: int) -> None:
                replies[i] = await players[i].reply()

            await side_by_side(wait, missing)

    async def _wait_at_pipes(
        self, gate: PipeGate, players: Sequence[Player], replies: Replies
    ) -> None:
        """Fill in replies as long as all missing ones can be waited for at pipes."""
        due: dict[int, float] = {}
        places: dict[int, int] = {}
        for i, timed in enumerate(replies):
            if timed is None:
                if (pipe := players[i].wait_at()) is None:
                    return
                places[pipe] = i
                if players[i].waited_for is None:  # was polled just now
                    due[pipe] = players[i].next_look()
        fresh = [pipe for pipe in places if pipe not in due]
        while True:
            for pipe in fresh:
                player = players[places[pipe]]
                replies[places[pipe]] = timed = player.poll()
                if timed is not None:
                    del places[pipe]
                    due.pop(pipe, None)
                elif player.wait_at() is None:
                    return
                else:
                    due[pipe] = player.next_look()
            if not places:
                return
            ready = await gate.wait(due, [players[i] for i in places.values()])
            fresh = [pipe for pipe in ready if pipe in places] or list(places)


class Glance:
    """A look at pipes where answers may arrive within a millisecond."""

    def __init__(self, pipes: Sequence[int | None]) -> None:
        self.places = {pipe: i for i, pipe in enumerate(pipes) if pipe is not None}
        self.others = [i for i, pipe in enumerate(pipes) if pipe is None]
        """The indices of players without a pipe to look at."""
        self._pipes = select.poll()
        for pipe in self.places:
            self._pipes.register(pipe, select.POLLIN)

    def fill_in(self, players: Sequence[Player], replies: Replies) -> None:
        """Poll each player once, as soon as its pipe is readable."""
        expect_prompt_answers()
        missing, until = self.places.copy(), 0.0
        while True:
            for pipe, _ in self._pipes.poll(GLANCE * 1000):
                if (i := missing.pop(pipe, None)) is None:  # wrote more than its answer
                    return
                replies[i] = players[i].poll()
            if not missing:
                return
            now = time.monotonic()
            until = until or now + GLANCE
            if now >= until:
                return


class PipeGate:
    """Waits until one of several pipes is readable, or until it is time to look."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._known: set[int] = set()
        self._armed: set[int] = set()
        """Pipes with an armed one-shot notification, so that a pipe that is not waited for does not
        wake the loop."""

    async def wait(self, due: Mapping[int, float], players: Iterable[Player]) -> list[int]:
        """The readable pipes; none when a look is due, or when a player asks for one
        (`Player.waiting`). `due` has the time of that look for each pipe."""
        for pipe in due.keys() - self._armed:
            self._arm(pipe)
        with trio.CancelScope(deadline=min(due.values())) as scope:
            for player in players:
                player.waiting = scope
            await trio.lowlevel.wait_readable(self._epoll.fileno())
        for player in players:
            player.waiting = None
        ready = [pipe for pipe, _ in self._epoll.poll(0)]
        self._armed.difference_update(ready)
        return [] if scope.cancel_called else ready

    def _arm(self, pipe: int) -> None:
        change = self._epoll.modify if pipe in self._known else self._epoll.register
        change(pipe, select.EPOLLIN | select.EPOLLONESHOT)
        self._known.add(pipe)
        self._armed.add(pipe)

    def close(self) -> None:
        """Close the descriptor."""
        self._epoll.close()


async def side_by_side(function: Callable[[T], Awaitable[None]], arguments: Iterable[T]) -> None:
    """Call the function for each argument, all at once, and wait for all."""
    async with trio.open_nursery() as nursery:
        for argument in arguments:
            nursery.start_soon(function, argument)
