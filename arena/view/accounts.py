"""What is said of a round besides its frame: to spectators, and as far as a seat knows of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from msgspec import Struct

from arena.core.steps import Frame
from arena.core.view import Event, GameView
from arena.view.patch import Patch, patch_between

Index: TypeAlias = int
"""Of the same in the account for spectators, from 0."""


class Account(Struct, frozen=True):
    """What spectators are told of a round."""

    orders: list[str]
    events: list[Event]
    standing: list[float | None]


class SeatAccount(Struct, frozen=True, array_like=True):
    """The same as a seat knows it, by what it has in common with that for spectators."""

    orders: list[str | Index]
    events: list[Event | Index]
    standing: Patch


def account(view: GameView[Any], first: Frame, before: Frame | None, frame: Frame) -> Account:
    """What the game says of a frame, given the first one and the one before, be it as spectators
    see them or as a seat does."""
    return Account(
        list(view.orders(frame)),
        list(view.events(first.get("board"), before, frame)),
        list(view.standing(frame)),
    )


def in_common(public: Account, known: Account) -> SeatAccount:
    """What a seat knows, where spectators are told the public account."""
    orders = {text: number for number, text in enumerate(public.orders)}
    events = {event: number for number, event in enumerate(public.events)}
    return SeatAccount(
        [orders.get(text, text) for text in known.orders],
        [events.get(event, event) for event in known.events],
        patch_between(public.standing, known.standing),
    )


class Accounts:
    """The accounts of a match, frame by frame."""

    def __init__(self, view: GameView[Any]) -> None:
        self._view = view
        self._first: Sequence[Frame] = ()
        self._before: Sequence[Frame | None] = ()

    def add(self, frames: Sequence[Frame]) -> list[Account]:
        """Of one moment as several see it, always in the same order."""
        self._first = self._first or frames
        self._before = self._before or [None] * len(frames)
        trios = zip(self._first, self._before, frames, strict=True)
        self._before = frames
        return [account(self._view, *trio) for trio in trios]
