"""The conversation: who is told and asked what, in which order."""

from __future__ import annotations

import pytest

from arena.core.game import Setup
from arena.core.replies import Answer, Silence, Why
from arena.core.rng import Stream
from arena.core.steps import Ask, Note, Show, Stop, Tell
from arena.core.table import Table
from arena.errors import MapError, SettingError
from arena.games.warlight import GAME
from arena.games.warlight.generator import Opening
from tests.games.warlight.helpers import (
    DEAD,
    LATE,
    NO_MOVES,
    ORIGINAL_MAP,
    SMALL_MAP,
    Talk,
    fresh,
    settings,
    standing,
    world,
)

IDLE = (NO_MOVES, NO_MOVES)
STOPPED = Silence(Why.STOPPED)


def picking(*pickable: int, picks: int) -> Talk:
    """A fresh match with these regions to pick from."""
    made = fresh(wastelands=0)
    made.opening = Opening((), pickable, picks)
    return Talk(made)


# -- picks ---------------------------------------------------------------------------------


def test_both_are_told_everything_before_the_first_pick() -> None:
    talk = Talk(fresh())
    assert [line.split()[0:2] for line in talk.told[0][:11]] == [
        ["settings", "timebank"],
        ["settings", "time_per_move"],
        ["settings", "max_rounds"],
        ["settings", "your_bot"],
        ["settings", "opponent_bot"],
        ["setup_map", "super_regions"],
        ["setup_map", "regions"],
        ["setup_map", "neighbors"],
        ["setup_map", "wastelands"],
        ["settings", "starting_regions"],
        ["settings", "starting_pick_amount"],
    ]
    assert len(talk.told[0]) == 12
    assert len(talk.told[1]) == 11
    assert [line for line in talk.told[0] if line in talk.told[1]] == talk.told[1][:3] + talk.told[
        1
    ][5:]


def test_picks_go_round_with_the_remaining_regions() -> None:
    talk = picking(1, 3, 4, 6, 8, picks=4)
    asked = []
    for answer in ("3", "8", "1", "4"):
        asked += [(ask.seat, ask.line(10000)) for ask in talk.asked]
        talk.reply(answer)
    assert asked == [
        (0, "pick_starting_region 10000 1 3 4 6 8"),
        (1, "pick_starting_region 10000 1 4 6 8"),
        (1, "pick_starting_region 10000 1 4 6"),
        (0, "pick_starting_region 10000 4 6"),
    ]
    assert [r for r in range(1, 9) if talk.world.owner[r] == 0] == [3, 4]
    assert [r for r in range(1, 9) if talk.world.owner[r] == 1] == [1, 8]
    assert set(talk.world.armies[1:]) == {2}


def test_after_the_picks_come_the_others_picks_and_the_round() -> None:
    talk = picking(1, 3, 4, 6, 8, picks=4).reply("3").reply("8").reply("1").reply("4")
    assert talk.told == (
        [
            "setup_map opponent_starting_regions 8 1",
            "settings starting_armies 5",
            "update_map 3 player1 2 4 player1 2 2 neutral 2 5 neutral 2",
            "opponent_moves",
            "go place_armies 10000",
        ],
        [
            "setup_map opponent_starting_regions 3 4",
            "settings starting_armies 5",
            "update_map 1 player2 2 8 player2 2 2 neutral 2 7 neutral 2",
            "opponent_moves",
            "go place_armies 10000",
        ],
    )
    (frame,) = talk.frames
    assert (frame["round"], frame["rounds"]) == (0, 20)
    assert frame["moves"] == [["pick", 0, 3], ["pick", 1, 8], ["pick", 1, 1], ["pick", 0, 4]]
    assert "board" in frame


@pytest.mark.parametrize(
    ("answer", "code", "why"),
    [
        ("2", "pick", "'2': it is not on the list"),
        ("-3", "pick", "'-3': it is not on the list"),
        ("", "pick", "'': a pick is needed"),
        ("No moves", "pick", "'No moves': a pick is needed"),
        ("give me randomly", "syntax", "'give me randomly': give one number from the list"),
        ("3 4", "syntax", "'3 4': give one number"),
        ("3,", "syntax", "'3,': give one number"),
        ("03", "syntax", "'03': give one number"),
        ("31/2", "syntax", "'31/2': give one number"),
        ("1076985378", "syntax", "'1076985378': give one number"),
    ],
)
def test_a_bad_pick_is_replaced_by_chance(answer: str, code: str, why: str) -> None:
    talk = picking(1, 3, 4, picks=2).reply(answer)
    (note,) = talk.notes
    drawn = [1, 3, 4][Stream("1", "pick").below(3)]
    assert talk.world.owner.index(0) == drawn
    assert (note.seat, note.code) == (0, code)
    assert note.detail.startswith(why)
    assert note.detail.endswith(f"; region {drawn} was drawn instead")


def test_a_region_that_is_taken_is_not_on_the_list() -> None:
    talk = picking(1, 3, 4, picks=2).reply("3").reply("3")
    assert talk.codes(1) == ["pick"]
    assert talk.world.owner[3] == 0


@pytest.mark.parametrize("silence", [LATE, DEAD])
def test_a_missed_pick_is_replaced_by_chance_without_a_note(silence: Silence) -> None:
    talk = picking(1, 3, 4, picks=2).reply(silence)
    assert talk.notes == []
    assert talk.world.owner.index(0) == [1, 3, 4][Stream("1", "pick").below(3)]


def test_replaced_picks_go_on_in_their_stream() -> None:
    talk = picking(1, 3, 4, 6, 8, picks=4)
    chance, free = Stream("1", "pick"), [1, 3, 4, 6, 8]
    for _ in range(4):
        region = free.pop(chance.below(len(free)))
        talk.reply(DEAD)
        assert talk.world.owner[region] >= 0


def test_a_world_copied_between_two_picks_plays_on_from_there() -> None:
    talk = picking(1, 3, 4, 6, 8, picks=4).reply("3").reply("8")
    twin = Talk(talk.world.copy())
    assert twin.asked == (Ask(1, "pick_starting_region", "1 4 6"),)
    twin.reply("1").reply("4")
    assert (talk.world.owner[1], talk.world.owner[4]) == (-1, -1)
    assert twin.told[0][0] == "setup_map opponent_starting_regions 8 1"


# -- rounds --------------------------------------------------------------------------------


def test_both_are_asked_at_once_twice_a_round() -> None:
    talk = Talk(world({2: 0, 8: 1}))
    assert talk.asked == (Ask(0, "go place_armies"), Ask(1, "go place_armies"))
    talk.reply(*IDLE)
    assert talk.asked == (Ask(0, "go attack/transfer"), Ask(1, "go attack/transfer"))
    assert talk.told == (["go attack/transfer 10000"], ["go attack/transfer 10000"])
    talk.reply(*IDLE)
    assert talk.asked == (Ask(0, "go place_armies"), Ask(1, "go place_armies"))


def test_a_world_in_the_middle_starts_at_its_round() -> None:
    made = world({2: 0, 8: 1})
    made.round = 7
    talk = Talk(made)
    assert talk.told[0] == [
        "settings starting_armies 5",
        "update_map 2 player1 2 1 neutral 2 3 neutral 2 5 neutral 2",
        "opponent_moves",
        "go place_armies 10000",
    ]
    talk.reply(*IDLE).reply(*IDLE)
    assert [frame["round"] for frame in talk.frames] == [7]
    assert "board" not in talk.frames[0]
    assert made.round == 8


def test_a_whole_round() -> None:
    made = world({2: 0, 5: 1}, {2: 4, 5: 4}, coins=[0], hits=[3, 1])
    talk = Talk(made).round(
        ("player1 place_armies 2 5", "player2 place_armies 5 2,player2 place_armies 5 1"),
        ("player1 attack/transfer 2 3 8", "No moves"),
    )
    assert talk.told == (
        [
            "settings starting_armies 5",
            "update_map 2 player1 1 3 player1 7 1 neutral 2 5 player2 7 4 neutral 2",
            "opponent_moves player2 place_armies 5 2 player2 place_armies 5 1",
            "go place_armies 10000",
        ],
        [
            "settings starting_armies 5",
            "update_map 5 player2 7 2 player1 1 4 neutral 2 6 neutral 2",
            "opponent_moves player1 place_armies 2 5 player1 attack/transfer 2 3 8",
            "go place_armies 10000",
        ],
    )
    assert talk.frames[0]["moves"] == [
        ["place", 0, 2, 5],
        ["place", 1, 5, 2],
        ["place", 1, 5, 1],
        ["attack", 0, 2, 3, 8, 1, 2, True],
    ]


def test_moves_are_told_in_the_sizes_that_were_carried_out() -> None:
    made = world({2: 0, 5: 1}, {2: 4}, coins=[0], hits=[3, 1])
    talk = Talk(made).round(
        ("player1 place_armies 2 99", "No moves"), ("player1 attack/transfer 2 1 99", "No moves")
    )
    assert talk.told[1][2] == (
        "opponent_moves player1 place_armies 2 5 player1 attack/transfer 2 1 8"
    )


def test_moves_of_a_round_are_told_once() -> None:
    made = world({2: 0, 5: 1})
    talk = Talk(made).round(("player1 place_armies 2 1", "No moves"), ("", ""))
    assert talk.told[1][2] == "opponent_moves player1 place_armies 2 1"
    talk.round(("", ""), ("", ""))
    assert talk.told[1][2] == "opponent_moves"


def test_neither_sees_the_others_placements_before_it_moves() -> None:
    talk = Talk(world({2: 0, 5: 1})).reply("player1 place_armies 2 5", "player2 place_armies 5 5")
    assert talk.told == (["go attack/transfer 10000"], ["go attack/transfer 10000"])


def test_the_end_by_elimination() -> None:
    made = world({6: 0, 7: 1}, {6: 9}, coins=[0], hits=[5, 1])
    made.round = 3
    talk = Talk(made).round(("", ""), ("player1 attack/transfer 6 7 8", ""))
    assert talk.told == (
        [
            "settings starting_armies 5",
            "update_map 6 player1 1 7 player1 7 5 neutral 2 8 neutral 2",
            "opponent_moves",
        ],
        [
            "settings starting_armies 5",
            "update_map",
            "opponent_moves player1 attack/transfer 6 7 8",
        ],
    )
    assert talk.asked == ()
    assert talk.outcome is not None
    assert talk.outcome.sentence == "player1 won in round 3: player2 has no regions left."
    assert [frame["round"] for frame in talk.frames] == [3]


def test_the_end_by_rounds() -> None:
    talk = Talk(world({2: 0, 8: 1}, max_rounds=2))
    talk.round(("", ""), ("", "")).round(("", ""), ("", ""))
    assert talk.told[0] == [
        "settings starting_armies 5",
        "update_map 2 player1 2 1 neutral 2 3 neutral 2 5 neutral 2",
        "opponent_moves",
    ]
    assert [frame["round"] for frame in talk.frames] == [1, 2]
    assert talk.outcome is not None
    assert talk.outcome.reason == "max_rounds"


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_a_draw_takes_exactly_max_rounds(rounds: int) -> None:
    talk = Talk(world({2: 0, 8: 1}, max_rounds=rounds))
    for _ in range(rounds):
        assert talk.outcome is None
        talk.round(("", ""), ("", ""))
    assert talk.outcome is not None


# -- faults --------------------------------------------------------------------------------


def test_notes_come_for_each_phase() -> None:
    made = world({2: 0, 8: 1}, {2: 3}, coins=[0])
    talk = Talk(made)
    talk.reply("player1 place_armies 8 1,player1 attack/transfer 2 1 1", "tea")
    assert (talk.codes(0), talk.codes(1)) == (["not_owned", "phase"], ["syntax"])
    talk.reply("player1 attack/transfer 2 8 1", "player2 place_armies 8 1,player1 place_armies 8 1")
    assert talk.codes(0)[2:] == ["not_adjacent"]
    # what is wrong with the form is found first
    assert talk.codes(1)[1:] == ["name", "phase"]


def test_one_bad_order_spoils_no_other() -> None:
    made = world({1: 0, 2: 0, 8: 1})
    Talk(made).reply(
        "player1 place_armies 1 1,player1 place_armies,player1 place_armies 2 1", NO_MOVES
    )
    assert (made.armies[1], made.armies[2]) == (3, 3)


def test_the_cap_on_orders_is_a_setting() -> None:
    made = world({1: 0, 2: 0, 8: 1}, max_orders=2)
    talk = Talk(made).reply(",".join(["player1 place_armies 1 1"] * 5), NO_MOVES)
    assert made.armies[1] == 4
    assert talk.codes(0) == ["order_cap"]


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_program_is_stopped_once_at_the_last_allowed_miss(limit: int) -> None:
    talk = Talk(world({2: 0, 8: 1}, max_timeouts=limit))
    stops = []
    for _ in range(5):
        talk.reply(NO_MOVES, LATE)
        stops.append(len(talk.stops))
    assert stops == [int(missed >= limit) for missed in range(1, 6)]
    assert talk.stops == [Stop(1, "timeouts")]


def test_each_seat_has_its_own_count_of_misses() -> None:
    talk = Talk(world({2: 0, 8: 1}))
    talk.reply(LATE, LATE)
    assert talk.stops == []
    talk.reply(LATE, NO_MOVES)
    assert talk.stops == [Stop(0, "timeouts")]
    talk.reply(STOPPED, LATE)
    assert talk.stops == [Stop(0, "timeouts"), Stop(1, "timeouts")]


def test_missed_picks_count() -> None:
    talk = picking(1, 3, 4, 6, 8, picks=4).reply(LATE).reply("1").reply("3").reply(LATE)
    assert talk.stops == [Stop(0, "timeouts")]


def test_other_silence_does_not_count() -> None:
    talk = Talk(world({2: 0, 8: 1}))
    for _ in range(6):
        talk.reply(DEAD, STOPPED)
    assert talk.stops == []
    assert talk.notes == []


def test_a_missed_answer_is_no_moves() -> None:
    made = world({2: 0, 8: 1})
    before = standing(made)
    Talk(made).reply(LATE, NO_MOVES).reply(LATE, NO_MOVES)
    assert standing(made) == before


def test_the_match_goes_on_without_a_dead_bot() -> None:
    made = world({6: 0, 8: 1}, {6: 9}, coins=[0, 0], hits=[5, 1, 4, 1])
    talk = Talk(made)
    talk.reply(NO_MOVES, DEAD).reply("player1 attack/transfer 6 7 8", DEAD)
    assert talk.outcome is None
    assert talk.asked == (Ask(0, "go place_armies"), Ask(1, "go place_armies"))
    talk.reply(NO_MOVES, DEAD).reply("player1 attack/transfer 7 8 6", DEAD)
    assert talk.outcome is not None
    assert talk.outcome.ranks == (1, 2)


def test_both_dead_is_a_draw() -> None:
    talk = Talk(world({6: 0, 8: 1}, max_rounds=4))
    while talk.outcome is None:
        talk.reply(DEAD, DEAD)
    assert talk.outcome.points == (0.5, 0.5)


# -- at a table ----------------------------------------------------------------------------


def test_a_match_without_answers_at_a_table() -> None:
    table = Table(GAME, Setup("1", 2, settings(max_rounds=3), SMALL_MAP))
    steps = table.take()
    while table.outcome is None:
        for ask in table.asked:
            table.answer(ask.seat, LATE)
        steps += table.take()
    assert sum(isinstance(step, Stop) for step in steps) == 2
    assert sum(isinstance(step, Show) for step in steps) == 4
    assert not any(isinstance(step, Note) for step in steps)
    assert sum(isinstance(step, Tell) for step in steps) == 2 * (11 + 1 + 4 * 3)
    assert table.outcome.ranks == (1, 1)


def test_bad_maps_and_settings_are_refused_before_anything_is_told() -> None:
    with pytest.raises(MapError):
        Table(GAME, Setup("1", 2, settings(), {"Regions": []}))
    with pytest.raises(SettingError):
        Table(GAME, Setup("1", 2, settings(wastelands=60), ORIGINAL_MAP))


def test_the_copy_of_a_world_plays_on_like_the_original() -> None:
    """Also between the two requests of a round, where a copy begins its round again."""
    table = Table(GAME, Setup("4", 2, settings(), ORIGINAL_MAP))
    stream = Stream("4", "answers")
    for _ in range(60):
        for ask in table.asked:
            text = GAME.random_answer(table.world, ask, stream)
            table.answer(ask.seat, Answer(text))
    if table.asked[0].head != "go place_armies":
        table.answer_all(IDLE)
    one, two = Talk(table.world.copy()), Talk(table.world.copy())
    for ahead in (one, two):
        chance = Stream("ahead", "answers")
        for _ in range(20):
            answers = [GAME.random_answer(ahead.world, ask, chance) for ask in ahead.asked]
            ahead.reply(*answers)
    assert one.log == two.log
    table.take()
    chance = Stream("ahead", "answers")
    for _ in range(20):
        table.answer_all(
            tuple([Answer(GAME.random_answer(table.world, ask, chance)) for ask in table.asked])
        )
    assert standing(table.world) == standing(one.world)


def test_a_round_after_which_nothing_has_changed_begins_with_the_very_same_steps() -> None:
    """What a large map costs in such a round is not to be written anew: 1.5 times what one with
    20 regions does for 440 regions, where it was 5 to 7 times."""
    table = Table(GAME, Setup("1", 2, settings()))
    while len(table.asked) == 1:
        table.answer_all((NO_MOVES,))
    starts = []
    for _ in range(3):
        starts.append([step for step in table.take() if isinstance(step, Tell)][-6:])
        table.answer_all(IDLE)
        table.answer_all(IDLE)
    assert starts[0] == starts[1]
    assert all(
        one is other for start in starts[1:] for one, other in zip(starts[0], start, strict=True)
    )
