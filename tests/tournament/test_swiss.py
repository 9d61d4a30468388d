"""Swiss rounds: the cheapest pairing without a repeat."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from arena.errors import UsageError
from arena.tournament.pairings import SwissRound, swiss_round
from arena.tournament.schedule import Group
from tests.support.tools import every


def cheapest(bots: Sequence[int], scores: Sequence[float], met: set[Group]) -> float | None:
    """By trying all pairings."""
    if not bots:
        return 0.0
    one, *rest = bots
    costs = [
        after + (scores[one] - scores[other]) ** 2
        for other in rest
        if (one, other) not in met
        and (after := cheapest([b for b in rest if b != other], scores, met)) is not None
    ]
    return min(costs, default=None)


@every("seed", range(25))
def test_no_pairing_is_cheaper(seed: int) -> None:
    rng = random.Random(seed)
    bots = range(rng.choice([4, 6, 8]))
    scores = [rng.randrange(8) / 2 for _ in bots]
    met: set[Group] = {(i, j) for i in bots for j in bots if i < j and rng.random() < 0.5}
    best = cheapest(bots, scores, met)
    if best is None:
        with pytest.raises(UsageError, match="cannot play another round"):
            swiss_round(scores, met)
    else:
        pairs = swiss_round(scores, met).pairs
        assert sum((scores[i] - scores[j]) ** 2 for i, j in pairs) == best
        assert not met & set(pairs)


def test_equal_scores_meet_and_the_worst_is_free() -> None:
    assert swiss_round([2, 1, 2, 0, 1], set()) == SwissRound(((0, 2), (1, 4)), 3)
    assert swiss_round([2, 1, 2, 0, 1], set(), {3, 4}).bye == 1


def test_lots_decide_who_of_equal_ones_is_free() -> None:
    assert swiss_round([0, 0, 0], set(), lots=[2, 0, 1]).bye == 0
    assert swiss_round([0, 0, 0], set(), {0}, [2, 0, 1]).bye == 2
    assert swiss_round([1, 0, 1], set(), lots=[2, 0, 1]).bye == 1


@pytest.mark.parametrize("bots", [7, 16])
def test_a_whole_event(bots: int) -> None:
    """None meets another twice, and none is free twice."""
    rng = random.Random(1)
    scores, met, byes = [0.0] * bots, set[Group](), set[int]()
    for _ in range(6):
        found = swiss_round(scores, met, byes)
        assert len({bot for pair in found.pairs for bot in pair}) == bots - bots % 2
        assert not met & set(found.pairs)
        met |= set(found.pairs)
        for pair in found.pairs:
            scores[rng.choice(pair)] += 1
        if found.bye is not None:
            assert found.bye not in byes
            byes.add(found.bye)
            scores[found.bye] += 1
    assert len(byes) == 6 * (bots % 2)
