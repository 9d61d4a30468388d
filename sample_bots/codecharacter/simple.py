"""simple.py - a Code Character bot to copy: one target for all, and all money becomes towers.

Strategy: everybody attacks the enemy soldier that has come nearest to my base; a tower is built, as
soon as there is money for it, on the first free tile that is mine alone. It never upgrades, attacks
no tower and never falls back. Both players see their own base at the upper left.
"""

import sys

me, money, price, cap, tile_size = "player1", 0, 800, 15, 50
mine: list[str] = []  # the ids of my living soldiers
foes: list[tuple[float, int]] = []  # the enemy's: how far from my corner, and the id
taken: set[tuple[int, int]] = set()  # the tiles of my towers
free: list[tuple[int, int]] = []  # the tiles that are mine alone

for line in sys.stdin:
    match line.split():
        case ["settings", "your_bot", name]:
            me = name
        case ["settings", "tile_size", number]:
            tile_size = int(number)
        case ["settings", "tower_costs", number, *_]:
            price = int(number)
        case ["settings", "max_towers", number]:
            cap = int(number)
        case ["settings", "money", number]:
            money = int(number)
        case ["update_map", "soldiers", *words]:  # in sevens: id, owner, x, y, hp, state, immune
            soldiers = [words[i : i + 7] for i in range(0, len(words), 7)]
            alive = [soldier for soldier in soldiers if soldier[5] != "dead"]
            mine = [id for id, owner, *_ in alive if owner == me]
            foes = [(float(x) + float(y), int(id)) for id, owner, x, y, *_ in alive if owner != me]
        case ["update_map", "towers", *words]:  # in sevens: id, owner, x, y, hp, level, base
            towers = [words[i : i + 7] for i in range(0, len(words), 7)]
            places = [(float(x), float(y)) for _, owner, x, y, *_ in towers if owner == me]
            taken = {(int(x // tile_size), int(y // tile_size)) for x, y in places}
        case ["update_map", "territory", *rows]:  # . nobody's, m mine, e the enemy's, b of both
            own = [
                (x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "m"
            ]
            free = [tile for tile in own if tile not in taken]
        case ["go", *_]:
            orders = [f"attack {id} {min(foes)[1]}" for id in mine] if foes else []
            if money >= price and len(taken) < cap and free:
                orders.append(f"build {free[0][0]} {free[0][1]}")
            if foes:  # `arena view` draws it
                print(f"@viz mark #{min(foes)[1]} bad", file=sys.stderr)
            print(", ".join(orders) or "No moves", flush=True)
