"""All lines sent to bots. This module decides what a seat may know."""

from __future__ import annotations

from typing import TypeAlias

from arena.core import Tell
from arena.games.kit import game_over_line, settings_lines
from arena.games.toroid import rules
from arena.games.toroid.orders import Attack, Build, Order, Scout, Transfer
from arena.games.toroid.world import Act, Attacked, Contact, Scouted, ToroidWorld

ACTION = "go action"
Known: TypeAlias = dict[int, tuple[int, int | None]]
"""Owner and units (None if only the owner is known), by country."""


def opening_lines(world: ToroidWorld, seat: int) -> list[str]:
    """The lines to a bot before the first turn."""
    seats = len(world.countries)
    players = world.names[:seats]
    neutrals = len(world.names) - seats
    lines = settings_lines("toroid", players, seat, world.settings, neutrals=neutrals)
    after_the_clock = 1 + lines.index(f"settings time_per_move {world.settings.time_per_move}")
    lines.insert(after_the_clock, f"settings max_game_turns {world.rounds}")
    order = " ".join([world.names[each] for each in world.turn_order])
    ring = " ".join(map(str, range(len(world.owner))))
    return [*lines, f"settings turn_order {order}", f"setup_map ring {ring}"]


def map_line(world: ToroidWorld, seat: int) -> str:
    """The `update_map` line: the seat's own countries first, then others in sight."""
    owner, units, names = world.owner, world.units, world.names
    counts = world.settings.visibility == "all"
    everything = world.settings.visibility != "neighbours"
    own, others = [], []
    right = 1 - len(owner)  # negative index, so that the ring wraps around
    for country, holder in enumerate(owner):
        if holder == seat:
            own.append(f"{country} {names[seat]} {units[country]}")
        elif everything or owner[country - 1] == seat or owner[country + right] == seat:
            shown = units[country] if counts else -1
            others.append(f"{country} {names[holder]} {shown}")
    return " ".join(["update_map", *own, *others])


def read_map(world: ToroidWorld, line: str) -> Known:
    """Parse an `update_map` line."""
    _, *words = line.split(" ")
    shown = zip(map(int, words[::3]), words[1::3], map(int, words[2::3]), strict=True)
    seats = len(world.countries)
    owners = {world.names[owner]: owner for owner in range(seats - len(world.names), seats)}
    return {country: (owners[name], None if units < 0 else units) for country, name, units in shown}


class MapNews:
    """The map steps to a seat in its turn: most actions change nothing, and then the same step is
    reused, in a quarter of the time."""

    def __init__(self, world: ToroidWorld, seat: int) -> None:
        self._world, self._seat = world, seat
        self._keep()

    def tell(self) -> Tell:
        """The step with the current map."""
        if (self._world.owner, self._world.units) != self._told:
            self._keep()
        return self._tell

    def _keep(self) -> None:
        self._told = self._world.owner[:], self._world.units[:]
        self._tell = Tell(self._seat, map_line(self._world, self._seat))


def blindfold(world: ToroidWorld, seat: int) -> ToroidWorld:
    """The world as the seat knows it: countries with unknown units have one. (A transfer to another
    owner's country fails if that is full.)"""
    copy = world.copy()
    known = read_map(world, map_line(world, seat))
    told = {country: units for country, (_, units) in known.items() if units is not None}
    copy.units[:] = [max(1, told.get(country, 1)) for country in range(len(world.units))]
    return copy


def news_line(world: ToroidWorld, seat: int) -> str:
    """The line with others' acts on the seat's countries since its last turn."""
    return " ".join(["opponent_moves", *[_contact(world, act) for act in world.news[seat]]])


def _contact(world: ToroidWorld, act: Contact) -> str:
    name, numbers = world.names[act.seat], f"{act.source} {act.target} {act.units}"
    if isinstance(act, Attacked):
        return f"{name} attack {numbers} {act.result}"
    return f"{name} transfer {numbers}"


def result_line(country: int, order: Order, act: Act | None) -> str:
    """The result of a legal action."""
    return f"result {country} {_result(order, act)}"


def _result(order: Order, act: Act | None) -> str:
    match order, act:
        case Attack(side, units), Attacked(result=result):
            return f"attack {side} {units} {result}"
        case Scout(side), Scouted(target=target, units=units):
            return f"scout {side} {target} {units}"
        case Transfer(side, units), _:
            return f"transfer {side} {units}"
        case Build(), _:
            return "build"
    return "skip"


def last_lines(world: ToroidWorld, seat: int) -> list[str]:
    """The lines to a seat when it is eliminated, or at the end."""
    return [
        map_line(world, seat),
        news_line(world, seat),
        game_over_line(rules.standing(world)[seat], rules.points(world)[seat]),
    ]
