"""The attack/transfer phase: whose order is next, which armies may move, who wins.

Each region has a number of *free* armies, those it had when the phase began. Orders use them up, so
that an army moves or fights only once a round: armies that arrive, conquer, or return from a lost
attack stay until the next round. One free army always stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from arena.games.kit import CappedNotes, Refusal
from arena.games.warlight.orders import Move, Order
from arena.games.warlight.rules import witness
from arena.games.warlight.settings import WarlightSettings
from arena.games.warlight.world import Act, Attacked, Transferred, WarlightWorld

# The losses of one attack.
#
# 84 % of the losses come from the mean of the dice, 16 % from the dice themselves (settings can
# change the shares). With A attackers of which a hit, and D defenders of which d hit::
#
#     defenders lost K = 0.84 × 0.6 × A + 0.16 × a     rounded half up
#     attackers lost L = 0.84 × 0.7 × D + 0.16 × d     rounded half up
#
# All numbers are whole millionths, so that no rounding of binary fractions can decide a battle.


def losses(
    settings: WarlightSettings, attackers: int, defenders: int, hits: int, hits_back: int
) -> tuple[int, int]:
    """(attackers lost, defenders lost) when `hits` attackers and `hits_back` defenders hit.

    The region is conquered if all defenders are lost. If both sides would be wiped out, one
    defender survives.
    """
    luck = settings.luck
    killed = _share(luck, settings.attacker_kill, attackers, hits)
    lost = _share(luck, settings.defender_kill, defenders, hits_back)
    if lost >= attackers:
        return attackers, min(killed, defenders - 1)
    return lost, min(killed, defenders)


def _share(luck: int, chance: int, armies: int, hits: int) -> int:
    millionths = (1000 - luck) * chance * armies + 1000 * luck * hits
    return (millionths + 500_000) // 1_000_000


T = TypeVar("T")


def interleave(
    queues: Sequence[Sequence[T]],
    coin: Callable[[int], int],
    carry_out: Callable[[int, T], bool],
) -> None:
    """Carry out the orders of both seats, one by one.

    Orders come in pairs: ``coin(2)`` names the seat of the first, the other seat has the second.
    After an illegal order (`carry_out` returns false) the same seat continues. A seat with no
    orders left yields to the other.
    """
    waiting = [list(reversed(queue)) for queue in queues]

    def act(seat: int) -> bool:
        """Carry out the next legal order of a seat; false if it has none."""
        mine = waiting[seat]
        while mine:
            if carry_out(seat, mine.pop()):
                return True
        return False

    is_first, seat = True, 0
    while waiting[0] or waiting[1]:
        seat = coin(2) if is_first else 1 - seat
        if not act(seat):
            seat = 1 - seat
            act(seat)
        is_first = not is_first


class AttackPhase:
    """The attack/transfer phase of one round: `queue` both answers, then `run`."""

    def __init__(self, world: WarlightWorld, notes: tuple[CappedNotes, CappedNotes]) -> None:
        self._world = world
        self._notes = notes
        self._free = world.armies[:]
        self._ordered: set[tuple[int, int]] = set()
        """Source and target of all orders carried out."""
        self._raided: set[int] = set()
        """Regions that lost free armies to an attack."""
        self._queues: tuple[list[Move | None], list[Move | None]] = ([], [])

    def queue(self, seat: int, orders: Sequence[Order]) -> None:
        """Enter the orders of a seat. A currently illegal order becomes None but keeps its place:
        it is not carried out even if it would be legal later."""
        owner, neighbors = self._world.owner, self._world.board.neighbors
        queue = self._queues[seat]
        for order in orders:
            if (
                isinstance(order, Move)
                and owner[order.source] == seat
                and order.target in neighbors[order.source]
                and order.armies > 0
            ):
                queue.append(order)
            else:
                queue.append(None)
                self._notes[seat].add(order.text, self._diagnose(seat, order))

    def _diagnose(self, seat: int, order: Order) -> Refusal:
        """Why an order is illegal in the current state."""
        if not isinstance(order, Move):
            return Refusal("phase", "this request is for attacks and transfers")
        if self._world.owner[order.source] != seat:
            return Refusal("not_owned", f"region {order.source} is not yours")
        if order.target not in self._world.board.neighbors[order.source]:
            why = f"{order.target} is no neighbour of {order.source}"
            return Refusal("not_adjacent", why)
        return Refusal("amount", "move at least one army")

    def run(self) -> None:
        """Carry out all orders."""
        interleave(self._queues, self._world.chance["order"].below, self._carry_out)

    def _carry_out(self, seat: int, move: Move | None) -> bool:
        """Carry out one order; false if it is not legal."""
        if move is None:
            return False
        world, source, target = self._world, move.source, move.target
        owner, free, way = world.owner, self._free[source] - 1, (source, target)
        if owner[source] != seat or free < 1 or way in self._ordered:
            self._notes[seat].add(move.text, self._obstacle(seat, move))
            return False
        armies = min(move.armies, free)
        self._free[source] -= armies
        self._ordered.add(way)
        sight = world.sight[1 - seat].count
        seen = sight[target] > 0
        if owner[target] == seat:
            act = self._transfer(seat, source, target, armies)
        else:
            act = self._attack(seat, source, target, armies)
        witness(world, seat, act, seen or sight[target] > 0 or sight[source] > 0)
        return True

    def _obstacle(self, seat: int, move: Move) -> Refusal:
        """Why an initially legal order cannot be carried out when its turn comes."""
        source = move.source
        if self._world.owner[source] != seat:
            return Refusal("lost", f"region {source} was lost before its turn", False)
        if (source, move.target) in self._ordered:
            return Refusal("repeated", f"{source} to {move.target} was ordered before")
        is_fault = source not in self._raided
        return Refusal("frozen", f"no army of region {source} is free", is_fault)

    def _transfer(self, seat: int, source: int, target: int, armies: int) -> Act:
        self._world.armies[source] -= armies
        self._world.armies[target] += armies
        return Transferred(seat, source, target, armies)

    def _attack(self, seat: int, source: int, target: int, armies: int) -> Act:
        world, standing = self._world, self._world.armies
        settings, dice = world.settings, world.chance["combat"]
        defenders = standing[target]
        hits = dice.hits(armies, settings.attacker_kill)
        hits_back = dice.hits(defenders, settings.defender_kill)
        lost, killed = losses(settings, armies, defenders, hits, hits_back)
        conquered = killed == defenders
        if conquered:
            standing[source] -= armies
            standing[target] = armies - lost
            self._free[target] = 1
            world.hand_over(target, seat)
        else:
            standing[source] -= lost
            standing[target] -= killed
            self._free[target] -= killed
        if killed:
            self._raided.add(target)
        return Attacked(
            seat=seat,
            source=source,
            target=target,
            armies=armies,
            lost=lost,
            killed=killed,
            conquered=conquered,
        )
