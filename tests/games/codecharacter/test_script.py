"""The conversation: who is told and asked what, in which order."""

from __future__ import annotations

import pytest

from arena.core.game import Setup
from arena.core.replies import Answer, Reply
from arena.core.rng import Stream
from arena.core.steps import Ask, Fate, Note, Show, Stop, Tell
from arena.core.table import Table
from arena.games.codecharacter import GAME, words
from arena.games.codecharacter.script import MOST_NOTES
from tests.games.codecharacter.helpers import (
    ABSENT,
    DEAD,
    LATE,
    NO_MOVES,
    STOPPED,
    Talk,
    at,
    fresh,
    put,
    settings,
    small,
    states,
    tower,
    turn,
    world,
)


def test_first_the_settings_then_the_first_turn() -> None:
    talk = Talk(fresh())
    for seat in (0, 1):
        lines = talk.told[seat]
        assert [line.split()[0] for line in lines] == [
            *["settings"] * 28, "round", "settings", *["update_map"] * 3, "go"
        ]  # fmt: skip
        assert lines[28:30] == ["round 1", "settings money 300"]
        assert [line.split()[1] for line in lines[30:33]] == ["soldiers", "towers", "territory"]
        assert lines[33] == "go action 10000"
    assert [frame["round"] for frame in talk.frames] == [0]


def test_both_are_asked_at_once_and_waited_for() -> None:
    assert Talk(fresh()).asked == (
        Ask(0, "go action", patience=3),
        Ask(1, "go action", patience=3),
    )
    assert Talk(fresh(settings(game_limit=5))).asked[0].patience == 5


def test_with_limits_in_instructions_banks_do_not_matter() -> None:
    talk = Talk(fresh(settings(turn_limit=1000)))
    assert talk.asked == (Ask(0, "go action"), Ask(1, "go action"))
    assert talk.told[0][26:28] == ["settings turn_limit 1000", "settings game_limit 3000"]


def test_a_turn() -> None:
    talk = Talk(fresh()).reply("move 0 1275 1275", "move 20 1275 1275")
    for seat, name in ((0, "player1"), (1, "player2")):
        assert talk.told[seat][:2] == ["round 2", "settings money 300"]
        assert f" {20 * seat} {name} 260.355 260.355 100 move 0 " in talk.told[seat][2]
        assert talk.told[seat][-1] == "go action 10000"
        assert len(talk.told[seat]) == 6
    assert [frame["round"] for frame in talk.frames] == [0, 1]
    assert talk.notes == []


def test_void_orders_are_told_before_the_next_turn_and_noted() -> None:
    talk = Talk(fresh()).reply("attack 0 41, move 1 5 5, build 6 6,, tea", "suicide 41")
    assert talk.told[0][:4] == [
        "result 1 illegal target_base",
        "result 3 illegal funds",
        "result 4 illegal syntax",
        "round 2",
    ]
    assert talk.told[1][:2] == ["result 1 illegal suicide_base", "round 2"]
    assert talk.notes == [
        Note(0, "target_base", "'attack 0 41': a base cannot be attacked"),
        Note(0, "funds", "'build 6 6': it costs 800, and 300 is left"),
        Note(0, "syntax", f"'tea': {words.BAD_FORM.why}"),
        Note(1, "suicide_base", "'suicide 41': the base cannot be given up"),
    ]


def test_a_garbled_line_is_one_order() -> None:
    talk = Talk(fresh()).reply("\\xff\\xfemove", "")
    assert talk.told[0][0] == "result 1 illegal syntax"
    assert talk.codes(0) == ["syntax"]


def test_very_many_faults_are_told_and_not_all_noted() -> None:
    count = MOST_NOTES + 20
    talk = Talk(fresh()).reply(",".join(["x"] * count), "")
    assert talk.told[0][count - 1 : count + 1] == [f"result {count} illegal syntax", "round 2"]
    assert talk.codes(0) == ["syntax"] * MOST_NOTES + ["(more)"]
    assert talk.notes[-1].detail == "and 20 more orders of this answer did not count"


def test_as_many_faults_as_are_noted() -> None:
    talk = Talk(fresh()).reply(",".join(["x"] * MOST_NOTES), "")
    assert talk.codes(0) == ["syntax"] * MOST_NOTES


@pytest.mark.parametrize("silence", ["", "No moves", " "])
def test_no_orders_are_no_fault(silence: str) -> None:
    talk = Talk(fresh()).reply(silence, "no MOVES")
    assert talk.notes == []
    assert talk.told[0][0] == talk.told[1][0] == "round 2"


# -- late, absent, dead --------------------------------------------------------------------


def test_a_late_answer_voids_the_turn_and_old_orders_go_on() -> None:
    talk = Talk(fresh()).reply("move 0 1000 225", "move 20 1000 225").reply(LATE, "move 21 225 300")
    assert at(talk.world, 0) == (325, 225)
    assert states(talk.world, 0, 20, 21) == ["move", "move", "move"]
    assert talk.told[0][0] == "round 3"
    assert talk.notes == []
    assert talk.outcome is None


def test_late_every_time_is_not_lost() -> None:
    talk = Talk(fresh(settings(num_turns=5)))
    for _ in range(5):
        talk.reply(LATE, NO_MOVES)
    assert talk.outcome is not None
    assert (talk.outcome.ranks, talk.outcome.reason) == ((1, 1), "num_turns")


@pytest.mark.parametrize("gone", [ABSENT, DEAD, STOPPED], ids=lambda reply: str(reply.why))
@pytest.mark.parametrize("other", [NO_MOVES, LATE, Answer("tea"), Answer("move 20 5 5")], ids=str)
def test_who_breaks_the_game_limit_has_lost_at_once(gone: Reply, other: Reply) -> None:
    talk = Talk(fresh()).reply("", "").reply(gone, other)
    assert talk.outcome is not None
    assert talk.outcome.ranks == (2, 1)
    assert talk.outcome.points == (0.0, 1.0)
    assert talk.outcome.fates == (Fate.REMOVED, Fate.SURVIVED)
    assert talk.outcome.reason == "game_limit"
    assert talk.outcome.sentence == "player2 won in turn 2: no answer of player1."
    assert [frame["round"] for frame in talk.frames] == [0, 1]  # turn 2 is not played
    for seat in (0, 1):
        assert [line.split()[0] for line in talk.told[seat]] == ["update_map"] * 3 + ["game_over"]
    assert talk.told[0][-1] == "game_over 2 0"
    assert talk.told[1][-1] == "game_over 1 1"
    assert talk.notes == []


@pytest.mark.parametrize(("one", "two"), [(ABSENT, ABSENT), (DEAD, STOPPED), (ABSENT, DEAD)])
def test_both_are_gone(one: Reply, two: Reply) -> None:
    talk = Talk(fresh()).reply(one, two)
    assert talk.outcome is not None
    assert (talk.outcome.ranks, talk.outcome.points) == ((1, 1), (0.5, 0.5))
    assert talk.outcome.fates == (Fate.REMOVED, Fate.REMOVED)
    assert talk.told[0][-1] == talk.told[1][-1] == "game_over 1 0.5"


def test_player2_is_gone() -> None:
    talk = Talk(fresh()).reply("", DEAD)
    assert talk.outcome is not None
    assert talk.outcome.points == (1.0, 0.0)


# -- the end -------------------------------------------------------------------------------


def test_the_end_of_a_match() -> None:
    talk = Talk(fresh(settings(num_turns=2, money_start=800)))
    talk.reply("build 6 6", "").reply("upgrade 40, move 0 0 0", "build 2 2")
    assert talk.outcome is not None
    assert talk.told[0][0] == "result 1 illegal funds"
    assert [line.split()[0] for line in talk.told[0]] == [
        "result",
        *["update_map"] * 3,
        "game_over",
    ]
    assert [line.split()[0] for line in talk.told[1]] == [*["update_map"] * 3, "game_over"]
    assert " 43 player2 125 125 7000 1 0 " in talk.told[1][1]
    assert talk.told[0][-1] == talk.told[1][-1] == "game_over 1 0.5"
    assert [frame["round"] for frame in talk.frames] == [0, 1, 2]


def test_the_default_match_has_a_thousand_turns() -> None:
    made = world()
    made.round = 1000
    talk = Talk(made).reply("", "")
    assert talk.outcome is not None
    assert talk.outcome.sentence == "A draw after 1000 turns: 25 tiles against 25."


def test_towers_razed_in_the_last_turn_do_not_count() -> None:
    made = world()
    made.round = 1000
    tower(made, 1, 15, 15, hp=50)
    put(made, 0, 775, 775)
    talk = Talk(made).reply("attack 0 42", "")
    assert talk.outcome is not None
    assert talk.outcome.ranks == (1, 1)


def test_the_script_can_begin_at_any_turn() -> None:
    made = world(money_start=2000)
    for _ in range(6):
        turn(made, "build 6 6, move 0 700 700", "attack 20 0")
    talk = Talk(made)
    assert talk.told[0][0] == "round 7"
    assert talk.frames == []
    talk.reply("", "")
    assert talk.frames[0]["round"] == 7


def test_a_world_at_its_end_has_only_the_end_to_tell() -> None:
    made = world()
    made.round = 1001
    talk = Talk(made)
    assert talk.outcome is not None
    assert [line.split()[0] for line in talk.told[0]] == ["update_map"] * 3 + ["game_over"]


# -- at a table ----------------------------------------------------------------------------


def test_a_match_without_answers_at_a_table() -> None:
    table = Table(GAME, Setup("1", 2, settings(num_turns=4)))
    steps = table.take()
    while table.outcome is None:
        for ask in table.asked:
            table.answer(ask.seat, LATE)
        steps += table.take()
    assert sum(isinstance(step, Show) for step in steps) == 5
    assert not any(isinstance(step, Note | Stop) for step in steps)
    assert sum(isinstance(step, Tell) for step in steps) == 2 * (28 + 4 * 5 + 4)
    assert table.outcome.ranks == (1, 1)


def test_a_copy_plays_on_like_its_original() -> None:
    table = Table(GAME, Setup("4", 2, small(money_start=2000)))
    stream = Stream("4", "answers")
    for _ in range(50):
        for ask in table.asked:
            table.answer(ask.seat, Answer(GAME.random_answer(table.world, ask, stream)))
    one, two = Talk(table.world.copy()), Talk(table.world.copy())
    for ahead in (one, two):
        chance = Stream("ahead", "answers")
        for _ in range(50):
            answers = [GAME.random_answer(ahead.world, ask, chance) for ask in ahead.asked]
            ahead.reply(*answers)
    assert one.log == two.log
