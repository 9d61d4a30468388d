"""What spectators see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from arena.core import Ask, Frame
from arena.games.openspiel.words import known, plain
from arena.games.openspiel.world import SpielWorld

WIDEST = 100
"""Columns of a picture."""


def frame(world: SpielWorld) -> Frame:
    """The whole state, as text."""
    whole = {
        "round": world.round,
        "rounds": world.rounds,
        "text": plain(world.reading.text),
        "moves": [list(made) for made in world.moves],
        "points": world.points,
    }
    if world.failed:
        whole["failed"] = [list(tried) for tried in world.failed]
    return whole if world.round else whole | {"board": {"game": world.name, "seats": world.seats}}


def headline(frame: Frame) -> str:
    """The last moves, and before them those at which the library failed."""
    if not frame["moves"]:
        return "no move yet"
    failed = sentences(frame.get("failed", ()))
    before = f"OpenSpiel failed at {', '.join(failed)}; instead " if failed else ""
    return folded(before + ", ".join(sentences(frame["moves"]))).replace("\n", "")


def sentences(moves: Iterable[tuple[int, str]]) -> list[str]:
    """Actions with who took them: ``player1: x(0,0)``."""
    return [f"player{seat + 1}: {' '.join(action.split())}" for seat, action in moves]


def picture(board: Any, frame: Frame) -> str:
    """The board as text."""
    return folded(frame["text"])


def seat_picture(world: SpielWorld, ask: Ask) -> str:
    """What a person at the seat sees."""
    return folded(plain(known(world, ask.seat)))


def folded(text: str) -> str:
    """The text with lines that fit, without characters that cannot be printed."""
    lines = []
    for line in text.expandtabs().split("\n"):
        line = "".join(sign if sign.isprintable() else "?" for sign in line)
        lines += [line[at : at + WIDEST] for at in range(0, max(len(line), 1), WIDEST)]
    return "\n".join(lines)
