"""What one seat of a record was told, asked and gave."""

from __future__ import annotations

from arena.core.replies import Answer, Silence, Why
from arena.core.steps import Ask, Show, Tell
from arena.record.format import Answered, Header, Silent
from arena.record.reader import Match, transcript

MATCH = Match.of(
    [
        Header(3, "nim", 1, "7", {}, ["ann", "bob"]),
        Tell(0, "hello"),
        Show({"round": 0, "rounds": 9}),
        Tell(0, "heap 3"),
        Tell(1, "heap 3"),
        Ask(0, "go take"),
        Ask(1, "go take"),
        Answered(0, "take 3", bank=1000, ms=0.25),
        Silent(1, Why.DEAD, bank=900, ms=0),
        Show({"round": 1, "rounds": 9}),
        Ask(0, "go take"),
        Answered(0, "take 1", bank=999, ms=0.25),
        Tell(0, "game_over 1 1"),
    ]
)


def test_each_request_has_the_lines_before_it() -> None:
    first, second = transcript(MATCH, 0).exchanges
    assert (first.number, first.lines) == (1, ("hello", "heap 3"))
    assert (first.given.request, first.given.reply) == ("go take 1000", Answer("take 3"))
    assert (second.number, second.lines, second.given.round) == (2, (), 2)
    assert transcript(MATCH, 0).rest == ("game_over 1 1",)


def test_silence_is_an_exchange_too() -> None:
    (only,) = transcript(MATCH, 1).exchanges
    assert only.given.reply == Silence(Why.DEAD)


def test_the_plain_input() -> None:
    found = transcript(MATCH, 0)
    tail = ["go take 999", "game_over 1 1"]
    assert list(found.dump()) == ["hello", "heap 3", "go take 1000", *tail]
