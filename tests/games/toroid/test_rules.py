"""What actions need and do, and how matches end: world, order, expected world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from arena.core.steps import Fate
from arena.games.toroid import rules
from arena.games.toroid.orders import Attack, Build, Order, Scout, Skip, Transfer
from arena.games.toroid.world import ToroidWorld
from tests.games.toroid.helpers import Said, dice, ring, world


def do(
    start: str, country: int, order: Order, draws: Sequence[int] = (), **values: Any
) -> tuple[ToroidWorld, Any]:
    """Carry out a legal order; the world, and what was done."""
    made = world(start, draws, **values)
    assert rules.objection(made, country, order) is None
    act = rules.carry_out(made, country, order)
    assert dice(made).left == [], "too little was drawn"
    return made, act


def code(start: str, country: int, order: Order, **values: Any) -> str | None:
    """The reason why the order is illegal."""
    reason = rules.objection(world(start, **values), country, order)
    return reason.code if reason else None


# -- the worked examples ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("units", "start", "draws", "after", "result", "bound"),
    [
        # 1: 3 on 2, one of five, conquer in three of them
        (3, "A6 B2", [0], "A3 A3", "conquer", 5),
        (3, "A6 B2", [2], "A3 A3", "conquer", 5),
        # 2: defeat in the two others
        (3, "A6 B2", [3], "A3 B2", "defeat", 5),
        (3, "A6 B2", [4], "A3 B2", "defeat", 5),
        # 3: 2 on 5, only two defenders are engaged
        (2, "A6 B5", [1], "A6 B3", "victory", 4),
        (2, "A6 B5", [2], "A4 B5", "defeat", 4),
        # 5: equal
        (2, "A3 B2", [1], "A1 A2", "conquer", 4),
        (2, "A3 B2", [2], "A1 B2", "defeat", 4),
        # one against one, and all that may go against the most there may be
        (1, "A2 B1", [0], "A1 A1", "conquer", 2),
        (10, "A20 B20", [9], "A20 B10", "victory", 20),
        (10, "A11 B1", [9], "A1 A10", "conquer", 11),
        (10, "A11 B1", [10], "A1 B1", "defeat", 11),
        # neutrals defend themselves as players do
        (3, "A6 .2", [2], "A3 A3", "conquer", 5),
        (3, "A6 .2", [3], "A3 .2", "defeat", 5),
    ],
)
def test_attacks(
    units: int, start: str, draws: list[int], after: str, result: str, bound: int
) -> None:
    tail = " .3 B1 A1"
    made, act = do(start + tail, 0, Attack("right", units), draws)
    assert ring(made) == after + tail
    assert (act.seat, act.source, act.target, act.units, act.result) == (0, 0, 1, units, result)
    assert dice(made).asked == [bound]
    assert made.acts == [act]


def test_example_4_one_unit_must_stay() -> None:
    assert code("A4 B1 .1", 0, Attack("right", 4)) == "few_units"
    assert code("A4 B1 .1", 0, Attack("right", 3)) is None
    for units in (1, 2, 20):
        assert code("A1 B1 A1", 0, Attack("right", units)) == "few_units"
        assert code("A1 B1 A1", 0, Transfer("left", units)) == "few_units"


def test_example_6_a_transfer_into_a_full_country() -> None:
    assert code("A9 A18 B1", 0, Transfer("right", 4)) == "resident_limit"
    made, _ = do("A9 A18 B1", 0, Transfer("right", 2))
    assert ring(made) == "A7 A20 B1"


def test_example_7_a_build_is_lost_when_the_country_is_full_by_then() -> None:
    for gift, expected in ((1, "B1 A20 A4"), (0, "B1 A20 A5")):
        made = world("B1 A19 A5")
        rules.carry_out(made, 1, Build())
        if gift:
            rules.carry_out(made, 2, Transfer("left", 1))
        assert made.units[1] == 19 + gift
        rules.end_turn(made, 0)
        assert ring(made) == expected


def test_example_8_a_full_country_cannot_build() -> None:
    assert code("A20 B1 .1", 0, Build()) == "resident_limit"
    assert code("A20 B1 .1", 0, Scout("left")) is None
    assert code("A19 B1 .1", 0, Build()) is None


# -- the ring --------------------------------------------------------------------------------


def test_neighbours_on_the_ring() -> None:
    made = world("A1 B1 .1 .1")
    assert [rules.neighbour(made, c, "right") for c in range(4)] == [1, 2, 3, 0]
    assert [rules.neighbour(made, c, "left") for c in range(4)] == [3, 0, 1, 2]


def test_attacks_reach_over_the_end_of_the_ring() -> None:
    made, _ = do("A3 .1 .1 B2", 0, Attack("left", 2), [0])
    assert ring(made) == "A1 .1 .1 A2"
    made, _ = do("B2 .1 .1 A3", 3, Attack("right", 2), [0])
    assert ring(made) == "A2 .1 .1 A1"


# -- what is needed --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "start", "expected"),
    [
        (Attack("right", 1), "A9 A1 B1", "own_target"),
        (Attack("right", 99), "A9 A1 B1", "own_target"),  # the first that fails
        (Attack("right", 10), "A11 B1 .1", None),
        (Attack("right", 11), "A20 B1 .1", "too_many"),
        (Attack("right", 11), "A11 B1 .1", "few_units"),  # before too_many
        (Transfer("right", 1), "A9 B1 .1", "not_own"),
        (Transfer("left", 1), "A9 B1 .1", "not_own"),
        (Transfer("right", 99), "A9 B20 .1", "not_own"),  # never resident_limit
        (Transfer("right", 11), "A20 A1 B1", "too_many"),
        (Transfer("right", 11), "A20 A20 B1", "too_many"),  # before resident_limit
        (Transfer("right", 9), "A9 A20 B1", "few_units"),
        (Transfer("right", 8), "A9 A12 B1", None),
        (Transfer("right", 8), "A9 A13 B1", "resident_limit"),
        (Scout("left"), "A1 B1 .1", None),
        (Scout("right"), "A1 A1 B1", None),  # the own country: the old skip
        (Build(), "A20 B1 .1", "resident_limit"),
        (Skip(), "A20 B1 .1", None),
    ],
)
def test_what_is_needed(order: Order, start: str, expected: str | None) -> None:
    assert code(start, 0, order) == expected


def test_the_limits_are_settings() -> None:
    few = {"max_attack_units": 3, "max_transfer_units": 2, "max_resident_units": 6}
    assert code("A6 B1 A1", 0, Attack("right", 3), **few) is None
    assert code("A6 B1 A1", 0, Attack("right", 4), **few) == "too_many"
    assert code("A6 B1 A1", 0, Transfer("left", 2), **few) is None
    assert code("A6 B1 A1", 0, Transfer("left", 3), **few) == "too_many"
    assert code("A6 B1 A5", 0, Transfer("left", 2), **few) == "resident_limit"
    assert code("A6 B1 A5", 0, Build(), **few) == "resident_limit"


def test_unfriendly_transfers() -> None:
    on: dict[str, Any] = {"unfriendly_transfer": "on"}
    for rival in ("B", "."):
        made, act = do(f"A6 {rival}2 B1", 0, Transfer("right", 5), **on)
        assert ring(made) == f"A1 {rival}7 B1"
        assert (act.seat, act.source, act.target, act.units) == (0, 0, 1, 5)
    assert code("A6 B18 .1", 0, Transfer("right", 3), **on) == "resident_limit"
    assert code("A6 .18 B1", 0, Transfer("right", 3), **on) == "resident_limit"
    assert code("A6 B2 A1", 0, Transfer("left", 3), **on) is None


# -- what is done ----------------------------------------------------------------------------


def test_a_transfer_moves_units_and_nothing_else() -> None:
    made, _ = do("A6 A2 B1", 0, Transfer("right", 3))
    assert ring(made) == "A3 A5 B1"
    assert made.countries == [2, 1]


def test_scouting_changes_nothing() -> None:
    for side, target, units in (("left", 2, 4), ("right", 1, 7)):
        made = world("A1 B7 .4")
        order = Scout("left") if side == "left" else Scout("right")
        act: Any = rules.carry_out(made, 0, order)
        assert (act.source, act.target, act.units) == (0, target, units)
        assert ring(made) == "A1 B7 .4"


def test_nothing_is_done_by_a_skip() -> None:
    made, act = do("A6 A2 B1", 0, Skip())
    assert (ring(made), act, made.acts, made.builds) == ("A6 A2 B1", None, [], [])


def test_builds_wait_for_the_end_of_the_turn() -> None:
    made, act = do("A6 A2 B1", 0, Build())
    rules.carry_out(made, 1, Build())
    assert (ring(made), act, made.acts) == ("A6 A2 B1", None, [])
    rules.end_turn(made, 0)
    assert ring(made) == "A7 A3 B1"
    assert [type(done).__name__ for done in made.acts] == ["Built", "Built"]
    rules.end_turn(made, 0)
    assert ring(made) == "A7 A3 B1"


def test_a_conquest_changes_hands_and_counts() -> None:
    made, _ = do("A6 B2 B1 .2", 0, Attack("right", 2), [0])
    assert (made.countries, made.fallen) == ([2, 1], [])
    made, _ = do("A6 B2 .1", 0, Attack("right", 2), [0])
    assert (made.countries, made.fallen) == ([2, 0], [1])


def test_the_owner_of_the_target_hears_of_it() -> None:
    made, act = do("A6 B2 .1", 0, Attack("right", 2), [3])
    assert made.news == [[], [act]]
    made, _ = do("A6 B2 .1", 0, Attack("left", 2), [2])
    assert made.news == [[], []]
    made, _ = do("A6 A2 B1", 0, Transfer("right", 2))
    assert made.news == [[], []]
    made, act = do("A6 B2 A1", 0, Transfer("right", 2), unfriendly_transfer="on")
    assert made.news == [[], [act]]
    made, _ = do("A6 B2 A1", 0, Scout("right"))
    assert made.news == [[], []]


# -- the die ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 2), (10, 1), (2, 5), (10, 20)])
def test_the_odds_are_those_of_the_engaged_units(n: int, d: int) -> None:
    engaged = min(n, d)
    won = 0
    for draw in range(n + engaged):
        _, act = do(f"A20 B{d} .1", 0, Attack("right", n), [draw])
        won += act.result != "defeat"
    assert won == n
    if n <= d:
        assert 2 * won == n + engaged, "one half at parity and below"


@pytest.mark.parametrize(
    ("draws", "result"),
    [
        ([5, 0, 0, 4], "conquer"),  # 6 + 1 against 1 + 5
        ([5, 0, 1, 4], "defeat"),  # 7 against 7
        ([0, 0, 5, 5], "defeat"),
        ([5, 5, 0, 0], "conquer"),
    ],
)
def test_sum6_rolls_a_die_for_each_engaged_unit(draws: list[int], result: str) -> None:
    made, act = do("A6 B2 .1", 0, Attack("right", 2), draws, die="sum6")
    assert act.result == result
    assert dice(made).asked == [6, 6, 6, 6]


def test_sum6_rolls_for_the_attackers_first_and_for_no_other() -> None:
    made, act = do("A6 B1 .1", 0, Attack("right", 3), [0, 0, 0, 1], die="sum6")
    assert act.result == "conquer"  # 3 against 2
    made, act = do("A6 B9 .1", 0, Attack("right", 1), [1, 0], die="sum6")
    assert (act.result, ring(made)) == ("victory", "A6 B8 .1")


def test_without_a_die_the_attacker_always_wins_and_nothing_is_drawn() -> None:
    made, act = do("A6 B9 .1", 0, Attack("right", 1), [], die="none")
    assert (act.result, ring(made)) == ("victory", "A6 B8 .1")
    made, act = do("A6 B5 .1", 0, Attack("right", 5), [], die="none")
    assert (act.result, ring(made)) == ("conquer", "A1 A5 .1")


# -- the end ---------------------------------------------------------------------------------


def ended(counts: list[int], neutrals: int = 0, fallen: Sequence[int] = ()) -> ToroidWorld:
    """A world after its last game turn, with so many countries of each seat."""
    cells = ["ABCDEFGH"[seat] + "1 " for seat, count in enumerate(counts) for _ in range(count)]
    made = world("".join(cells) + ".1 " * neutrals, seats=len(counts))
    made.round, made.fallen = made.rounds + 1, list(fallen)
    return made


def test_example_10_domination_is_shared() -> None:
    end = rules.outcome(ended([7, 7, 4, 2]))
    assert (end.points, end.ranks, end.reason) == ((1, 1, 0, 0), (1, 1, 3, 4), "domination")
    assert end.sentence == (
        "player1 and player2 share the win: each holds 7 of 20 countries after 80 game turns."
    )
    assert end.fates == (Fate.SURVIVED,) * 4


def test_example_10_occupation() -> None:
    made = ended([0, 20, 0, 0], fallen=[0, 3, 2])
    made.round = 32  # the next
    end = rules.outcome(made)
    assert (end.points, end.ranks, end.reason) == ((0, 3, 0, 0), (4, 1, 2, 3), "occupation")
    assert end.sentence == "player2 won in game turn 31: it holds all 20 countries."
    assert end.fates == (Fate.ELIMINATED, Fate.SURVIVED, Fate.ELIMINATED, Fate.ELIMINATED)


def test_neutrals_do_not_dominate() -> None:
    end = rules.outcome(ended([2, 1], neutrals=9))
    assert (end.points, end.ranks) == ((1, 0), (1, 2))
    assert end.sentence == (
        "player1 won: it holds 2 of 12 countries after 40 game turns, more than any other player."
    )


def test_all_share() -> None:
    end = rules.outcome(ended([3, 3, 3], neutrals=6))
    assert (end.points, end.ranks) == ((1, 1, 1), (1, 1, 1))
    assert end.sentence == (
        "player1, player2 and player3 share the win: "
        "each holds 3 of 15 countries after 60 game turns."
    )


def test_ranks_go_by_points_then_countries_then_later_elimination() -> None:
    end = rules.outcome(ended([0, 5, 2, 0, 5, 2, 0], fallen=[3, 0, 6]))
    assert end.ranks == (6, 1, 3, 7, 1, 3, 5)
    assert end.points == (0, 1, 0, 0, 1, 0, 0)


@pytest.mark.parametrize("seat", range(3))
def test_the_rank_of_who_goes_out_is_final(seat: int) -> None:
    made = ended([3, 3, 3])
    for moment, loser in enumerate([(seat + 1) % 3, (seat + 2) % 3]):
        made.owner = [seat if owner == loser else owner for owner in made.owner]
        made.countries[loser], made.countries[seat] = 0, made.countries[seat] + 3
        made.fallen.append(loser)
        assert rules.standing(made)[loser] == 3 - moment
        assert rules.points(made)[loser] == 0


def test_points_are_settings() -> None:
    made = world("A1 A1 A1", occupation_win=7)
    assert rules.points(made) == (7, 0)
    made = world("A1 A1 B1", domination_win=0)
    assert rules.points(made) == (0, 0)
    assert rules.standing(made) == (1, 2)


def test_a_match_is_over_after_the_last_game_turn_or_with_the_whole_ring() -> None:
    made = world("A1 B1 .1")
    made.round = 40
    assert not rules.over(made)
    made.round = 41
    assert rules.over(made)
    assert rules.over(world("A1 A1 A1"))
    assert not rules.over(world("A1 A1 .1")), "who is alone among neutrals plays on"


def test_taking_the_last_country_drops_what_was_pending() -> None:
    made = world("A6 A2 .1", [0])
    made.todo, made.builds = [1], [0]
    rules.carry_out(made, 0, Attack("left", 1))
    assert (made.todo, made.builds) == ([], [])


def test_the_said_chance_is_all_there_is() -> None:
    with pytest.raises(AssertionError, match="nothing more"):
        Said([]).below(2)
