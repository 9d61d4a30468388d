"""What `arena league show` tells: who was handed in, and what became of one match."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from arena.errors import ReplayError
from arena.league.league import League
from arena.league.rows import MatchResult
from arena.record.format import PlayerTotals
from arena.record.reader import Match


class BotAccount(Struct, frozen=True):
    """One submission."""

    name: str
    version: int
    """From 1, among those of its name."""
    content: str
    state: str
    """``plays``, ``replaced``, ``withdrawn`` or ``refused``."""


class Account(Struct, frozen=True):
    """What `arena league show FILE --json` prints."""

    game: str
    played: int
    pending: int
    """Matches that were planned and have no result."""
    bots: list[BotAccount]


class SeatAccount(Struct, frozen=True):
    """Who sat at a seat."""

    name: str
    content: str


class VoidAccount(Struct, frozen=True):
    """An attempt that the machine made void."""

    attempt: int
    """From 1."""
    reason: str


class MatchAccount(Struct, frozen=True):
    """What `arena league show FILE MATCH --json` prints."""

    match: int
    event: str
    round: int
    seed: str
    seats: list[SeatAccount]
    voids: list[VoidAccount]
    result: MatchResult | None
    """None when it was not played yet."""
    totals: list[PlayerTotals | None]
    """What its record says that each seat used; null where that is not to be read."""
    record: str | None
    """Where its record lies."""
    command: str
    """What plays it again."""


def account_of(league: League) -> Account:
    """All submissions, in their order."""
    playing = {player.number for player in league.players()}
    rows = league.store.all(
        "SELECT name, row_number() OVER (PARTITION BY name ORDER BY number), number, content, "
        "passed, number IN (SELECT submission FROM withdrawal) FROM submission ORDER BY number"
    )
    bots = [
        BotAccount(name, version, content, _state(number in playing, passed, withdrawn))
        for name, version, number, content, passed, withdrawn in rows
    ]
    return Account(league.terms.game, league.count("result"), league.count("pending"), bots)


def _state(plays: bool, passed: bool, withdrawn: bool) -> str:
    if plays:
        return "plays"
    if not passed:
        return "refused"
    return "withdrawn" if withdrawn else "replaced"


def match_account(league: League, number: int, command: str) -> MatchAccount:
    """One match; `command` is what plays it again. Raises UsageError when there is none of that
    number."""
    fixture, result = league.fixture(number), league.result(number)
    seats = [SeatAccount(*league.copy_of(bot)[:2]) for bot in fixture.seats]
    query = "SELECT attempt, reason FROM void WHERE fixture = ? ORDER BY attempt"
    return MatchAccount(
        number,
        fixture.event,
        fixture.round + 1,
        fixture.seed,
        seats,
        [VoidAccount(*row) for row in league.store.all(query, (number,))],
        result,
        _totals(league.folder.record(number), len(seats)),
        None if result is None else str(league.folder.record(number)),
        command,
    )


def _totals(record: Path, seats: int) -> list[PlayerTotals | None]:
    try:
        match = Match.read(record)
    except ReplayError:
        return [None] * seats
    return [match.totals(seat) for seat in range(seats)]
