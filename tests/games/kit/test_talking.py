"""Steps that most scripts are made of."""

from __future__ import annotations

from arena.core import Answer, Silence, Tell, Why
from arena.games.kit import answer_text, tell, tell_each


def test_lines_to_one_seat_and_to_each() -> None:
    assert list(tell(1, ["a", "b"])) == [Tell(1, "a"), Tell(1, "b")]
    told = tell_each((2, 0), lambda seat: [f"you {seat}"] * (seat + 1))
    assert list(told) == [Tell(2, "you 2")] * 3 + [Tell(0, "you 0")]


def test_silence_says_nothing() -> None:
    assert answer_text(Answer("yes")) == "yes"
    assert answer_text(Silence(Why.LATE)) == ""
