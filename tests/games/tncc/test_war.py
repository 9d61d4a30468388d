"""War: both waves, the loot, and who dies."""

from __future__ import annotations

import pytest

from arena.games.tncc import rules
from arena.games.tncc.world import Flanks, Victor, War
from tests.games.tncc.helpers import RICH, numbers, settings, world

Five = tuple[int, int, int, int, int]
NONE: Flanks = (0, 0, 0)
PLAIN: Five = (800, 1200, 856, 0, 150)


@pytest.mark.parametrize(
    ("attack", "defence", "seed", "source"),
    [
        ((30, 30, 30), NONE, ("attacker", 90), ("attacker", 90)),
        ((60, 0, 0), (20, 20, 20), ("tie", 0), ("tie", 0)),
        ((50, 50, 50), (20, 20, 20), ("attacker", 30), ("attacker", 30)),
        ((10, 0, 0), (8, 0, 0), ("tie", 0), ("defender", 6)),
        ((100, 0, 0), (0, 60, 0), ("attacker", 40), ("attacker", 100)),
        ((40, 0, 0), (0, 60, 0), ("tie", 0), ("attacker", 20)),
        ((40, 0, 0), (0, 100, 0), ("defender", 20), ("defender", 20)),
        (NONE, NONE, ("tie", 0), ("tie", 0)),
        (NONE, (1, 2, 3), ("defender", 6), ("defender", 6)),
        # one who wins by one; who would need one more
        ((0, 61, 0), (0, 30, 0), ("attacker", 1), ("attacker", 1)),
        ((0, 60, 0), (0, 30, 0), ("tie", 0), ("tie", 0)),
        ((0, 59, 0), (0, 30, 0), ("tie", 0), ("defender", 1)),
        # the flanks are matched in their order
        ((9, 0, 0), (4, 0, 0), ("attacker", 1), ("attacker", 1)),
        ((9, 0, 0), (0, 0, 4), ("attacker", 5), ("attacker", 9)),
    ],
)
def test_both_waves(
    attack: Flanks, defence: Flanks, seed: tuple[Victor, int], source: tuple[Victor, int]
) -> None:
    assert rules.battle(settings(), attack, defence) == seed
    assert rules.battle(settings(wave_rule="source"), attack, defence) == source


@pytest.mark.parametrize(
    ("attack", "defence", "seed", "source"),
    [
        # 4 - 1.5 is cut to 2; two defenders kill three
        ((4, 0, 0), (1, 0, 0), ("attacker", 2), ("attacker", 2)),
        ((3, 0, 0), (2, 0, 0), ("tie", 0), ("tie", 0)),
        ((3, 0, 0), (3, 0, 0), ("tie", 0), ("defender", 1)),
        # two attackers on one flank against five on another: 5 - 1.5 × 2, and 1.5 × 2 - 5
        ((2, 0, 0), (0, 5, 0), ("defender", 2), ("defender", 2)),
        # three against four: 4 - 4.5 leaves none; in the source half a soldier wins
        ((3, 0, 0), (0, 4, 0), ("tie", 0), ("attacker", 0)),
        ((1, 0, 0), (0, 2, 0), ("tie", 0), ("defender", 0)),
    ],
)
def test_advantages_with_decimals(
    attack: Flanks, defence: Flanks, seed: tuple[Victor, int], source: tuple[Victor, int]
) -> None:
    values = {"wave1_advantage": "1.5", "wave2_advantage": "1.5"}
    assert rules.battle(settings(**values), attack, defence) == seed
    assert rules.battle(settings(**values, wave_rule="source"), attack, defence) == source


def test_no_advantage_at_all() -> None:
    even = settings(wave1_advantage=1, wave2_advantage=1)
    assert rules.battle(even, (5, 5, 5), (4, 4, 8)) == ("defender", 1)
    assert rules.battle(even, (5, 5, 5), (4, 4, 7)) == ("tie", 0)
    assert rules.battle(even, (5, 5, 5), (4, 4, 6)) == ("attacker", 1)


@pytest.mark.parametrize(
    ("attack", "survivors", "loot"),
    [
        ((30, 30, 30), 90, (45, 90, 9, 0, 2)),
        ((10, 10, 10), 30, (15, 30, 3, 0, 0)),
        ((0, 40, 0), 40, (20, 40, 4, 0, 1)),
    ],
)
def test_the_attacker_loots(attack: Flanks, survivors: int, loot: Five) -> None:
    made = world(RICH, PLAIN)
    done = rules.fight(made, War(0, 1, attack), NONE)
    assert done == War(0, 1, attack, NONE, "attacker", survivors)
    gains = [b + s for b, s in zip(RICH, loot, strict=True)]
    gains[0] -= 1600
    assert numbers(made.countries[0]) == gains, "no soldier fell, so they are all back"
    assert numbers(made.countries[1]) == [b - s for b, s in zip(PLAIN, loot, strict=True)]
    assert made.alive == [True, True]


def test_the_soldiers_of_the_example_with_losses() -> None:
    made = world(RICH, (800, 1200, 856, 60, 150))
    done = rules.fight(made, War(0, 1, (50, 50, 50)), (20, 20, 20))
    assert (done.victor, done.survivors) == ("attacker", 30)
    assert numbers(made.countries[0]) == [5000 - 1600 + 15, 5030, 1003, 50 + 30, 150]
    assert numbers(made.countries[1]) == [785, 1170, 853, 0, 150]


def test_a_winning_defender_loots_the_attacker() -> None:
    made = world(RICH, (800, 1200, 856, 130, 150))
    rules.fight(made, War(0, 1, (40, 0, 0)), (0, 100, 0))
    assert numbers(made.countries[0]) == [5000 - 1600 - 10, 4980, 998, 160, 150]
    assert numbers(made.countries[1]) == [810, 1220, 858, 30 + 20, 150]


def test_after_a_tie_all_who_fought_are_dead_and_nothing_is_looted() -> None:
    made = world(RICH, (800, 1200, 856, 70, 150))
    rules.fight(made, War(0, 1, (60, 0, 0)), (20, 20, 20))
    assert numbers(made.countries[0]) == [3400, 5000, 1000, 140, 150]
    assert numbers(made.countries[1]) == [800, 1200, 856, 10, 150]


def test_loot_is_all_that_the_loser_has_at_most() -> None:
    made = world(RICH, (3, 4, 856, 0, 150))
    rules.fight(made, War(0, 1, (10, 0, 0)), NONE)
    assert numbers(made.countries[1]) == [0, 0, 855, 0, 150]
    assert numbers(made.countries[0])[:2] == [3403, 5004]


def test_soldiers_at_home_can_be_looted_too() -> None:
    made = world(RICH, (800, 1200, 856, 7, 150), steal="0 0 0 0.1 0")
    rules.fight(made, War(0, 1, (100, 0, 0)), NONE)
    assert [own["military"] for own in made.countries] == [207, 0]


@pytest.mark.parametrize(
    ("victim", "alive"),
    [
        ((800, 1200, 20, 0, 150), False),  # all 20 citizens are taken
        ((800, 1200, 21, 0, 150), True),
        ((800, 1200, 856, 0, 5), False),  # all 5 land
        ((800, 1200, 856, 0, 6), True),
        ((0, 0, 0, 5, 150), False),  # there were none before
    ],
)
def test_a_loser_without_citizens_or_land_is_dead_at_once(victim: Five, alive: bool) -> None:
    made = world(RICH, victim, RICH)
    rules.fight(made, War(0, 1, (200, 0, 0)), NONE)
    assert made.alive == [True, alive, True]
    assert made.ranks == [1, 1 if alive else 3, 1]


def test_an_attacker_can_die_of_it() -> None:
    made = world((1600, 0, 0, 5, 1), RICH, RICH)
    rules.fight(made, War(0, 1, (5, 0, 0)), (40, 0, 0))
    assert made.alive == [False, True, True]


def test_no_country_dies_in_a_tie() -> None:
    made = world((1600, 0, 0, 5, 0), (0, 0, 0, 0, 0))
    rules.fight(made, War(0, 1, NONE), NONE)
    assert made.alive == [True, True]


def test_who_dies_in_war_is_told_of_it() -> None:
    made = world(RICH, (800, 1200, 20, 0, 150), RICH)
    done = rules.fight(made, War(0, 1, (200, 0, 0)), NONE)
    assert made.news == [[], [done], [done]]


@pytest.mark.parametrize(
    ("attacker", "flanks", "reason"),
    [
        ((1600, 0, 9, 90, 9), (30, 30, 30), ""),
        ((1600, 0, 9, 90, 9), NONE, ""),
        ((1600, 0, 9, 90, 9), (30, 30, 31), "soldiers"),
        ((1599, 0, 9, 90, 9), (30, 30, 30), "funds"),
        ((1599, 0, 9, 90, 9), (30, 30, 31), "funds"),
    ],
)
def test_a_war_needs_gold_and_soldiers(attacker: Five, flanks: Flanks, reason: str) -> None:
    fault = rules.objection(world(attacker, RICH), War(0, 1, flanks))
    assert (fault.code if fault else "") == reason


def test_of_a_price_with_decimals_whole_gold_is_paid() -> None:
    made = world((1601, 0, 9, 90, 9), (1600, 0, 9, 90, 9), gold_for_war="1600.5")
    assert rules.objection(made, War(1, 0, NONE)) is not None
    assert rules.objection(made, War(0, 1, NONE)) is None
    rules.fight(made, War(0, 1, NONE), NONE)
    assert made.countries[0]["gold"] == 1
