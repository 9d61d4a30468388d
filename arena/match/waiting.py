"""Looking and waiting for the replies of several players.

First comes a glance: one poll over the pipes of all players whose answer may be there at once, for
a millisecond in all. With tasks of their own, four programs that answer after 0.1 ms cost the arena
1.5 to 2 times as much. Nothing else on the loop runs meanwhile, so it is only for players whose
last answer was as quick. What is still missing then is waited for side by side in tasks.
"""

from __future__ import annotations

import select
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import TypeVar

import trio

from arena.core.replies import FREE, Silence, TimedReply, Why
from arena.players.player import Player
from arena.sandbox.priority import expect_prompt_answers

T = TypeVar("T")
GLANCE = 0.001
"""Seconds."""
_STOPPED = TimedReply(Silence(Why.STOPPED), FREE)


class Glances:
    """The first looks of one match."""

    def __init__(self) -> None:
        self._polls: dict[tuple[int, ...], select.poll] = {}
        """By the pipes: the same seats are asked again and again."""

    def look(self, players: Sequence[Player]) -> list[TimedReply | None]:
        """The replies that are there, or come within a millisecond; None for each other."""
        replies: list[TimedReply | None] = []
        quick: dict[int, int] = {}
        for i, player in enumerate(players):
            timed = None
            if player.stopped is not None:
                timed = _STOPPED
            elif (pipe := player.waited_for) is not None:
                quick[pipe] = i
            else:
                timed = player.poll()
            replies.append(timed)
        if quick:
            self._glance(quick, players, replies)
        return replies

    def _glance(
        self, quick: dict[int, int], players: Sequence[Player], replies: list[TimedReply | None]
    ) -> None:
        """Fill in the replies of the quick ones, whose places are given by their pipes."""
        expect_prompt_answers()
        pipes = tuple(quick)
        poll = self._polls.get(pipes) or self._new_poll(pipes)
        until = 0.0
        while quick:
            for pipe, _ in poll.poll(GLANCE * 1000):
                if (i := quick.pop(pipe, None)) is None:  # it wrote more than its answer
                    return
                replies[i] = players[i].poll()
            now = time.monotonic()
            until = until or now + GLANCE
            if now >= until:
                return

    def _new_poll(self, pipes: tuple[int, ...]) -> select.poll:
        poll = self._polls[pipes] = select.poll()
        for pipe in pipes:
            poll.register(pipe, select.POLLIN)
        return poll


async def wait_for(players: Sequence[Player], replies: list[TimedReply | None]) -> None:
    """Fill in the replies that are missing."""
    missing = [i for i, timed in enumerate(replies) if timed is None]

    async def wait(i: int) -> None:
        replies[i] = players[i].poll() or await players[i].reply()

    if len(missing) == 1:
        await wait(missing[0])
    else:
        await side_by_side(wait, missing)


async def side_by_side(function: Callable[[T], Awaitable[None]], arguments: Iterable[T]) -> None:
    """Call the function for each argument, all at once, and wait for all."""
    async with trio.open_nursery() as nursery:
        for argument in arguments:
            nursery.start_soon(function, argument)
