"""What is always true, over random play with bad and missing answers."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from arena.core import rng
from arena.core.game import Setup
from arena.core.replies import Answer
from arena.core.rng import Stream
from arena.core.table import Table
from arena.games.tncc import GAME, rules
from arena.games.tncc.settings import TnccSettings
from arena.games.tncc.world import Act, Flanks, Recruit, TnccWorld, Trade, War
from tests.conftest import DEEP
from tests.games.tncc.helpers import (
    RICH,
    Talk,
    numbers,
    random_reply,
    settings,
    world,
)

FEW = options(derandomize=True, deadline=None, max_examples=12 * DEEP)
MANY = options(derandomize=True, deadline=None, max_examples=100 * DEEP)
SEEDS = st.integers(0, 10**6).map(str)
SEATS = st.integers(2, 7)
RATES = st.decimals(0, 3, places=3)
ADVANTAGES = st.decimals(1, 4, places=3)
SOLDIERS = st.integers(0, 300)
FLANKS = st.tuples(SOLDIERS, SOLDIERS, SOLDIERS)
FIVE = st.tuples(*[st.integers(0, 3000)] * 5)

SETTINGS = st.builds(
    lambda **values: settings(**values),
    start=st.tuples(*[st.integers(0, 2000)] * 3, st.integers(0, 300), st.integers(0, 200)),
    population_food=st.decimals(-1, 2, places=3),
    population_gold=st.decimals(-1, 2, places=3),
    army_food=RATES,
    army_gold=RATES,
    population_growth=RATES,
    land_capacity=st.decimals(0, 20, places=3),
    gold_for_war=st.decimals(0, 2000, places=3),
    wave1_advantage=ADVANTAGES,
    wave2_advantage=ADVANTAGES,
    steal=st.tuples(RATES, RATES, RATES, RATES, RATES),
    hunger_death=st.integers(0, 300),
    max_cycles=st.just(15),
    wave_rule=st.sampled_from(["seed", "source"]),
    land_rule=st.sampled_from(["hard", "soft"]),
)
"""Any world, mostly a hostile one."""
MATCHES = st.one_of(st.just(settings(gold_for_war=700, max_cycles=30)), SETTINGS)


def play(
    seed: str, seats: int, made: TnccSettings
) -> Iterator[tuple[TnccWorld, TnccWorld, Table[TnccWorld]]]:
    """Before and after each exchange of a match of random players."""
    table = Table(GAME, Setup(seed, seats, made))
    stream = Stream(seed, "answers")
    while table.outcome is None:
        before = table.world.copy()
        table.answer_all((random_reply(table, table.asked[0], stream),))
        yield before, table.world, table


def total(made: TnccWorld) -> list[int]:
    """The sums of the five numbers over all countries."""
    return [sum(each) for each in zip(*map(numbers, made.countries), strict=True)]


def same_cycle(before: TnccWorld, after: TnccWorld) -> bool:
    """Whether no production came between."""
    return before.round == after.round


@given(SEEDS, SEATS, MATCHES)
@FEW
def test_nothing_is_ever_below_zero(seed: str, seats: int, made: TnccSettings) -> None:
    for _, after, _ in play(seed, seats, made):
        assert all(min(numbers(own)) >= 0 for own in after.countries)


@given(SEEDS, SEATS, MATCHES)
@FEW
def test_the_dead_never_change(seed: str, seats: int, made: TnccSettings) -> None:
    for before, after, table in play(seed, seats, made):
        for seat in range(seats):
            if not before.alive[seat]:
                assert not after.alive[seat]
                assert after.countries[seat] == before.countries[seat]
                assert after.ranks[seat] == before.ranks[seat]
                assert all(ask.seat != seat for ask in table.asked)


@given(SEEDS, SEATS, MATCHES)
@FEW
def test_actions_conserve_what_they_should(seed: str, seats: int, made: TnccSettings) -> None:
    for before, after, _ in play(seed, seats, made):
        if not same_cycle(before, after) or len(after.acts) == len(before.acts):
            continue
        check_act(before, after, after.acts[-1])


def check_act(before: TnccWorld, after: TnccWorld, act: Act) -> None:
    """What one act may change, seen from outside."""
    was, now = total(before), total(after)
    if isinstance(act, Recruit):
        assert sum(numbers(after.countries[act.seat])[2:4]) == sum(
            numbers(before.countries[act.seat])[2:4]
        )
        assert now[3] - was[3] == was[2] - now[2] == act.people
    elif isinstance(act, Trade):
        assert now == was
    elif isinstance(act, War):
        price = int(before.settings.gold_for_war)
        committed = sum(act.flanks), sum(act.defence)
        assert now[0] == was[0] - price, "paid once"
        assert [now[1], now[2], now[4]] == [was[1], was[2], was[4]]
        assert now[3] == was[3] - sum(committed) + act.survivors
        assert act.survivors <= committed[act.victor == "defender"]
    else:
        assert now == was
    if not isinstance(act, Recruit):
        assert now[3] <= was[3], "only recruiting makes soldiers"
    for seat in range(len(before.countries)):
        if seat not in concerned(act):
            assert after.countries[seat] == before.countries[seat]


def concerned(act: Act) -> tuple[int, ...]:
    """The seats that an act may change."""
    match act:
        case Trade():
            return act.seat, act.partner
        case War():
            return act.seat, act.target
    return (act.seat,)


@given(SEEDS, SEATS, MATCHES)
@FEW
def test_points_sum_to_one_or_to_nothing(seed: str, seats: int, made: TnccSettings) -> None:
    *_, (_, last, table) = play(seed, seats, made)
    assert table.outcome is not None
    assert sum(table.outcome.points) == pytest.approx(1 if any(last.alive) else 0)
    winners = [rank == 1 for rank in table.outcome.ranks]
    assert winners == last.alive or not any(last.alive)


@given(FIVE, MATCHES)
@MANY
def test_the_production_keeps_its_bounds(
    have: tuple[int, int, int, int, int], made: TnccSettings
) -> None:
    before = world(have, RICH)
    before.settings = made
    own = before.countries[0]
    military, room = own["military"], own["land"] * made.land_capacity
    rules.production(before)
    assert min(numbers(own)) >= 0
    assert before.alive[0] == (own["population"] > 0)
    assert own["military"] <= military, "the production makes no soldiers"
    assert own["land"] == have[4]
    if made.land_rule == "hard" and military <= room:
        assert own["population"] + own["military"] <= room


@given(FLANKS, FLANKS, ADVANTAGES, ADVANTAGES, st.sampled_from(["seed", "source"]))
@MANY
def test_no_battle_makes_soldiers(
    attack: Flanks, defence: Flanks, alpha: Decimal, beta: Decimal, rule: str
) -> None:
    made = settings(wave1_advantage=alpha, wave2_advantage=beta, wave_rule=rule)
    victor, survivors = rules.battle(made, attack, defence)
    assert 0 <= survivors <= sum(defence if victor == "defender" else attack)
    assert survivors > 0 or victor == "tie" or rule == "source"
    assert (victor, survivors) == rules.battle(made, attack[::-1], defence[::-1])


@given(FLANKS, st.permutations([0, 1, 2]), SOLDIERS, SEEDS)
@MANY
def test_the_request_is_the_same_for_every_division(
    flanks: Flanks, order: list[int], moved: int, seed: str
) -> None:
    left, middle, right = (flanks[i] for i in order)
    moved = min(moved, left)
    talks = []
    for parts in (flanks, (left - moved, middle, right + moved)):
        text = f"war player2 {' '.join(map(str, parts))}"
        talks.append(Talk(world((5000, 9, 9, 900, 9), RICH)).say(text))
    assert talks[0].told == talks[1].told
    assert talks[0].request == f"1 go war 10000 player1 {sum(flanks)}"


@given(FIVE, MATCHES, st.integers(-300, 300), st.sampled_from(["wait", "recruit"]))
@FEW
def test_equal_countries_with_equal_actions_stay_equal(
    have: tuple[int, int, int, int, int], made: TnccSettings, people: int, kind: str
) -> None:
    start = world(have, have, have)
    start.settings = made
    talk = Talk(start)
    for _ in range(3):
        talk.say("wait" if kind == "wait" else f"recruit {people}")
    one, two, three = talk.world.countries
    assert one == two == three


def test_no_chance_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: object, seed: str, label: str) -> None:
        raise AssertionError("a stream was made")

    answers = [random_answers(seed) for seed in ("1", "2")]
    monkeypatch.setattr(rng.Stream, "__init__", refuse)
    for replies in answers:
        for seed in ("a", "b"):
            table = Table(GAME, Setup(seed, 3, settings(gold_for_war=700)))
            for text in replies:
                table.answer_all((Answer(text),))
            assert table.outcome is not None


def random_answers(seed: str) -> list[str]:
    """The answers of a match of random players."""
    table, texts = Table(GAME, Setup(seed, 3, settings(gold_for_war=700))), []
    stream = Stream(seed, "answers")
    while table.outcome is None:
        texts.append(GAME.random_answer(table.world, table.asked[0], stream))
        table.answer_all((Answer(texts[-1]),))
    return texts


def test_every_line_and_frame_is_the_same_whatever_the_seed() -> None:
    logs = []
    for seed in ("a", "b"):
        table = Table(GAME, Setup(seed, 4, settings(max_cycles=10)))
        stream = Stream("1", "answers")
        while table.outcome is None:
            table.answer_all((random_reply(table, table.asked[0], stream),))
        logs.append(table.take())
    assert logs[0] == logs[1]
