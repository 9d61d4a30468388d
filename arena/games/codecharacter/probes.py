"""Random legal answers, and changes that a seat cannot see: for checks and tests."""

from __future__ import annotations

from arena.core import Ask, Stream
from arena.games.codecharacter.words import mirrored
from arena.games.codecharacter.world import CodecharacterWorld, Soldier
from arena.games.kit import read_thousandths, thousandths


def random_answer(world: CodecharacterWorld, ask: Ask, stream: Stream) -> str:
    """A random legal answer to the current request."""
    orders = [*_marches(world, ask.seat, stream), *_works(world, ask.seat, stream)]
    stream.shuffle(orders)
    return ", ".join(orders) or "No moves"


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
    """The orders, with one soldier on its way to a place farther or nearer in the same direction:
    others see only its next step."""
    pieces = [piece.strip() for piece in text.split(",")]
    moves = [at for at, piece in enumerate(pieces) if piece.startswith("move ")]
    if not moves:
        return text
    at = stream.choice(moves)
    _, id_, *to = pieces[at].split()
    if not id_.isdigit() or int(id_) >= len(world.soldiers) or len(to) != 2:
        return text
    soldier, share = world.soldiers[int(id_)], 0.5 + stream.unit()
    ends = []
    for here, word in zip((soldier.x, soldier.y), to, strict=True):
        start, end = mirrored(ask.seat, here, world.edge), read_thousandths(word)
        if end is None:
            return text
        ends.append(min(max(start + round((end - start) * share), 0), world.edge))
    pieces[at] = f"move {id_} {' '.join(map(thousandths, ends))}"
    return ", ".join(pieces)
