"""Results of matches, and their tally: all that tables and ratings need, in little memory.

Matches are counted, not kept: a block whose games are all played becomes one more of its kind, and
there are few kinds. So the tally of a million matches is as small as that of a thousand, and a
table of it as fast.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from arena.match.report import MatchReport
    from arena.tournament.schedule import Fixture

Game: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Bots by seat, and their ranks by seat."""
Block: TypeAlias = tuple[Game, ...]
"""The games of one group on one seed, sorted."""
NO_FAULTS: tuple[Mapping[str, int], ...] = ()


class Result(Struct, frozen=True):
    """One match that was played."""

    order: tuple[int, ...]
    """By seat, the number of the bot."""
    ranks: tuple[int, ...]
    """By seat, from 1; ties share the better one."""
    points: tuple[float, ...]
    """By seat, what the rules gave."""
    block: str
    """Matches with the same one share their seed and their bots."""
    faults: tuple[Mapping[str, int], ...] = NO_FAULTS
    """By seat, how many faults of each kind; empty when there were none at all."""
    stopped: tuple[str | None, ...] = ()
    """By seat, why the program was ended before the match was (`crashed`, `timeouts` …); empty when
    none was."""


def result_of(fixture: Fixture, report: MatchReport) -> Result:
    """What tables and ratings need of a match."""
    players = report.players
    return Result(
        order=fixture.order,
        ranks=tuple(player.rank for player in players),
        points=tuple(player.points for player in players),
        block=fixture.block,
        faults=tuple(player.faults for player in players),
        stopped=tuple(player.stopped for player in players),
    )


class ResultTally:
    """What became of the matches of an event, in numbers."""

    def __init__(self, results: Iterable[Result] = ()) -> None:
        self.games = 0
        self.faults: defaultdict[int, Counter[str]] = defaultdict(Counter)
        """By bot: how many of each kind."""
        self.stopped: defaultdict[int, Counter[str]] = defaultdict(Counter)
        """By bot: in how many matches its program was ended, by why."""
        self._points: Counter[tuple[tuple[int, ...], tuple[float, ...]]] = Counter()
        self._whole: Counter[Block] = Counter()
        self._begun: dict[str, Block] = {}
        for result in results:
            self.add(result)

    def add(self, result: Result) -> None:
        """One more match, in any order."""
        self.games += 1
        order = result.order
        self._points[order, result.points] += 1
        for bot, faults in zip(order, result.faults, strict=False):
            self.faults[bot].update(faults)
        for bot, why in zip(order, result.stopped, strict=False):
            if why is not None:
                self.stopped[bot][why] += 1
        games = self._begun.pop(result.block, ())
        games = (*games, (order, result.ranks))
        if len(games) < len(order):
            self._begun[result.block] = games
        else:
            self._whole[tuple(sorted(games))] += 1

    def add_blocks(self, block: Iterable[Game], count: int) -> None:
        """So many blocks of one kind. What else there is of them the caller adds: `add_points`,
        `faults`, `stopped`."""
        games = tuple(sorted(block))
        self.games += count * len(games)
        self._whole[games] += count

    def add_points(self, bot: int, points: float, count: int) -> None:
        """What a bot was given in so many matches."""
        self._points[(bot,), (points,)] += count

    def points(self) -> dict[int, float]:
        """All that the rules gave each bot. The sums are exact, so the order does not matter."""
        parts: defaultdict[int, list[float]] = defaultdict(list)
        for (order, points), count in self._points.items():
            for bot, given in zip(order, points, strict=True):
                parts[bot].append(given * count)
        return {bot: math.fsum(given) for bot, given in parts.items()}

    def blocks(self) -> list[tuple[Block, int]]:
        """Each kind of block, and how many there are, sorted. Those that are not finished count as
        they stand."""
        begun = Counter(tuple(sorted(games)) for games in self._begun.values())
        return sorted((self._whole + begun).items())

    def kinds(self) -> list[tuple[Game, int]]:
        """Each kind of match, and how many there are, in an order that depends on nothing else."""
        counts: Counter[Game] = Counter()
        for block, count in self.blocks():
            for game in block:
                counts[game] += count
        return list(counts.items())
