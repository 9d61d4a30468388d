"""The chart, the marks and the sentences; and a seat's view, compared with the lines to it."""

from __future__ import annotations

from typing import Any

import pytest

from arena.core import Frame, Setup, Show, Tell
from arena.games.toroid import GAME, rules
from arena.games.toroid.frames import frame
from arena.games.toroid.view import VIEW, seen
from arena.games.toroid.words import map_line
from arena.games.toroid.world import Attacked, Built, Scouted, ToroidWorld, Transferred
from tests.games.shown import play_shown
from tests.games.toroid.helpers import fresh, settings


def ring(owner: list[int], **values: Any) -> ToroidWorld:
    """Three players after a game turn, in the order of their seats."""
    made = fresh(seats=3, countries_per_player=1, neutrals=len(owner) - 3, **values)
    made.owner[:], made.units[:], made.turn_order = owner, [2] * len(owner), (0, 1, 2)
    made.countries[:] = [owner.count(seat) for seat in range(3)]
    made.round = 1
    return made


def texts(before: Frame | None, now: Frame) -> list[tuple[str, str]]:
    return [(event.kind, event.text) for event in VIEW.events(None, before, now)]


def test_the_chart_counts_countries() -> None:
    shown = frame(ring([0, 0, 1, 2, -1, -2]))
    assert VIEW.standing(shown) == [2, 1, 1]
    assert VIEW.standing(shown | {"countries": [2, None, None]}) == [2, None, None]


def test_the_end_of_a_player_and_of_the_ring_are_marked() -> None:
    first, second = frame(ring([0, 0, 1, 2])), frame(ring([0, 0, 0, 2]))
    assert texts(first, second) == [("elimination", "player2 has no countries left")]
    assert texts(second, frame(ring([0, 0, 0, 0]))) == [
        ("elimination", "player3 has no countries left"),
        ("capture", "player1 holds the whole ring"),
    ]
    assert texts(None, second) == []


def test_a_new_leader_is_marked() -> None:
    even, ahead = frame(ring([0, 1, 2, -1, 1, 0])), frame(ring([0, 1, 2, 0, 1, 0]))
    lead = [("lead", "player1 takes the lead with 3 countries")]
    assert texts(even, ahead) == texts(frame(ring([0, 1, 2, 1, 1, 2])), ahead) == lead
    assert texts(ahead, ahead) == texts(ahead, even) == []
    alone = ahead | {"countries": [1, 0, 0]}
    assert texts(even, alone)[0] == ("lead", "player1 takes the lead with 1 country")
    assert texts(even, ahead | {"countries": [3, None, None]}) == []


def test_each_move_is_a_sentence() -> None:
    made = ring([0, 1, 2, -1])
    made.acts += [
        Attacked(0, 0, 1, 3, "conquer"),
        Transferred(0, 0, 1, 1),
        Scouted(1, 2, 3, 1),
        Built(2, 3),
    ]
    assert VIEW.orders(frame(made)) == [
        "player1 attacks 1 from 0 with 3 units: conquer",
        "player1 moves 1 unit from 0 to 1",
        "player2 scouts 3 from 2: 1 unit",
        "player3 builds a unit in 3",
    ]


def told(made: ToroidWorld, seat: int) -> None:
    """Let the seat be told of the ring."""
    made.maps[seat] = map_line(made, seat), len(made.acts)


def test_a_seat_sees_its_countries_and_who_is_beside_them() -> None:
    told(made := ring([0, -1, 1, 1, 2, -2]), 0)
    shown = seen(made, 0, frame(made))
    assert shown["owner"] == [0, -1, None, None, None, -2]
    assert shown["units"] == [2, None, None, None, None, None]
    assert shown["countries"] == [1, None, None]


def test_what_happens_after_the_turn_of_a_seat_is_unseen_until_its_next() -> None:
    told(made := ring([0, 0, -1, -2, 2, 2]), 0)
    lost = Attacked(2, 5, 0, 1, "conquer")
    made.owner[0], made.countries[:] = 2, [1, 0, 3]
    made.acts.append(lost)
    made.news[0].append(lost)
    shown = seen(made, 0, frame(made))
    assert shown["owner"] == [0, 0, -1, None, None, 2]
    assert (shown["countries"][0], shown["moves"]) == (2, [])


def test_a_seat_sees_what_it_was_told_of_others_and_then_its_own_acts() -> None:
    made = ring([0, -1, 1, 2])
    before, own = Transferred(2, 3, 0, 1), Scouted(0, 0, 1, 2)
    made.heard[0], made.acts = [before], [Scouted(1, 2, 1, 2), before, own]
    told(made, 0)
    moves = [["transfer", 2, 3, 0, 1], ["scout", 0, 0, 1, 2]]
    assert seen(made, 0, frame(made))["moves"] == moves


@pytest.mark.parametrize("visibility", ["neighbours", "all"])
def test_own_acts_since_the_last_map_are_seen(visibility: Any) -> None:
    made = ring([0, 0, -1, 1, 2, -2], visibility=visibility)
    made.units[:] = [4, 4, 3, 2, 2, 5]
    told(made, 0)
    made.acts = [
        Attacked(0, 0, 5, 1, "victory"),
        Attacked(0, 0, 5, 1, "defeat"),
        Attacked(0, 1, 2, 3, "conquer"),
        Transferred(0, 2, 1, 1),
        Built(0, 1),
        Attacked(1, 3, 2, 1, "conquer"),  # after its turn
    ]
    shown = seen(made, 0, frame(made))
    known = visibility == "all"
    assert shown["owner"] == [0, 0, 0, *([1, 2] if known else [None, None]), -2]
    assert shown["units"] == [3, 3, 2, *([2, 2, 4] if known else [None] * 3)]
    assert shown["countries"] == ([3, 1, 1] if known else [3, None, None])


def test_before_the_first_turn_the_numbers_of_countries_are_told() -> None:
    made = ring([0, 1, 2, -1], visibility="all")
    made.round = 0
    shown = seen(made, 0, frame(made))
    assert (shown["owner"], shown["countries"]) == ([None] * 4, [1, 1, 1])


def test_a_seat_that_is_out_sees_no_ring_but_how_it_fell() -> None:
    told(made := ring([0, 0, 2, -1], visibility="all"), 1)
    made.heard[1] = [Attacked(0, 0, 1, 3, "conquer")]
    shown = seen(made, 1, frame(made))
    assert shown["owner"] == shown["units"] == [None] * 4
    assert shown["countries"] == [None, 0, None]
    assert shown["moves"] == [["attack", 0, 0, 1, 3, "conquer"]]


def test_at_the_end_all_are_told_of_the_ring() -> None:
    told(made := ring([0, 1, 2, -1]), 0)
    made.round, made.owner[0], made.countries[:] = made.rounds, 2, [0, 1, 2]
    made.news[2] = [Attacked(1, 1, 2, 1, "defeat")]
    shown = seen(made, 2, frame(made))
    assert shown["owner"] == [2, 1, 2, -1]
    assert shown["moves"] == [["attack", 1, 1, 2, 1, "defeat"]]


@pytest.mark.parametrize("visibility", ["neighbours", "owners", "all"])
@pytest.mark.parametrize("seats", [2, 5])
def test_a_seat_sees_no_more_than_its_lines_tell(seats: int, visibility: Any) -> None:
    """What a view has is in the seat's lines of that game turn; at the end also in its last."""
    values = settings(visibility=visibility, normal_game_turn_per_player=10 // seats, start_units=5)
    ears = {seat: Ears(seat) for seat in range(seats)}
    for made, step in play_shown(GAME, Setup("3", seats, values)):
        if isinstance(step, Show):
            over = made.round == made.rounds or rules.occupied(made)
            for seat, ear in ears.items() if not over else ():
                ear.check(seen(made, seat, step.frame))
        elif isinstance(step, Tell):
            ears[step.seat].hear(step.line)
    assert sum(ear.checked for ear in ears.values()) > 5 * seats


class Ears:
    """What the lines of one seat have told in its last turn."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.told: dict[int, tuple[str, int]] = {}
        self.news: list[str] = []
        self.checked = 0

    def hear(self, line: str) -> None:
        """A line told."""
        head, *words = line.split(" ")
        if head == "round":
            self.news = []
        elif head == "update_map":
            triples = zip(words[::3], words[1::3], words[2::3], strict=True)
            self.told = {int(place): (name, int(units)) for place, name, units in triples}
        elif head == "opponent_moves":
            self.news = words

    def check(self, view: Frame) -> None:
        """The view must be what was told, but for the own acts."""
        self.checked += 1
        hit = {place for _, seat, *ends in view["moves"] if seat == self.seat for place in ends[:2]}
        others = [name for name in self.news if name.startswith("player")]
        assert [f"player{m[1] + 1}" for m in view["moves"] if m[1] != self.seat] == others
        for place, owner in enumerate(view["owner"]):
            if owner is None:
                assert view["units"][place] is None
            elif place not in hit:
                name, units = self.told[place]
                assert name == (f"player{owner + 1}" if owner >= 0 else f"neutral{-owner}")
                assert view["units"][place] == (None if units < 0 else units)
