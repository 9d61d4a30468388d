"""All lines sent to bots. With `Sight`, this module decides what a seat may know."""

from __future__ import annotations

from collections.abc import Iterable

from arena.core import Tell
from arena.games.kit import MapTexts, links_text, tell_each
from arena.games.warlight import rules
from arena.games.warlight.board import Board
from arena.games.warlight.world import NAMES, Act, Picked, Placed, WarlightWorld

PLACE = "go place_armies"
ATTACK = "go attack/transfer"
PICK = "pick_starting_region"


def numbers(values: Iterable[int]) -> str:
    """Numbers, each preceded by a blank."""
    return "".join([f" {value}" for value in values])


def opening_lines(world: WarlightWorld, seat: int) -> list[str]:
    """The lines to a bot before the first pick."""
    settings, opening, board = world.settings, world.opening, world.board
    return [
        f"settings timebank {settings.timebank}",
        f"settings time_per_move {settings.time_per_move}",
        f"settings max_rounds {world.max_rounds}",
        f"settings your_bot {NAMES[seat]}",
        f"settings opponent_bot {NAMES[1 - seat]}",
        *map_lines(board),
        f"setup_map wastelands{numbers(opening.wastelands)}",
        f"settings starting_regions{numbers(opening.pickable)}",
        f"settings starting_pick_amount {opening.picks // 2}",
    ]


def map_lines(board: Board) -> list[str]:
    """The board: super regions with their bonus, regions with their super region, links."""
    supers = numbers(value for zone in board.supers for value in (zone, board.bonus[zone]))
    regions = numbers(
        value for region in board.regions for value in (region, board.super_of[region])
    )
    return [
        f"setup_map super_regions{supers}",
        f"setup_map regions{regions}",
        f"setup_map neighbors{links_text(board.neighbors)}",
    ]


def picks_line(world: WarlightWorld, seat: int) -> str:
    """The line with the opponent's picks."""
    return f"setup_map opponent_starting_regions{numbers(rules.picked(world, 1 - seat))}"


def round_lines(world: WarlightWorld, texts: MapTexts, seat: int) -> list[str]:
    """The lines to a bot at the start of a round; `texts` come from `region_texts`."""
    return [
        f"settings starting_armies {world.income[seat]}",
        texts.line(world.sight[seat].view()),
        " ".join(["opponent_moves", *map(_act_text, world.witnessed[seat])]),
    ]


def region_texts(world: WarlightWorld) -> MapTexts:
    """The text of each region for `update_map`."""
    return MapTexts(NAMES, world.owner, world.armies)


class News:
    """The steps to the bots at the start of each round: the same objects again if nothing
    happened."""

    def __init__(self, world: WarlightWorld) -> None:
        self._world = world
        self._texts = region_texts(world)
        self._keep()

    def tells(self) -> list[Tell]:
        """The lines to both seats. Do not change the list."""
        world = self._world
        is_renewed = self._texts.renew(world.owner, world.armies)
        if is_renewed or (world.income, world.witnessed) != self._told:
            self._keep()
        return self._tells

    def _keep(self) -> None:
        world, (one, two) = self._world, self._world.witnessed
        self._told = world.income[:], (one[:], two[:])
        self._tells = tell_each((0, 1), lambda seat: round_lines(world, self._texts, seat))


def _act_text(act: Act) -> str:
    """An act as an order, with the number of armies actually used."""
    name = NAMES[act.seat]
    if isinstance(act, Placed):
        return f"{name} place_armies {act.region} {act.armies}"
    assert not isinstance(act, Picked), f"{act} is never witnessed"
    return f"{name} attack/transfer {act.source} {act.target} {act.armies}"
