"""Playing a run of matches to its end, though the machine makes some of them void.

Void matches are played again, after all others and with half as many at a time. When one after the
other is void, the half is taken at once. When that happens to single matches, the machine can play
none, and the run stops.
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

    from arena.runtime.pool import Pool

K = TypeVar("K")
T = TypeVar("T")
VOIDS_IN_A_ROW = 3
"""Void matches, one after the other, that are too many. (So many for each that is played at a
time: one bad moment of the machine takes all of them.)"""


class Voids:
    """The matches of a run that the machine made void."""

    def __init__(self) -> None:
        self.total = 0
        self.in_a_row = 0

    def count(self, key: Any, error: MachineError) -> None:
        """One more: the match of this key."""
        self.total += 1
        self.in_a_row += 1


def play_all(
    specs: Iterable[MatchSpec], *, jobs: int, **how: Unpack[How]
) -> Iterator[tuple[int, MatchReport]]:
    """Play all matches, `jobs` at a time; give each report with its index as it comes in.

    Raises what a match raises, MachineError when one after the other is void also one at a time,
    and Aborted when it is asked to; the matches that are not finished are then dropped.
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
    """Hears when fewer are played at a time because of void ones."""
    abort: Future[None] | None
    """When it is done, all matches are given up."""


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
    """As `play_all`, but each match has a key, a bot that cannot be started ends no other match,
    and no further match is begun once `stopped` says so. `pool` opens what plays so many matches at
    a time, where that is not this machine."""
    from arena.runtime.pool import open_pool  # a single match needs no worker processes

    voids, opened = voids or Voids(), pool or partial(open_pool, pin=pin, abort=abort)
    plan = iter(specs)
    while True:
        most = VOIDS_IN_A_ROW * jobs
        void: list[tuple[K, MatchSpec]] = []
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
            tell(f"{len(void)} matches were void, and are played again {jobs} at a time")
        plan = chain(plan, void)


def _while_fair(
    plan: Iterator[T], voids: Voids, most: int, stopped: Callable[[], bool]
) -> Iterator[T]:
    """The matches of a plan, until so many in a row were void, or no further one is to be begun.
    What is left stays in the plan."""
    while voids.in_a_row < most and not stopped():
        try:
            yield next(plan)
        except StopIteration:
            return


def fitting_jobs(jobs: int, seats: int, tell: Callable[[str], None]) -> int:
    """As many matches at a time as there is room for. `tell` hears when that is fewer."""
    if jobs == 1:
        return jobs
    from arena.runtime.capacity import jobs_that_fit

    fitting, why = jobs_that_fit(jobs, seats)
    if fitting < jobs:
        tell(f"playing {fitting} at a time instead of {jobs}: {why}")
    return fitting
