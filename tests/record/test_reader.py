"""A record as an object."""

from __future__ import annotations

import doctest
import gzip
from pathlib import Path

import pytest

from arena.core.clock import Clock
from arena.core.replies import Answer, Cost, Silence, Why
from arena.core.steps import Ask, Fate, Note, Outcome, Show, Tell
from arena.errors import ReplayError
from arena.record import reader
from arena.record.format import (
    Answered,
    Digest,
    Header,
    PlayerTotals,
    ProtocolFault,
    Record,
    Seal,
    Silent,
    Stderr,
    encode,
)
from arena.record.reader import GivenFault, GivenReply, Match
from tests.support.tools import every

HEADER = Header(3, "nim", 4, "7", {"heap": 3}, ["ann", "bob"], clock=Clock.CPU)
OUTCOME = Outcome((1, 2), (1, 0), (Fate.SURVIVED, Fate.SURVIVED), "empty", "ann took the last.")
RECORDS: list[Record] = [
    HEADER,
    Tell(0, "hello"),
    Show({"round": 0, "rounds": 9}),
    Digest(0, "aa"),
    Tell(0, "heap 3"),
    Tell(1, "heap 3"),
    Ask(0, "go take"),
    Ask(1, "go take", "now"),
    Answered(0, "take 1", bank=900, ms=0.25, wall_ms=3.5, cpu_ms=0.125, delay_ms=0.0),
    Silent(1, Why.LATE, bank=800, ms=800.0, instructions=7),
    ProtocolFault(1, "crlf", "remarked", 1, False),
    ProtocolFault(1, "excess", "a line", 2, True),
    Note(0, "take", "too much"),
    Note(0, "hint", "a remark", fault=False),
    Show({"round": 1, "rounds": 9}),
    Digest(1, "bb"),
    Ask(0, "go take"),
    Answered(0, "take 2", bank=899, ms=1.0),
    OUTCOME,
    Stderr(0, 1, "thinking\n"),
    PlayerTotals(0, None, {}, 2, 1.25, 1.0, None, None),
    PlayerTotals(1, None, {}, 1, 800.0, 800.0, None, None),
    Seal("cc"),
]
MATCH = Match.of(RECORDS)


def test_the_example_of_the_docstring() -> None:
    globs = {**vars(reader), "Answered": Answered, "Header": Header}
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(Match, "Match", globs=globs)
    assert doctest.DocTestRunner().run(example) == (0, 6)


def test_what_it_was() -> None:
    assert (MATCH.game, MATCH.seed, MATCH.settings) == ("nim", "7", {"heap": 3})
    assert (MATCH.players, MATCH.clock) == (("ann", "bob"), Clock.CPU)
    assert Match.of([Header(3, "nim", 1, "7", {}, [])]).clock is Clock.WALL


def test_rounds_and_frames() -> None:
    assert MATCH.rounds == 1
    assert [frame["round"] for frame in MATCH.frames] == [0, 1]
    assert Match.of([HEADER]).rounds == -1


def test_the_lines_of_a_seat_by_round() -> None:
    assert MATCH.lines(0) == ("hello", "heap 3", "go take 900", "go take 899")
    assert [MATCH.lines(0, number) for number in range(4)] == [
        ("hello",),
        ("heap 3", "go take 900"),
        ("go take 899",),
        (),
    ]
    assert MATCH.lines(1) == ("heap 3", "go take 800 now")


def test_replies_with_their_cost_and_bank() -> None:
    assert MATCH.replies(0) == (
        GivenReply(1, "go take 900", 900, Answer("take 1"), Cost(250_000, 3_500_000, 125_000, 0)),
        GivenReply(2, "go take 899", 899, Answer("take 2"), Cost(10**6, 10**6)),
    )
    missed = Cost(800_000_000, 800_000_000, instructions=7)
    assert MATCH.replies(1) == (GivenReply(1, "go take 800 now", 800, Silence(Why.LATE), missed),)
    assert MATCH.answers(0) == MATCH.replies(0)
    assert MATCH.answers(1) == ()


def test_faults_are_told_and_remarks_are_not() -> None:
    assert MATCH.faults(0) == (GivenFault(1, "take", "too much"),)
    assert MATCH.faults(1) == (
        GivenFault(1, "timeout", "no answer in time"),
        GivenFault(1, "excess", "a line", 2),
    )


def test_how_it_ended() -> None:
    assert MATCH.outcome == OUTCOME
    assert MATCH.digest == "bb"
    assert MATCH.seal == "cc"
    assert MATCH.complete
    assert MATCH.stderr(0) == (Stderr(0, 1, "thinking\n"),)
    assert MATCH.stderr(1) == ()
    totals = MATCH.totals(1)
    assert totals is not None
    assert totals.requests == 1


def test_a_seal_is_the_last_line() -> None:
    assert Match.of([*RECORDS, Tell(0, "x")]).seal == ""
    assert Match.of([HEADER]).seal == ""


@every("length", range(1, len(RECORDS)))
def test_what_is_there_of_a_match_can_be_read(length: int) -> None:
    match = Match.of(RECORDS[:length])
    assert not match.complete
    assert match.seal == ""
    assert (match.outcome is None) == (length <= RECORDS.index(OUTCOME))
    for seat in range(2):
        assert MATCH.lines(seat)[: len(match.lines(seat))] == match.lines(seat)
        assert MATCH.faults(seat)[: len(match.faults(seat))] == match.faults(seat)
    assert repr(match).startswith("<Match nim, seed 7, ann against bob, ")


def test_it_is_the_same_from_a_file_and_from_bytes(tmp_path: Path) -> None:
    data = b"".join(encode(record) + b"\n" for record in RECORDS)
    (tmp_path / "r.jsonl").write_bytes(data)
    (tmp_path / "r.jsonl.gz").write_bytes(gzip.compress(data))
    assert Match.read(tmp_path / "r.jsonl") == Match.read(tmp_path / "r.jsonl.gz") == MATCH
    assert Match.parse(data) == MATCH


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the record is not a replay: it does not begin with a header"),
        (b"hello\n", "the record, line 1: not a line of a replay"),
        (
            encode(HEADER) + b'\n{"type":"show","frame":{"rounds":9}}\n',
            "the record, line 2: not a line of a replay: a frame without its round",
        ),
        (encode(HEADER) + b"\n" + b"[" * 10**5 + b"\n", "the record, line 2: not a line of"),
        (encode(Header(9, "nim", 1, "7", {}, [])) + b"\n", "the record has format 9"),
    ],
)
def test_what_is_no_record(data: bytes, message: str) -> None:
    with pytest.raises(ReplayError, match=message):
        Match.parse(data)


def test_a_strangers_file_is_bounded(tmp_path: Path) -> None:
    """A MiB of it, unpacked, may be any number of records."""
    path = tmp_path / "r.jsonl.gz"
    path.write_bytes(gzip.compress(b"".join(encode(record) + b"\n" for record in RECORDS)))
    size = sum(len(encode(record)) + 1 for record in RECORDS)
    assert Match.read(path, largest=size) == Match.read(path)
    with pytest.raises(ReplayError, match="too many to hold at once: only arena verify reads them"):
        Match.read(path, largest=size - 1)


def test_a_reply_without_a_request_is_no_match() -> None:
    with pytest.raises(ReplayError, match="player1 replies without a request"):
        Match.of([HEADER, Answered(0, "take 1", bank=900, ms=0.25)]).lines(0)


def lines(records: list[Record]) -> bytes:
    return b"".join(encode(one) + b"\n" for one in records)


def test_how_a_match_ended_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(lines(RECORDS))
    ended = Match.ending(path)
    for name in ("header", "outcome", "digest", "seal", "rounds", "complete"):
        assert getattr(ended, name) == getattr(MATCH, name)
    assert [ended.totals(seat) for seat in range(2)] == [MATCH.totals(seat) for seat in range(2)]
    more = [Tell(0, "more"), PlayerTotals(7, None, {}, 2, 1.25, 1.0, None, None), *RECORDS[-4:-1]]
    path.write_bytes(lines([*RECORDS, *more * 1000]))
    assert len(Match.ending(path).records) == len(ended.records) - 1, "without the seal"
    assert not Match.ending(path).complete
