"""What one seat was told, as numbers in a fixed shape: `ARRAYS`, in `arrays.py` beside a script.

An encoder hears the lines to its seat, as a bot does, and nothing else. So whatever it makes of
them cannot show what is hidden. Numbers are as the lines give them: to scale them is the learner's
work.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from msgspec import Struct

from arena.core.game import Setup
from arena.core.settings import Settings

if TYPE_CHECKING:
    Cells: TypeAlias = array[Any]
else:
    Cells = array  # takes no parameters before Python 3.12, and API pages evaluate annotations


class ArrayLayout(Struct, frozen=True):
    """The shape of observations and actions. It depends on settings, seats and a map file, but not
    on the seed: what a seed may leave out stays zero."""

    places: tuple[str, ...]
    """One row each, named as offers name them."""
    columns: tuple[str, ...]
    """The meanings of the numbers of a row."""
    scalars: tuple[str, ...]
    """The meanings of the numbers that belong to no row."""
    words: tuple[str, ...] = ()
    """Picks of offers that have an action of their own, besides the places."""
    others: int = 0
    """Actions for picks that are neither places nor `words`, by their order in the offer."""
    rows: int = 0
    """The number of rows, if they are no places."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows or len(self.places), len(self.columns)


class ArrayEncoder(Protocol):
    """Follows one seat of one match."""

    def hear(self, line: str) -> None:
        """Take one line to the seat; the last one before an observation is its request."""

    def cells(self) -> Cells:
        """The numbers of all rows, one row after the other, in an array of numbers of any type. The
        next call may change that array: whoever keeps the numbers copies them."""

    def scalars(self) -> Sequence[float]:
        """The numbers that belong to no row."""


def zeros(count: int) -> Cells:
    """An array of 32-bit floats that are 0."""
    return array("f", bytes(4 * count))


class GameArrays(Struct, frozen=True):
    """How a game becomes arrays."""

    layout: Callable[[Setup[Any]], ArrayLayout]
    encoder: Callable[[Setup[Any], int], ArrayEncoder]
    """Makes the encoder of a seat."""


# Games without `arrays.py`: the text itself.

TEXT_ROWS = 1024
"""Characters of an observation."""
UNNAMED_PICKS = 512
"""Actions of a game without names for them."""


def _text_layout(setup: Setup[Settings]) -> ArrayLayout:
    return ArrayLayout((), ("code",), ("length",), others=UNNAMED_PICKS, rows=TEXT_ROWS)


class _TextEncoder:
    """The codes of the last characters that the seat was told, the request last."""

    def __init__(self, setup: Setup[Settings], seat: int) -> None:
        self._text = ""

    def hear(self, line: str) -> None:
        """Keep the end of all lines."""
        self._text = f"{self._text}{line}\n"[-TEXT_ROWS:]

    def cells(self) -> array[int]:
        """One code in each row."""
        return array("B", self._text.encode("ascii", "replace").ljust(TEXT_ROWS, b"\0"))

    def scalars(self) -> Sequence[float]:
        """The number of characters."""
        return [float(len(self._text))]


TEXT_ARRAYS = GameArrays(_text_layout, _TextEncoder)
