"""strong.py - a Warlight bot that imagines the round before it speaks.

Strategy: a region is worth what its super region pays for its price, and it warms the regions
beside it (`heat`). From that follow a few plans for either side (`plan`). Each of ours, also with
one attack left out, is played against theirs (`imagine`); the best is taken (`decide`).
"""

import sys
from itertools import chain, product, zip_longest
from math import fsum  # the same in all versions of Python, unlike sum

# A plan: the new armies for every region, and the moves in order: (side, from, to, armies).
Plan = tuple[list[int], list[tuple[int, int, int, int]]]
# Styles: fear (how much of their income may stand in our way), anger (what hurting them is worth).
STYLES = list(product((0.0, 0.5), (0.03, 0.2)))
income = {1: 5, -1: 5}  # side -> new armies each turn; a side is 1 (we), -1 (they) or 0 (neutral)
bonus: dict[int, int] = {}  # super region -> bonus
parts: dict[int, list[int]] = {}  # super region -> its regions
near: list[list[int]] = []  # region -> its neighbours
owner, armies = list[int](), list[int]()  # region -> side; its armies, as far as we know


def holder(owner: list[int], s: int) -> int:
    """The side that owns the whole super region, or 0."""
    return int(sum([owner[r] for r in parts[s]]) / max(1, len(parts[s])))


def heat(side: int, extra: int, anger: float) -> list[float]:
    """What it is worth to `side` to take each region, or to stand there."""
    guard = [n + extra * (o == -side) for o, n in zip(owner, armies, strict=True)]
    own = [0.0] * len(owner)
    for s in parts:
        foreign = [r for r in parts[s] if owner[r] != side]
        share = bonus[s] / max(1, 1.67 * sum([guard[r] for r in foreign])) ** 1.4
        loss = bonus[s] * (holder(owner, s) == -side)  # of the other side, if we take a region
        for r in foreign:
            own[r] = 0.02 + share + (anger + 0.6 * loss / guard[r]) * (owner[r] == -side)
    warm = own[:]
    for _ in range(2):  # half of the warmth reaches the neighbours, less where armies stand
        for r in range(1, len(owner)):
            warmth = 0.5 * max([warm[q] for q in near[r]])
            warm[r] = warmth if owner[r] == side else own[r] + warmth / guard[r]
    return warm


def plan(side: int, fear: float, anger: float) -> Plan:
    """The best goals, the warmest first, that the armies of one turn can reach."""
    foe, purse, extra = -side, income[side], int(fear * income[-side])
    warm = heat(side, extra, anger)
    own = [r for r, o in enumerate(owner) if o == side]
    placed, free = [0] * len(owner), {r: armies[r] - 1 for r in own}
    moves: dict[tuple[int, int], int] = {}
    goals = [(-warm[r], r) for r in {q for r in own for q in near[r] if owner[q] != side}]
    for r in chain(*[parts[s] for s in parts if holder(owner, s) == side]):
        if threat := sum([armies[q] for q in near[r] if owner[q] == foe]):  # hold what pays
            want = int(0.6 * threat + 0.36 * income[foe])
            free[r] = min(free[r], armies[r] - want)
            goals.append((-9.0 / max(1, want - armies[r]), r))
    for _, goal in sorted(goals):
        base, size = goal, 0
        if owner[goal] != side:  # n attackers kill (126 n + 40 hits + 125) // 250: send enough
            base = max([r for r in near[goal] if owner[r] == side], key=free.__getitem__)
            size = int(1.65 * (armies[goal] + extra * (owner[goal] == foe)) + 0.6)
        gap = max(0, size - free[base])
        if gap <= purse:
            purse -= gap
            placed[base] += gap
            free[base] += gap - size
            moves[base, goal] = size
    for r in sorted(own, key=lambda r: -warm[r]):  # the rest joins an attack or seeks warmth
        to = max(near[r], key=warm.__getitem__)
        placed[r] += purse
        size, purse = free[r] + purse, 0
        if size > 0 and ((r, to) in moves or (owner[to] == side and warm[to] > warm[r])):
            moves[r, to] = moves.get((r, to), 0) + size
    order = sorted(moves, key=lambda m: (owner[m[1]] == foe, moves[m]))  # attacks on them last
    return placed, [(side, *move, moves[move]) for move in order if moves[move]]


def imagine(ours: Plan, theirs: list[Plan]) -> float:
    """How we stand after the round, with mean dice: on average, and a little at worst."""
    ends = []
    for other, first in product(theirs, (1, -1)):
        whose, count = owner[:], [sum(n) for n in zip(armies, ours[0], other[0], strict=True)]
        turns = zip_longest(*(ours[1], other[1])[::first])
        for side, start, end, size in filter(None, chain(*turns)):
            if (size := min(size, count[start] - 1)) < 1 or whose[start] != side:
                continue
            count[start] -= size
            killed, lost = (6 * size + 5) // 10, min(size, (7 * count[end] + 5) // 10)
            if whose[end] == side:
                count[end] += size
            elif killed >= count[end] and lost < size:
                whose[end], count[end] = side, size - lost
            else:
                count[start] += size - lost
                count[end] = max(1, count[end] - killed)
        paid = sum([b * holder(whose, s) for s, b in bonus.items()])
        ends.append(4 * paid + fsum([o * (n + 0.3) for o, n in zip(whose, count, strict=True)]))
    return fsum(ends) / len(ends) + 0.3 * min(ends)


def decide() -> Plan:
    """Our best plan against all of theirs, perhaps without one of its attacks on them."""
    theirs = list({str(p): p for p in [plan(-1, *style) for style in STYLES]}.values())
    ours = list({str(p): p for p in [plan(1, *style) for style in STYLES]}.values())
    ours += [(p, [m for m in ms if m != x]) for p, ms in ours for x in ms if owner[x[2]] == -1]
    return max(ours, key=lambda plan: imagine(plan, theirs))


for line in sys.stdin:
    word = line.split()
    number = [int(w) for w in word if w.isdigit()]
    pairs = list(zip(word[2::2], word[3::2], strict=False))
    match word[:2]:
        case ["settings", "your_bot"]:
            me = word[2]
        case ["settings", "starting_armies"]:
            income[1] = number[0]
        case ["setup_map", "super_regions"]:
            bonus = {int(s): int(n) for s, n in pairs}
        case ["setup_map", "regions"]:
            parts = {s: [int(r) for r, home in pairs if int(home) == s] for s in bonus}
            owner, armies = [0] * (len(pairs) + 1), [2] * (len(pairs) + 1)  # ids begin with 1
        case ["setup_map", "neighbors"]:
            links = [(int(a), int(b)) for a, others in pairs for b in others.split(",")]
            near = [[a + b - r for a, b in links if r in (a, b)] for r in range(len(owner))]
        case ["setup_map", "wastelands"]:
            armies = [6 if r in number else 2 for r in range(len(owner))]
        case ["setup_map", "opponent_starting_regions"]:
            owner = [-1 if r in number else 0 for r in range(len(owner))]
        case ["update_map", *_]:
            seen = set(number[::2])
            owner = [-1 if side == 1 else side for side in owner]  # lost, unless it says: ours
            for r, name, n in zip(number[::2], word[2::3], number[1::2], strict=True):
                owner[r], armies[r] = {"neutral": 0, me: 1}.get(name, -1), n
        case ["opponent_moves", *_]:  # both ends of his moves are his, if they lie in the fog
            ends = {int(w) for i, w in enumerate(word) if "attack/transfer" in word[i - 2 : i]}
            owner = [-1 if r in ends - seen else side for r, side in enumerate(owner)]
            income[-1] = 5 + sum([b for s, b in bonus.items() if holder(owner, s) == -1])
        case ["pick_starting_region", _]:
            print(max(number[1:], key=heat(1, 0, 0).__getitem__), flush=True)
        case ["go", "place_armies"]:
            new, moves = decide()
            orders = [f"{me} place_armies {r} {n}" for r, n in enumerate(new) if n]
            print(", ".join(orders) or "No moves", flush=True)
        case ["go", "attack/transfer"]:
            orders = [f"{me} attack/transfer {a} {b} {n}" for _, a, b, n in moves]
            print(", ".join(orders) or "No moves", flush=True)
