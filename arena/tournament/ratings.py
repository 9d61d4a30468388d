"""Ratings: how strong each bot is, fitted to all results at once, with honest error bars.

The model is that of Bradley and Terry, with a draw as half a win and half a loss: a bot that is
better by D Elo is expected to get the share 1 / (1 + 10^(-D/400)) of the points. So the Elo of a
table is that of `arena compare`: of two bots it is what their score says.

A match of more than two counts as one comparison for each two of its bots. Under the model of
Plackett and Luce each such comparison has the law of Bradley and Terry with the same ratings, so
this estimates the same, and it knows ties, which Plackett and Luce do not.

Neither the games on one seed nor the comparisons within one match are independent. So error bars
come from what whole blocks did (the sandwich of White and Huber), not from the number of games. A
group of which few blocks were played borrows from all others, and these from what independent
games would do.

The fit is a maximum, so it does not depend on the order of games. Bots that won or lost all their
games would have no bound, and bots that drew all of them would be equal for sure. So where wins do
not link all bots both ways, each bot gets half a win and half a loss against an average bot, and
the fit says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache

from msgspec import Struct

from arena.tournament.bradley_terry import Counts, Model, Pair, compared, law
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
    """The share of their games that equal bots draw."""
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
        """What a match of two says of the difference of their ratings: the inverse of the variance
        with which it tells it, for ratings in units of the natural logarithm of odds."""
        share = law(self.elo[bot] / ELO, self.elo[rival] / ELO)
        return share * (1 - share) / (1 - self.draw)

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
        elo=tuple(_rounded((rating - mean) * ELO) for rating in model.ratings[:bots]),
        covariance=_centred(spread(model, blocks, anchor), bots),
        draw=model.draw,
        prior=prior,
        met=pairs,
    )


def _rounded(elo: float) -> float:
    """A rating to a millionth, so that bots that did the same have the same; there is no -0."""
    return round(elo, 6) + 0.0


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
