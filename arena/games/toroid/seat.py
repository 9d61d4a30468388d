"""The board for a person at a seat: what its line `update_map` tells, as a ring."""

from __future__ import annotations

from arena.core import Ask
from arena.games.kit import letter
from arena.games.toroid.frames import ring_lines
from arena.games.toroid.words import map_line
from arena.games.toroid.world import ToroidWorld


def seat_picture(world: ToroidWorld, ask: Ask) -> str:
    """``7:A12`` is country 7, held by A (player1) with 12 units; of ``7:B`` the units are not seen,
    of ``7:?`` nothing is."""
    cells = [f"{country}:?" for country in range(len(world.owner))]
    seats = world.names[: len(world.countries)]
    words = map_line(world, ask.seat).split()[1:]
    for country, name, units in zip(words[::3], words[1::3], words[2::3], strict=True):
        owner = letter(seats.index(name) if name in seats else -1)
        cells[int(country)] = f"{country}:{owner}{'' if units == '-1' else units}"
    signs = [f"{letter(i)} {name}" for i, name in enumerate(seats)]
    return "\n".join([*ring_lines(cells), "", "  ".join([*signs, ". neutral", "? not seen"])])
