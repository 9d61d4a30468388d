"""The texts of the golden files: what both are told first, and a whole small match."""

from __future__ import annotations

from arena.core.replies import Reply
from tests.games.codecharacter.helpers import ABSENT, FOLDER, LATE, Talk, fresh, small

GOLDEN = FOLDER / "golden"

REPLIES: list[tuple[str | Reply, str | Reply]] = [
    ("move 0 100 75.5, build 3 3, attack 1 5,, tea", "attack 2 0, upgrade 5, build 3 3"),
    ("", "attack 3 0"),
    ("attack 0 2, attack 1 2", "no moves"),
    ("upgrade 6, suicide 6, build 4 4, move 7 0 0", "attack 3 6, move 2 0 0"),
    ("move 0 0 600, build 3 2, build 3 2", LATE),
    ("attack 0 3, attack 1 3", "attack 3 1, move 2 300 300"),
    ("attack 0 6", "attack 2 1, attack 3 7"),
    ("suicide 8, attack 1 8, attack 0 2", "attack 2 8, attack 3 99, build 0 12"),
    (ABSENT, "attack 2 0"),
]
"""The bases are nearly in range of each other: builds, an upgrade, kills, a return to life with
immunity, a razed tower, one given up, faults of many kinds, a late answer, one that never came."""


def texts() -> dict[str, str]:
    """All golden files by name."""
    return {"start.txt": start_text(), "match.txt": match_text()}


def start_text() -> str:
    """Everything that both are told before their first answers, with the default settings."""
    return "\n".join([*Talk(fresh()).log, ""])


def match_text() -> str:
    """A small match: ``0>`` is told to seat 0, ``0<`` is its answer."""
    given = small(
        attack_range=600, respawn_turns=2, immune_turns=1, money_start=2800, tower_hp="60 90 120"
    )
    talk = Talk(fresh(given))
    for replies in REPLIES:
        talk.reply(*replies)
    return "\n".join([*talk.log, ""])
