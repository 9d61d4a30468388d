"""Who meets whom: round robin, gauntlet, and balanced groups for games of more than two.

For more than two seats a base group is shifted round the circle of all bots, so each bot plays as
often as every other. If the base is a difference set, each pair meets equally often. For other
numbers of bots base groups are made greedily, until each pair has met.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.errors import UsageError
from arena.tournament.schedule import Group

DIFFERENCE_SETS: dict[tuple[int, int], Group] = {
    (7, 3): (0, 1, 3),
    (13, 4): (0, 1, 3, 9),
    (21, 5): (3, 6, 7, 12, 14),
    (31, 6): (1, 5, 11, 24, 25, 27),
    (15, 7): (0, 1, 2, 4, 5, 8, 10),
    (57, 8): (1, 6, 7, 9, 19, 38, 42, 49),
}
"""By bots and seats. Each pair meets once; with 15 bots and 7 seats three times."""


def round_robin(bots: int, seats: int = 2) -> tuple[Group, ...]:
    """All pairs, in rounds in which each bot plays once; with more seats than two, groups in which
    all pairs meet alike. With as many bots as seats it is one group."""
    if seats > 2:
        return balanced_groups(bots, seats)
    return tuple(pair for turn in range(_even(bots) - 1) for pair in _round(bots, turn))


def _even(bots: int) -> int:
    return bots + bots % 2


def _round(bots: int, turn: int) -> Iterator[Group]:
    """The circle method: one bot stays, all others move on; with an odd number one is free."""
    size = _even(bots)
    circle = [0, *((turn + at) % (size - 1) + 1 for at in range(size - 1))]
    for one, other in zip(circle[: size // 2], circle[: size // 2 - 1 : -1], strict=True):
        if max(one, other) < bots:
            yield min(one, other), max(one, other)


def gauntlet(bots: int, first: int = 1) -> tuple[Group, ...]:
    """Each of the `first` bots against each of the others."""
    return tuple((one, other) for other in range(first, bots) for one in range(first))


def balanced_groups(bots: int, seats: int) -> tuple[Group, ...]:
    """Groups of `seats` bots in which all pairs meet, as evenly as can be. Raises UsageError when
    there are not so many bots."""
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
    """The bot to add that makes the sum of squared meetings smallest; its meetings are counted."""

    def distances(bot: int) -> list[int]:
        return [min((bot - other) % bots, (other - bot) % bots) for other in base]

    def cost(bot: int) -> int:
        new = distances(bot)
        return sum((met[d] + new.count(d)) ** 2 - met[d] ** 2 for d in set(new))

    best = min((bot for bot in range(bots) if bot not in base), key=cost)
    for distance in distances(best):
        met[distance] += 1
    return best
