"""The orders of players, and the answers and plans that hold them."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec import Struct

from arena.games.kit import Refusal


class Move(Struct, frozen=True, gc=False):
    """Walk to a position, in thousandths. In all orders `number` is the order's number in the line,
    from 1, and `text` is what the bot wrote."""

    number: int
    text: str
    soldier: int
    x: int
    y: int


class Attack(Struct, frozen=True, gc=False):
    """Pursue a soldier or a tower, and hit it."""

    number: int
    text: str
    soldier: int
    target: int


class Build(Struct, frozen=True, gc=False):
    """Put a tower on a tile."""

    number: int
    text: str
    tile: tuple[int, int]


class Upgrade(Struct, frozen=True, gc=False):
    """Raise a tower by a level."""

    number: int
    text: str
    tower: int


class Suicide(Struct, frozen=True, gc=False):
    """Give up a tower for a part of its price."""

    number: int
    text: str
    tower: int


class Void(Struct, frozen=True, gc=False):
    """A void order, and the reason."""

    number: int
    text: str
    refusal: Refusal


@dataclass(slots=True)
class Orders:
    """One answer, sorted by kind; each kind in the order of the line."""

    towers: list[Upgrade | Suicide] = field(default_factory=list)
    soldiers: list[Move | Attack] = field(default_factory=list)
    builds: list[Build] = field(default_factory=list)
    void: list[Void] = field(default_factory=list)
    """Orders that could not be read."""


@dataclass(slots=True)
class Plan:
    """The valid orders of one seat."""

    seat: int
    money: int
    """The money left after all accepted orders."""
    upgrades: list[int] = field(default_factory=list)
    suicides: list[int] = field(default_factory=list)
    soldiers: list[Move | Attack] = field(default_factory=list)
    builds: list[tuple[int, int]] = field(default_factory=list)
    void: list[Void] = field(default_factory=list)
    """All void orders, in the order of the line."""
