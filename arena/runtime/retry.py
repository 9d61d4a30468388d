"""Plays a run of matches to its end even if the machine makes some of them void.

Void matches are played again, after all others and with half as many at a time. When too many in a
row are void, the number is halved at once. When that happens with one match at a time, the machine
cannot play any, and the run stops.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import AbstractContextManager, closing
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

from arena.errors import BotError, MachineError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec

if TYPE_CHECKING:
    from concurrent.futures import Future

    from arena.runtime.pool import Pool, PoolOf

K = TypeVar("K")
R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")
VOIDS_IN_A_ROW = 3
"""Number of void matches in a row that is too many, per match played at a time: one bad moment of
the machine makes all of them void."""


class Voids:
    """The matches of a run that the machine made void."""

    def __init__(self) -> None:
        self.total = 0
        self.in_a_row = 0

    def count(self, key: Any, error: MachineError) -> None:
        """Count one more void match, with this key."""
        self.total += 1
        self.in_a_row += 1


def play_all(
    specs: Iterable[MatchSpec], *, jobs: int, **how: Unpack[How]
) -> Iterator[tuple[int, MatchReport]]:
    """Play all matches, `jobs` at a time; yield each report with its index as it comes in.

    Raises what a match raises, MachineError when too many in a row are void even one at a time, and
    Aborted on request; unfinished matches are then dropped.
    """
    with closing(play_each(enumerate(specs), jobs=jobs, **how)) as matches:
        for index, played in matches:
            if isinstance(played, BotError):
                raise played
            yield index, played


class How(TypedDict, total=False):
    """How a run of matches is played."""

    pin: bool
    """Keep each match and its bots on one core."""
    voids: Voids
    """Counts void matches."""
    tell: Callable[[str], None]
    """Called when fewer matches are played at a time because of void ones."""
    abort: Future[None] | None
    """A future that, once done, makes the run give up all matches."""


def play_each(
    specs: Iterable[tuple[K, MatchSpec]],
    *,
    jobs: int,
    pin: bool = False,
    voids: Voids | None = None,
    tell: Callable[[str], None] = lambda text: None,
    abort: Future[None] | None = None,
    stopped: Callable[[], bool] = lambda: False,
    pool: Callable[[int], AbstractContextManager[Pool]] | None = None,
) -> Generator[tuple[K, MatchReport | BotError], None, None]:
    """Like `play_all`, but with a key per match. A bot that cannot be started ends no other match,
    and no further match begins once `stopped` returns true. `pool` opens the pool for a number of
    jobs, if the matches are not played on this machine."""
    from arena.runtime.pool import open_pool  # a single match needs no worker processes

    opened: Callable[[int], AbstractContextManager[Pool]]
    opened = pool or partial(open_pool, pin=pin, abort=abort)
    return play_with(specs, opened, jobs=jobs, voids=voids, tell=tell, stopped=stopped)


def play_with(
    specs: Iterable[tuple[K, S]],
    opened: Callable[[int], AbstractContextManager[PoolOf[S, R]]],
    *,
    jobs: int,
    voids: Voids | None = None,
    tell: Callable[[str], None] = lambda text: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Generator[tuple[K, R | BotError], None, None]:
    """Like `play_each`, with a pool of whatever it is for."""
    voids, plan = voids or Voids(), iter(specs)
    while True:
        most = VOIDS_IN_A_ROW * jobs
        void: list[tuple[K, S]] = []
        fair = _while_fair(plan, voids, most, stopped)
        with opened(jobs) as players:
            for (key, spec), played in players.play((one, one[1]) for one in fair):
                if isinstance(played, MachineError):
                    voids.count(key, played)
                    void.append((key, spec))
                    if jobs == 1 and voids.in_a_row >= most:
                        raise MachineError(f"{most} matches in a row were void, the last: {played}")
                else:
                    voids.in_a_row = 0
                    yield key, played
        if not void:
            return
        if jobs > 1:
            jobs, voids.in_a_row = jobs // 2, 0
            tell(f"{len(void)} matches were void, and are played again, {jobs} at a time")
        plan = chain(plan, void)


def _while_fair(
    plan: Iterator[T], voids: Voids, most: int, stopped: Callable[[], bool]
) -> Iterator[T]:
    """The matches of a plan, until too many in a row are void, or no further match may begin.
    The remaining matches stay in the plan."""
    while voids.in_a_row < most and not stopped():
        try:
            yield next(plan)
        except StopIteration:
            return


def fitting_jobs(jobs: int, seats: int, memory: int | None, tell: Callable[[str], None]) -> int:
    """The number of matches at a time that fit, with bots that may use so much `memory`. `tell` is
    called when that is fewer than `jobs`, and when not even one fits by memory."""
    from arena.runtime.capacity import jobs_that_fit, memory_shortage

    fitting, why = (jobs, "") if jobs == 1 else jobs_that_fit(jobs, seats, memory)
    if fitting < jobs:
        tell(f"playing {fitting} at a time instead of {jobs}: {why}")
    if shortage := memory_shortage(seats, memory):
        tell(shortage)
    return fitting
