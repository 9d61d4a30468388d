"""Data for the replay page: chart, marks, sentences, and the view of each seat.

A seat's view holds the contents of `update_map` and `opponent_moves` at the start of the next
round, and the seat's own moves. No line reveals the losses of a battle, nor how far an attack on
the source reduced the seat's own order: these are null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from arena.core import Ask, Event, Frame, GameView, Sign
from arena.games.kit import counted
from arena.games.warlight.frames import frame, known_armies, opening_frame
from arena.games.warlight.words import ATTACK, PICK
from arena.games.warlight.world import NAMES, Act, Attacked, Placed, Transferred, WarlightWorld


def signs(world: WarlightWorld, ask: Ask, held: str) -> Iterator[Sign]:
    """Mark placed armies with a number, moves with an arrow."""
    for order in held.split(","):
        match order.split():
            case [region] if ask.head == PICK:
                yield Sign((region,), "start")
            case [_, "place_armies", region, armies]:
                yield Sign((region,), f"+{armies}")
            case [_, "attack/transfer", source, target, armies]:
                yield Sign((source, target), armies)


BIG_BATTLE = 15
"""Minimum losses of a battle that gets a mark."""


def standing(frame: Frame) -> Sequence[float | None]:
    """The number of regions of each seat; in a seat's view, of those that it sees."""
    return [frame["owner"].count(seat) for seat in (0, 1)]


def forces(frame: Frame) -> Sequence[float | None]:
    """The armies of each seat."""
    held = list(zip(frame["owner"], frame["armies"], strict=True))
    return [sum(armies for owner, armies in held if owner == seat) for seat in (0, 1)]


# -- events ----------------------------------------------------------------------------------


def events(board: Any, before: Frame | None, frame: Frame) -> Sequence[Event]:
    """Super regions won and lost, costly battles, the first battle, eliminations."""
    if before is None:
        return []
    return [*_captures(board, before, frame), *_battles(frame), *_ends(before, frame)]


def _captures(board: Any, before: Frame, frame: Frame) -> Iterator[Event]:
    rulers = zip(_rulers(board, before), _rulers(board, frame), board["bonus"], strict=True)
    for zone, (was, now, bonus) in enumerate(rulers, start=1):
        if was != now and bonus:
            yield _capture(zone, was, now, bonus)


def _capture(zone: int, was: int | None, now: int | None, bonus: int) -> Event:
    if now is not None:
        return Event("capture", f"{NAMES[now]} holds super region {zone} (+{bonus})", (now,))
    assert was is not None
    return Event("loss", f"{NAMES[was]} loses super region {zone} (+{bonus})", (was,))


def _rulers(board: Any, frame: Frame) -> list[int | None]:
    """The seat that holds all of each super region."""
    owners: list[set[int | None]] = [set() for _ in board["bonus"]]
    for zone, owner in zip(board["regions"], frame["owner"], strict=True):
        owners[zone - 1].add(owner)
    return [next(iter(found)) if found in ({0}, {1}) else None for found in owners]


def _battles(frame: Frame) -> Iterator[Event]:
    """The costly battles; one whose losses are unknown does not count."""
    for kind, seat, *rest in frame["moves"]:
        if kind == "attack":
            source, target, _, lost, killed, _ = rest
            if (lost or 0) + (killed or 0) >= BIG_BATTLE:
                text = f"{NAMES[seat]} attacks {target} from {source}: {lost} lost, {killed} killed"
                yield Event("battle", text, (seat,))


def _ends(before: Frame, frame: Frame) -> Iterator[Event]:
    for seat in (0, 1):
        if seat in before["owner"] and seat not in frame["owner"] and None not in frame["owner"]:
            yield Event("elimination", f"{NAMES[seat]} has no regions left", (seat,))


# -- orders ----------------------------------------------------------------------------------


def orders(frame: Frame) -> Sequence[str]:
    """Each move as a sentence."""
    return [_sentence(*move) for move in frame["moves"]]


def _sentence(kind: str, seat: int, *rest: Any) -> str:
    name = NAMES[seat]
    match kind, rest:
        case "pick", [region]:
            return f"{name} picks region {region}"
        case "place", [region, armies]:
            return f"{name} places {_armies(armies)} in {region}"
        case "transfer", [source, target, armies]:
            return f"{name} moves {_armies(armies)} from {source} to {target}"
    source, target, armies, lost, killed, conquered = rest
    attack = f"{name} attacks {target} from {source} with {_armies(armies)}"
    if lost is None:
        return attack
    end = "conquered" if conquered else "held"
    return f"{attack}: {lost} lost, {killed} killed, {end}"


def _armies(number: int | None) -> str:
    return "armies" if number is None else counted(number, "army", "armies")


# -- what a seat sees ------------------------------------------------------------------------


def seen(world: WarlightWorld, seat: int, frame: Frame) -> Frame:
    """The seat's own regions and their neighbours, its own moves, and the opponent's seen moves."""
    sight = world.sight[seat].count[1:]
    return frame | {
        "owner": _where(sight, frame["owner"]),
        "armies": _where(sight, frame["armies"]),
        "moves": list(_told(world, seat)),
    }


def asked(world: WarlightWorld, ask: Ask) -> Frame | None:
    """The picks so far; before the attacks, the seat's placements."""
    if ask.head == PICK:
        return seen(world, ask.seat, opening_frame(world))
    if ask.head != ATTACK:
        return None
    armies = known_armies(world, ask)[1:]
    placed = [act for act in world.acts if isinstance(act, Placed) and act.seat == ask.seat]
    return seen(world, ask.seat, frame(world)) | {
        "armies": _where(world.sight[ask.seat].count[1:], armies),
        "moves": msgspec.to_builtins(placed),
    }


def _where(sight: Iterable[int], values: Sequence[int]) -> list[int | None]:
    return [value if seen else None for seen, value in zip(sight, values, strict=True)]


def _told(world: WarlightWorld, seat: int) -> Iterator[list[Any]]:
    witnessed = {id(act) for act in world.witnessed[seat]}
    raided = {act.target for act in world.acts if isinstance(act, Attacked) and act.seat != seat}
    for act in world.acts:
        if act.seat == seat or id(act) in witnessed or world.round == 0:
            yield _as_told(act, act.seat == seat, raided)


def _as_told(act: Act, own: bool, raided: set[int]) -> list[Any]:
    move: list[Any] = msgspec.to_builtins(act)
    if isinstance(act, Attacked | Transferred) and own and act.source in raided:
        move[4] = None
    if isinstance(act, Attacked):
        move[5:] = None, None, None
    return move


VIEW = GameView(
    standing=standing,
    unit="region",
    units="regions",
    events=events,
    orders=orders,
    seen=seen,
    forces=forces,
    asked=asked,
    signs=signs,
)
