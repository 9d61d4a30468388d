"""The lines, and how player2's are mirrored."""

from __future__ import annotations

import pytest

from arena.core.rng import Stream
from arena.core.steps import Fate, Outcome
from arena.games.codecharacter import words
from arena.games.codecharacter.checks import check
from arena.games.codecharacter.orders import Attack, Build, Move, Orders, Suicide, Upgrade
from tests.games.codecharacter.helpers import (
    fighting_answer,
    fresh,
    put,
    settings,
    tower,
    turn,
    world,
)
from tests.support.tools import every


def test_the_settings_in_the_order_of_the_table() -> None:
    one, two = words.opening_lines(fresh())
    assert one == [
        "settings game codecharacter",
        "settings players player1 player2",
        "settings your_bot player1",
        "settings timebank 10000",
        "settings time_per_move 100",
        "settings map_size 30",
        "settings tile_size 50",
        "settings num_turns 1000",
        "settings num_soldiers 20",
        "settings respawn_turns 10",
        "settings soldier_hp 100",
        "settings soldier_damage 50",
        "settings soldier_speed 50",
        "settings attack_range 60",
        "settings immune_turns 2",
        "settings money_start 300",
        "settings soldier_reward 200",
        "settings tower_costs 800 800 800",
        "settings tower_hp 7000 10000 15000",
        "settings tower_ranges 2 3 4",
        "settings tower_kill_reward 300 500 700",
        "settings suicide_refund third",
        "settings max_towers 15",
        "settings tower_cap_rule final",
        "settings max_level 3",
        "settings base_tiles 4 4 25 25",
        "settings turn_limit bank",
        "settings game_limit 3",
    ]
    assert [(a, b) for a, b in zip(one, two, strict=True) if a != b] == [
        ("settings your_bot player1", "settings your_bot player2")
    ]


def test_the_lines_of_a_turn() -> None:
    made = world(num_soldiers=1, map_size=12, base_tiles=(1, 1, 10, 10))
    put(made, 0, 100, 75.25, state="move", destination=(1, 1))
    put(made, 1, 524.999, 600, hp=50, immune=2, state="attack")
    made.money = [7, 1100]
    one, two = words.News(made).turn_lines()
    assert one == [
        "round 1",
        "settings money 7",
        "update_map soldiers 0 player1 100 75.25 100 move 0 1 player2 524.999 600 50 attack 1",
        "update_map towers 2 player1 75 75 7000 1 1 3 player2 525 525 7000 1 1",
        f"update_map territory {'mmmm........ ' * 4}{'............ ' * 4}"
        f"{' '.join(['........eeee'] * 4)}",
    ]
    assert two == [
        "round 1",
        "settings money 1100",
        "update_map soldiers 1 player2 75.001 0 50 attack 1 0 player1 500 524.75 100 move 0",
        "update_map towers 3 player2 75 75 7000 1 1 2 player1 525 525 7000 1 1",
        one[4],
    ]


def test_both_see_their_own_base_in_the_upper_left() -> None:
    for lines in words.News(world()).turn_lines():
        assert lines[2].split()[4:6] == ["225", "225"]
        assert lines[3].split()[4:6] == ["225", "225"]
        assert lines[4].split()[2:9] == ["." * 30] * 2 + ["..mmmmm" + "." * 23] * 5
        assert lines[4].split()[25:] == ["." * 23 + "eeeee.."] * 5 + ["." * 30] * 2


def test_towers_come_own_first_and_ascending() -> None:
    made = world()
    tower(made, 1, 20, 21, level=2)
    tower(made, 0, 6, 7, level=3, hp=12)
    one, two = words.News(made).map_lines()
    assert one[1] == (
        "update_map towers 40 player1 225 225 7000 1 1 43 player1 325 375 12 3 0 "
        "41 player2 1275 1275 7000 1 1 42 player2 1025 1075 10000 2 0"
    )
    assert two[1] == (
        "update_map towers 41 player2 225 225 7000 1 1 42 player2 475 425 10000 2 0 "
        "40 player1 1275 1275 7000 1 1 43 player1 1175 1125 12 3 0"
    )


def test_territory_of_both_and_not_symmetric() -> None:
    made = world()
    tower(made, 1, 7, 4)  # player1's base has x 2 to 6, this tower 5 to 9
    one, two = words.News(made).map_lines()
    assert one[2].split()[6] == "..mmmbbeee" + "." * 20
    assert two[2].split()[2 + 25] == "." * 20 + "mmmbbeee.."


def test_the_enemys_money_and_orders_are_hidden() -> None:
    made = world()
    before = words.News(made).turn_lines()
    made.money[1] += 500
    made.soldiers[20].destination = (0, 0)
    made.soldiers[21].target = 3
    one, two = words.News(made).turn_lines()
    assert one == before[0]
    assert two != before[1]


def test_the_end() -> None:
    outcome = Outcome((2, 1), (0.0, 1.0), (Fate.SURVIVED, Fate.SURVIVED), "num_turns", "x.")
    one, two = words.News(world()).end_lines(outcome)
    assert [line.split()[:2] for line in one] == [
        ["update_map", "soldiers"],
        ["update_map", "towers"],
        ["update_map", "territory"],
        ["game_over", "2"],
    ]
    assert (one[3], two[3]) == ("game_over 2 0", "game_over 1 1")


def test_a_dead_soldier_stays_where_it_fell() -> None:
    made = world()
    put(made, 0, 700, 700, target=20)
    put(made, 20, 740, 700, hp=50, destination=(0, 0))
    turn(made)
    line = words.News(made).map_lines()[0][0]
    assert " 20 player2 703.677 665.64 0 dead 0 " in line


# -- answers -------------------------------------------------------------------------------


def test_all_kinds_of_orders() -> None:
    text = "move 20 500.5 600, attack 21 3,,build 6 7 ,upgrade 41,  suicide 44,"
    orders = words.read_orders(world(), 0, text)
    assert orders.soldiers == [
        Move(1, "move 20 500.5 600", 20, 500500, 600000),
        Attack(2, "attack 21 3", 21, 3),
    ]
    assert orders.builds == [Build(3, "build 6 7", (6, 7))]
    assert orders.towers == [Upgrade(4, "upgrade 41", 41), Suicide(5, "suicide 44", 44)]
    assert orders.void == []


def test_what_player2_says_is_mirrored() -> None:
    orders = words.read_orders(world(), 1, "move 20 500.5 0, build 6 7, attack 20 3")
    assert orders.soldiers == [
        Move(1, "move 20 500.5 0", 20, 999500, 1500000),
        Attack(3, "attack 20 3", 20, 3),
    ]
    assert orders.builds == [Build(2, "build 6 7", (23, 22))]


@pytest.mark.parametrize(
    "text", ["", "No moves", "no moves", "NO MOVES", "No moves,", " , No moves"]
)
def test_no_orders(text: str) -> None:
    orders = words.read_orders(world(), 0, text)
    assert orders == Orders()


MALFORMED = [
    "move 0 5",
    "move 0 5 5 5",
    "move 0  5 5",
    "move\t0 5 5",
    "Move 0 5 5",
    "move 00 5 5",
    "move +1 5 5",
    "move 0.0 5 5",
    "move 0 5.1234 5",
    "move 0 5. 5",
    "move 0 .5 5",
    "move 0 05 5",
    "move 0 -0 5",
    "move 0 1e2 5",
    "move 0 1234567890 5",
    "move 0 ５ 5",
    "attack 0",
    "attack 0 20.5",
    "attack 0 20 21",
    "attack zero 20",
    "build 6",
    "build 6.5 6",
    "build 6 6 6",
    "upgrade",
    "upgrade 40 40",
    "upgrade forty",
    "suicide",
    "suicide -0",
    "suicide 1234567890",
    "player1 move 0 5 5",
    "tea",
    "\\xff\\xfe",
    "nomoves",
]


@every("text", MALFORMED)
def test_malformed_orders(text: str) -> None:
    orders = words.read_orders(world(), 0, f"move 1 2 3, {text}, move 2 3 4")
    assert [(void.number, void.text, void.refusal.code) for void in orders.void] == [
        (2, text, "syntax")
    ]
    assert [order.number for order in orders.soldiers] == [1, 3]


def test_no_moves_counts_only_alone() -> None:
    orders = words.read_orders(world(), 0, "No moves, move 0 1 1, no moves")
    assert [(void.number, void.refusal.code, void.refusal.why) for void in orders.void] == [
        (1, "syntax", "it counts only alone"),
        (3, "syntax", "it counts only alone"),
    ]
    assert len(orders.soldiers) == 1


def test_a_note_says_what_is_wrong() -> None:
    orders = words.read_orders(world(), 0, "upgrade x, go")
    assert [void.refusal.why for void in orders.void] == [
        "'x' is no number in the form that is asked for",
        words.BAD_FORM.why,
    ]


def test_numbers_in_all_their_forms() -> None:
    made = world()
    for text in ("0", "1500", "12.5", "12.50", "12.500", "0.001", "1499.999"):
        plans = check(made, [words.read_orders(made, 0, f"move 0 {text} {text}")] * 2)
        assert not plans[0].void


def test_texts_are_not_mixed_up_between_settings() -> None:
    """What is kept of earlier texts is told apart by everything that matters."""
    big, little = world(), fresh(settings(map_size=12, base_tiles=(1, 1, 10, 10)))
    for made in (big, little):
        put(made, 0, 10, 20)
    assert " 0 player1 1490 1480 " in words.News(big).map_lines()[1][0]
    assert " 0 player1 590 580 " in words.News(little).map_lines()[1][0]
    assert len(words.News(big).map_lines()[0][2]) != len(words.News(little).map_lines()[0][2])


def test_kept_texts_are_those_written_anew() -> None:
    """In a whole match and in copies of its world."""
    stream, made = Stream("1", "kept"), world()
    news = words.News(made)
    for _ in range(60):
        turn(made, *[fighting_answer(made, seat, stream) for seat in (0, 1)])
        kept = news.turn_lines()
        for texts in (words._tower_texts, words._territory_line):
            texts.cache_clear()
        assert words.News(made.copy()).turn_lines() == kept
