"""Phases D and E of a turn: walking, hitting, dying, coming back."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import settings as options
from hypothesis import strategies as st

from arena.games.codecharacter.action import step
from tests.games.codecharacter.helpers import at, put, states, tower, turn, world

PLACES = st.integers(0, 1_500_000)


# -- walking -------------------------------------------------------------------------------


@pytest.mark.dear
@given(PLACES, PLACES, PLACES, PLACES)
@options(derandomize=True, deadline=None, max_examples=300)
def test_a_step_is_fifty_units_rounded_half_away_from_zero(
    x: int, y: int, to_x: int, to_y: int
) -> None:
    """Against decimals of 60 digits."""
    with localcontext() as context:
        context.prec = 60
        dx, dy = to_x - x, to_y - y
        length = Decimal(dx * dx + dy * dy).sqrt()
        if length <= 50000:
            expected = to_x, to_y
        else:
            across, along = (
                int((Decimal(50000 * d) / length).quantize(Decimal(1), ROUND_HALF_UP))
                for d in (dx, dy)
            )
            expected = x + across, y + along
    assert step(x, y, to_x, to_y, 50000) == expected


@given(PLACES, PLACES, PLACES, PLACES)
@options(derandomize=True, deadline=None, max_examples=100)
def test_a_step_mirrored_is_the_mirrored_step(x: int, y: int, to_x: int, to_y: int) -> None:
    edge = 1_500_000
    there = step(x, y, to_x, to_y, 50000)
    back = step(edge - x, edge - y, edge - to_x, edge - to_y, 50000)
    assert (edge - back[0], edge - back[1]) == there


@pytest.mark.parametrize(
    ("to", "place"),
    [
        ((0, 50000), (0, 50000)),
        ((0, 50001), (0, 50000)),
        ((30000, 40000), (30000, 40000)),
        ((30001, 40001), (30000, 40000)),
        ((3, 1_500_000), (0, 50000)),
        ((15, 1_500_000), (0, 50000)),  # 0.49999999997: rounded once
        ((16, 1_500_000), (1, 50000)),
    ],
)
def test_steps_at_the_limits(to: tuple[int, int], place: tuple[int, int]) -> None:
    assert step(0, 0, *to, 50000) == place


def test_a_walk_ends_at_its_destination() -> None:
    made = world()
    turn(made, "move 0 345 225")
    seen = [(at(made, 0), *states(made, 0))]
    for _ in range(4):
        turn(made)
        seen.append((at(made, 0), *states(made, 0)))
    assert seen == [
        ((275, 225), "move"),
        ((325, 225), "move"),
        ((345, 225), "move"),
        ((345, 225), "idle"),
        ((345, 225), "idle"),
    ]
    assert made.soldiers[0].destination is None


def test_to_the_corners_of_the_map() -> None:
    made = world()
    turn(made, "move 0 1500 1500, move 1 0 1500")
    for _ in range(40):
        turn(made)
    assert (at(made, 0), at(made, 1)) == ((1500, 1500), (0, 1500))


def test_pursuit_goes_for_where_the_target_was_before_the_turn() -> None:
    made = world()
    put(made, 0, 700, 700)
    put(made, 20, 700, 900, destination=(800000, 900000))
    turn(made, "attack 0 20")
    assert (at(made, 0), at(made, 20)) == ((700, 750), (750, 900))
    assert states(made, 0) == ["pursuit"]
    turn(made)
    assert at(made, 0)[0] > 700


def test_pursuit_may_end_on_the_target_but_not_hit_in_that_turn() -> None:
    made = world()
    put(made, 0, 700, 700, target=20)
    put(made, 20, 700, 761)
    turn(made)
    assert (at(made, 0), states(made, 0), made.soldiers[20].hp) == ((700, 750), ["pursuit"], 100)
    turn(made)
    assert (at(made, 0), states(made, 0), made.soldiers[20].hp) == ((700, 750), ["attack"], 50)


# -- hitting -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("x", "y", "hit"),
    [(760, 700, True), (760.001, 700, False), (736, 748, True), (736, 748.001, False)],
)
def test_the_range_is_sixty_and_exact(x: float, y: float, hit: bool) -> None:
    made = world()
    put(made, 0, 700, 700, target=20)
    put(made, 20, x, y)
    turn(made)
    assert (made.soldiers[20].hp == 50) == hit
    assert states(made, 0) == ["attack" if hit else "pursuit"]


def test_a_target_that_walks_out_of_range_is_still_hit() -> None:
    made = world()
    put(made, 0, 700, 700, target=20)
    put(made, 20, 760, 700, destination=(900000, 700000))
    turn(made)
    assert made.soldiers[20].hp == 50
    assert at(made, 20) == (810, 700)
    turn(made)
    assert states(made, 0) == ["pursuit"]


def test_a_tower_is_hit_at_its_middle() -> None:
    made = world()
    tower(made, 1, 14, 14)
    put(made, 0, 725, 665, target=42)
    put(made, 1, 725, 664.999, target=42)
    turn(made)
    assert made.towers[42].hp == 6950
    assert states(made, 0, 1) == ["attack", "pursuit"]


def test_a_base_is_never_hit_and_soldiers_on_it_can_be() -> None:
    made = world()
    put(made, 0, 1275, 1275)
    assert turn(made, "attack 0 41")[0] == [(1, "target_base")]
    turn(made, "attack 0 20")
    assert made.soldiers[20].hp == 50
    assert made.towers[41].hp == 7000


def test_hits_of_one_turn_are_summed() -> None:
    made = world(soldier_hp=500)
    put(made, 20, 700, 700)
    for id in range(3):
        put(made, id, 700, 700, target=20)
    turn(made)
    assert made.soldiers[20].hp == 350


def test_a_soldier_killed_in_this_turn_still_acts() -> None:
    made = world()
    for id, target in ((0, 20), (1, 20), (20, 1)):
        put(made, id, 700, 700, target=target)
    turn(made)
    assert states(made, 0, 1, 20) == ["attack", "attack", "dead"]
    assert made.soldiers[1].hp == 50


def test_a_dying_soldier_takes_its_step() -> None:
    made = world()
    put(made, 0, 700, 700, target=20)
    put(made, 20, 740, 700, hp=50, destination=(740000, 900000))
    turn(made)
    assert (at(made, 20), states(made, 20)) == ((740, 750), ["dead"])
    assert made.soldiers[20].destination is None


def test_the_target_falls_away_for_those_who_come_after_the_last_hit() -> None:
    made = world()
    put(made, 20, 700, 700)
    for id in (3, 7, 11):
        put(made, id, 700, 700, target=20)
    put(made, 12, 100, 100, target=20)
    turn(made)
    assert states(made, 3, 7, 11, 12) == ["attack", "attack", "idle", "idle"]
    assert [made.soldiers[id].target for id in (3, 7, 11, 12)] == [20, 20, None, None]
    turn(made)
    assert states(made, 3, 7) == ["idle", "idle"]
    assert made.money[0] == 500


def test_more_damage_than_hp() -> None:
    made = world(soldier_damage=70)
    put(made, 0, 700, 700, target=20)
    put(made, 20, 700, 700)
    turn(made)
    turn(made)
    assert (made.soldiers[20].hp, made.money[0]) == (0, 500)


# -- towers --------------------------------------------------------------------------------


def test_a_tower_suffers_at_once_and_the_last_hit_is_paid() -> None:
    made = world()
    tower(made, 1, 14, 14, hp=80)
    for id in (0, 1, 2):
        put(made, id, 725, 725, target=42)
    turn(made)
    assert states(made, 0, 1, 2) == ["attack", "attack", "idle"]
    assert 42 not in made.towers
    assert made.tiles() == [25, 25]
    assert made.money == [600, 300]


@pytest.mark.parametrize(("level", "reward"), [(1, 300), (2, 500), (3, 700)])
def test_the_reward_for_a_tower_by_its_level(level: int, reward: int) -> None:
    made = world()
    tower(made, 0, 14, 14, level=level, hp=50)
    put(made, 20, 725, 725, target=42)
    turn(made)
    assert made.money == [300, 300 + reward]


def test_a_razed_tower_cannot_be_raised_again() -> None:
    made = world(money_start=9000)
    tower(made, 0, 14, 14, hp=50)
    put(made, 20, 725, 725, target=42)
    turn(made)
    assert turn(made, "upgrade 42") == ([(1, "not_own")], [])


def test_who_pursued_a_razed_tower_becomes_idle() -> None:
    made = world()
    tower(made, 1, 14, 14, hp=50)
    put(made, 0, 725, 725, target=42)
    put(made, 19, 100, 100, target=42)
    turn(made)
    assert states(made, 0, 19) == ["attack", "idle"]


# -- dying and coming back -----------------------------------------------------------------


def kill(**values: int) -> list[tuple[str, int, int]]:
    """State, hp and immunity (as told) of soldier 20 from the turn of its death on."""
    made = world(**values)
    put(made, 0, 700, 700, target=20)
    put(made, 20, 700, 700, hp=50, destination=(0, 0))
    seen: list[tuple[str, int, int]] = []
    for _ in range(20):
        turn(made)
        one = made.soldiers[20]
        seen.append((one.state, one.hp, int(one.immune > 0)))
    assert at(made, 20) == (1275, 1275)
    return seen


def test_ten_turns_dead_then_back_and_immune() -> None:
    assert kill() == [
        *[("dead", 0, 0)] * 10,  # after turns t to t + 9
        ("idle", 100, 1),  # t + 10
        ("idle", 100, 1),  # t + 11
        *[("idle", 100, 0)] * 8,
    ]


def test_other_times() -> None:
    assert kill(respawn_turns=1, immune_turns=0) == [
        ("dead", 0, 0),
        *[("idle", 100, 0)] * 19,
    ]
    assert kill(respawn_turns=3, immune_turns=5)[2:9] == [
        ("dead", 0, 0),
        *[("idle", 100, 1)] * 5,
        ("idle", 100, 0),
    ]


def test_the_dead_stay_where_they_fell_and_return_to_their_base() -> None:
    made = world()
    put(made, 0, 700, 700, hp=50)
    put(made, 20, 700, 750, target=0)
    for _ in range(10):
        turn(made)
        assert (at(made, 0), states(made, 0)) == ((700, 700), ["dead"])
    turn(made)
    assert (at(made, 0), states(made, 0)) == ((225, 225), ["idle"])


def test_the_dead_take_no_orders_and_are_no_targets() -> None:
    made = world()
    put(made, 20, 700, 700, hp=50)
    put(made, 0, 700, 700, target=20)
    turn(made)
    assert turn(made, "attack 1 20", "move 20 0 0") == ([(1, "target_dead")], [(1, "dead_soldier")])


def test_a_dead_soldier_returns_with_no_order() -> None:
    made = world(respawn_turns=1)
    put(made, 0, 700, 700, target=20)
    put(made, 20, 700, 700, hp=50, target=0)
    turn(made)
    turn(made)
    assert (made.soldiers[20].target, made.soldiers[20].destination) == (None, None)
    assert states(made, 0, 20) == ["idle", "idle"]


def test_those_who_attack_the_dead_stop_in_either_order() -> None:
    """Both sides see the state before the turn: a return in the turn itself saves none."""
    made = world(respawn_turns=1)
    for one, two in ((0, 20), (21, 1)):
        put(made, one, 700, 700, target=two)
        put(made, two, 700, 700, hp=50)
    turn(made)
    turn(made)
    assert states(made, 0, 21) == ["idle", "idle"]


def test_an_immune_soldier_can_be_attacked_in_vain() -> None:
    made = world()
    put(made, 20, 700, 700, hp=50, immune=2)
    put(made, 0, 700, 700)
    put(made, 1, 700, 800)
    assert turn(made, "attack 0 20, attack 1 20")[0] == []
    assert states(made, 0, 1) == ["attack", "pursuit"]
    assert (made.soldiers[20].hp, made.soldiers[20].immune, made.money[0]) == (50, 1, 300)
    turn(made)
    assert (made.soldiers[20].hp, made.soldiers[20].immune, made.money[0]) == (50, 0, 300)
    turn(made)
    assert (states(made, 20), made.money[0]) == (["dead"], 500)


def test_an_immune_soldier_can_hit() -> None:
    made = world()
    put(made, 20, 700, 700, immune=2, target=0)
    put(made, 0, 700, 700)
    turn(made)
    assert made.soldiers[0].hp == 50
