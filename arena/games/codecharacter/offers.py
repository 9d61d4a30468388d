"""What can be chosen in an answer: soldiers or a tower on a tile, an action, a target."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from arena.core import Ask, Number, Offer, Picks, Word
from arena.games.codecharacter.checks import (
    against_another_tower,
    against_build,
    against_land,
    against_task,
    check,
)
from arena.games.codecharacter.orders import Orders, Suicide, Upgrade
from arena.games.codecharacter.words import mirrored, read_orders
from arena.games.codecharacter.world import UNIT, CodecharacterWorld, Soldier, Tower, middle
from arena.games.kit import thousandths

EVERYONE = "everyone"
WALK = Word("walk", "Walk there")
EXACT = Word("exact", "To an exact place, in thousandths")


class Place(NamedTuple):
    """A tile, as the seat sees the map."""

    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.x},{self.y}"


def offers(world: CodecharacterWorld, ask: Ask, held: str, picked: Picks) -> Offer:
    """Offer a tile and an action there; for soldiers another tile, and a target to attack."""
    return _Picker(world, ask.seat, held).offer(picked)


class _Picker:
    """One seat at one request, with the orders that it holds."""

    def __init__(self, world: CodecharacterWorld, seat: int, held: str) -> None:
        self._world, self._seat = world, seat
        given = [Orders(), Orders()]
        given[seat] = orders = read_orders(world, seat, held)
        self._plan = check(world, given)[seat]
        busy = {order.soldier for order in orders.soldiers}
        self._idle = [
            one
            for one in world.soldiers
            if one.seat == seat and one.state != "dead" and one.id not in busy
        ]
        self._tasks = {order.tower for order in orders.towers}
        self._here: dict[tuple[int, int], list[Soldier]] = {}
        """The idle soldiers on each tile."""
        for one in self._idle:
            self._here.setdefault(self._tile(one), []).append(one)
        self._towers = {tower.tile: tower for tower in world.towers.values()}

    def offer(self, picked: Picks) -> Offer:
        """The next choices."""
        if not picked:
            return self._start()
        if picked[0] == EVERYONE:
            return self._send(self._idle, picked[1:])
        place = _place(picked[0])
        words = self._deeds(place)
        if len(words) == 1:  # no choice
            return self._do(words[0].pick, place, picked[1:])
        if len(picked) == 1:
            return Offer(f"What is done on tile {place}?", words=tuple(words))
        return self._do(picked[1], place, picked[2:])

    def _start(self) -> Offer:
        tiles = sorted((y, x) for x, y in map(self._mirrored, self._tiles()))
        places = tuple(str(Place(x, y)) for y, x in tiles)
        words = (
            (Word(EVERYONE, f"All {len(self._idle)} soldiers without orders"),)
            if self._idle
            else ()
        )
        money = self._plan.money
        text = f"Pick a tile with soldiers or a tower of yours, or free land. Money: {money}."
        return Offer(text, places, words)

    def _tiles(self) -> set[tuple[int, int]]:
        """The tiles, as player1 sees the map, on which something can be done."""
        world, plan, size = self._world, self._plan, range(self._world.settings.map_size)
        own = {tile for tile, tower in self._towers.items() if any(self._tasks_of(tower))}
        if against_another_tower(world, plan) is not None:
            return own | {*self._here}
        free = {(x, y) for y in size for x in size if against_land(world, plan, x, y) is None}
        return own | {*self._here} | free

    # -- what is on a tile -------------------------------------------------------------------

    def _deeds(self, place: Place) -> list[Word]:
        """The possible actions on a tile."""
        here = self._here.get(self._mirrored(place), [])
        words = [Word("soldiers", f"All {len(here)} soldiers")] if len(here) > 1 else []
        words += [Word(f"soldier {one.id}", f"Soldier {one.id}, {one.hp} hp") for one in here]
        tower = self._tower(place)
        if tower is None:
            cost = self._world.settings.tower_costs[0]
            free = against_build(self._world, self._plan, *self._mirrored(place)) is None
            return [*words, Word("build", f"Build a tower ({cost})")] if free else words
        return [*words, *self._tasks_of(tower)]

    def _tasks_of(self, tower: Tower) -> Iterator[Word]:
        if tower.seat != self._seat or tower.id in self._tasks:
            return
        if self._allows(Upgrade(0, "", tower.id)):
            cost = self._world.settings.tower_costs[tower.level]
            yield Word("upgrade", f"Raise tower {tower.id} to level {tower.level + 1} ({cost})")
        if self._allows(Suicide(0, "", tower.id)):
            yield Word("suicide", f"Give up tower {tower.id}")

    def _allows(self, task: Upgrade | Suicide) -> bool:
        return against_task(self._world, self._plan, task) is None

    def _tile(self, one: Soldier) -> tuple[int, int]:
        settings = self._world.settings
        last, width = settings.map_size - 1, settings.tile_size * UNIT
        return min(one.x // width, last), min(one.y // width, last)

    def _tower(self, place: Place) -> Tower | None:
        return self._towers.get(self._mirrored(place))

    def _mirrored(self, tile: tuple[int, int]) -> tuple[int, int]:
        """A tile as the seat sees the map, if it is given as player1 does, and the reverse."""
        last = self._world.settings.map_size - 1
        return mirrored(self._seat, tile[0], last), mirrored(self._seat, tile[1], last)

    # -- what is done ------------------------------------------------------------------------

    def _do(self, deed: str, place: Place, picked: Picks) -> Offer:
        if deed == "build":
            return Offer("", order=f"build {place.x} {place.y}")
        if deed in ("upgrade", "suicide"):
            tower = self._tower(place)
            assert tower is not None, "it was offered"
            return Offer("", order=f"{deed} {tower.id}")
        here = self._here.get(self._mirrored(place), [])
        if deed != "soldiers":
            here = [one for one in here if deed == f"soldier {one.id}"]
        return self._send(here, picked)

    def _send(self, soldiers: Sequence[Soldier], picked: Picks) -> Offer:
        """Offer destinations for soldiers; on tiles with enemies, targets to attack."""
        if not picked:
            size = range(self._world.settings.map_size)
            everywhere = tuple(str(Place(x, y)) for y in size for x in size)
            who = f"soldier {soldiers[0].id}" if len(soldiers) == 1 else f"{len(soldiers)} soldiers"
            text = f"Where to with {who}? Pick a tile, or an enemy."
            return Offer(text, everywhere, (EXACT,))
        if picked[0] == EXACT.pick:
            return self._walk(soldiers, picked[1:])
        place = _place(picked[0])
        enemies = list(self._enemies(place))
        if enemies and len(picked) == 1:
            return Offer(f"What is done on tile {place}?", words=(*enemies, WALK))
        if enemies and picked[1] != WALK.pick:
            return Offer("", order=_all(soldiers, "attack", picked[1]))
        width = self._world.settings.tile_size
        return Offer("", order=_all(soldiers, "move", *(_middle(tile, width) for tile in place)))

    def _walk(self, soldiers: Sequence[Soldier], picked: Picks) -> Offer:
        """Offer the two coordinates of a destination."""
        if len(picked) == 2:
            return Offer("", order=_all(soldiers, "move", *(thousandths(int(n)) for n in picked)))
        edge, axis = self._world.edge, "across" if not picked else "down"
        return Offer(f"How many thousandths {axis}?", number=Number(0, edge, edge // 2))

    def _enemies(self, place: Place) -> Iterator[Word]:
        """The possible targets on a tile."""
        tile = self._mirrored(place)
        for one in self._world.soldiers:
            if one.seat != self._seat and one.state != "dead" and self._tile(one) == tile:
                yield Word(f"{one.id}", f"Attack soldier {one.id}, {one.hp} hp")
        tower = self._tower(place)
        if tower and tower.seat != self._seat and not tower.base:
            yield Word(f"{tower.id}", f"Attack tower {tower.id}, {tower.hp} hp")


def _place(pick: str) -> Place:
    x, y = map(int, pick.split(","))
    return Place(x, y)


def _middle(tile: int, width: int) -> str:
    return thousandths(middle(tile, width))


def _all(soldiers: Sequence[Soldier], verb: str, *words: str) -> str:
    return ", ".join([f"{verb} {one.id} {' '.join(words)}" for one in soldiers])
