"""Words of headlines, pictures and outcomes."""

from __future__ import annotations


def letter(owner: int) -> str:
    """An owner in a picture: A for player1, B for player2, …, a dot for none (below 0)."""
    return chr(ord("A") + owner) if owner >= 0 else "."
