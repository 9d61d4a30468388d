"""How a game presents its frames and orders to people: `VIEW`, in `view.py` beside its script."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct

from arena.core.game import AnyGame
from arena.core.steps import Ask, Frame


class Sign(NamedTuple):
    """A held order, drawn on the board."""

    places: tuple[str, ...]
    """Two places: an arrow. One place: the text there, or a ring if there is no text."""
    text: str


W = TypeVar("W")


class Event(Struct, frozen=True):
    """Something in a round that deserves a mark on the time line."""

    kind: str
    """One word: ``battle``, ``capture``, ``elimination``, ``trade``, ``war``, ``tower``."""
    text: str
    """The same as a sentence for people."""
    seats: tuple[int, ...] = ()
    """The seats that the event concerns."""


@dataclass(frozen=True, slots=True)
class GameView(Generic[W]):
    """What pages show of a game in addition to its frames. All functions are pure."""

    standing: Callable[[Frame], Sequence[float | None]]
    """One number per seat for the chart: its standing; None where hidden."""
    unit: str
    """The unit of `standing`, in the singular: ``region``."""
    units: str
    """The unit in the plural: ``regions``."""
    events: Callable[[Any, Frame | None, Frame], Sequence[Event]]
    """The events of a frame, given the `board` of the first frame (None if it has none) and the
    previous frame (None for the first)."""
    orders: Callable[[Frame], Sequence[str]]
    """The orders carried out in the round of a frame: one sentence for each step that the board
    animates, in that order."""
    seen: Callable[[W, int, Frame], Frame] | None = None
    """The frame as a seat sees it: the same shape, null where the seat cannot see, and only the
    moves that the seat is told of. Seats that are told the same lines must see the same: changes
    that they were not told of do not show. Called with the world at the very moment of the `Show`,
    which it must not change. None if the game hides nothing."""
    names: tuple[str, ...] = ()
    """The game's names for its players (``red``), by seat; empty: ``player1``, ``player2``, …"""
    colours: tuple[str, ...] = ()
    """The colour of each seat as ``#rrggbb``; empty: the colours of pages, in their order."""
    asked: Callable[[W, Ask], Frame | None] | None = None
    """The frame for a person at the asked seat, in the same shape as from `seen`, with no more than
    the lines up to the request tell. None if it is what the seat saw last."""
    signs: Callable[[W, Ask, str], Iterable[Sign]] | None = None
    """How the orders of an answer, valid or not, are drawn on the board before the answer is given.
    """
    forces: Callable[[Frame], Sequence[float | None]] | None = None
    """One number per seat: what it can act with, as armies, for the chances of winning. What a bad
    answer throws away may show here long before it shows in `standing`."""
    patterns: bool = False
    """Whether seats have patterns with any number of players; otherwise only from five on."""


def find_view(game: AnyGame) -> GameView[Any] | None:
    """The `GameView` of a game; None when it has no `view.py`."""
    view: GameView[Any] | None = getattr(game.own_module("view"), "VIEW", None)
    return view
