"""Verification of a worker's result by its record.

The record is untrusted: the rules, run again on the recorded answers, must give everything else in
it, and its first line must be that of the requested match. Only the bots' answers and their times
have to be taken on trust.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from arena.cluster.work import Task
from arena.core.steps import Outcome
from arena.errors import ReplayError
from arena.match.play import header_of
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.record.format import Header, PlayerTotals, Record, encode
from arena.record.reader import MAX_RECORD_SIZE
from arena.record.source import read_blocks, read_records
from arena.record.verify import Verdict, verify
from arena.text import printable

ESCAPED = 6
"""Maximum bytes in a record per byte written by a bot: ``\\u0001``."""

MOST_UNPACKED = 1100
"""Above the most bytes that a byte of a compressed file can become (1032 for deflate)."""
LONGEST_WORDS = 1000
"""Maximum length of `stopped_detail`, in characters."""
_DECODER = msgspec.msgpack.Decoder(MatchReport)


class Forged(Exception):
    """A worker's claim is false; the text names the claim."""


def record_limit(spec: MatchSpec) -> int:
    """Maximum size of the match's unpacked record, in bytes: all that its bots may write, plus the
    game's part."""
    return MAX_RECORD_SIZE + ESCAPED * len(spec.entrants) * spec.terms.limits.match_output


def prove(task: Task, spec: MatchSpec, packed: bytes, record: Path) -> MatchReport:
    """The packed report, if the record is a valid and complete one of this match and agrees with
    the report. Raises Forged. (The record is never in memory as a whole.)"""
    try:
        report = _DECODER.decode(packed)
        _check_size(record, record_limit(spec))
        verdict = verify(record)
        if not verdict.ok:
            raise Forged(f"its record is wrong: {verdict.problem}")
        header, outcome, *totals = (
            one for one in read_records(record) if isinstance(one, Header | Outcome | PlayerTotals)
        )
    except ReplayError as error:
        raise Forged(f"its record cannot be read: {error}") from None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Forged(f"its report cannot be read: {error}") from None
    if encode(header) != encode(header_of(spec, [seat.name for seat in task.seats])):
        raise Forged("its record belongs to another match")
    if _told(report) != _recorded(verdict, outcome, totals):
        raise Forged("its report and its record differ")
    return _without_long_words(report)


def _check_size(record: Path, limit: int) -> None:
    if record.stat().st_size * MOST_UNPACKED <= limit:
        return
    left = limit
    for block in read_blocks(record):
        left -= len(block)
        if left < 0:
            raise Forged(f"its record is larger than the possible {limit} bytes")


def _told(report: MatchReport) -> tuple[object, ...]:
    """The part of a report that a record proves."""
    seats = [
        (one.rank, one.points, one.fate, one.stopped, one.faults, one.requests)
        for one in report.players
    ]
    return (report.game, report.seed, report.rounds, report.digest, report.seal, report.reason,
            report.sentence, seats)  # fmt: skip


def _recorded(verdict: Verdict, outcome: Record, totals: Sequence[Record]) -> tuple[object, ...]:
    """The same values from a verified record, which has one outcome, then the totals by seat."""
    assert isinstance(outcome, Outcome)
    said = zip(outcome.ranks, outcome.points, outcome.fates, totals, strict=True)
    seats = [
        (rank, points, fate, one.stopped, one.faults, one.requests)
        for rank, points, fate, one in said
        if isinstance(one, PlayerTotals)
    ]
    return (verdict.game, verdict.seed, verdict.rounds, verdict.digest, verdict.seal,
            outcome.reason, outcome.sentence, seats)  # fmt: skip


def _without_long_words(report: MatchReport) -> MatchReport:
    """The report with the worker's `stopped_detail` texts shortened and made printable."""
    players = [
        replace(one, stopped_detail=printable(one.stopped_detail[:LONGEST_WORDS]))
        for one in report.players
    ]
    return replace(report, players=players)
