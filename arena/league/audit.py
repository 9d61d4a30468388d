"""Proving a league: rows by the chain, copies of bots by their addresses, and records by the rules
and by the league's own results.

A record's own digests prove that it is whole. Only the seal, which the league keeps from the end of
the match, proves that it is *the* record of that match. The chain proves that no row was changed,
and a chain hash published earlier proves that nobody rebuilt the whole chain.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from arena.api.submission import SubmissionReport
from arena.bots.address import is_intact
from arena.errors import ReplayError
from arena.league.final import wrong_finals
from arena.league.league import League
from arena.league.store import Broken
from arena.league.types import MatchResult, PlannedMatch, Played, bot_id, from_record, hashed
from arena.record.position import prefix_of
from arena.record.reader import Match
from arena.record.source import open_plain
from arena.record.verify import verify

MAX_RECORD_FILE = 1 << 30
"""Size limit of a record file, in bytes."""
UNKNOWN = (
    "this league never had the chain {chain}: it belongs to another league, is mistyped, or rows "
    "were changed since it was printed"
)


class Checked(Struct, frozen=True):
    """The finding for one match."""

    match: int
    record: str
    problem: str
    """Empty when all is well."""


class AuditReport(Struct, frozen=True):
    """The document printed by `arena verify LEAGUE --json`."""

    ok: bool
    matches: int
    """Number of results checked, including annulled ones."""
    per_second: float
    chain: str
    """The hash over all rows, in the order in which they were added."""
    since: int | None
    """Rows added since the chain hash given with `--chain`; null without `--chain`, and when that
    hash is unknown."""
    wrong: list[Checked]
    """The matches with problems."""
    changed: list[str]
    """Other problems: changed rows of the league, changed copies of bots."""


def audit(
    league: League,
    *,
    jobs: int = 1,
    chain: str | None = None,
    tell: Callable[[str], None] = lambda text: None,
) -> AuditReport:
    """Prove a league; with an earlier `chain`, also prove that it has only grown since then.

    `tell` receives each problem as it is found. Raises LeagueError when the file is damaged.
    """
    league.store.check_indexes()
    league.check_shapes()
    broken = list(league.store.broken())
    changed, wrong, matches = list[str](), list[Checked](), 0
    since = None if chain is None else league.since(chain)
    for problem in _changed(league, broken, chain, since):
        changed.append(problem)
        tell(problem)
    began = time.monotonic()
    for one in _all_checked(_work(league, broken), jobs):
        matches += 1
        if one.problem:
            wrong.append(one)
            tell(f"match {one.match}: {one.problem} ({one.record})")
    rate = round(matches / max(time.monotonic() - began, 1e-6), 1)
    ok = not wrong and not changed
    return AuditReport(
        ok=ok,
        matches=matches,
        per_second=rate,
        chain=league.chain(),
        since=since,
        wrong=wrong,
        changed=changed,
    )


# -- rows and bots -----------------------------------------------------------------------------


def _changed(
    league: League, broken: Iterable[Broken], chain: str | None, since: int | None
) -> Iterator[str]:
    """Problems outside the records and results of matches."""
    if chain is not None and since is None:
        yield UNKNOWN.format(chain=chain)
    planned = "SELECT result.number FROM result JOIN fixture ON fixture.number = fixture"
    of_matches = {("result", number) for (number,) in league.store.rows(planned)}
    for row in broken:
        if (row.kind, row.number) not in of_matches:
            yield f"{row.kind} {row.number}: {row.problem}"
    yield from _wrong_submissions(league)
    yield from _wrong_fixtures(league)
    yield from wrong_finals(league)


def _wrong_submissions(league: League) -> Iterator[str]:
    """Submissions whose rows contradict their bots or reports."""
    is_intact = cache(_is_intact)  # several submissions may share a copy
    for number, name, bot, content, entry, passed, report in league.store.rows(
        "SELECT number, name, bot, content, entry, passed, report FROM submission ORDER BY number"
    ):
        if bot != bot_id(name, content):
            yield f"submission {number}: its name or its content was changed"
        if msgspec.json.decode(report, type=SubmissionReport).ok != bool(passed):
            yield f"submission {number}: its report was changed"
        copy = league.folder.bot(content, entry)
        if content and not is_intact(copy):
            yield f"submission {number}: the copy of {name} in {copy} was changed"


def _is_intact(copy: Path) -> bool:
    try:
        return is_intact(copy)
    except OSError:
        return False


def _wrong_fixtures(league: League) -> Iterator[str]:
    """Matches that do not follow from their bots and their seed."""
    for number, id, block, seed, seats in league.store.rows(
        "SELECT number, id, block, seed, seats FROM fixture"
    ):
        bots = msgspec.json.decode(seats, type=tuple[str, ...])
        if id != hashed("fixture", block, bots)[:16] or seed != block:
            yield f"fixture {number}: its seed or its bots were changed"


# -- matches -----------------------------------------------------------------------------------


class _Work(Struct, frozen=True):
    """A result to prove, in picklable form for another process."""

    played: Played
    path: Path
    is_chained: bool
    """Whether its rows match the chain."""
    seed: str
    origin: str | None = None
    """The hash of the position at which it begins; None if at its start."""


def _work(league: League, broken: Iterable[Broken]) -> Iterator[_Work]:
    wrong = {row.number for row in broken if row.kind == "result"}
    annulled: dict[int, int] = {}
    begin = _beginnings(league)
    for one in league.results(annulled=True):
        number = one.fixture.number
        path = league.folder.record(number, annulled.get(number, 0))
        annulled[number] = annulled.get(number, 0) + (one.annulled is not None)
        yield _Work(one, path, one.number not in wrong, *begin(one.fixture))


def _beginnings(league: League) -> Callable[[PlannedMatch], tuple[str, str | None]]:
    """A function from a fixture to its seed, and to the hash of its position, if it has one."""
    book = league.book
    if book is None:
        return lambda fixture: (fixture.seed, None)
    hashes = cache(lambda index: prefix_of(book.positions[index]).sha256)

    def of_position(fixture: PlannedMatch) -> tuple[str, str | None]:
        index = book.index(fixture.round)
        return book.positions[index].seed, hashes(index)

    return of_position


def _all_checked(work: Iterator[_Work], jobs: int) -> Iterator[Checked]:
    """The findings for all results, in the order in which the results came in."""
    if jobs == 1:
        yield from map(_check, work)
        return
    with ProcessPoolExecutor(jobs) as pool:
        while batch := list(islice(work, 64 * jobs)):
            yield from pool.map(_check, batch, chunksize=4)


def _check(work: _Work) -> Checked:
    wrong = "" if work.is_chained else "its row in the league was changed"
    return Checked(work.played.fixture.number, str(work.path), wrong or _problem(work))


def _problem(work: _Work) -> str:
    played, path = work.played, work.path
    try:
        with open_plain(path) as file:
            if os.fstat(file.fileno()).st_size > MAX_RECORD_FILE:
                return "its record is larger than any that a judge writes"
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        verdict, match = verify(path), Match.ending(path)
        if not verdict.ok:
            return verdict.problem
        if verdict.seal != played.result.seal:
            return f"another record: the league has the seal {played.result.seal}"
        if sha256 != played.sha256:
            return "its file was changed, but not its content"
        origin = match.header.position
        began = match.seed, None if origin is UNSET else origin.sha256
        if began != (work.seed, work.origin):
            return "it does not begin where the league says"
        if _plain(from_record(match)) != _plain(played.result):
            return "its result differs from the one in the league"
    except OSError as error:
        return f"cannot read it: {error.strerror}"
    except ReplayError as error:
        return str(error)
    return ""


def _plain(result: MatchResult) -> Any:
    """The result without the fields that its record lacks."""
    seats = tuple(msgspec.structs.replace(seat, detail="") for seat in result.seats)
    return msgspec.structs.replace(result, seats=seats)
