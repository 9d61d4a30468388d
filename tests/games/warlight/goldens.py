"""The texts of the golden files: three maps, and a whole small match with every line."""

from __future__ import annotations

from arena.core.game import Setup
from arena.core.replies import Silence
from arena.games.warlight import words
from arena.games.warlight.board import Board
from arena.games.warlight.world import new_world
from tests.games.warlight.helpers import DEAD, FOLDER, LATE, Talk, fresh, settings

GOLDEN = FOLDER / "golden"

MAPS = {
    "map_small": settings(min_supers=3, max_supers=4),
    "map_default": settings(),
    "map_large": settings(min_supers=20, max_supers=20),
}

REPLIES: list[tuple[str | Silence, ...]] = [
    ("3",),
    ("x 7",),
    (
        "player1 place_armies 3 2,player1 place_armies 2 1,player1 place_armies 3 9,",
        "player2 place_armies 5 3, player2 place_armies 5 2,player2  place_armies 5 1",
    ),
    (
        "player1 attack/transfer 3 2 3,player1 attack/transfer 3 4 9,"
        "player1 attack/transfer 3 4 1,",
        "player2 attack/transfer 5 4 3, player2 attack/transfer 5 6 3",
    ),
    ("player1 place_armies 2 5", "player2 place_armies 4 5"),
    ("player1 attack/transfer 2 5 6,player1 attack/transfer 3 2 1", LATE),
    (
        "player1 place_armies 2 4,player1 place_armies 3 1,player1 attack/transfer 2 5 1",
        "player2 place_armies 6 4,player2 place_armies 4 1",
    ),
    (
        "player1 attack/transfer 2 5 8,player1 attack/transfer 3 2 1,player1 attack/transfer 4 5 1",
        LATE,
    ),
    ("No moves,", DEAD),
    ("", DEAD),
]
"""A draw after four rounds, with bad picks and orders, cut orders, a move that is seen by half, and
a program that is ended."""


def texts() -> dict[str, str]:
    """All golden files by name."""
    maps = {f"{name}.txt": map_text(name) for name in MAPS}
    return maps | {"match.txt": match_text()}


def map_text(name: str) -> str:
    """A generated map as its bots are told, with its picture."""
    made = new_world(Setup("golden", 2, MAPS[name]))
    return "\n".join([*words.opening_lines(made, 0), "", *picture(made.board), ""])


def picture(board: Board) -> list[str]:
    """The regions where they lie, each as ``region/super region``."""
    assert board.xy is not None
    at = {board.xy[region]: region for region in board.regions}
    columns, rows = ([point[axis] for point in at] for axis in (0, 1))
    lines = []
    for y in range(min(rows), max(rows) + 1):
        cells = [at.get((x, y)) for x in range(min(columns), max(columns) + 1)]
        texts = [f"{cell}/{board.super_of[cell]}" if cell else "" for cell in cells]
        lines.append("".join(text.ljust(4) for text in texts).rstrip())
    return lines


def match_text() -> str:
    """A match on the small map: ``0>`` is told to seat 0, ``0<`` is its answer."""
    talk = Talk(fresh("golden", max_rounds=4))
    for replies in REPLIES:
        talk.reply(*replies)
    return "\n".join([*talk.log, ""])
