"""Frames and pictures for spectators.

A frame::

    round, rounds   the cycle, 0 is the set-up; the maximum
    gold, food, population, military, land
                    the resources of each seat
    alive           whether each seat lives
    moves           the actions carried out in this cycle, in order, each a list:
                    ["wait", seat]
                    ["recruit", seat, people]
                    ["trade", seat, partner, give, amount, take, price, agreed]
                    ["war", seat, target, [attackers in three flanks], [defenders], "attacker",
                     "defender" or "tie", survivors]

and in the first frame also `board`::

    players         the names of the seats
"""

from __future__ import annotations

from typing import Any

from msgspec import json

from arena.core import Ask, Frame
from arena.games.kit import letter, player_names
from arena.games.tncc.world import RESOURCES, TnccWorld

WIDTH = 100
"""Maximum columns of a picture."""
_HEADS = ("gold", "food", "citizens", "soldiers", "land")


def frame(world: TnccWorld) -> Frame:
    """The world at the end of a cycle."""
    return {
        "round": world.round,
        "rounds": world.settings.max_cycles,
        **{name: [country[name] for country in world.countries] for name in RESOURCES},
        "alive": world.alive[:],
        "moves": json.decode(json.encode(world.acts)),
    }


def opening_frame(world: TnccWorld) -> Frame:
    """The world at the start, with its constants."""
    return frame(world) | {"board": {"players": list(world.names)}}


def headline(frame: Frame) -> str:
    """``people: player1 1480 · player2 dead``, citizens and soldiers together."""
    people = zip(frame["population"], frame["military"], frame["alive"], strict=True)
    texts = [str(citizens + soldiers) if alive else "dead" for citizens, soldiers, alive in people]
    named = [f"{name} {text}" for name, text in zip(player_names(len(texts)), texts, strict=True)]
    return f"people: {' · '.join(named)}"


def picture(board: Any, frame: Frame) -> str:
    """A row for each country: its resources, and its actions in this cycle."""
    heads = "".join([f"{head:>9}" for head in _HEADS])
    rows = [f"{'':9}{heads}", *[_row(name, frame, i) for i, name in enumerate(board["players"])]]
    return "\n".join([row[:WIDTH].rstrip() for row in rows])


def _row(name: str, frame: Frame, seat: int) -> str:
    numbers = "".join([f"{frame[resource][seat]:>9}" for resource in RESOURCES])
    dead = "" if frame["alive"][seat] else "dead  "
    deeds = "".join([_deed(*move) for move in frame["moves"] if move[1] == seat])
    return f"{letter(seat)} {name}{numbers}  {dead}{deeds}"


def _deed(kind: str, seat: int, *rest: Any) -> str:
    match kind, rest:
        case "recruit", [people]:
            return f"recruits {people}"
        case "trade", [partner, give, amount, take, price, agreed]:
            said = "yes" if agreed else "no"
            return f"{amount} {give} to {letter(partner)} for {price} {take}: {said}"
        case "war", [target, attack, defence, victor, survivors]:
            ending = {"attacker": f"won, {survivors}", "defender": f"lost, {survivors}"}
            armies = f"{' '.join(map(str, attack))} v {' '.join(map(str, defence))}"
            return f"war {letter(target)} {armies}: {ending.get(victor, victor)}"
    return "waits"


# The board for a human player: everything that it shows is public.


def seat_picture(world: TnccWorld, ask: Ask) -> str:
    """The resources of every country; the seat's own is marked."""
    heads = "".join([f"{name:>11}" for name in RESOURCES])
    rows = [_seat_row(world, other, own=other == ask.seat) for other in range(len(world.names))]
    return "\n".join([f"{'':12}{heads}", *rows])


def _seat_row(world: TnccWorld, seat: int, *, own: bool) -> str:
    country = world.countries[seat]
    numbers = "".join([f"{country[name]:>11}" for name in RESOURCES])
    mark = "*" if own else " "
    dead = "" if world.alive[seat] else "  dead"
    return f"{mark}{letter(seat)} {world.names[seat]:9}{numbers}{dead}"
