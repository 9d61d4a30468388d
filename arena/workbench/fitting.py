"""Fitting a model of chances to records, and how well it keeps what it says on others.

The likelihood of a softmax is concave, so Newton's method finds the one best set of weights, with a
little ridge for terms that the records do not tell apart. The rounds of a match are not independent
of each other: each match has the same weight, however long it was.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from msgspec import Struct

from arena.core.game import AnyGame
from arena.core.view import GameView
from arena.errors import UsageError
from arena.record.reader import Match
from arena.view.chances import MORE, TERMS, Balance, ChanceModel, dot, look, softmax, won

RIDGE = 0.05
"""The weight of the ridge, in matches: it keeps weights finite that no match contradicts."""
STEPS = 30
"""Most steps of Newton's method, which needs about ten."""
ENOUGH = 1e-6
"""A change of all weights below which it ends."""
MOMENTS = 40
"""Frames of a match that are used, evenly over it."""
FIT_PARTS = 4
"""Parts of the seeds, of which each tells how well a model of the others keeps what it says."""
BINS = 10
"""Bins of the calibration."""


class Lesson(Struct, frozen=True):
    """What a model learns from one match."""

    looks: tuple[Balance, ...]
    won: tuple[float, ...]


def lesson(match: Match, game: AnyGame, view: GameView[object]) -> Lesson | None:
    """The lesson of a match; None for one that has no end, or other rules."""
    if match.outcome is None or match.header.rules_version != game.rules_version:
        return None
    frames = match.frames[:-1]  # the last one shows how it ended
    every = max(1, len(frames) // MOMENTS)
    looks = tuple(look(view, frame) for frame in frames[::every])
    return Lesson(looks, won(match.outcome.ranks)) if looks else None


def fit(game: AnyGame, lessons: Sequence[Lesson]) -> ChanceModel:
    """The model that makes these ends most likely. Raises UsageError without a match, or where all
    seats always look the same."""
    if not lessons:
        raise UsageError(
            f"no record of {game.name} can be learnt from: name whole records of this version"
        )
    if all(len({seen.terms(seat) for seat in range(len(one.won))}) == 1
           for one in lessons for seen in one.looks):  # fmt: skip
        raise UsageError(
            f"{game.name} has no points before the end of a match that tell who is ahead: no model "
            "of chances can be made of its records"
        )
    return _fitted(game, lessons)


def _fitted(game: AnyGame, lessons: Sequence[Lesson]) -> ChanceModel:
    """The same of any lessons."""
    used = list(range(len(TERMS)))
    weights = _best(lessons, used)
    while wrong := [i for i in used if TERMS[i] in MORE and weights[i] < 0]:
        used.remove(min(wrong, key=lambda i: weights[i]))
        weights = _best(lessons, used)
    named = {term: round(weight, 4) for term, weight in zip(TERMS, weights, strict=True)}
    return ChanceModel(game.name, game.rules_version, len(lessons), named)


def _best(lessons: Sequence[Lesson], used: Sequence[int]) -> list[float]:
    """The best weights where only those of some terms are not 0."""
    weights = [0.0] * len(TERMS)
    for _ in range(STEPS):
        step = _step(lessons, [weights[i] for i in used], used)
        for i, change in zip(used, step, strict=True):
            weights[i] += change
        if max(map(abs, step)) < ENOUGH:
            break
    return weights


def _step(lessons: Sequence[Lesson], weights: Sequence[float], used: Sequence[int]) -> list[float]:
    """A step of Newton's method: the gradient, divided by the curvature."""
    size = len(used)
    slope = [-RIDGE * weight for weight in weights]
    curvature = [[RIDGE * (i == j) for j in range(size)] for i in range(size)]
    for one in lessons:
        for seen in one.looks:
            every = [seen.terms(seat) for seat in range(len(one.won))]
            terms = [[row[i] for i in used] for row in every]
            chances = softmax([dot(weights, row) for row in terms])
            mean = [sum(p * row[i] for p, row in zip(chances, terms, strict=True))
                    for i in range(size)]  # fmt: skip
            for p, came, row in zip(chances, one.won, terms, strict=True):
                off = [value - middle for value, middle in zip(row, mean, strict=True)]
                for i in range(size):
                    slope[i] += (came - p) * row[i] / len(one.looks)
                    share = p * off[i] / len(one.looks)
                    for j in range(size):
                        curvature[i][j] += share * off[j]
    return solve(curvature, slope)


def solve(matrix: Sequence[Sequence[float]], right: Sequence[float]) -> list[float]:
    """The solution of linear equations with a positive definite matrix, by elimination."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for i in range(size):
        for j in range(i + 1, size):
            factor = rows[j][i] / rows[i][i]
            rows[j] = [b - factor * a for a, b in zip(rows[i], rows[j], strict=True)]
    found = [0.0] * size
    for i in reversed(range(size)):
        known = sum(rows[i][j] * found[j] for j in range(i + 1, size))
        found[i] = (rows[i][size] - known) / rows[i][i]
    return found


class CalibrationBin(Struct, frozen=True):
    """Chances that are nearly the same, and what came of them."""

    said: float
    """Their mean."""
    came: float
    """The share that won."""
    weight: float
    """How much of all chances they are."""


class Calibration(Struct, frozen=True):
    """How well chances were kept."""

    matches: int
    ece: float
    """Expected calibration error: the mean distance between what was said and what came."""
    brier: float
    """The mean squared error of the chances."""
    brier_standing: float
    """The same of the standing share alone, taken as a chance."""
    bins: list[CalibrationBin]


class FitReport(Struct, frozen=True):
    """What `arena analyse --fit --json` prints."""

    model: ChanceModel
    calibration: Calibration | None
    """On matches that were not fitted to; None with fewer than four seeds."""


Chances: TypeAlias = Callable[[Balance], Sequence[float]]
Judged: TypeAlias = tuple[Lesson, Chances]
"""A lesson, and what gives the chances in it."""


def held_out(game: AnyGame, lessons: Sequence[tuple[int, Lesson]]) -> Calibration | None:
    """The calibration on matches that were not fitted to: each has the chances of a model that was
    fitted to the other parts of the seeds. `lessons` come with the number of their seed: games on
    one seed have the same map, and often much else in common. None with too few seeds."""
    if len({seed for seed, _ in lessons}) < FIT_PARTS:
        return None
    judged: list[Judged] = []
    for part in range(FIT_PARTS):
        model = _fitted(game, [one for seed, one in lessons if seed % FIT_PARTS != part])
        judged += [(one, model.chances) for seed, one in lessons if seed % FIT_PARTS == part]
    return _calibration(judged)


def calibration(model: ChanceModel, lessons: Sequence[Lesson]) -> Calibration:
    """How well a model keeps what it says in these matches."""
    return _calibration([(one, model.chances) for one in lessons])


def _calibration(judged: Sequence[Judged]) -> Calibration:
    """The calibration over all seats and rounds of matches, each of the same weight."""
    pairs = list(_pairs(judged))
    bins = defaultdict[int, list[tuple[float, float, float]]](list)
    for said, came, weight in pairs:
        bins[min(BINS - 1, int(said * BINS))].append((said, came, weight))
    found = [_bin(bins[number]) for number in sorted(bins)]
    return Calibration(
        len(judged),
        sum(one.weight * abs(one.said - one.came) for one in found),
        _brier(pairs),
        _brier(_pairs([(one, lambda seen: seen.standing) for one, _ in judged])),
        found,
    )


def _pairs(judged: Sequence[Judged]) -> Iterable[tuple[float, float, float]]:
    """Each chance, what came of it, and its weight, which come to 1."""
    for one, chances in judged:
        weight = 1 / (len(judged) * len(one.looks) * len(one.won))
        for seen in one.looks:
            for said, came in zip(chances(seen), one.won, strict=True):
                yield said, came, weight


def _bin(pairs: Sequence[tuple[float, float, float]]) -> CalibrationBin:
    total = sum(weight for _, _, weight in pairs)
    said = sum(said * weight for said, _, weight in pairs) / total
    return CalibrationBin(said, sum(came * weight for _, came, weight in pairs) / total, total)


def _brier(pairs: Iterable[tuple[float, float, float]]) -> float:
    return sum(weight * (said - came) ** 2 for said, came, weight in pairs)
