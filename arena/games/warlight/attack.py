"""The attack/transfer phase: whose order is next, what may move, who wins.

Each region has a number of *free* armies, those it had when the phase began. Orders use them up,
so that an army moves or fights once a round: what arrives, what conquers and what comes home
from a lost attack stays where it is until the next round. One free army always stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from arena.games.warlight.combat import losses
from arena.games.warlight.faults import Faults
from arena.games.warlight.orders import Move, Order
from arena.games.warlight.rules import witness
from arena.games.warlight.world import Act, Attacked, Transferred, WarlightWorld

T = TypeVar("T")


def interleave(
    queues: Sequence[Sequence[T]],
    coin: Callable[[int], int],
    carry_out: Callable[[int, T], bool],
) -> None:
    """Carry out the orders of both seats, one by one.

    Orders come in pairs: ``coin(2)`` names the seat of the first, the other has the second. After
    an order that was not legal (`carry_out` gives false) its seat goes on. A seat with no orders
    left gives way to the other.
    """
    waiting = [list(reversed(queue)) for queue in queues]
    turn, seat, legal = 1, 0, True
    while waiting[0] or waiting[1]:
        if legal:
            seat = coin(2) if turn % 2 else 1 - seat
        if not waiting[seat]:
            seat = 1 - seat
        legal = carry_out(seat, waiting[seat].pop())
        turn += legal


class AttackPhase:
    """One phase of a world, from the answers on: `queue` both answers, then `run`."""

    def __init__(self, world: WarlightWorld, faults: tuple[Faults, Faults]) -> None:
        self._world = world
        self._faults = faults
        self._free = world.armies[:]
        self._ordered: set[tuple[int, int]] = set()
        """From and to of all orders that were carried out."""
        self._raided: set[int] = set()
        """Regions that lost free armies to an attack."""
        self._queues: tuple[list[Move | None], list[Move | None]] = ([], [])

    def queue(self, seat: int, orders: Sequence[Order]) -> None:
        """Enter the orders of a seat. One that is illegal as things stand now is marked (None)
        and keeps its place: it is not carried out even if things change."""
        self._queues[seat].extend([self._check(seat, order) for order in orders])

    def _check(self, seat: int, order: Order) -> Move | None:
        world, add = self._world, self._faults[seat].add
        if not isinstance(order, Move):
            add("phase", order.text, "this request is for attacks and transfers")
        elif world.owner[order.source] != seat:
            add("not_owned", order.text, f"region {order.source} is not yours")
        elif order.target not in world.board.neighbors[order.source]:
            add("not_adjacent", order.text, f"{order.target} is no neighbour of {order.source}")
        elif order.armies < 1:
            add("amount", order.text, "move at least one army")
        else:
            return order
        return None

    def run(self) -> None:
        """Carry out all orders."""
        interleave(self._queues, self._world.stream("order").below, self._carry_out)

    def _carry_out(self, seat: int, move: Move | None) -> bool:
        """Carry out one order; false when it is not legal."""
        if move is None or not self._may_go(seat, move):
            return False
        world, source, target = self._world, move.source, move.target
        armies = min(move.armies, self._free[source] - 1)
        self._free[source] -= armies
        self._ordered.add((source, target))
        sight = world.sight[1 - seat].count
        seen = sight[target] > 0
        if world.owner[target] == seat:
            act = self._transfer(seat, source, target, armies)
        else:
            act = self._attack(seat, source, target, armies)
        witness(world, seat, act, seen or sight[target] > 0 or sight[source] > 0)
        return True

    def _may_go(self, seat: int, move: Move) -> bool:
        source, add = move.source, self._faults[seat].add
        raided = source in self._raided
        if self._world.owner[source] != seat:
            add("lost", move.text, f"region {source} was lost before its turn", fault=False)
        elif (source, move.target) in self._ordered:
            add("repeated", move.text, f"{source} to {move.target} was ordered before")
        elif self._free[source] <= 1:
            add("frozen", move.text, f"no army of region {source} is free", fault=not raided)
        else:
            return True
        return False

    def _transfer(self, seat: int, source: int, target: int, armies: int) -> Act:
        self._world.armies[source] -= armies
        self._world.armies[target] += armies
        return Transferred(seat, source, target, armies)

    def _attack(self, seat: int, source: int, target: int, armies: int) -> Act:
        world, standing = self._world, self._world.armies
        settings, dice = world.settings, world.stream("combat")
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
        return Attacked(seat, source, target, armies, lost, killed, conquered)
