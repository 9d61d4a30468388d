"""The rules, as functions on a world.

Settings with decimals are Decimals, which multiply exactly; ``int()`` then truncates toward zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from arena.core import Fate, Outcome
from arena.games.kit import Refusal, counted, joined, value_text
from arena.games.tncc.settings import TnccSettings
from arena.games.tncc.world import (
    RESOURCES,
    Act,
    Country,
    Flanks,
    Recruit,
    TnccWorld,
    Trade,
    Victor,
    Wait,
    War,
)


def living(world: TnccWorld) -> list[int]:
    """The seats that are alive."""
    return [seat for seat, alive in enumerate(world.alive) if alive]


# -- actions ---------------------------------------------------------------------------------


def idle(seat: int) -> Act:
    """The act of a seat that does nothing."""
    return Wait(seat)


def objection(world: TnccWorld, act: Act) -> Refusal | None:
    """Why the countries cannot afford an action; None if they can."""
    own = world.countries[act.seat]
    match act:
        case Recruit(people=people) if people > own["population"]:
            return Refusal("citizens", f"you have {own['population']} citizens")
        case Recruit(people=people) if -people > own["military"]:
            return Refusal("soldiers", f"you have {own['military']} soldiers")
        case Trade():
            return _trade_objection(world, act)
        case War():
            return _war_objection(world.settings, own, act)
    return None


def _trade_objection(world: TnccWorld, trade: Trade) -> Refusal | None:
    own, other = world.countries[trade.seat], world.countries[trade.partner]
    if own[trade.give] < trade.amount:
        return Refusal("funds", f"you have {own[trade.give]} {trade.give}")
    if other[trade.take] < trade.price:
        name = world.names[trade.partner]
        return Refusal("funds", f"{name} has {other[trade.take]} {trade.take}")
    return None


def _war_objection(settings: TnccSettings, own: Country, war: War) -> Refusal | None:
    if own["gold"] < settings.gold_for_war:
        fee = value_text(settings.gold_for_war)
        return Refusal("funds", f"a war costs {fee} gold, you have {own['gold']}")
    if sum(war.flanks) > own["military"]:
        return Refusal("soldiers", f"you have {own['military']} soldiers")
    return None


def carry_out(world: TnccWorld, act: Wait | Recruit) -> None:
    """Carry out an action that needs no answer: wait, or turn citizens into soldiers or back."""
    if isinstance(act, Recruit):
        own = world.countries[act.seat]
        own["population"] -= act.people
        own["military"] += act.people
    record(world, act)


def record(world: TnccWorld, act: Act) -> None:
    """Record an act; all other living seats will be told of it."""
    world.acts.append(act)
    for seat in living(world):
        if seat != act.seat:
            world.news[seat].append(act)


def briefed(world: TnccWorld, seat: int) -> None:
    """Mark the cycle and all acts of others as known to the seat."""
    world.told[seat] = world.round
    world.news[seat] = []


def trade(world: TnccWorld, offer: Trade, agreed: bool) -> Trade:
    """Close a trade, one way or the other."""
    done = replace(offer, agreed=agreed)
    if agreed:
        own, other = world.countries[offer.seat], world.countries[offer.partner]
        own[offer.give] -= offer.amount
        other[offer.give] += offer.amount
        other[offer.take] -= offer.price
        own[offer.take] += offer.price
    record(world, done)
    return done


# -- the end of a cycle ----------------------------------------------------------------------


def production(world: TnccWorld) -> list[int]:
    """Apply production and consumption of all countries. Returns the seats that die of it."""
    seats = living(world)
    for seat in seats:
        produce(world.settings, world.countries[seat])
    dead = [seat for seat in seats if world.countries[seat]["population"] <= 0]
    for seat in dead:
        world.countries[seat]["population"] = 0
    bury(world, dead)
    return dead


def produce(settings: TnccSettings, own: Country) -> None:
    """Apply production to one country. If its citizens fall below 0, it is dead."""
    own["food"] += int(settings.population_food * own["population"])
    own["gold"] += int(settings.population_gold * own["population"])
    _grow(settings, own)
    own["food"] -= int(own["military"] * settings.army_food)
    own["gold"] -= int(own["military"] * settings.army_gold)
    if own["gold"] <= 0:
        own["gold"] = 0
        own["population"] += own["military"]
        own["military"] = 0
    if own["food"] <= 0:
        own["food"] = 0
        own["population"] -= settings.hunger_death


def _grow(settings: TnccSettings, own: Country) -> None:
    """Let citizens multiply as far as the land has room for them."""
    before = own["population"]
    own["population"] = int(before * settings.population_growth)
    room = own["land"] * settings.land_capacity - own["military"]
    if own["population"] > room:
        soft = settings.land_rule == "soft"
        own["population"] = max(before, int(room)) if soft else int(room)


def next_cycle(world: TnccWorld) -> None:
    """Start a new cycle with the first seat's turn."""
    world.round += 1
    world.turn = 0
    world.acts = []


# -- the end of a match ----------------------------------------------------------------------


def bury(world: TnccWorld, seats: Sequence[int]) -> None:
    """Let seats die at the same moment; they share the rank behind all survivors."""
    for seat in seats:
        world.alive[seat] = False
    for seat in seats:
        world.ranks[seat] = 1 + sum(world.alive)


def going_on(world: TnccWorld) -> bool:
    """Whether there is another turn. (A started cycle is always finished.)"""
    in_time = world.round <= world.settings.max_cycles
    return world.turn > 0 or (in_time and sum(world.alive) > 1)


def points(world: TnccWorld) -> tuple[float, ...]:
    """One point, shared by all living seats."""
    share = 1 / max(1, sum(world.alive))
    return tuple(share if alive else 0.0 for alive in world.alive)


def outcome(world: TnccWorld) -> Outcome:
    """How the match has ended."""
    reason, sentence = _ending(world)
    fates = tuple(Fate.SURVIVED if alive else Fate.ELIMINATED for alive in world.alive)
    return Outcome(
        ranks=tuple(world.ranks),
        points=points(world),
        fates=fates,
        reason=reason,
        sentence=sentence,
    )


def _ending(world: TnccWorld) -> tuple[str, str]:
    names, cycles = [world.names[seat] for seat in living(world)], world.round - 1
    if len(names) > 1:
        return (
            "max_cycles",
            f"{joined(names)} share the win: they lived for {counted(cycles, 'cycle')}.",
        )
    if names:
        return "elimination", f"{names[0]} won: after cycle {cycles} nobody else was alive."
    return "extinction", f"Nobody won: the last died in cycle {cycles}."


# War: two waves, the loot, and perhaps the end of the loser.


def fight(world: TnccWorld, begun: War, defence: Flanks) -> War:
    """Fight a war: the battle, the loot, the way home, perhaps the end of the loser."""
    settings = world.settings
    victor, survivors = battle(settings, begun.flanks, defence)
    done = replace(begun, defence=defence, victor=victor, survivors=survivors)
    attacker, defender = world.countries[begun.seat], world.countries[begun.target]
    attacker["gold"] -= int(settings.gold_for_war)
    attacker["military"] -= sum(begun.flanks)
    defender["military"] -= sum(defence)
    record(world, done)
    if victor == "attacker":
        _win(world, begun.seat, begun.target, survivors)
    elif victor == "defender":
        _win(world, begun.target, begun.seat, survivors)
    return done


def battle(settings: TnccSettings, flanks: Flanks, defence: Flanks) -> tuple[Victor, int]:
    """Fight both waves. Returns the winner and the number of its surviving soldiers."""
    pairs = list(zip(flanks, defence, strict=True))
    strength = settings.wave1_advantage
    attackers = sum([max(0, int(a - strength * d)) for a, d in pairs])
    if settings.wave_rule == "source":
        defenders = sum([min(max(0, int(strength * d - a)), d) for a, d in pairs])
        return _second_wave_of_source(settings, attackers, defenders)
    defenders = sum([max(0, d - a) for a, d in pairs])
    if attackers > defenders:
        return "attacker", attackers - defenders
    left = int(defenders - settings.wave2_advantage * attackers)
    return ("defender", left) if left > 0 else ("tie", 0)


def _second_wave_of_source(
    settings: TnccSettings, attackers: int, defenders: int
) -> tuple[Victor, int]:
    lead = settings.wave2_advantage * attackers - defenders
    if lead > 0:
        return "attacker", min(int(lead), attackers)
    return ("defender", int(-lead)) if lead < 0 else ("tie", 0)


def _win(world: TnccWorld, victor: int, loser: int, survivors: int) -> None:
    """Let each survivor take as much loot as one can carry, and return home."""
    winner, victim = world.countries[victor], world.countries[loser]
    for resource, rate in zip(RESOURCES, world.settings.steal, strict=True):
        loot = min(int(survivors * rate), victim[resource])
        victim[resource] -= loot
        winner[resource] += loot
    winner["military"] += survivors
    if victim["population"] <= 0 or victim["land"] <= 0:
        bury(world, [loser])
