"""The board for a person at a seat: what its lines tell, as a picture with the ids of regions."""

from __future__ import annotations

from collections.abc import Iterator

from arena.core import Ask
from arena.games.kit import letter
from arena.games.warlight.words import ATTACK
from arena.games.warlight.world import Placed, WarlightWorld

PITCH = 4
"""Columns for one step of the lattice: regions of a row are two steps apart."""
WIDTH = 110
"""Columns of a drawn map, at most; the regions of a wider one are only listed."""


def seat_picture(world: WarlightWorld, ask: Ask) -> str:
    """``7:A5`` is region 7, held by A (player1) with 5 armies; ``7:?`` is not seen."""
    texts = _texts(world, ask.seat, known_armies(world, ask))
    lines = [*_lattice(world, texts), *_supers(world, texts)]
    return "\n".join([*lines, "A player1  B player2  . neutral  ? not seen  ! wasteland, not seen"])


def known_armies(world: WarlightWorld, ask: Ask) -> list[int]:
    """The armies of each region, without those that the other has placed in this round: that is
    told when the round is over."""
    armies = world.armies[:]
    for act in world.acts if ask.head == ATTACK else ():
        if isinstance(act, Placed) and act.seat != ask.seat:
            armies[act.region] -= act.armies
    return armies


def _texts(world: WarlightWorld, seat: int, armies: list[int]) -> dict[int, str]:
    """Each region as the seat sees it."""
    seen, wastelands = world.sight[seat].count, world.opening.wastelands
    return {
        region: f"{region}:{letter(world.owner[region])}{armies[region]}"
        if seen[region]
        else f"{region}:{'!' if region in wastelands else '?'}"
        for region in world.board.regions
    }


def _lattice(world: WarlightWorld, texts: dict[int, str]) -> Iterator[str]:
    if world.board.xy is None:
        return
    places = {region: world.board.xy[region] for region in texts}
    left, top = (min(place[axis] for place in places.values()) for axis in (0, 1))
    if (max(x for x, _ in places.values()) - left + 2) * PITCH > WIDTH:
        return
    rows: dict[int, str] = {}
    for region, (x, y) in sorted(places.items(), key=lambda item: item[1]):
        rows[y - top] = rows.get(y - top, "").ljust((x - left) * PITCH) + texts[region]
    yield from (rows.get(y, "") for y in range(max(rows) + 1))
    yield ""


def _supers(world: WarlightWorld, texts: dict[int, str]) -> Iterator[str]:
    """Each super region: its bonus and its regions, each with its neighbours."""
    board = world.board
    for zone in board.supers:
        regions = [
            f"{texts[region]} ({' '.join(map(str, board.neighbors[region]))})"
            for region in board.members[zone]
        ]
        yield f"super region {zone}, +{board.bonus[zone]}: {'  '.join(regions)}"
