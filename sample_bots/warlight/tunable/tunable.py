"""tunable.py - a Warlight bot whose judgement is four numbers, for `arena tune`.

Strategy: every foreign region beside ours has a value, and the most valuable that we can take are
attacked first, with armies from the strongest neighbour; what is missing there is placed there.
Regions without foreign neighbours send their armies towards the border. The numbers, which
`bot.toml` declares, come as arguments:

--force  armies sent for each army that defends
--greed  how much the bonus of a super region counts, against the armies that it still costs
--anger  how much more a region of the opponent is worth than a neutral one
--stay   armies that stay at home
"""

import sys

numbers = dict(word[2:].split("=") for word in sys.argv[1:])
FORCE, GREED, ANGER = (float(numbers[name]) for name in ("force", "greed", "anger"))
STAY = int(numbers["stay"])
me = "player1"
income = 5
bonus: dict[str, int] = {}  # super region -> bonus
home: dict[str, str] = {}  # region -> its super region
near: dict[str, set[str]] = {}  # region -> the regions beside it
owner: dict[str, str] = {}  # region in sight -> player1, player2 or neutral
armies: dict[str, int] = {}
moves: dict[tuple[str, str], int] = {}


def value(region: str) -> float:
    """What it is worth to take a region."""
    parts = [other for other in home if home[other] == home[region]]
    cost = sum(armies.get(other, 2) for other in parts if owner.get(other) != me)
    angry = ANGER if owner.get(region) not in ("neutral", me) else 0
    return (GREED * bonus[home[region]] / max(1, cost) + angry + 0.1) / (armies.get(region, 2) + 1)


def border(region: str) -> list[str]:
    """The neighbours that are not ours."""
    return [other for other in near[region] if owner.get(other) != me]


def distances() -> dict[str, int]:
    """How far our regions are from a foreign one."""
    ring = [region for region in owner if owner[region] == me and border(region)]
    found = dict.fromkeys(ring, 0)
    for region in ring:  # grows while it is read
        for other in near[region]:
            if owner.get(other) == me and other not in found:
                found[other] = found[region] + 1
                ring.append(other)
    return found


def decide() -> dict[str, int]:
    """The new armies by region; also fills `moves`."""
    moves.clear()
    purse, placed = income, {}
    free = {region: armies[region] - STAY for region in owner if owner[region] == me}
    goals = {other for region in free for other in border(region)}
    for goal in sorted(goals, key=lambda goal: (-value(goal), int(goal))):
        base = max((r for r in near[goal] if r in free), key=lambda r: (free[r], -int(r)))
        size = int(FORCE * armies.get(goal, 2) + 0.6)
        gap = max(0, size - max(0, free[base]))
        if size < 1 or gap > purse:
            continue
        purse -= gap
        placed[base] = placed.get(base, 0) + gap
        free[base] += gap - size
        moves[base, goal] = size
    if purse and free:  # what is left joins the first attack, or strengthens the border
        base, goal = next(iter(moves), (min(free, key=lambda r: (not border(r), armies[r])), ""))
        placed[base] = placed.get(base, 0) + purse
        if goal:
            moves[base, goal] += purse
    far = distances()
    for region in free:
        if not border(region) and free[region] > 0 and region in far:
            to = min(near[region], key=lambda other: (far.get(other, 99), int(other)))
            moves[region, to] = free[region]
    return {region: size for region, size in placed.items() if size}


for line in sys.stdin:
    match line.split():
        case ["settings", "your_bot", name]:
            me = name
        case ["settings", "starting_armies", number]:
            income = int(number)
        case ["setup_map", "super_regions", *pairs]:
            bonus = dict(zip(pairs[::2], map(int, pairs[1::2]), strict=True))
        case ["setup_map", "regions", *pairs]:
            home = dict(zip(pairs[::2], pairs[1::2], strict=True))
        case ["setup_map", "neighbors", *pairs]:
            for region, others in zip(pairs[::2], pairs[1::2], strict=True):
                for other in others.split(","):
                    near.setdefault(region, set()).add(other)
                    near.setdefault(other, set()).add(region)
        case ["update_map", *triples]:
            owner = dict(zip(triples[::3], triples[1::3], strict=True))
            armies = dict(zip(triples[::3], map(int, triples[2::3]), strict=True))
        case ["pick_starting_region", _time, *regions]:
            print(max(regions, key=lambda r: (value(r), -int(r))), flush=True)
        case ["go", "place_armies", _time]:
            new = decide()
            orders = [f"{me} place_armies {region} {size}" for region, size in new.items()]
            print(", ".join(orders) or "No moves", flush=True)
        case ["go", "attack/transfer", _time]:
            orders = [f"{me} attack/transfer {a} {b} {size}" for (a, b), size in moves.items()]
            print(", ".join(orders) or "No moves", flush=True)
