"""One round of a Swiss system: bots with like scores meet, and none meets another twice.

The cheapest pairing is looked for; a pair costs the square of the difference of the scores. The
search goes down the ranking and keeps, at each bot, the cheapest ways to have paired those above
it, with few that wait. Up to eleven bots that is all ways. When none of the ways that were kept can
be completed, it keeps more.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TypeAlias

from msgspec import Struct

from arena.errors import UsageError
from arena.tournament.schedule import Group

WIDTHS = ((500, 5), (4_000, 8), (32_000, 100))
"""Ways that are kept, and bots that may wait in one: at first, and when that was not enough."""

Way: TypeAlias = tuple[float, int, float, tuple[int, ...], tuple[Group, ...]]
"""What at least it will cost, how many wait, what it has cost; who waits for a partner, and the
pairs."""


class SwissRound(Struct, frozen=True):
    """Who meets whom in a round."""

    pairs: tuple[Group, ...]
    """The best ones first."""
    bye: int | None
    """Who is free, with an odd number of bots; that is worth a win."""


def swiss_round(
    scores: Sequence[float], met: Set[Group], byes: Set[int] = frozenset()
) -> SwissRound:
    """The next round. `scores`: by bot, a win 1, a draw a half, a bye 1. `met`: the pairs that have
    met, the lower number first. `byes`: the bots that have had one; the worst of the others gets
    the next.

    Raises UsageError when every pairing would let two bots meet again.
    """
    ranking = sorted(range(len(scores)), key=lambda bot: (-scores[bot], bot))
    free = [bot for bot in reversed(ranking) if bot not in byes] if len(ranking) % 2 else [None]
    for bye in free:
        rest = [bot for bot in ranking if bot != bye]
        pairs = _cheapest(rest, scores, met)
        if pairs is not None:
            return SwissRound(pairs, bye)
    raise UsageError(
        f"{len(scores)} bots cannot play another round in which none meets another twice: end the "
        "event, or go on as a round robin"
    )


def _cheapest(
    ranking: Sequence[int], scores: Sequence[float], met: Set[Group]
) -> tuple[Group, ...] | None:
    """The cheapest pairing; None if there is none (or none that so many ways find)."""
    for kept, waiting in WIDTHS:
        ways = _search(ranking, scores, met, kept, waiting)
        if ways:
            return min(ways)[-1]
    return None


def _search(
    ranking: Sequence[int], scores: Sequence[float], met: Set[Group], kept: int, waiting: int
) -> list[Way]:
    """The cheapest ways to pair all, when so many are kept and so many bots may wait."""
    ways: list[Way] = [(0.0, 0, 0.0, (), ())]
    for at, bot in enumerate(ranking):
        best: dict[tuple[int, ...], Way] = {}
        for way in ways:
            for new in _onward(way, bot, scores, met, min(waiting, len(ranking) - at - 1)):
                best[new[3]] = min(new, best.get(new[3], new))
        ways = sorted(best.values())[:kept]
    return ways


def _onward(way: Way, bot: int, scores: Sequence[float], met: Set[Group], most: int) -> list[Way]:
    """The next bot waits for a partner, if no more than `most` then do, or is that of one that
    waits."""
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
