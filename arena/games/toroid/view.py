"""What the replay page shows of a match: chart, marks, sentences, and what each seat sees.

A seat's view has what its lines tell of the ring as it is when the game turn ends. Seats play one
after the other, so a neighbour that changed hands after the turn of the seat is unseen until its
next one: by then it may have changed hands again, and no line ever names its owner of now.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

import msgspec

from arena.core import Ask, Event, Frame, GameView
from arena.games.kit import counted
from arena.games.toroid.frames import frame
from arena.games.toroid.picks import picks, signs
from arena.games.toroid.words import map_line
from arena.games.toroid.world import Act, Attacked, Built, Scouted, ToroidWorld


def standing(frame: Frame) -> Sequence[float]:
    """How many countries each seat has; 0 where it is not told."""
    return [count or 0 for count in frame["countries"]]


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
        yield Event("lead", f"{_name(now)} takes the lead with {most} countries", (now,))


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
    """What the seat is told of this moment; nothing when it is out."""
    return _with(world, seat, frame, _known(world, seat))


def asked(world: ToroidWorld, ask: Ask) -> Frame:
    """What the seat is told before its country acts, and what it has done in this game turn."""
    return _with(world, ask.seat, frame(world), _told(world, ask.seat))


def kept(before: Frame, frame: Frame) -> Frame:
    """What others touched is null in `seen`; a person goes on with what it was, unless the seat is
    out."""
    if all(owner is None for owner in frame["owner"]):
        return frame
    filled = {
        key: [old if new is None else new for old, new in zip(before[key], frame[key], strict=True)]
        for key in ("owner", "units", "countries")
    }
    return frame | filled


Known: TypeAlias = dict[int, tuple[int, int | None]]
"""Owner and units (None when only the owner is told) by country."""


def _with(world: ToroidWorld, seat: int, frame: Frame, known: Known) -> Frame:
    """The frame with these countries alone."""
    counts = frame["countries"] if len(known) == len(world.owner) else [None] * len(world.countries)
    return frame | {
        "owner": [known.get(country, (None, None))[0] for country in range(len(world.owner))],
        "units": [known.get(country, (None, None))[1] for country in range(len(world.owner))],
        "countries": [world.countries[s] if s == seat else n for s, n in enumerate(counts)],
        "moves": [msgspec.to_builtins(act) for act in world.acts if _is_told(world, seat, act)],
    }


def _is_told(world: ToroidWorld, seat: int, act: Act) -> bool:
    return act.seat == seat or any(act is contact for contact in world.news[seat])


def _known(world: ToroidWorld, seat: int) -> Known:
    """The countries that the seat knows at the end of a game turn."""
    if not world.countries[seat]:
        return {}
    unsure = _moved_later(world, seat) | _new_in_sight(world, seat)
    everything = _told(world, seat)
    return {
        country: value
        for country, value in everything.items()
        if value[0] == seat or (_has_heard(world, seat) and country not in unsure)
    }


def _told(world: ToroidWorld, seat: int) -> Known:
    """What `update_map` would say now."""
    _, *words = map_line(world, seat).split(" ")
    shown = zip(map(int, words[::3]), words[1::3], map(int, words[2::3]), strict=True)
    return {
        country: (world.owner[country], None if units < 0 else units) for country, _, units in shown
    }


def _has_heard(world: ToroidWorld, seat: int) -> bool:
    """Whether it has been told of this ring: at first only the seat that is to begin will be."""
    return world.round > 0 or world.turn_order[0] == seat


def _moved_later(world: ToroidWorld, seat: int) -> set[int]:
    """The countries that others touched after the turn of the seat, and it does not know it."""
    place = world.turn_order.index
    touched: set[int] = set()
    for act in world.acts:
        if place(act.seat) > place(seat):
            touched |= _touches(act)
        if isinstance(act, Attacked) and _is_told(world, seat, act):
            touched.discard(act.target)
    return touched


def _touches(act: Act) -> set[int]:
    if isinstance(act, Built):
        return {act.country}
    return set() if isinstance(act, Scouted) else {act.source, act.target}


def _new_in_sight(world: ToroidWorld, seat: int) -> set[int]:
    """The countries beside none but those that the seat has won in this game turn: it may not have
    been told of them since."""
    if world.settings.visibility != "neighbours":
        return set()
    size = len(world.owner)
    won = {act.target for act in world.acts if isinstance(act, Attacked) and act.seat == seat}
    old = {c for c, owner in enumerate(world.owner) if owner == seat and c not in won}
    near = {(country + step) % size for country in old for step in (-1, 1)}
    return set(range(size)) - old - near - won


VIEW = GameView(
    standing=standing,
    unit="countries",
    events=events,
    orders=orders,
    seen=seen,
    asked=asked,
    kept=kept,
    picks=picks,
    signs=signs,
)
