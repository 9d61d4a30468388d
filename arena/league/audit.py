"""Proving a league: rows by the chain, copies of bots by their addresses, and records by the rules
and by the league's own results.

A record's own digests prove that it is whole. Only the seal, which the league keeps from the end of
the match, proves that it is *the* record of that match. The chain proves that no row was changed,
and a chain hash published earlier proves that nobody rebuilt the whole chain.
"""

from __future__ import annotations

import hashlib
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from arena.bots.address import is_intact
from arena.errors import LeagueError, ReplayError
from arena.league.final import open_finals, wrong_finals
from arena.league.league import League
from arena.league.plan import SWISS
from arena.league.store import Broken
from arena.league.table import wrong_sums
from arena.league.types import (
    MatchResult,
    PlannedMatch,
    Played,
    block_name,
    bot_id,
    bye,
    from_record,
    hashed,
    match_seed,
)
from arena.record.position import prefix_of
from arena.record.reader import Match
from arena.record.source import open_plain
from arena.record.verify import verify
from arena.trial.report import SubmissionReport

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
    """Rows added since the chain hash given with `--chain` or `--since`; null without them, and
    when that hash is unknown."""
    trusted: int
    """Results whose records were not read, since they came in before the hash of `--since`."""
    wrong: list[Checked]
    """The matches with problems."""
    changed: list[str]
    """Other problems: changed rows of the league, changed copies of bots."""
    notes: list[str]
    """Finals that were declared and never started."""


@dataclass(slots=True)
class AuditProgress:
    """How far it has come."""

    total: int
    """Records to prove."""
    done: int
    wrong: int


def audit(
    league: League,
    *,
    jobs: int = 1,
    chain: str | None = None,
    since: str | None = None,
    tell: Callable[[str], None] = lambda text: None,
    advance: Callable[[AuditProgress], None] = lambda progress: None,
) -> AuditReport:
    """Prove a league; with an earlier `chain`, also prove that it has only grown since then.

    With `since`, an earlier chain that the caller trusts, the records and the copies of bots of
    before are not read. All rows are proved, so they are those of that chain.

    `tell` receives each problem as it is found, `advance` the progress after each record. Raises
    LeagueError when the file is damaged or never had the chain `since`.
    """
    start = _Start(0, 0) if since is None else _start_after(league, since)
    league.store.check_indexes()
    league.check_shapes()
    broken = list(league.store.broken())
    changed, wrong = list[str](), list[Checked]()
    known = since if since is not None else chain
    rows = None if known is None else league.since(known)
    for problem in _changed(league, broken, chain, rows, start):
        changed.append(problem)
        tell(problem)
    began = time.monotonic()
    progress = AuditProgress(league.count("result") - start.results, 0, 0)
    advance(progress)
    with (
        closing(_work(league, broken, start.result)) as work,
        closing(_all_checked(work, jobs)) as found,
    ):
        for one in found:
            progress.done += 1
            if one.problem:
                progress.wrong += 1
                wrong.append(one)
                tell(f"match {one.match}: {one.problem} ({one.record})")
            advance(progress)
    notes = list(open_finals(league))
    for note in notes:
        tell(note)
    rate = round(progress.done / max(time.monotonic() - began, 1e-6), 1)
    ok = not wrong and not changed
    return AuditReport(
        ok=ok,
        matches=progress.done,
        per_second=rate,
        chain=league.chain(),
        since=rows,
        trusted=start.results,
        wrong=wrong,
        changed=changed,
        notes=notes,
    )


class _Start(Struct, frozen=True):
    """What a trusted chain had: nothing of it is read again."""

    result: int
    """Its last result."""
    submission: int
    """Its last submission."""
    results: int = 0
    """The number of its results."""


def _start_after(league: League, chain: str) -> _Start:
    """Raises LeagueError for a chain that the league never had."""
    found = league.store.one("SELECT number FROM chain WHERE hash = ?", (chain,))
    if found is None:
        raise LeagueError(UNKNOWN.format(chain=chain))
    query = "SELECT coalesce(max(row), 0), count(*) FROM chain WHERE kind = ? AND number <= ?"
    result, results = league.store.one(query, ("result", found[0])) or (0, 0)
    submission, _ = league.store.one(query, ("submission", found[0])) or (0, 0)
    return _Start(result, submission, results)


# -- rows and bots -----------------------------------------------------------------------------


def _changed(
    league: League,
    broken: Iterable[Broken],
    chain: str | None,
    since: int | None,
    start: _Start,
) -> Iterator[str]:
    """Problems outside the records and results of matches."""
    if chain is not None and since is None:
        yield UNKNOWN.format(chain=chain)
    planned = (
        "SELECT 1 FROM result JOIN fixture ON fixture.number = fixture "
        "WHERE result.number > ? AND result.number = ?"
    )
    for row in broken:
        of_match = row.kind == "result" and league.store.one(planned, (start.result, row.number))
        if not of_match:
            yield f"{row.kind} {row.number}: {row.problem}"
    yield from _wrong_submissions(league, start.submission)
    yield from _wrong_fixtures(league)
    yield from wrong_finals(league)
    yield from wrong_sums(league)


def _wrong_submissions(league: League, trusted: int) -> Iterator[str]:
    """Submissions whose rows contradict their bots or reports. The copies of bots are read after
    the submission `trusted`."""
    is_intact = cache(_is_intact)  # several submissions may share a copy
    handed_in: Counter[tuple[str, str]] = Counter()
    for number, name, bot, content, entry, passed, report in league.store.rows(
        "SELECT number, name, bot, content, entry, passed, report FROM submission ORDER BY number"
    ):
        earlier = handed_in[name, content]
        handed_in[name, content] += 1
        # In leagues of format 4 what played again was the same bot as before.
        if bot not in (bot_id(name, content, earlier), bot_id(name, content)):
            yield f"submission {number}: its name or its content was changed"
        if msgspec.json.decode(report, type=SubmissionReport).ok != bool(passed):
            yield f"submission {number}: its report was changed"
        copy = league.folder.bot(content, entry)
        if content and number > trusted and not is_intact(copy):
            yield f"submission {number}: the copy of {name} in {copy} was changed"


def _is_intact(copy: Path) -> bool:
    try:
        return is_intact(copy)
    except OSError:
        return False


def _wrong_fixtures(league: League) -> Iterator[str]:
    """Matches that do not follow from their bots and the seed that the league had then. (Of finals
    `wrong_finals` proves that.)"""
    for (number,) in league.store.all(_UNENDED):
        yield f"seed {number}: the one before was not ended, so it was exchanged"
    secret = None  # before the first one, in format 4, a seed was the name of its block
    for new_secret, number, id, event, round, block, seed, seats in league.store.rows(
        "SELECT seed.seed, fixture.number, id, event, round, block, fixture.seed, seats FROM chain "
        "LEFT JOIN fixture ON kind = 'fixture' AND fixture.number = row "
        "LEFT JOIN seed ON kind = 'seed' AND seed.number = row "
        "WHERE kind IN ('fixture', 'seed') ORDER BY chain.number"
    ):
        secret = new_secret or secret
        if number is None:
            continue
        bots = msgspec.json.decode(seats, type=tuple[str, ...])
        is_right = id == hashed("fixture", block, bots)[:16]
        if not event.startswith("final "):
            is_right &= block == _block(league.origin, event, round, bots)
            is_right &= seed == (match_seed(secret, block) if secret else block)
        if not is_right:
            yield f"fixture {number}: its seed or its bots were changed"


_UNENDED = (
    "SELECT new.row FROM chain AS new WHERE kind = 'seed' AND row > 1 AND NOT EXISTS (SELECT 1 "
    "FROM chain WHERE kind = 'seed_end' AND row = new.row - 1 AND number < new.number)"
)
"""Seeds that came while another one held: whoever added them knew which matches they would give."""


def _block(origin: str, event: str, round: int, bots: tuple[str, ...]) -> str:
    """The name of the block of a match."""
    if len(bots) == 1:
        return bye(origin, round, bots[0]).block
    return block_name(origin, event, sorted(bots), 0 if event == SWISS else round)


# -- matches -----------------------------------------------------------------------------------


class ProofWork(Struct, frozen=True):
    """A result to prove, in picklable form for another process."""

    played: Played
    path: Path
    is_chained: bool
    """Whether its rows match the chain."""
    seed: str
    origin: str | None = None
    """The hash of the position at which it begins; None if at its start."""


def _work(league: League, broken: Iterable[Broken], after: int) -> Generator[ProofWork, None, None]:
    """The results after the one with that number, in the order in which they came in."""
    wrong = {row.number for row in broken if row.kind == "result"}
    before = (
        "SELECT fixture, count(*) FROM annulment JOIN result ON result.number = result "
        "WHERE result.number <= ? GROUP BY fixture"
    )
    annulled: dict[int, int] = dict(league.store.all(before, (after,)))
    begin = _beginnings(league)
    for one in league.results(annulled=True, after=after):
        number = one.fixture.number
        path = league.folder.record(number, annulled.get(number, 0))
        annulled[number] = annulled.get(number, 0) + (one.annulled is not None)
        yield ProofWork(one, path, one.number not in wrong, *begin(one.fixture))


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


RECORDS_AHEAD = 4
"""Parts of the work that wait for each process, so that none of them waits."""
A_PART = 4
"""Records in a part."""


def _all_checked(work: Iterator[ProofWork], jobs: int) -> Generator[Checked, None, None]:
    """The findings for all results, in the order in which the results came in. The processes end
    when it is closed."""
    if jobs == 1:
        yield from map(prove_result, work)
        return
    with ProcessPoolExecutor(jobs, initializer=_leave_interrupts) as pool:
        waiting: deque[Future[list[Checked]]] = deque()
        try:
            while part := list(islice(work, A_PART)):
                waiting.append(pool.submit(_check_each, part))
                if len(waiting) >= RECORDS_AHEAD * jobs:
                    yield from waiting.popleft().result()
            while waiting:
                yield from waiting.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts() -> None:
    """Ctrl-C reaches all processes of a terminal: the one that was called ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _check_each(part: list[ProofWork]) -> list[Checked]:
    return [prove_result(work) for work in part]


def prove_result(work: ProofWork) -> Checked:
    """Whether a result is that of its record, and this is what its rules make of it."""
    wrong = "" if work.is_chained else "its row in the league was changed"
    return Checked(work.played.fixture.number, str(work.path), wrong or _problem(work))


def _problem(work: ProofWork) -> str:
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
