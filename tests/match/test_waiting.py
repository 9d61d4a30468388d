"""Looking at several players at once."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing

from arena.core.replies import FREE, Answer, TimedReply
from arena.match.waiting import Glance, Lookout, Replies
from arena.players.player import Player, Stopped
from tests.support.fake import MockClock

REPLY = TimedReply(Answer("1"), FREE)


class Piped(Player):
    """Replies as soon as `enough` bytes came."""

    def __init__(self, name: str = "piped", enough: int = 1) -> None:
        super().__init__(name)
        self.theirs, self.ours = os.pipe()
        self.enough = enough
        self.waited_for = self.theirs
        self.polls = self.waits = 0

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Nothing to do."""

    def poll(self) -> TimedReply | None:
        """Read a byte."""
        self.polls += 1
        os.set_blocking(self.theirs, False)
        with suppress(BlockingIOError):
            self.enough -= len(os.read(self.theirs, 1))
        return REPLY if self.enough <= 0 else None

    async def reply(self) -> TimedReply:
        """At last."""
        self.waits += 1
        return REPLY


@contextmanager
def piped(count: int) -> Iterator[list[Piped]]:
    players = [Piped() for _ in range(count)]
    yield players
    for player in players:
        os.close(player.theirs)
        os.close(player.ours)


def test_each_that_is_there_is_polled_once() -> None:
    with piped(4) as players:
        for player in players:
            os.write(player.ours, b"x")
        lookout = Lookout()
        assert lookout.look(players) == [REPLY] * 4
        assert [player.polls for player in players] == [1] * 4


def test_a_glance_ends_without_those_that_do_not_come() -> None:
    with piped(3) as players:
        os.write(players[1].ours, b"x")
        assert Lookout().look(players) == [None, REPLY, None]
        assert [player.polls for player in players] == [0, 1, 0]


def test_a_glance_at_what_does_not_come_ends_after_two_milliseconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing else runs meanwhile. (By the clock of the test, which only its polls move.)"""
    waits: list[float] = []

    def poll(ms: float) -> tuple[()]:
        waits.append(ms)
        return ()

    monkeypatch.setattr("time.monotonic", lambda: 1 + sum(waits) / 1000)
    with piped(1) as players:
        glance = Glance([players[0].theirs])
        monkeypatch.setattr(glance, "_pipes", SimpleNamespace(poll=poll))
        glance.fill_in(players, [None])
    assert waits == [1.0, 1.0]


def test_a_part_of_an_answer_ends_the_glance_at_its_pipe() -> None:
    with piped(2) as players:
        players[0].enough = 2
        for player in players:
            os.write(player.ours, b"x")
        assert Lookout().look(players) == [None, REPLY]
        assert players[0].polls == 1


def test_more_than_an_answer_ends_the_glance() -> None:
    with piped(2) as players:
        os.write(players[0].ours, b"x" * 1000)
        assert Lookout().look(players) == [REPLY, None]
        assert players[0].polls == 1


def test_others_are_polled_and_the_stopped_are_not() -> None:
    with piped(2) as players:
        players[0].mark_stopped(Stopped.CRASHED, "")
        players[1].waited_for = None
        replies = Lookout().look(players)
        assert replies[0] is not None
        assert (replies[1], players[0].polls, players[1].polls) == (None, 0, 1)


async def test_only_what_is_missing_is_waited_for() -> None:
    for count in (1, 3):
        with piped(4) as players:
            replies = [REPLY] * (4 - count) + [None] * count
            await Lookout().wait_for(players, replies)
            assert replies == [REPLY] * 4
            assert [player.waits for player in players] == [0] * (4 - count) + [1] * count


class Counted:
    """Counts the polls of another."""

    def __init__(self, other: Any, polls: list[float]) -> None:
        self._other, self._polls = other, polls

    def poll(self, timeout: float) -> Any:
        """As the other."""
        self._polls.append(timeout)
        return self._other.poll(timeout)


def test_a_glance_does_not_wait_for_those_that_are_no_part_of_it() -> None:
    with piped(2) as players:
        os.write(players[0].ours, b"x")
        replies: Replies = [None, None]
        polls: list[float] = []
        glance = Glance((players[0].theirs, None))
        glance._pipes = Counted(glance._pipes, polls)  # type: ignore[assignment]
        glance.fill_in(players, replies)
        assert (replies, len(polls)) == ([REPLY, None], 1)


class Waited(Piped):
    """Is waited for at its pipe, or until it is `due`."""

    def __init__(self) -> None:
        super().__init__()
        self.waited_for = None
        self.due = 1000.0
        self.has_pipe = True

    def wait_at(self) -> int | None:
        """Its pipe."""
        return self.theirs if self.has_pipe else None

    def next_look(self) -> float:
        """When it is due."""
        return self.due

    def poll(self) -> TimedReply | None:
        """Its reply, also when it is due."""
        found = super().poll()
        return REPLY if trio.current_time() >= self.due else found


@contextmanager
def waited(count: int) -> Iterator[tuple[Lookout, list[Waited]]]:
    if not hasattr(select, "epoll"):
        pytest.skip("each is waited for by itself: this system has no epoll")
    players = [Waited() for _ in range(count)]
    with Lookout() as lookout:
        yield lookout, players
    for player in players:
        os.close(player.theirs)
        os.close(player.ours)


async def test_all_are_waited_for_at_one_gate(autojump_clock: MockClock) -> None:
    with waited(3) as (lookout, players):
        for _ in range(2):
            replies: Replies = [None] * 3
            async with trio.open_nursery() as nursery:
                nursery.start_soon(lookout.wait_for, players, replies)
                for player in reversed(players):
                    await trio.sleep(1)
                    assert replies[players.index(player)] is None
                    player.enough = 1
                    os.write(player.ours, b"x")
                    await trio.testing.wait_all_tasks_blocked()
            assert replies == [REPLY] * 3
        assert [player.polls for player in players] == [2] * 3
        assert not any(player.waits or player.waiting for player in players)


async def test_a_look_that_is_due_ends_the_wait(autojump_clock: MockClock) -> None:
    with waited(2) as (lookout, players):
        players[0].due = trio.current_time() + 3
        replies: Replies = [None, None]
        with trio.move_on_after(10):
            await lookout.wait_for(players, replies)
        assert replies == [REPLY, None]


async def test_a_player_can_ask_for_a_look(autojump_clock: MockClock) -> None:
    with waited(2) as (lookout, players):
        replies: Replies = [None, None]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lookout.wait_for, players, replies)
            await trio.sleep(1)
            for player in players:
                player.enough = 0
            assert players[1].waiting is not None
            players[1].waiting.cancel()
        assert replies == [REPLY, REPLY]


async def test_a_pipe_that_is_not_waited_for_wakes_up_nothing(autojump_clock: MockClock) -> None:
    with waited(2) as (lookout, players):
        babbler, quiet = players
        for player in players:
            os.write(player.ours, b"x")
        await lookout.wait_for(players, [None, None])
        os.write(babbler.ours, b"x" * 1000)
        quiet.polls, quiet.enough = 0, 1
        replies: Replies = [REPLY, None]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lookout.wait_for, players, replies)
            await trio.sleep(1)
            os.write(quiet.ours, b"x")
        assert (replies, quiet.polls) == ([REPLY, REPLY], 1)


async def test_one_without_a_pipe_gives_each_a_task_of_its_own(autojump_clock: MockClock) -> None:
    with waited(3) as (lookout, players):
        players[2].has_pipe = False
        replies: Replies = [REPLY, None, None]
        await lookout.wait_for(players, replies)
        assert (replies, [player.waits for player in players]) == ([REPLY] * 3, [0, 1, 1])
