"""Golden playthroughs of some games of OpenSpiel: short matches of random players as text.

They are those of one version of the library; the rules version has it, and another one may play
otherwise. After a change that is meant::

    python -m tests.games.regenerate openspiel
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from arena.testing import at_random, play
from tests.games.openspiel.tables import table_of

GOLDEN = Path(__file__).parent / "golden"
WRITTEN_WITH = "2.0.2"
"""The version of the library."""
SHOWN: dict[str, dict[str, Any]] = {
    "backgammon": {"max_moves": 20},
    "chess": {"max_moves": 20},
    "connect_four": {},
    "go": {"board_size": 5, "max_moves": 30},
    "goofspiel": {"seats": 3, "num_cards": 5},
    "leduc_poker": {"seats": 3},
    "python_team_dominoes": {"seats": 4},
}
"""The games, each with settings that keep its text short."""


def texts() -> dict[str, str]:
    """The playthroughs, by the names of their files."""
    return {
        f"{name}.txt": "\n".join([*play(table_of(name, **changes), at_random("golden"), 500), ""])
        for name, changes in SHOWN.items()
    }
