"""Playing a run of matches to its end, though the machine makes some of them void.

Void matches are played again, after all others and with half as many at a time. When one after the
other is void, the half is taken at once. When that happens to single matches, the machine can play
none, and the run stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING

from arena.errors import MachineError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec

if TYPE_CHECKING:
    from concurrent.futures import Future

VOIDS_IN_A_ROW = 3
"""Void matches, one after the other, that are too many. (So many for each that is played at a
time: one bad moment of the machine takes all of them.)"""


class Voids:
    """The matches of a run that the machine made void."""

    def __init__(self) -> None:
        self.total = 0
        self.in_a_row = 0

    def count(self) -> None:
        """One more."""
        self.total += 1
        self.in_a_row += 1


def play_all(
    specs: Iterable[MatchSpec],
    *,
    jobs: int,
    pin: bool = False,
    voids: Voids | None = None,
    tell: Callable[[str], None] = lambda text: None,
    abort: Future[None] | None = None,
) -> Iterator[tuple[int, MatchReport]]:
    """Play all matches, `jobs` at a time; give each report with its index as it comes in.

    A void match is counted in `voids`; `tell` hears when fewer are played at a time because of
    some. Raises what a match raises, MachineError when one after the other is void also one at a
    time, and Aborted when `abort` is done; the matches that are not finished are then dropped.
    """
    from arena.runtime.pool import open_pool  # a single match needs no worker processes

    voids = voids or Voids()
    plan: Iterator[tuple[int, MatchSpec]] = enumerate(specs)
    while True:
        most = VOIDS_IN_A_ROW * jobs
        void: list[tuple[int, MatchSpec]] = []
        with open_pool(jobs, pin=pin, abort=abort) as pool:
            for (index, spec), played in pool.play(_while_fair(plan, voids, most)):
                if isinstance(played, MachineError):
                    voids.count()
                    void.append((index, spec))
                    if jobs == 1 and voids.in_a_row >= most:
                        raise MachineError(f"{most} matches in a row were void, the last: {played}")
                else:
                    voids.in_a_row = 0
                    yield index, played
        if not void:
            return
        if jobs > 1:
            jobs, voids.in_a_row = jobs // 2, 0
            tell(f"{len(void)} matches were void, and are played again {jobs} at a time")
        plan = chain(plan, void)


def _while_fair(
    plan: Iterator[tuple[int, MatchSpec]], voids: Voids, most: int
) -> Iterator[tuple[tuple[int, MatchSpec], MatchSpec]]:
    """The matches of a plan, each also as its own key, until so many in a row were void."""
    while voids.in_a_row < most and (one := next(plan, None)) is not None:
        yield one, one[1]
