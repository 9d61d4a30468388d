"""Which match to play next, when matches are played on and on: the one that tells most.

What a table leaves open is the gap between each bot and the next. A match narrows that down: from
the covariance of the ratings follows by how much, before it is played. The group is chosen whose
match makes the variances of all gaps smallest, for the time that it costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, pairwise

from arena.errors import UsageError
from arena.tournament.linear import Matrix, dot
from arena.tournament.ratings import ELO, Fit
from arena.tournament.schedule import Group


def most_telling(
    fit: Fit, seats: int = 2, costs: Mapping[Group, float] | None = None, games: int | None = None
) -> Iterator[Group]:
    """Groups without end, the one that tells most first. Each is taken as played before the next is
    chosen, in a block of `games` matches (if absent, as many as `seats`); begin anew with a new fit
    now and then.

    `costs`: what a match of a group costs, in any unit; a group that is not named costs the mean.
    """
    bots = len(fit.elo)
    if bots < seats:
        raise UsageError(f"{bots} bots cannot take {seats} seats: name more bots, or fewer seats")
    known = costs or {}
    usual = sum(known.values()) / len(known) if known else 1.0
    plan = _Plan(fit, games or seats)
    while True:
        group = plan.best(seats, known, usual)
        plan.play(group)
        yield group


class _Plan:
    """The covariance of the ratings, as it will be."""

    def __init__(self, fit: Fit, games: int) -> None:
        self.fit = fit
        self.games = games
        self.covariance: Matrix = [[one / ELO**2 for one in row] for row in fit.covariance]
        self.ranking = sorted(range(len(fit.elo)), key=lambda bot: -fit.elo[bot])

    def best(self, seats: int, costs: Mapping[Group, float], usual: float) -> Group:
        """The best pair; with more seats, the bots that then add most, one after the other."""
        gains: dict[Group, float] = {
            pair: self.gain(*pair) / costs.get(pair, usual)
            for pair in combinations(range(len(self.ranking)), 2)
        }
        group = max(gains, key=lambda pair: gains[pair])
        while len(group) < seats:
            group = max(
                (tuple(sorted((*group, bot))) for bot in self.ranking if bot not in group),
                key=lambda wider: sum(gains[pair] for pair in combinations(wider, 2)),
            )
        return group

    def gain(self, one: int, other: int) -> float:
        """By how much a block of matches of two bots lowers the sum of the variances of all gaps
        between neighbours, in squared units of the logarithm of odds."""
        change = self._change(one, other)
        moved = [change[bot] for bot in self.ranking]
        gaps = [high - low for high, low in pairwise(moved)]
        return dot(gaps, gaps) / self._scale(one, other, change)

    def play(self, group: Group) -> None:
        """Take a block of a group as played."""
        for one, other in combinations(group, 2):
            change = self._change(one, other)
            scale = self._scale(one, other, change)
            for row, part in zip(self.covariance, change, strict=True):
                row[:] = [
                    value - part / scale * each for value, each in zip(row, change, strict=True)
                ]

    def _change(self, one: int, other: int) -> list[float]:
        """How each rating goes with the difference of two."""
        pairs = zip(self.covariance[one], self.covariance[other], strict=True)
        return [mine - theirs for mine, theirs in pairs]

    def _scale(self, one: int, other: int, change: list[float]) -> float:
        """The variance of what a block says of a difference, and that of the difference itself."""
        points = self.fit.information(one, other)
        return 1 / (self.games * points) + change[one] - change[other]
