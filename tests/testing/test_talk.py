"""A talk with a script, driven by hand."""

from __future__ import annotations

import pytest

from arena.core.game import Setup
from arena.core.replies import Silence, Why
from arena.testing import Talk
from tests.tiny import TINY, TinySettings, TinyWorld, new_world, script


@pytest.fixture
def talk() -> Talk[TinyWorld]:
    made = new_world(Setup("1", 2, TinySettings(max_rounds=2, max_timeouts=1)))
    return Talk(made, script(made), TINY.seats[0])


def test_what_was_told_since_the_last_replies(talk: Talk[TinyWorld]) -> None:
    assert talk.told[0] == ["round 1", f"update_map 20 {talk.world.prize}", "go bid 10000"]
    talk.reply("3", "2")
    assert talk.told[1] == ["round 2", f"update_map 18 {talk.world.prize}", "go bid 10000"]
    assert [ask.seat for ask in talk.asked] == [0, 1]


def test_notes_stops_frames_and_the_end(talk: Talk[TinyWorld]) -> None:
    talk.reply("x", Silence(Why.LATE))
    assert (talk.codes(0), talk.codes(1)) == (["bid"], [])
    assert [stop.seat for stop in talk.stops] == [1]
    assert [frame["round"] for frame in talk.frames] == [0, 1]
    assert talk.outcome is None
    talk.reply("1", "1")
    assert talk.outcome is not None
    assert talk.asked == ()
    assert talk.told == ([], [])


def test_everything_is_in_the_log(talk: Talk[TinyWorld]) -> None:
    talk.reply("x", Silence(Why.LATE))
    first = talk.log.index("0< x")
    assert talk.log[0].startswith('show {"round": 0')
    assert talk.log[first - 2 : first] == ["0> go bid 10000", "1> go bid 10000"]
    assert talk.log[first + 1 : first + 4] == [
        "1< (late)",
        "note 0 bid: 'x' is no bid",
        "stop 1 timeouts",
    ]
    assert talk.reply("1", "1").log[-1].startswith("end Outcome(")


def test_every_request_needs_its_reply(talk: Talk[TinyWorld]) -> None:
    with pytest.raises(AssertionError):
        talk.reply("1")
