"""Data for the replay page: chart, marks, sentences, and the view of each seat.

A seat's view is the ring as the seat knows it at the end of the game turn: its last `update_map`,
updated with its own actions since. Seats play one after the other, so actions of others after the
seat's turn appear in its next view, as in its next lines. A match ends with lines to all seats: the
last view includes their contents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from arena.core import Ask, Event, Frame, GameView, Sign
from arena.games.kit import counted
from arena.games.toroid import rules
from arena.games.toroid.frames import frame
from arena.games.toroid.orders import SIDES
from arena.games.toroid.words import Known, map_line, read_map
from arena.games.toroid.world import Act, Attacked, Built, ToroidWorld, Transferred


def signs(world: ToroidWorld, ask: Ask, held: str) -> Iterator[Sign]:
    """Mark an order with an arrow to the neighbour, or a word at the acting country."""
    country, (verb, *rest) = int(ask.tail), held.split() or [""]
    if rest and rest[0] in SIDES:
        target = rules.neighbour(world, country, SIDES[rest[0]])
        yield Sign((str(country), str(target)), " ".join(rest[1:]) or verb)
    elif verb == "build":
        yield Sign((str(country),), "+1")


def standing(frame: Frame) -> Sequence[float | None]:
    """The number of countries of each seat."""
    return list(frame["countries"])


def forces(frame: Frame) -> Sequence[float | None]:
    """The units of each seat."""
    held = list(zip(frame["owner"], frame["units"], strict=True))
    seats = range(len(frame["countries"]))
    return [sum(units for owner, units in held if owner == seat) for seat in seats]


# -- events ----------------------------------------------------------------------------------


def events(board: Any, before: Frame | None, frame: Frame) -> Sequence[Event]:
    """Eliminations, changes of the lead, and the conquest of the whole ring."""
    if before is None:
        return []
    return [*_lead(before, frame), *_ends(before, frame), *_occupation(frame)]


def _lead(before: Frame, frame: Frame) -> Iterator[Event]:
    """The event that a seat newly has more countries than any other."""
    (was, _), (now, most) = _first(before), _first(frame)
    if now is not None and now != was:
        held = counted(most, "country", "countries")
        yield Event("lead", f"{_name(now)} takes the lead with {held}", (now,))


def _first(frame: Frame) -> tuple[int | None, int]:
    """The seat with the most countries and their number; None for a tie or unknown countries."""
    counts = frame["countries"]
    if None in counts:
        return None, 0
    most = max(counts)
    return (counts.index(most) if counts.count(most) == 1 else None), most


def _ends(before: Frame, frame: Frame) -> Iterator[Event]:
    counts = zip(before["countries"], frame["countries"], strict=True)
    for seat, (had, has) in enumerate(counts):
        if had and has == 0:
            yield Event("elimination", f"{_name(seat)} has no countries left", (seat,))


def _occupation(frame: Frame) -> Iterator[Event]:
    for seat, count in enumerate(frame["countries"]):
        if count == len(frame["owner"]):
            yield Event("capture", f"{_name(seat)} holds the whole ring", (seat,))


# -- orders ----------------------------------------------------------------------------------


def orders(frame: Frame) -> Sequence[str]:
    """Each move as a sentence."""
    return [_sentence(*move) for move in frame["moves"]]


def _sentence(kind: str, seat: int, *rest: Any) -> str:
    name = _name(seat)
    match kind, rest:
        case "attack", [source, target, units, result]:
            return f"{name} attacks {target} from {source} with {_units(units)}: {result}"
        case "transfer", [source, target, units]:
            return f"{name} moves {_units(units)} from {source} to {target}"
        case "scout", [source, target, units]:
            return f"{name} scouts {target} from {source}: {_units(units)}"
    return f"{name} builds a unit in {rest[0]}"


def _name(seat: int) -> str:
    return f"player{seat + 1}"


def _units(number: int) -> str:
    return counted(number, "unit")


# -- what a seat sees ------------------------------------------------------------------------


def seen(world: ToroidWorld, seat: int, frame: Frame) -> Frame:
    """The seat's knowledge of the ring and of the acts in this game turn; nothing of the ring if it
    is eliminated."""
    if not world.countries[seat]:
        return _with(frame, world, seat, {}, world.heard[seat])
    if world.round == world.rounds or rules.occupied(world):
        now = read_map(world, map_line(world, seat))
        return _with(frame, world, seat, now, world.heard[seat], world.news[seat])
    return _with(frame, world, seat, _known(world, seat), world.heard[seat])


def asked(world: ToroidWorld, ask: Ask) -> Frame:
    """The seat's knowledge before its country acts, with its own acts in this game turn."""
    now = read_map(world, map_line(world, ask.seat))
    return _with(frame(world), world, ask.seat, now, world.heard[ask.seat])


def _with(
    frame: Frame,
    world: ToroidWorld,
    seat: int,
    known: Known,
    heard: Sequence[Act],
    later: Sequence[Act] = (),
) -> Frame:
    """The frame with only these countries, and with the acts: those heard before the seat's turn,
    its own, and `later` ones."""
    own = [act for act in world.acts if act.seat == seat]
    return frame | {
        "owner": [known.get(country, (None, None))[0] for country in range(len(world.owner))],
        "units": [known.get(country, (None, None))[1] for country in range(len(world.owner))],
        "countries": list(_counts(world, seat, known)),
        "moves": msgspec.to_builtins([*heard, *own, *later]),
    }


def _counts(world: ToroidWorld, seat: int, known: Known) -> Iterator[int | None]:
    """The number of countries of each seat, if known; at the start, from the settings."""
    owners = [owner for owner, _ in known.values()]
    for each, count in enumerate(world.countries):
        told = each == seat or len(known) == len(world.owner)
        yield count if world.round == 0 else owners.count(each) if told else None


def _known(world: ToroidWorld, seat: int) -> Known:
    """The seat's last `update_map`, updated with its own acts since."""
    line, acts = world.maps[seat]
    known = read_map(world, line)
    for act in world.acts[acts:]:
        if act.seat == seat:
            _carry_out(known, act)
    return known


def _carry_out(known: Known, act: Act) -> None:
    match act:
        case Built(country=country):
            _add(known, country, 1)
        case Transferred(source=source, target=target, units=units):
            _add(known, source, -units)
            _add(known, target, units)
        case Attacked(target=target, units=units, result="victory"):
            _add(known, target, -units)
        case Attacked(source=source, target=target, units=units, result=result):
            _add(known, source, -units)
            if result == "conquer":
                known[target] = (act.seat, units)


def _add(known: Known, country: int, units: int) -> None:
    owner, now = known[country]
    known[country] = owner, None if now is None else now + units


VIEW = GameView(
    standing=standing,
    unit="country",
    units="countries",
    events=events,
    orders=orders,
    seen=seen,
    forces=forces,
    asked=asked,
    signs=signs,
)
