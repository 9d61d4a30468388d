"""A pool whose matches are played by the workers that connect to it.

A separate thread runs Trio and the connections; matches come from the caller's thread, which also
receives their results and records.
"""

from __future__ import annotations

import shutil
import socket
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Self, TypeVar, TypeVarTuple, Unpack

import msgspec
import trio

from arena.cluster.dispatch import DispatchedMatch, Dispatcher, Ended, Event, Joined, Notice
from arena.cluster.keys import Role, tls_context
from arena.cluster.prover import Provers
from arena.cluster.wire import Channel, Lost
from arena.cluster.work import decode_from_worker
from arena.errors import ArenaError, BotError, UsageError, disk_fault
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.runtime.pool import Played
from arena.sandbox.keeper import tempdirs
from arena.sandbox.session import trio_run

K = TypeVar("K")
Given = TypeVarTuple("Given")
HANDSHAKE_WITHIN = 10.0
"""Time limit of the TLS handshake, in seconds."""
MATCHES_AHEAD_OF = 2
"""Each so many workers have a match waiting for them, so none waits for the judge's disk."""
MAX_NEWCOMERS = 64
"""Maximum number of connections not yet known to be workers. One more ends the oldest of them; a
worker identifies itself within milliseconds."""


class ClusterPool:
    """Listens for workers while open, and plays matches on all that connect."""

    def __init__(
        self, host: str, port: int, key: Path, *, tell: Callable[[str], None] = lambda text: None
    ) -> None:
        """`key` is the judge's key file; port 0 is any free port. `tell` hears of workers that
        cannot be used, and when there are none. Raises UsageError for a wrong key.
        """
        self._tls = tls_context(key, Role.JUDGE)
        self._host = host
        self._port = port
        self._tell = tell
        self._newcomers = Newcomers()
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._ended: deque[Ended] = deque()
        self._listening: Future[str] = Future()
        self._thread = threading.Thread(target=self._run, name="cluster", daemon=True)

    @property
    def address(self) -> str:
        """The listening address, as ``HOST:PORT``. Raises UsageError if the pool cannot listen."""
        return self._listening.result()

    def __enter__(self) -> Self:
        """Raises UsageError when the pool cannot listen on its address."""
        self._folder = tempfile.TemporaryDirectory(prefix=tempdirs.prefix())
        self._ended.clear()
        self._provers = Provers()
        self._dispatcher = Dispatcher(
            self._events.put, Path(self._folder.name), self._provers.prove
        )
        self._thread.start()
        try:
            _ = self.address
        except BaseException:
            self._folder.cleanup()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(trio.RunFinishedError):
            trio.from_thread.run_sync(self._scope.cancel, trio_token=self._token)
        self._thread.join()
        self._folder.cleanup()

    def play(self, specs: Iterable[tuple[K, MatchSpec]]) -> Iterator[tuple[K, Played]]:
        """See `arena.runtime.pool.Pool`. The entrants are `StoredEntrant`.

        The match of a lost worker is played by another one.
        """
        plan, running = iter(specs), dict[DispatchedMatch, K]()
        try:
            while True:
                workers = len(self._dispatcher.workers)
                while len(running) <= workers + workers // MATCHES_AHEAD_OF:
                    if (following := next(plan, None)) is None:
                        break
                    key, spec = following
                    try:
                        match = DispatchedMatch.of(spec)
                    except BotError as error:
                        yield key, error
                    else:
                        running[match] = key
                        self._soon(self._dispatcher.add, match)
                if not running:
                    return
                if not self._dispatcher.workers:
                    text = f"waiting for workers: arena worker {self.address} --key worker.pem"
                    self._soon(self._dispatcher.tell, text)
                if not self._ended:
                    self._hear(self._events.get())
                if self._ended and (ended := self._ended.popleft()).match in running:
                    yield running.pop(ended.match), _kept(ended)
        finally:
            with suppress(trio.RunFinishedError):
                trio.from_thread.run_sync(self._dispatcher.abandon, trio_token=self._token)

    def has_more(self) -> bool:
        """Whether `play` has a further result at hand. Raises what the connections raise."""
        with suppress(Empty):
            while not self._ended:
                self._hear(self._events.get_nowait())
        return bool(self._ended)

    def _hear(self, event: Event) -> None:
        """Take an event. The end of a match is kept for `play`."""
        match event:
            case Ended() as ended:
                self._ended.append(ended)
            case Notice(text):
                self._tell(text)
            case Joined():
                self._dispatcher.has_called = False
            case BaseException() as error:
                raise error

    def _soon(self, function: Callable[[Unpack[Given]], object], *given: *Given) -> None:
        """Call a function in the Trio thread, and do not wait for it."""
        self._token.run_sync_soon(function, *given)

    # -- the thread of the connections -----------------------------------------------------

    def _run(self) -> None:
        try:
            trio_run(self._listen)
        except BaseException as error:
            if self._listening.done():
                self._events.put(error)
            else:
                self._listening.set_exception(error)

    async def _listen(self) -> None:
        try:
            listeners = await trio.open_tcp_listeners(self._port, host=self._host)
        except OSError as error:
            raise UsageError(
                f"cannot listen on {self._host}:{self._port}: {error.strerror}: give an address of "
                "this machine and a free port"
            ) from None
        with trio.CancelScope() as self._scope:
            self._token = trio.lowlevel.current_trio_token()
            self._listening.set_result(_shown(listeners[0].socket))
            try:
                await trio.serve_listeners(self._greet, listeners)
            finally:
                self._provers.close()

    async def _greet(self, stream: trio.SocketStream) -> None:
        """Serve a connection. Its failure affects neither the others nor the judge."""
        host = _peer(stream)
        tls = trio.SSLStream(stream, self._tls, server_side=True, https_compatible=True)
        try:
            with self._newcomers.one() as entered:
                with trio.fail_after(HANDSHAKE_WITHIN):
                    await tls.do_handshake()
                await self._dispatcher.serve(Channel(tls, decode_from_worker), host, entered)
        except (trio.BrokenResourceError, trio.TooSlowError):
            self._dispatcher.tell(f"{host} was refused: it has no worker key")
        except Lost as error:
            self._dispatcher.tell(f"the worker at {host} is gone: {error}")
        except ArenaError as error:
            self._events.put(error)
        except Exception as error:  # a stranger can send anything
            self._dispatcher.tell(f"the connection with {host} has failed: {error!r}")
        finally:
            await trio.aclose_forcefully(tls)


class Newcomers:
    """The connections not yet known to be workers."""

    def __init__(self) -> None:
        self._scopes: deque[trio.CancelScope] = deque()

    @contextmanager
    def one(self) -> Iterator[Callable[[], None]]:
        """Run a newcomer, which calls the yielded function once it is known. Until then too many
        later newcomers cancel it."""
        scope = trio.CancelScope()
        if len(self._scopes) >= MAX_NEWCOMERS:
            self._scopes.popleft().cancel()
        self._scopes.append(scope)

        def leave() -> None:
            with suppress(ValueError):
                self._scopes.remove(scope)

        try:
            with scope:
                yield leave
        finally:
            leave()


def _peer(stream: trio.SocketStream) -> str:
    try:
        return str(stream.socket.getpeername()[0])
    except OSError:  # the peer has disconnected already
        return "somebody"


def _shown(bound: trio.socket.SocketType) -> str:
    """The address to give to workers."""
    host, port = bound.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _kept(ended: Ended) -> Played:
    """The outcome of a match, after moving its record to its place."""
    played, place = ended.played, ended.match.spec.replay
    if not isinstance(played, MatchReport) or ended.record is None:
        return played
    if place is None:
        ended.record.unlink()
        return msgspec.structs.replace(played, replay=None)
    try:
        shutil.move(ended.record, place)
    except OSError as error:
        said = f"cannot write the replay {place}: {error.strerror}"
        raise disk_fault(error, said) from error
    return msgspec.structs.replace(played, replay=str(place))
