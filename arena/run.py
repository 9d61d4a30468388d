"""Running the asynchronous part of the arena from ordinary code: a keeper, a loop, one error."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from arena.errors import leaf
from arena.sandbox.launch import KeeperProcess, launch_keeper
from arena.sandbox.levels import Level, Wish
from arena.signals import second_one_leaves_at_once

if TYPE_CHECKING:
    from arena.sandbox.children import Children

T = TypeVar("T")


@contextmanager
def keeper_running(wish: Level | Wish = Level.OFF) -> Iterator[KeeperProcess]:
    """A keeper for the time of a ``with``, for bots behind such walls; when it ends, for whatever
    reason, no bot is left."""
    keeper = launch_keeper(wish)
    try:
        yield keeper
    finally:
        keeper.close()


def run_with(keeper: KeeperProcess, main: Callable[[Children], Awaitable[T]]) -> T:
    """Run ``main(children)`` to its end. Of a group of exceptions, the telling one is raised."""

    async def inside() -> T:
        from arena.sandbox.children import open_children

        with second_one_leaves_at_once():
            async with open_children(keeper) as children:
                return await main(children)

    return trio_run(inside)


def trio_run(main: Callable[[], Awaitable[T]]) -> T:
    """``trio.run``, but of a group of exceptions the telling one is raised."""
    import trio  # a tenth of a second: a keeper starts meanwhile

    try:
        return trio.run(main)
    except BaseExceptionGroup as group:
        raise leaf(group) from group


def pin(index: int) -> None:
    """Keep this process, and all that it starts from now on, on one of its cores.

    A conversation within one core is ten times as fast as one between two.
    """
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[index % len(cores)]})


@contextmanager
def pinned(index: int | None) -> Iterator[None]:
    """As `pin`, for the time of a ``with`` (None: on any core)."""
    if index is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    pin(index)
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
