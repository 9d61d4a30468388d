"""The rules outside war: recruiting, trade, production, the end."""

from __future__ import annotations

from typing import Any

import pytest

from arena.core.steps import Fate
from arena.games.tncc import rules
from arena.games.tncc.world import Act, Recruit, Resource, TnccWorld, Trade, Wait, War
from tests.games.tncc.helpers import RICH, country, numbers, settings, world

Five = tuple[int, int, int, int, int]


def code(made: TnccWorld, act: Act) -> str:
    """Why an action is illegal; empty when it is not."""
    fault = rules.objection(made, act)
    return fault.code if fault else ""


# -- recruiting ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("people", "population", "military"),
    [(100, 900, 300), (-20, 1020, 180), (0, 1000, 200), (1000, 0, 1200), (-200, 1200, 0)],
)
def test_recruiting_moves_people(people: int, population: int, military: int) -> None:
    made = world(RICH, RICH)
    assert code(made, Recruit(0, people)) == ""
    rules.carry_out(made, Recruit(0, people))
    assert numbers(made.countries[0]) == [5000, 5000, population, military, 150]
    assert numbers(made.countries[1]) == list(RICH)


@pytest.mark.parametrize(("people", "reason"), [(1001, "citizens"), (-201, "soldiers")])
def test_no_country_recruits_more_than_there_are(people: int, reason: str) -> None:
    assert code(world(RICH, RICH), Recruit(0, people)) == reason


def test_an_empty_country_lives_until_the_production() -> None:
    made = world(RICH, RICH)
    rules.carry_out(made, Recruit(0, 1000))
    assert made.alive[0]
    assert rules.production(made) == [0]


def test_who_has_no_gold_gets_citizens_back_in_time() -> None:
    made = world((0, 5000, 100, 0, 150), RICH)
    rules.carry_out(made, Recruit(0, 100))
    assert rules.production(made) == []
    assert made.countries[0]["population"] == 100


# -- trade -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("give", "amount", "take", "price", "own", "other"),
    [
        ("gold", 100, "food", 50, [4900, 5050, 1000, 200, 150], [5100, 4950, 1000, 200, 150]),
        ("food", 70, "gold", 0, [5000, 4930, 1000, 200, 150], [5000, 5070, 1000, 200, 150]),
        ("gold", 0, "population", 9, [5000, 5000, 1009, 200, 150], [5000, 5000, 991, 200, 150]),
        ("military", 200, "gold", 1, [5001, 5000, 1000, 0, 150], [4999, 5000, 1000, 400, 150]),
        ("gold", 5000, "land", 150, [0, 5000, 1000, 200, 300], [10000, 5000, 1000, 200, 0]),
        ("gold", 30, "gold", 10, [4980, 5000, 1000, 200, 150], [5020, 5000, 1000, 200, 150]),
        ("gold", 0, "gold", 0, list(RICH), list(RICH)),
    ],
)
def test_a_trade_transfers_both_amounts(
    give: Resource, amount: int, take: Resource, price: int, own: list[int], other: list[int]
) -> None:
    made = world(RICH, RICH)
    offer = Trade(0, 1, give, amount, take, price)
    assert code(made, offer) == ""
    assert rules.trade(made, offer, True) == Trade(0, 1, give, amount, take, price, True)
    assert [numbers(each) for each in made.countries] == [own, other]
    assert made.alive == [True, True], "no trade kills at once"


def test_a_refused_trade_changes_nothing() -> None:
    made = world(RICH, RICH)
    offer = Trade(0, 1, "gold", 100, "food", 50)
    assert rules.trade(made, offer, False) == offer
    assert [numbers(each) for each in made.countries] == [list(RICH)] * 2
    assert made.acts == [offer]


@pytest.mark.parametrize(
    ("offer", "reason"),
    [
        (Trade(0, 1, "gold", 5001, "food", 0), "funds"),
        (Trade(0, 1, "gold", 0, "food", 5001), "funds"),
        (Trade(0, 1, "land", 151, "gold", 0), "funds"),
        (Trade(0, 1, "gold", 5001, "gold", 5000), "funds"),
        (Trade(0, 1, "gold", 5000, "food", 5000), ""),
    ],
)
def test_both_must_have_what_they_give(offer: Trade, reason: str) -> None:
    assert code(world(RICH, RICH), offer) == reason


def test_who_sells_all_land_dies_at_the_production() -> None:
    made = world(RICH, RICH)
    rules.trade(made, Trade(0, 1, "land", 150, "gold", 5000), True)
    assert made.alive == [True, True]
    assert rules.production(made) == [0]


# -- production ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ((600, 800, 800, 0, 150), (800, 1200, 856, 0, 150)),
        ((600, 800, 700, 100, 150), (765, 1050, 749, 100, 150)),
        ((0, 800, 10, 500, 150), (0, 305, 510, 0, 150)),
        ((600, 30, 150, 200, 150), (617, 0, -40, 200, 150)),
        ((600, 800, 1490, 30, 150), (969, 1515, 1470, 30, 150)),
        ((600, 5000, 100, 1600, 150), (465, 3450, -100, 1600, 150)),
        ((600, 800, 100, 1600, 150), (465, 0, -300, 1600, 150)),
        # 0.25 × 3 and 0.5 × 3 are cut to 0 and 1; so is the pay of 9 soldiers
        ((10, 10, 3, 9, 150), (10, 2, 3, 9, 150)),
        # exactly 0 gold, exactly 0 food
        ((10, 100, 0, 100, 150), (0, 0, -100, 0, 150)),
        ((11, 101, 0, 100, 150), (1, 1, 0, 100, 150)),
        # exactly full
        ((0, 0, 1000, 430, 150), (207, 70, 1070, 430, 150)),
        ((0, 0, 1000, 431, 150), (207, 69, 1069, 431, 150)),
    ],
)
def test_the_production(before: Five, after: Five) -> None:
    own = country(*before)
    rules.produce(settings(), own)
    assert tuple(numbers(own)) == after


def test_who_only_waits() -> None:
    made, told = world((600, 800, 800, 0, 150), RICH), []
    for _ in range(10):
        rules.production(made)
        told.append(numbers(made.countries[0])[:3])
    assert told[:3] == [[800, 1200, 856], [1014, 1628, 915], [1242, 2085, 979]]
    assert told[8:] == [[2988, 5581, 1465], [3354, 6313, 1500]]


@pytest.mark.parametrize(
    ("before", "after", "values"),
    [
        # negative products are cut toward zero: -1.5 is -1
        ((9, 9, 15, 0, 150), (12, 8, 16, 0, 150), {"population_food": "-0.1"}),
        ((9, 9, 15, 0, 150), (8, 16, 16, 0, 150), {"population_gold": "-0.1"}),
        # as fractions of two they would be just below 29 and 115
        ((9, 9, 100, 0, 150), (34, 38, 107, 0, 150), {"population_food": "0.29"}),
        ((9, 9, 100, 0, 150), (34, 59, 115, 0, 150), {"population_growth": "1.15"}),
        ((0, 0, 10**6, 0, 10**6), (250000, 500000, 1070000, 0, 10**6), {}),
        # room for 7.5 people, less 10 soldiers: -2.5 is -2
        ((9, 99, 5, 10, 3), (9, 91, -2, 10, 3), {"land_capacity": "2.5"}),
        ((9, 99, 9, 0, 3), (11, 103, 7, 0, 3), {"land_capacity": "2.5"}),
        ((9, 99, 8, 0, 3), (11, 103, 7, 0, 3), {"land_capacity": "2.5"}),
        ((9, 0, 100, 0, 150), (34, 0, 105, 0, 150), {"population_food": 0, "hunger_death": 2}),
    ],
)
def test_decimals_are_exact_and_cut_toward_zero(
    before: Five, after: Five, values: dict[str, Any]
) -> None:
    own = country(*before)
    rules.produce(settings(**values), own)
    assert tuple(numbers(own)) == after


@pytest.mark.parametrize(
    ("before", "hard", "soft"),
    [
        ((600, 900, 1490, 30, 150), 1470, 1490),
        ((600, 900, 1460, 30, 150), 1470, 1470),
        ((600, 900, 1300, 30, 150), 1391, 1391),
        ((600, 5000, 100, 1600, 150), -100, 100),
        ((600, 900, 500, 0, 0), 0, 500),
    ],
)
def test_the_two_rules_of_land(before: Five, hard: int, soft: int) -> None:
    for rule, people in (("hard", hard), ("soft", soft)):
        own = country(*before)
        rules.produce(settings(land_rule=rule), own)
        assert own["population"] == people


def test_the_dead_of_a_production_have_no_citizens_and_keep_the_rest() -> None:
    made = world((600, 30, 150, 200, 150), RICH, (600, 5000, 100, 1600, 150))
    assert rules.production(made) == [0, 2]
    assert [numbers(made.countries[i]) for i in (0, 2)] == [
        [617, 0, 0, 200, 150],
        [465, 3450, 0, 1600, 150],
    ]
    before = numbers(made.countries[0])
    assert rules.production(made) == []
    assert numbers(made.countries[0]) == before


# -- the end ---------------------------------------------------------------------------------


def test_a_match_goes_on_while_two_live_and_there_is_time() -> None:
    made = world(RICH, RICH, max_cycles=3)
    made.round = 3
    assert rules.going_on(made)
    made.round = 4
    assert not rules.going_on(made)
    made.round, made.alive = 2, [True, False]
    assert not rules.going_on(made)
    made.turn = 1
    assert rules.going_on(made), "a cycle is played to its end"


@pytest.mark.parametrize(
    ("deaths", "ranks", "points"),
    [
        ([], (1, 1, 1), (1 / 3, 1 / 3, 1 / 3)),
        ([[0]], (3, 1, 1), (0, 0.5, 0.5)),
        ([[0], [2]], (3, 1, 2), (0, 1, 0)),
        ([[0, 2]], (2, 1, 2), (0, 1, 0)),
        ([[1], [0, 2]], (1, 3, 1), (0, 0, 0)),
        ([[0, 1, 2]], (1, 1, 1), (0, 0, 0)),
    ],
)
def test_ranks_and_points(
    deaths: list[list[int]], ranks: tuple[int, ...], points: tuple[float, ...]
) -> None:
    made = world(RICH, RICH, RICH)
    for dying in deaths:
        for seat in dying:
            made.countries[seat]["food"] = made.countries[seat]["population"] = 0
        assert rules.production(made) == dying
    outcome = rules.outcome(made)
    assert (outcome.ranks, outcome.points) == (ranks, points)
    dead = {seat for dying in deaths for seat in dying}
    assert [fate is Fate.ELIMINATED for fate in outcome.fates] == [i in dead for i in range(3)]


@pytest.mark.parametrize(
    ("alive", "reason", "sentence"),
    [
        ([False, True, False], "elimination", "player2 won: after cycle 7 nobody else was alive."),
        ([False, False, False], "extinction", "Nobody won: the last died in cycle 7."),
        (
            [True, False, True],
            "max_cycles",
            "player1 and player3 share the win: they lived for 7 cycles.",
        ),
        (
            [True, True, True],
            "max_cycles",
            "player1, player2 and player3 share the win: they lived for 7 cycles.",
        ),
    ],
)
def test_the_reason_and_the_sentence(alive: list[bool], reason: str, sentence: str) -> None:
    made = world(RICH, RICH, RICH)
    made.round, made.alive = 8, alive
    assert (rules.outcome(made).reason, rules.outcome(made).sentence) == (reason, sentence)


def test_others_who_live_hear_of_what_is_done() -> None:
    made = world(RICH, RICH, RICH, RICH)
    made.alive[3] = False
    for act in (Wait(0), Recruit(1, 5), War(2, 0, (1, 1, 1))):
        rules.record(made, act)
    assert made.news == [[Recruit(1, 5), War(2, 0, (1, 1, 1))], [Wait(0), War(2, 0, (1, 1, 1))], [
        Wait(0), Recruit(1, 5)], []]  # fmt: skip
    rules.briefed(made, 1)
    assert made.news[1] == []
    assert made.told == [0, 1, 0, 0]
