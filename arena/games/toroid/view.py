"""What the replay page shows of a match: chart, marks, sentences, and what each seat sees.

A seat's view is the ring as the seat knows it when the game turn ends: as its last `update_map`
told it, with its own actions since. Seats play one after the other, so what others do after the
turn of the seat stands in its next view, as its next lines tell it. A match ends with lines to all:
the last view has what they tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from arena.core import Ask, Event, Frame, GameView
from arena.games.kit import counted
from arena.games.toroid import rules
from arena.games.toroid.frames import frame
from arena.games.toroid.picks import picks, signs
from arena.games.toroid.words import Known, map_line, read_map
from arena.games.toroid.world import Act, Attacked, Built, ToroidWorld, Transferred


def standing(frame: Frame) -> Sequence[float | None]:
    """How many countries each seat has."""
    return list(frame["countries"])


# -- events ----------------------------------------------------------------------------------


def events(board: Any, before: Frame | None, frame: Frame) -> Sequence[Event]:
    """The ends of players, who takes the lead, and the whole ring in one hand."""
    if before is None:
        return []
    return [*_lead(before, frame), *_ends(before, frame), *_occupation(frame)]


def _lead(before: Frame, frame: Frame) -> Iterator[Event]:
    """One seat has more countries than any other, and had not."""
    (was, _), (now, most) = _first(before), _first(frame)
    if now is not None and now != was:
        held = counted(most, "country", "countries")
        yield Event("lead", f"{_name(now)} takes the lead with {held}", (now,))


def _first(frame: Frame) -> tuple[int | None, int]:
    """The seat with the most countries (None when several have, or not all are known)."""
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
    """What the seat has been told by now, of the ring and of what was done in this game turn;
    nothing of the ring when it is out."""
    if not world.countries[seat]:
        return _with(frame, world, seat, {}, world.heard[seat])
    if world.round == world.rounds or rules.occupied(world):
        now = read_map(world, map_line(world, seat))
        return _with(frame, world, seat, now, world.heard[seat], world.news[seat])
    return _with(frame, world, seat, _known(world, seat), world.heard[seat])


def asked(world: ToroidWorld, ask: Ask) -> Frame:
    """What the seat is told before its country acts, and what it has done in this game turn."""
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
    """The frame with these countries alone, and with what was done: what was heard before the turn
    of the seat, its own acts, and what came after."""
    own = [act for act in world.acts if act.seat == seat]
    return frame | {
        "owner": [known.get(country, (None, None))[0] for country in range(len(world.owner))],
        "units": [known.get(country, (None, None))[1] for country in range(len(world.owner))],
        "countries": list(_counts(world, seat, known)),
        "moves": msgspec.to_builtins([*heard, *own, *later]),
    }


def _counts(world: ToroidWorld, seat: int, known: Known) -> Iterator[int | None]:
    """How many countries each seat has, where that is told; the settings tell it of the start."""
    owners = [owner for owner, _ in known.values()]
    for each, count in enumerate(world.countries):
        told = each == seat or len(known) == len(world.owner)
        yield count if world.round == 0 else owners.count(each) if told else None


def _known(world: ToroidWorld, seat: int) -> Known:
    """What the seat was told last, with what it has done since."""
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
    asked=asked,
    picks=picks,
    signs=signs,
)
