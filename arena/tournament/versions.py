"""What the rating of a version is worth that its team has chosen among several. Pure.

Of twenty copies of a bot the luckiest seems to be much better than the others, and a team that
hands in copy after copy until one is lucky keeps that one. So a rating that belongs to one of
several versions is moved towards that of all of them, as far as their results do not show that they
differ: by their own spread beyond that of chance (the random-effects model of DerSimonian and
Laird). Versions that differ much keep their own ratings, and copies get that of all their matches.

A version that is clearly worse than the present one is left out: who makes better bots does not pay
for the old ones, and who hands in bad bots on purpose cannot make the spread look wide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from arena.tournament.ratings import ELO, PRIOR, Fit, law

CLEARLY = 3.0
"""Standard errors by which a version is worse that is left out."""


RARE = 2.326
"""The quantile of the normal distribution that chance exceeds once in a hundred times: only a
larger spread says that versions differ, since a team may look as often as it likes."""


class Performance(NamedTuple):
    """How well a version has done."""

    elo: float
    variance: float
    """Of its rating, in Elo²."""


def performance(games: Iterable[tuple[float, float, float]], draw: float = 0.0) -> Performance:
    """The rating at which a version was expected to get its points: for each rival the rating in
    Elo, the number of games, and the points from them. `draw` is as in `Fit`."""
    met = [(0.0, 2 * PRIOR, PRIOR), *((elo / ELO, count, points) for elo, count, points in games)]
    rating, information = 0.0, 1.0
    for _ in range(50):
        shares = [law(rating, rival) for rival, _, _ in met]
        information = sum(
            count * share * (1 - share) for share, (_, count, _) in zip(shares, met, strict=True)
        )
        missing = sum(
            points - count * share for share, (_, count, points) in zip(shares, met, strict=True)
        )
        step = max(-1.0, min(1.0, missing / information))
        rating += step
        if abs(step) < 1e-9:
            break
    return Performance(rating * ELO, ELO**2 * (1 - draw) / information)


def shrunk(fit: Fit, earlier: Mapping[int, Sequence[Performance]]) -> Fit:
    """The fit with the ratings of bots moved towards the earlier versions of their teams."""
    if not earlier:
        return fit
    elo, rows = list(fit.elo), [list(row) for row in fit.covariance]
    for bot, versions in earlier.items():
        own = Performance(elo[bot], rows[bot][bot])
        elo[bot], share, variance = _moved(own, versions)
        for rival, row in enumerate(rows):
            row[bot] *= share
            rows[bot][rival] *= share
        rows[bot][bot] = variance
    mean = sum(elo) / len(elo)
    return replace(fit, elo=tuple(round(one - mean, 6) + 0.0 for one in elo), covariance=rows)


def _moved(own: Performance, earlier: Sequence[Performance]) -> tuple[float, float, float]:
    """The rating of a version among earlier ones, the share of its own rating in it, and its
    variance."""
    alike = [
        one
        for one in earlier
        if own.elo - one.elo < CLEARLY * math.sqrt(own.variance + one.variance)
    ]
    if not alike or own.variance <= 0:
        return own.elo, 1.0, own.variance
    every = [own, *alike]
    spread = _spread(every)
    weights = [1 / (spread + one.variance) for one in every]
    mean = sum(w * one.elo for w, one in zip(weights, every, strict=True)) / sum(weights)
    share = spread / (spread + own.variance)
    variance = share * own.variance + (1 - share) ** 2 / sum(weights)
    return mean + share * (own.elo - mean), share, variance


def _spread(versions: Sequence[Performance]) -> float:
    """The variance of the versions' true ratings, as far as chance does not explain it."""
    weights = [1 / one.variance for one in versions]
    total = sum(weights)
    mean = sum(w * one.elo for w, one in zip(weights, versions, strict=True)) / total
    apart = sum(w * (one.elo - mean) ** 2 for w, one in zip(weights, versions, strict=True))
    scale = total - sum(w * w for w in weights) / total
    return max(0.0, (apart - _likely(len(versions) - 1)) / scale)


def _likely(freedom: int) -> float:
    """What chance alone exceeds once in a hundred times: the quantile of the chi-squared
    distribution, by Wilson and Hilferty."""
    part = 2 / (9 * freedom)
    return freedom * (1 - part + RARE * math.sqrt(part)) ** 3
