"""Data for pages besides the frames: chart, events, orders, and the views of seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from arena.core import Ask, Event, Frame, GameView, Offer, Picks, Sign, Word
from arena.games.codecharacter.checks import against_build, against_task, check
from arena.games.codecharacter.orders import Orders, Suicide, Upgrade
from arena.games.codecharacter.words import mirrored, read_orders
from arena.games.codecharacter.world import (
    NAMES,
    SEATS,
    UNIT,
    CodecharacterWorld,
    Soldier,
    Tower,
    middle,
)
from arena.games.kit import counted, pieces, read_thousandths, thousandths

# Clicks on tiles: choosing soldiers or towers, an action and a target.

EVERYONE = "everyone"
WALK = Word("walk", "Walk there")


class Place(NamedTuple):
    """A tile, as the seat sees the map."""

    x: int
    y: int

    def __str__(self) -> str:
        return f"{self.x},{self.y}"


def picks(world: CodecharacterWorld, ask: Ask, held: str, picked: Picks) -> Offer:
    """Offer a tile and an action there; for soldiers another tile, and a target to attack."""
    return _Picker(world, ask.seat, held).offer(picked)


def signs(world: CodecharacterWorld, ask: Ask, held: str) -> Iterator[Sign]:
    """Mark where soldiers go or attack, and the orders to towers."""
    width = world.settings.tile_size * UNIT
    for piece in pieces(held):
        match piece.split():
            case ["attack", soldier, target]:
                yield Sign((f"#{soldier}", f"#{target}"), "")
            case ["build", x, y]:
                yield Sign((f"{x},{y}",), "")
            case ["upgrade" | "suicide", tower]:
                yield Sign((f"#{tower}",), "")
            case ["move", soldier, *to]:
                numbers = [number // width for one in to if (number := read_thousandths(one))]
                yield Sign((f"#{soldier}", ",".join(map(str, numbers))), "")


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
        size = self._world.settings.map_size
        tiles = [Place(x, y) for y in range(size) for x in range(size)]
        places = tuple(str(place) for place in tiles if self._deeds(place))
        words = (
            (Word(EVERYONE, f"All {len(self._idle)} soldiers without orders"),)
            if self._idle
            else ()
        )
        money = self._plan.money
        text = f"Pick a tile with soldiers or a tower of yours, or free land. Money: {money}."
        return Offer(text, places, words)

    # -- what is on a tile -------------------------------------------------------------------

    def _deeds(self, place: Place) -> list[Word]:
        """The possible actions on a tile."""
        here = [one for one in self._idle if self._stands(one, place)]
        words = [Word("soldiers", f"All {len(here)} soldiers")] if len(here) > 1 else []
        words += [Word(f"soldier {one.id}", f"Soldier {one.id}, {one.hp} hp") for one in here]
        tower = self._tower(place)
        if tower is None:
            cost = self._world.settings.tower_costs[0]
            free = against_build(self._world, self._plan, *self._true(place)) is None
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

    def _stands(self, one: Soldier, place: Place) -> bool:
        settings = self._world.settings
        last, width = settings.map_size - 1, settings.tile_size * UNIT
        return self._true(place) == (min(one.x // width, last), min(one.y // width, last))

    def _tower(self, place: Place) -> Tower | None:
        tile = self._true(place)
        return next((one for one in self._world.towers.values() if one.tile == tile), None)

    def _true(self, place: Place) -> tuple[int, int]:
        """The tile as player1 sees the map."""
        last = self._world.settings.map_size - 1
        return mirrored(self._seat, place.x, last), mirrored(self._seat, place.y, last)

    # -- what is done ------------------------------------------------------------------------

    def _do(self, deed: str, place: Place, picked: Picks) -> Offer:
        if deed == "build":
            return Offer("", order=f"build {place.x} {place.y}")
        if deed in ("upgrade", "suicide"):
            tower = self._tower(place)
            assert tower is not None, "it was offered"
            return Offer("", order=f"{deed} {tower.id}")
        here = [one for one in self._idle if self._stands(one, place)]
        if deed != "soldiers":
            here = [one for one in here if deed == f"soldier {one.id}"]
        return self._send(here, picked)

    def _send(self, soldiers: Sequence[Soldier], picked: Picks) -> Offer:
        """Offer destinations for soldiers; on tiles with enemies, targets to attack."""
        if not picked:
            size = range(self._world.settings.map_size)
            everywhere = tuple(str(Place(x, y)) for y in size for x in size)
            who = f"soldier {soldiers[0].id}" if len(soldiers) == 1 else f"{len(soldiers)} soldiers"
            return Offer(f"Where to with {who}? Pick a tile, or an enemy.", everywhere)
        place = _place(picked[0])
        enemies = list(self._enemies(place))
        if enemies and len(picked) == 1:
            return Offer(f"What is done on tile {place}?", words=(*enemies, WALK))
        if enemies and picked[1] != WALK.pick:
            return Offer("", order=_all(soldiers, "attack", picked[1]))
        width = self._world.settings.tile_size
        return Offer("", order=_all(soldiers, "move", *(_middle(tile, width) for tile in place)))

    def _enemies(self, place: Place) -> Iterator[Word]:
        """The possible targets on a tile."""
        for one in self._world.soldiers:
            if one.seat != self._seat and one.state != "dead" and self._stands(one, place):
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


MASSACRE = 4
"""One in this many soldiers of an army must die in one turn for a mark."""
NAMED = 8
"""Maximum number of soldiers of an order that are named individually."""


def standing(frame: Frame) -> list[float | None]:
    """The tiles of each seat, which decide the match."""
    return [float(tiles) for tiles in frame["tiles"]]


# -- orders --------------------------------------------------------------------------------


def orders(frame: Frame) -> list[str]:
    """One sentence per group of a seat's soldiers with the same order, sorted by first soldier. A
    turn may have hundreds of single orders; `groups` in board.js makes the same groups."""
    groups: dict[tuple[int, str, tuple[Any, ...] | None], list[int]] = {}
    for id_, seat, _, _, _, state, _, _, order in frame["soldiers"]:
        if state not in ("idle", "dead"):
            key = seat, state, None if order is None else tuple(order)
            groups.setdefault(key, []).append(id_)
    count = len(frame["soldiers"])
    return [
        f"{NAMES[seat]}: {_soldiers(ids)} {_deed(state, order, len(ids), count)}."
        for (seat, state, order), ids in groups.items()
    ]


def _soldiers(ids: Sequence[int]) -> str:
    if len(ids) == 1:
        return f"soldier {ids[0]}"
    more = ", …" if len(ids) > NAMED else ""
    return f"{len(ids)} soldiers ({', '.join(map(str, ids[:NAMED]))}{more})"


VERBS = {"move": ("walks", "walk"), "pursuit": ("pursues", "pursue"), "attack": ("hits", "hit")}


def _deed(state: str, order: tuple[Any, ...] | None, many: int, soldiers: int) -> str:
    verb = VERBS[state][many > 1]
    if order is None:
        return f"{verb} (where to is not seen)" if state == "move" else f"{verb} something"
    if state == "move":
        _, x, y = order
        return f"{verb} to {thousandths(x)} {thousandths(y)}"
    _, target = order
    return f"{verb} {'soldier' if target < soldiers else 'tower'} {target}"


# -- events --------------------------------------------------------------------------------


def events(board: Any, before: Frame | None, frame: Frame) -> list[Event]:
    """Towers built and lost, many deaths at once, and a new leader."""
    if before is None:
        return []
    return [*_towers(before, frame), *_deaths(before, frame), *_lead(before, frame)]


def _towers(before: Frame, frame: Frame) -> Iterator[Event]:
    old = {tower[0]: tower for tower in before["towers"]}
    new = {tower[0]: tower for tower in frame["towers"]}
    for id_, (_, seat, x, y, *_) in new.items():
        if id_ not in old:
            yield Event("tower", f"{NAMES[seat]} builds tower {id_} on tile {x},{y}.", (seat,))
    for id_, (_, seat, x, y, _, level, _) in old.items():
        if id_ not in new:
            text = f"{NAMES[seat]} loses tower {id_} of level {level} on tile {x},{y}."
            yield Event("loss", text, (seat,))


def _deaths(before: Frame, frame: Frame) -> Iterator[Event]:
    pairs = list(zip(before["soldiers"], frame["soldiers"], strict=True))
    army = len(pairs) // len(SEATS)
    for seat in SEATS:
        fallen = sum(was[1] == seat and was[5] != "dead" and now[5] == "dead" for was, now in pairs)
        if fallen > 1 and fallen * MASSACRE >= army:
            yield Event("battle", f"{NAMES[seat]} loses {counted(fallen, 'soldier')}.", (seat,))


def _lead(before: Frame, frame: Frame) -> Iterator[Event]:
    """The event that a seat newly has more tiles than the other."""
    for seat in SEATS:
        mine, others = frame["tiles"][seat], frame["tiles"][1 - seat]
        if mine > others and before["tiles"][seat] <= before["tiles"][1 - seat]:
            yield Event("lead", f"{NAMES[seat]} leads, {mine} tiles to {others}.", (seat,))


# -- what a seat sees ----------------------------------------------------------------------

ORDER = 8
"""Index of the order in a frame's list for a soldier."""


def seen(world: CodecharacterWorld, seat: int, frame: Frame) -> Frame:
    """Everything except the enemy's money and orders. The seat's own money is reported at the start
    of the next turn, so not after the last turn."""
    last = world.round == world.settings.num_turns
    return frame | {
        "money": [
            money if one == seat and not last else None for one, money in enumerate(frame["money"])
        ],
        "soldiers": [
            soldier if soldier[1] == seat else [*soldier[:ORDER], None]
            for soldier in frame["soldiers"]
        ],
    }


VIEW = GameView(
    standing=standing,
    unit="tile",
    units="tiles",
    events=events,
    orders=orders,
    seen=seen,
    picks=picks,
    signs=signs,
)
