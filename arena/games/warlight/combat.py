"""The losses of one attack.

84 % of the losses are the mean of the dice, 16 % are the dice themselves (the settings may share
it out otherwise). With A attackers of which a hit, and D defenders of which d hit::

    defenders lost K = 0.84 × 0.6 × A + 0.16 × a     rounded half up
    attackers lost L = 0.84 × 0.7 × D + 0.16 × d     rounded half up

All in whole millionths, so that no rounding of binary fractions can decide a battle.
"""

from __future__ import annotations

from arena.games.warlight.settings import WarlightSettings


def losses(
    settings: WarlightSettings, attackers: int, defenders: int, hits: int, hits_back: int
) -> tuple[int, int]:
    """(attackers lost, defenders lost) when `hits` attackers and `hits_back` defenders hit.

    The region is conquered when all defenders are lost. When both sides would be wiped out, one
    defender stays.
    """
    luck = settings.luck
    killed = _share(luck, settings.attacker_kill, attackers, hits)
    lost = _share(luck, settings.defender_kill, defenders, hits_back)
    if lost >= attackers:
        return attackers, min(killed, defenders - 1)
    return lost, min(killed, defenders)


def _share(luck: int, chance: int, armies: int, hits: int) -> int:
    millionths = (1000 - luck) * chance * armies + 1000 * luck * hits
    return (millionths + 500_000) // 1_000_000
