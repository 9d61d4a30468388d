"""simple.py - a Hextrategic bot to copy: it takes the weakest neighbour that it can beat.

Strategy: a cell beside foreign land attacks the weakest cell there with all its units, when these
are enough, and otherwise saves; a cell that has only own neighbours sends all on towards the
nearest foreign land. It has no eye for income, never defends, and no two cells act together.
"""

import sys

me = "player1"
neighbours: dict[int, list[int]] = {}  # every cell -> the cells beside it
owner: dict[int, str] = {}  # every cell -> player1, player2, … or neutral
units: dict[int, int] = {}


def distances() -> dict[int, int]:
    """How many steps each cell is from the nearest one that is not mine."""
    far = {cell: 0 for cell in owner if owner[cell] != me}
    edge = list(far)
    for cell in edge:  # grows while we walk: the nearest come first
        for near in neighbours[cell]:
            if near not in far:
                far[near] = far[cell] + 1
                edge.append(near)
    return far


def orders() -> list[str]:
    """One move for each of my cells that has something to do."""
    far, found = distances(), []
    for cell in owner:
        if owner[cell] == me and units[cell] and far:
            goal = min(neighbours[cell], key=lambda near: (far[near], units[near]))
            if far[goal] or units[cell] > units[goal]:
                found.append(f"move {cell} {goal} {units[cell]}")
    return found


for line in sys.stdin:
    match line.split():
        case ["settings", "your_bot", name]:
            me = name
        case ["setup_map", "neighbors", *pairs]:  # "0 1,2 1 2,3": each link once, so add it twice
            for cell, others in zip(map(int, pairs[::2]), pairs[1::2], strict=True):
                for other in map(int, others.split(",")):
                    neighbours.setdefault(cell, []).append(other)
                    neighbours.setdefault(other, []).append(cell)
        case ["update_map", *triples]:  # "0 neutral 3 1 player1 10": all cells, every round
            owner = dict(zip(map(int, triples[::3]), triples[1::3], strict=True))
            units = dict(zip(map(int, triples[::3]), map(int, triples[2::3]), strict=True))
        case ["go", "action", _time]:  # the only request: exactly one line
            strongest = max(units, key=lambda cell: units[cell] * (owner[cell] == me))
            print(f"@viz mark {strongest} good", file=sys.stderr)  # `arena view` draws it
            print(", ".join(orders()) or "No moves", flush=True)
