"""simple.py - a Toroid Wars bot to copy: it always attacks.

Strategy: a country with a foreign neighbour sends all its units but one against it, the left one
first. All others build. It counts nobody, keeps nothing back and forgets everything. Type the
lines of the protocol yourself to see how it talks: every `go ...` line wants exactly one line as
its answer.
"""

import sys

me = "player1"
ring = 10  # countries
max_attack = 10
max_resident = 20
owner: dict[int, str] = {}  # every country in sight -> player1, ... or neutral1, ...
units: dict[int, int] = {}  # -1: not known


def action(country: int) -> str:
    """What the country does."""
    spare = min(units[country] - 1, max_attack)  # one stays at home
    for side, step in (("left", -1), ("right", 1)):
        if owner[(country + step) % ring] != me and spare > 0:
            return f"attack {side} {spare}"
    return "build" if units[country] < max_resident else "No moves"


for line in sys.stdin:
    match line.split():
        case ["settings", "your_bot", name]:
            me = name
        case ["settings", "max_attack_units", number]:
            max_attack = int(number)
        case ["settings", "max_resident_units", number]:
            max_resident = int(number)
        case ["setup_map", "ring", *countries]:
            ring = len(countries)
        case ["update_map", *triples]:  # "2 player1 6 1 neutral4 -1": all that I see now
            seen = list(map(int, triples[::3]))
            owner = dict(zip(seen, triples[1::3], strict=True))
            units = dict(zip(seen, map(int, triples[2::3]), strict=True))
        case ["go", "action", _time, country]:
            print(f"@viz mark {country} info", file=sys.stderr)  # `arena view` draws it
            print(action(int(country)), flush=True)
