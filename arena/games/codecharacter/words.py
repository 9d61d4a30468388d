"""All lines to and from bots.

Both players see their own base in the upper left: only this module mirrors lines to and from
player2, on both axes. Only the enemy's money and the orders of its soldiers are hidden.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import compress, count
from operator import ne
from typing import TypeAlias

from arena.core import Outcome
from arena.games.codecharacter.orders import (
    Attack,
    Build,
    Move,
    Orders,
    Suicide,
    Upgrade,
    Void,
)
from arena.games.codecharacter.world import NAMES, SEATS, CodecharacterWorld, State
from arena.games.kit import (
    ONLY_ALONE,
    Refusal,
    game_over_line,
    is_no_moves,
    only_orders,
    pieces,
    point,
    quote,
    read_integer,
    read_thousandths,
    settings_lines,
)

Lines: TypeAlias = tuple[list[str], list[str]]
"""The lines of player1, and those of player2."""

ACTION = "go action"
MARKS = str.maketrans("0123", ".meb")
"""Tiles on the wire: of nobody (0), one's own (1), the enemy's (2), of both (3)."""
FORMS = {
    "move": (read_integer, read_thousandths, read_thousandths),
    "attack": (read_integer, read_integer),
    "build": (read_integer, read_integer),
    "upgrade": (read_integer,),
    "suicide": (read_integer,),
}
"""The words that follow the first word of an order."""
BAD_FORM = Refusal(
    "syntax",
    "give 'move ID X Y', 'attack ID TARGET', 'build X Y', 'upgrade ID' or 'suicide ID', with one "
    "blank between the words",
)


def mirrored(seat: int, value: int, last: int) -> int:
    """Convert a coordinate between 0 and `last` to the seat's view, or back."""
    return last - value if seat else value


# -- to the bot ------------------------------------------------------------------------------


def opening_lines(world: CodecharacterWorld) -> Lines:
    """The lines to the bots before the first turn."""
    one, two = (settings_lines("codecharacter", NAMES, seat, world.settings) for seat in SEATS)
    return one, two


class News:
    """The objects on the map as lines, cached from turn to turn. The text of a walking soldier
    changes in each turn, that of a standing one does not."""

    def __init__(self, world: CodecharacterWorld) -> None:
        self._world = world
        self._heads = [f"{one.id} {NAMES[one.seat]}" for one in world.soldiers]
        self._kept: list[tuple[int, int, int, State, int] | None] = [None] * len(world.soldiers)
        self._texts = [("", "")] * len(world.soldiers)

    def turn_lines(self) -> Lines:
        """The lines to the bots at the start of a turn."""
        world, (one, two) = self._world, self.map_lines()
        head = f"round {world.round}"
        money = [f"settings money {money}" for money in world.money]
        return [head, money[0], *one], [head, money[1], *two]

    def end_lines(self, outcome: Outcome) -> Lines:
        """The lines to the bots at the end."""
        one, two = self.map_lines()
        last = [game_over_line(outcome.ranks[seat], outcome.points[seat]) for seat in SEATS]
        return [*one, last[0]], [*two, last[1]]

    def map_lines(self) -> Lines:
        """The lines with all objects on the map."""
        world = self._world
        size, (one, two) = world.settings.map_size, world.territory
        soldiers, towers = self._soldier_lines(), _tower_lines(world)
        return (
            [soldiers[0], towers[0], _territory_line(one, two, size, 0)],
            [soldiers[1], towers[1], _territory_line(two, one, size, 1)],
        )

    def _soldier_lines(self) -> tuple[str, str]:
        world, heads, texts = self._world, self._heads, self._texts
        now = [(one.x, one.y, one.hp, one.state, 1 if one.immune else 0) for one in world.soldiers]
        for i in compress(count(), map(ne, self._kept, now)):
            self._kept[i] = x, y, hp, state, immune = now[i]
            texts[i] = _two_views(heads[i], x, y, f"{hp} {state} {immune}", world.edge)
        return _own_first("soldiers", texts, world.settings.num_soldiers)


def _tower_lines(world: CodecharacterWorld) -> tuple[str, str]:
    edge = world.edge
    towers = sorted(world.towers.values(), key=lambda tower: tower.seat)  # stable: by id
    texts = [
        _tower_texts(one.id, one.seat, one.x, one.y, one.hp, one.level, one.base, edge)
        for one in towers
    ]
    return _own_first("towers", texts, sum(tower.seat == 0 for tower in towers))


def _own_first(what: str, texts: list[tuple[str, str]], ones: int) -> tuple[str, str]:
    """The line of each seat; the first `ones` of the texts are player1's."""
    plain, turned = zip(*texts, strict=True)
    head = f"update_map {what}"
    return " ".join([head, *plain]), " ".join([head, *turned[ones:], *turned[:ones]])


@lru_cache(maxsize=1 << 11)  # most are the same as in the previous turn
def _tower_texts(
    id: int, seat: int, x: int, y: int, hp: int, level: int, base: bool, edge: int
) -> tuple[str, str]:
    return _two_views(f"{id} {NAMES[seat]}", x, y, f"{hp} {level} {base:d}", edge)


def _two_views(head: str, x: int, y: int, tail: str, edge: int) -> tuple[str, str]:
    """The text of an object on the map, as player1 and as player2 sees it."""
    return f"{head} {point(x, y)} {tail}", f"{head} {point(edge - x, edge - y)} {tail}"


@lru_cache(maxsize=1 << 6)
def _territory_line(own: int, enemy: int, size: int, seat: int) -> str:
    """The line with a word of `map_size` characters per row, from the top."""
    # the first digit is the last tile, which player2 sees as the first
    tiles = format(_spread(own) + 2 * _spread(enemy), f"0{size * size}x")
    tiles = tiles.translate(MARKS)[:: 1 if seat else -1]
    rows = [tiles[start : start + size] for start in range(0, size * size, size)]
    return f"update_map territory {' '.join(rows)}"


def _spread(bits: int) -> int:
    """A number whose hexadecimal digits are these bits."""
    return int(format(bits, "b"), 16)


# -- from the bot ----------------------------------------------------------------------------


def read_orders(world: CodecharacterWorld, seat: int, text: str) -> Orders:
    """The orders of an answer."""
    reader = _Reader(world, seat)
    for number, piece in enumerate(only_orders(pieces(text)), 1):
        if refusal := reader.read(number, piece):
            reader.orders.void.append(Void(number, piece, refusal))
    return reader.orders


class _Reader:
    """Reads the orders of one seat, one by one."""

    def __init__(self, world: CodecharacterWorld, seat: int) -> None:
        self.orders = Orders()
        self._seat = seat
        self._edge = world.edge
        self._last_tile = world.settings.map_size - 1

    def read(self, number: int, piece: str) -> Refusal | None:
        """Read an order and add it; return a refusal if it is malformed."""
        verb, *words = piece.split(" ")
        form = FORMS.get(verb)
        if form is None or len(form) != len(words):
            return ONLY_ALONE if is_no_moves(piece) else BAD_FORM
        values: list[int] = []
        for read, word in zip(form, words, strict=True):
            value = read(word)
            if value is None:
                why = f"{quote(word)} is no number in the form that is asked for"
                return Refusal("syntax", why)
            values.append(value)
        self._enter(number, piece, verb, values)
        return None

    def _enter(self, number: int, piece: str, verb: str, values: list[int]) -> None:
        orders, seat = self.orders, self._seat
        match verb:
            case "move":
                id, x, y = values
                x, y = mirrored(seat, x, self._edge), mirrored(seat, y, self._edge)
                orders.soldiers.append(Move(number=number, text=piece, soldier=id, x=x, y=y))
            case "attack":
                orders.soldiers.append(Attack(number, piece, *values))
            case "build":
                x, y = [mirrored(seat, value, self._last_tile) for value in values]
                orders.builds.append(Build(number, piece, (x, y)))
            case "upgrade":
                orders.towers.append(Upgrade(number, piece, *values))
            case "suicide":
                orders.towers.append(Suicide(number, piece, *values))
