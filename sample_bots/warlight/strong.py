"""strong.py"""

import sys
from math import sqrt

P = dict(pw=1.3, brk=1.0, guess=0.35, decay=0.6, hold=0.6, hinc=0.5, thr=0.5, ratio=1.3, base=0.02, pickp=1.3, kill=0.03, sig=1.0, res=1, order=1, own=1.0)


def need(defenders: int) -> int:
    n = max(2, int(defenders * 1.6))
    while True:
        hits = max(0, int(0.6 * n - P["sig"] * sqrt(0.24 * n)))
        if (126 * n + 40 * hits + 125) // 250 >= defenders:
            return n
        n += 1


class Bot:
    def __init__(self) -> None:
        self.me, self.foe, self.income, self.foe_income = "player1", "player2", 5, 5
        self.near: dict[int, list[int]] = {}
        self.home: dict[int, int] = {}
        self.bonus: dict[int, int] = {}
        self.parts: dict[int, list[int]] = {}
        self.owner: dict[int, str] = {}
        self.armies: dict[int, int] = {}
        self.seen: set[int] = set()
        self.moves: dict[tuple[int, int], int] = {}

    def hear(self, line: str) -> str:
        match line.split():
            case ["settings", "your_bot", name]:
                self.me = name
            case ["settings", "opponent_bot", name]:
                self.foe = name
            case ["settings", "starting_armies", n]:
                self.income = int(n)
            case ["setup_map", "super_regions", *rest]:
                self.bonus = dict(zip(map(int, rest[::2]), map(int, rest[1::2])))
                self.parts = {s: [] for s in self.bonus}
            case ["setup_map", "regions", *rest]:
                self.home = dict(zip(map(int, rest[::2]), map(int, rest[1::2])))
                for r, s in self.home.items():
                    self.parts[s].append(r)
                    self.near[r], self.owner[r], self.armies[r] = [], "neutral", 2
            case ["setup_map", "neighbors", *rest]:
                for a, bs in zip(map(int, rest[::2]), rest[1::2]):
                    for b in map(int, bs.split(",")):
                        self.near[a].append(b)
                        self.near[b].append(a)
            case ["setup_map", "wastelands", *rest]:
                for r in map(int, rest):
                    self.armies[r] = 6
            case ["setup_map", "opponent_starting_regions", *rest]:
                for r in map(int, rest):
                    self.owner[r] = self.foe
            case ["update_map", *rest]:
                self.see(rest)
            case ["opponent_moves", *rest]:
                self.watch(rest)
            case ["pick_starting_region", _, *rest]:
                return str(self.pick([int(r) for r in rest]))
            case ["go", "place_armies", _]:
                placed = self.plan()
                return ", ".join(f"{self.me} place_armies {r} {n}" for r, n in placed.items()) or "No moves"
            case ["go", "attack/transfer", _]:
                return ", ".join(f"{self.me} attack/transfer {a} {b} {n}" for (a, b), n in self.moves.items()) or "No moves"
        return ""

    def see(self, rest) -> None:
        self.seen = set()
        mine = [r for r, o in self.owner.items() if o == self.me]
        for r, o, n in zip(map(int, rest[::3]), rest[1::3], map(int, rest[2::3])):
            self.owner[r], self.armies[r] = o, n
            self.seen.add(r)
        for r in mine:
            if r not in self.seen:
                self.owner[r], self.armies[r] = self.foe, 2
        self.spotted = 0

    def watch(self, rest) -> None:
        i = spent = 0
        while i + 3 < len(rest):
            if rest[i + 1] == "place_armies":
                spent += int(rest[i + 3])
                i += 4
                continue
            a, b, n = map(int, rest[i + 2 : i + 5])
            i += 5
            if a not in self.seen:
                self.armies[a] = max(1, self.armies[a] - n) if self.owner[a] == self.foe else 1
                self.owner[a] = self.foe
            if b not in self.seen:
                if self.owner[b] == self.foe:
                    self.armies[b] += n
                elif n >= need(self.armies[b]):
                    self.owner[b], self.armies[b] = self.foe, n - int(0.7 * self.armies[b] + 0.5)
        known = 5 + sum(b for s, b in self.bonus.items() if all(self.owner[r] == self.foe for r in self.parts[s]))
        self.foe_income = max(known, spent)

    def pick(self, choice: list[int]) -> int:
        def score(r: int) -> float:
            s = self.home[r]
            cost = sum(need(self.armies[q]) - 1 for q in self.parts[s] if q != r)
            return self.bonus[s] / max(2, cost) ** P["pickp"]
        return max(choice, key=score)

    def plan(self) -> dict[int, int]:
        me, foe, near, home, owner, armies = self.me, self.foe, self.near, self.home, self.owner, self.armies
        own = [r for r in near if owner[r] == me]
        self.moves = {}
        if not own:
            return {}
        # who holds which super region
        full: dict[int, str] = {}
        rem: dict[int, float] = {}
        guard = {r: armies[r] + (P["guess"] * self.foe_income if owner[r] == foe else 0) for r in near}
        for s, parts in self.parts.items():
            owners = {owner[r] for r in parts}
            full[s] = owners.pop() if len(owners) == 1 else ""
            rem[s] = sum(guard[r] * 1.67 + (3 if owner[r] == foe and r in self.seen else 0) for r in parts if owner[r] != me)
        # heat
        heat: dict[int, float] = {}
        for r in near:
            if owner[r] == me:
                heat[r] = 0.0
                continue
            s = home[r]
            h = P["base"] + self.bonus[s] / max(1.0, rem[s]) ** P["pw"]
            if owner[r] == foe:
                n = need(int(guard[r]))
                h += P["kill"]
                if full[s] == foe:
                    h += P["brk"] * self.bonus[s] / n
                h += P["thr"] * sum(self.bonus[t] for t in {home[q] for q in near[r]} if full[t] == me) / n
            heat[r] = h
        source = dict(heat)
        for r in sorted(near, key=lambda r: -heat[r]):
            pass
        for _ in range(6):
            for r in near:
                h = P["decay"] * max(heat[q] for q in near[r])
                if owner[r] != me:
                    h = source[r] + 0.5 * h / (guard[r] / 2)
                heat[r] = h if owner[r] == me else max(h, source[r])
        budget = self.income
        placed: dict[int, int] = {}
        free = {r: armies[r] - 1 for r in own}
        goals: list[tuple[float, int]] = []
        for r in near:
            if owner[r] != me and any(owner[q] == me for q in near[r]):
                goals.append((heat[r], r))
            elif owner[r] == me:
                foes = [armies[q] - 1 for q in near[r] if owner[q] == foe]
                if foes and full[home[r]] == me:
                    want = int(0.6 * (sum(foes) + P["hinc"] * self.foe_income)) + 1
                    free[r] = min(free[r], armies[r] - want) if P["res"] else free[r]
                    goals.append((P["hold"] * self.bonus[home[r]] / max(1, want - armies[r]), r))
        for _, r in sorted(goals, key=lambda g: (-g[0], g[1])):
            if owner[r] == me:
                gap = -free[r]
                if 0 < gap <= budget:
                    placed[r] = placed.get(r, 0) + gap
                    budget -= gap
                    free[r] = 0
                continue
            n = need(int(guard[r] + 0.5))
            sources = sorted((q for q in near[r] if owner[q] == me), key=lambda q: -free[q])
            s = sources[0]
            gap = max(0, n - max(0, free[s]))
            if gap > budget:
                if sum(max(0, free[q]) for q in sources) + budget < n + len(sources):
                    continue
                for q in sources:
                    if free[q] > 1 and n > 0:
                        k = min(n, free[q])
                        self.moves[q, r] = k
                        n -= k
                        free[q] -= k
                if n > 0:
                    placed[s] = placed.get(s, 0) + n
                    self.moves[s, r] = self.moves.get((s, r), 0) + n
                    budget -= n
                continue
            if gap:
                placed[s] = placed.get(s, 0) + gap
                budget -= gap
                free[s] = max(0, free[s]) + gap
            self.moves[s, r] = n
            free[s] -= n
        if budget > 0:
            s = max(own, key=lambda r: (heat[r], -r))
            placed[s] = placed.get(s, 0) + budget
            free[s] += budget
        # leftovers
        for r in own:
            if free[r] <= 0:
                continue
            best = max(near[r], key=lambda q: (heat[q], -q))
            if owner[best] == me:
                if heat[best] > heat[r]:
                    self.moves[r, best] = free[r]
                continue
            if (r, best) in self.moves:
                self.moves[r, best] += free[r]
            elif owner[best] == foe and free[r] >= P["ratio"] * guard[best]:
                self.moves[r, best] = free[r]
        def rank(item):
            (a, b), n = item
            return (owner[b] == foe, n) if P["order"] else (owner[b] != foe, n)
        self.moves = dict(sorted(self.moves.items(), key=rank))
        return placed


def main() -> None:
    bot = Bot()
    for line in sys.stdin:
        answer = bot.hear(line)
        if answer:
            print(answer, flush=True)


if __name__ == "__main__":
    main()
