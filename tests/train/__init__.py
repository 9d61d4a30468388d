"""What the tests of environments share."""

from typing import Any

GAMES = ("toroid", "warlight", "tncc", "hextrategic", "codecharacter")
LIBRARY = ("openspiel:leduc_poker", "openspiel:connect_four", "openspiel:goofspiel")
"""Games without arrays of their own: hidden cards, a board, moves at the same time."""
QUICK: dict[str, dict[str, Any]] = {
    "codecharacter": {"map_size": 10, "base_tiles": "1,1,8,8", "num_soldiers": 3}
}
"""Settings that make a board small, for the games whose steps take long."""
