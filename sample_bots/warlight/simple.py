"""simple.py - a Warlight bot to copy: it takes what comes first, one region after the other.

Strategy: give all new armies to the border region with the weakest neighbour; then let every
border region attack each neighbour that it outnumbers two to one. It knows nothing of super
regions and never defends. Type the lines of the protocol yourself to see how it talks: every
`pick_...` and every `go ...` line needs exactly one line as its answer.
"""

import sys

me = "player1"
new_armies = 5
neighbours: dict[str, set[str]] = {}  # every region of the map -> the regions beside it
owner: dict[str, str] = {}  # every region in sight -> player1, player2 or neutral
armies: dict[str, int] = {}


def targets(region: str) -> list[str]:
    """The neighbours that are not mine, the weakest first."""
    foreign = [other for other in neighbours[region] if owner[other] != me]
    return sorted(foreign, key=lambda other: (armies[other], int(other)))


for line in sys.stdin:
    answer = ""
    border = [region for region in owner if owner[region] == me and targets(region)]
    match line.split():
        case ["settings", "your_bot", name]:
            me = name
        case ["settings", "starting_armies", number]:
            new_armies = int(number)
        case ["setup_map", "neighbors", *pairs]:  # "1 2,3 2 4": each link once, so add it twice
            for region, others in zip(pairs[::2], pairs[1::2], strict=True):
                for other in others.split(","):
                    neighbours.setdefault(region, set()).add(other)
                    neighbours.setdefault(other, set()).add(region)
        case ["update_map", *triples]:  # "1 player1 2 2 neutral 6": all that I see now
            owner = dict(zip(triples[::3], triples[1::3], strict=True))
            armies = dict(zip(triples[::3], map(int, triples[2::3]), strict=True))
        case ["pick_starting_region", _time, first, *_rest]:
            answer = first
        case ["go", "place_armies", _time] if border:
            place = min(border, key=lambda region: armies[targets(region)[0]])
            armies[place] += new_armies  # remember it: the attack comes next
            answer = f"{me} place_armies {place} {new_armies}"
            print(f"@viz mark {place} plan", file=sys.stderr)  # `arena view` draws it
        case ["go", "attack/transfer", _time]:
            orders = []
            for region in border:
                free = armies[region] - 1  # one stays at home
                for target in targets(region):
                    force = 2 * armies[target]
                    if free >= force:
                        orders.append(f"{me} attack/transfer {region} {target} {force}")
                        free -= force
            answer = ", ".join(orders) or "No moves"
        case ["go", *_]:
            answer = "No moves"
    if answer:
        print(answer, flush=True)
