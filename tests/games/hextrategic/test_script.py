"""The conversation: who is told and asked what, in which order; who goes out and when."""

from __future__ import annotations

import pytest

from arena.core.game import Setup
from arena.core.replies import Answer, Silence
from arena.core.rng import Stream
from arena.core.steps import Ask, Fate, Note, Show, Tell
from arena.core.table import Table
from arena.games.hextrategic import GAME
from arena.games.hextrategic.world import HexWorld
from tests.games.hextrategic.helpers import (
    ABSENT,
    DEAD,
    LATE,
    NO_MOVES,
    STOPPED,
    Talk,
    fresh,
    held,
    once,
    random_reply,
    settings,
    world,
)

# -- the set-up ----------------------------------------------------------------------------


def test_all_are_told_the_settings_and_the_board_first() -> None:
    talk = Talk(fresh(radius=1, neutral_units=(3,) * 8, type_limits=(100,) * 3))
    assert talk.told[1] == [
        "settings game hextrategic",
        "settings players player1 player2",
        "settings your_bot player2",
        "settings timebank 10000",
        "settings time_per_move 100",
        "settings radius 1",
        "settings start_units 10",
        "settings income 1 2 5 10",
        "settings type_limits 100 100 100",
        "settings neutral_units 3 3 3 3 3 3 3 3",
        "settings max_missed 3",
        "settings max_rounds 200",
        "settings position_points 10 0",
        "settings round_point 1",
        "setup_map cells 0 0 -1 normal 1 1 -1 normal 2 -1 0 normal 3 0 0 normal 4 1 0 normal "
        "5 -1 1 normal 6 0 1 normal",
        "setup_map neighbors 0 1,2,3 1 3,4 2 3,5 3 4,5,6 4 6 5 6",
        "round 1",
        "update_map 0 neutral 3 1 neutral 3 2 player2 10 3 neutral 3 4 player1 10 5 neutral 3 "
        "6 neutral 3",
        "opponent_moves",
        "go action 10000",
    ]
    assert [line for line in talk.told[0] if line not in talk.told[1]] == [
        "settings your_bot player1"
    ]


def test_the_set_up_is_shown_with_the_board() -> None:
    talk = Talk(fresh())
    (frame,) = talk.frames
    assert (frame["round"], frame["rounds"]) == (0, 200)
    assert "board" in frame


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_every_number_of_seats_plays(seats: int) -> None:
    talk = Talk(fresh(seats, max_rounds=2))
    assert talk.asked == tuple(Ask(seat, "go action") for seat in range(seats))
    talk.idle(2)
    assert talk.outcome is not None
    assert talk.outcome.ranks == (1,) * seats
    assert talk.outcome.points == (10 * (seats - 1) + 2,) * seats


# -- rounds --------------------------------------------------------------------------------


def test_a_round_begins_with_its_number_the_cells_and_the_others_moves() -> None:
    made = world({0: 0, 4: 1, 6: 2}, {0: 5, 4: 5, 6: 5}, seats=3)
    talk = once(made, "move 0 1 5", "move 4 3 2, move 4 1 1", "move 6 5 4")
    cells = "update_map 0 player1 1 1 player1 5 2 neutral 0 3 player2 3 4 player2 3 5 player3 5 "
    assert talk.told[0] == [
        "round 2",
        cells + "6 player3 2",
        "opponent_moves player2 move 4 1 1 player2 move 4 3 2 player3 move 6 5 4",
        "go action 10000",
    ]
    assert talk.told[2][2] == (
        "opponent_moves player1 move 0 1 5 player2 move 4 1 1 player2 move 4 3 2"
    )
    assert talk.told[1][:2] == talk.told[0][:2]


def test_moves_are_told_once() -> None:
    talk = once(world({0: 0, 6: 1}, {0: 5}), "move 0 1 5", "No moves")
    assert talk.told[1][2] == "opponent_moves player1 move 0 1 5"
    talk.idle()
    assert talk.told[1][2] == "opponent_moves"


def test_moves_from_one_cell_to_another_are_one() -> None:
    made = world({0: 0, 6: 1}, {0: 9})
    talk = once(made, "move 0 1 2, move 0 2 1, auto 0 1, move 0 1 3", "No moves")
    assert talk.told[1][2] == "opponent_moves player1 move 0 1 8 player1 move 0 2 1"
    assert talk.frames[-1]["moves"] == [[0, 0, 1, 8], [0, 0, 2, 1]]


def test_moves_are_told_as_they_were_carried_out() -> None:
    made = world({0: 0, 6: 1}, {0: 9})
    talk = once(made, "move 0 1 10, move 0 6 1, move 0 2 2", "No moves")
    assert talk.told[1][2] == "opponent_moves player1 move 0 2 2"


def test_an_auto_with_nothing_to_send_is_not_told() -> None:
    talk = once(world({0: 0, 6: 1}), "auto 0 1", "No moves")
    assert talk.told[1][2] == "opponent_moves"
    talk.idle()
    assert talk.told[1][2] == "opponent_moves player1 move 0 1 1"


def test_a_world_in_the_middle_starts_at_its_round() -> None:
    made = world({0: 0, 6: 1}, {0: 9})
    made.round = 7
    talk = Talk(made)
    assert [line.split()[0] for line in talk.told[0]] == [
        "round", "update_map", "opponent_moves", "go"
    ]  # fmt: skip
    assert talk.told[0][0] == "round 7"
    talk.idle()
    assert [frame["round"] for frame in talk.frames] == [7]
    assert "board" not in talk.frames[0]


# -- answers -------------------------------------------------------------------------------


def test_each_dropped_order_is_told_by_its_place() -> None:
    made = world({0: 0, 6: 1}, {0: 9})
    line = " , move 0 1 5,, tea , move 6 3 1,auto 0 6,move 0 2 4,move 0 3 1,"
    talk = once(made, line, "No moves")
    assert talk.told[0][:5] == [
        "result 2 illegal syntax",
        "result 3 illegal not_own",
        "result 4 illegal not_adjacent",
        "result 6 illegal too_many",
        "round 2",
    ]
    assert talk.codes(0) == ["syntax", "not_own", "not_adjacent", "too_many"]
    assert [note.detail for note in talk.notes] == [
        "'tea': give 'move FROM TO UNITS', 'auto FROM TO' or 'stop FROM', one blank between the "
        "words",
        "'move 6 3 1': cell 6 is not yours",
        "'auto 0 6': cell 6 is no neighbour of cell 0",
        "'move 0 3 1': cell 0 has 0 units left to promise",
    ]
    assert (held(made, 1), held(made, 2)) == ((0, 6), (0, 5))
    assert talk.results(1) == []


@pytest.mark.parametrize("text", ["No moves", "no MOVES", "", "NO MOVES,", " , "])
def test_passing_is_no_fault(text: str) -> None:
    talk = once(world({0: 0, 6: 1}, {0: 9}), text, "No moves")
    assert talk.results(0) == []
    assert talk.notes == []


def test_no_moves_beside_orders_is_a_bad_piece() -> None:
    talk = once(world({0: 0, 6: 1}, {0: 9}), "No moves, move 0 1 9", "No moves")
    assert talk.results(0) == ["result 1 illegal syntax"]
    assert talk.world.owner[1] == 0


def test_any_line_counts_as_an_answer() -> None:
    made = world({0: 0, 6: 1})
    made.missed = [2, 2]
    talk = once(made, r"\xff\x00garbled", "")
    assert made.missed == [0, 0]
    assert talk.results(0) == ["result 1 illegal syntax"]


def test_a_flood_of_bad_orders_is_noted_in_part() -> None:
    talk = once(world({0: 0, 6: 1}), ",".join(["tea"] * 1000), "No moves")
    assert len(talk.results(0)) == 1000
    assert talk.codes(0) == ["syntax"] * 250 + ["(more)"]
    assert talk.notes[-1].detail == "and 750 more orders of this answer were dropped"


def test_there_is_no_limit_to_orders() -> None:
    made = world({0: 0, 6: 1}, {0: 3000})
    once(made, ",".join(["move 0 1 1"] * 3000), "No moves")
    assert held(made, 1) == (0, 3001)


@pytest.mark.parametrize("silence", [LATE, ABSENT, DEAD, STOPPED])
def test_silence_programs_nothing_and_autos_run_on(silence: Silence) -> None:
    made = world({0: 0, 6: 1}, {0: 5}, auto={0: 1})
    talk = once(made, silence, "No moves")
    assert made.missed == [1, 0]
    assert held(made, 1) == (0, 6)
    assert made.auto[0] == 1
    assert talk.notes == [], "the arena counts missed answers itself"


# -- going out -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["surrender", "move 0 1 5,surrender", "surrender, tea"])
def test_surrender(text: str) -> None:
    made = world({0: 0, 4: 1, 6: 2}, {0: 5, 4: 5, 6: 5}, {0: "gold"}, {0: 2}, seats=3)
    talk = once(made, text, "move 4 1 1", "No moves")
    assert held(made, 0) == (-1, 5), "its cells keep their units"
    assert made.board.types[0] == 3, "and their type"
    assert made.auto[0] == -1
    assert made.survived == [0, 1, 1]
    assert talk.told[0] == [
        "update_map 0 neutral 5 1 neutral 0 2 neutral 0 3 neutral 0 4 player2 5 5 neutral 0 "
        "6 player3 5",
        "opponent_moves",
        "game_over 3 0",
    ]
    assert talk.frames[-1]["fate"] == ["surrendered", "survived", "survived"]
    assert [ask.seat for ask in talk.asked] == [1, 2]
    talk.idle()
    assert talk.told[0] == []


@pytest.mark.parametrize("text", ["Surrender", "surrender now", "i surrender", "surrenders"])
def test_what_is_no_surrender(text: str) -> None:
    talk = once(world({0: 0, 6: 1}), text, "No moves")
    assert talk.results(0) == ["result 1 illegal syntax"]
    assert talk.outcome is None


def test_a_late_surrender_is_none() -> None:
    assert once(world({0: 0, 6: 1}), LATE, "No moves").outcome is None


def test_removal_comes_before_moves() -> None:
    """What was the removed player's is neutral when the others arrive."""
    made = world({0: 0, 3: 1, 6: 2}, {0: 5, 3: 4, 6: 9}, auto={3: 6}, seats=3)
    made.missed[1] = 2
    talk = once(made, "move 0 3 5", LATE, "No moves")
    assert held(made, 3) == (0, 1 + 1)
    assert held(made, 6) == (2, 9 + 1), "its auto-move has not run"
    assert made.fate == [Fate.SURVIVED, Fate.REMOVED, Fate.SURVIVED]
    assert talk.told[1][-1] == "game_over 3 0"
    assert [march[0] for march in talk.frames[-1]["moves"]] == [0]


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_how_many_missed_rounds_remove(limit: int) -> None:
    talk = Talk(world({0: 0, 6: 1}, max_missed=limit))
    for missed in range(1, limit + 1):
        assert talk.outcome is None
        talk.reply("No moves", LATE)
        assert talk.world.missed[1] == missed
    assert talk.outcome is not None
    assert talk.outcome.fates == (Fate.SURVIVED, Fate.REMOVED)


def test_a_match_that_ends_by_removals_has_no_update() -> None:
    made = world({0: 0, 6: 1}, {0: 5, 6: 5})
    talk = once(made, "move 0 1 5, tea", "surrender")
    assert made.units[0] == 5, "nothing has moved, nothing was earned"
    assert made.survived == [0, 0]
    assert talk.results(0) == []
    cells = "1 neutral 0 2 neutral 0 3 neutral 0 4 neutral 0 5 neutral 0 6 neutral 5"
    assert talk.told[0] == [
        f"update_map 0 player1 5 {cells}",
        "opponent_moves",
        "game_over 1 10",
    ]
    assert talk.told[1] == [*talk.told[0][:2], "game_over 2 0"]
    assert [frame["round"] for frame in talk.frames] == [1]
    assert talk.outcome is not None
    assert talk.outcome.reason == "last_standing"
    assert talk.outcome.fates == (Fate.SURVIVED, Fate.SURRENDERED)
    assert talk.outcome.sentence == "player1 won in round 1: nobody else is left."


def test_all_surrender_at_once() -> None:
    talk = once(world({0: 0, 6: 1}), "surrender", "surrender")
    assert talk.outcome is not None
    assert talk.outcome.ranks == (1, 1)
    assert talk.outcome.points == (10, 10)
    assert talk.outcome.sentence == "A draw in round 1: player1 and player2 went out together."


def test_who_loses_the_last_cell_is_out() -> None:
    made = world({0: 0, 3: 1, 6: 2}, {0: 5, 3: 4, 6: 9}, seats=3)
    talk = once(made, "move 0 3 5, move 0 3 1", "move 3 4 9", "No moves")
    assert talk.told[1] == [
        "result 1 illegal too_many",
        "update_map 0 player1 1 1 neutral 0 2 neutral 0 3 player1 2 4 neutral 0 5 neutral 0 "
        "6 player3 10",
        "opponent_moves player1 move 0 3 5",
        "game_over 3 0",
    ]
    assert made.fate[1] is Fate.ELIMINATED
    assert [ask.seat for ask in talk.asked] == [0, 2]
    assert made.survived == [1, 0, 1], "the round does not count for who goes out in it"


def test_who_changes_place_with_an_attacker_is_not_out() -> None:
    made = world({0: 0, 3: 1}, {0: 5, 3: 4})
    talk = once(made, "move 0 3 5", "move 3 4 4")
    assert talk.outcome is None
    assert held(made, 4) == (1, 5)


def test_removal_and_elimination_in_one_round_are_two_moments() -> None:
    made = world({0: 0, 3: 1, 6: 2}, {0: 5, 3: 4, 6: 9}, seats=3)
    talk = once(made, "move 0 3 5", "No moves", "surrender")
    assert talk.outcome is not None
    assert talk.outcome.ranks == (1, 2, 3)
    assert talk.outcome.points == (20 + 1, 10, 0)


def test_the_last_ones_go_out_together() -> None:
    """Both have one cell, and both cells are tied."""
    made = world({3: 0, 0: 1, 6: 2}, {3: 2, 0: 2}, seats=3)
    made.survived = [4, 4, 4]
    talk = once(made, "move 3 0 1", "move 0 3 1", "surrender")
    assert (held(made, 3), held(made, 0)) == ((-1, 0), (-1, 0))
    assert talk.outcome is not None
    assert talk.outcome.ranks == (1, 1, 3)
    assert talk.outcome.points == (20 + 4, 20 + 4, 0 + 4)
    assert talk.outcome.reason == "last_standing"
    assert talk.outcome.sentence == "A draw in round 1: player1 and player2 went out together."


def test_the_limit_of_rounds() -> None:
    made = world({0: 0, 1: 0, 6: 1}, {0: 1, 6: 9}, max_rounds=2)
    talk = Talk(made).idle(2)
    assert [lines[-3:] for lines in talk.told] == [
        [
            "update_map 0 player1 3 1 player1 2 2 neutral 0 3 neutral 0 4 neutral 0 5 neutral 0 "
            "6 player2 11",
            "opponent_moves",
            f"game_over {rank} {points}",
        ]
        for rank, points in ((1, 12), (2, 2))
    ]
    assert talk.outcome is not None
    assert talk.outcome.reason == "max_rounds"
    assert talk.outcome.fates == (Fate.SURVIVED, Fate.SURVIVED)
    assert talk.outcome.sentence == "player1 won after 2 rounds with 2 cells and 5 units."
    assert [frame["round"] for frame in talk.frames] == [1, 2]


def test_at_the_limit_units_decide_between_equal_cells() -> None:
    talk = Talk(world({0: 0, 6: 1, 4: 2}, {6: 1}, seats=3, max_rounds=1)).idle()
    assert talk.outcome is not None
    assert talk.outcome.ranks == (2, 1, 2)
    assert talk.outcome.points == (10 + 1, 20 + 1, 10 + 1)


def test_equal_at_the_limit_is_a_draw() -> None:
    talk = Talk(world({0: 0, 6: 1}, max_rounds=1)).idle()
    assert talk.outcome is not None
    assert talk.outcome.ranks == (1, 1)
    assert talk.outcome.sentence == (
        "A draw after 1 round: player1 and player2 have 1 cell and 1 unit each."
    )


def test_who_went_out_before_the_limit_keeps_the_position() -> None:
    made = world({0: 0, 6: 1, 4: 2}, {6: 1}, seats=3, max_rounds=1)
    talk = once(made, "No moves", "No moves", "surrender")
    assert talk.outcome is not None
    assert talk.outcome.ranks == (2, 1, 3)


def test_the_one_who_is_left_in_the_last_round_is_the_last_standing() -> None:
    talk = once(world({0: 0, 3: 1}, {0: 5}, max_rounds=1), "move 0 3 1", "No moves")
    assert talk.outcome is not None
    assert talk.outcome.reason == "last_standing"


def test_other_points() -> None:
    made = fresh(2, position_points=(7, 3), round_point=0)
    talk = Talk(made).reply("surrender", "No moves")
    assert talk.outcome is not None
    assert talk.outcome.points == (3, 7)


# -- at a table ----------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4, 6])
def test_silence_from_all_is_a_draw_after_three_rounds(seats: int) -> None:
    table = Table(GAME, Setup("1", seats, settings()))
    while table.outcome is None:
        for ask in table.asked:
            table.answer(ask.seat, LATE)
    steps = table.take()
    assert sum(isinstance(step, Show) for step in steps) == 1 + 3
    assert not any(isinstance(step, Note) for step in steps)
    assert sum(isinstance(step, Tell) for step in steps) == seats * (16 + 3 * 3 + 3)
    assert table.outcome.ranks == (1,) * seats
    assert table.outcome.fates == (Fate.REMOVED,) * seats
    assert table.outcome.points == (10 * (seats - 1) + 2,) * seats


def test_the_copy_of_a_world_plays_on_like_the_original() -> None:
    made = fresh(3)
    talk = Talk(made)
    for _ in range(3):
        talk.reply(*[f"auto {made.owner.index(seat)} {_beside(made, seat)}" for seat in range(3)])
    twin = Talk(made.copy())
    assert list(twin.told) == [lines[-4:] for lines in talk.told]
    for ahead in (talk, twin):
        ahead.reply("surrender", "tea", LATE).idle(3)
    assert twin.frames == talk.frames[-4:]
    before = talk.world.units[:]
    twin.idle()
    assert talk.world.units == before


def _beside(made: HexWorld, seat: int) -> int:
    return made.board.neighbors[made.owner.index(seat)][0]


def test_nothing_depends_on_which_answer_comes_first() -> None:
    tables = [Table(GAME, Setup("1", 3, settings(max_rounds=3))) for _ in range(2)]
    answers = ["move 48 40 3, auto 48 58", "surrender", "tea, No moves"]
    for table, seats in zip(tables, [(0, 1, 2), (2, 1, 0)], strict=True):
        for seat in seats:
            table.answer(seat, Answer(answers[seat]))
        table.answer_all((NO_MOVES, NO_MOVES))
    assert tables[0].take() == tables[1].take()


# -- lines that are kept -------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 4])
def test_kept_lines_are_those_of_a_script_that_begins_here(seats: int) -> None:
    """In a whole match, in copies and in forks of it, and where something else has changed the
    world."""
    stream = Stream("1", "kept")
    table = Table(GAME, Setup("1", seats, settings(max_rounds=40)))
    compared = 0
    while table.outcome is None:
        anew = Table.at(GAME, table.world.copy()).take()
        assert table.take()[-len(anew) :] == anew
        compared += 1
        if stream.below(4) == 0:
            table.world.units[stream.below(len(table.world.units))] += 1
        if stream.below(8) == 0:
            table = Table.at(GAME, table.world.copy(), table.setup)
        if stream.below(8) == 0:
            table = table.fork()
        replies = [random_reply(table.world, ask, stream) for ask in table.asked]
        table.answer_all(tuple(replies))
    assert compared > 10
