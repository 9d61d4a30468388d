"""The text of the golden file: a whole small match with every line."""

from __future__ import annotations

from arena.core.replies import Silence
from tests.games.tncc.helpers import ABSENT, DEAD, FOLDER, LATE, Talk, fresh

GOLDEN = FOLDER / "golden"

VALUES = {
    "start": "600 200 100 60 12",
    "gold_for_war": "150.5",
    "wave1_advantage": "1.5",
    "steal": "0.5 1 2 0 0.025",
    "hunger_death": 40,
    "max_cycles": 5,
}

REPLIES: list[str | Silence] = [
    # cycle 1: a trade comes off by a bad answer
    "recruit 20",
    "trade player1 gold 50 land 2",
    "no",
    "trade player4 gold 100 food 60",
    "NO",
    "war player3 9 9 9, wait",
    # cycle 2: player4 is killed
    "war player4 30 20 29",
    "10 10 10",
    LATE,
    "recruit -60",
    # cycle 3: player2 is robbed of its food, for no player is there to say no
    "trade player2 gold 0 food 160",
    ABSENT,
    "war player3 70 0 0",
    "recruit 3",
    # cycle 4: player3 dies of its own war, and player2 starves
    "recruit 60",
    DEAD,
    "war player1 1 1 1",
    "30 30 30",
]
"""Deaths of each kind, and every kind of answer."""


def texts() -> dict[str, str]:
    """All golden files by name."""
    return {"match.txt": match_text()}


def match_text() -> str:
    """A match of four: ``0>`` is told to seat 0, ``0<`` is its answer."""
    talk = Talk(fresh(4, **VALUES)).say(*REPLIES)
    return "\n".join([*talk.log, ""])
