"""Simulated leagues and comparisons, which verify error bars and error rates.

``python -m tests.experiments.leagues`` plays 5,000 leagues of each kind and prints how often the
95 % intervals covered the truth, and how often the sequential test was wrong. The tests do the same
on a smaller scale. ``python -m tests.experiments.leagues prior`` compares ratings that keep their
prior with ratings that have it only where wins do not link all bots.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import combinations, islice, product, repeat
from typing import NamedTuple

from arena.tournament.pairings import PlacementTurn, most_telling, round_robin
from arena.tournament.ratings import ELO, Fit, fit
from arena.tournament.results import Result, ResultTally
from arena.tournament.schedule import Schedule
from arena.tournament.sprt import FLOOR, SCORES, Sprt, SprtVerdict, expected

DRAWS = 0.15
"""The share of their games that equal bots draw."""
RANKS = ((1, 2), (1, 1), (2, 1))
KINDS = {"independent": 0.0, "lucky maps": 0.6, "lucky seats": -0.6}
"""How the two games of a pair depend on each other: the share of pairs in which the map decides
both games alike, or (negative) the seat decides them against each other."""
PAIRS = (0.06, 0.18, 0.52, 0.18, 0.06)
"""The law of pairs between equal bots."""


def game_law(gap: float) -> list[float]:
    """Win, draw and loss by the model, for a difference in Elo."""
    share = expected(gap)
    draw = DRAWS * 4 * share * (1 - share)
    return [share - draw / 2, draw, 1 - share - draw / 2]


def pair_law(law: Sequence[float], dependence: float) -> list[float]:
    """The law of two games, of which each has the law `law`, by (first, second)."""
    cells = list(product(range(3), repeat=2))
    alike = [law[x] if x == y else 0.0 for x, y in cells]
    edges = [0.0, law[0], law[0] + law[1], 1.0]
    against = [
        max(0.0, min(edges[x + 1], 1 - edges[y]) - max(edges[x], 1 - edges[y + 1]))
        for x, y in cells
    ]
    other, share = (alike, dependence) if dependence > 0 else (against, -dependence)
    return [(1 - share) * law[x] * law[y] + share * other[at] for at, (x, y) in enumerate(cells)]


def league(
    rng: random.Random, bots: int, pairs: int, kind: str, spread: float = 100
) -> tuple[list[float], ResultTally]:
    """True ratings, and what became of so many mirrored pairs between each two bots."""
    drawn = [rng.gauss(0, spread) for _ in range(bots)]
    truth = [one - sum(drawn) / bots for one in drawn]
    tally = ResultTally()
    for i, j in combinations(range(bots), 2):
        law = pair_law(game_law(truth[i] - truth[j]), KINDS[kind])
        for number, both in enumerate(rng.choices(range(9), law, k=pairs)):
            first, second = divmod(both, 3)
            name = f"{i}-{j}.{number}"
            tally.add(Result((i, j), RANKS[first], (0.0, 0.0), name))
            tally.add(Result((j, i), RANKS[2 - second], (0.0, 0.0), name))
    return truth, tally


def crowd(rng: random.Random, bots: int, seats: int, games: int) -> tuple[list[float], ResultTally]:
    """The same for matches of more than two, by the model of Plackett and Luce."""
    drawn = [rng.gauss(0, 100) for _ in range(bots)]
    truth = [one - sum(drawn) / bots for one in drawn]
    tally = ResultTally()
    for one in Schedule("s", round_robin(bots, seats), games):
        times = [rng.expovariate(math.exp(truth[bot] / ELO)) for bot in one.order]
        ranks = tuple(1 + sum(other < own for other in times) for own in times)
        tally.add(Result(one.order, ranks, (0.0,) * seats, one.block))
    return truth, tally


def covered(truth: Sequence[float], found: Fit) -> Iterator[tuple[bool, bool]]:
    """For each two bots: whether the interval of the first one's rating, and that of their
    difference, have the truth in them."""
    for i, j in combinations(range(len(truth)), 2):
        gap, half = found.difference(i, j)
        yield (
            abs(found.elo[i] - truth[i]) <= found.error(i),
            abs(gap - truth[i] + truth[j]) <= half,
        )


def coverage(played: Iterator[tuple[list[float], ResultTally]]) -> tuple[float, float]:
    """How often, over all those leagues: of ratings, and of differences."""
    hits = [hit for truth, tally in played for hit in covered(truth, fit(len(truth), tally))]
    return sum(one for one, _ in hits) / len(hits), sum(one for _, one in hits) / len(hits)


def ranks_covered(played: Iterator[tuple[list[float], ResultTally]]) -> float:
    """How often the true rank of a bot is among those that it may have."""
    hits = []
    for truth, tally in played:
        found = fit(len(truth), tally)
        for own, (best, worst) in zip(truth, found.ranks(), strict=True):
            hits.append(best <= 1 + sum(other > own for other in truth) <= worst)
    return sum(hits) / len(hits)


def tilted(elo: float) -> list[float]:
    """The law of pairs, tilted until a bot is better by so much."""
    low, high = -10.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        weights = [p * math.exp(middle * a) for p, a in zip(PAIRS, SCORES, strict=True)]
        law = [weight / sum(weights) for weight in weights]
        mean = sum(p * a for p, a in zip(law, SCORES, strict=True))
        low, high = (middle, high) if mean < expected(elo) else (low, middle)
    return law


def placed(
    rng: random.Random, blocks: int, *, bots: int = 30, telling: bool = True, refit: int = 2
) -> tuple[int, float, bool]:
    """A newcomer to a league of rated bots, after so many blocks: how many ranks it is off its true
    one, the error of its rating, and whether its true rank is among the possible ones. It meets
    those whose matches tell most, by ratings that are fitted again after `refit` blocks; else
    rivals by lot."""
    drawn = [rng.gauss(0, 150) for _ in range(bots)]
    tally, new = ResultTally(), bots - 1
    for i, j in combinations(range(new), 2):
        _meet(rng, tally, drawn, (i, j), 0)
    for done in range(0, blocks, refit):
        rivals: Iterator[tuple[int, ...]] = most_telling(
            fit(bots, tally), turns=repeat(PlacementTurn({new}, set(range(bots))))
        )
        if not telling:
            rivals = iter([(rng.randrange(new), new) for _ in range(refit)])
        for number, pair in enumerate(islice(rivals, min(refit, blocks - done))):
            _meet(rng, tally, drawn, (pair[0], pair[1]), 1 + done + number)
    found = fit(bots, tally)
    true = 1 + sum(other > drawn[new] for other in drawn)
    best, worst = found.ranks()[new]
    rank = 1 + sum(other > found.elo[new] for other in found.elo)
    return abs(rank - true), found.error(new), best <= true <= worst


def _meet(
    rng: random.Random, tally: ResultTally, truth: Sequence[float], pair: tuple[int, int], at: int
) -> None:
    """A block of two games of a pair."""
    i, j = pair
    law = pair_law(game_law(truth[i] - truth[j]), 0.0)
    first, second = divmod(rng.choices(range(9), law)[0], 3)
    tally.add(Result((i, j), RANKS[first], (0.0, 0.0), f"{i}-{j}.{at}"))
    tally.add(Result((j, i), RANKS[2 - second], (0.0, 0.0), f"{i}-{j}.{at}"))


def accepted(rng: random.Random, test: Sprt, elo: float, runs: int) -> tuple[float, float]:
    """In which share of runs the test accepts H1, and after how many pairs it ends on average."""
    law, better, total = tilted(elo), 0, 0
    for _ in range(runs):
        pairs = [0] * 5
        while (verdict := test.verdict(pairs)) is SprtVerdict.UNDECIDED:
            for kind in rng.choices(range(5), law, k=1 if sum(pairs) >= FLOOR else FLOOR):
                pairs[kind] += 1
        better += verdict is SprtVerdict.BETTER
        total += sum(pairs)
    return better / runs, total / runs


def neighbours(rng: random.Random, bots: int, rounds: int) -> tuple[list[float], ResultTally]:
    """True ratings with a standard deviation of 200, and blocks of two matches between those that
    are neighbours by what is known of them so far (see `tests.experiments.ladder`)."""
    from tests.experiments.ladder.__main__ import tally_of_ladder  # it imports what serves pages
    from tests.experiments.ladder.world import Ladder

    ladder = Ladder(bots, str(rng.random()))
    for _ in range(rounds):
        ladder.round()
    return [ELO * one for one in ladder.truth], tally_of_ladder(ladder)


class Accuracy(NamedTuple):
    """How right ratings are."""

    error: float
    """The root of the mean square, in Elo."""
    ratings: float
    """How often their 95 % intervals cover the truth."""
    gaps: float
    """How often those of differences do."""
    linked: float
    """In which share of the events wins link all bots."""


def accuracy(played: Iterator[tuple[list[float], ResultTally]], *, always: bool) -> Accuracy:
    """With the prior always, or only where wins do not link all bots."""
    squares, ratings, gaps, linked = [], [], [], []
    for truth, tally in played:
        found = fit(len(truth), tally)
        linked.append(found.linked)
        if found.linked and not always:
            found = fit(len(truth), tally, prior=0)
        squares += [(elo - true) ** 2 for elo, true in zip(found.elo, truth, strict=True)]
        hits = list(covered(truth, found))
        ratings += [one for one, _ in hits]
        gaps += [one for _, one in hits]
    share = len(linked)
    return Accuracy(
        math.sqrt(sum(squares) / len(squares)),
        sum(ratings) / len(ratings),
        sum(gaps) / len(gaps),
        sum(linked) / share,
    )


def priors(leagues: int) -> None:
    """Print what the prior does where it is not needed."""
    print("bots, matches each, spread: linked; then error, ratings and differences covered")
    events: dict[str, tuple[int, Callable[[random.Random], tuple[list[float], ResultTally]]]] = {}
    for spread, (bots, pairs) in product(
        (100, 200, 400), ((2, 10), (4, 5), (8, 1), (8, 5), (20, 1))
    ):
        event = partial(league, bots=bots, pairs=pairs, kind="independent", spread=spread)
        events[f"{bots} bots, {2 * pairs * (bots - 1)} matches, ±{spread}"] = bots, event
    for bots, rounds in ((20, 5), (20, 15), (20, 50), (60, 10), (60, 15), (60, 50)):
        near = partial(neighbours, bots=bots, rounds=rounds)
        events[f"{bots} neighbours, {2 * rounds} matches, ±200"] = bots, near
    for name, (bots, play) in events.items():
        told, count = [], max(3, 4 * leagues // bots**2)
        for always in (False, True):
            rng = random.Random(name)
            found = accuracy((play(rng) for _ in range(count)), always=always)
            told.append(f"{found.error:.1f} {found.ratings:.1%} {found.gaps:.1%}")
        print(f"{name}: {found.linked:.0%}; where needed {told[0]}; always {told[1]}", flush=True)


def main() -> None:
    """Print it all."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("subject", nargs="?", choices=["prior"], help="only this (all others)")
    options.add_argument("--leagues", type=int, default=5000)
    options.add_argument("--runs", type=int, default=2000)
    options.add_argument("--newcomers", type=int, default=200)
    asked = options.parse_args()
    if asked.subject == "prior":
        priors(asked.leagues)
        return
    for kind in KINDS:
        rng = random.Random(kind)
        played = (league(rng, 8, 10, kind) for _ in range(asked.leagues))
        ratings, gaps = coverage(played)
        print(f"8 bots, 10 pairs each, {kind}: ratings {ratings:.4f}, differences {gaps:.4f}")
        right = ranks_covered(league(rng, 8, 10, kind) for _ in range(asked.leagues // 5))
        print(f"8 bots, 10 pairs each, {kind}: ranks {right:.4f}")
    rng = random.Random(1)
    ratings, gaps = coverage(crowd(rng, 9, 4, 8) for _ in range(asked.leagues))
    print(f"9 bots, 4 seats, 8 games a group: ratings {ratings:.4f}, differences {gaps:.4f}")
    for blocks in (2, 4, 6, 8, 10, 15, 20, 30):
        told = []
        for telling in (True, False):
            runs = [
                placed(random.Random(n), blocks, telling=telling) for n in range(asked.newcomers)
            ]
            off = sum(off for off, _, _ in runs) / len(runs)
            within = sum(off <= 3 for off, _, _ in runs) / len(runs)
            error = sum(error for _, error, _ in runs) / len(runs)
            told.append(f"{off:.2f} ranks off, {within:.0%} within 3, ±{error:.0f}")
        print(f"a newcomer to 29 bots, {2 * blocks} matches: {told[0]}; rivals by lot: {told[1]}")
    for elo in (0, 20):
        share, pairs = accepted(random.Random(elo), Sprt(), elo, asked.runs)
        print(f"SPRT (0, 20), truth {elo}: H1 accepted in {share:.4f}, {pairs:.0f} pairs")


if __name__ == "__main__":
    main()
