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
from math import exp
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.core.game import AnyGame
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
FORCES = 4.0
"""What a fall of the share in the forces counts beside a fall of the chance. A bad answer throws
forces away at once, while the standing, on which the chance rests most, falls rounds later."""
LEAST = 0.15
"""The least cost of a turning point."""
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


# Turning points.


class TurningPoint(Struct, frozen=True):
    """A round that cost a seat much while its own answers were carried out."""

    seat: int
    round: int
    """The round of its requests."""
    request: int
    """The number of the seat's first request in that round, from 1."""
    chances: tuple[float, float]
    """Its chance before the round, and once the answers had their effect."""
    forces: tuple[float, float]
    """The same of its share in the forces."""
    index: int
    """The index of the frame that shows the effect."""

    @property
    def cost(self) -> float:
        """The fall of its chance and, with a weight, of its forces."""
        return self.chances[0] - self.chances[1] + FORCES * (self.forces[0] - self.forces[1])


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


def turning_points(
    match: Match, found: MatchChances, *, least: float = LEAST, most: int = MOST
) -> list[TurningPoint]:
    """The turning points of all seats, each with at most `most`, the costliest first."""
    kept: list[TurningPoint] = []
    for one in sorted(_rounds(match, found), key=lambda one: -one.cost):
        if one.cost >= least and sum(other.seat == one.seat for other in kept) < most:
            kept.append(one)
    return kept


def _rounds(match: Match, found: MatchChances) -> Iterator[TurningPoint]:
    """What each round did to each seat that answered in it."""
    asked = list(_asked(match))
    for index in range(1, len(found.looks)):
        before, after = index - 1, index
        for seat, request in asked[index].items():
            yield TurningPoint(
                seat,
                match.frames[before]["round"] + 1,
                request,
                (found.chances[before][seat], found.chances[after][seat]),
                (found.looks[before].forces[seat], found.looks[after].forces[seat]),
                index,
            )


def _asked(match: Match) -> Iterator[Mapping[int, int]]:
    """For each frame, the seats that replied since the one before, with the number of the first
    request of each."""
    count, now = dict[int, int](), dict[int, int]()
    for record in match.records:
        if isinstance(record, Answered | Silent):
            count[record.seat] = count.get(record.seat, 0) + 1
            now.setdefault(record.seat, count[record.seat])
        elif isinstance(record, Show):
            yield now
            now = {}
