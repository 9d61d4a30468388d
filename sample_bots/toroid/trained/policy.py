"""trained/policy.py - what a country does, by what its bot was told and by weights.

An observation has a row for each country of the ring (`arena/games/toroid/arrays.py`). A country
builds, unless it has a better use for its units: to go left or to go right, as many as may. Either
is scored by the same weights, of which there is a set for a rival, for a neutral and for one's own
country there. The best score above 0 wins. The numbers are those of the usual settings.
"""

from math import fsum

INPUTS = 8
KINDS = 3  # of neighbours: one's own, a rival's, a neutral's
SIZE = INPUTS * KINDS
MOST_RESIDENT = 20
MOST_SENT = 10


def kind_of(row: list[float], seats: int) -> int:
    """0: one's own country, 1: a rival's, 2: a neutral's or not seen."""
    return 0 if row[0] else 1 if any(row[1:seats]) else 2


def choose(rows: list[list[float]], scalars: list[float], seats: int, weights: list[float]) -> str:
    """The answer of the country that acts."""
    at = next(place for place, row in enumerate(rows) if row[seats + 3])
    units = rows[at][seats + 1]
    best, answer = (0.0, "build") if units < MOST_RESIDENT else (-1e9, "No moves")
    for side, step in (("left", -1), ("right", 1)):
        near, far, back = (rows[(at + step * k) % len(rows)] for k in (1, 2, -1))
        kind, behind = kind_of(near, seats), kind_of(back, seats)
        room = MOST_RESIDENT - near[seats + 1] if kind == 0 else MOST_SENT
        sent = int(min(units - 1, MOST_SENT, room))
        if sent < 1:
            continue
        told = near[seats + 1] if kind == 0 else near[seats + 2]  # own units, or those scouted
        mine = back[seats + 1] if behind == 0 else 0
        late = scalars[0] / scalars[1]
        ours = kind_of(far, seats) == 0
        inputs = 1, units / 10, told / 10, behind == 1, behind == 2, mine / 10, ours, late
        score = fsum(w * x for w, x in zip(weights[kind * INPUTS :], inputs, strict=False))
        if score > best:
            best, answer = score, f"{'transfer' if kind == 0 else 'attack'} {side} {sent}"
    return answer
