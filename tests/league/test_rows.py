"""Rows as values: what the arena writes is read, and what it cannot have written is refused."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import MsgspecError

from arena.league import rows
from arena.league.types import LeaguePlayer, PlannedMatch

FIXTURE = (3, "f", "league", 0, "b", "b", '["a","z"]')
RESULT = (7, 1, "last", "a won.", -1, "[1,1]", "s", "t", "u")
SEATS = [("a", 0.5, "survived", None, "", "{}"), ("z", 0.5, "removed", "x", "y", '{"late":2}')]


def changed(row: tuple[Any, ...], names: tuple[str, ...], name: str, value: Any) -> tuple[Any, ...]:
    """A row with another value in one of its columns."""
    return tuple(value if one == name else old for one, old in zip(names, row, strict=True))


def test_what_stands_in_rows_is_read() -> None:
    played = rows.played_of(FIXTURE, RESULT, SEATS, "the disk was full")
    assert played.fixture == rows.fixture_of(FIXTURE) == PlannedMatch(*FIXTURE[:-1], ("a", "z"))
    assert (played.number, played.attempt, played.annulled) == (7, 1, "the disk was full")
    assert played.result.rounds == -1, "a game without frames"
    assert [seat.rank for seat in played.result.seats] == [1, 1]
    assert played.result.seats[1].faults == {"late": 2}
    assert rows.player_of(("ñandú 7", "b", "c", "e", 1)) == LeaguePlayer(
        "ñandú 7", "b", "c", "e", 1
    )


@pytest.mark.parametrize("name", ["", "a\n", "\x1b[2J", "a\u202eb", "\udc80"])
def test_a_name_that_cannot_be_shown(name: str) -> None:
    with pytest.raises(MsgspecError, match="the name"):
        rows.player_of((name, "b", "c", "e", 1))


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *[("ranks", text) for text in ("[1]", "[1,2,3]", "[0,1]", "[1,3]", "[1.5,2]", "{}", "x")],
        *[("rounds", -2), ("attempt", 0), ("number", -1), ("seal", 7)],
    ],
)
def test_a_result_that_cannot_be(column: str, value: Any) -> None:
    with pytest.raises(MsgspecError):
        rows.played_of(FIXTURE, changed(RESULT, rows.RESULT, column, value), SEATS, None)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        *[("points", value) for value in (float("inf"), -float("inf"), 1e300)],
        *[("fate", "eaten"), ("bot", "q"), ("faults", "[]"), ("faults", '{"late":-1}')],
    ],
)
def test_a_seat_that_cannot_be(column: str, value: Any) -> None:
    seats = [SEATS[0], changed(SEATS[1], rows.SEAT, column, value)]
    with pytest.raises(MsgspecError):
        rows.played_of(FIXTURE, RESULT, seats, None)


@pytest.mark.parametrize("seats", [SEATS[:1], [*SEATS, SEATS[0]], SEATS[::-1], []])
def test_other_seats_than_were_planned(seats: list[tuple[Any, ...]]) -> None:
    with pytest.raises(MsgspecError, match="not those that were planned"):
        rows.played_of(FIXTURE, RESULT, seats, None)


@pytest.mark.parametrize(
    ("column", "value"), [("seats", "[]"), ("seats", "{}"), ("round", -1), ("number", -1)]
)
def test_a_fixture_that_cannot_be(column: str, value: Any) -> None:
    with pytest.raises(MsgspecError):
        rows.fixture_of(changed(FIXTURE, rows.FIXTURE, column, value))
