"""Data for the replay page: points, moves as sentences, and the view of each seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from arena.core import Event, Frame, GameView
from arena.games.openspiel.frames import sentences
from arena.games.openspiel.words import plain
from arena.games.openspiel.world import SpielWorld


def standing(frame: Frame) -> Sequence[float | None]:
    """The points of each seat so far. (Many games give them only at the end.)"""
    return list(frame["points"])


def events(board: Any, before: Frame | None, frame: Frame) -> Sequence[Event]:
    """Nothing: which moves deserve a mark, the library does not say."""
    return ()


def orders(frame: Frame) -> Sequence[str]:
    """Each move as a sentence, and before them those at which the library failed."""
    failed = [
        f"player{seat + 1}: OpenSpiel failed at {word}" for seat, word in frame.get("failed", ())
    ]
    return failed + sentences(frame["moves"])


def seen(world: SpielWorld, seat: int, frame: Frame) -> Frame:
    """What the seat was told last, and its own moves."""
    if not world.hidden:
        return frame
    known: dict[str, Any] = {
        "text": plain(world.seen[seat]),
        "moves": [made for made in frame["moves"] if made[0] == seat],
        "points": [None] * world.seats,  # at the end the last line tells them
    }
    if "failed" in frame:
        known["failed"] = [tried for tried in frame["failed"] if tried[0] == seat]
    return frame | known


VIEW = GameView(
    standing=standing, unit="point", units="points", events=events, orders=orders, seen=seen
)
