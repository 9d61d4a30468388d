"""The lines that bots are told, byte for byte."""

from __future__ import annotations

from typing import Any

import pytest

from arena.core.game import Setup
from arena.core.rng import Stream
from arena.core.table import Table
from arena.games.warlight import GAME, words
from arena.games.warlight.generator import Opening
from arena.games.warlight.world import (
    NEUTRAL,
    Act,
    Attacked,
    Picked,
    Placed,
    Transferred,
    WarlightWorld,
)
from tests.games.warlight.helpers import ORIGINAL_MAP, fresh, random_reply, settings, world


def opening(made: WarlightWorld, *wastelands: int) -> WarlightWorld:
    """With these wastelands and fixed regions to pick."""
    made.opening = Opening(wastelands, (2, 4, 8), 2)
    return made


def test_the_lines_before_the_picks() -> None:
    made = opening(fresh(), 3, 7)
    common = [
        "setup_map super_regions 1 3 2 2 3 0",
        "setup_map regions 1 1 2 1 3 1 4 2 5 2 6 3 7 3 8 3",
        "setup_map neighbors 1 2 2 3,5 3 4 4 5 5 6 6 7 7 8",
        "setup_map wastelands 3 7",
        "settings starting_regions 2 4 8",
        "settings starting_pick_amount 1",
    ]
    assert words.opening_lines(made, 0) == [
        "settings timebank 10000",
        "settings time_per_move 500",
        "settings max_rounds 20",
        "settings your_bot player1",
        "settings opponent_bot player2",
        *common,
    ]
    assert words.opening_lines(made, 1) == [
        "settings timebank 10000",
        "settings time_per_move 500",
        "settings max_rounds 20",
        "settings your_bot player2",
        "settings opponent_bot player1",
        *common,
    ]


def test_time_settings_are_told() -> None:
    lines = words.opening_lines(fresh(timebank=2000, time_per_move=7, max_rounds=9), 0)
    assert lines[:3] == [
        "settings timebank 2000",
        "settings time_per_move 7",
        "settings max_rounds 9",
    ]


def test_no_wastelands_make_a_bare_line() -> None:
    assert "setup_map wastelands" in words.opening_lines(opening(fresh()), 0)


def test_links_stand_once_under_the_lower_id_ascending() -> None:
    made = fresh(data=ORIGINAL_MAP)
    line = words.map_lines(made.board)[2].split()[2:]
    pairs = dict(zip(map(int, line[::2]), line[1::2], strict=True))
    assert list(pairs) == sorted(pairs)
    links = [(one, int(other)) for one, others in pairs.items() for other in others.split(",")]
    assert links == sorted(links)
    assert all(one < other for one, other in links)
    assert set(links) == {
        (one, other)
        for one in made.board.regions
        for other in made.board.neighbors[one]
        if one < other
    }
    assert 64 not in pairs


def test_the_picks_of_the_other_are_told_in_their_order() -> None:
    made = fresh()
    made.acts += [Picked(0, 4), Picked(1, 8), Picked(1, 2), Picked(0, 1)]
    assert words.picks_line(made, 0) == "setup_map opponent_starting_regions 8 2"
    assert words.picks_line(made, 1) == "setup_map opponent_starting_regions 4 1"


def round_lines(made: WarlightWorld, seat: int) -> list[str]:
    return words.round_lines(made, words.region_texts(made), seat)


def test_the_lines_of_a_round() -> None:
    made = world({4: 0, 5: 0, 1: 0, 7: 1, 6: 1}, {4: 11, 3: 6, 7: 3})
    made.witnessed = ([Placed(1, 6, 2), Attacked(1, 6, 5, 3, 1, 1, False)], [])
    assert round_lines(made, 0) == [
        "settings starting_armies 7",
        "update_map 1 player1 2 4 player1 11 5 player1 2 2 neutral 2 3 neutral 6 6 player2 2",
        "opponent_moves player2 place_armies 6 2 player2 attack/transfer 6 5 3",
    ]
    assert round_lines(made, 1) == [
        "settings starting_armies 5",
        "update_map 6 player2 2 7 player2 3 5 player1 2 8 neutral 2",
        "opponent_moves",
    ]


def test_a_beaten_player_sees_a_bare_map() -> None:
    assert round_lines(world({1: 0}), 1) == [
        "settings starting_armies 5",
        "update_map",
        "opponent_moves",
    ]


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (Placed(1, 10, 2), "player2 place_armies 10 2"),
        (Transferred(0, 10, 15, 5), "player1 attack/transfer 10 15 5"),
        (Attacked(1, 10, 15, 5, 1, 2, True), "player2 attack/transfer 10 15 5"),
    ],
)
def test_acts_are_told_in_the_form_of_orders(act: Act, text: str) -> None:
    assert words._act_text(act) == text


def test_picks_are_not_told_as_moves() -> None:
    with pytest.raises(AssertionError):
        words._act_text(Picked(0, 1))


def test_the_example_of_the_protocol() -> None:
    made = world({1: 0, 8: 1})
    made.witnessed[0].extend([Placed(1, 10, 2), Attacked(1, 10, 15, 5, 1, 2, True)])
    assert round_lines(made, 0)[2] == (
        "opponent_moves player2 place_armies 10 2 player2 attack/transfer 10 15 5"
    )


# -- lines that are kept -------------------------------------------------------------------


def at_place(table: Table[Any]) -> bool:
    return table.outcome is None and table.asked[0].head == words.PLACE


def answer(table: Table[Any], stream: Stream) -> None:
    if table.outcome is None:  # a change from outside may have ended the match
        table.answer_all(tuple([random_reply(table, ask, stream) for ask in table.asked]))


def meddle(made: WarlightWorld, stream: Stream) -> None:
    """Change a world behind the back of its script, as a program that searches may."""
    region = 1 + stream.below(len(made.board.regions))
    made.armies[region] += 1
    if stream.below(2):
        made.hand_over(region, (0, 1, NEUTRAL)[stream.below(3)])


@pytest.mark.parametrize("data", [None, ORIGINAL_MAP], ids=["generated", "original"])
@pytest.mark.parametrize("seed", ["1", "2"])
def test_kept_lines_are_those_of_a_script_that_begins_here(seed: str, data: Any) -> None:
    """In a whole match, in copies and in forks of it, and where something else has changed the
    world."""
    stream = Stream(seed, "kept")
    table = Table(GAME, Setup(seed, 2, settings(max_rounds=40), data))
    compared = 0
    while table.outcome is None:
        if at_place(table):
            anew = Table.at(GAME, table.world.copy()).take()
            assert table.take()[-len(anew) :] == anew
            compared += 1
            if stream.below(4) == 0:
                meddle(table.world, stream)
            if stream.below(8) == 0:
                table = Table.at(GAME, table.world.copy(), table.setup)
            if stream.below(8) == 0:
                table = table.fork()
        answer(table, stream)
    assert compared > 10


def test_a_round_in_which_nothing_happens_makes_no_new_steps() -> None:
    news = words.News(world({1: 0, 8: 1}))
    assert news.tells() is news.tells()


def test_steps_are_made_anew_for_each_thing_that_they_tell() -> None:
    made = world({1: 0, 8: 1})
    news = words.News(made)
    before = news.tells()
    made.armies[2] += 1
    assert [step.line for step in news.tells()][1] == "update_map 1 player1 2 2 neutral 3"
    made.income[1] += 1
    assert [step.line for step in news.tells()][3] == "settings starting_armies 6"
    made.witnessed[1].append(Transferred(0, 1, 2, 1))
    after = news.tells()
    assert after[5].line == "opponent_moves player1 attack/transfer 1 2 1"
    assert before[5].line == "opponent_moves"
