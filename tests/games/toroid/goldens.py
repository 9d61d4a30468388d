"""The texts of the golden files: boards as they are drawn, and a whole small match."""

from __future__ import annotations

from arena.core.replies import Reply
from arena.games.toroid import GAME, words
from arena.games.toroid.frames import opening_frame
from tests.games.toroid.helpers import FOLDER, LATE, Talk, fresh, ring

GOLDEN = FOLDER / "golden"

BOARDS = {f"board_{seats}.txt": seats for seats in (2, 3, 5, 8)}

REPLIES: list[str | Reply] = [
    # B5 .4 C5 A5; player1 (A) begins, player3 (C) follows
    "attack right 4", "attack up 1", "attack right 4", "attack left 1", "build",
    # B2 .4 C5 A1: player1 goes out
    "transfer right 1,", "build", "attack right 4", LATE,
    # B2 .4 C1 C4
    "build", "attack right 3", "attack left 1",
    # B1 .4 C2 C1
    "transfer right 1", "attack right 1", "build",
    # B2 .4 C1 C1: player2 takes country 3, and the next turn loses it again
    "build", "scout right", "attack left 1",
    "attack right 1", "transfer left 7", "No moves",
]  # fmt: skip


def texts() -> dict[str, str]:
    """All golden files by name."""
    boards = {name: board_text(seats) for name, seats in BOARDS.items()}
    return boards | {"match.txt": match_text()}


def board_text(seats: int) -> str:
    """What the last seat is told first, the ring in words, and its picture."""
    made = fresh("golden", seats)
    shown = opening_frame(made)
    lines = words.opening_lines(made, seats - 1)
    return "\n".join([*lines, "", ring(made), "", GAME.picture(shown["board"], shown), ""])


def match_text() -> str:
    """A match of three on four countries: ``0>`` is told to seat 0, ``0<`` is its answer."""
    small = {"countries_per_player": 1, "neutrals": 1, "start_units": 5}
    talk = Talk(fresh("2", 3, **small, normal_game_turn_per_player=2)).say(*REPLIES)
    assert talk.outcome is not None, "the answers end the match"
    return "\n".join([*talk.log, ""])
