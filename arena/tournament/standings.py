"""The table of an event: wins, points, scores, ratings, and who did how against whom. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from arena.core.ranking import shares
from arena.tournament.davidson import compared
from arena.tournament.ratings import Fit, fit
from arena.tournament.results import Game, Tally

Kinds: TypeAlias = Sequence[tuple[Game, int]]
"""Each kind of match, and how many there were."""
CONFIDENCE = 0.95
NOT_LINKED = (
    "wins do not link all bots both ways, so ratings have no bound by themselves: each bot is "
    "given half a win and half a loss against an average bot"
)


class Standing(Struct, frozen=True):
    """One bot's series. `score` is the share of opponents beaten, ties half; with its interval."""

    bot: int
    name: str
    rank: int
    """By its rating."""
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    score: float
    low: float
    high: float
    elo: float
    """Its rating. The mean of all bots is 0."""
    error: float
    """Half of the 95 % interval of its rating, against the mean of all."""
    faults: dict[str, int]
    """How many of each kind."""
    stopped: dict[str, int]
    """In how many matches its program was ended before the match was, by why."""


class Cell(Struct, frozen=True):
    """What one bot did against one rival: finished ahead of it, level with it, behind it."""

    bot: int
    rival: int
    ahead: int
    level: int
    behind: int
    elo: float
    """By how much its rating is higher."""
    error: float
    """Half of the 95 % interval of that."""
    superiority: float
    """How probable it is that it is the better one."""


class Table(Struct, frozen=True):
    """The table of an event."""

    games: int
    standings: list[Standing]
    """In the order in which the bots were given."""
    crosstable: list[Cell]
    """Of each two bots that met, seen from both."""
    draw: float
    """Davidson's nu: equal bots draw a share nu / (2 + nu) of their games."""
    confidence: float
    """Of all intervals."""
    notes: list[str]
    """What to know of the ratings."""


def make_table(names: Sequence[str], tally: Tally) -> Table:
    """The table of bots of these names, by their numbers."""
    kinds, fitted = tally.kinds(), fit(len(names), tally)
    return Table(
        games=tally.games,
        standings=[_standing(bot, name, tally, kinds, fitted) for bot, name in enumerate(names)],
        crosstable=_crosstable(kinds, fitted),
        draw=fitted.draw,
        confidence=CONFIDENCE,
        notes=[NOT_LINKED] if fitted.prior and tally.games else [],
    )


def _standing(bot: int, name: str, tally: Tally, kinds: Kinds, fitted: Fit) -> Standing:
    games = wins = draws = losses = 0
    beaten = 0.0
    for (order, ranks), count in kinds:
        if bot not in order:
            continue
        own = ranks[order.index(bot)]
        games += count
        beaten += count * shares(ranks)[order.index(bot)]
        wins += count * (own == 1 and ranks.count(1) == 1)
        draws += count * (own == 1 and ranks.count(1) > 1)
        losses += count * (own > 1)
    low, high = wilson(beaten, games)
    return Standing(
        bot=bot,
        name=name,
        rank=1 + sum(elo > fitted.elo[bot] for elo in fitted.elo),
        games=games,
        wins=wins,
        draws=draws,
        losses=losses,
        points=tally.points(bot),
        score=beaten / games if games else 0.0,
        low=low,
        high=high,
        elo=fitted.elo[bot],
        error=fitted.error(bot),
        faults=dict(sorted(tally.faults[bot].items())),
        stopped=dict(sorted(tally.stopped[bot].items())),
    )


def _crosstable(kinds: Kinds, fitted: Fit) -> list[Cell]:
    cells = []
    for (one, other), counts in compared(kinds).items():
        ahead, level, behind = map(round, counts)
        cells.append(_cell(one, other, (ahead, level, behind), fitted))
        cells.append(_cell(other, one, (behind, level, ahead), fitted))
    return sorted(cells, key=lambda cell: (cell.bot, cell.rival))


def _cell(bot: int, rival: int, counts: tuple[int, int, int], fitted: Fit) -> Cell:
    return Cell(bot, rival, *counts, *fitted.difference(bot, rival), fitted.superiority(bot, rival))


def wilson(successes: float, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's interval for a share. Draws count half, which makes it a little too wide."""
    if trials == 0:
        return 0.0, 1.0
    from statistics import NormalDist  # 5 ms, which a single match need not spend

    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, weight = successes / trials, z * z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / trials + weight / trials / 4)
    return max(0.0, middle - half), min(1.0, middle + half)


def distinct(names: Sequence[str]) -> list[str]:
    """The names, told apart by a number where two are the same: ``a #1``, ``b``, ``a #2``."""
    return [
        name if names.count(name) == 1 else f"{name} #{names[: i + 1].count(name)}"
        for i, name in enumerate(names)
    ]
