"""Every line that a bot is told. What a seat may know is decided here, with its `Sight`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena.games.warlight import rules
from arena.games.warlight.board import Board
from arena.games.warlight.world import NAMES, Act, Attacked, Placed, Transferred, WarlightWorld

PLACE = "go place_armies"
ATTACK = "go attack/transfer"
PICK = "pick_starting_region"


def numbers(values: Iterable[int]) -> str:
    """Numbers, each after a blank."""
    return "".join([f" {value}" for value in values])


def opening_lines(world: WarlightWorld, seat: int) -> list[str]:
    """What a bot is told before the first pick."""
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
        f"setup_map neighbors{''.join(_links(board))}",
    ]


def _links(board: Board) -> Iterator[str]:
    """Each link once, under its lower region."""
    for region in board.regions:
        higher = [other for other in board.neighbors[region] if other > region]
        if higher:
            yield f" {region} {','.join(map(str, higher))}"


def picks_line(world: WarlightWorld, seat: int) -> str:
    """What the other has picked."""
    return f"setup_map opponent_starting_regions{numbers(rules.picked(world, 1 - seat))}"


def round_lines(world: WarlightWorld, texts: list[str], seat: int) -> list[str]:
    """What a bot is told at the start of a round; `texts` are from `region_texts`."""
    view = world.sight[seat].view(world.owner)
    return [
        f"settings starting_armies {world.income[seat]}",
        " ".join(["update_map", *[texts[region] for region in view]]),
        " ".join(["opponent_moves", *map(_act_text, world.witnessed[seat])]),
    ]


def region_texts(world: WarlightWorld) -> list[str]:
    """Each region as `update_map` gives it, if it does."""
    return [
        f"{region} {NAMES[owner]} {armies}"
        for region, (owner, armies) in enumerate(zip(world.owner, world.armies, strict=True))
    ]


def _act_text(act: Act) -> str:
    """An act as an order in the sizes that were carried out."""
    match act:
        case Placed(seat, region, armies):
            return f"{NAMES[seat]} place_armies {region} {armies}"
        case Transferred(seat, source, target, armies) | Attacked(seat, source, target, armies):
            return f"{NAMES[seat]} attack/transfer {source} {target} {armies}"
    raise AssertionError(f"nobody witnesses {act}")
