"""What encoders of observations share (`arena.core.GameArrays`)."""

from __future__ import annotations

from collections.abc import Iterable

from arena.core.arrays import zeros


def owner_columns(seats: int) -> tuple[str, ...]:
    """The columns that say to whom a place belongs: to the seat itself, to the seats after it in
    their order, to nobody."""
    return ("own", *(f"rival {i}" for i in range(1, seats)), "neutral")


class OwnedRows:
    """Rows of places that begin with `owner_columns` and a count, as one seat sees them. They are
    written in place: only what has changed since the last time."""

    def __init__(self, places: Iterable[str], width: int, seat: int, seats: int) -> None:
        """A row for each place by its name in lines, of `width` columns, in `cells`."""
        self._rows = {place: row * width for row, place in enumerate(places)}
        self.cells = zeros(len(self._rows) * width)
        """The rows, one after the other. Further columns are the caller's."""
        self._written = set[tuple[str, str, str]]()
        self._unseen = zeros(seats + 2)
        self._columns = {f"player{other + 1}": (other - seat) % seats for other in range(seats)}
        self._seats = seats

    def write(self, words: str) -> None:
        """Write owners and counts: the words of an ``update_map`` line have place, owner and count
        of each place that is seen. Those of other places are 0, and so are negative counts, which
        mean that the count is not known."""
        cells, rows, parts, seats = self.cells, self._rows, words.split(), self._seats
        seen = set(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
        for place, _, _ in self._written - seen:
            cells[rows[place] : rows[place] + seats + 2] = self._unseen
        for place, owner, number in seen - self._written:
            row = rows[place]
            cells[row + self._columns.get(owner, seats)] = 1
            cells[row + seats + 1] = max(0, int(number))
        self._written = seen
