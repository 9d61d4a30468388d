"""What the inspector shows."""

from __future__ import annotations

from arena.core.replies import Why
from arena.core.steps import Ask, Note, Show, Stop, Tell
from arena.record.format import FORMAT, Answered, Header, ProtocolFault, Silent, Stderr
from arena.record.reader import Match
from arena.view.chapters import Mark, banks, marks
from arena.view.texts import OPEN, Asked, ToldLine, Wrong, Wrote, texts

MATCH = Match.of(
    [
        Header(FORMAT, "nim", 1, "7", {}, ["ann", "bob"]),
        Tell(0, "settings"),
        Show({"round": 0, "rounds": 9}),
        Tell(1, "heap 3"),
        Ask(0, "go", "now"),
        Ask(1, "go"),
        ProtocolFault(1, "excess", "two lines", 2, True),
        Answered(0, "take 3", bank=1000, ms=2.5, cpu_ms=1.0),
        Silent(1, Why.LATE, bank=900, ms=900.0),
        Note(0, "illegal", "too many"),
        Note(0, "hint", "fewer", fault=False),
        Show({"round": 1, "rounds": 9}),
        Stop(1, "timeouts"),
        Ask(1, "go"),
        Silent(1, Why.STOPPED, bank=0, ms=0.0),
        Ask(0, "go", "now"),
        Stderr(0, 0, "hello"),
        Stderr(0, 1, "thought"),
    ]
)


def test_everything_stands_in_its_round_in_its_order() -> None:
    ann, bob = texts(MATCH)
    assert ann == [
        [Wrote("hello"), ToldLine("settings")],
        [
            Asked(1, "go 1000 now", "take 3", "", 1000, 2.5, 2.5, 1.0),
            Wrote("thought"),
            Wrong("illegal", "too many", 1, fault=True),
            Wrong("hint", "fewer", 1, fault=False),
            Asked(2, "go 0 now", None, OPEN, 0, 0, None),
        ],
    ]
    assert [type(entry) for entry in bob[1]] == [ToldLine, Wrong, Asked, Wrong, Asked]
    assert bob[1][2] == Asked(1, "go 900", None, "late", 900, 900.0, 900.0)


LATE = "no answer in 900 ms, with 900 ms in its bank"


def test_marks_are_faults_and_the_ends_of_programs() -> None:
    assert [(mark.frame, mark.seat, mark.code, mark.count) for mark in marks(MATCH)] == [
        (1, 1, "excess", 2),
        (1, 1, "timeout", 1),
        (1, 0, "illegal", 1),
        (1, 1, "ended", 0),
    ]
    assert marks(MATCH)[1] == Mark(
        1, 1, "timeout", "no answer in 900 ms, with 900 ms in its bank", 1
    )


def test_banks_are_those_of_the_last_request() -> None:
    assert banks(MATCH) == [[None, None], [1000, 0]]
