"""A pool whose matches are played by the workers of a cluster."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import distributed
import msgspec
from distributed.comm.core import CommClosedError

from arena.cluster.parcels import Address, pack
from arena.cluster.work import Done, Failed, Promise, Work, silence_dask, why_unfit
from arena.cluster.worker import RESOURCE, Delivery, play, promised
from arena.errors import DISK_FULL_ERRNOS, ArenaFault, BotError, DiskFull, MachineError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.stored import StoredEntrant
from arena.runtime.pool import Played

K = TypeVar("K")
LOOK = 1.0
"""Seconds after which workers that came or went are looked for, if no match ends."""
AHEAD = 2
"""Matches with the scheduler for each worker: the one that it plays, and the next."""
DELIVERIES = 5
"""Attempts to send a bot to all workers, of which some are lost meanwhile."""
CONNECT_WITHIN = 10
"""Seconds."""


@dataclass(frozen=True, slots=True)
class _Try(Generic[K]):
    """A match that is with the scheduler."""

    key: K
    spec: MatchSpec
    token: str
    workers: frozenset[str]
    """Who may play it."""
    unable: frozenset[str] = frozenset()
    """Who could not start one of its bots, as where a compiler is missing."""


class ClusterPool:
    """Plays matches on all workers of a scheduler that keep what the matches ask for."""

    def __init__(
        self, address: str, *, security: Any = None, tell: Callable[[str], None] = lambda text: None
    ) -> None:
        """`tell` hears of workers that cannot be used, and when there is none."""
        self._address = address
        self._security = security
        self._tell = tell
        self._open = ExitStack()
        self._sent: dict[Path, Address] = {}
        self._promises: dict[str, Promise | None] = {}
        self._told: set[str] = set()

    def __enter__(self) -> Self:
        """Raises ArenaFault when there is no scheduler."""
        silence_dask()
        try:
            client = distributed.Client(
                self._address, timeout=CONNECT_WITHIN, security=self._security, set_as_default=False
            )
        except OSError as error:
            raise ArenaFault(
                f"there is no scheduler at {self._address} ({error}): start one (dask scheduler)"
            ) from None
        self._client = self._open.enter_context(client)
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def play(self, specs: Iterable[tuple[K, MatchSpec]]) -> Iterator[tuple[K, Played]]:
        """See `arena.runtime.pool.Pool`. The entrants are `StoredEntrant`.

        A worker that is lost loses no match: another one plays it. A match that has brought down
        several workers is void.
        """
        plan = iter(specs)
        following = next(plan, None)
        running: dict[Any, _Try[K]] = {}
        try:
            while following is not None or running:
                fit = self._fit_workers(following[1] if following else _any(running).spec)
                self._take_back_lost(running, fit)
                while following is not None and len(running) < AHEAD * len(fit):
                    self._submit(running, *following, fit)
                    following = next(plan, None)
                for future in self._ended(running):
                    tried = running.pop(future)
                    result = _result(future, tried)
                    if isinstance(result, BotError):
                        tried = self._without(tried, future, result)
                        if others := fit - tried.unable:
                            self._submit(running, tried.key, tried.spec, others, tried.unable)
                            continue
                    yield tried.key, result
        except (CommClosedError, CancelledError) as error:
            raise self._gone() from error
        finally:
            with suppress(CommClosedError):
                self._client.cancel(list(running))

    # -- workers ---------------------------------------------------------------------------

    def _fit_workers(self, spec: MatchSpec) -> frozenset[str]:
        """The workers that may play a match like this."""
        present = self._client.scheduler_info(n_workers=-1)["workers"].keys()
        if new := [one for one in present if one not in self._promises]:
            said = self._client.run(promised, workers=new, on_error="return")
            self._promises |= {
                one: promise if isinstance(promise, Promise) else None
                for one, promise in said.items()
            }
        fit = frozenset(one for one in present if self._is_fit(one, spec))
        if not fit:
            self._tell_once("waiting for a worker that can play: arena worker " + self._address)
        return fit

    def _is_fit(self, worker: str, spec: MatchSpec) -> bool:
        promise = self._promises.get(worker)
        why = why_unfit(promise, spec) if promise else "it is no worker of an arena"
        if why:
            self._tell_once(f"the worker {worker} gets no matches: {why}")
        return not why

    def _tell_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._tell(text)

    # -- matches ---------------------------------------------------------------------------

    def _without(self, tried: _Try[K], future: Any, error: BotError) -> _Try[K]:
        """The same without the worker that could not start its bots."""
        holders = self._client.who_has([future])
        unable = frozenset(worker for workers in holders.values() for worker in workers)
        for worker in unable:
            self._tell_once(f"the worker {worker} leaves matches to others, if they can: {error}")
        return replace(tried, unable=tried.unable | (unable or tried.workers))

    def _submit(
        self,
        running: dict[Any, _Try[K]],
        key: K,
        spec: MatchSpec,
        fit: frozenset[str],
        unable: frozenset[str] = frozenset(),
    ) -> None:
        token = uuid.uuid4().hex
        name = spec.replay and Path(spec.replay.name)
        bots = tuple((one.name, self._send(one)) for one in spec.entrants)
        work = Work(token, msgspec.structs.replace(spec, entrants=(), replay=name), bots)
        future = self._client.submit(
            play,
            work,
            key=f"arena-match-{token}",
            workers=list(fit),
            resources={RESOURCE: 1},
            pure=False,
        )
        running[future] = _Try(key, spec, token, fit, unable)

    def _send(self, entrant: Any) -> Address:
        """Send a bot to all workers, those that join later too, unless that was done."""
        assert isinstance(entrant, StoredEntrant)
        if entrant.source not in self._sent:
            parcel = pack(entrant.source)
            self._deliver(Delivery(parcel))
            self._sent[entrant.source] = parcel.address
        return self._sent[entrant.source]

    def _deliver(self, delivery: Delivery) -> None:
        """Again when a worker was lost meanwhile: dask then has not told all the others."""
        for _ in range(DELIVERIES):
            with suppress(CommClosedError):
                self._client.register_plugin(delivery)
                return
            time.sleep(LOOK)
        raise self._gone()

    def _take_back_lost(self, running: dict[Any, _Try[K]], fit: frozenset[str]) -> None:
        """Matches whose workers are all gone are given to others. What still comes of an old try
        has another token."""
        for future, tried in [one for one in running.items() if fit and not one[1].workers & fit]:
            del running[future]
            self._client.cancel([future])
            able = fit - tried.unable or fit
            self._submit(running, tried.key, tried.spec, able, tried.unable)

    def _ended(self, running: Collection[Any]) -> list[Any]:
        """The matches that have ended, after a wait of at most `LOOK`. Raises ArenaFault when the
        scheduler is gone."""
        if not running:
            time.sleep(LOOK)
        else:
            with suppress(TimeoutError), self._client.as_current():
                distributed.wait(list(running), timeout=LOOK, return_when="FIRST_COMPLETED")
        if self._client.status != "running":
            raise self._gone()
        return [future for future in running if future.done()]

    def _gone(self) -> ArenaFault:
        return ArenaFault(
            f"the scheduler at {self._address} is gone: start it and its workers, and run this "
            "again"
        )


def _any(running: dict[Any, _Try[K]]) -> _Try[K]:
    return next(iter(running.values()))


def _result(future: Any, tried: _Try[K]) -> Played:
    """What became of a match; its record is put where it belongs."""
    try:
        done = future.result()
    except distributed.KilledWorker as error:
        return MachineError(f"the match has ended {error.allowed_failures + 1} workers: {error}")
    assert isinstance(done, Done | Failed)
    assert done.token == tried.token
    return done.as_error() if isinstance(done, Failed) else _keep(done, tried.spec)


def _keep(done: Done, spec: MatchSpec) -> MatchReport:
    if spec.replay is None or done.record is None:
        return done.report
    try:
        spec.replay.write_bytes(done.record)
    except OSError as error:
        kind = DiskFull if error.errno in DISK_FULL_ERRNOS else ArenaFault
        raise kind(f"cannot write the replay {spec.replay}: {error.strerror}") from error
    return msgspec.structs.replace(done.report, replay=str(spec.replay))
