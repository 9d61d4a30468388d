"""searching/searching.py - a TNCC bot that tries its answers in copies of the match.

It imports the arena for the rules, which must be installed where the bot runs. The lines tell all
countries, so they make the world; only how an attacker has divided its soldiers is hidden. So a
defence is tried in several worlds, each with another guess of that.

An action begins a plan of up to 30 steps, drawn at random. Each plan is played to the end of the
match, while all others follow a plain policy (`miser`, as strong.js: stay a nation of citizens, and
strike with everybody once there is gold enough). The best plan is kept from turn to turn, until
another one does better against what the others have really done.
"""

import random
import sys
import time
from collections.abc import Iterator
from math import ceil, fsum
from typing import Any

from arena.core import Answer, Ask, Setup, Table, find_game
from arena.core.settings import parse
from arena.games.tncc.world import RESOURCES, TnccWorld, Trade, War

PLANS = 25  # that are drawn for an action, if there is time
LONGEST = 30  # steps of a plan
chance = random.Random(1)
game = find_game("tncc")


def flank(soldiers: int, which: int) -> tuple[int, ...]:
    """All soldiers on one flank, or a third on each if `which` is 3."""
    if which == 3:
        return soldiers // 3, (soldiers + 1) // 3, (soldiers + 2) // 3
    return tuple(soldiers if i == which else 0 for i in range(3))


def words(*parts: Any) -> str:
    """Words and flanks, separated by blanks."""
    return " ".join(" ".join(map(str, p)) if isinstance(p, tuple) else str(p) for p in parts)


def best_war(world: TnccWorld, seat: int, soldiers: int) -> tuple[int, int, int] | None:
    """The war on whoever is conquered in the fewest: their number, the victim, who comes home."""
    rules, found = world.settings, []
    for rival, country in enumerate(world.countries):
        home = int(soldiers - (float(rules.wave1_advantage) + 2) / 3 * country["military"])
        if rival != seat and world.alive[rival] and home > 0 and home * 3 >= soldiers:
            people, land = (max(0.001, int(home * float(rules.steal[k]))) for k in (2, 4))
            wars = ceil(min(country["land"] / land, country["population"] / people))
            found.append((wars, rival, home))
    return min(found, default=None)


def miser(world: TnccWorld, seat: int) -> str:
    """An action: war when it pays, an army for a campaign that can be paid, else a guard."""
    rules, own = world.settings, world.countries[seat]
    price, people = int(rules.gold_for_war), own["population"] + own["military"]
    now, army = best_war(world, seat, own["military"]), int(people * 0.95)
    if own["gold"] >= price and now and (now[0] == 1 or own["military"] >= people * 0.6):
        return words("war", world.names[now[1]], flank(own["military"], world.round % 3))
    plan, wanted = best_war(world, seat, army), 0
    if plan:
        loot = min(plan[2] * float(rules.steal[0]), world.countries[plan[1]]["gold"])
        cost = price + (min(plan[0], 3) - 1) * max(0, price - loot) + army * float(rules.army_gold)
        if own["gold"] >= cost and own["food"] >= 3 * army * float(rules.army_food):
            wanted = army
    if not wanted:
        for rival, other in enumerate(world.countries):
            income = max(0, float(rules.population_gold) * other["population"])
            if rival != seat and world.alive[rival] and other["gold"] + income >= price:
                guard = ceil(other["military"] * 3 / (float(rules.wave1_advantage) + 2))
                wanted = max(wanted, min(guard, people - 1))
    change = max(wanted - own["military"], -own["military"])
    return f"recruit {change}" if change > 0 or -change > people / 100 else "wait"


def reply(world: TnccWorld, ask: Ask) -> str:
    """What everybody answers while the bot looks ahead."""
    if ask.head == "go action":
        return miser(world, ask.seat)
    if ask.head == "go war":
        return words(flank(world.countries[ask.seat]["military"], 3))
    _, gives, amount, wants, price = ask.tail.split()
    fair = gives == "gold" and wants == "food" and int(amount) >= 2 * int(price)
    return "yes" if fair and int(price) <= world.countries[ask.seat]["food"] / 2 else "no"


def candidates(world: TnccWorld, ask: Ask) -> Iterator[str]:
    """The answers that come into question, the usual one first."""
    yield reply(world, ask)
    own = world.countries[ask.seat]
    if ask.head == "go trade":
        yield "yes"
    elif ask.head == "go war":
        yield from (words(flank(own["military"], which)) for which in range(3))
        yield words(flank(own["military"] // 2, 3))
        yield "0 0 0"
    else:
        yield "wait"
        people = own["population"] + own["military"]
        for part in (0, 0.1, 0.25, 0.5, 0.75, 0.95):
            yield f"recruit {int(people * part) - own['military']}"
        for rival, name in enumerate(world.names):
            if rival != ask.seat and world.alive[rival]:
                food = min(world.countries[rival]["food"], own["gold"]) // 2
                yield f"trade {name} gold {2 * food} food {food}"  # hungry soldiers go home
                yield f"trade {name} gold {food} food {food // 2}"
                if own["gold"] >= world.settings.gold_for_war and own["military"]:
                    yield words("war", name, flank(own["military"], world.round % 3))
                    yield words("war", name, flank(own["military"], 3))


def worth(world: TnccWorld, seat: int) -> float:
    """1 for the win, 0 for a death; else about a half, more for who is richer."""
    if not world.alive[seat] or sum(world.alive) == 1:
        return float(world.alive[seat])
    wealth = [c["population"] + c["military"] + 5 * c["land"] for c in world.countries]
    return 0.3 + 0.4 * wealth[seat] / (sum(wealth) or 1)


def play_on(world: TnccWorld, seat: int, plan: list[str], wild: int = 0) -> float:
    """What a plan is worth in this world, which is played to the end: the seat follows the plan,
    makes random steps up to `wild`, which join the plan, and then does what all do."""
    table, done = Table.at(game, world), 0
    while table.outcome is None and world.alive[seat]:
        (ask,) = table.asked
        answer = reply(world, ask)
        if ask.seat == seat and (ask.head == "go action" or not done):
            if len(plan) <= done < wild:
                plan.append(
                    answer if chance.random() < 0.5 else chance.choice([*candidates(world, ask)])
                )
            answer, done = plan[done] if done < len(plan) else answer, done + 1
        table.answer(ask.seat, Answer(answer))
    return worth(world, seat)


def defend(worlds: list[TnccWorld], ask: Ask) -> str:
    """The answer with the best mean worth in these worlds."""
    return max(
        candidates(worlds[0], ask),
        key=lambda answer: fsum(play_on(world.copy(), ask.seat, [answer]) for world in worlds),
    )


def act(world: TnccWorld, seat: int, kept: list[str], seconds: float) -> list[str]:
    """The best plan: what is left of the last one, none, or one of those that are drawn."""
    end, best = time.monotonic() + seconds, (play_on(world.copy(), seat, kept), kept)
    for number in range(PLANS):
        plan = list[str]()
        found = play_on(world.copy(), seat, plan, wild=chance.randint(1, LONGEST) if number else 0)
        best = max(best, (found, plan), key=lambda pair: pair[0])
        if best[0] == 1 or time.monotonic() > end:
            break
    first = Table.at(game, world).try_answer(seat, (best[1] or [""])[0])
    return best[1] if best[1] and first.legal else [miser(world, seat)]


settings: dict[str, list[str]] = {}
number, countries, plan = 0, list[str](), list[str]()
for line in sys.stdin:
    match line.split():
        case ["settings", key, *values]:
            settings[key] = values
        case ["round", value]:
            number = int(value)
        case ["update_map", *countries]:  # player1 600 800 800 0 150 alive player2 …
            pass
        case ["go", kind, bank, *tail]:
            names = settings["players"]
            given = {k: ",".join(v) for k, v in settings.items() if hasattr(game.settings, k)}
            world = game.world(Setup("search", len(names), parse(game.settings, given)))
            rows = [countries[i : i + 7] for i in range(0, len(countries), 7)]
            world.countries = [
                dict(zip(RESOURCES, map(int, row[1:6]), strict=True)) for row in rows
            ]
            world.alive, world.round = [row[6] == "alive" for row in rows], number
            me = world.turn = names.index(settings["your_bot"][0])
            world.told = [number] * len(names)
            guesses = [world]
            if kind != "action":
                world.turn, values = names.index(tail[0]), tail[1:]
                if kind == "trade":
                    gives, amount, wants, price = values
                    world.proposal = Trade(world.turn, me, gives, int(amount), wants, int(price))
                else:
                    guesses = [world.copy() for _ in range(4)]
                    for which, guess in enumerate(guesses):
                        guess.proposal = War(guess.turn, me, flank(int(values[0]), which))
            ask = Ask(me, f"go {kind}", " ".join(tail))
            if kind == "action":
                answer, *plan = act(world, me, plan, int(bank) / 8000)
            else:
                answer = defend(guesses, ask)
            print(answer, flush=True)
