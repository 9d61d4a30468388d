"""Proving what a worker says of a match. Its record is a stranger's: the rules, run again on the
answers in it, must give all the rest, and its first line must be that of the match that was asked
for. What is left to the word of a worker is what the bots answered, and in what time.
"""

from __future__ import annotations

from pathlib import Path

from arena.cluster.work import Task
from arena.core.registry import find_game
from arena.errors import ReplayError
from arena.match.play import header_for
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.record.format import Header, encode
from arena.record.reader import LARGEST, Match
from arena.record.source import read_blocks
from arena.record.verify import verify

ESCAPED = 6
"""Bytes of a record for one byte that a bot has written, at most: ``\\u0001``."""


class Forged(Exception):
    """What a worker says is not true; the text says what."""


def record_limit(spec: MatchSpec) -> int:
    """Bytes of the largest record, unpacked, that the match can have: all that its bots may write,
    and what the game says."""
    return LARGEST + ESCAPED * len(spec.entrants) * spec.limits.match_output


def prove(task: Task, spec: MatchSpec, report: MatchReport, record: Path) -> None:
    """Raise Forged unless the record is one of this match, right and whole, and the report says the
    same."""
    try:
        _check_size(record, record_limit(spec))
        verdict = verify(record)
        if not verdict.ok:
            raise Forged(f"its record is not right: {verdict.problem}")
        match = Match.read(record)
    except ReplayError as error:
        raise Forged(f"its record cannot be read: {error}") from None
    if encode(match.header) != encode(header_of(task, spec)):
        raise Forged("its record is that of another match")
    if _told(report) != _recorded(match):
        raise Forged("its report and its record say different things")


def header_of(task: Task, spec: MatchSpec) -> Header:
    """What the record of a match begins with."""
    names = [seat.name for seat in task.seats]
    game = find_game(spec.game)
    return header_for(game, spec.setup, names, spec.clock, spec.start_up, spec.untimed)


def _check_size(record: Path, limit: int) -> None:
    left = limit
    for block in read_blocks(record):
        left -= len(block)
        if left < 0:
            raise Forged(f"its record has more than the {limit} bytes that it can have")


def _told(report: MatchReport) -> tuple[object, ...]:
    """What a report says that a record proves."""
    seats = [
        (one.rank, one.points, one.fate, one.stopped, one.faults, one.requests)
        for one in report.players
    ]
    return (report.game, report.rules_version, report.seed, report.digest, report.seal,
            report.reason, report.sentence, report.rounds, seats)  # fmt: skip


def _recorded(match: Match) -> tuple[object, ...]:
    """The same from a record that was verified, and therefore has its outcome and its totals."""
    outcome, header = match.outcome, match.header
    assert outcome is not None
    totals = [match.totals(seat) for seat in range(len(match.players))]
    seats = [
        (*said, one.stopped, one.faults, one.requests)
        for one, *said in zip(totals, outcome.ranks, outcome.points, outcome.fates, strict=True)
        if one is not None
    ]
    return (header.game, header.rules_version, header.seed, match.digest, match.seal,
            outcome.reason, outcome.sentence, match.rounds, seats)  # fmt: skip
