"""War: two waves, the loot, and perhaps the end of the loser."""

from __future__ import annotations

from msgspec.structs import replace

from arena.games.tncc import rules
from arena.games.tncc.settings import TnccSettings
from arena.games.tncc.world import RESOURCES, Flanks, TnccWorld, Victor, War


def fight(world: TnccWorld, begun: War, defence: Flanks) -> War:
    """Fight a war: the battle, the loot, the way home, perhaps the end of the loser."""
    settings = world.settings
    victor, survivors = battle(settings, begun.flanks, defence)
    done = replace(begun, defence=defence, victor=victor, survivors=survivors)
    attacker, defender = world.countries[begun.seat], world.countries[begun.target]
    attacker["gold"] -= int(settings.gold_for_war)
    attacker["military"] -= sum(begun.flanks)
    defender["military"] -= sum(defence)
    rules.record(world, done)
    if victor == "attacker":
        _win(world, begun.seat, begun.target, survivors)
    elif victor == "defender":
        _win(world, begun.target, begun.seat, survivors)
    return done


def battle(settings: TnccSettings, flanks: Flanks, defence: Flanks) -> tuple[Victor, int]:
    """Both waves: who wins, and with how many soldiers."""
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
    """Each survivor carries off what one can; then they go home."""
    winner, victim = world.countries[victor], world.countries[loser]
    for resource, rate in zip(RESOURCES, world.settings.steal, strict=True):
        loot = min(int(survivors * rate), victim[resource])
        victim[resource] -= loot
        winner[resource] += loot
    winner["military"] += survivors
    if victim["population"] <= 0 or victim["land"] <= 0:
        rules.bury(world, [loser])
