"""Run the asynchronous part of the arena from synchronous code: a keeper, a loop, one error."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar, overload

from arena.errors import root_cause
from arena.sandbox.interrupts import force_exit_on_second_interrupt
from arena.sandbox.launch import KeeperProcess, launch_keeper
from arena.sandbox.levels import Level, SandboxWish

if TYPE_CHECKING:
    from arena.sandbox.children import Children

T = TypeVar("T")


@contextmanager
def keeper_running(mode: SandboxWish = Level.OFF) -> Iterator[KeeperProcess]:
    """Yield a keeper (`launch_keeper`) for bots behind the walls of `mode`. No bot outlives the
    block, even if it ends with an exception."""
    keeper = launch_keeper(mode)
    try:
        yield keeper
    finally:
        keeper.close()


@overload
def run_with(keeper: KeeperProcess, main: Callable[[Children], Awaitable[T]]) -> T: ...
@overload
def run_with(
    keeper: KeeperProcess | None, main: Callable[[Children | None], Awaitable[T]]
) -> T: ...
def run_with(keeper: KeeperProcess | None, main: Callable[..., Awaitable[T]]) -> T:
    """Run ``main(children)`` with `trio_run` and return its result; `children` is None without a
    keeper. A second Ctrl-C ends the process at once."""

    async def inside() -> T:
        from arena.sandbox.priority import before_others

        with force_exit_on_second_interrupt(), before_others():
            if keeper is None:
                return await main(None)
            from arena.sandbox.children import open_children

            async with open_children(keeper) as children:
                return await main(children)

    return trio_run(inside)


def trio_run(main: Callable[[], Awaitable[T]]) -> T:
    """Like ``trio.run``, but raise the root cause of an exception group (`errors.root_cause`)."""
    import trio  # takes a tenth of a second, in which a keeper starts

    with one_error():
        return trio.run(main)


@contextmanager
def one_error() -> Iterator[None]:
    """Raise the root cause of an exception group, as nurseries make them (`errors.root_cause`)."""
    try:
        yield
    except BaseExceptionGroup as group:
        raise root_cause(group) from None
