"""The judge's side of a cluster: gives matches to workers and collects the results.

Matches wait in a queue. Each worker that has said hello gets the first match that it has not tried
before, and another one when that is over. A match goes back to the queue when its worker is lost,
or could not play it while another worker might. All this runs in one Trio loop; `pool` is the
interface for synchronous code.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import TypeAlias

import trio
from msgspec import Struct

from arena.cluster.parcels import Address, address_of, pack
from arena.cluster.proof import Forged, prove, record_limit
from arena.cluster.wire import Channel, Lost
from arena.cluster.work import (
    Done,
    Failed,
    Hello,
    Need,
    Parcel,
    SeatAssignment,
    Task,
    WorkerRefused,
    why_unfit,
)
from arena.errors import BotError, MachineError, disk_fault
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import StoredEntrant
from arena.sandbox.session import one_error

MOST_WORKERS = 256
HELLO_WITHIN = 10.0
"""Seconds from the connection to the worker's hello."""
GOODBYE_WITHIN = 2.0
"""Seconds for a refused worker to read the reason."""
TRIES = 5
"""Number of workers that try a match before it is void."""
MATCH_WITHIN = 3600.0
"""Seconds for a match beyond its players' time: for builds and transport."""
MOST_ANSWERS = 10_000
"""An upper bound on the answers of a match."""
MAX_MESSAGES = 100
"""Maximum number of messages to the organiser. (Strangers can cause any number.)"""
Prove: TypeAlias = Callable[[Task, bytes, Path], Awaitable[MatchReport]]
"""Proves a worker's packed report on a match by its record. Raises Forged, MachineError."""


async def prove_in_thread(task: Task, report: bytes, record: Path) -> MatchReport:
    """A proof in this process."""
    entrants = tuple(StoredEntrant(seat.command, record) for seat in task.seats)
    proof = partial(prove, task, task.spec(entrants, record), report, record)
    return await trio.to_thread.run_sync(proof, abandon_on_cancel=True)


@dataclass(eq=False, slots=True)
class DispatchedMatch:
    """A match to play."""

    spec: MatchSpec
    task: Task
    sources: dict[Address, Path]
    """The paths of its bots."""
    tries: int = 0
    failures: dict[Worker, BotError | MachineError] = field(default_factory=dict)
    """Errors of the workers that could not play the match."""

    @classmethod
    def of(cls, spec: MatchSpec) -> DispatchedMatch:
        """The match for a spec whose entrants are `StoredEntrant`. Raises BotError for a bot that
        no longer exists."""
        seats, sources = [], {}
        for entrant in spec.entrants:
            assert isinstance(entrant, StoredEntrant)
            address = _address_of(entrant.source)
            seats.append(SeatAssignment(entrant.name, entrant.name, address, entrant.numbers))
            sources[address] = entrant.source
        return cls(spec, Task.of(spec, tuple(seats)), sources)

    @property
    def within(self) -> float:
        """Seconds after which the worker of the match counts as lost."""
        settings, seats = self.spec.settings, len(self.task.seats)
        milliseconds = seats * (settings.timebank + MOST_ANSWERS * settings.time_per_move)
        return MATCH_WITHIN + 2 * milliseconds / 1000


_address_of = lru_cache(10_000)(address_of)
"""The address of a bot. (Read once: copies in a league do not change. If one did, workers would
refuse it.)"""


@dataclass(eq=False, slots=True)
class Worker:
    """A connected worker."""

    host: str
    hello: Hello
    match: DispatchedMatch | None = None
    """The match that the worker plays now."""


class Ended(Struct, frozen=True):
    """The outcome of a match, and the path of its record."""

    match: DispatchedMatch
    played: MatchReport | BotError | MachineError
    record: Path | None = None


class Notice(Struct, frozen=True):
    """A message for the organiser."""

    text: str


class Joined(Struct, frozen=True):
    """A worker has joined."""


Event: TypeAlias = Ended | Notice | Joined | BaseException
"""An exception ends the pool."""


class Dispatcher:
    """Gives matches to workers, and posts events: one `Ended` per match, one `Joined` until it is
    acknowledged, and a limited number of `Notice`."""

    def __init__(
        self, post: Callable[[Event], None], inbox: Path, prove: Prove = prove_in_thread
    ) -> None:
        """Parcels are packed in the folder `inbox`; so are records received whose match has no path
        for one. `prove` proves a worker's report."""
        self.workers: set[Worker] = set()
        self.has_called = False
        """Whether `Joined` was posted. The receiver of the event resets this."""
        self._post = post
        self._inbox = inbox
        self._numbers = count()
        self._waiting: deque[DispatchedMatch] = deque()
        self._open: set[DispatchedMatch] = set()
        self._told: set[str] = set()
        self._versions: dict[str, tuple[str, str]] = {}
        """By interpreter: the version of the first worker that has it, and its host."""
        self._differing: set[str] = set()
        """The interpreters whose versions differ between workers; said once."""
        self._changed = trio.lowlevel.ParkingLot()
        self._prove = prove

    def add(self, match: DispatchedMatch) -> None:
        """Add a match to the queue."""
        self._open.add(match)
        self._waiting.append(match)
        self._changed.unpark_all()

    def abandon(self) -> None:
        """Forget all matches, and drop their results if they still arrive."""
        self._open.clear()
        self._waiting.clear()

    async def serve(self, channel: Channel, host: str, entered: Callable[[], None]) -> None:
        """Serve a connection that has proved its key until it is lost; call `entered` when it turns
        out to be a worker. Raises Lost."""
        worker = Worker(host, await channel.receive(Hello, within=HELLO_WITHIN))
        entered()
        if len(self.workers) >= MOST_WORKERS:
            await self._refuse(worker, channel, f"there are {MOST_WORKERS} workers already")
            return
        self._enlist(worker)
        try:
            with one_error():
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(channel.beat)
                    await self._employ(worker, channel)
                    nursery.cancel_scope.cancel()
        finally:
            self._dismiss(worker)

    def _enlist(self, worker: Worker) -> None:
        self.workers.add(worker)
        for name, version in worker.hello.interpreters.items():
            first, host = self._versions.setdefault(name, (version, worker.host))
            if version != first and name not in self._differing:
                self._differing.add(name)
                self.tell(
                    f"{name} is {version} at {worker.host}, and {first} at {host}: bots may answer "
                    "differently there: install the same version on all workers"
                )
        if not self.has_called:
            self.has_called = True
            self._post(Joined())

    async def _employ(self, worker: Worker, channel: Channel) -> None:
        while True:
            match = await channel.while_quiet(partial(self._match_for, worker))
            task = match.task
            if why := why_unfit(worker.hello, task.game, task.terms, len(task.seats)):
                worker.match = None
                self._put_back(match)
                await self._refuse(worker, channel, why)
                return
            with trio.move_on_after(match.within) as patience:
                await self._play(match, worker, channel)
            if patience.cancelled_caught:
                raise Lost(f"its match did not end within {match.within / 60:.0f} min")

    async def _match_for(self, worker: Worker) -> DispatchedMatch:
        """The first match that this worker has not tried."""
        while True:
            for match in self._waiting:
                if worker not in match.failures:
                    self._waiting.remove(match)
                    worker.match = match
                    return match
            await self._changed.park()

    async def _play(self, match: DispatchedMatch, worker: Worker, channel: Channel) -> None:
        await channel.send(match.task)
        unsent = dict(match.sources)
        while True:
            message = await channel.receive(Need, Done, Failed)
            if isinstance(message, Need):
                await self._deliver(unsent.pop(message.bot, None), match, channel)
                continue
            if isinstance(message, Done):
                self._end(await self._receive(match, message, channel))
            elif isinstance(message, Failed):
                match.failures[worker] = error = message.as_error()
                self.tell(f"the worker at {worker.host} cannot play a match: {error}")
                self._return(match)
            worker.match = None
            return

    async def _deliver(self, source: Path | None, match: DispatchedMatch, channel: Channel) -> None:
        """Send a bot that a worker needs."""
        if source is None:
            raise Lost("it asked for a bot that it has, or that is not in its match")
        parcel = self._new_file(self._inbox, ".tar")
        try:
            with _own_disk():
                await trio.to_thread.run_sync(pack, source, parcel)
            await channel.send(Parcel(parcel.stat().st_size))
            await channel.send_file(parcel)
        except BotError as error:
            self._end(Ended(match, error))
            raise Lost(f"it waits for a bot that cannot be sent: {error}") from None
        finally:
            parcel.unlink(missing_ok=True)

    async def _receive(self, match: DispatchedMatch, done: Done, channel: Channel) -> Ended:
        """Receive a worker's record of a match, and prove its report."""
        limit = record_limit(match.spec)
        if done.size > limit:
            raise Lost(f"it announced a record of {done.size} bytes")
        folder = self._inbox if match.spec.replay is None else match.spec.replay.parent
        record = self._new_file(folder, ".jsonl.gz")
        try:
            with _own_disk():
                await channel.receive_file(record, done.size)
            report = await self._prove(match.task, done.report, record)
        except BaseException as error:
            record.unlink(missing_ok=True)
            if isinstance(error, Forged | MachineError):
                raise Lost(str(error)) from None
            raise
        return Ended(match, report, record)

    def _new_file(self, folder: Path, ending: str) -> Path:
        return folder / f"received-{next(self._numbers)}{ending}"

    async def _refuse(self, worker: Worker, channel: Channel, why: str) -> None:
        self.tell(f"the worker at {worker.host} gets no matches: {why}")
        await channel.send(WorkerRefused(why))
        await channel.drain(GOODBYE_WITHIN)

    def tell(self, text: str) -> None:
        """Send the organiser a message once, unless there were too many already."""
        if text not in self._told and len(self._told) < MAX_MESSAGES:
            self._told.add(text)
            self._post(Notice(text))

    # -- outcomes of matches ---------------------------------------------------------------

    def _put_back(self, match: DispatchedMatch) -> None:
        self._waiting.appendleft(match)
        self._changed.unpark_all()

    def _end(self, ended: Ended) -> None:
        if ended.match in self._open:
            self._open.remove(ended.match)
            self._post(ended)
        elif ended.record is not None:
            ended.record.unlink()

    def _dismiss(self, worker: Worker) -> None:
        """Remove a lost worker, and return its match to the queue."""
        self.workers.remove(worker)
        if worker.match is not None:
            self._return(worker.match)
        for match in [*self._waiting]:
            self._give_up_hopeless(match)

    def _return(self, match: DispatchedMatch) -> None:
        """Put a match back that a worker has not played."""
        match.tries += 1
        if match not in self._open:
            return
        if match.tries >= TRIES and not match.failures:
            self._end(Ended(match, MachineError(f"{TRIES} workers were lost while they played it")))
        else:
            self._put_back(match)
            self._give_up_hopeless(match)

    def _give_up_hopeless(self, match: DispatchedMatch) -> None:
        """End a match that no connected worker can play."""
        is_hopeless = self.workers <= match.failures.keys() or match.tries >= TRIES
        if match.failures and is_hopeless:
            self._waiting.remove(match)
            self._end(Ended(match, next(iter(match.failures.values()))))


@contextmanager
def _own_disk() -> Iterator[None]:
    """Attribute errors to the judge's disk, not to a worker."""
    try:
        yield
    except OSError as error:
        said = f"cannot store what a worker sends or needs: {error}: make room"
        raise disk_fault(error, said) from error
