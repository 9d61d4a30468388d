"""What the tests of environments share."""

from typing import Any

import pytest

GAMES = ("toroid", "warlight", "tncc", "hextrategic", "codecharacter")
LIBRARY = ("openspiel:leduc_poker", "openspiel:connect_four", "openspiel:goofspiel")
"""Games without arrays of their own: hidden cards, a board, moves at the same time."""
ALL_GAMES = [*GAMES, *(pytest.param(name, marks=pytest.mark.dear) for name in LIBRARY)]
"""Parameters of tests: those of the library need an extra that only dear tests have."""
QUICK: dict[str, dict[str, Any]] = {
    "codecharacter": {"map_size": 10, "base_tiles": "1,1,8,8", "num_soldiers": 3}
}
"""Settings that make a board small, for the games whose steps take long."""
