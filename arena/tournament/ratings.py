"""Ratings: how strong each bot is, fitted to all results at once, with honest error bars.

The model is Davidson's form of Bradley and Terry: 10^(Elo/400) is the ratio of wins to losses. A
draw counts exactly as half a win and half a loss in it, so ratings follow from points. (In Rao and
Kupper's form a draw weighs as much as a win and a loss together.)

A match of more than two counts as one comparison for each two of its bots. Under the model of
Plackett and Luce each such comparison has the law of Bradley and Terry with the same ratings, so
this estimates the same, and it knows ties, which Plackett and Luce do not.

Neither the games on one seed nor the comparisons within one match are independent. So error bars
come from what whole blocks did (the sandwich of White and Huber), not from the number of games. A
group of which few blocks were played borrows from all others, and these from what independent
games would do.

The fit is a maximum, so it does not depend on the order of games. It is finite only if wins link
all bots both ways. Where they do not, each bot gets half a win and half a loss against an average
bot, and the fit says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache

from msgspec import Struct

from arena.tournament.davidson import Counts, Model, Pair, compared, law
from arena.tournament.linear import Matrix
from arena.tournament.results import Tally
from arena.tournament.variance import Z, spread

ELO = 400 / math.log(10)
"""Elo points in one unit of the natural logarithm of odds."""
CONFIDENCE = 0.95
"""Of all intervals."""
PRIOR = 0.5
"""Wins, and losses, against an average bot."""


class Fit(Struct, frozen=True):
    """The ratings of an event. They are in Elo, and their mean is 0."""

    elo: tuple[float, ...]
    covariance: Matrix
    """In Elo², of the ratings against their mean."""
    draw: float
    """Davidson's nu: two equal bots draw in a share nu / (2 + nu) of their games."""
    prior: bool
    """Whether wins did not link all bots, so that each got a prior."""
    met: dict[Pair, Counts]
    """Wins of the first, draws and losses of each two bots that met, the lower number first."""

    def error(self, bot: int) -> float:
        """Half of the 95 % interval of a rating, against the mean of all."""
        return Z * math.sqrt(self.covariance[bot][bot])

    def difference(self, bot: int, rival: int) -> tuple[float, float]:
        """By how much a bot is better, and half of the 95 % interval of that."""
        return self.elo[bot] - self.elo[rival], Z * math.sqrt(self._variance(bot, rival))

    def superiority(self, bot: int, rival: int) -> float:
        """How probable it is that a bot is better than its rival."""
        gap, error = self.difference(bot, rival)
        return 0.5 * math.erfc(-gap / error * Z / math.sqrt(2)) if error else 0.5

    def ranks(self, bot: int) -> tuple[int, int]:
        """The best and the worst rank that a bot may truly have, with a confidence of 95 %: it is
        behind all rivals that are surely better, and ahead of all that are surely worse.

        It is compared with each rival, and none of these comparisons may be wrong. So each is held
        to the confidence of which as many together make 95 % (Šidák).
        """
        rivals = [rival for rival in range(len(self.elo)) if rival != bot]
        wider = _together(len(rivals)) / Z
        gaps = [self.difference(bot, rival) for rival in rivals]
        better = sum(gap < -half * wider for gap, half in gaps)
        worse = sum(gap > half * wider for gap, half in gaps)
        return 1 + better, len(self.elo) - worse

    def information(self, bot: int, rival: int) -> float:
        """What a match of two says of the difference of their ratings: Fisher's information, for
        ratings in units of the natural logarithm of odds."""
        share, draw = law(self.elo[bot] / ELO, self.elo[rival] / ELO, self.draw)
        return share * (1 - share) - draw / 4

    def _variance(self, bot: int, rival: int) -> float:
        c = self.covariance
        return max(0.0, c[bot][bot] + c[rival][rival] - 2 * c[bot][rival])


@cache
def _together(comparisons: int) -> float:
    """Standard errors in half of each of so many intervals that hold together in 95 %."""
    from statistics import NormalDist  # 5 ms, which a single match need not spend

    return NormalDist().inv_cdf((1 + CONFIDENCE ** (1 / max(comparisons, 1))) / 2)


def fit(bots: int, tally: Tally) -> Fit:
    """The ratings of so many bots, from all that they played."""
    blocks = tally.blocks()
    pairs = compared((game, count) for block, count in blocks for game in block)
    prior = not linked(bots, pairs)
    anchor = {(bot, bots): [PRIOR, 0.0, PRIOR] for bot in range(bots)} if prior else {}
    model = Model(bots + prior, pairs | anchor)
    model.climb()
    mean = sum(model.ratings[:bots]) / max(bots, 1)
    return Fit(
        elo=tuple((rating - mean) * ELO for rating in model.ratings[:bots]),
        covariance=_centred(spread(model, blocks, anchor), bots),
        draw=model.nu,
        prior=prior,
        met=pairs,
    )


def linked(bots: int, pairs: Mapping[Pair, Counts]) -> bool:
    """Whether wins lead from each bot to each other, and back."""
    beat = [(i, j) for (i, j), (wins, _, _) in pairs.items() if wins]
    beat += [(j, i) for (i, j), (_, _, losses) in pairs.items() if losses]
    back = [(j, i) for i, j in beat]
    return all(len(_reached(arrows)) == bots for arrows in (beat, back)) or bots == 1


def _reached(arrows: Iterable[Pair]) -> set[int]:
    """What can be reached from bot 0."""
    onward: dict[int, list[int]] = {}
    for tail, head in arrows:
        onward.setdefault(tail, []).append(head)
    found, todo = {0}, [0]
    while todo:
        new = set(onward.get(todo.pop(), ())) - found
        found |= new
        todo += new
    return found


def _centred(covariance: Matrix, bots: int) -> Matrix:
    """Of the first bots against their mean, in Elo²."""
    rows = [row[:bots] for row in covariance[:bots]]
    means = [sum(row) / bots for row in rows]
    mean = sum(means) / max(bots, 1)
    return [
        [(value - means[i] - means[j] + mean) * ELO**2 for j, value in enumerate(row)]
        for i, row in enumerate(rows)
    ]
