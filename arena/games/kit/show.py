"""Words of headlines, pictures and outcomes."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: ``1 cell``, ``3 cells``; `many` where it does not end in s."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def letter(owner: int) -> str:
    """An owner in a picture: A for player1, B for player2, …, a dot for none (below 0)."""
    return chr(ord("A") + owner) if owner >= 0 else "."
