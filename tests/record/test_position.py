"""Positions: cut out of records, written, read, and proved by the rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.core.replies import Answer, Why
from arena.errors import UsageError
from arena.record.position import (
    Expectation,
    PastReply,
    Position,
    ReplayedPosition,
    cut,
    parse_positions,
    position_line,
    prefix_of,
    read_positions,
)
from arena.record.reader import Match
from tests.support.past import played


@pytest.fixture(scope="module")
def match() -> Match:
    """A short match of warlight, whose players pick regions in round 0."""
    return played("warlight")


def test_a_position_survives_its_line(match: Match) -> None:
    expect = Expectation(one_of=("a",), none_of=("b",), no_fault=True, min_score=0.5, games=3)
    position = cut(match, 3, 1, tags=["endgame"], expect=expect)
    assert parse_positions(position_line(position), "it") == [position]


def test_a_position_is_where_its_round_begins(match: Match) -> None:
    reached = ReplayedPosition(cut(match, 3))
    assert reached.prefix.round == 3
    assert reached.table.asked
    for ask in reached.table.asked:
        first = next(given for given in match.replies(ask.seat) if given.round == 3)
        assert ask.line(10_000) == first.request


def test_a_seat_is_asked_at_its_position(match: Match) -> None:
    for seat in (0, 1):
        position = cut(match, 2, seat)
        requests = ReplayedPosition(position).requests(seat)
        given = next(one for one in match.replies(seat) if one.round >= 2)
        assert (requests[-1].round, requests[-1].ask.line(10_000)) == (2, given.request)
        before = [one.request for one in match.replies(seat) if one.round < 2]
        assert [one.ask.line(10_000) for one in requests[:-1]] == before


def test_a_request_is_named_by_its_number(match: Match) -> None:
    number = len([one for one in match.replies(0) if one.round < 3]) + 2
    requests = ReplayedPosition(cut(match, 0, 0, request=number)).requests(0)
    assert len(requests) == number
    assert requests[-1].ask.line(10_000) == match.replies(0)[number - 1].request


def test_what_a_seat_is_told_is_as_recorded(match: Match) -> None:
    requests = ReplayedPosition(cut(match, 4, 0)).requests(0)
    lines = [line for one in requests for line in (*one.lines, one.ask.line(10_000))]
    assert lines == list(match.lines(0))[: len(lines)]


def test_it_is_cut_at_the_next_request_when_a_round_has_none() -> None:
    match = played("toroid")
    rounds = sorted({given.round for given in match.replies(1)})
    for round in range(rounds[-1]):
        assert cut(match, round, 1).round == min(one for one in rounds if one >= round)


@pytest.mark.parametrize(
    ("round", "seat", "number"), [(99, None, None), (99, 0, None), (0, 0, 9999), (0, 5, None)]
)
def test_there_is_no_such_request(
    match: Match, round: int, seat: int | None, number: int | None
) -> None:
    with pytest.raises(UsageError, match="the record does not ask"):
        cut(match, round, seat, request=number)


def test_an_answer_that_was_changed_is_found(match: Match) -> None:
    position = cut(match, 3)
    changed = ("pick_starting_region 1", *position.answers[1:])
    with pytest.raises(UsageError, match="the digest of the position"):
        prefix_of(replace(position, answers=changed))
    assert prefix_of(replace(position, answers=changed, digest="")).round == 3


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"round": 2}, "says round 2, and its answers lead to round 3"),
    ({"rules_version": 99}, "version 99 of the rules"),
    ({"game": "warlok"}, "did you mean 'warlight'"),
    ({"settings": {"max_rounds": 0}}, "max_rounds=0 is not allowed"),
    ({"seats": 3}, "is for 2 bots, and 3 are given"),
]


@pytest.mark.parametrize(("change", "error"), CHANGES)
def test_what_a_position_says_must_be_true(
    match: Match, change: dict[str, Any], error: str
) -> None:
    with pytest.raises(UsageError, match=error):
        prefix_of(replace(cut(match, 3), **change))


def test_answers_beyond_the_end(match: Match) -> None:
    position = replace(cut(match, 3), digest="", round=None)
    many = (*position.answers, *["No moves"] * 1000)
    with pytest.raises(UsageError, match=r"is over after \d+ of \d+ answers: cut it earlier"):
        prefix_of(replace(position, answers=many))


def test_answers_that_end_between_two_at_once() -> None:
    match = played("codecharacter")
    position = replace(cut(match, 3), digest="", round=None)
    with pytest.raises(UsageError, match="end in the middle of round 2, where 2 seats are asked"):
        prefix_of(replace(position, answers=position.answers[:-1]))


def test_a_seat_that_is_not_asked() -> None:
    position = cut(played("toroid"), 3, 0)
    with pytest.raises(UsageError, match="player2 is not asked at the position, but player1"):
        prefix_of(replace(position, seat=1))


def test_a_seat_whose_program_was_stopped(match: Match) -> None:
    position = replace(cut(match, 3, 0), digest="")
    gone = tuple(PastReply(silence=Why.DEAD) for _ in position.answers)
    with pytest.raises(UsageError, match="the program of player1 was stopped before"):
        prefix_of(replace(position, answers=gone))
    found = prefix_of(replace(position, answers=gone, seat=None))
    assert found.gone == {0, 1}


def test_a_start_needs_no_answers() -> None:
    position = Position("toroid", played("toroid").header.rules_version, 2, "7")
    found = prefix_of(position)
    assert (found.exchanges, found.gone) == ((), frozenset())


def test_its_name_does_not_depend_on_times(match: Match) -> None:
    position = cut(match, 3)
    name = prefix_of(position).sha256
    quick = {**position.settings, "timebank": 500}
    assert prefix_of(replace(position, settings=quick, digest="")).sha256 == name
    other = replace(position, seed="2", digest="", answers=position.answers[:2], round=None)
    assert prefix_of(other).sha256 != name


def test_faults_by_the_rules(match: Match) -> None:
    position = cut(match, 3, 0)
    assert not ReplayedPosition(position).faults(0, Answer("No moves"))
    found = ReplayedPosition(position).faults(0, Answer("player1 place_armies 999 5"))
    assert found
    assert "999" in "".join(found.values())


# Files.

FILES: list[tuple[bytes, str]] = [
    (b"", "there is no position in it"),
    (b"\n \n", "there is no position in it"),
    (b"nonsense", "it, line 1: no position"),
    (b'\n{"type":"position"}', "it, line 2: no position: Object missing required field `game`"),
    (b'{"type":"header"}', "it looks like a record, not like positions: cut one out of it with"),
    (b"\x1f\x8b\x08\x00", "arena cut it --round ROUND -o FILE"),
    (b'{"type":"end"}', "it, line 1: no position: Invalid value 'end'"),
    (b"[" * 100_000, "it, line 1: no position"),
    (b"\xff", "it, line 1: no position"),
    (b"9" * (3 << 20) + b"9", "it, line 1: longer than 3 MiB"),
]


@pytest.mark.parametrize(("data", "error"), FILES)
def test_files_that_hold_none(data: bytes, error: str) -> None:
    with pytest.raises(UsageError, match=error):
        parse_positions(data, "it")


LINES: list[tuple[dict[str, Any], str]] = [
    ({"colour": "red"}, "Object contains unknown field `colour`"),
    ({"seat": 2}, "seat=2 is not allowed: give 0 to 1"),
    ({"seat": 0, "expect": {}}, "it expects nothing: give one_of"),
    ({"seat": 0, "expect": {"games": 9}}, "it expects nothing: give one_of"),
    ({"expect": {"no_fault": True}}, "which seat the expectation is for: add the seat"),
    ({"seat": 0, "expect": {"min_score": 2}}, "Expected `float` <= 1"),
    ({"answers": [{}]}, "answer 1 must have either an answer or a silence"),
    ({"answers": [{"answer": "a", "silence": "late"}]}, "must have either an answer or a silence"),
    ({"answers": [7]}, "no position"),
    ({"game": "chess"}, "there is no game 'chess'"),
]


@pytest.mark.parametrize(("change", "error"), LINES)
def test_lines_that_are_no_position(match: Match, change: dict[str, Any], error: str) -> None:
    line = json.dumps({**json.loads(position_line(cut(match, 3))), **change}).encode()
    with pytest.raises(UsageError, match="it, line 1: ") as raised:
        parse_positions(line, "it")
    raised.match(error)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file or directory: name a file that arena cut"):
        read_positions(tmp_path / "none")
    with pytest.raises(UsageError, match="it is not an ordinary file"):
        read_positions(tmp_path)
