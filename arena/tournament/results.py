"""Results of matches and their tally, which is all that tables and ratings need.

Matches are counted, not kept: a finished block adds one to the count of its kind, and there are few
kinds. So a tally of a million matches is as small, and its table as fast, as of a thousand.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from msgspec import Struct

if TYPE_CHECKING:
    from arena.match.report import MatchReport
    from arena.tournament.schedule import Fixture

T = TypeVar("T")
Game: TypeAlias = tuple[tuple[int, ...], tuple[int, ...]]
"""Bots by seat, and their ranks by seat."""
Block: TypeAlias = tuple[Game, ...]
"""The games of one group on one seed, sorted."""
Column: TypeAlias = "array[int] | memoryview[int]"
"""Whole numbers, or a part of such without a copy."""
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


def often_stopped(reasons: Mapping[str, int], games: int) -> str:
    """How often and why a program was stopped that was in most of its games; else empty."""
    total = sum(reasons.values())
    if 2 * total <= games:
        return ""
    why = ", ".join(f"{reason} {count} ×" for reason, count in sorted(reasons.items()))
    return f"was stopped in {total} of its {games} games ({why})"


GROUPS_AT_ONCE = 50_000
"""Groups whose sums are computed at once, for the memory of intermediate results."""


@dataclass(slots=True)
class BlockCounts:
    """How often each kind of block occurred between groups of one size, in columns: a million
    blocks fit into few megabytes. A kind is a group and a shape, which is the block with the places
    of the bots in their group instead of the bots."""

    bots: tuple[Column, ...]
    """For each place in a group, the bot of each group. Groups are sorted, and so are their bots.
    """
    group: Column
    """The group of each kind, ascending."""
    shape: Column
    """The number of its shape."""
    count: Column
    """How often it occurred."""
    shapes: tuple[Block, ...]

    def parts(self) -> Iterator[BlockCounts]:
        """The same in parts of at most `GROUPS_AT_ONCE` groups."""
        for start in range(0, len(self.bots[0]), GROUPS_AT_ONCE):
            end = start + GROUPS_AT_ONCE
            rows = slice(bisect_left(self.group, start), bisect_left(self.group, end))
            yield BlockCounts(
                tuple(memoryview(column)[start:end] for column in self.bots),
                array("i", [group - start for group in self.group[rows]]),
                memoryview(self.shape)[rows],
                memoryview(self.count)[rows],
                self.shapes,
            )

    def blocks(self) -> Iterable[tuple[Block, int]]:
        """Each kind of block and its count."""
        for group, shape, count in zip(self.group, self.shape, self.count, strict=True):
            bots = [column[group] for column in self.bots]
            yield with_bots(self.shapes[shape], bots.__getitem__), count


def with_bots(
    block: Iterable[tuple[tuple[T, ...], tuple[int, ...]]], bots: Callable[[T], int]
) -> Block:
    """A block with other bots in the place of its own."""
    return tuple(sorted([(tuple(map(bots, order)), ranks) for order, ranks in block]))


def counts_of(blocks: Iterable[tuple[Block, int]]) -> list[BlockCounts]:
    """The same kinds of blocks in columns, by the size of their groups."""
    shapes: defaultdict[int, dict[Block, int]] = defaultdict(dict)
    rows = []
    for block, count in blocks:
        bots = tuple(sorted(block[0][0]))
        own = shapes[len(bots)]
        shape = with_bots(block, bots.index)
        rows.append((len(bots), bots, own.setdefault(shape, len(own)), count))
    found = []
    for size, kinds in groupby(sorted(rows), key=itemgetter(0)):
        places = tuple(array("i") for _ in range(size))
        numbers, forms, counts = array("i"), array("i"), array("i")
        for number, (bots, group) in enumerate(groupby(kinds, key=itemgetter(1))):
            for column, bot in zip(places, bots, strict=True):
                column.append(bot)
            for _, _, kind, count in group:
                numbers.append(number)
                forms.append(kind)
                counts.append(count)
        found.append(BlockCounts(places, numbers, forms, counts, tuple(shapes[size])))
    return found


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
        self._columns: list[BlockCounts] = []
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

    def add_columns(self, columns: BlockCounts) -> None:
        """The same for blocks that are counted already."""
        size = [len(block) for block in columns.shapes]
        kinds = zip(columns.shape, columns.count, strict=True)
        self.games += sum(size[shape] * count for shape, count in kinds)
        self._columns.append(columns)

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
        found = self._whole + Counter(tuple(sorted(games)) for games in self._begun.values())
        for columns in self._columns:
            for block, count in columns.blocks():
                found[block] += count
        return sorted(found.items())

    def columns(self) -> list[BlockCounts]:
        """The same in columns, by the size of the groups."""
        if len(self._columns) == 1 and not self._whole and not self._begun:
            return self._columns
        return counts_of(self.blocks())
