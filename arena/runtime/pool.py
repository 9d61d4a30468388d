"""Pools play matches as they come, in parallel worker processes or one by one in this process.

A match is an independent task with a seed, so any process can play it. Each match has its own
sandbox mode and limits; a process that plays matches has one keeper per mode so far.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeAlias, TypeVar

from arena.errors import BotError, MachineError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.runtime.affinity import pinned
from arena.runtime.worker import Keepers, Play, PoolWork, play_in_worker, play_spec, start_worker
from arena.sandbox.interrupts import force_exit_on_second_interrupt
from arena.sandbox.session import run_with

if TYPE_CHECKING:
    from arena.sandbox.children import Children

WORKER_GRACE = 2.0
"""Seconds for a worker to end when it is asked to."""

K = TypeVar("K")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S", bound=PoolWork)
S_contra = TypeVar("S_contra", contravariant=True)
T = TypeVar("T")
Played: TypeAlias = MatchReport | MachineError | BotError
"""The report of a match, the error that made it void, or why one of its bots cannot be started."""


class PoolOf(Protocol[S_contra, R_co]):
    """Plays matches, or what else it is for, as they come."""

    def play(
        self, specs: Iterable[tuple[K, S_contra]]
    ) -> Iterator[tuple[K, R_co | MachineError | BotError]]:
        """Play the matches, and yield the key and result of each, in the order in which they end.

        The next match is taken from `specs` when there is room for it. Raises what a match raises,
        except MachineError and BotError.
        """


Pool: TypeAlias = PoolOf[MatchSpec, MatchReport]
"""A pool of matches."""


def open_pool(
    jobs: int, *, pin: bool = False, abort: Future[None] | None = None
) -> AbstractContextManager[Pool]:
    """`pool_of` matches."""
    return pool_of(play_spec, jobs, pin=pin, abort=abort)


def pool_of(
    play: Play[S, R], jobs: int, *, pin: bool = False, abort: Future[None] | None = None
) -> AbstractContextManager[PoolOf[S, R]]:
    """A pool for `jobs` matches at a time; with `pin` each match and its bots stay on one core.

    When `abort` is done, the pool gives up its matches and raises Aborted, which requires worker
    processes; without `abort`, a single job plays in this process.
    """
    if jobs == 1 and abort is None:
        return LocalPool(play, pin=pin)
    return WorkerPool(play, jobs, pin=pin, abort=abort)


class Aborted(Exception):
    """The matches were given up at the request of the caller."""


class LocalPool(Generic[S, R]):
    """Plays one match after the other in this process."""

    def __init__(self, play: Play[S, R], *, pin: bool = False) -> None:
        self._play = play
        self._pin = pin
        self._open = ExitStack()
        self._keepers = Keepers()

    def __enter__(self) -> Self:
        self._open.enter_context(pinned(0 if self._pin else None))
        self._open.enter_context(self._keepers)
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.close()

    def play(self, specs: Iterable[tuple[K, S]]) -> Iterator[tuple[K, R | MachineError | BotError]]:
        """See `PoolOf`."""
        for (key, spec), then in with_next(specs):
            try:
                keeper = self._keepers.find(spec)
                yield key, run_with(keeper, partial(self._play_first, spec, then))
            except (MachineError, BotError) as error:
                yield key, error

    async def _play_first(self, spec: S, then: S | None, children: Children | None) -> R:
        """Play, and prestart the programs of a match before the code that plays it is imported."""
        if isinstance(spec, MatchSpec):
            from arena.match.play import prepare_first

            await prepare_first(spec, children)
        return await self._play(spec, children, then)


class WorkerPool(Generic[S, R]):
    """Plays matches in worker processes, and ends them when it is left by an exception."""

    def __init__(
        self,
        play: Play[S, R],
        jobs: int,
        *,
        pin: bool = False,
        abort: Future[None] | None = None,
    ) -> None:
        """See `pool_of`."""
        self._play = play
        self.jobs = jobs
        self._pin = pin
        self._abort = abort or Future()
        self._open = ExitStack()
        self._others: set[Any] = set()

    def __enter__(self) -> Self:
        import arena.match.play  # noqa: F401  # once, here, and not in every worker

        self._others = set(multiprocessing.active_children())
        self._open.enter_context(force_exit_on_second_interrupt())
        self._executor = self._make_executor()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with self._open:
            if kind is not None:  # interrupted, or a match failed: the others are given up
                self._end_workers()
            self._executor.shutdown(wait=True, cancel_futures=True)

    def _make_executor(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
        cores = context.Queue()
        for core in range(self.jobs):
            cores.put(core if self._pin else None)
        return ProcessPoolExecutor(
            self.jobs,
            mp_context=context,
            initializer=start_worker,
            initargs=(os.getpid(), cores),
        )

    def _submit(self, spec: S, then: S | None) -> Future[R]:
        """Submit a match, to a new executor if the death of a worker has broken this one.

        The next match of a worker is not known, so programs are prestarted only if the same bots
        play."""
        if then is not None and not _are_the_same(spec, then):
            then = None
        try:
            return self._executor.submit(play_in_worker, self._play, spec, then)
        except BrokenProcessPool:
            self._executor.shutdown(wait=True)
            self._executor = self._make_executor()
            return self._executor.submit(play_in_worker, self._play, spec, then)

    def _end_workers(self) -> None:
        """End the workers. A worker that is asked to end cleans up; one whose game loops cannot, so
        it is killed, and its keeper ends its bots."""
        workers = set(multiprocessing.active_children()) - self._others
        for worker in workers:
            worker.terminate()
        deadline = time.monotonic() + WORKER_GRACE
        for worker in workers:
            worker.join(max(0, deadline - time.monotonic()))
            worker.kill()

    def play(self, specs: Iterable[tuple[K, S]]) -> Iterator[tuple[K, R | MachineError | BotError]]:
        """See `PoolOf`. One extra match is kept ready for the next free worker."""
        plan, running = with_next(specs), dict[Future[R], K]()
        # Not `concurrent.futures.wait`: a Ctrl-C while that takes the locks of all futures leaves
        # them taken, and the end of the workers waits for them for ever.
        ended = SimpleQueue[Future[Any]]()
        self._abort.add_done_callback(ended.put)
        while True:
            for (key, spec), then in islice(plan, self.jobs + 1 - len(running)):
                future = self._submit(spec, then)
                running[future] = key
                future.add_done_callback(ended.put)
            if not running:
                return
            future = ended.get()
            if self._abort.done():
                raise Aborted
            played = _result(future)
            yield running.pop(future), played


def _result(future: Future[R]) -> R | MachineError | BotError:
    try:
        return future.result()
    except (MachineError, BotError) as error:
        return error
    except BrokenProcessPool:
        return MachineError(
            "a worker process of the arena died (out of memory?): its match is void, "
            "run again with fewer --jobs"
        )


def with_next(
    specs: Iterable[tuple[K, T]],
) -> Iterator[tuple[tuple[K, T], T | None]]:
    """Each match with its key, and the match that comes after it."""
    plan = iter(specs)
    one = next(plan, None)
    while one is not None:
        after = next(plan, None)
        yield one, None if after is None else after[1]
        one = after


def _are_the_same(one: PoolWork, other: PoolWork) -> bool:
    """Whether two matches have the same entrants, in any order."""
    return all(entrant in one.entrants for entrant in other.entrants)
