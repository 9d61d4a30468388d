"""A worker: connects to the judge, plays one match at a time, and waits for the next judge when the
connection is lost. It opens no port.

The main thread plays, since a keeper must be started by a thread that lasts, and Trio needs the
thread that receives signals. The connection runs in a second thread.
"""

from __future__ import annotations

import dataclasses
import socket
import ssl
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import NoReturn, TypeAlias

import msgspec
import trio

from arena.bots.cache import cache_root
from arena.bots.find import find_bot
from arena.cluster.keys import Role, tls_context
from arena.cluster.parcels import Address, has_bot, place_of, unpack
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
    decode_from_judge,
    why_unfit,
)
from arena.errors import BotError, MachineError, UsageError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import Entrant, ProgramEntrant
from arena.runtime.pool import LocalPool, Played, Pool
from arena.runtime.worker import play_spec
from arena.sandbox.keeper import tempdirs
from arena.sandbox.levels import SandboxWish
from arena.sandbox.session import one_error, trio_run

RETRY = 2.0
"""Seconds between two connection attempts."""
CONNECT_WITHIN = 20.0
LEAVES_WITHIN = 5.0
"""Seconds for the connection's thread to end."""


class Job:
    """A match for the main thread to play."""

    def __init__(self, task: Task, record: Path) -> None:
        self.task = task
        self.record = record
        """The path for the record."""
        self.played: Played | None = None
        """The outcome, once `ended` is set; None when the match was interrupted."""
        self.ended = trio.Event()


Jobs: TypeAlias = "SimpleQueue[Job | BaseException]"
"""Jobs for the main thread, which raises the exceptions among them."""


def work_for(
    host: str, port: int, key: Path, hello: Hello, tell: Callable[[str], None]
) -> NoReturn:
    """Play for the judge at that address, whenever there is one, until this process is interrupted.

    Raises UsageError for a wrong key, for a judge with another key, and when the judge refuses this
    worker.
    """
    store = cache_root() / "parcels"
    store.mkdir(parents=True, exist_ok=True)
    tls = tls_context(key, Role.WORKER)
    link = Link(host=host, port=port, tls=tls, hello=hello, store=store, tell=tell)
    with LocalPool(play_spec) as pool, link.running() as end:
        while True:
            job = link.jobs.get()
            if not isinstance(job, Job):
                raise job
            try:
                job.played = _played(pool, job, store)
            finally:
                end(job)


def _played(pool: Pool, job: Job, store: Path) -> Played:
    try:
        ((_, played),) = pool.play([(None, _spec(job, store))])
        return played
    except (BotError, MachineError) as error:
        return error
    except UsageError as error:  # for example, a bot that is not a program
        return BotError(str(error))


def _spec(job: Job, store: Path) -> MatchSpec:
    mode = job.task.terms.sandbox
    entrants = tuple(_entrant(seat, store, mode) for seat in job.task.seats)
    return job.task.spec(entrants, job.record)


def _entrant(seat: SeatAssignment, store: Path, mode: SandboxWish) -> Entrant:
    program = find_bot(str(place_of(store, seat.address)), sandbox=mode)
    if seat.numbers:
        program = program.with_numbers(seat.numbers)
    return ProgramEntrant(dataclasses.replace(program, name=seat.name, command=seat.command))


class Link:
    """The connection to the judge, in its own thread."""

    def __init__(
        self, host: str, port: int, tls: ssl.SSLContext, hello: Hello, store: Path,
        tell: Callable[[str], None],
    ) -> None:  # fmt: skip
        self.jobs: Jobs = SimpleQueue()
        self._host = host
        self._port = port
        self._tls = tls
        self._hello = hello
        self._store = store
        self._tell = tell
        self._address = f"{host}:{port}"
        self._scope = trio.CancelScope()

    @contextmanager
    def running(self) -> Iterator[Callable[[Job], None]]:
        """Run the thread. The main thread calls the yielded function when a job has ended."""
        thread = threading.Thread(target=self._run, name="cluster", daemon=True)
        thread.start()
        try:
            yield lambda job: self._in_loop(job.ended.set)
        finally:
            self._in_loop(self._scope.cancel)
            thread.join(LEAVES_WITHIN)

    def _in_loop(self, function: Callable[[], None]) -> None:
        """Call a function in the connection's thread."""
        with suppress(trio.RunFinishedError, AttributeError):
            self._token.run_sync_soon(function)

    def _run(self) -> None:
        try:
            trio_run(self._stay_connected)
        except BaseException as error:
            self.jobs.put(error)

    async def _stay_connected(self) -> None:
        self._token = trio.lowlevel.current_trio_token()
        with self._scope:
            while True:
                stream = await self._reach()
                try:
                    await self.serve(Channel(stream, decode_from_judge))
                except Lost as error:
                    self._tell(f"the judge at {self._address} is gone ({error}): waiting for it")
                finally:
                    await trio.aclose_forcefully(stream)
                await trio.sleep(RETRY)

    async def _reach(self) -> trio.abc.Stream:
        """Connect to the judge, retrying until it listens. Raises UsageError when the listener
        fails to prove that it is our judge."""
        is_told = False
        while True:
            try:
                with trio.move_on_after(CONNECT_WITHIN):
                    stream = await trio.open_tcp_stream(self._host, self._port)
                    return await self._proved(stream)
            except socket.gaierror as error:
                if error.errno != socket.EAI_AGAIN:
                    raise UsageError(f"there is no host {self._host!r}: correct it") from None
            except OSError:
                pass  # nobody listens, or the judge has hung up
            if not is_told:
                self._tell(f"waiting for a judge at {self._address}")
                is_told = True
            await trio.sleep(RETRY)

    async def _proved(self, stream: trio.SocketStream) -> trio.abc.Stream:
        """The TLS stream, once both ends have proved their keys. Raises UsageError and OSError."""
        tls = trio.SSLStream(stream, self._tls, https_compatible=True)
        try:
            await tls.do_handshake()
        except BaseException as error:
            await trio.aclose_forcefully(tls)
            if not isinstance(error, trio.BrokenResourceError):
                raise
            cause = error.__cause__
            if not isinstance(cause, ssl.SSLError) or isinstance(cause, ssl.SSLEOFError):
                raise OSError from None  # the judge has hung up, perhaps at its end
            raise UsageError(
                f"{self._address} is not a judge with a key of the same cluster "
                f"({_reason(cause)}): make both keys with one arena cluster keys DIR"
            ) from None
        return tls

    async def serve(self, channel: Channel) -> None:
        """Play for a judge until it is gone. Raises Lost, and UsageError when the judge refuses
        this worker."""
        await channel.send(self._hello)
        walls = self._hello.level
        self._tell(f"connected to the judge at {self._address}, with the walls {walls}")
        with one_error():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(channel.beat)
                while True:
                    message = await channel.receive(Task, WorkerRefused)
                    if isinstance(message, WorkerRefused):
                        raise UsageError(
                            f"the judge at {self._address} gives this worker no matches: "
                            f"{message.why}"
                        )
                    assert isinstance(message, Task)
                    await self._play(message, channel)

    async def _play(self, task: Task, channel: Channel) -> None:
        if why := why_unfit(self._hello, task.game, task.terms, len(task.seats)):
            raise UsageError(f"the match of the judge at {self._address} cannot be played: {why}")
        with tempfile.TemporaryDirectory(prefix=tempdirs.prefix()) as name:
            folder = Path(name)
            try:
                for address in {seat.address for seat in task.seats}:
                    await self._fetch(address, folder / "parcel.tar", channel)
                job = Job(task, folder / "record.jsonl.gz")
                played = await self._played(job, channel)
            except BotError as error:
                played = error
            except OSError as error:
                played = MachineError(f"a worker cannot store a match: {error}: make room there")
            if isinstance(played, MatchReport):
                report = msgspec.msgpack.encode(without_stderr(played))
                await channel.send(Done(report, job.record.stat().st_size))
                await channel.send_file(job.record)
            else:
                await channel.send(Failed.of(played))

    async def _fetch(self, address: Address, parcel: Path, channel: Channel) -> None:
        """Fetch a bot from the judge, unless it is in the store."""
        if await trio.to_thread.run_sync(has_bot, self._store, address):
            return
        await channel.send(Need(address))
        size = (await channel.receive(Parcel)).size
        await channel.receive_file(parcel, size)
        await trio.to_thread.run_sync(unpack, self._store, address, parcel)
        await trio.Path(parcel).unlink()

    async def _played(self, job: Job, channel: Channel) -> Played:
        """Have the main thread play a match to its end, even when the judge is gone."""
        self.jobs.put(job)
        try:
            await channel.while_quiet(job.ended.wait)
        finally:
            with trio.CancelScope(shield=True):
                await job.ended.wait()
        if job.played is None:
            await trio.sleep_forever()  # this worker was interrupted and is ending
        return job.played


def without_stderr(report: MatchReport) -> MatchReport:
    """The report without stderr, which is long and in the record, and without the replay path."""
    players = [msgspec.structs.replace(one, stderr=[]) for one in report.players]
    return msgspec.structs.replace(report, players=players, replay=None)


def _reason(error: ssl.SSLError) -> str:
    told = getattr(error, "verify_message", "") or error.reason or str(error)
    return str(told).lower().replace("_", " ")
