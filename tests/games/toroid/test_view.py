"""The chart, the marks and the sentences; and a seat's view, compared with the lines to it."""

from __future__ import annotations

from typing import Any

import pytest

from arena.core import Frame, Setup, Show, Tell
from arena.games.toroid import GAME
from arena.games.toroid.frames import frame
from arena.games.toroid.view import VIEW, seen
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
    assert VIEW.standing(shown | {"countries": [2, None, None]}) == [2, 0, 0]


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


def test_a_seat_sees_its_countries_and_who_is_beside_them() -> None:
    shown = seen(made := ring([0, -1, 1, 1, 2, -2]), 0, frame(made))
    assert shown["owner"] == [0, -1, None, None, None, -2]
    assert shown["units"] == [2, None, None, None, None, None]
    assert shown["countries"] == [1, None, None]


def test_what_happens_after_the_turn_of_a_seat_is_unseen_unless_it_will_be_told() -> None:
    made = ring([0, 1, -1, -2, 2, 2])
    lost = Attacked(2, 4, 5, 1, "conquer")
    made.acts += [Attacked(1, 2, 1, 1, "conquer"), lost]
    assert seen(made, 0, frame(made))["owner"] == [0, None, None, None, None, None]
    made.news[0].append(lost)
    shown = seen(made, 0, frame(made))
    assert shown["owner"] == [0, None, None, None, None, 2]
    assert shown["moves"] == [["attack", 2, 4, 5, 1, "conquer"]]


def test_what_lies_behind_a_new_country_is_unseen_until_the_next_turn() -> None:
    made = ring([0, 0, -1, 1, 2, -2])
    made.acts.append(Attacked(0, 0, 1, 1, "conquer"))
    assert seen(made, 0, frame(made))["owner"] == [0, 0, None, None, None, -2]


def test_before_the_first_turn_the_seat_that_begins_sees_the_ring() -> None:
    made = ring([0, 1, 2, -1], visibility="all")
    made.round = 0
    assert seen(made, 0, frame(made))["owner"] == [0, 1, 2, -1]
    assert seen(made, 1, frame(made))["owner"] == [None, 1, None, None]


def test_a_seat_that_is_out_sees_nothing() -> None:
    made = ring([0, 0, 2, -1], visibility="all")
    shown = seen(made, 1, frame(made))
    assert shown["owner"] == shown["units"] == [None] * 4
    assert shown["countries"] == [None, 0, None]


@pytest.mark.parametrize("visibility", ["neighbours", "owners", "all"])
@pytest.mark.parametrize("seats", [2, 5])
def test_a_seat_sees_no_more_than_its_lines_tell(seats: int, visibility: Any) -> None:
    """What a view has is in the seat's lines of that game turn, or in the first of the next."""
    values = settings(visibility=visibility, normal_game_turn_per_player=10 // seats, start_units=5)
    ears = {seat: Ears(seat) for seat in range(seats)}
    for made, step in play_shown(GAME, Setup("3", seats, values)):
        if isinstance(step, Show):
            for seat, ear in ears.items():
                ear.view = seen(made, seat, step.frame)
        elif isinstance(step, Tell):
            ears[step.seat].hear(step.line)
        elif isinstance(step, tuple):
            for ask in step:
                ears[ask.seat].asked()
    assert sum(ear.checked for ear in ears.values()) > 5 * seats


class Ears:
    """What the lines of one seat have told in its last turn and in this, and the view that waits to
    be compared with them."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.before: set[tuple[int, str, int]] = set()
        self.now: set[tuple[int, str, int]] = set()
        self.view: Frame | None = None
        self.checked = 0

    def hear(self, line: str) -> None:
        """A line told."""
        head, *words = line.split(" ")
        if head == "round":
            self.before, self.now = self.now, set()
        elif head == "update_map":
            triples = zip(words[::3], words[1::3], words[2::3], strict=True)
            self.now |= {(int(place), name, int(units)) for place, name, units in triples}
        elif head == "opponent_moves":
            ends = [place for place, word in enumerate(words) if word == "conquer"]
            for end in ends:
                name, _, _, target, units = words[end - 5 : end]
                self.now.add((int(target), name, int(units)))

    def asked(self) -> None:
        """A request: the first after a view is where the lines end that count for it."""
        if self.view is not None:
            self._check(self.view)
            self.view = None
            self.checked += 1

    def _check(self, view: Frame) -> None:
        assert len(VIEW.orders(view)) == len(view["moves"])
        told = self.before | self.now
        hit = {move[3] for move in view["moves"] if move[:2] == ["attack", self.seat]}
        for place, owner in enumerate(view["owner"]):
            units = view["units"][place]
            assert owner is not None or units is None
            if owner not in (None, self.seat):
                name = f"player{owner + 1}" if owner >= 0 else f"neutral{-owner}"
                assert (place, name) in {fact[:2] for fact in told}
                assert units is None or place in hit or (place, name, units) in told
