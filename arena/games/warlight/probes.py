"""Random legal answers, and changes that a seat cannot see: for checks and tests."""

from __future__ import annotations

from arena.core import Ask, Stream
from arena.games.kit import NO_MOVES, is_no_moves
from arena.games.warlight import words
from arena.games.warlight.world import NAMES, WarlightWorld


def random_answer(world: WarlightWorld, ask: Ask, stream: Stream) -> str:
    """A random legal answer to the current request."""
    if ask.head == words.PICK:
        return stream.choice(ask.tail.split())
    orders = _placements if ask.head == words.PLACE else _moves
    return ", ".join(orders(world, ask.seat, stream)) or NO_MOVES


def _own(world: WarlightWorld, seat: int) -> list[int]:
    return [region for region in world.board.regions if world.owner[region] == seat]


def _placements(world: WarlightWorld, seat: int, stream: Stream) -> list[str]:
    """Place all armies, in up to three orders."""
    own, left, orders = _own(world, seat), world.income[seat], []
    for lots in (3, 2, 1):
        armies = left if lots == 1 else stream.below(left + 1)
        if armies and own:
            orders.append(f"{NAMES[seat]} place_armies {stream.choice(own)} {armies}")
            left -= armies
    return orders


def _moves(world: WarlightWorld, seat: int, stream: Stream) -> list[str]:
    """Send armies from most regions that can spare them to one or two neighbours."""
    orders = []
    for source in _own(world, seat):
        spare = world.armies[source] - 1
        near = list(world.board.neighbors[source])
        stream.shuffle(near)
        for target in near[: stream.below(3)]:
            if spare:
                armies = 1 + stream.below(spare)
                spare -= armies
                orders.append(f"{NAMES[seat]} attack/transfer {source} {target} {armies}")
    return orders


def perturb_hidden(world: WarlightWorld, seat: int, stream: Stream) -> bool:
    """Add armies to a region that the seat does not see; false if it sees all."""
    sight = world.sight[seat].count
    hidden = [region for region in world.board.regions if not sight[region]]
    if not hidden:
        return False
    world.armies[stream.choice(hidden)] += 1 + stream.below(9)
    return True


def disguise(world: WarlightWorld, ask: Ask, text: str, stream: Stream) -> str:
    """The orders with one of them changed: armies placed elsewhere, fewer that march, or none; or
    with a march more, after those that may have been seen."""
    orders = [order.strip() for order in text.split(",")]
    if ask.head == words.ATTACK and stream.below(3) == 0:
        kept = [] if is_no_moves(text) else orders
        if more := _moves(world, ask.seat, stream):
            kept.append(stream.choice(more))
        return ", ".join(kept) or NO_MOVES
    at = stream.below(len(orders))
    own = _own(world, ask.seat)
    match orders[at].split():
        case [name, "place_armies", _, armies] if own:
            orders[at] = f"{name} place_armies {stream.choice(own)} {armies}"
        case [name, "attack/transfer", source, target, armies] if armies.isdigit():
            fewer = stream.below(max(1, int(armies)))
            orders[at] = f"{name} attack/transfer {source} {target} {fewer}" if fewer else ""
        case _:
            return random_answer(world, ask, stream)
    return ", ".join(filter(None, orders)) or NO_MOVES
