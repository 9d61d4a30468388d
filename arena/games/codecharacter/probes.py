"""Random legal answers, and changes that a seat cannot see: for checks and tests."""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from math import hypot

from arena.core import Ask, Stream
from arena.games.codecharacter.orders import Attack
from arena.games.codecharacter.words import mirrored, read_orders
from arena.games.codecharacter.world import UNIT, CodecharacterWorld, Soldier, Tower
from arena.games.kit import NO_MOVES, only_orders, pieces, thousandths


def random_answer(world: CodecharacterWorld, ask: Ask, stream: Stream) -> str:
    """A random legal answer to the current request."""
    orders = [*_marches(world, ask.seat, stream), *_works(world, ask.seat, stream)]
    stream.shuffle(orders)
    return ", ".join(orders) or NO_MOVES


def _alive(world: CodecharacterWorld, seat: int) -> list[Soldier]:
    return [one for one in world.soldiers if one.seat == seat and one.state != "dead"]


def _marches(world: CodecharacterWorld, seat: int, stream: Stream) -> list[str]:
    """Let about every third soldier walk somewhere or attack."""
    targets = [one.id for one in _alive(world, 1 - seat)]
    targets += [one.id for one in world.towers.values() if one.seat != seat and not one.base]
    orders = []
    for soldier in _alive(world, seat):
        kind = stream.below(6)
        if kind == 0 and targets:
            orders.append(f"attack {soldier.id} {stream.choice(targets)}")
        elif kind == 1:
            x, y = (thousandths(stream.below(world.edge + 1)) for _ in "xy")
            orders.append(f"move {soldier.id} {x} {y}")
    return orders


def _works(world: CodecharacterWorld, seat: int, stream: Stream) -> list[str]:
    """Give at most one order about towers."""
    own = [one for one in world.towers.values() if one.seat == seat]
    tower, kind = stream.choice(own), stream.below(60)
    settings, money = world.settings, world.money[seat]
    if kind == 0 and not tower.base:
        return [f"suicide {tower.id}"]
    if (
        kind < 20
        and tower.level < settings.max_level
        and money >= settings.tower_costs[tower.level]
    ):
        return [f"upgrade {tower.id}"]
    if kind < 50 and money >= settings.tower_costs[0] and len(own) < settings.max_towers:
        return _build(world, seat, stream)
    return []


def _build(world: CodecharacterWorld, seat: int, stream: Stream) -> list[str]:
    """Build a tower on an allowed tile, if a few draws find one."""
    size = world.settings.map_size
    taken = {tower.tile for tower in world.towers.values()}
    for _ in range(20):
        x, y = stream.below(size), stream.below(size)
        free = world.controls(seat, x, y) and not world.controls(1 - seat, x, y)
        if free and (x, y) not in taken:
            return [f"build {mirrored(seat, x, size - 1)} {mirrored(seat, y, size - 1)}"]
    return []


def perturb_hidden(world: CodecharacterWorld, seat: int, stream: Stream) -> bool:
    """Change the enemy's money, and the order of one of its soldiers."""
    world.money[1 - seat] += 1 + stream.below(999)
    others = _alive(world, 1 - seat)
    if others:
        soldier = stream.choice(others)
        soldier.target = None
        soldier.destination = stream.below(world.edge), stream.below(world.edge)
    return True


def disguise(world: CodecharacterWorld, ask: Ask, text: str, stream: Stream) -> str:
    """The orders, with soldiers on their way to places farther or nearer in the same direction, or
    after another target at the same place: others see only the next step. It concerns soldiers that
    follow an earlier order, too. All else is seen, and the enemy's money follows from it."""
    soldiers = {one.id: copy(one) for one in _alive(world, ask.seat)}
    for order in read_orders(world, ask.seat, text).soldiers:
        if one := soldiers.get(order.soldier):
            one.target = order.target if isinstance(order, Attack) else None
            one.destination = None if isinstance(order, Attack) else (order.x, order.y)
    others = {id: new for id, one in soldiers.items() if (new := _like(world, one, stream))}
    if not others:
        return text
    chosen = [*others] if stream.below(2) else [stream.choice([*others])]
    kept = [one for one in only_orders(pieces(text)) if not _is_for(one, chosen)]
    return ", ".join([*kept, *[others[id] for id in chosen]])


def _is_for(piece: str, soldiers: Collection[int]) -> bool:
    """Whether an order is for one of these soldiers."""
    verb, *ids = piece.split(" ")
    return verb in ("move", "attack") and any(ids[:1] == [str(id)] for id in soldiers)


def _like(world: CodecharacterWorld, soldier: Soldier, stream: Stream) -> str | None:
    """An order that lets the soldier take the same next step as its own; None if there is none."""
    if soldier.target is not None:
        every: list[Soldier | Tower] = [one for one in world.towers.values() if not one.base]
        every += world.soldiers
        places = {one.id: (one.x, one.y, one.seat) for one in every}
        place = places.get(soldier.target)
        same = [id for id, one in places.items() if one == place and id != soldier.target]
        return f"attack {soldier.id} {stream.choice(same)}" if same else None
    if soldier.destination is None:
        return None
    here = soldier.x, soldier.y
    ways = [end - start for start, end in zip(here, soldier.destination, strict=True)]
    least = world.settings.soldier_speed * UNIT / (hypot(*ways) or 1)
    if not any(ways) or least > 1:
        return None  # it arrives, and that is seen
    room = [
        (world.edge - at if way > 0 else at) / abs(way or 1)
        for at, way in zip(here, ways, strict=True)
    ]
    most = min(share for share, way in zip(room, ways, strict=True) if way)
    share = least + (most - least) * stream.unit()
    x, y = [
        thousandths(mirrored(soldier.seat, start + round(way * share), world.edge))
        for start, way in zip(here, ways, strict=True)
    ]
    return f"move {soldier.id} {x} {y}"
