"""Helpers for calls from inside and outside a Trio loop."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Generator, Sequence
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    closing,
    nullcontext,
    suppress,
)
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from arena.core.listener import Listener
from arena.errors import UsageError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.runtime.affinity import pinned
from arena.sandbox.launch import KeeperProcess, launch_keeper
from arena.sandbox.levels import SandboxWish
from arena.sandbox.session import keeper_running, one_error, run_with

if TYPE_CHECKING:
    from concurrent.futures import Future

    from arena.sandbox.children import Children

T = TypeVar("T")


def refuse_inside_trio(name: str, instead: str) -> None:
    """Raise UsageError when the caller runs inside Trio, whose loop the call would stop."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_run():
        raise UsageError(f"arena.{name} would block the loop of Trio: use arena.{instead}")


def keeper_for(spec: MatchSpec) -> AbstractContextManager[KeeperProcess | None]:
    """A keeper (`launch_keeper`) for the programs of a match, for the duration of a ``with``; None
    without any: to start one takes 30 ms, ten times as long as a short match of functions."""
    return keeper_running(spec.terms.sandbox) if spec.has_programs else nullcontext()


def children_for(spec: MatchSpec) -> AbstractAsyncContextManager[Children | None]:
    """Like `keeper_for`, inside Trio."""
    return children_running(spec.terms.sandbox) if spec.has_programs else nullcontext()


def play_spec(
    spec: MatchSpec,
    *,
    listeners: Sequence[Listener] = (),
    pin: bool = False,
    record: BinaryIO | None = None,
) -> MatchReport:
    """Play the match of a spec, and give its report; the record goes to the file `record` as well.
    Raises as `play` does.
    """

    async def main(children: Children | None) -> MatchReport:
        from arena.match.play import prepare_first

        await prepare_first(spec, children)
        from arena.match.play import play_match  # while the walls of the programs go up

        return await play_match(spec, children, listeners, record=record)

    with pinned(0 if pin else None), keeper_for(spec) as keeper:
        return run_with(keeper, main)


@asynccontextmanager
async def children_running(mode: SandboxWish) -> AsyncIterator[Children]:
    """A keeper for bots behind these walls, for the duration of an ``async with``."""
    import trio

    from arena.sandbox.children import open_children

    keeper = launch_keeper(mode)
    try:
        async with open_children(keeper) as children:
            yield children
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(keeper.close)


async def play_in_thread(
    play: Callable[[Future[None]], Generator[T, None, None]], each: Callable[[T], None]
) -> None:
    """Iterate `play`, which plays matches in worker processes, in a thread, and call `each` with
    every result in Trio's thread. On cancellation, the future given to `play` is done."""
    from concurrent.futures import Future

    import trio

    from arena.runtime.pool import Aborted

    abort = Future[None]()

    def iterate() -> None:
        with suppress(Aborted), closing(play(abort)) as found:
            for one in found:
                trio.from_thread.run_sync(each, one)

    with one_error():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_set_when_cancelled, abort)
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(iterate)
            nursery.cancel_scope.cancel()
    await trio.lowlevel.checkpoint_if_cancelled()


async def _set_when_cancelled(abort: Future[None]) -> None:
    import trio

    try:
        await trio.sleep_forever()
    finally:
        abort.set_result(None)
