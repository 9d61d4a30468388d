"""Results of matches and their tally, which is all that tables and ratings need.

Matches are counted, not kept: a finished block adds one to the count of its kind, and there are few
kinds. So a tally of a million matches is as small, and its table as fast, as of a thousand.
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
    """One played match."""

    order: tuple[int, ...]
    """Bot numbers by seat."""
    ranks: tuple[int, ...]
    """Ranks by seat, from 1; ties share the better rank."""
    points: tuple[float, ...]
    """Points by seat, as given by the rules."""
    block: str
    """The block's name; matches of the same block share their seed and bots."""
    faults: tuple[Mapping[str, int], ...] = NO_FAULTS
    """Number of faults of each kind, by seat; empty without any faults."""
    stopped: tuple[str | None, ...] = ()
    """Why the program was stopped before the match ended (`crashed`, `timeouts` …), by seat; empty
    when none was."""


def result_of(fixture: Fixture, report: MatchReport) -> Result:
    """The result of a match, from its fixture and report."""
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
    """Counts of the results of an event."""

    def __init__(self, results: Iterable[Result] = ()) -> None:
        self.games = 0
        self.faults: defaultdict[int, Counter[str]] = defaultdict(Counter)
        """Number of faults of each kind, by bot."""
        self.stopped: defaultdict[int, Counter[str]] = defaultdict(Counter)
        """Number of matches in which the program was stopped, by bot and reason."""
        self._points: Counter[tuple[tuple[int, ...], tuple[float, ...]]] = Counter()
        self._whole: Counter[Block] = Counter()
        self._begun: dict[str, Block] = {}
        for result in results:
            self.add(result)

    def add(self, result: Result) -> None:
        """Add a match; the order of matches does not matter."""
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
        """Add `count` blocks of one kind. The caller adds their other data: `add_points`, `faults`,
        `stopped`."""
        games = tuple(sorted(block))
        self.games += count * len(games)
        self._whole[games] += count

    def add_points(self, bot: int, points: float, count: int) -> None:
        """Add a bot's points from `count` matches."""
        self._points[(bot,), (points,)] += count

    def points(self) -> dict[int, float]:
        """The total points of each bot. The sums are exact, so the order does not matter."""
        parts: defaultdict[int, list[float]] = defaultdict(list)
        for (order, points), count in self._points.items():
            for bot, given in zip(order, points, strict=True):
                parts[bot].append(given * count)
        return {bot: math.fsum(given) for bot, given in parts.items()}

    def blocks(self) -> list[tuple[Block, int]]:
        """Each kind of block and its count, sorted. Unfinished blocks count as they are."""
        begun = Counter(tuple(sorted(games)) for games in self._begun.values())
        return sorted((self._whole + begun).items())

    def kinds(self) -> list[tuple[Game, int]]:
        """Each kind of match and its count, in a deterministic order."""
        counts: Counter[Game] = Counter()
        for block, count in self.blocks():
            for game in block:
                counts[game] += count
        return list(counts.items())
