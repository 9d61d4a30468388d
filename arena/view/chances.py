"""Chances of winning, and the moments that cost most of them.

A game's model is a logit over the seats: the score of a seat is a weighted sum of what the frame
shows of it (`Balance.terms`), and its chance is ``exp(score)`` as a share of the sum over all. With
two seats that is a logistic model of their difference. The weights are fitted to records
(``arena analyse --fit``) and stand in `chances.json` beside the game's `view.py`.

A model knows the board and not the bots: it is the chance of a seat in the hands of a bot like
those of the records. It knows the whole board, more than a seat does where the game hides some.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from math import exp
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct

from arena.core.game import AnyGame
from arena.core.replies import Silence
from arena.core.steps import Frame, Show
from arena.core.view import GameView
from arena.errors import UsageError
from arena.record.format import Answered, Silent
from arena.record.reader import Match
from arena.text import joined

FILE = "chances.json"
"""The name of a game's model, beside its `view.py`."""
TERMS = (
    "standing*left",
    "forces*left",
    "standing*played",
    "forces*played",
    "standing*alive",
    "out",
)
"""The terms of a score: shares times the share of the rounds that are left, and that were played;
the share in the standing times the seats alive over two; 1 for a seat that has nothing."""
MORE = TERMS[:4]
"""The terms of which more is never worse: their weights are not negative."""
LEAST = 0.15
"""The least chance that was lost for good at a turning point. Where forces were thrown away, two
thirds of it are enough, even if it was won back."""
FORCES = 4.0
"""A share of the forces that is this many times smaller than `LEAST` is thrown away."""
AFTERMATH = 8
"""Rounds in which the chance falls after forces were thrown away: the standing, on which it rests
most, follows later."""
MOST = 3
"""Turning points of a seat."""


class Balance(Struct, frozen=True):
    """What a frame shows of all seats, for a model."""

    standing: tuple[float, ...]
    """The share of each seat in the standing."""
    forces: tuple[float, ...]
    """Its share in the forces; in the standing, if the game tells of no forces."""
    alive: int
    """Seats that have something, or all if nobody has."""
    played: float
    """The share of the rounds that were played."""

    def terms(self, seat: int) -> tuple[float, ...]:
        """The values of `TERMS` for a seat."""
        standing, forces = self.standing[seat], self.forces[seat]
        out = float(standing == 0 == forces)
        return (
            standing * (1 - self.played),
            forces * (1 - self.played),
            standing * self.played,
            forces * self.played,
            standing * (self.alive - 2),
            out,
        )


def look(view: GameView[object], frame: Frame) -> Balance:
    """What a frame shows to spectators."""
    standing = _shares(view.standing(frame))
    forces = standing if view.forces is None else _shares(view.forces(frame))
    alive = sum(one > 0 or other > 0 for one, other in zip(standing, forces, strict=True))
    return Balance(standing, forces, alive, min(1.0, frame["round"] / max(1, frame["rounds"])))


def _shares(values: Sequence[float | None]) -> tuple[float, ...]:
    """The share of each in the sum of all; equal ones if there is nothing to share."""
    known = [max(0.0, value or 0.0) for value in values]
    total = sum(known)
    return tuple(value / total if total else 1 / len(known) for value in known)


class ChanceModel(Struct, frozen=True, forbid_unknown_fields=True):
    """The model of a game."""

    game: str
    rules_version: int
    matches: int
    """The number of matches that it was fitted to."""
    weights: dict[str, float]
    """By term; those that are missing are 0."""

    def chances(self, seen: Balance) -> tuple[float, ...]:
        """The chance of each seat to win, which come to 1; seats that tie share."""
        weights = [self.weights.get(term, 0.0) for term in TERMS]
        return softmax([dot(weights, seen.terms(seat)) for seat in range(len(seen.standing))])


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """The sum of products."""
    return sum(a * b for a, b in zip(one, other, strict=True))


def softmax(scores: Sequence[float]) -> tuple[float, ...]:
    """The chances for these scores."""
    most = max(scores)
    powers = [exp(score - most) for score in scores]
    total = sum(powers)
    return tuple(power / total for power in powers)


def won(ranks: Sequence[int]) -> tuple[float, ...]:
    """What came of the chances: 1 for the winner; seats that tie for it share."""
    first = [float(rank == 1) for rank in ranks]
    return tuple(one / sum(first) for one in first)


# Models in files.


def find_model(game: AnyGame) -> ChanceModel | None:
    """The model that comes with a game; None if there is none, or one of other rules. Raises
    UsageError for a broken one."""
    file = game.own_file(FILE)
    if file is None:
        return None
    model = parse_model(file.read_bytes(), f"the model of {game.name}")
    return model if model.rules_version == game.rules_version else None


def read_model(path: Path) -> ChanceModel:
    """The model in a file that ``arena analyse --fit`` has written. Raises UsageError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}: name a model") from None
    return parse_model(data, str(path))


def parse_model(data: bytes, name: str) -> ChanceModel:
    """The model in the bytes of a file. Raises UsageError."""
    try:
        model = msgspec.json.decode(data, type=ChanceModel)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{name} is no model of chances: {error}") from None
    unknown = [term for term in model.weights if term not in TERMS]
    if unknown:
        raise UsageError(f"{name} has unknown weights: {joined(unknown)}")
    return model


# Turning points: where a seat lost chance.
#
# A fall counts for what was not given back: it is a fall of the highest chance that was still to
# come. That curve never rises. Straight lines are laid along it, so a slide over many rounds is one
# fall and begins with its first round, and what stays within half of LEAST of a line is noise.


class TurningPoint(Struct, frozen=True):
    """A fall of a seat's chance, and the answers with which it began."""

    seat: int
    round: int
    """The round of the answers."""
    last: int
    """The round in which the fall ends."""
    request: int
    """The number of the seat's first request in `round`, from 1."""
    chances: tuple[float, float]
    """Its chance before `round` and after `last`."""
    forces: tuple[float, float]
    """The same of its share in the forces."""
    regained: int | None
    """The round after which its chance was as high again; None if it never was."""
    cost: float
    """The chance that it cost: for good or, where the answers threw forces away, for a while."""
    index: int
    """The index of the frame that shows the effect of the answers."""


class MatchChances(Struct, frozen=True):
    """What a model says of a match, by frame."""

    looks: list[Balance]
    chances: list[tuple[float, ...]]
    """The chance of each seat."""


def match_chances(
    model: ChanceModel, view: GameView[object], frames: Iterable[Frame]
) -> MatchChances:
    """What a model says of these frames."""
    looks = [look(view, frame) for frame in frames]
    return MatchChances(looks, [model.chances(seen) for seen in looks])


class _Fall(Struct, frozen=True):
    """A fall of a chance from before one frame to after another."""

    first: int
    last: int
    cost: float


def turning_points(
    match: Match, found: MatchChances, *, least: float = LEAST, most: int = MOST
) -> list[TurningPoint]:
    """The turning points of all seats, each with at most `most`: first what was lost for good, then
    answers that threw forces away; the costliest first. What came from a position is nobody's."""
    asked, played = list(_asked(match)), _first_played(match)
    kept = list[tuple[bool, TurningPoint]]()
    for seat in range(len(match.players)):
        chances = [row[seat] for row in found.chances]
        forces = [seen.forces[seat] for seen in found.looks]
        falls = [(False, fall) for fall in _by_cost(_lasting_falls(chances, played, least))]
        falls += [(True, fall) for fall in _by_cost(_blunders(chances, forces, played, least))]
        within, points = set[int](), dict[int, tuple[bool, TurningPoint]]()
        for is_blunder, fall in falls:
            if is_blunder and fall.first in within:
                continue
            within.update(range(fall.first, fall.last + 1))
            before = range(fall.first, played, -1)  # in some games seats are asked in turns
            index = next((i for i in before if seat in asked[i]), None)
            if index is not None and index not in points and len(points) < most:
                point = _point(match, seat, asked[index][seat], index, fall, chances, forces)
                points[index] = (is_blunder, point)
        kept += points.values()
    return [one for _, one in sorted(kept, key=lambda pair: (pair[0], -pair[1].cost))]


def _by_cost(falls: Iterable[_Fall]) -> list[_Fall]:
    return sorted(falls, key=lambda fall: -fall.cost)


def _first_played(match: Match) -> int:
    """The index of the last frame before these players answered."""
    origin = match.header.position
    rounds = [frame["round"] for frame in match.frames]
    return 0 if origin is UNSET else sum(number < origin.round for number in rounds[1:])


def _lasting_falls(chances: Sequence[float], start: int, least: float) -> Iterator[_Fall]:
    """What was lost for good from the frame `start` on. A fall has no rounds at its ends that lost
    less than half of what its rounds lost in the mean, unless it is nothing without them."""
    kept = list(accumulate(reversed(chances), max))[::-1]
    for first, last in pairwise(_bends(kept, start, least / 2)):
        cost = kept[first] - kept[last]
        if cost < least or first == last:
            continue
        slow = cost / (last - first) / 2
        while kept[first] - kept[first + 1] < slow and kept[first + 1] - kept[last] >= least:
            first += 1
        while kept[last - 1] - kept[last] < slow and kept[first] - kept[last - 1] >= least:
            last -= 1
        yield _Fall(first + 1, last, kept[first] - kept[last])


def _bends(curve: Sequence[float], start: int, error: float) -> list[int]:
    """Where straight lines meet that leave no point of a curve further off than `error` (by Ramer,
    Douglas and Peucker)."""
    bends, ahead = [start], [len(curve) - 1]
    while ahead:
        first, last = bends[-1], ahead[-1]
        begin, slope = curve[first], (curve[last] - curve[first]) / max(1, last - first)
        off = {i: abs(curve[i] - begin - slope * (i - first)) for i in range(first + 1, last)}
        furthest = max(off, key=off.__getitem__, default=None)
        if furthest is not None and off[furthest] > error:
            ahead.append(furthest)
        else:
            bends.append(ahead.pop())
    return bends


def _blunders(
    chances: Sequence[float], forces: Sequence[float], start: int, least: float
) -> Iterator[_Fall]:
    """Rounds that threw forces away, which did not come back before the chance fell, too. It may
    fall by a third less than for good: of 175 such rounds that were planted, 141 are found, and 133
    if it may not."""
    for first in range(start + 1, len(chances)):
        less, last = forces[first - 1] - least / FORCES, first
        for i in range(first, min(first + AFTERMATH, len(chances))):
            if forces[i] > less:
                break
            last = min(last, i, key=chances.__getitem__)
        cost = chances[first - 1] - chances[last]
        if forces[first] <= less and cost >= least * 2 / 3:
            yield _Fall(first, last, cost)


def _point(
    match: Match,
    seat: int,
    request: int,
    index: int,
    fall: _Fall,
    chances: Sequence[float],
    forces: Sequence[float],
) -> TurningPoint:
    """The turning point of a fall that began with the answers before the frame `index`."""
    rounds = [frame["round"] for frame in match.frames]
    again = (i for i in range(fall.last, len(chances)) if chances[i] >= chances[index - 1])
    return TurningPoint(
        seat,
        rounds[index - 1] + 1,
        rounds[fall.last],
        request,
        (chances[index - 1], chances[fall.last]),
        (forces[index - 1], forces[fall.last]),
        next((rounds[i] for i in again), None),
        fall.cost,
        index,
    )


def _asked(match: Match) -> Iterator[Mapping[int, int]]:
    """For each frame, the seats whose players replied since the one before, with the number of the
    first request of each."""
    count, now = dict[int, int](), dict[int, int]()
    for record in match.records:
        if isinstance(record, Answered | Silent):
            count[record.seat] = count.get(record.seat, 0) + 1
            if isinstance(record, Answered) or Silence(record.why).missed:
                now.setdefault(record.seat, count[record.seat])
        elif isinstance(record, Show):
            yield now
            now = {}
