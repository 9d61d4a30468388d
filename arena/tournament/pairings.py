"""Pairings: round robin, gauntlet, balanced groups, Swiss rounds, and the most telling next match.

For more than two seats a base group is shifted round the circle of all bots, so all bots play
equally often. If the base is a difference set, all pairs meet equally often. For other numbers of
bots, base groups are chosen greedily until each pair has met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations, pairwise, repeat
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from arena.errors import UsageError
from arena.tournament.algebra import Matrix, dot, mirrored
from arena.tournament.ratings import ELO, Fit
from arena.tournament.schedule import Group

DIFFERENCE_SETS: dict[tuple[int, int], Group] = {
    (7, 3): (0, 1, 3),
    (13, 4): (0, 1, 3, 9),
    (21, 5): (3, 6, 7, 12, 14),
    (31, 6): (1, 5, 11, 24, 25, 27),
    (15, 7): (0, 1, 2, 4, 5, 8, 10),
    (57, 8): (1, 6, 7, 9, 19, 38, 42, 49),
}
"""Difference sets by bots and seats. Each pair meets once; with 15 bots and 7 seats three times."""


def round_robin(bots: int, seats: int = 2) -> tuple[Group, ...]:
    """All pairs, in rounds in which each bot plays once; with more than two seats, groups in which
    all pairs meet equally often. With as many bots as seats, a single group."""
    if seats > 2:
        return balanced_groups(bots, seats)
    return tuple(pair for turn in range(_even(bots) - 1) for pair in _round(bots, turn))


def team_groups(teams: Sequence[Hashable], seats: int) -> tuple[Group, ...]:
    """Choose groups of bots of different teams until all bots of different teams have met, each
    time those who have met least. `teams` has the team of each bot; there are at least `seats` of
    them."""
    left = {
        frozenset((bot, rival))
        for bot, rival in combinations(range(len(teams)), 2)
        if teams[bot] != teams[rival]
    }
    played, groups = [0] * len(teams), list[Group]()
    while left:
        group = [min(frozenset().union(*left), key=lambda bot: (played[bot], bot))]
        while len(group) < seats:
            taken = {teams[bot] for bot in group}
            rivals = [bot for bot, team in enumerate(teams) if team not in taken]
            known = {bot: sum({bot, rival} not in left for rival in group) for bot in rivals}
            group.append(min(rivals, key=lambda bot: (known[bot], played[bot], bot)))
        for bot in group:
            played[bot] += 1
        left -= {frozenset(pair) for pair in combinations(group, 2)}
        groups.append(tuple(sorted(group)))
    return tuple(groups)


def _even(bots: int) -> int:
    return bots + bots % 2


def _round(bots: int, turn: int) -> Iterator[Group]:
    """One round by the circle method: one bot stays, the others rotate; an odd one out is free."""
    size = _even(bots)
    circle = [0, *((turn + at) % (size - 1) + 1 for at in range(size - 1))]
    for one, other in zip(circle[: size // 2], circle[: size // 2 - 1 : -1], strict=True):
        if max(one, other) < bots:
            yield min(one, other), max(one, other)


def gauntlet(bots: int, first: int = 1) -> tuple[Group, ...]:
    """Each of the `first` bots against each of the others."""
    return tuple((one, other) for other in range(first, bots) for one in range(first))


def balanced_groups(bots: int, seats: int) -> tuple[Group, ...]:
    """Groups of `seats` bots in which all pairs meet, as evenly as possible. Raises UsageError when
    there are fewer bots than seats."""
    if bots < seats:
        raise UsageError(f"{bots} bots cannot take {seats} seats: name more bots, or fewer seats")
    if bots == seats:
        return (tuple(range(bots)),)
    known = DIFFERENCE_SETS.get((bots, seats))
    bases = [known] if known else _greedy(bots, seats)
    return tuple(
        tuple((bot + shift) % bots for bot in base) for base in bases for shift in range(bots)
    )


def _greedy(bots: int, seats: int) -> list[Group]:
    """Base groups until each distance on the circle has occurred."""
    met = [0] * (bots // 2 + 1)  # how often two bots at that distance meet
    bases: list[Group] = []
    while not all(met[1:]):
        base = [0]
        while len(base) < seats:
            base.append(_best(base, met, bots))
        bases.append(tuple(base))
    return bases


def _best(base: list[int], met: list[int], bots: int) -> int:
    """The bot whose addition minimises the sum of squared meetings; adds its meetings to `met`."""

    def distances(bot: int) -> list[int]:
        return [min((bot - other) % bots, (other - bot) % bots) for other in base]

    def cost(bot: int) -> int:
        new = distances(bot)
        return sum((met[d] + new.count(d)) ** 2 - met[d] ** 2 for d in set(new))

    best = min((bot for bot in range(bots) if bot not in base), key=cost)
    for distance in distances(best):
        met[distance] += 1
    return best


# Swiss rounds: bots with similar scores meet, and no two bots meet twice. The search looks for the
# cheapest pairing, where a pair costs the squared difference of the scores. It goes down the
# ranking and keeps, at each bot, the cheapest partial pairings ("ways") of the bots so far, with
# few of them waiting. Up to eleven bots it keeps all ways. If no kept way can be completed, it
# keeps more.

WIDTHS = ((500, 5), (4_000, 8), (32_000, 100))
"""Number of ways kept, and of bots that may wait in one: at first, and when that is not enough."""

Way: TypeAlias = tuple[float, int, float, tuple[int, ...], tuple[Group, ...]]
"""A partial pairing: lower bound of its final cost, number of waiting bots, cost so far, the
waiting bots, and the pairs."""


class SwissRound(Struct, frozen=True):
    """The pairing of a round."""

    pairs: tuple[Group, ...]
    """The pairs, best bots first."""
    bye: int | None
    """The free bot if the number of bots is odd; a bye is worth a win."""


def swiss_round(
    scores: Sequence[float],
    met: Set[Group],
    byes: Set[int] = frozenset(),
    lots: Sequence[int] | None = None,
) -> SwissRound:
    """The next round.

    `scores`: by bot, where a win is 1, a draw ½ and a bye 1. `met`: the pairs that have met, the
    lower number first. `byes`: the bots that have had a bye; the worst of the others gets the next,
    and of equal ones that with the highest of `lots`, or of the numbers. Raises UsageError when
    every pairing would let two bots meet again.
    """
    ranking = sorted(range(len(scores)), key=lambda bot: (-scores[bot], bot))
    lots = lots or range(len(scores))
    worst = sorted(ranking, key=lambda bot: (scores[bot], -lots[bot]))
    free = [bot for bot in worst if bot not in byes] if len(ranking) % 2 else [None]
    for bye in free:
        rest = [bot for bot in ranking if bot != bye]
        pairs = _cheapest(rest, scores, met)
        if pairs is not None:
            return SwissRound(pairs, bye)
    raise UsageError(
        f"{len(scores)} bots cannot play another round in which none meets another twice: end the "
        "event, or continue as a round robin"
    )


def _cheapest(
    ranking: Sequence[int], scores: Sequence[float], met: Set[Group]
) -> tuple[Group, ...] | None:
    """The cheapest pairing; None if the widest search finds none."""
    for kept, waiting in WIDTHS:
        ways = _search(ranking, scores, met, kept, waiting)
        if ways:
            return min(ways)[-1]
    return None


def _search(
    ranking: Sequence[int], scores: Sequence[float], met: Set[Group], kept: int, waiting: int
) -> list[Way]:
    """The cheapest ways to pair all, keeping `kept` ways with up to `waiting` waiting bots."""
    ways: list[Way] = [(0.0, 0, 0.0, (), ())]
    for at, bot in enumerate(ranking):
        best: dict[tuple[int, ...], Way] = {}
        for way in ways:
            for new in _onward(way, bot, scores, met, min(waiting, len(ranking) - at - 1)):
                best[new[3]] = min(new, best.get(new[3], new))
        ways = sorted(best.values())[:kept]
    return ways


def _onward(way: Way, bot: int, scores: Sequence[float], met: Set[Group], most: int) -> list[Way]:
    """The next ways: `bot` waits for a partner, if at most `most` bots then wait, or is paired with
    a waiting bot."""
    *_, paid, waiting, pairs = way
    found = []
    for one in waiting:
        pair = (min(one, bot), max(one, bot))
        if pair not in met:
            others = tuple(other for other in waiting if other != one)
            cost = paid + (scores[one] - scores[bot]) ** 2
            found.append((cost, others, (*pairs, pair)))
    if len(waiting) < most:
        found.append((paid, (*waiting, bot), pairs))
    due = scores[bot]
    return [
        (cost + sum((scores[one] - due) ** 2 for one in others), len(others), cost, others, pairs)
        for cost, others, pairs in found
    ]


# The next match of endless play: the most telling one. A table's open questions are the gaps
# between neighbours. The covariance of the ratings predicts how much a match narrows them, so the
# chosen group is the one whose match reduces the variances of all gaps most for its cost.


class PlacementTurn(NamedTuple):
    """Which groups may be chosen next: all their bots are in `field`, one at least in `wanted`."""

    wanted: Set[int]
    field: Set[int]


def most_telling(
    fit: Fit,
    seats: int = 2,
    costs: Mapping[Group, float] | None = None,
    games: int | None = None,
    turns: Iterable[PlacementTurn] | None = None,
    teams: Sequence[Hashable] | None = None,
) -> Iterator[Group]:
    """Groups, the most telling first: endless, or one for each of `turns`. Each is assumed played,
    in a block of `games` matches (default: `seats`), before the next is chosen; restart with a new
    fit now and then.

    `costs`: cost of a match by group, in any unit; groups not listed cost the mean. `teams`: that
    of each bot; no two bots of a team meet. Raises UsageError when a turn has too few bots.
    """
    everyone = range(len(fit.elo))
    if len(everyone) < seats:
        raise UsageError(
            f"{len(everyone)} bots cannot take {seats} seats: name more bots, or fewer seats"
        )
    known = costs or {}
    usual = sum(known.values()) / len(known) if known else 1.0
    plan = _Plan(fit, games or seats, teams or everyone)
    every = PlacementTurn(frozenset(everyone), frozenset(everyone))
    for turn in repeat(every) if turns is None else turns:
        group = plan.best(seats, known, usual, turn)
        plan.play(group)
        yield group


def turns_of(
    teams: Sequence[Hashable], new: Set[int], served: dict[Hashable, int], seats: int = 2
) -> Iterator[PlacementTurn]:
    """Endless turns of `most_telling`. Every other one is for teams that have no newcomers, and no
    more bots than the mean, as long as there are enough such teams. In the turns between, newcomers
    are placed, those of one team after the other; if there are none, everybody may play. So however
    many bots a team hands in, it has at most half of the blocks.

    `served` has for each team the number of its last turn, and for None that of the last turn of
    the others. It is changed, and tells the next call who is next.
    """
    everyone = frozenset(range(len(teams)))
    sizes = Counter(teams)
    waiting: dict[Hashable, set[int]] = {}
    for bot in sorted(new):
        waiting.setdefault(teams[bot], set()).add(bot)
    modest = {
        team for team in sizes if team not in waiting and sizes[team] * len(sizes) <= len(teams)
    }
    others = frozenset(bot for bot in everyone if teams[bot] in modest)
    while True:
        number = max(served.values(), default=0) + 1
        if len(modest) >= seats and served.get(None, 0) < number - 1:
            served[None] = number
            yield PlacementTurn(others, others)
        else:
            team = min(waiting, key=lambda name: served.get(name, 0), default=everyone)
            served[team] = number
            yield PlacementTurn(waiting.get(team, everyone), everyone)


class _Plan:
    """The predicted covariance of the ratings after the planned matches.

    A match of two bots changes the covariance by the outer product of one vector with itself. So
    the gains of all pairs are kept as a matrix and changed with it: a choice among n bots takes
    n² steps, not n³.
    """

    def __init__(self, fit: Fit, games: int, teams: Sequence[Hashable]) -> None:
        self.teams = teams
        self.pairs = [
            (one, other)
            for one, other in combinations(range(len(fit.elo)), 2)
            if teams[one] != teams[other]
        ]
        self.noise = {
            pair: 1 / (games * fit.information(*pair))
            for pair in combinations(range(len(fit.elo)), 2)
        }
        """The variance of a block's estimate of the difference of two bots."""
        self.covariance: Matrix = [[one / ELO**2 for one in row] for row in fit.covariance]
        self.ranking = sorted(range(len(fit.elo)), key=lambda bot: -fit.elo[bot])
        gaps = [[high - low for high, low in pairwise([row[bot] for bot in self.ranking])]
                for row in self.covariance]  # fmt: skip
        self.products = mirrored(
            [[dot(one, other) for other in gaps[: at + 1]] for at, one in enumerate(gaps)]
        )
        """The inner products of the covariances of two bots with all gaps between neighbours."""

    def best(
        self, seats: int, costs: Mapping[Group, float], usual: float, turn: PlacementTurn
    ) -> Group:
        """The best pair; with more seats, extended one by one with the bots that add most. Raises
        UsageError."""
        wanted, field = turn
        gains: dict[Group, float] = {
            pair: self.gain(*pair) / costs.get(pair, usual)
            for pair in self.pairs
            if pair[0] in field and pair[1] in field and not wanted.isdisjoint(pair)
        }
        group: Group = max(gains, key=lambda pair: gains[pair], default=())
        while 0 < len(group) < seats:
            teams = {self.teams[bot] for bot in group}
            rivals = [bot for bot in self.ranking if bot in field and self.teams[bot] not in teams]
            group = max(
                (tuple(sorted((*group, bot))) for bot in rivals),
                key=lambda wider: sum(gains.get(pair, 0.0) for pair in combinations(wider, 2)),
                default=(),
            )
        if not group:
            raise UsageError(f"a match needs bots of {seats} teams: add a bot of another team")
        return group

    def gain(self, one: int, other: int) -> float:
        """How much a block of matches of two bots, the lower number first, lowers the sum of the
        variances of all gaps between neighbours, in squared units of log odds."""
        return _of_difference(self.products, one, other) / self._scale(one, other)

    def play(self, group: Group) -> None:
        """Assume that a group has played a block."""
        for one, other in combinations(group, 2):
            scale = self._scale(one, other)
            change = _difference(self.covariance, one, other)
            moved = _difference(self.products, one, other)
            part = (moved[one] - moved[other]) / scale
            rest = [each - part * value for each, value in zip(moved, change, strict=True)]
            for row, products, a, b in zip(
                self.covariance, self.products, change, moved, strict=True
            ):
                a, b = a / scale, b / scale
                row[:] = [value - a * each for value, each in zip(row, change, strict=True)]
                products[:] = [
                    value - a * more - b * each
                    for value, more, each in zip(products, rest, change, strict=True)
                ]

    def _scale(self, one: int, other: int) -> float:
        """The variance of a block's estimate of a difference, plus that of the difference."""
        return self.noise[one, other] + _of_difference(self.covariance, one, other)


def _difference(matrix: Matrix, one: int, other: int) -> list[float]:
    """A row less another."""
    pairs = zip(matrix[one], matrix[other], strict=True)
    return [mine - theirs for mine, theirs in pairs]


def _of_difference(matrix: Matrix, one: int, other: int) -> float:
    """What a quadratic form gives for the difference of two bots."""
    return matrix[one][one] + matrix[other][other] - 2 * matrix[one][other]
