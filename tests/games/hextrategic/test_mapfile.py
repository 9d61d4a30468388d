"""Map files: what is taken, what is refused, and in which words."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from arena.core.game import Setup
from arena.core.rng import Stream
from arena.core.table import Table
from arena.errors import MapError
from arena.games.hextrategic import GAME
from arena.games.hextrategic.board import SYMMETRIES, TYPES, draw_start, hexagon, load_start
from arena.games.hextrategic.world import new_world
from arena.games.kit.wire import player_names
from tests.games.hextrategic.helpers import Talk, settings


def cell(q: int, r: int, owner: str = "neutral", units: int = 0, type: str = "normal") -> Any:
    return {"q": q, "r": r, "type": type, "owner": owner, "units": units}


def line_map() -> Any:
    """Five cells in a row, which can be read from both ends."""
    return {
        "cells": [
            cell(0, 0, "player1", 8, "silver"),
            cell(1, 0, units=3),
            cell(2, 0, units=5, type="gold"),
            cell(3, 0, units=3),
            cell(4, 0, "player2", 8, "silver"),
        ],
        "symmetries": [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0]],
    }


def ring_map() -> Any:
    """A ring of 30 cells, which five players may walk around: no hexagon has five such turns."""
    ring = [at for at in hexagon(5) if max(abs(at[0]), abs(at[1]), abs(sum(at))) == 5]
    walk = [ring[0]]
    while len(walk) < 30:
        q, r = walk[-1]
        beside = [(q + 1, r), (q, r + 1), (q - 1, r + 1), (q - 1, r), (q, r - 1), (q + 1, r - 1)]
        walk.append(next(at for at in beside if at in ring and at not in walk))
    names = {6 * seat: f"player{seat + 1}" for seat in range(5)}
    return {
        "cells": [cell(q, r, names.get(i, "neutral"), 4) for i, (q, r) in enumerate(walk)],
        "symmetries": [[(i + 6 * seat) % 30 for i in range(30)] for seat in range(5)],
    }


def load(data: Any, seats: int = 2) -> None:
    new_world(Setup("1", seats, settings(), data))


def test_a_map_is_the_start() -> None:
    made = new_world(Setup("1", 2, settings(start_units=99), line_map()))
    assert made.owner == [0, -1, -1, -1, 1]
    assert made.units == [8, 3, 5, 3, 8]
    assert [TYPES[kind] for kind in made.board.types] == [
        "silver", "normal", "gold", "normal", "silver"
    ]  # fmt: skip
    assert made.board.neighbors == ((1,), (0, 2), (1, 3), (2, 4), (3,))
    told = Talk(made).told[0]
    assert "settings radius 4" in told
    assert "setup_map cells 0 0 0 silver 1 1 0 normal 2 2 0 gold 3 3 0 normal 4 4 0 silver" in told
    assert "setup_map neighbors 0 1 1 2 2 3 3 4" in told


def test_five_players_need_five_symmetries() -> None:
    table = Table(GAME, Setup("1", 5, settings(), ring_map()))
    assert len(table.asked) == 5
    assert table.world.position_points == (40, 30, 20, 10, 0)


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_a_drawn_board_is_a_good_map(seats: int) -> None:
    drawn = draw_start(settings(radius=3), seats, Stream("1", "setup"))
    places = drawn.board.cells
    names = [*player_names(seats), "neutral"]
    images = [[places.index(symmetry.image(at)) for at in places] for symmetry in SYMMETRIES[seats]]
    first = drawn.owner.index(0)
    data = {
        "cells": [
            cell(q, r, names[owner], units, TYPES[kind])
            for (q, r), owner, units, kind in zip(
                places, drawn.owner, drawn.units, drawn.board.types, strict=True
            )
        ],
        "symmetries": sorted(images, key=lambda image: drawn.owner[image[first]]),
    }
    assert load_start(data, seats) == drawn


def broken(change: Callable[[Any], Any]) -> Any:
    data = copy.deepcopy(line_map())
    change(data)
    return data


def put(at: int, **values: Any) -> Callable[[Any], Any]:
    return lambda data: data["cells"][at].update(values)


FORM = "the map file has not the right form: "
GIVE = (
    ". Give an object with cells (q, r, type, owner, units) and symmetries (a list of cell numbers "
    "for each seat)"
)
FIX = ": correct the list, or make the map the same for all players"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda data: data.pop("symmetries"),
            f"{FORM}Object missing required field `symmetries`{GIVE}",
        ),
        (
            put(0, type="iron"),
            f"{FORM}Invalid enum value 'iron' - at `$.cells[0].type`{GIVE}",
        ),
        (put(0, units=-1), f"{FORM}Expected `int` >= 0 - at `$.cells[0].units`{GIVE}"),
        (
            lambda data: data["cells"].__delitem__(slice(1, 5)),
            "the map has 1 cells: give at least 2 and at most 10000",
        ),
        (
            put(3, q=1),
            "cells 1 and 3 both lie at q = 1, r = 0: give every cell a place of its own",
        ),
        (put(4, q=5), "cell 4 cannot be reached from cell 0: join the parts of the map"),
        (
            put(4, owner="player3"),
            "cell 4 belongs to 'player3': give one of player1, player2, neutral, or play with as "
            "many bots as the map is for",
        ),
        (
            put(4, owner="neutral"),
            "no cell belongs to player2: give every player a cell to start with",
        ),
        (
            lambda data: data["symmetries"].pop(),
            "the map has 1 symmetries for 2 players: give one list for each",
        ),
        (
            lambda data: data["symmetries"][1].__setitem__(0, 0),
            f"symmetry 2 of the map is none, since it does not name each of the 5 cells once{FIX}",
        ),
        (
            put(1, units=4),
            f"symmetry 2 of the map is none, since cells 1 and 3 differ in type or units{FIX}",
        ),
        (
            put(3, type="bronze"),
            f"symmetry 2 of the map is none, since cells 1 and 3 differ in type or units{FIX}",
        ),
        (
            lambda data: data["symmetries"].__setitem__(1, [0, 1, 2, 3, 4]),
            "symmetry 2 of the map is none, since the owners of cells 0 and 0 do not go together"
            + FIX,
        ),
        (
            lambda data: data["symmetries"].__setitem__(0, [0, 3, 2, 1, 4]),
            "symmetry 1 of the map is none, since the neighbours of cell 0 are not carried to "
            f"those of cell 0{FIX}",
        ),
    ],
)
def test_bad_maps_are_refused(change: Callable[[Any], Any], sentence: str) -> None:
    with pytest.raises(MapError) as error:
        load(broken(change))
    assert str(error.value) == sentence


def test_an_owner_that_is_carried_to_two_is_refused() -> None:
    data = line_map()
    data["cells"][3] = cell(3, 0, "player1", 3)
    with pytest.raises(MapError, match="the owners of cells 1 and 3 do not go together"):
        load(data)
