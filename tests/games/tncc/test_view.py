"""The chart, the marks and the sentences; and a seat's view, compared with the lines to it."""

from __future__ import annotations

import pytest

from arena.core import Frame, Setup, Show, Tell
from arena.games.tncc import GAME
from arena.games.tncc.frames import frame
from arena.games.tncc.view import VIEW, seen
from arena.games.tncc.world import RESOURCES, Recruit, TnccWorld, Trade, Wait, War
from tests.games.shown import play_shown
from tests.games.tncc.helpers import RICH, settings, world

BATTLE = War(0, 1, (30, 20, 10), (5, 6, 7), "attacker", 24)


def three(*acts: Wait | Recruit | Trade | War, dead: tuple[int, ...] = ()) -> TnccWorld:
    """Three countries after `acts`, those of `dead` dead."""
    made = world(RICH, RICH, RICH)
    made.acts += acts
    made.alive = [seat not in dead for seat in range(3)]
    return made


def texts(before: Frame | None, now: Frame) -> list[tuple[str, str]]:
    return [(event.kind, event.text) for event in VIEW.events(None, before, now)]


def test_the_chart_counts_the_people_who_live() -> None:
    assert VIEW.standing(frame(three(dead=(1,)))) == [1200, 0, 1200]
    made = three(dead=(1,))
    assert VIEW.standing(seen(made, 1, frame(made))) == [None, 0, None]


def test_wars_and_deaths_are_marked() -> None:
    before, now = frame(three()), frame(three(BATTLE, dead=(1,)))
    assert texts(before, now) == [
        (
            "war",
            "player1 attacks player2, 30·20·10 against 5·6·7: the attacker wins, 24 come home",
        ),
        ("elimination", "player2 dies"),
    ]
    assert texts(now, now)[1:] == []
    assert texts(None, now) == []


def test_each_action_is_a_sentence() -> None:
    acts = (
        Wait(0),
        Recruit(0, 5),
        Recruit(1, -5),
        Recruit(0, 1),
        Recruit(1, -1),
        Trade(0, 2, "gold", 100, "food", 50, True),
        Trade(0, 2, "gold", 100, "food", 50),
        War(2, 0, (1, 1, 1), (0, 0, 1), "tie"),
        War(2, 0, (1, 1, 1), (0, 0, 1), "attacker", 1),
    )
    assert VIEW.orders(frame(three(*acts))) == [
        "player1 waits",
        "player1 recruits 5 soldiers",
        "player2 sends 5 soldiers home",
        "player1 recruits 1 soldier",
        "player2 sends 1 soldier home",
        "player1 offers player3 100 gold for 50 food: player3 agrees",
        "player1 offers player3 100 gold for 50 food: player3 refuses",
        "player3 attacks player1, 1·1·1 against 0·0·1: no one is left",
        "player3 attacks player1, 1·1·1 against 0·0·1: the attacker wins, 1 comes home",
    ]


def test_each_side_of_a_war_knows_its_own_flanks() -> None:
    shown = frame(made := three(BATTLE))
    unknown = [None] * 3
    views = [seen(made, seat, shown)["moves"][0][3:5] for seat in range(3)]
    assert views == [[[30, 20, 10], unknown], [unknown, [5, 6, 7]], [unknown, unknown]]
    (text,) = VIEW.orders(seen(made, 2, shown))
    assert "?·?·? against ?·?·?" in text


def test_the_dead_are_told_nothing_more() -> None:
    shown = frame(made := three(BATTLE, Wait(2), dead=(1,)))
    view = seen(made, 1, shown)
    assert view["gold"] == [None, 5000, None]
    assert view["alive"] == [None, False, None]
    assert [move[0] for move in view["moves"]] == ["war"]
    assert texts(shown, view)[1:] == []


@pytest.mark.parametrize("seats", [2, 4])
def test_a_seat_sees_no_more_than_its_lines_tell(seats: int) -> None:
    """The first seat hears the numbers of a view as they are; each hears of every foreign action,
    with the sums of flanks alone."""
    values = settings(max_cycles=20, gold_for_war=400)
    shown: dict[int, Frame] = {}
    heard: dict[int, list[str]] = {seat: [] for seat in range(seats)}
    wars = 0
    for made, step in play_shown(GAME, Setup("5", seats, values)):
        if isinstance(step, Show):
            shown = {seat: seen(made, seat, step.frame) for seat in range(seats)}
            for seat, view in shown.items():
                assert len(VIEW.orders(view)) == len(view["moves"])
                foreign = [move for move in view["moves"] if move[0] == "war"]
                assert all(flanks(move, seat) for move in foreign)
                wars += len(foreign)
        elif isinstance(step, Tell):
            heard[step.seat].append(step.line)
            if step.seat == 0 and step.line.startswith("update_map") and 0 in shown:
                assert step.line == map_line(shown.pop(0))
    assert wars
    for seat, lines in heard.items():
        assert any("war" in line for line in lines), seat


def flanks(move: list[object], seat: int) -> bool:
    """Whether the flanks that the seat does not know are hidden."""
    sides = zip(move[1:3], move[3:5], strict=True)
    return all((side == seat) or numbers == [None] * 3 for side, numbers in sides)


def map_line(view: Frame) -> str:
    words = ["update_map"]
    for seat, alive in enumerate(view["alive"]):
        numbers = [str(view[name][seat]) for name in RESOURCES]
        words += [f"player{seat + 1}", *numbers, "alive" if alive else "dead"]
    return " ".join(words)
