"""Conversion of a league's rows to checked values.

Anyone with the file can write rows of any shape and rebuild a valid chain. So rows are checked when
read, and a row that the arena cannot have written raises ValidationError.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec import ValidationError

from arena.core.steps import Fate
from arena.league.types import Count, LeaguePlayer, PlannedMatch, Played
from arena.text import printable

FIXTURE = ("number", "id", "event", "round", "block", "seed", "seats")
RESULT = ("number", "attempt", "reason", "sentence", "rounds", "ranks", "sha256", "seal", "digest")
SEAT = ("bot", "points", "fate", "stopped", "detail", "faults")
"""The columns of each table, in the order in which the functions below take them."""
MAX_POINTS = 1e15
"""The largest absolute number of points."""
_FAULTS = msgspec.json.Decoder(dict[str, Count])
_FATES = frozenset(map(str, Fate))


def player_of(row: Sequence[Any]) -> LeaguePlayer:
    """A player from its row."""
    name_of(row[0])
    return LeaguePlayer(*row)


def name_of(text: str) -> str:
    """The name of a bot; it must be printable."""
    if not text or text != printable(text):
        raise ValidationError(f"the name {text!r} is empty or cannot be shown")
    return text


def fixture_of(row: Sequence[Any]) -> PlannedMatch:
    """A fixture from its row."""
    return msgspec.convert(_fixture(row), type=PlannedMatch)


def played_of(
    fixture: Sequence[Any], result: Sequence[Any], seats: Sequence[Sequence[Any]], annulled: Any
) -> Played:
    """A played match, with its seats in order."""
    planned = _fixture(fixture)
    number, attempt, reason, sentence, rounds, ranks, sha256, seal, digest = result
    if [bot for bot, *_ in seats] != planned["seats"]:
        raise ValidationError("its seats are not those that were planned")
    every = [
        _seat(rank, *row) for rank, row in zip(ranks_of(ranks, len(seats)), seats, strict=True)
    ]
    told = {"reason": reason, "sentence": sentence, "rounds": rounds, "digest": digest}
    values = {"number": number, "fixture": planned, "attempt": attempt, "sha256": sha256}
    values |= {"result": {**told, "seal": seal, "seats": every}, "annulled": annulled}
    return msgspec.convert(values, type=Played)


@lru_cache(1000)
def ranks_of(text: str, seats: int) -> tuple[int, ...]:
    """The ranks of `seats` seats."""
    ranks = msgspec.json.decode(text, type=tuple[int, ...])
    if len(ranks) != seats or not all(1 <= rank <= seats for rank in ranks):
        raise ValidationError(f"{text} are not the ranks of {seats} seats")
    return ranks


@lru_cache(1000)
def seats_of(text: str) -> tuple[str, ...]:
    """The bots of a fixture, by seat."""
    return msgspec.json.decode(text, type=tuple[str, ...])


def faults_of(text: str) -> dict[str, Count]:
    """Number of faults of each kind."""
    return _FAULTS.decode(text)


def points_of(points: float) -> float:
    """Points given by the rules; they must be finite."""
    if not math.isfinite(points) or abs(points) > MAX_POINTS:
        raise ValidationError(f"{points:g} points are more than a match can give")
    return points


def _fixture(row: Sequence[Any]) -> dict[str, Any]:
    values = dict(zip(FIXTURE, row, strict=True))
    return values | {"seats": [*seats_of(values["seats"])]}


def _seat(rank: int, bot: str, *row: Any) -> dict[str, Any]:
    points, fate, stopped, detail, faults = row
    if fate not in _FATES:
        raise ValidationError(f"{fate!r} is not a fate of a seat")
    values = {"points": points_of(points), "fate": fate, "stopped": stopped, "detail": detail}
    return {"rank": rank, **values, "faults": faults_of(faults)}
