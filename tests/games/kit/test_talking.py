"""Steps that most scripts are made of."""

from __future__ import annotations

from arena.core import Answer, Ask, Silence, Tell, Why
from arena.games.kit import answer_text, ask_each, tell, tell_each


def test_lines_to_one_seat_and_to_each() -> None:
    assert list(tell(1, ["a", "b"])) == [Tell(1, "a"), Tell(1, "b")]
    told = tell_each((2, 0), lambda seat: [f"you {seat}"] * (seat + 1))
    assert list(told) == [Tell(2, "you 2")] * 3 + [Tell(0, "you 0")]


def test_the_same_request_to_each_is_made_once() -> None:
    asks = ask_each((2, 0), "go", 3)
    assert asks == (Ask(2, "go", patience=3), Ask(0, "go", patience=3))
    assert ask_each((2, 0), "go", 3) is asks
    assert ask_each((2,), "go") == (Ask(2, "go"),)


def test_silence_says_nothing() -> None:
    assert answer_text(Answer("yes")) == "yes"
    assert answer_text(Silence(Why.LATE)) == ""
