"""What a game says of its frames to people who watch: in `view.py` beside its script, as `VIEW`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from msgspec import Struct

from arena.core.picks import Offer, Picks, Sign
from arena.core.steps import Ask, Frame

W = TypeVar("W")


class Event(Struct, frozen=True):
    """Something of a round that is worth a mark on the time line."""

    kind: str
    """One word: ``battle``, ``capture``, ``elimination``, ``trade``, ``war``, ``tower``."""
    text: str
    """The same as a sentence for people."""
    seats: tuple[int, ...] = ()
    """The seats that it concerns."""


@dataclass(frozen=True, slots=True)
class GameView(Generic[W]):
    """What pages show of a game besides its frames. All functions are pure."""

    standing: Callable[[Frame], Sequence[float | None]]
    """One number for each seat: how it stands, for the chart; None where that is not seen."""
    unit: str
    """What `standing` counts, one of it: ``region``."""
    units: str
    """The same in the plural: ``regions``."""
    events: Callable[[Any, Frame | None, Frame], Sequence[Event]]
    """What is worth a mark in a frame, given the `board` of the first frame (None if it has none)
    and the frame before (None for the first)."""
    orders: Callable[[Frame], Sequence[str]]
    """What was carried out in the round of a frame, a sentence for each step that the board
    animates, in that order."""
    seen: Callable[[W, int, Frame], Frame] | None = None
    """The frame as a seat sees it: of the same shape, null where the seat does not see, and with
    the moves alone that the seat is told of. Seats that are told the same lines must see the same:
    what has changed since without their being told is as it was. It is called with the world at the
    very moment of the `Show`, and must not change it. None: the game hides nothing."""
    names: tuple[str, ...] = ()
    """What the game calls its players (``red``), by seat; empty: ``player1``, ``player2``, …"""
    colours: tuple[str, ...] = ()
    """The colour of each seat as ``#rrggbb``; empty: the colours of pages, in their order."""
    asked: Callable[[W, Ask], Frame | None] | None = None
    """The frame for a person at the seat that is asked, of the same shape as `seen` gives it, with
    no more than the lines up to the request tell. None: it is what the seat saw last."""
    picks: Callable[[W, Ask, str, Picks], Offer] | None = None
    """What a person at the seat that is asked can pick next, given the orders that are held (an
    answer so far), and the picks since. It is given those picks alone that it has offered."""
    signs: Callable[[W, Ask, str], Iterable[Sign]] | None = None
    """How the orders of an answer, be they right or wrong, are drawn on the board before they are
    given."""
    patterns: bool = False
    """Whether seats have patterns, too, with any number of players; else from five on."""
