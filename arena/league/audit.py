"""Proving a league: every record, against the rules and against what the store says of it.

A record's own digests say that it is whole; that it is *the* record of the match only the seal says
that the store has kept since the match was over. The rows hang together too: each has a hash over
itself and the one before, so the last one, told to others, stands for all results.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from arena.errors import ReplayError
from arena.league.league import League, chain_of
from arena.league.rows import Fixture, MatchResult, from_record
from arena.record.reader import Match
from arena.record.verify import verify


class Checked(Struct, frozen=True):
    """What was found of one match."""

    match: int
    record: str
    problem: str
    """Empty when all is well."""


class AuditReport(Struct, frozen=True):
    """What `arena verify LEAGUE --json` prints."""

    ok: bool
    matches: int
    per_second: float
    chain: str
    """The hash over all results, in the order in which they came in."""
    wrong: list[Checked]


def report(
    league: League, checked: Iterable[Checked], tell: Callable[[str], None] | None = None
) -> AuditReport:
    """The audit of a league as one value; `tell` hears of each problem when it is found."""
    began, matches, wrong = time.monotonic(), 0, list[Checked]()
    for one in checked:
        matches += 1
        if one.problem:
            wrong.append(one)
            if tell is not None:
                tell(f"match {one.match}: {one.problem} ({one.record})")
    rate = matches / max(time.monotonic() - began, 1e-6)
    return AuditReport(not wrong, matches, round(rate, 1), league.chain(), wrong)


def audit(league: League, *, jobs: int = 1) -> Iterator[Checked]:
    """Check every result, in the order in which they came in."""
    work = _work(league)
    if jobs == 1:
        yield from (_check(*one) for one in work)
        return
    with ProcessPoolExecutor(jobs) as pool:
        while batch := list(islice(work, 64 * jobs)):
            yield from pool.map(_check, *zip(*batch, strict=True), chunksize=4)


def _work(league: League) -> Iterator[tuple[Fixture, MatchResult, str, Path, str]]:
    """Each match as the store has it, with what is wrong with its rows."""
    before = ""
    for fixture, row, chain in league.results():
        result = league.result(fixture.number)
        assert result is not None
        is_whole = chain == chain_of(before, fixture, row, result)
        wrong = "" if is_whole else "its row in the league was changed"
        yield fixture, result, row[6], league.folder.record(fixture.number), wrong
        before = chain


def _check(fixture: Fixture, result: MatchResult, sha256: str, path: Path, wrong: str) -> Checked:
    return Checked(fixture.number, str(path), wrong or _problem(fixture, result, sha256, path))


def _problem(fixture: Fixture, result: MatchResult, sha256: str, path: Path) -> str:
    try:
        data = path.read_bytes()
        verdict, match = verify(path), Match.read(path)
        if not verdict.ok:
            return verdict.problem
        if verdict.seal != result.seal:
            return f"another record: the league has the seal {result.seal}"
        if hashlib.sha256(data).hexdigest() != sha256:
            return "its file was changed, though not what it says"
        if match.seed != fixture.seed or _plain(from_record(match)) != _plain(result):
            return "its result is not that in the league"
    except OSError as error:
        return f"cannot read it: {error.strerror}"
    except ReplayError as error:
        return str(error)
    return ""


def _plain(result: MatchResult) -> Any:
    """A result without what its record does not have."""
    seats = tuple(msgspec.structs.replace(seat, detail="") for seat in result.seats)
    return msgspec.structs.replace(result, seats=seats)
