"""What encoders of observations share (`arena.core.GameArrays`)."""

from __future__ import annotations

from collections.abc import Iterator


def owner_columns(seats: int) -> tuple[str, ...]:
    """The columns that say to whom a place belongs: to the seat itself, to the seats after it in
    their order, to nobody."""
    return ("own", *(f"rival {i}" for i in range(1, seats)), "neutral")


class OwnerColumns(dict[str, int]):
    """Which of them is that of an owner, by its name in lines: ``player2``, ``neutral``."""

    def __init__(self, seat: int, seats: int) -> None:
        """As this seat sees them."""
        super().__init__({f"player{other + 1}": (other - seat) % seats for other in range(seats)})
        self._nobody = seats

    def __missing__(self, name: str) -> int:
        self[name] = self._nobody
        return self._nobody


def owned(words: str) -> Iterator[tuple[int, str, int]]:
    """Place, owner and count of each place in the words of an ``update_map`` line."""
    parts = words.split()
    return zip(map(int, parts[::3]), parts[1::3], map(int, parts[2::3]), strict=True)
