"""Processes that play matches: their keepers, and the tasks of a pool's worker."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar

from arena.runtime.affinity import pin_to_core
from arena.sandbox.interrupts import ignore_in_worker
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.levels import SandboxWish
from arena.sandbox.session import keeper_running, run_with

if TYPE_CHECKING:
    import trio

    from arena.match.report import MatchReport
    from arena.match.spec import MatchSpec
    from arena.players.entrant import Entrant
    from arena.players.terms import Terms
    from arena.sandbox.children import Children

R = TypeVar("R")


class PoolWork(Protocol):
    """What a pool plays: a match, or whatever else needs programs. It can be sent to another
    process if its entrants can."""

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """Those that play."""

    @property
    def terms(self) -> Terms:
        """Their terms; the sandbox decides which keeper starts them."""

    @property
    def has_programs(self) -> bool:
        """Whether one of them is a program, so that a keeper is needed."""


S = TypeVar("S", bound=PoolWork)
Play: TypeAlias = "Callable[[S, Children | None, S | None], Awaitable[R]]"
"""A function that plays work beside the keeper of its programs, if it has any; those of the last
argument, which may come next, can be prestarted meanwhile. For worker processes it must be one of a
module."""


async def play_spec(
    spec: MatchSpec, children: Children | None, then: MatchSpec | None
) -> MatchReport:
    """Play a match."""
    from arena.match.play import play_match

    return await play_match(spec, children, then=then)


class Keepers:
    """The keepers of one process, one for each sandbox mode, started when first needed."""

    def __init__(self) -> None:
        self._open = ExitStack()
        self._by_mode: dict[SandboxWish, KeeperProcess] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all keepers."""
        self._open.close()

    def find(self, spec: PoolWork) -> KeeperProcess | None:
        """The keeper of the bots of a match, a new one if that has ended; None without programs."""
        if not spec.has_programs:
            return None
        mode = spec.terms.sandbox
        keeper = self._by_mode.get(mode)
        if keeper is None or keeper.is_gone():
            keeper = self._by_mode[mode] = self._open.enter_context(keeper_running(mode))
        return keeper


_keepers = Keepers()
"""The keepers of this worker process. They end with it, and clean up after it if it crashed."""


def start_worker(arena: int, cores: Any) -> None:
    """Initialise a worker of an arena (a process id). `cores` has the core to pin to, or None."""
    die_with(arena)
    Finalize(None, _keepers.close, exitpriority=0)  # a worker runs no other functions at its end
    signal.set_wakeup_fd(-1)  # that of a parent which runs Trio
    ignore_in_worker()
    core = cores.get()
    if core is not None:
        pin_to_core(core)


def die_with(arena: int) -> None:
    """Make this worker end with its arena, even if that is killed or already gone (Linux; the main
    thread forked the worker, and the signal follows the end of that thread)."""
    from arena.sandbox.keeper.spawn import PR_SET_PDEATHSIG, prctl

    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != arena:
        os._exit(1)


def play_in_worker(play: Play[S, R], spec: S, then: S | None = None) -> R:
    """Play a match in this worker; `then` may be next. SIGTERM ends the match, then the worker."""
    keeper = _keepers.find(spec)
    try:
        return run_with(keeper, lambda children: _play_until_ended(play(spec, children, then)))
    except KeyboardInterrupt:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # another one comes: see below
        _keepers.close()
        os._exit(1)  # not to the next match


async def _play_until_ended(playing: Awaitable[R]) -> R:
    """Play a match. SIGTERM ends it as Ctrl-C would, so that it cleans up. Further SIGTERMs are
    held back until that is done: once one worker has ended, the executor sends one to all others.
    """
    import trio

    match = trio.CancelScope()
    with trio.open_signal_receiver(signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_cancel_at_each, signals, match)
            with match:
                report = await playing
            nursery.cancel_scope.cancel()
    if match.cancelled_caught:
        raise KeyboardInterrupt
    return report


async def _cancel_at_each(signals: AsyncIterator[int], match: trio.CancelScope) -> None:
    async for _ in signals:
        match.cancel()
