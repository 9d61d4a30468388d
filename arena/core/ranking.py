"""Ranks of the seats of a match, and what they are worth whatever the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def ranks(standings: Sequence[Any]) -> tuple[int, ...]:
    """Ranks for comparable standings, the highest first; ties share the better one: 1 1 3."""
    return tuple(1 + sum(other > mine for other in standings) for mine in standings)


def shares(ranks: Sequence[int]) -> tuple[float, ...]:
    """The share of its opponents that each seat has beaten, ties half."""
    others = len(ranks) - 1
    return tuple(
        (sum((rank > own) + (rank == own) / 2 for rank in ranks) - 0.5) / others for own in ranks
    )
