"""The chart, the marks and the sentences; and a seat's view, compared with the lines to it."""

from __future__ import annotations

from typing import Any

import pytest

from arena.core import Frame, Setup, Show, Tell
from arena.games.warlight import GAME
from arena.games.warlight.frames import frame, opening_frame
from arena.games.warlight.view import VIEW, seen
from arena.games.warlight.world import Attacked, Placed, Transferred
from tests.games.shown import play_shown
from tests.games.warlight.helpers import ORIGINAL_MAP, fresh, settings, world

BOARD = opening_frame(fresh(wastelands=0))["board"]


def before_and_after(*acts: Any) -> tuple[Frame, Frame]:
    """player1 takes region 3 and so holds super region 1; `acts` are in the second frame."""
    made = world({1: 0, 2: 0, 8: 1}, {2: 9})
    first = frame(made)
    made.hand_over(3, 0)
    made.acts += acts
    return first, frame(made)


def texts(before: Frame | None, now: Frame) -> list[tuple[str, str]]:
    return [(event.kind, event.text) for event in VIEW.events(BOARD, before, now)]


def test_the_chart_counts_regions() -> None:
    first, second = before_and_after()
    assert VIEW.standing(first) == [2, 1]
    assert VIEW.standing(second) == [3, 1]


def test_super_regions_that_change_hands_are_marked() -> None:
    first, second = before_and_after()
    assert texts(first, second) == [("capture", "player1 holds super region 1 (+3)")]
    assert texts(second, first) == [("loss", "player1 loses super region 1 (+3)")]
    assert texts(None, second) == []


def test_a_super_region_that_is_worth_nothing_gets_no_mark() -> None:
    made = world({6: 0, 7: 0, 1: 1})
    first = frame(made)
    made.hand_over(8, 0)
    assert texts(first, frame(made)) == []


def test_costly_battles_are_marked() -> None:
    dear, cheap = Attacked(0, 2, 3, 30, 7, 8, True), Attacked(0, 2, 3, 30, 7, 7, True)
    text = "player1 attacks 3 from 2: 7 lost, 8 killed"
    assert ("battle", text) in texts(*before_and_after(dear))
    assert [kind for kind, _ in texts(*before_and_after(cheap))] == ["capture"]


def test_the_end_of_a_player_is_marked() -> None:
    made = world({1: 0, 8: 1})
    first = frame(made)
    made.hand_over(8, 0)
    assert texts(first, frame(made)) == [("elimination", "player2 has no regions left")]


def test_each_move_is_a_sentence() -> None:
    acts = [
        Placed(0, 2, 5),
        Transferred(0, 1, 2, 1),
        Attacked(0, 2, 3, 8, 1, 2, True),
        Attacked(1, 8, 7, 3, 3, 1, False),
    ]
    _, shown = before_and_after(*acts)
    assert VIEW.orders(shown) == [
        "player1 places 5 armies in 2",
        "player1 moves 1 army from 1 to 2",
        "player1 attacks 3 from 2 with 8 armies: 1 lost, 2 killed, conquered",
        "player2 attacks 7 from 8 with 3 armies: 3 lost, 1 killed, held",
    ]
    assert VIEW.orders({"moves": [["pick", 1, 4]]}) == ["player2 picks region 4"]


def test_a_seat_sees_what_it_has_and_what_is_beside_it() -> None:
    made = world({1: 0, 7: 1})
    made.acts += [Placed(0, 1, 5), Placed(1, 7, 5), Attacked(1, 7, 6, 3, 1, 2, True)]
    shown = seen(made, 0, frame(made))
    assert shown["owner"] == [0, -1, *[None] * 6]
    assert shown["armies"] == [2, 2, *[None] * 6]
    assert shown["moves"] == [["place", 0, 1, 5]]
    assert shown["round"] == 1


def test_no_line_tells_what_an_attack_cost_nor_how_far_it_was_cut() -> None:
    made = world({2: 0, 5: 1})
    acts = [Attacked(1, 5, 2, 3, 2, 1, False), Attacked(0, 2, 5, 4, 1, 1, False)]
    made.acts += acts
    made.witnessed[0].append(acts[0])
    shown = seen(made, 0, frame(made))
    assert shown["moves"] == [
        ["attack", 1, 5, 2, 3, None, None, None],
        ["attack", 0, 2, 5, None, None, None, None],
    ]
    assert VIEW.orders(shown) == [
        "player2 attacks 2 from 5 with 3 armies",
        "player1 attacks 5 from 2 with armies",
    ]


@pytest.mark.parametrize("data", [None, ORIGINAL_MAP])
def test_a_seat_sees_no_more_than_its_next_lines_tell(data: Any) -> None:
    """Every owner, every army and every foreign move of a view is in the lines that follow it."""
    shown: list[dict[int, Frame]] = []
    told: list[str] = []
    for made, step in play_shown(GAME, Setup("7", 2, settings(max_rounds=12), data)):
        if isinstance(step, Show):
            shown.append({seat: seen(made, seat, step.frame) for seat in (0, 1)})
            told.clear()
        elif isinstance(step, Tell):
            told.append(step.line)
            if step.line.startswith("opponent_moves") and shown:
                check(shown[-1][step.seat], step.seat, told[-2], step.line)
    assert len(shown) > 5


def check(view: Frame, seat: int, update_map: str, opponent_moves: str) -> None:
    assert len(VIEW.orders(view)) == len(view["moves"])
    owners = {"player1": 0, "player2": 1, "neutral": -1}
    _, *words = update_map.split()
    told = {
        int(region): (owners[name], int(armies))
        for region, name, armies in zip(words[::3], words[1::3], words[2::3], strict=True)
    }
    pairs = zip(view["owner"], view["armies"], strict=True)
    assert {place: pair for place, pair in enumerate(pairs, 1) if pair != (None, None)} == told
    foreign = [move for move in view["moves"] if move[1] != seat and move[0] != "pick"]
    acts = [" ".join(map(str, move[2 : 5 if move[0] != "place" else 4])) for move in foreign]
    verbs = ["place_armies" if move[0] == "place" else "attack/transfer" for move in foreign]
    rival = f"player{2 - seat}"
    lines = [f"{rival} {verb} {act}" for verb, act in zip(verbs, acts, strict=True)]
    assert " ".join(["opponent_moves", *lines]) == opponent_moves
    assert all(move[5:] == [None] * 3 for move in view["moves"] if move[0] == "attack")
