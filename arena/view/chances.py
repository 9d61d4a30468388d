"""Chances of winning, and the moments that cost most of them.

A game's model is a logit over the seats: the score of a seat is a weighted sum of what the frame
shows of it (`Look.terms`), and its chance is ``exp(score)`` as a share of the sum over all seats.
With two seats that is a logistic model of their difference. The weights are fitted to records
(``arena analyse --fit``) and stand in `chances.json` beside the game's `view.py`.

A model knows the board and not the bots: it is the chance of a seat in the hands of a bot like
those of the records. It knows the whole board, more than a seat does where the game hides some.
"""

from __future__ import annotations

import importlib
import importlib.resources
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import exp
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.core.game import AnyGame
from arena.core.steps import Ask, Frame, Show
from arena.core.view import GameView
from arena.errors import UsageError
from arena.record.format import Answered, Silent
from arena.record.reader import Match
from arena.text import joined

FILE = "chances.json"
"""The name of a game's model, beside its `view.py`."""
TERMS = ("standing", "forces", "standing*round", "forces*round", "standing*alive", "out")
"""The terms of a score."""
LEAST = 0.1
"""The least fall of a chance that is a turning point."""
MOST = 3
"""Turning points of a seat."""


class Look(Struct, frozen=True):
    """What a frame shows of all seats, for a model."""

    standing: tuple[float, ...]
    """The share of each seat in the standing."""
    forces: tuple[float, ...]
    """Its share in the forces; in the standing, if the game tells of no forces."""
    alive: int
    """Seats that have something, at least 1."""
    played: float
    """The share of the rounds that were played."""

    def terms(self, seat: int) -> tuple[float, ...]:
        """The values of `TERMS` for a seat."""
        standing, forces = self.standing[seat], self.forces[seat]
        out = float(standing == 0 == forces)
        return (
            standing,
            forces,
            standing * self.played,
            forces * self.played,
            standing * (self.alive - 2),
            out,
        )


def look(view: GameView[object], frame: Frame) -> Look:
    """What a frame shows to spectators."""
    standing = _shares(view.standing(frame))
    forces = standing if view.forces is None else _shares(view.forces(frame))
    alive = sum(one > 0 or other > 0 for one, other in zip(standing, forces, strict=True))
    return Look(standing, forces, max(1, alive), min(1.0, frame["round"] / max(1, frame["rounds"])))


def _shares(values: Sequence[float | None]) -> tuple[float, ...]:
    """The share of each in the sum of all; equal ones if there is nothing to share."""
    known = [max(0.0, value or 0.0) for value in values]
    total = sum(known)
    return tuple(value / total if total else 1 / len(known) for value in known)


class Model(Struct, frozen=True, forbid_unknown_fields=True):
    """The model of a game."""

    game: str
    rules_version: int
    matches: int
    """The number of matches that it was fitted to."""
    weights: dict[str, float]
    """By term; those that are missing are 0."""

    def chances(self, seen: Look) -> tuple[float, ...]:
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


def find_model(game: AnyGame) -> Model | None:
    """The model that comes with a game; None if there is none, or one of other rules. Raises
    UsageError for a broken one."""
    package = importlib.import_module(game.script.__module__).__package__
    if not package:
        return None
    file = importlib.resources.files(package) / FILE
    if not file.is_file():
        return None
    model = parse_model(file.read_bytes(), f"the model of {game.name}")
    return model if model.rules_version == game.rules_version else None


def read_model(path: Path) -> Model:
    """The model in a file that ``arena analyse --fit`` has written. Raises UsageError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}: name a model") from None
    return parse_model(data, str(path))


def parse_model(data: bytes, name: str) -> Model:
    """The model in the bytes of a file. Raises UsageError."""
    try:
        model = msgspec.json.decode(data, type=Model)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{name} is no model of chances: {error}") from None
    unknown = [term for term in model.weights if term not in TERMS]
    if unknown:
        raise UsageError(f"{name} has unknown weights: {joined(unknown)}")
    return model


# Turning points.


class TurningPoint(Struct, frozen=True):
    """A moment at which a seat lost much of its chance while its own answer was carried out."""

    seat: int
    round: int
    """The round of its requests."""
    request: int
    """The number of the seat's first request in that round, from 1."""
    before: float
    """Its chance before the round."""
    after: float
    """Its chance once the answers had their effect."""
    index: int
    """The index of the frame that shows the effect."""

    @property
    def fall(self) -> float:
        """What it cost."""
        return self.before - self.after


def turning_points(
    match: Match, chances: Sequence[Sequence[float]], *, least: float = LEAST, most: int = MOST
) -> list[TurningPoint]:
    """The turning points of all seats, each with at most `most`, the costliest first. `chances` are
    by frame and seat."""
    found = sorted(_falls(match, chances), key=lambda one: -one.fall)
    kept: list[TurningPoint] = []
    for one in found:
        if one.fall >= least and sum(other.seat == one.seat for other in kept) < most:
            kept.append(one)
    return kept


def _falls(match: Match, chances: Sequence[Sequence[float]]) -> Iterator[TurningPoint]:
    """The change over each round in which a seat answered."""
    for index, asked in enumerate(_asked(match, len(chances)), 0):
        if index == 0:
            continue  # before the first frame nothing can be compared
        for seat, request in asked.items():
            yield TurningPoint(
                seat,
                match.frames[index - 1]["round"] + 1,
                request,
                chances[index - 1][seat],
                chances[index][seat],
                index,
            )


def _asked(match: Match, frames: int) -> Iterator[Mapping[int, int]]:
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


def curve(model: Model, view: GameView[object], frames: Iterable[Frame]) -> list[tuple[float, ...]]:
    """The chances by frame and seat."""
    return [model.chances(look(view, frame)) for frame in frames]
