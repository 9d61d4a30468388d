"""A league: its file, its folder, and what is asked of both."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Self

import msgspec

from arena.core.ranking import shares
from arena.errors import UsageError
from arena.league.folder import Folder
from arena.league.rows import Fixture, MatchResult, Player, SeatResult, hashed
from arena.league.store import Store, create
from arena.league.terms import Terms

_RESULT = "fixture, attempt, reason, sentence, rounds, ranks, sha256, seal, digest"
_SEAT = "points, fate, stopped, detail, faults"
_FIXTURE = "number, id, event, round, block, seed, seats"
_ONE_OF = "id IN (SELECT value FROM json_each(?))"


class League:
    """An open league. Use it as a context manager. Raises what `Store` raises."""

    def __init__(self, path: Path) -> None:
        """Raises UsageError when there is no league in that file."""
        self.path = path
        self.store = Store(path)
        self.folder = Folder(path)
        self.folder.make()
        self.terms = msgspec.json.decode(self._value("SELECT terms FROM league"), type=Terms)

    @classmethod
    def begin(cls, path: Path, terms: Terms) -> Self:
        """A new league in a new file."""
        create(path, msgspec.json.encode(terms).decode())
        league = cls(path)
        if terms.map is not None:
            league.map_file.write_bytes(msgspec.json.encode(terms.map))
        return league

    @property
    def map_file(self) -> Path:
        """A copy of the map, if there is one."""
        return self.folder.path / "map.json"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def _value(self, query: str, *values: object) -> Any:
        row = self.store.one(query, values)
        return None if row is None else row[0]

    def count(self, table: str) -> int:
        """The rows of a table or view."""
        return int(self._value(f"SELECT count(*) FROM {table}"))

    # -- bots ------------------------------------------------------------------------------

    def players(self) -> list[Player]:
        """Who plays, in the order of the first submissions of their names."""
        first = "(SELECT min(number) FROM submission s WHERE s.name = player.name)"
        columns = "name, bot, content, entry, number"
        return [
            Player(*row) for row in self.store.all(f"SELECT {columns} FROM player ORDER BY {first}")
        ]

    def player(self, name: str) -> Player | None:
        """The player of that name, if there is one."""
        return next((one for one in self.players() if one.name == name), None)

    def copy_of(self, bot: str) -> tuple[str, str, Path]:
        """The name and the content of the bot that fixtures call so, and where its copy lies."""
        query = "SELECT name, content, entry FROM submission WHERE bot = ? LIMIT 1"
        name, content, entry = self.store.all(query, (bot,))[0]
        return name, content, self.folder.bot(content, entry)

    def submit(self, player: Player, *, passed: bool, report: str) -> None:
        """Add a bot that was examined. (Its number is given here.)"""
        columns = "name, bot, content, entry, passed, report"
        row = player.name, player.bot, player.content, player.entry, passed, report
        with self.store.changing() as change:
            change.execute(f"INSERT INTO submission ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)

    def withdraw(self, player: Player, reason: str) -> None:
        """Let the version of a player play no more; the one before it does again, if any."""
        with self.store.changing() as change:
            change.execute(
                "INSERT INTO withdrawal (submission, reason) VALUES (?, ?)", (player.number, reason)
            )

    # -- fixtures --------------------------------------------------------------------------

    def fixture(self, number: int) -> Fixture:
        """The fixture of that number. Raises UsageError."""
        rows = self.store.all(f"SELECT {_FIXTURE} FROM fixture WHERE number = ?", (number,))
        if not rows:
            last = self._value("SELECT max(number) FROM fixture") or 0
            raise UsageError(f"there is no match {number}: the league has {last} so far")
        return _fixture(rows[0])

    def plan(self, fixtures: Sequence[Fixture]) -> list[Fixture]:
        """Add those fixtures that are not there yet. Those of all that have no result, numbered."""
        ids = _text([one.id for one in fixtures])
        known = {id for (id,) in self.store.all(f"SELECT id FROM fixture WHERE {_ONE_OF}", (ids,))}
        missing = [one for one in fixtures if one.id not in known]
        if missing:
            self._add(missing)
        rows = self.store.all(f"SELECT {_FIXTURE} FROM pending WHERE {_ONE_OF}", (ids,))
        pending = {one.id: one for one in map(_fixture, rows)}
        return [pending[one.id] for one in fixtures if one.id in pending]

    def _add(self, fixtures: Iterable[Fixture]) -> None:
        columns = "id, event, round, block, seed, seats"
        with self.store.changing() as change:
            change.executemany(
                f"INSERT OR IGNORE INTO fixture ({columns}) VALUES (?, ?, ?, ?, ?, ?)",
                ((f.id, f.event, f.round, f.block, f.seed, _text(f.seats)) for f in fixtures),
            )

    def groups(self, event: str) -> Counter[tuple[str, ...]]:
        """How often which bots were brought together so far in an event."""
        query = "SELECT min(seats) FROM fixture WHERE event = ? GROUP BY block"
        return Counter(tuple(sorted(_seats(text))) for (text,) in self.store.all(query, (event,)))

    def round_of(self, event: str, round: int) -> list[Fixture]:
        """The fixtures of a round of an event."""
        query = f"SELECT {_FIXTURE} FROM fixture WHERE event = ? AND round = ? ORDER BY number"
        return [_fixture(row) for row in self.store.all(query, (event, round))]

    def blocks(self, event: str) -> Iterator[tuple[tuple[str, ...], list[float]]]:
        """The bots of each block of an event, and the mean share of its rivals that each has
        beaten; a bye counts as a win."""
        rows = self.store.all(
            "SELECT block, seats, ranks FROM fixture LEFT JOIN result "
            "ON result.fixture = fixture.number WHERE event = ? ORDER BY block",
            (event,),
        )
        for _, games in groupby(rows, key=itemgetter(0)):
            yield _block_scores([(_seats(seats), ranks) for _, seats, ranks in games])

    # -- results ---------------------------------------------------------------------------

    def void(self, fixture: int, reason: str) -> None:
        """Note that the machine made a match void."""
        with self.store.changing() as change:
            change.execute(
                "INSERT INTO void (fixture, attempt, reason) VALUES (?, ?, ?)",
                (fixture, self._attempt(fixture), reason),
            )

    def _attempt(self, fixture: int) -> int:
        """The number of the next attempt at a match, from 1."""
        return 1 + int(self._value("SELECT count(*) FROM void WHERE fixture = ?", fixture))

    def add_result(self, fixture: Fixture, result: MatchResult, sha256: str) -> None:
        """Add the result of a match; `sha256` is that of the file of its record.

        Raises ArenaFault when it has one already.
        """
        ranks = _text([seat.rank for seat in result.seats])
        row = (fixture.number, self._attempt(fixture.number), result.reason, result.sentence,
               result.rounds, ranks, sha256, result.seal, result.digest)  # fmt: skip
        with self.store.changing() as change:
            last = self.chain()
            change.execute(
                f"INSERT INTO result ({_RESULT}, chain) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (*row, chain_of(last, fixture, row, result)),
            )
            change.executemany(
                f"INSERT INTO seat (fixture, seat, bot, {_SEAT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                _seat_rows(fixture, result),
            )

    def chain(self) -> str:
        """The hash over all results, in the order in which they came in; empty without any."""
        return self._value("SELECT chain FROM result ORDER BY number DESC LIMIT 1") or ""

    def results(self) -> Iterator[tuple[Fixture, tuple[Any, ...], str]]:
        """Each match that has a result, its row, and the chain up to it, in the order in which
        they came in."""
        for *row, chain in self.store.rows(f"SELECT {_RESULT}, chain FROM result ORDER BY number"):
            yield self.fixture(row[0]), tuple(row), chain

    def result(self, number: int) -> MatchResult | None:
        """What became of the match of that number; None when it was not played yet."""
        row = self.store.one(f"SELECT {_RESULT} FROM result WHERE fixture = ?", (number,))
        if row is None:
            return None
        _, _, reason, sentence, rounds, ranks, _, seal, digest = row
        seats = self.store.all(
            f"SELECT {_SEAT} FROM seat WHERE fixture = ? ORDER BY seat", (number,)
        )
        found = tuple(map(_seat, _ranks_in(ranks), seats))
        return MatchResult(reason, sentence, rounds, digest, seal, found)


def chain_of(before: str, fixture: Fixture, row: tuple[Any, ...], result: MatchResult) -> str:
    """The hash over the result of a match, and over all that came in before it."""
    return hashed(before, fixture, row, result)


def _seat(rank: int, row: tuple[Any, ...]) -> SeatResult:
    points, fate, stopped, detail, faults = row
    return SeatResult(rank, points, fate, stopped, detail, msgspec.json.decode(faults))


def _block_scores(
    games: Sequence[tuple[tuple[str, ...], str | None]],
) -> tuple[tuple[str, ...], list[float]]:
    bots = tuple(sorted(games[0][0]))
    if len(bots) == 1:
        return bots, [1.0]
    beaten: defaultdict[str, list[float]] = defaultdict(lambda: [0.0])
    for seats, ranks in games:
        if ranks is not None:
            for bot, share in zip(seats, shares(_ranks_in(ranks)), strict=True):
                beaten[bot].append(share)
    return bots, [sum(beaten[bot]) / max(len(beaten[bot]) - 1, 1) for bot in bots]


def _seat_rows(fixture: Fixture, result: MatchResult) -> Iterator[tuple[Any, ...]]:
    for seat, (bot, one) in enumerate(zip(fixture.seats, result.seats, strict=True)):
        yield (fixture.number, seat, bot, one.points, one.fate, one.stopped, one.detail,
               _text(one.faults))  # fmt: skip


def _fixture(row: tuple[Any, ...]) -> Fixture:
    number, id, event, round, block, seed, seats = row
    return Fixture(number, id, event, round, block, seed, _seats(seats))


def _seats(text: str) -> tuple[str, ...]:
    return msgspec.json.decode(text, type=tuple[str, ...])


def _ranks_in(text: str) -> tuple[int, ...]:
    return msgspec.json.decode(text, type=tuple[int, ...])


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
