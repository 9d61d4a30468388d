"""Proving a replay: the rules, run again on the recorded answers, give the same match."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path

import msgspec

from arena import replay
from arena.budget import Budget
from arena.clock import NS_PER_MS, open_bank
from arena.errors import ReplayError, UsageError
from arena.game import Setup, find_game
from arena.replay import (
    Answered,
    Chain,
    Conditions,
    Digest,
    Header,
    PlayerTotals,
    ProtocolFault,
    Record,
    Silent,
)
from arena.settings import parse
from arena.steps import Answer, Ask, Note, Outcome, Reply, Show, Silence, Step, Why
from arena.table import Table


class Verdict(msgspec.Struct, frozen=True):
    """What `verify` found. `ok` is true when everything that is there is right and complete."""

    ok: bool
    game: str
    seed: str
    rounds: int
    """Rounds that were proved."""
    digest: str
    """The digest of the last proved round."""
    problem: str
    """What is wrong and in which round; empty when all is well."""


def verify(path: Path) -> Verdict:
    """Run the match of a replay again and compare every step, digest, time bank and the outcome.

    Raises ReplayError for a file that cannot be read as a replay at all.
    """
    records = replay.read_replay(path)
    check = _Check(_header(records, path))
    problem = ""
    try:
        for record, line in records:
            check.record(record, line)
        check.finish()
    except _Mismatch as mismatch:
        problem = f"round {check.round}: {mismatch}"
    except ReplayError as error:
        problem = f"round {check.round}: {error}"
    header = check.header
    return Verdict(not problem, header.game, header.seed, check.proved, check.digest, problem)


def _header(records: Iterator[tuple[Record, bytes]], path: Path) -> Header:
    first = next(records, (None, b""))[0]
    if not isinstance(first, Header):
        raise ReplayError(f"{path} is not a replay: it does not begin with a header")
    if first.format != replay.FORMAT:
        raise ReplayError(
            f"{path} has format {first.format}, this arena reads {replay.FORMAT}: "
            "verify it with the release that wrote it"
        )
    return first


class _Mismatch(Exception):
    """The record and the rules disagree; the text says how."""


class _Books:
    """What a seat took and did wrong, counted again."""

    def __init__(self) -> None:
        self.times: list[int] = []
        self.instructions: list[int] = []
        self.faults: dict[str, int] = {}

    def count(self, code: str, times: int) -> None:
        """`times` more faults of one kind."""
        if times:
            self.faults[code] = self.faults.get(code, 0) + times


class _Check:
    """The match played again, one record at a time."""

    def __init__(self, header: Header) -> None:
        self.header = header
        self.proved = 0
        self.digest = ""
        self.round = 0
        """The round that is being checked."""
        self._table = _start(header)
        settings = self._table.setup.settings
        self._budget: Budget | None = self._table.game.budget(settings)
        runs = self._budget is None
        self._banks = [
            open_bank(settings.timebank, settings.time_per_move, runs=runs) for _ in header.players
        ]
        self._chain = Chain()
        self._chain.add(replay.digested(header))
        self._expected: deque[Step | Ask | Outcome] = deque()
        self._open: deque[Ask] = deque()
        self._replies: list[Reply] = []
        self._books = [_Books() for _ in header.players]
        self._ended = False
        self._totals = 0
        self._shown = -1
        self._take_steps()

    def _take_steps(self) -> None:
        self._expected.extend(self._table.take())
        if self._table.outcome is not None:
            self._expected.append(self._table.outcome)
        self._expected.extend(self._table.asked)
        self._open.extend(self._table.asked)

    def record(self, record: Record, line: bytes) -> None:
        """Check the next record. Raises _Mismatch."""
        match record:
            case Answered(text=text):
                self._reply(record, Answer(text))
            case Silent(why=why):
                self._reply(record, Silence(why))
            case Digest():
                self._check_digest(record)
            case Conditions():
                pass  # nothing that can be proved
            case ProtocolFault():
                self._books[record.seat].count(record.code, record.count * record.fault)
            case PlayerTotals():
                self._check_totals(record)
            case Header():
                raise _Mismatch("a second header")
            case _:
                self._step(record, line)

    def _step(self, record: Step | Ask | Outcome, line: bytes) -> None:
        expected = self._expected.popleft() if self._expected else None
        if expected is None or replay.encode(expected) != line:
            wanted = replay.encode(expected).decode() if expected else "a reply"
            raise _Mismatch(
                f"the rules give {_short(wanted)}, the replay has {_short(line.decode())}"
            )
        self._chain.add(line)
        self._ended = isinstance(record, Outcome)
        if isinstance(record, Show):
            self._shown = record.frame["round"]
        elif isinstance(record, Note):
            self._books[record.seat].count(record.code, int(record.fault))

    def _check_digest(self, record: Digest) -> None:
        if record.round != self._shown or record.sha256 != self._chain.hexdigest():
            raise _Mismatch("the digest does not match the record: an answer was changed")
        self.proved, self.digest, self.round = record.round, record.sha256, record.round + 1

    def _reply(self, record: Answered | Silent, reply: Reply) -> None:
        if self._expected or not self._open:
            raise _Mismatch(f"seat {record.seat} replies and was not asked")
        seat = self._open.popleft().seat
        if record.seat != seat:
            raise _Mismatch(f"seat {record.seat} replies where seat {seat} was asked")
        self._check_clock(record)
        self._chain.add_reply(seat, reply, record.instructions)
        self._replies.append(reply)
        if not self._open:
            replies, self._replies = tuple(self._replies), []
            self._table.answer_all(replies)
            self._take_steps()

    def _check_clock(self, record: Answered | Silent) -> None:
        bank, elapsed = self._banks[record.seat], round(record.ms * NS_PER_MS)
        if record.bank != bank.left_ms:
            raise _Mismatch(
                f"seat {record.seat} was shown {record.bank} ms and had {bank.left_ms} ms"
            )
        answered = isinstance(record, Answered)
        missed = isinstance(record, Silent) and record.why in (Why.LATE, Why.ABSENT)
        if self._budget is not None:
            self._check_count(record, self._budget, answered or missed)
        elif (answered or missed) and missed == bank.in_time(elapsed):
            raise _Mismatch(
                f"seat {record.seat} took {record.ms} of {record.bank} ms, "
                f"recorded as {'late' if missed else 'in time'}"
            )
        bank.spend(elapsed)
        books = self._books[record.seat]
        books.times.append(elapsed)
        books.count("timeout", int(missed))

    def _check_count(self, record: Answered | Silent, budget: Budget, counted: bool) -> None:
        count = record.instructions
        if (count is not None) != counted:
            raise _Mismatch(
                f"a reply of seat {record.seat} has a count that is missing or too many"
            )
        if count is not None:
            found = record.why if isinstance(record, Silent) else None
            if found != budget.verdict(count):
                raise _Mismatch(
                    f"seat {record.seat} took {count} instructions, limits {budget.turn} and "
                    f"{budget.game}, recorded as {found or 'in time'}"
                )
            self._books[record.seat].instructions.append(count)

    def _check_totals(self, record: PlayerTotals) -> None:
        books = self._books[record.seat]
        counts = None if self._budget is None else books.instructions
        if (record.instructions, record.max_instructions) != _totals(counts):
            raise _Mismatch(f"the instructions of seat {record.seat} do not match the record")
        total, slowest = sum(books.times) / NS_PER_MS, max(books.times, default=0) / NS_PER_MS
        found = (record.requests, record.total_ms, record.max_ms, record.faults)
        if found != (len(books.times), total, slowest, books.faults):
            raise _Mismatch(f"the totals of seat {record.seat} do not match the record")
        self._totals += 1

    def finish(self) -> None:
        """The file is at its end. Raises _Mismatch when the match is not."""
        if not self._ended or self._totals < len(self.header.players):
            raise _Mismatch("the replay ends here, before the match did; what is there is right")


def _start(header: Header) -> Table:
    try:
        game = find_game(header.game)
        if header.rules_version != game.rules_version:
            raise ReplayError(
                f"recorded under rules version {header.rules_version} of {game.name}, this arena "
                f"has {game.rules_version}: verify it with the release that wrote it"
            )
        settings = parse(game.settings, header.settings)
        return Table(game, Setup(header.seed, len(header.players), settings, header.map))
    except UsageError as error:
        raise ReplayError(f"the header of the replay is not valid: {error}") from None


def _totals(counts: list[int] | None) -> tuple[int | None, int | None]:
    return (None, None) if counts is None else (sum(counts), max(counts, default=0))


def _short(text: str, limit: int = 160) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
