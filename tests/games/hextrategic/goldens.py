"""The texts of the golden files: a board for each number of players, and a whole small match with
every line."""

from __future__ import annotations

from arena.core.replies import Silence
from arena.games.hextrategic import words
from arena.games.hextrategic.frames import frame, opening_frame, picture
from tests.games.hextrategic.helpers import FOLDER, LATE, Talk, fresh

GOLDEN = FOLDER / "golden"
SEATS = (2, 3, 4, 6)

REPLIES: list[tuple[str | Silence, ...]] = [
    ("move 11 10 4, auto 11 15", "move 16 12 8,move 16 17 3, tea", "move 0 4 9, auto 0 1,"),
    ("move 15 14 3,stop 11, move 11 6 0", "move 12 13 1, move 7 8 1", "auto 0 1, move 1 5 2"),
    ("No moves", LATE, "surrender, move 0 1 1"),
    ("", LATE),
    ("move 15 14 1, move 10 9 1", LATE),
]
"""Orders good and bad, a surrender, three missed rounds: the first player is left."""


def texts() -> dict[str, str]:
    """All golden files by name."""
    boards = {f"board_{seats}.txt": board_text(seats) for seats in SEATS}
    return boards | {"match.txt": match_text()}


def board_text(seats: int) -> str:
    """A drawn board as its bots are told, with its picture."""
    made = fresh(seats, "golden")
    lines = [*words.opening_lines(made, 0), words.News(made).update]
    return "\n".join([*lines, "", picture(opening_frame(made)["board"], frame(made)), ""])


def match_text() -> str:
    """A match of three on a small board: ``0>`` is told to seat 0, ``0<`` is its answer."""
    talk = Talk(fresh(3, "golden", radius=2))
    for replies in REPLIES:
        talk.reply(*replies)
    return "\n".join([*talk.log, ""])
