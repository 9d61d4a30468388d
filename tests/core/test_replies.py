"""What came back for a request."""

from __future__ import annotations

from arena.core.replies import FREE, Cost, Silence, Why


def test_what_was_not_measured_is_none() -> None:
    assert Cost(0) == FREE
    assert (FREE.wall, FREE.cpu, FREE.delay, FREE.instructions, FREE.held_up) == (None,) * 5


def test_which_silence_is_a_missed_answer() -> None:
    assert [why for why in Why if Silence(why).missed] == [Why.LATE, Why.ABSENT]
