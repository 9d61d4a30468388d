"""The conversation: who is told and asked what, in which order, and what is wrong with it."""

from __future__ import annotations

import pytest

from arena.core.replies import Reply
from arena.core.steps import Ask, Fate
from tests.games.toroid.helpers import SILENCES, Talk, dice, fresh, ring, table, world

# -- the set-up ------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", range(2, 9))
def test_every_seat_is_told_everything_before_the_first_turn(seats: int) -> None:
    talk = Talk(fresh(seats=seats))
    first = talk.world.turn_order[0]
    for seat in range(seats):
        lines = talk.told[seat]
        assert lines[2] == f"settings your_bot player{seat + 1}"
        assert lines[22].startswith("setup_map ring 0 1 2")
        assert len(lines) == 23 + 4 * (seat == first)
    names = [f"player{seat + 1}" for seat in talk.world.turn_order]
    assert f"settings turn_order {' '.join(names)}" in talk.told[0]
    (frame,) = talk.frames
    assert frame["round"] == 0
    assert "board" in frame


# -- a turn ----------------------------------------------------------------------------------


def test_a_turn_from_its_first_line_to_its_last() -> None:
    talk = Talk(world("A6 B2 A19 A5 .3 B4", [2]))
    assert talk.told[0] == [
        "round 1",
        "update_map 0 player1 6 2 player1 19 3 player1 5 1 player2 -1 4 neutral1 -1 5 player2 -1",
        "opponent_moves",
        "go action 10000 0",
    ]
    talk.say("attack right 3")
    assert talk.told[0] == [
        "result 0 attack right 3 conquer",
        "update_map 0 player1 3 1 player1 3 2 player1 19 3 player1 5 4 neutral1 -1 5 player2 -1",
        "go action 10000 2",
    ], "the conquered country 1 is not asked"
    talk.say("build")
    assert talk.told[0] == [
        "result 2 build",
        "update_map 0 player1 3 1 player1 3 2 player1 19 3 player1 5 4 neutral1 -1 5 player2 -1",
        "go action 10000 3",
    ], "the build waits"
    talk.say("scout right")
    assert talk.told[0] == ["result 3 scout right 4 3"]
    assert talk.told[1] == [
        "round 1",
        "update_map 5 player2 4 0 player1 -1 4 neutral1 -1",
        "opponent_moves player1 attack 0 1 3 conquer",
        "go action 10000 5",
    ]
    assert ring(talk.world) == "A3 A3 A20 A5 .3 B4", "and is carried out when the turn ends"
    assert talk.notes == []


def test_units_that_were_sent_may_be_used_at_once() -> None:
    talk = Talk(world("A5 A1 B3 .1", [0]))
    talk.say("transfer right 4")
    assert talk.told[0][1].startswith("update_map 0 player1 1 1 player1 5 ")
    talk.say("attack right 4")
    assert talk.told[0][0] == "result 1 attack right 4 conquer"


def test_a_conquered_country_is_asked_in_the_next_turn() -> None:
    talk = Talk(world("A2 .1 B1 B1", [0]))
    talk.say("attack right 1")
    assert talk.seat == 1
    talk.rest()
    assert (talk.seat, talk.country) == (0, 0)
    talk.say("build")
    assert (talk.seat, talk.country) == (0, 1)


def test_example_9_the_first_word() -> None:
    talk = Talk(world("A2 .1 B2 A2 .5 .2 A2 .4 B2 B2", [0], order="BA"))
    asked = [talk.country]
    talk.say("attack left 1")
    assert ring(talk.world) == "A2 B1 B1 A2 .5 .2 A2 .4 B2 B2"
    assert dice(talk.world).asked == [2]
    while talk.seat == 1:
        asked.append(talk.country)
        talk.say("No moves")
    assert asked == [2, 8, 9]


def test_example_8_a_rejected_build_is_replaced() -> None:
    talk = Talk(world("A20 B1 .4")).say("build")
    assert talk.told[0] == ["result 0 illegal resident_limit", "go action 10000 0"]
    talk.say("scout left")
    assert talk.told[0] == ["result 0 scout left 2 4"]
    assert talk.codes() == [(0, "resident_limit")]


def test_example_7_in_a_turn() -> None:
    talk = Talk(world("B1 .1 .1 A19 A5")).say("build", "transfer left 1")
    assert ring(talk.world) == "B1 .1 .1 A20 A4"
    assert talk.world.acts[-1].__class__.__name__ == "Transferred", "the lost build is no act"


def test_the_order_of_turns_is_kept_in_every_game_turn() -> None:
    talk = Talk(world("A1 B1 C1 .1", seats=3, order="CAB"))
    seats = []
    for _ in range(9):
        seats.append(talk.seat)
        talk.say("No moves")
    assert seats == [2, 0, 1] * 3
    assert talk.world.round == 4
    assert [frame["round"] for frame in talk.frames] == [1, 2, 3]


def test_what_happened_is_told_at_the_next_turn_and_only_then() -> None:
    talk = Talk(world("A5 B5 .1 C3 B9 .2", [6, 0], seats=3))
    talk.say("attack right 4")  # defeat
    assert talk.told[1][2] == "opponent_moves player1 attack 0 1 4 defeat"
    talk.rest()
    talk.say("attack right 2")  # C on B, victory
    talk.say("No moves")
    assert talk.told[1][:3] == [
        "round 2",
        "update_map 1 player2 5 4 player2 7 0 player1 -1 2 neutral1 -1 3 player3 -1 5 neutral2 -1",
        "opponent_moves player3 attack 3 4 2 victory",
    ]
    talk.rest().say("No moves").say("No moves")
    assert talk.told[1][2] == "opponent_moves"


def test_no_seat_is_told_of_what_others_do_to_each_other() -> None:
    talk = Talk(world("A5 B5 .1 C3 .2", [1, 0], seats=3)).say("attack right 4")
    talk.rest()
    assert talk.told[2][2] == "opponent_moves"


def test_gifts_are_told() -> None:
    talk = Talk(world("A5 B5 .1", unfriendly_transfer="on")).say("transfer right 3")
    assert talk.told[1][:3] == [
        "round 1",
        "update_map 1 player2 8 0 player1 -1 2 neutral1 -1",
        "opponent_moves player1 transfer 0 1 3",
    ]


# -- wrong answers ---------------------------------------------------------------------------

WRONG = [
    ("tea", "syntax", "'tea': give one action: attack SIDE UNITS, scout SIDE, transfer SIDE "),
    ("attack left 3,", "syntax", "'attack left 3,': give one action: attack SIDE UNITS, "),
    ("attack up 1", "direction", "'attack up 1': 'up' is neither left nor right"),
    ("attack right 1", "own_target", "'attack right 1': country 1 is yours"),
    ("transfer left 1", "not_own", "'transfer left 1': country 2 is not yours"),
    ("attack left 20", "few_units", "'attack left 20': country 0 has 20, and one must stay"),
    ("attack left 19", "too_many", "'attack left 19': 10 at a time are the most"),
    ("transfer right 3", "resident_limit", "country 1 cannot hold more than 20"),
    ("build", "resident_limit", "'build': country 0 cannot hold more than 20"),
]


@pytest.mark.parametrize(("answer", "code", "detail"), WRONG)
def test_an_illegal_answer_is_told_noted_and_asked_again(
    answer: str, code: str, detail: str
) -> None:
    talk = Talk(world("A20 A18 B1")).say(answer)
    assert talk.told == [[f"result 0 illegal {code}", "go action 10000 0"], []]
    (note,) = talk.notes
    assert (note.seat, note.code) == (0, code)
    assert note.detail.startswith(repr(answer))
    assert detail in note.detail
    talk.say("scout left")
    assert talk.told[0][0] == "result 0 scout left 2 1"


@pytest.mark.parametrize(("answer", "code", "detail"), WRONG)
def test_after_the_last_illegal_answer_nothing_is_done(answer: str, code: str, detail: str) -> None:
    talk = Talk(world("A20 A18 B1")).say(answer, answer)
    assert talk.told[0][0] == f"result 0 illegal {code}"
    assert talk.told[0][1].startswith("update_map ")
    assert talk.country == 1
    assert ring(talk.world) == "A20 A18 B1"
    assert talk.codes() == [(0, code)] * 2
    assert not any("skip" in line for line in talk.all[0])


@pytest.mark.parametrize("reasks", [0, 1, 2, 5])
def test_reasks_says_how_often(reasks: int) -> None:
    talk = Talk(world("A2 A3 B1", reasks=reasks))
    for _ in range(1 + reasks):
        assert talk.country == 0
        talk.say("tea")
    for _ in range(1 + reasks):
        assert talk.country == 1
        talk.say("attack left 1")
    assert talk.seat == 1
    assert talk.codes() == [(0, "syntax")] * (1 + reasks) + [(0, "own_target")] * (1 + reasks)


def test_a_long_answer_is_quoted_in_part() -> None:
    talk = Talk(world("A2 B1 .1")).say("x" * 1000)
    assert len(talk.notes[0].detail) < 200


@pytest.mark.parametrize("reply", ["No moves", "no moves", "", *SILENCES], ids=str)
def test_no_answer_is_a_skip_and_is_not_asked_again(reply: str | Reply) -> None:
    talk = Talk(world("A2 A3 B1")).say(reply)
    assert talk.told[0][0] == "result 0 skip"
    assert talk.country == 1
    assert talk.notes == [], "silence is counted by the referee"
    assert ring(talk.world) == "A2 A3 B1"


@pytest.mark.parametrize("reply", ["No moves", *SILENCES], ids=str)
def test_no_answer_after_an_illegal_one(reply: str | Reply) -> None:
    talk = Talk(world("A2 A3 B1", reasks=3)).say("tea", reply)
    assert talk.told[0][0] == "result 0 skip"
    assert talk.country == 1


# -- going out, and the end ------------------------------------------------------------------


def test_who_loses_the_last_country_is_told_at_once() -> None:
    talk = Talk(world("A6 B2 A1 C3 .1", [0], seats=3)).say("attack right 4")
    assert talk.told[1] == [
        "update_map",
        "opponent_moves player1 attack 0 1 4 conquer",
        "game_over 3 0",
    ]
    assert talk.told[0][0] == "result 0 attack right 4 conquer"
    talk.say("No moves")
    assert talk.seat == 2, "player2 has no turn any more"
    talk.to_the_end()
    assert talk.told[1] == []
    assert talk.all[1][-1] == "game_over 3 0"
    assert talk.outcome is not None
    assert talk.outcome.ranks == (1, 3, 2)
    assert talk.outcome.fates == (Fate.SURVIVED, Fate.ELIMINATED, Fate.SURVIVED)


def test_eliminations_are_ranked_by_their_moment() -> None:
    talk = Talk(world("B1 A9 C1 D1 .1 .1 .1", [0, 0], seats=4, order="ABCD"))
    talk.say("attack left 3")
    assert talk.told[1][-1] == "game_over 4 0"
    talk.say("No moves", "No moves")  # players 3 and 4
    talk.say("No moves")
    assert (talk.seat, talk.country) == (0, 1)
    talk.say("attack right 5")
    assert talk.told[2][-1] == "game_over 3 0"


def test_the_last_country_ends_the_match_at_that_moment() -> None:
    talk = Talk(world("A3 A6 A2 B1", [0]))
    talk.say("build")
    assert (talk.world.builds, talk.country) == ([0], 1)
    talk.say("No moves")
    talk.say("attack right 1")
    assert talk.told == [
        [
            "result 2 attack right 1 conquer",
            "update_map 0 player1 3 1 player1 6 2 player1 1 3 player1 1",
            "opponent_moves",
            "game_over 1 3",
        ],
        ["update_map", "opponent_moves player1 attack 2 3 1 conquer", "game_over 2 0"],
    ]
    assert talk.outcome is not None
    assert talk.outcome.reason == "occupation"
    assert talk.outcome.sentence == "player1 won in game turn 1: it holds all 4 countries."
    assert ring(talk.world) == "A3 A6 A1 A1", "the build was dropped"
    assert talk.frames[-1]["round"] == 1


def test_the_last_country_may_be_a_neutral() -> None:
    talk = Talk(world("A6 A6 .1", [0], order="BA"))
    assert talk.seat == 0, "player2 holds nothing"
    talk.say("attack left 5")
    assert talk.outcome is not None
    assert talk.outcome.points == (3, 0)


def test_others_countries_are_not_asked_after_the_last_conquest() -> None:
    talk = Talk(world("A6 A6 .1 A6", [0])).say("No moves", "attack right 5")
    assert talk.outcome is not None


def test_who_is_alone_among_neutrals_plays_on() -> None:
    talk = Talk(world("A6 B1 .1", [0])).say("attack right 2")
    assert talk.outcome is None
    assert (talk.world.round, talk.seat, talk.country) == (2, 0, 0)


def test_the_last_game_turn_is_played_to_its_end() -> None:
    talk = Talk(world("A2 B2 .1", [], normal_game_turn_per_player=1))
    talk.say("build", "build", "build")
    assert talk.world.round == 2
    talk.say("build")
    assert talk.told == [
        [
            "update_map 0 player1 4 1 player2 -1 2 neutral1 -1",
            "opponent_moves",
            "game_over 1 1",
        ],
        [
            "result 1 build",
            "update_map 1 player2 4 0 player1 -1 2 neutral1 -1",
            "opponent_moves",
            "game_over 1 1",
        ],
    ]
    assert talk.outcome is not None
    assert talk.outcome.reason == "domination"
    assert [frame["round"] for frame in talk.frames] == [1, 2]


def test_the_last_lines_tell_what_happened_since_the_last_turn() -> None:
    talk = Talk(world("A2 B9 .1", [0], normal_game_turn_per_player=1))
    talk.say("No moves", "No moves", "No moves", "attack left 1")
    assert talk.told[0][1] == "opponent_moves player2 attack 1 0 1 victory"


@pytest.mark.parametrize("seats", range(2, 9))
def test_silence_from_all(seats: int) -> None:
    match = table(seats=seats)
    for _ in range(20 * seats * 3 * seats):
        assert match.outcome is None
        (ask,) = match.asked
        match.answer(ask.seat, SILENCES[ask.seat % len(SILENCES)])
    assert match.outcome is not None
    assert match.outcome.ranks == (1,) * seats
    assert match.outcome.points == (1,) * seats
    assert match.outcome.reason == "domination"


def test_requests_are_one_at_a_time() -> None:
    assert table().asked == (Ask(0, "go action", "0"),)


# -- starting in the middle ------------------------------------------------------------------


def test_a_world_in_the_middle_of_a_turn_goes_on_there() -> None:
    talk = Talk(world("A6 A2 A4 B2 .1", [6])).say("build", "tea")
    twin = Talk(talk.world.copy())
    assert twin.told[0] == [
        "round 1",
        "update_map 0 player1 6 1 player1 2 2 player1 4 3 player2 -1 4 neutral1 -1",
        "opponent_moves",
        "go action 10000 1",
    ]
    for one in (talk, twin):
        one.say("tea")
        assert one.country == 2, "the illegal answer before counts"
        one.say("No moves")
        assert ring(one.world) == "A7 A2 A4 B2 .1", "and so does the build"
