"""Matches side by side: worker processes, each with a keeper and a loop of its own.

A match is one independent task with a seed, so it does not matter which worker plays it.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TYPE_CHECKING, Any

from arena import run
from arena.errors import ArenaFault, HostFault
from arena.reports import MatchReport, MatchSpec
from arena.run import keeper_running, pinned, run_with
from arena.sandbox.launch import KeeperProcess, launch_keeper
from arena.sandbox.levels import Level, Wish
from arena.signals import leave_them_to_the_arena, second_one_leaves_at_once

if TYPE_CHECKING:
    from arena.sandbox.children import Children

VOIDS_IN_A_ROW = 3
"""Void matches, one after the other, with which a run stops: this machine can play none. (So many
for each that is played at a time.)"""

_keeper: KeeperProcess | None = None
"""The keeper of this worker process."""


class Voids:
    """The matches of a run that the machine made void."""

    def __init__(self) -> None:
        self.total = 0
        self.in_a_row = 0
        self.limit = VOIDS_IN_A_ROW

    def count(self, fault: HostFault) -> None:
        """One more. Raises HostFault when too many came in a row."""
        self.total += 1
        self.in_a_row += 1
        if self.in_a_row >= self.limit:
            raise HostFault(f"{self.in_a_row} matches in a row were void, the last: {fault}")


def play_all(
    specs: Sequence[MatchSpec],
    *,
    jobs: int,
    pin: bool = False,
    voids: Voids | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> Iterator[tuple[int, MatchReport]]:
    """Play all matches, `jobs` at a time; give each report with its index as it comes in.

    A match that the machine made void is counted in `voids` and played again, with half as many at
    a time; `tell` hears of that. Raises what a match raises, and HostFault when one after the other
    is void; the matches that are not finished are then dropped.
    """
    voids = voids or Voids()
    todo = list(range(len(specs)))
    while todo and jobs > 1:
        voids.limit = VOIDS_IN_A_ROW * jobs  # one bad moment of the machine takes all of them
        todo = yield from _play_side_by_side(specs, todo, jobs, pin, voids)
        jobs //= 2
        if todo:
            tell(f"{len(todo)} matches were void, and are played again {jobs} at a time")
    voids.limit = VOIDS_IN_A_ROW
    yield from _play_here(specs, todo, pin, voids)


def _play_side_by_side(
    specs: Sequence[MatchSpec], todo: Sequence[int], jobs: int, pin: bool, voids: Voids
) -> Generator[tuple[int, MatchReport], None, list[int]]:
    """Play the matches `todo` in worker processes; returns those that were void."""
    import arena.match  # noqa: F401  # once, here, and not in every worker

    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    places = context.Queue()
    for place in range(jobs):
        places.put(place)
    pool = ProcessPoolExecutor(
        jobs,
        mp_context=context,
        initializer=_start_worker,
        initargs=(places, pin, specs[0].sandbox),
    )
    others = set(multiprocessing.active_children())
    with second_one_leaves_at_once():
        try:
            futures = {pool.submit(_play_in_worker, specs[i]): i for i in todo}
            return (yield from _reports(futures, voids))
        except BaseException:  # interrupted, or a match failed: nobody waits for the others
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()  # its keeper ends its bots
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _reports(
    futures: dict[Future[MatchReport], int], voids: Voids
) -> Generator[tuple[int, MatchReport], None, list[int]]:
    """The reports as they come in; returns which matches are to be played again."""
    again: list[int] = []
    for future in as_completed(futures):
        try:
            report = future.result()
        except HostFault as fault:
            voids.count(fault)
            again.append(futures[future])
        except BrokenProcessPool as error:
            raise ArenaFault(
                "a worker process of the arena died (out of memory?): its match is void, "
                "run again with fewer --jobs"
            ) from error
        else:
            voids.in_a_row = 0
            yield futures[future], report
    return again


def _play_here(
    specs: Sequence[MatchSpec], todo: Sequence[int], pin: bool, voids: Voids
) -> Iterator[tuple[int, MatchReport]]:
    if not todo:
        return
    with pinned(0 if pin else None), keeper_running(specs[0].sandbox) as keeper:
        for i in todo:
            yield i, _play_until_valid(specs[i], keeper, voids)


def _play_until_valid(spec: MatchSpec, keeper: KeeperProcess, voids: Voids) -> MatchReport:
    while True:
        try:
            report = _play(spec, keeper)
        except HostFault as fault:
            voids.count(fault)
        else:
            voids.in_a_row = 0
            return report


def _play(spec: MatchSpec, keeper: KeeperProcess) -> MatchReport:
    async def play(children: Children) -> MatchReport:
        from arena.match import play_match  # with Trio, while the keeper starts

        return await play_match(spec, children)

    return run_with(keeper, play)


def _start_worker(places: Any, pin: bool, wish: Level | Wish) -> None:
    global _keeper
    _die_with_parent()
    leave_them_to_the_arena()
    place = places.get()
    if pin:
        run.pin(place)
    _keeper = launch_keeper(wish)  # it ends with this process: the end of file on its socket


def _die_with_parent() -> None:
    """A worker whose arena was killed must not play on (Linux; the worker was forked by the
    main thread, whose end this signal follows)."""
    from arena.sandbox.birth import PR_SET_PDEATHSIG, prctl

    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _play_in_worker(spec: MatchSpec) -> MatchReport:
    assert _keeper is not None
    try:
        return run_with(_keeper, lambda children: _play_until_ended(spec, children))
    except KeyboardInterrupt:
        os._exit(1)  # not to the next match


async def _play_until_ended(spec: MatchSpec, children: Children) -> MatchReport:
    """Play a match. SIGTERM ends it as Ctrl-C would, so that it cleans up behind itself."""
    import trio

    from arena.match import play_match

    async def listen() -> None:
        with trio.open_signal_receiver(signal.SIGTERM) as signals:
            async for _ in signals:
                raise KeyboardInterrupt

    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen)
        report = await play_match(spec, children)
        nursery.cancel_scope.cancel()
    return report
