"""Data for the replay page: chart, marks, sentences, and the view of each seat.

Everything is public except the flanks of a war: each seat knows its own three, and only the sum of
the others'. A dead seat receives nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from arena.core import Ask, Event, Frame, GameView, Sign
from arena.games.kit import counted
from arena.games.tncc.frames import frame
from arena.games.tncc.world import RESOURCES, Act, TnccWorld, Trade, War


def signs(world: TnccWorld, ask: Ask, held: str) -> Iterator[Sign]:
    """A trade or a war, where its partner is."""
    match held.split():
        case [("trade" | "war") as verb, name, *_]:
            yield Sign((name,), verb)


def standing(frame: Frame) -> Sequence[float | None]:
    """The people of each seat, citizens and soldiers; 0 when it is dead."""
    people = zip(frame["population"], frame["military"], frame["alive"], strict=True)
    return [
        citizens + soldiers if alive else None if alive is None else 0
        for citizens, soldiers, alive in people
    ]


def forces(frame: Frame) -> Sequence[float | None]:
    """The soldiers of each seat; 0 when it is dead."""
    held = zip(frame["military"], frame["alive"], strict=True)
    return [soldiers if alive else 0 for soldiers, alive in held]


# -- events ----------------------------------------------------------------------------------


def events(board: Any, before: Frame | None, frame: Frame) -> Sequence[Event]:
    """Wars and deaths."""
    return [] if before is None else [*_wars(frame), *_ends(before, frame)]


def _wars(frame: Frame) -> Iterator[Event]:
    for move in frame["moves"]:
        if move[0] == "war":
            yield Event("war", _sentence(*move), (move[1], move[2]))


def _ends(before: Frame, frame: Frame) -> Iterator[Event]:
    for seat, (lived, lives) in enumerate(zip(before["alive"], frame["alive"], strict=True)):
        if lived and lives is False:
            yield Event("elimination", f"{_name(seat)} dies", (seat,))


# -- orders ----------------------------------------------------------------------------------


def orders(frame: Frame) -> Sequence[str]:
    """Each action as a sentence."""
    return [_sentence(*move) for move in frame["moves"]]


def _sentence(kind: str, seat: int, *rest: Any) -> str:
    name = _name(seat)
    match kind, rest:
        case "recruit", [people] if people < 0:
            return f"{name} sends {counted(-people, 'soldier')} home"
        case "recruit", [people]:
            return f"{name} recruits {counted(people, 'soldier')}"
        case "trade", [partner, give, amount, take, price, agreed]:
            said = "agrees" if agreed else "refuses"
            offer = f"{amount} {give} for {price} {take}"
            return f"{name} offers {_name(partner)} {offer}: {_name(partner)} {said}"
        case "war", [target, attack, defence, victor, survivors]:
            armies = f"{_flanks(attack)} against {_flanks(defence)}"
            return f"{name} attacks {_name(target)}, {armies}: {_ending(victor, survivors)}"
    return f"{name} waits"


def _flanks(flanks: Sequence[int | None]) -> str:
    return "·".join(["?" if soldiers is None else str(soldiers) for soldiers in flanks])


def _ending(victor: str, survivors: int) -> str:
    if victor == "tie":
        return "no one is left"
    return f"the {victor} wins, {survivors} {'comes' if survivors == 1 else 'come'} home"


def _name(seat: int) -> str:
    return f"player{seat + 1}"


# -- what a seat sees ------------------------------------------------------------------------


def seen(world: TnccWorld, seat: int, frame: Frame) -> Frame:
    """Everything except the flanks of others; for a dead seat, its own resources and its end."""
    told = frame | {"moves": [_as_told(act, seat) for act in _heard(world, seat)]}
    if world.alive[seat]:
        return told
    own = {name: _only(frame[name], seat) for name in (*RESOURCES, "alive")}
    return told | own


def asked(world: TnccWorld, ask: Ask) -> Frame:
    """The seat's view with all acts of others so far, which precede each request."""
    return seen(world, ask.seat, frame(world))


def _heard(world: TnccWorld, seat: int) -> Sequence[Act]:
    """The acts known to the seat: if it is dead, those up to the last that involved it."""
    if world.alive[seat]:
        return world.acts
    last = [place for place, act in enumerate(world.acts, start=1) if seat in _parties(act)]
    return world.acts[: max(last, default=0)]


def _parties(act: Act) -> set[int]:
    match act:
        case War():
            return {act.seat, act.target}
        case Trade():
            return {act.seat, act.partner}
    return {act.seat}


def _as_told(act: Act, seat: int) -> list[Any]:
    move: list[Any] = msgspec.to_builtins(act)
    if isinstance(act, War):
        move[3] = list(act.flanks) if seat == act.seat else [None] * 3
        move[4] = list(act.defence) if seat == act.target else [None] * 3
    return move


def _only(values: Sequence[Any], seat: int) -> list[Any]:
    return [value if place == seat else None for place, value in enumerate(values)]


VIEW = GameView(
    standing=standing,
    unit="person",
    units="people",
    events=events,
    orders=orders,
    seen=seen,
    forces=forces,
    asked=asked,
    signs=signs,
)
