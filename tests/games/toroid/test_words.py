"""The lines to a bot, and what a seat may know."""

from __future__ import annotations

import pytest

from arena.core import Tell
from arena.games.kit import Refusal
from arena.games.toroid import rules, words
from arena.games.toroid.orders import Attack, Build, Order, Scout, Skip, Transfer
from arena.games.toroid.world import Attacked, Transferred
from tests.games.toroid.helpers import fresh, world


def test_what_a_bot_is_told_first() -> None:
    made = fresh("447", start_units=3, visibility="owners")
    assert words.opening_lines(made, 1) == [
        "settings game toroid",
        "settings players player1 player2",
        "settings your_bot player2",
        "settings timebank 10000",
        "settings time_per_move 100",
        "settings max_game_turns 40",
        "settings countries_per_player 3",
        "settings neutrals 4",
        "settings start_units 3",
        "settings neutral_units_min 1",
        "settings neutral_units_max 5",
        "settings normal_game_turn_per_player 20",
        "settings occupation_win 3",
        "settings domination_win 1",
        "settings max_attack_units 10",
        "settings max_transfer_units 10",
        "settings max_resident_units 20",
        "settings unfriendly_transfer off",
        "settings die proportional",
        "settings visibility owners",
        "settings reasks 1",
        "settings turn_order player2 player1",
        "setup_map ring 0 1 2 3 4 5 6 7 8 9",
    ]


def test_a_given_number_of_neutrals_is_told() -> None:
    lines = words.opening_lines(fresh(seats=3, neutrals=0, timebank=5), 2)
    assert "settings neutrals 0" in lines
    assert "settings max_game_turns 60" in lines
    assert lines[3] == "settings timebank 5"
    assert lines[-1] == "setup_map ring 0 1 2 3 4 5 6 7 8"


RING = "A2 B3 B4 .5 .1 A6 A7 .2"


@pytest.mark.parametrize(
    ("visibility", "seat", "line"),
    [
        (
            "neighbours",
            0,
            "0 player1 2 5 player1 6 6 player1 7 1 player2 -1 4 neutral2 -1 7 neutral3 -1",
        ),
        ("neighbours", 1, "1 player2 3 2 player2 4 0 player1 -1 3 neutral1 -1"),
        (
            "owners",
            1,
            "1 player2 3 2 player2 4 0 player1 -1 3 neutral1 -1 4 neutral2 -1 5 player1 -1 "
            "6 player1 -1 7 neutral3 -1",
        ),
        (
            "all",
            1,
            "1 player2 3 2 player2 4 0 player1 2 3 neutral1 5 4 neutral2 1 5 player1 6 "
            "6 player1 7 7 neutral3 2",
        ),
    ],
)
def test_what_is_seen(visibility: str, seat: int, line: str) -> None:
    assert words.map_line(world(RING, visibility=visibility), seat) == f"update_map {line}"


def test_a_neighbour_on_both_sides_is_shown_once() -> None:
    assert words.map_line(world("A2 .3 A4 B1"), 0) == (
        "update_map 0 player1 2 2 player1 4 1 neutral1 -1 3 player2 -1"
    )


@pytest.mark.parametrize(
    ("visibility", "line"),
    [
        ("neighbours", "update_map"),
        ("owners", "update_map 0 player1 -1 1 player1 -1 2 neutral1 -1"),
        ("all", "update_map 0 player1 1 1 player1 9 2 neutral1 3"),
    ],
)
def test_what_is_seen_without_a_country(visibility: str, line: str) -> None:
    assert words.map_line(world("A1 A9 .3", visibility=visibility), 1) == line


def test_a_scouted_number_is_not_kept() -> None:
    made = world("A2 B3 .4")
    before = words.map_line(made, 0)
    rules.carry_out(made, 0, Scout("right"))
    assert words.map_line(made, 0) == before


def test_a_map_that_has_not_changed_is_the_same_step() -> None:
    made = world("A2 B3 .4")
    news = words.MapNews(made, 0)
    first = news.tell()
    assert first == Tell(0, words.map_line(made, 0))
    assert news.tell() is first
    made.units[0] = 5
    second = news.tell()
    assert second == Tell(0, words.map_line(made, 0)) != first
    made.owner[1] = 0
    assert news.tell() == Tell(0, words.map_line(made, 0)) != second


def test_what_others_did() -> None:
    made = world("A2 B3 .4", seats=3)
    assert words.news_line(made, 0) == "opponent_moves"
    made.news[0] = [
        Attacked(1, 7, 8, 1, "defeat"),
        Transferred(2, 0, 9, 4),
        Attacked(2, 9, 8, 10, "conquer"),
    ]
    assert words.news_line(made, 0) == (
        "opponent_moves player2 attack 7 8 1 defeat player3 transfer 0 9 4 "
        "player3 attack 9 8 10 conquer"
    )


@pytest.mark.parametrize(
    ("order", "line"),
    [
        (Attack("right", 2), "result 0 attack right 2 conquer"),
        (Scout("right"), "result 0 scout right 1 2"),
        (Scout("left"), "result 0 scout left 2 3"),
        (Transfer("left", 4), "result 0 transfer left 4"),
        (Build(), "result 0 build"),
        (Skip(), "result 0 skip"),
    ],
)
def test_results(order: Order, line: str) -> None:
    made = world("A6 B2 A3", [0])
    assert words.result_line(0, order, rules.carry_out(made, 0, order)) == line


def test_the_result_of_something_illegal() -> None:
    assert Refusal("few_units", "why").tell(0, 7).line == "result 7 illegal few_units"


def test_the_last_lines() -> None:
    made = world("A2 A3 B4", domination_win=2)
    made.news[1] = [Attacked(0, 1, 2, 1, "defeat")]
    assert words.last_lines(made, 0) == [
        "update_map 0 player1 2 1 player1 3 2 player2 -1",
        "opponent_moves",
        "game_over 1 2",
    ]
    assert words.last_lines(made, 1) == [
        "update_map 2 player2 4 0 player1 -1 1 player1 -1",
        "opponent_moves player1 attack 1 2 1 defeat",
        "game_over 2 0",
    ]
