"""A worker: it joins the scheduler, and plays what comes, one match at a time.

The main thread plays (a keeper must be started by a thread that lasts, and Trio wants the one that
hears signals); dask runs in a thread beside it. What dask calls (`play`) hands the work over and
waits.
"""

from __future__ import annotations

import asyncio
import dataclasses
import queue
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import distributed
import msgspec

from arena.bots.cache import cache_root
from arena.bots.find import find_bot
from arena.cluster.parcels import Parcel, place_of, unpack
from arena.cluster.work import Done, Failed, Promise, Work, silence_dask
from arena.errors import ArenaFault, BotError, MachineError
from arena.players.entrant import ProgramEntrant
from arena.runtime.pool import LocalPool, Pool
from arena.sandbox.keeper import tempdirs

RESOURCE = "arena"
"""Dask gives a worker as many matches as it has of it: one."""
REACHED_WITHIN = 30
"""Seconds for which a worker looks for its scheduler."""
LEAVES_WITHIN = 5
"""Seconds for dask to take leave of the scheduler."""

_Job = tuple[Work, "Future[Done | Failed]"]
_post: _Post | None = None
"""That of this process, if it is a worker."""


class _Post:
    """What the threads of a worker share."""

    def __init__(self, promise: Promise, store: Path) -> None:
        self.promise = promise
        self.store = store
        self.jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()


# -- called by dask, on behalf of the judge ------------------------------------------------


def play(work: Work) -> Done | Failed:
    """Play one match in this worker."""
    if _post is None:
        return Failed(work.token, "this dask worker is none of the arena: start `arena worker`")
    done: Future[Done | Failed] = Future()
    _post.jobs.put((work, done))
    return done.result()


def promised() -> Promise | None:
    """What this worker says of itself; None from one that is none of the arena."""
    return _post.promise if _post else None


class Delivery(distributed.WorkerPlugin):
    """Brings a bot to every worker, also to those that join later."""

    def __init__(self, parcel: Parcel) -> None:
        self.name = f"arena-bot-{parcel.address.digest}"
        self._parcel = parcel

    def setup(self, worker: distributed.Worker) -> None:
        """Dask calls it in each worker."""
        if _post is not None:
            unpack(_post.store, self._parcel)


# -- the main thread -----------------------------------------------------------------------


def work_for(
    address: str, promise: Promise, *, security: Any = None, tell: Callable[[str], None]
) -> None:
    """Join the scheduler at an address, and play until it is gone or this process is interrupted.

    Raises ArenaFault when there is no scheduler.
    """
    global _post
    silence_dask()
    store = cache_root() / "parcels"
    store.mkdir(parents=True, exist_ok=True)
    _post = _Post(promise, store)
    with _joined(address, security, _post.jobs) as lost, LocalPool() as pool:
        tell(f"waiting for matches from {address}, with the walls {promise.level}")
        while job := _post.jobs.get():
            _answer(pool, *job, store)
        if why := lost():
            raise ArenaFault(why)


@contextmanager
def _joined(
    address: str, security: Any, jobs: queue.SimpleQueue[_Job | None]
) -> Iterator[Callable[[], str]]:
    """Dask's worker in a thread. What is given says why it has ended."""
    joined = _Joined(address, security, jobs)
    thread = threading.Thread(target=joined.run, name="dask", daemon=True)
    thread.start()
    try:
        yield lambda: joined.why
    finally:
        joined.leave()
        thread.join(LEAVES_WITHIN)


class _Joined:
    """Dask's worker, as long as it runs."""

    def __init__(self, address: str, security: Any, jobs: queue.SimpleQueue[_Job | None]) -> None:
        self.why = ""
        """Why it has ended, when that was not `leave`."""
        self._address = address
        self._security = security
        self._jobs = jobs
        self._loop = asyncio.new_event_loop()
        self._leave = asyncio.Event()

    def leave(self) -> None:
        """Leave the scheduler. For the other thread."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._leave.set)

    def run(self) -> None:
        """Work until it is to leave, or the scheduler is gone."""
        try:
            self._loop.run_until_complete(self._work())
        except Exception as error:
            self.why = (
                f"cannot work for {self._address}: {error}: is a scheduler there (dask scheduler)?"
            )
        finally:
            self._loop.close()
            self._jobs.put(None)

    async def _work(self) -> None:
        async with distributed.Worker(
            self._address,
            nthreads=1,
            resources={RESOURCE: 1},
            memory_limit=0,
            dashboard=False,
            death_timeout=REACHED_WITHIN,
            security=self._security,
        ) as worker:
            ends = [asyncio.ensure_future(one) for one in (worker.finished(), self._leave.wait())]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            if not self._leave.is_set():
                self.why = f"the scheduler at {self._address} is gone: start it, then this again"
            for end in ends:
                end.cancel()


def _answer(pool: Pool, work: Work, done: Future[Done | Failed], store: Path) -> None:
    """Play a match. An interruption ends this worker, and another one plays the match."""
    try:
        done.set_result(_play_here(pool, work, store))
    except (MachineError, BotError) as error:
        done.set_result(Failed.of(work.token, error))
    except Exception as error:
        done.set_exception(error)


def _play_here(pool: Pool, work: Work, store: Path) -> Done:
    with tempfile.TemporaryDirectory(prefix=tempdirs.prefix()) as folder:
        record = work.spec.replay and Path(folder) / work.spec.replay
        entrants = tuple(
            ProgramEntrant(
                dataclasses.replace(
                    find_bot(str(place_of(store, address)), sandbox=work.spec.sandbox),
                    command=name,
                )
            )
            for name, address in work.bots
        )
        spec = msgspec.structs.replace(work.spec, entrants=entrants, replay=record)
        ((_, played),) = pool.play([(None, spec)])
        if isinstance(played, MachineError | BotError):
            raise played
        return Done(work.token, played, record.read_bytes() if record else None)
