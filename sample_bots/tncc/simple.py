"""simple.py - a TNCC bot to copy: a cautious country.

Strategy: keep one soldier for every five citizens. When there is gold for a war, attack the country
with the fewest soldiers if it has less than half of ours. Sell food for at least as much gold, and
say no to every other trade. It never plans ahead. Every `go ...` line wants exactly one line.
"""

import sys

me = ""
war_price = 1600.0
countries: dict[str, dict[str, int]] = {}  # everybody who lives, by name
KINDS = ["gold", "food", "population", "military", "land"]


def thirds(soldiers: int) -> str:
    """The soldiers on three flanks: LEFT MIDDLE RIGHT."""
    return f"{soldiers // 3} {(soldiers + 1) // 3} {(soldiers + 2) // 3}"


for line in sys.stdin:
    own = countries.get(me, {})
    match line.split():
        case ["settings", "your_bot", name]:
            me = name
        case ["settings", "gold_for_war", price]:
            war_price = float(price)
        case ["update_map", *words]:  # player1 600 800 800 0 150 alive player2 …
            countries = {}
            for i in range(0, len(words), 7):
                if words[i + 6] == "alive":
                    numbers = map(int, words[i + 1 : i + 6])
                    countries[words[i]] = dict(zip(KINDS, numbers, strict=True))
        case ["go", "action", _time]:
            answer = "wait"
            others = [name for name in countries if name != me]
            weakest = min(others, key=lambda name: countries[name]["military"], default=me)
            if own["military"] < own["population"] // 5:
                answer = f"recruit {own['population'] // 10}"
            elif own["gold"] >= war_price and countries[weakest]["military"] < own["military"] // 2:
                answer = f"war {weakest} {thirds(own['military'])}"
            print(f"@viz arrow {me} {weakest} plan", file=sys.stderr)  # `arena view` draws it
            print(answer, flush=True)
        case ["go", "trade", _time, _name, gives, gold, wants, food]:
            good = gives == "gold" and wants == "food" and int(gold) >= int(food)
            print("yes" if good and int(food) <= own["food"] // 2 else "no", flush=True)
        case ["go", "war", _time, _name, _attackers]:
            print(thirds(own["military"]), flush=True)
