"""The conversation: who is told and asked what, in which order."""

from __future__ import annotations

import pytest

from arena.core.replies import Answer, Reply, Silence, Why
from arena.core.steps import Fate, Note
from arena.games.tncc import GAME
from arena.games.tncc.world import Trade, Wait, War
from tests.games.tncc.helpers import ABSENT, DEAD, LATE, RICH, Talk, fresh, numbers, world

STOPPED = Silence(Why.STOPPED)
SILENCES = [LATE, ABSENT, DEAD, STOPPED]


def two(**values: object) -> Talk:
    """Two rich countries, player1 asked for its first action."""
    return Talk(world(RICH, RICH, **values))


# -- order -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", GAME.seats)
def test_every_country_acts_once_in_a_cycle_in_the_order_of_the_seats(seats: int) -> None:
    talk = Talk(fresh(seats))
    for turn in range(2 * seats):
        assert talk.request == f"{turn % seats} go action 10000"
        assert talk.world.round == 1 + turn // seats
        talk.say("wait")


def test_before_the_first_action() -> None:
    talk = Talk(fresh(2))
    lines = talk.lines(0)
    assert lines[:3] == ["settings game tncc", "settings players player1 player2",
                         "settings your_bot player1"]  # fmt: skip
    assert lines[-4:] == [
        "round 1",
        "update_map player1 600 800 800 0 150 alive player2 600 800 800 0 150 alive",
        "opponent_moves",
        "go action 10000",
    ]
    assert len(lines) == 3 + 17 + 4
    assert talk.frames[0]["round"] == 0
    assert "settings your_bot player2" in talk.lines(1)


def test_actions_take_effect_at_once() -> None:
    talk = two().say("recruit 100")
    assert talk.lines(1) == [
        "round 1",
        "update_map player1 5000 5000 900 300 150 alive player2 5000 5000 1000 200 150 alive",
        "opponent_moves player1 recruit 100",
        "go action 10000",
    ]
    assert talk.lines(0) == [], "a recruit has no result"


def test_the_round_is_told_before_the_first_request_of_a_cycle() -> None:
    talk = two().say("trade player2 gold 1 food 1")
    assert talk.request == "1 go trade 10000 player1 gold 1 food 1"
    assert talk.lines(1)[0] == "round 1"
    talk.say("yes")
    assert talk.request == "1 go action 10000"
    assert [line.split()[0] for line in talk.lines(1)] == ["update_map", "opponent_moves", "go"]
    talk.say("wait")
    assert talk.lines(0)[0] == "round 2"


def test_news_are_all_since_the_last_request() -> None:
    talk = Talk(world(RICH, RICH, RICH))
    talk.say("recruit 1", "trade player1 gold 5 food 5")
    assert talk.lines(0)[1] == "opponent_moves", "not what is just asked"
    talk.say("no")
    assert talk.lines(2)[2] == (
        "opponent_moves player1 recruit 1 player2 trade player1 gold 5 food 5 no"
    )
    talk.say("wait")
    assert talk.lines(0)[2] == "opponent_moves player2 trade player1 gold 5 food 5 no player3 wait"
    talk.say("wait")
    assert talk.lines(1)[2] == "opponent_moves player3 wait player1 wait"


def test_the_production_follows_the_last_seat() -> None:
    talk = Talk(world((600, 800, 800, 0, 150), RICH)).say("wait")
    assert numbers(talk.world.countries[0]) == [600, 800, 800, 0, 150]
    talk.say("wait")
    assert numbers(talk.world.countries[0]) == [800, 1200, 856, 0, 150]
    assert talk.frames[-1]["round"] == 1
    assert talk.frames[-1]["gold"][0] == 800


# -- trade -----------------------------------------------------------------------------------


def test_a_trade_is_answered_on_the_spot() -> None:
    talk = Talk(world(RICH, RICH, RICH)).say("trade player3 gold 100 food 50")
    assert talk.request == "2 go trade 10000 player1 gold 100 food 50"
    talk.say("yes")
    assert talk.lines(0) == ["result trade yes"]
    assert not any(line.startswith("result") for line in talk.lines(2))
    assert numbers(talk.world.countries[0])[:2] == [4900, 5050]
    assert numbers(talk.world.countries[2])[:2] == [5100, 4950]
    assert talk.request == "1 go action 10000"


def test_after_a_no_the_turn_is_over() -> None:
    talk = two().say("trade player2 gold 100 food 50", "no")
    assert talk.lines(0) == ["result trade no"]
    assert [numbers(own) for own in talk.world.countries] == [list(RICH)] * 2
    assert talk.request == "1 go action 10000"


@pytest.mark.parametrize("reply", [*SILENCES, Answer("No moves"), Answer("")])
def test_without_an_answer_a_trade_is_agreed(reply: Reply) -> None:
    talk = two().say("trade player2 gold 100 food 50", reply)
    assert talk.lines(0) == ["result trade yes"]
    assert talk.notes == []


def test_a_bad_answer_agrees_and_is_noted() -> None:
    talk = two().say("trade player2 gold 100 food 50", "NO")
    assert talk.lines(0) == ["result trade yes"]
    assert talk.notes == [Note(1, "syntax", "'NO': say yes or no")]
    assert not any(line.startswith("result") for line in talk.lines(1))


# -- war -------------------------------------------------------------------------------------


def test_a_war_is_answered_on_the_spot() -> None:
    talk = two().say("war player2 100 50 0")
    assert talk.request == "1 go war 10000 player1 150"
    assert talk.lines(1)[1] == (
        "update_map player1 5000 5000 1000 200 150 alive player2 5000 5000 1000 200 150 alive"
    )
    talk.say("20 20 20")
    # 60 and 10 are left against 20, and 50 win
    assert talk.lines(0) == ["result war attacker 50"]
    assert talk.lines(1)[0] == "result war attacker 50"
    assert talk.lines(1)[-2:] == ["opponent_moves player1 war player2 150 60 attacker 50",
                                  "go action 10000"]  # fmt: skip


@pytest.mark.parametrize("reply", [*SILENCES, Answer("No moves"), Answer(""), Answer("0 0 0")])
def test_without_an_answer_no_soldier_defends(reply: Reply) -> None:
    talk = two().say("war player2 9 0 0", reply)
    assert talk.world.acts == [War(0, 1, (9, 0, 0), (0, 0, 0), "attacker", 9)]
    assert talk.notes == []


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("50", Note(1, "syntax", "'50': say three whole numbers from 0: LEFT MIDDLE RIGHT")),
        ("100 100 1", Note(1, "soldiers", "'100 100 1': you have 200 soldiers")),
    ],
)
def test_after_a_bad_answer_no_soldier_defends(text: str, note: Note) -> None:
    talk = two().say("war player2 9 0 0", text)
    assert talk.notes == [note]
    assert talk.lines(0) == talk.lines(1)[:1] == ["result war attacker 9"]
    assert not any("illegal" in line for line in talk.lines(1))


def test_the_request_tells_the_sum_alone() -> None:
    told = []
    for flanks in ("150 0 0", "50 50 50", "1 2 147"):
        talk = two().say(f"war player2 {flanks}")
        told.append(talk.lines(1))
    assert told[0] == told[1] == told[2]


def test_others_are_told_of_a_war_by_its_sums() -> None:
    talk = Talk(world(RICH, RICH, RICH)).say("wait", "war player1 20 20 20", "1 2 3")
    assert talk.lines(2)[2] == "opponent_moves player1 wait player2 war player1 60 6 attacker 48"


def test_who_dies_in_war_goes_at_once() -> None:
    talk = Talk(world(RICH, (0, 0, 5, 0, 150), RICH)).say("war player2 50 0 0", "")
    assert talk.lines(1) == [
        "result war attacker 50",
        "update_map player1 3400 5000 1005 200 151 alive player2 0 0 0 0 149 dead "
        "player3 5000 5000 1000 200 150 alive",
        "opponent_moves player1 war player2 50 0 attacker 50",
        "game_over 3 0",
    ]
    assert talk.request == "2 go action 10000"
    talk.say("wait")
    assert talk.request == "0 go action 10000", "the dead never act"
    talk.say("trade player2 gold 1 food 1")
    assert talk.lines(0) == ["result illegal target"]
    talk.say("war player2 1 1 1")
    assert talk.lines(2) == ["result illegal target"]
    assert numbers(talk.world.countries[1]) == [0, 0, 0, 0, 149]


def test_an_attacker_who_dies_goes_at_once() -> None:
    talk = Talk(world((1600, 9, 5, 5, 150), RICH, RICH)).say("war player2 5 0 0", "200 0 0")
    assert talk.lines(0) == [
        "result war defender 195",
        "update_map player1 0 0 0 0 146 dead player2 5000 5009 1005 195 154 alive "
        "player3 5000 5000 1000 200 150 alive",
        "opponent_moves",
        "game_over 3 0",
    ]


# -- illegal and absent actions --------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("tea", "syntax"),
        ("recruit 05", "syntax"),
        ("wait, wait", "syntax"),
        ("war player1 1 1 1", "target"),
        ("trade player2 tea 1 gold 1", "resource"),
        ("trade player2 gold 5001 food 1", "funds"),
        ("war player2 100 100 1", "soldiers"),
        ("recruit 1001", "citizens"),
    ],
)
def test_an_illegal_action_is_a_wait_and_told(text: str, code: str) -> None:
    talk = two().say(text)
    assert talk.lines(0) == [f"result illegal {code}"]
    assert [(note.seat, note.code) for note in talk.notes] == [(0, code)]
    assert talk.notes[0].detail.startswith(f"'{text}': ")
    assert talk.request == "1 go action 10000", "there is no second chance"
    assert talk.lines(1)[2] == "opponent_moves player1 wait"
    assert talk.world.acts == [Wait(0)]
    assert [numbers(own) for own in talk.world.countries] == [list(RICH)] * 2


@pytest.mark.parametrize("reply", [*SILENCES, Answer("No moves"), Answer(""), Answer("wait")])
def test_a_missed_action_is_a_wait(reply: Reply) -> None:
    talk = two().say(reply)
    assert talk.lines(0) == []
    assert talk.notes == []
    assert talk.lines(1)[2] == "opponent_moves player1 wait"


# -- the end ---------------------------------------------------------------------------------


def test_the_last_cycle() -> None:
    talk = two(max_cycles=1).say("recruit 5", "wait")
    for seat, news in ((0, " player2 wait"), (1, "")):
        assert talk.lines(seat) == [
            "update_map player1 5228 5292 1064 205 150 alive player2 5230 5300 1070 200 150 alive",
            f"opponent_moves{news}",
            "game_over 1 0.5",
        ]
    assert talk.outcome is not None
    assert talk.outcome.points == (0.5, 0.5)
    assert [frame["round"] for frame in talk.frames] == [1]


def test_results_come_before_the_last_lines() -> None:
    talk = two(max_cycles=1).say("wait", "trade player1 gold 1 food 1", "yes")
    assert [line.split()[0] for line in talk.lines(1)] == [
        "result",
        "update_map",
        "opponent_moves",
        "game_over",
    ]


def test_who_starves_is_told_after_the_production() -> None:
    talk = Talk(world(RICH, (600, 30, 150, 200, 150), RICH)).say("wait", "wait", "wait")
    assert talk.lines(1) == [
        "update_map player1 5230 5300 1070 200 150 alive player2 617 0 0 200 150 dead "
        "player3 5230 5300 1070 200 150 alive",
        "opponent_moves player3 wait",
        "game_over 3 0",
    ]
    assert talk.request == "0 go action 10000"


def test_all_deaths_of_a_production_are_one_moment() -> None:
    dying = (600, 30, 150, 200, 150)
    talk = Talk(world(dying, RICH, dying)).say("wait", "wait", "wait")
    assert talk.lines(0)[-1] == talk.lines(2)[-1] == "game_over 2 0"
    assert talk.outcome is not None
    assert talk.outcome.ranks == (2, 1, 2)
    assert talk.outcome.reason == "elimination"
    assert talk.outcome.fates == (Fate.ELIMINATED, Fate.SURVIVED, Fate.ELIMINATED)


def test_a_cycle_is_played_to_its_end_when_one_is_left() -> None:
    talk = Talk(world(RICH, (0, 0, 5, 0, 150))).say("war player2 50 0 0", "")
    assert talk.outcome is not None
    assert talk.frames[-1]["gold"][0] == 3400 + 251 - 20, "with its production"


def test_the_last_one_is_asked_and_may_starve() -> None:
    talk = Talk(world((1600, 5000, 5, 5, 150), (5000, 0, 100, 150, 150)))
    talk.say("war player2 5 0 0", "150 0 0")
    assert talk.lines(0)[-1] == "game_over 2 0"
    assert talk.request == "1 go action 10000"
    talk.say("recruit 100")
    assert talk.lines(1)[-1] == "game_over 1 0"
    assert talk.outcome is not None
    assert talk.outcome.ranks == (2, 1)
    assert talk.outcome.points == (0, 0)
    assert talk.outcome.reason == "extinction"


def test_no_country_lives() -> None:
    dying = (600, 30, 150, 200, 150)
    talk = Talk(world(dying, dying)).say("wait", "wait")
    assert talk.lines(0)[-1] == talk.lines(1)[-1] == "game_over 1 0"
    assert talk.outcome is not None
    assert talk.outcome.ranks == (1, 1)
    assert talk.outcome.points == (0, 0)
    assert talk.outcome.reason == "extinction"


# -- starting in the middle ------------------------------------------------------------------


def test_a_script_goes_on_from_any_request() -> None:
    talk = Talk(world(RICH, RICH, RICH))
    for reply in ("recruit 5", "war player1 9 0 0", "3 0 0", "trade player1 gold 1 food 1", "no"):
        twin = Talk(talk.world.copy())
        assert twin.request == talk.request
        twin.say(reply)
        talk.say(reply)
        assert twin.request == talk.request
        assert twin.world.acts == talk.world.acts
        assert [numbers(own) for own in twin.world.countries] == [
            numbers(own) for own in talk.world.countries
        ]


def test_a_world_whose_match_is_over_ends_at_once() -> None:
    made = world(RICH, RICH)
    made.round = 101
    talk = Talk(made)
    assert talk.outcome is not None
    assert talk.lines(0)[-1] == "game_over 1 0.5"


def test_the_state_holds_the_open_proposal() -> None:
    talk = two().say("trade player2 gold 100 food 50")
    assert talk.world.proposal == Trade(0, 1, "gold", 100, "food", 50)
    talk.say("yes")
    assert talk.world.proposal is None
    talk.say("recruit 3", "war player2 1 2 3")
    assert talk.world.proposal == War(0, 1, (1, 2, 3))
    assert talk.world.acts == []
