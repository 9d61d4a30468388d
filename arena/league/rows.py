"""What stands in a league, as values."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.core.steps import Outcome
from arena.errors import ReplayError
from arena.match.report import MatchReport
from arena.record.reader import Match
from arena.tournament.schedule import seatings


class Player(Struct, frozen=True):
    """A name in a league, and the bot that plays under it: the newest that passed."""

    name: str
    bot: str
    """What fixtures call it: a hash over name and content."""
    content: str
    """The address of its files."""
    entry: str
    """The name of its folder there."""
    number: int
    """That of its submission."""


class Fixture(Struct, frozen=True):
    """A match that is to be played. All but the number follows from the league's seed, who meets,
    and how often they have."""

    number: int
    id: str
    event: str
    round: int
    block: str
    """Matches on one map, with exchanged seats."""
    seed: str
    seats: tuple[str, ...]
    """The bot of each seat."""


class SeatResult(Struct, frozen=True):
    """What became of one seat."""

    rank: int
    points: float
    fate: str
    stopped: str | None
    """Why its program was ended, if it was."""
    detail: str
    """The same in words."""
    faults: dict[str, int]


class MatchResult(Struct, frozen=True):
    """What became of a match."""

    reason: str
    sentence: str
    rounds: int
    digest: str
    seal: str
    seats: tuple[SeatResult, ...]


def from_record(match: Match) -> MatchResult:
    """The result of a match from its record alone. `SeatResult.detail` has no words of its own.

    Raises ReplayError when the record ends early.
    """
    outcome = match.outcome
    if outcome is None or not match.complete:
        raise ReplayError(f"{match!r} has no end")
    seats = tuple(_seat(match, outcome, seat) for seat in range(len(match.players)))
    return MatchResult(
        outcome.reason, outcome.sentence, match.rounds, match.digest, match.seal, seats
    )


def with_details(result: MatchResult, report: MatchReport) -> MatchResult:
    """The same with the words of the match's report, which are in no record."""
    pairs = zip(result.seats, report.players, strict=True)
    seats = [
        replace(seat, detail=player.stopped_detail) if seat.stopped == player.stopped else seat
        for seat, player in pairs
    ]
    return replace(result, seats=tuple(seats))


def _seat(match: Match, outcome: Outcome, seat: int) -> SeatResult:
    totals = match.totals(seat)
    if totals is None:
        raise ReplayError(f"{match!r} has no totals for seat {seat}")
    result = outcome.ranks[seat], outcome.points[seat], outcome.fates[seat].value
    return SeatResult(*result, totals.stopped, totals.stopped or "", totals.faults)


def hashed(*parts: object) -> str:
    """A SHA-256 over values, each told from its neighbours."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def bot_id(name: str, content: str) -> str:
    """What fixtures call a bot."""
    return hashed("bot", name, content)[:16]


def block_of(seed: str, event: str, round: int, bots: Sequence[str], meeting: int) -> list[Fixture]:
    """The matches in which these bots meet for one more time (numbered from 0): on one map, each
    from every seat. The fixtures have no numbers yet."""
    group = sorted(bots)
    block = hashed("block", seed, event, group, meeting)[:12]
    return [
        _fixture(event, round, block, tuple(group[at] for at in turn))
        for turn in seatings(len(group), meeting % 2 == 1)
    ]


def _fixture(event: str, round: int, block: str, seats: tuple[str, ...]) -> Fixture:
    return Fixture(0, hashed("fixture", block, seats)[:16], event, round, block, block, seats)


def bye(seed: str, round: int, bot: str) -> Fixture:
    """A round of a Swiss event in which a bot has no rival."""
    return _fixture("swiss", round, hashed("bye", seed, round, bot)[:12], (bot,))
