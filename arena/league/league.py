"""A league: its file, the folder beside it, and all queries and changes of both."""

from __future__ import annotations

import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from itertools import count, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Self

import msgspec
from msgspec.structs import replace

from arena.api.positions import Book
from arena.bots.address import files_of
from arena.bots.intake import TakenIn, take_in
from arena.core.ranking import shares
from arena.errors import (
    DISK_FULL_ERRNOS,
    ArenaError,
    ArenaFault,
    DiskFull,
    LeagueError,
    ReplayError,
    UsageError,
    did_you_mean,
)
from arena.league import rows
from arena.league.store import Change, Store, create, damaged
from arena.league.types import (
    BotAccount,
    LeagueAccount,
    LeaguePlayer,
    LeagueTerms,
    MatchAccount,
    MatchResult,
    PlannedMatch,
    Played,
    SeatAccount,
    SeedAccount,
    VoidAccount,
    book_hash,
    book_of,
    bot_id,
    draw_seed,
    match_seed,
    seed_hash,
)
from arena.match.spec import MatchSpec
from arena.record.format import PlayerTotals
from arena.record.output import write_whole
from arena.record.position import Position, position_line, read_positions
from arena.record.reader import Match
from arena.sandbox.levels import SandboxWish
from arena.text import counted, shell_word
from arena.trial.report import SubmissionReport

# The folder beside a league's file: copies of bots and records of matches. Files are written under
# a temporary name and renamed when they are complete and synced.

A_FOLDER = 1000
"""Maximum number of records in one folder."""


def real_file(league: Path) -> Path:
    """The file itself, for a path that is a link to it: all its names are one league, with one
    folder, in which is the lock of its judge."""
    return league.resolve() if league.is_symlink() else league


class Folder:
    """The folder beside the league file `league`, or beside what that is a link to."""

    def __init__(self, league: Path) -> None:
        self._file = real_file(league)
        self.path = self._file.absolute().with_name(f"{self._file.name}.d")

    def make(self) -> None:
        """Create the missing parts of the folder. Raises UsageError."""
        for name in ("bots", "records", "drafts"):
            try:
                (self.path / name).mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UsageError(
                    f"cannot make the folder {self.path / name}: {error.strerror}: a league keeps "
                    "its bots and records there"
                ) from None

    def complete(self) -> None:
        """Create what is missing of the folder of a league that exists. Raises LeagueError if all
        of it is."""
        if not self.path.is_dir():
            raise LeagueError(
                f"{self._file} is without its folder {self.path.name}, which has its bots and "
                "records: put it beside the file"
            )
        self.make()

    def clear_drafts(self) -> None:
        """Remove the drafts of a killed judge. Raises ArenaFault."""
        try:
            for entry in (self.path / "drafts").iterdir():
                entry.unlink()
        except OSError as error:
            raise _fault(self.path / "drafts", error) from error

    # -- records ---------------------------------------------------------------------------

    def record(self, fixture: int, annulled: int = 0) -> Path:
        """The path of a match's record, after `annulled` earlier records that were annulled."""
        name = f"{fixture}-{annulled + 1}" if annulled else f"{fixture}"
        return self.path / "records" / str(fixture // A_FOLDER) / f"{name}.jsonl.gz"

    def draft(self, fixture: int) -> Path:
        """The path where the record is written during the match."""
        return self.path / "drafts" / f"{fixture}.jsonl.gz"

    def keep_records(self, records: Sequence[tuple[int, Path]]) -> None:
        """Move the finished record of each fixture to its place. Raises DiskFull or ArenaFault."""
        record = self.path
        try:
            for fixture, record in records:
                record.parent.mkdir(parents=True, exist_ok=True)
                sync(self.draft(fixture))
                self.draft(fixture).rename(record)
            for folder in {record.parent for _, record in records}:
                sync(folder)
        except OSError as error:
            raise _fault(record, error) from error

    # -- bots ------------------------------------------------------------------------------

    def bot(self, content: str, name: str) -> Path:
        """The path of the copy of a bot."""
        return self.path / "bots" / content / name

    def keep_bot(self, given: Path, sandbox: SandboxWish) -> TakenIn:
        """Take a bot in and sync its copy to disk. Raises UsageError, BotError if the bot is
        refused, DiskFull or ArenaFault."""
        try:
            taken = take_in(given, self.path / "bots", sandbox)
            for path in (*taken.folder.rglob("*"), *taken.folder.parents[:3], taken.folder):
                sync(path)
        except OSError as error:
            raise _fault(self.path, error) from error
        return taken


@contextmanager
def undone_on_failure(path: Path) -> Iterator[None]:
    """Remove a league that the ``with`` block begins, if the block fails: the next try finds its
    place free. What was there before stays."""
    new = [place for place in (path, Folder(path).path) if not place.exists()]
    try:
        yield
    except BaseException:
        for place in new:
            with suppress(OSError):
                shutil.rmtree(place) if place.is_dir() else place.unlink()
        raise


def fingerprint(bot: Path) -> int:
    """A value that changes when a file of a bot changes on disk; faster than its address. Raises
    OSError."""
    return hash(tuple(_seen(path) for path in (bot, *files_of(bot).values())))


def _seen(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    return path, status.st_mode, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def sync(path: Path) -> None:
    """Sync a file, or the names in a folder, to disk. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _fault(path: Path, error: OSError) -> ArenaFault:
    if error.errno in DISK_FULL_ERRNOS:
        return DiskFull(f"no room on the disk for {path}: make room, and run it again")
    return ArenaFault(f"cannot write {path}: {error}: the run stops")


_RESULT, _FIXTURE = (
    ", ".join(f"{table}.{column}" for column in columns)
    for table, columns in (("result", rows.RESULT), ("fixture", rows.FIXTURE))
)
_SEATS = f"SELECT {', '.join(rows.SEAT)} FROM seat WHERE result = ? ORDER BY seat"
_PLANNED = len(rows.FIXTURE)
_NOT_HANDED_IN = (
    "SELECT fixture.number, value FROM fixture, json_each(seats) "
    "WHERE value NOT IN (SELECT bot FROM submission) LIMIT 1"
)
_PLAYER_COLUMNS = "name, bot, content, entry, number"
_BY_FIRST_NAME = (
    "JOIN (SELECT name, min(number) AS first FROM submission GROUP BY name) USING (name) "
    "ORDER BY first"
)
"""Players in the order in which their names first came in. One pass: a query per player, without an
index of names, makes this quadratic."""
_ONE_OF = "id IN (SELECT value FROM json_each(?))"

_WITHDRAWN_SINCE = (
    "SELECT 1 FROM submission AS earlier JOIN submission AS later USING (name, content) "
    "JOIN withdrawal ON withdrawal.submission = later.number "
    "WHERE earlier.number = ? AND later.number > earlier.number"
)
"""Whether a version was withdrawn as the later one that it became when it played again."""


class League:
    """An open league, used as a context manager: on exit, an error caused by a damaged file becomes
    a LeagueError that says so. Raises what `Store` raises."""

    def __init__(self, path: Path, *, any_thread: bool = False, checked: bool = True) -> None:
        """With `any_thread` it may be used from several threads, one at a time. Without `checked`
        the file is checked when its results are counted, but not for sums that are kept.

        Raises UsageError when the file is not a league."""
        self.path = path = real_file(path)
        self.store = Store(path, any_thread=any_thread, checked=checked)
        self.folder = Folder(path)
        with self._closed_on_error():
            self.folder.complete()
            with self._reading("its terms"):
                terms = self._value("SELECT terms FROM league") or "nothing"
                self.terms = msgspec.json.decode(terms, type=LeagueTerms)

    @classmethod
    def begin(cls, path: Path, terms: LeagueTerms, positions: Sequence[Position] = ()) -> Self:
        """Create a new league in a new file; `positions` are those of its book, if it has one. Its
        seed is that of the terms, joined with a drawn one if it is short (`draw_seed`)."""
        with undone_on_failure(path):
            create(path, _text(replace(terms, seed="")), draw_seed(terms.seed))
            Folder(path).make()
            league = cls(path)
            if positions:
                write_whole(league.book_file, b"".join(map(position_line, positions)))
            if terms.map is not None:
                write_whole(league.map_file, msgspec.json.encode(terms.map))
            return league

    @property
    def map_file(self) -> Path:
        """The path of the league's copy of the map, if the terms have one."""
        return self.folder.path / "map.json"

    @property
    def book_file(self) -> Path:
        """The path of the league's copy of its book, if it has one."""
        return self.folder.path / "book.jsonl"

    @cached_property
    def book(self) -> Book | None:
        """The positions from which its matches begin; None if at their start. Raises LeagueError
        when they are not those with which the league began."""
        if self.terms.book is None:
            return None
        try:
            positions = read_positions(self.book_file, self.terms.book)
        except UsageError as error:
            raise LeagueError(f"the book of the league is damaged: {error}") from None
        if book_hash(positions) != self.terms.book:
            raise LeagueError(
                f"{self.book_file} was changed: restore the file that the league began with"
            )
        return book_of(self.terms, positions, self.origin, str(self.book_file))

    @cached_property
    def origin(self) -> str:
        """The seed with which the league began, from which names of blocks and the order of the
        book follow."""
        return self.terms.seed or str(self._value("SELECT seed FROM seed WHERE number = 1"))

    def seed(self) -> SeedAccount:
        """The seed from which matches are planned now, as far as it is public."""
        seed, is_told = self._seed()
        return SeedAccount(seed_hash(seed), seed if is_told else None)

    def _seed(self) -> tuple[str, bool]:
        """The last seed, and whether it was told."""
        query = "SELECT seed, number IN (SELECT seed FROM seed_end) FROM seed ORDER BY number DESC"
        seed, is_told = self.store.one(query) or ("", False)
        return seed, bool(is_told)

    def end(self) -> str:
        """End the league: tell its seed, which is returned. Matches that are planned later have a
        new one. Raises UsageError while planned matches have no result."""
        with self.store.changing() as change:
            seed, is_told = self._seed()
            if is_told:
                raise UsageError(f"the league has ended already: its seed is {seed}")
            if left := len(self.unplayed()):
                raise UsageError(
                    f"{counted(left, 'planned match', 'planned matches')} would be on a public "
                    "seed: play what is missing first: arena league missing "
                    f"{shell_word(self.path)}"
                )
            number = self._value("SELECT max(number) FROM seed")
            change.add("seed_end", seed=number)
        return seed

    def begun(self, spec: MatchSpec, fixture: PlannedMatch) -> MatchSpec:
        """The match of a spec as the match of that fixture: on its seed, or from its position."""
        if self.book is None:
            return replace(spec, seed=fixture.seed)
        return self.book.begin(spec, fixture.round)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        with self.store:
            self._explain(error)

    @contextmanager
    def _closed_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            self.__exit__(type(error), error, None)
            raise

    def _explain(self, error: BaseException | None) -> None:
        """Raise LeagueError if the error comes from the content of the file."""
        if error is None or isinstance(error, ArenaError) or not isinstance(error, Exception):
            return
        self.check_rows()
        if isinstance(error, msgspec.MsgspecError):
            raise damaged(self.path, str(error)) from error

    def check_rows(self) -> None:
        """Raise LeagueError unless all rows match the chain, their references and the indexes."""
        self.store.check_indexes()
        for row in self.store.broken():
            raise damaged(self.path, f"{row.kind} {row.number}: {row.problem}")
        self.check_shapes()

    def check_shapes(self) -> None:
        """Raise LeagueError for a row that the arena cannot have written; the chain may hold."""
        self.store.check_references()
        self.players()
        for row in self.store.rows(f"SELECT {_FIXTURE} FROM fixture"):
            seats = len(self._fixture(row).seats)
            if seats not in (1, self.terms.seats):  # a bye has one seat
                raise damaged(self.path, f"match {row[0]} has {counted(seats, 'seat')}")
        for number, bot in self.store.all(_NOT_HANDED_IN):
            raise damaged(self.path, f"match {number}: the bot {bot!r} was never handed in")
        for _ in self.results(annulled=True):
            pass

    @contextmanager
    def _reading(self, what: str) -> Iterator[None]:
        """Raise LeagueError for a row that the arena cannot have written."""
        try:
            yield
        except msgspec.MsgspecError as error:
            raise damaged(self.path, f"{what}: {error}") from None

    def _value(self, query: str, *values: object) -> Any:
        row = self.store.one(query, values)
        return None if row is None else row[0]

    def count(self, table: str) -> int:
        """The number of rows of a table or view."""
        return int(self._value(f"SELECT count(*) FROM {table}"))

    def account(self) -> LeagueAccount:
        """All submissions in order, and the league's progress."""
        return LeagueAccount(
            self.terms.game, self.count("valid"), self.count("pending"), self._bots()
        )

    # -- bots ------------------------------------------------------------------------------

    def players(self) -> list[LeaguePlayer]:
        """The current players, in the order in which their names first came in."""
        query = f"SELECT {_PLAYER_COLUMNS} FROM player {_BY_FIRST_NAME}"
        with self._reading("a bot"):
            return [rows.player_of(row) for row in self.store.all(query)]

    def entries(self) -> tuple[int, ...]:
        """What `players` follows from, as numbers: while they are equal, so are the players. To
        read the players of a large league takes as long as several matches cost its judge."""
        return (
            self.store.one(
                "SELECT (SELECT max(number) FROM submission), (SELECT count(*) FROM admission), "
                "(SELECT count(*) FROM withdrawal)"
            )
            or ()
        )

    def player(self, name: str) -> LeaguePlayer | None:
        """The current player of that name, if any."""
        return next((one for one in self.players() if one.name == name), None)

    def ranked(self, until: str | None = None) -> list[LeaguePlayer]:
        """The players that the table lists, all but those of testers: the current ones, or those
        just before the moment `until` (UTC)."""
        players = self.players() if until is None else self._players_before(until)
        if not self.store.has_site:
            return players
        unranked = {name for (name,) in self.store.all("SELECT bot FROM unranked")}
        return [one for one in players if one.name not in unranked]

    def teams(self, players: Sequence[LeaguePlayer]) -> list[Hashable]:
        """The team of each player: its number, or the player's own name where no team has it."""
        return self.teams_of(player.name for player in players)

    def teams_of(self, names: Iterable[str]) -> list[Hashable]:
        """The same for the names of players."""
        query = "SELECT bot, team FROM owner"
        owners = dict(self.store.all(query)) if self.store.has_site else {}
        return [owners.get(name, name) for name in names]

    def past_bots(self, players: Sequence[LeaguePlayer]) -> dict[str, tuple[str, Hashable]]:
        """The bots that are not among the players: the name of each, and its team."""
        plays = {player.bot for player in players}
        every = map(rows.player_of, self.store.all(f"SELECT {_PLAYER_COLUMNS} FROM submission"))
        past = [player for player in every if player.bot not in plays]
        return {
            player.bot: (player.name, team)
            for player, team in zip(past, self.teams(past), strict=True)
        }

    def _players_before(self, until: str) -> list[LeaguePlayer]:
        query = (
            f"SELECT {_PLAYER_COLUMNS} FROM ("
            "SELECT name, bot, content, entry, max(number) AS number FROM submission WHERE at < ?1 "
            "AND (passed OR number IN (SELECT submission FROM admission WHERE at < ?1)) "
            "AND number NOT IN (SELECT submission FROM withdrawal WHERE at < ?1) "
            f"GROUP BY name) {_BY_FIRST_NAME}"
        )
        with self._reading("a bot"):
            return [rows.player_of(row) for row in self.store.all(query, (until,))]

    def copy_of(self, bot: str) -> tuple[str, str, Path]:
        """The name, content and path of the bot with that id."""
        query = "SELECT name, content, entry FROM submission WHERE bot = ? LIMIT 1"
        name, content, entry = self.store.all(query, (bot,))[0]
        return name, content, self.folder.bot(content, entry)

    def first_version(self, bot: str) -> tuple[str, int]:
        """The name of a bot, and the number of the first version that it is, from 1."""
        query = (
            "SELECT name, (SELECT count(*) FROM submission AS earlier WHERE earlier.name = "
            "submission.name AND earlier.number <= submission.number) FROM submission "
            "WHERE bot = ? ORDER BY number LIMIT 1"
        )
        name, version = self.store.all(query, (bot,))[0]
        return name, version

    def seat_name(self, bot: str) -> str:
        """The name of a bot in records."""
        name, version = self.first_version(bot)
        return f"{name} v{version}"

    def submit(self, player: LeaguePlayer, report: SubmissionReport) -> None:
        """Add an examined bot, and give it its number."""
        with self.store.changing() as change:
            self.add_submission(change, player, report)

    def add_submission(self, change: Change, player: LeaguePlayer, report: SubmissionReport) -> int:
        """Add an examined bot as part of a change. Returns its number."""
        return change.add(
            "submission",
            name=player.name,
            bot=player.bot,
            content=player.content,
            entry=player.entry,
            passed=report.ok,
            report=_text(report),
        )

    def new_id(self, name: str, content: str) -> str:
        """The id of a bot that is handed in now under this name."""
        query = "SELECT count(*) FROM submission WHERE name = ? AND content = ?"
        return bot_id(name, content, int(self._value(query, name, content)))

    def withdraw(self, player: LeaguePlayer, reason: str) -> None:
        """Withdraw the current version of a player; the version before it, if any, plays again."""
        with self.store.changing() as change:
            self.add_withdrawal(change, player.number, reason)

    def add_withdrawal(self, change: Change, submission: int, reason: str) -> None:
        """Withdraw a submission as part of a change. If it plays, the one before it, if any, plays
        again from then on, as `play_again` says."""
        query = (
            "SELECT number FROM player WHERE name = (SELECT name FROM submission WHERE number = ?)"
        )
        plays = self._value(query, submission) == submission
        change.add("withdrawal", submission=submission, reason=reason)
        while plays and (before := self._value(query, submission)) is not None:
            if self._value(_WITHDRAWN_SINCE, before) is None:
                self.play_again(change, before)
                return
            change.add("withdrawal", submission=before, reason=reason)

    def play_again(self, change: Change, submission: int) -> None:
        """Let an earlier submission play again as a new one, with the report of then, as part of a
        change. It begins without matches: else its team could keep its luckiest results."""
        columns = ("name", "content", "entry", "passed", "report")
        query = f"SELECT {', '.join(columns)} FROM submission WHERE number = ?"
        values = dict(zip(columns, self.store.all(query, (submission,))[0], strict=True))
        again = change.add(
            "submission", **values, bot=self.new_id(values["name"], values["content"])
        )
        admitted = self._value("SELECT reason FROM admission WHERE submission = ?", submission)
        if admitted is not None:
            change.add("admission", submission=again, reason=admitted)

    def admit(self, name: str, reason: str) -> None:
        """Let the newest bot of a name play although it failed its test match. Raises UsageError
        if it did not fail, or if it cannot be started."""
        found = self.store.all(
            "SELECT number, passed, report, number IN (SELECT submission FROM admission) "
            "FROM submission WHERE name = ? ORDER BY number DESC LIMIT 1",
            (name,),
        )
        if not found:
            names = [name for (name,) in self.store.all("SELECT DISTINCT name FROM submission")]
            raise UsageError(f"no bot {name!r} was handed in: {did_you_mean(name, names)}")
        number, passed, report, admitted = found[0]
        if passed or admitted:
            has = "passed its test" if passed else "is admitted already"
            raise UsageError(f"the newest version of {name!r} {has}: there is nothing to admit")
        _require_tested(name, msgspec.json.decode(report, type=SubmissionReport))
        with self.store.changing() as change:
            change.add("admission", submission=number, reason=reason)

    def _bots(self) -> list[BotAccount]:
        playing = {player.number for player in self.players()}
        found = self.store.all(
            "SELECT name, row_number() OVER (PARTITION BY name ORDER BY number), number, content, "
            "passed, admission.reason, withdrawal.reason FROM submission "
            "LEFT JOIN admission ON admission.submission = number "
            "LEFT JOIN withdrawal ON withdrawal.submission = number ORDER BY number"
        )
        return [
            BotAccount(
                name=rows.name_of(name), version=version, content=content,
                state=_state(number in playing, bool(passed) or admitted is not None, withdrawn),
                admitted=admitted, withdrawn=withdrawn,
            )
            for name, version, number, content, passed, admitted, withdrawn in found
        ]  # fmt: skip

    # -- fixtures --------------------------------------------------------------------------

    def fixture(self, number: int) -> PlannedMatch:
        """The fixture with that number. Raises UsageError."""
        found = self.store.one(f"SELECT {_FIXTURE} FROM fixture WHERE number = ?", (number,))
        if found is None:
            last = self._value("SELECT max(number) FROM fixture") or 0
            raise UsageError(f"there is no match {number}: the league has {last} so far")
        return self._fixture(found)

    def _fixture(self, row: Sequence[Any]) -> PlannedMatch:
        with self._reading(f"match {row[0]}"):
            return rows.fixture_of(row)

    def plan(self, fixtures: Sequence[PlannedMatch]) -> list[PlannedMatch]:
        """Add the fixtures that are new. Returns those of `fixtures` without a result, numbered."""
        ids = _text([one.id for one in fixtures])
        known = {id for (id,) in self.store.all(f"SELECT id FROM fixture WHERE {_ONE_OF}", (ids,))}
        missing = [one for one in fixtures if one.id not in known]
        if missing:
            self._add(missing)
        found = self.store.all(f"SELECT {_FIXTURE} FROM pending AS fixture WHERE {_ONE_OF}", (ids,))
        pending = {one.id: one for one in map(self._fixture, found)}
        return [pending[one.id] for one in fixtures if one.id in pending]

    def _add(self, fixtures: Iterable[PlannedMatch]) -> None:
        with self.store.changing() as change:
            secret, is_told = self._seed()
            if is_told:
                change.add("seed", seed=(secret := draw_seed()))
            for one in fixtures:
                change.add(
                    "fixture",
                    id=one.id,
                    event=one.event,
                    round=one.round,
                    block=one.block,
                    seed=one.seed or match_seed(secret, one.block),
                    seats=_text(one.seats),
                )

    def remember(self, schedule: str) -> None:
        """Remember the format of the league, as JSON."""
        with self.store.changing() as change:
            change.add("schedule", plan=schedule)

    def remembered(self) -> str | None:
        """The format that was remembered last."""
        plan: str | None = self._value("SELECT plan FROM schedule ORDER BY number DESC LIMIT 1")
        return plan

    def last_planned(self) -> tuple[Any, ...] | None:
        """The event and the round of the last match that is not of a final."""
        query = "SELECT event, round FROM fixture WHERE number NOT IN final_match "
        return self.store.one(f"{query} ORDER BY number DESC LIMIT 1")

    def annulled(self) -> list[PlannedMatch]:
        """The annulled matches to play again: those between bots that still play."""
        query = (
            f"SELECT {_FIXTURE} FROM pending AS fixture "
            "WHERE number IN (SELECT result.fixture FROM result) AND NOT EXISTS "
            "(SELECT 1 FROM json_each(seats) WHERE value IN retired) ORDER BY number"
        )
        return [self._fixture(row) for row in self.store.all(query)]

    def unplayed(self) -> list[PlannedMatch]:
        """The planned matches without a result between bots that still play."""
        query = (
            f"SELECT {_FIXTURE} FROM pending AS fixture WHERE NOT EXISTS "
            "(SELECT 1 FROM json_each(seats) WHERE value IN retired) ORDER BY number"
        )
        return [self._fixture(row) for row in self.store.all(query)]

    def groups(self, event: str) -> Counter[tuple[str, ...]]:
        """How often each group of bots has met in an event so far."""
        query = "SELECT min(seats) FROM fixture WHERE event = ? GROUP BY block"
        return Counter(
            tuple(sorted(rows.seats_of(text))) for (text,) in self.store.all(query, (event,))
        )

    def planned(self, event: str, bot: str, enough: int) -> int:
        """How many matches of an event a bot has, played or not; no more than `enough` are
        counted. Fast for a bot that has played so many; else all matches are looked through."""
        played = "SELECT count(*) FROM (SELECT 1 FROM seat WHERE bot = ? LIMIT ?)"
        if (count := int(self._value(played, bot, enough))) >= enough:
            return count
        query = "SELECT count(*) FROM fixture WHERE event = ? AND instr(seats, ?)"
        return min(enough, int(self._value(query, event, _text(bot))))

    def round_of(self, event: str, round: int) -> list[PlannedMatch]:
        """The fixtures of a round of an event."""
        query = f"SELECT {_FIXTURE} FROM fixture WHERE event = ? AND round = ? ORDER BY number"
        return [self._fixture(row) for row in self.store.all(query, (event, round))]

    def blocks(self, event: str) -> Iterator[tuple[tuple[str, ...], list[float]]]:
        """The bots of each block of an event, and the mean share of rivals that each has beaten; a
        bye counts as a win."""
        found = self.store.all(
            "SELECT block, seats, ranks FROM fixture LEFT JOIN valid "
            "ON valid.fixture = fixture.number WHERE event = ? ORDER BY block",
            (event,),
        )
        for _, games in groupby(found, key=itemgetter(0)):
            yield _block_scores([(rows.seats_of(seats), ranks) for _, seats, ranks in games])

    # -- results ---------------------------------------------------------------------------

    def void(self, fixture: int, reason: str) -> None:
        """Store an attempt that the machine made void."""
        with self.store.changing() as change:
            change.add("void", fixture=fixture, attempt=self._attempt(fixture), reason=reason)

    def annul(self, numbers: Iterable[int], reason: str) -> int:
        """Annul the results of matches, which can then be played again: all, or none. Returns how
        many. Raises UsageError."""
        count = 0
        with self.store.changing() as change:
            for number in numbers:
                self.add_annulment(change, number, reason)
                count += 1
        return count

    def add_annulment(self, change: Change, number: int, reason: str) -> None:
        """Annul one result as part of a change."""
        self.fixture(number)
        result = self._value("SELECT number FROM valid WHERE fixture = ?", number)
        if result is None:
            raise UsageError(f"match {number} has no result that counts: there is nothing to annul")
        change.add("annulment", result=result, reason=reason)

    def _attempt(self, fixture: int) -> int:
        """The number of the next attempt at a match, from 1."""
        query = "SELECT (SELECT count(*) FROM void WHERE fixture = ?1) + count(*) FROM result "
        return 1 + int(self._value(f"{query} WHERE fixture = ?1", fixture))

    def record(self, fixture: int) -> Path:
        """The path of the record that counts, or will count. Annulled records stay beside it."""
        query = "SELECT count(*) FROM annulment JOIN result ON result.number = result "
        return self.folder.record(fixture, int(self._value(f"{query} WHERE fixture = ?", fixture)))

    def add_result(self, fixture: PlannedMatch, result: MatchResult, sha256: str) -> None:
        """Add the result of a match; `sha256` is the hash of its record file.

        Raises ArenaFault when the match has a result already.
        """
        self.add_results([(fixture, result, sha256)])

    def add_results(self, results: Sequence[tuple[PlannedMatch, MatchResult, str]]) -> None:
        """Add the results of several matches as one change, as `add_result` does."""
        with self.store.changing() as change:
            for fixture, result, sha256 in results:
                self._add_result(change, fixture, result, sha256)

    def _add_result(
        self, change: Change, fixture: PlannedMatch, result: MatchResult, sha256: str
    ) -> None:
        number = change.add(
            "result",
            fixture=fixture.number,
            attempt=self._attempt(fixture.number),
            reason=result.reason,
            sentence=result.sentence,
            rounds=result.rounds,
            ranks=_text([seat.rank for seat in result.seats]),
            sha256=sha256,
            seal=result.seal,
            digest=result.digest,
        )
        for seat, (bot, one) in enumerate(zip(fixture.seats, result.seats, strict=True)):
            change.add_seat(
                result=number,
                seat=seat,
                bot=bot,
                points=one.points,
                fate=one.fate,
                stopped=one.stopped,
                detail=one.detail,
                faults=_text(one.faults),
            )

    def chain(self) -> str:
        """The hash over all rows, in the order in which they were added."""
        return str(self._value("SELECT hash FROM chain ORDER BY number DESC LIMIT 1"))

    def since(self, chain: str) -> int | None:
        """The number of rows added since `chain` was the hash over all; None if it never was."""
        query = "SELECT (SELECT max(number) FROM chain) - number FROM chain WHERE hash = ?"
        since: int | None = self._value(query, chain)
        return since

    def results(self, *, annulled: bool = False, after: int = 0) -> Iterator[Played]:
        """Yield all results that count, in the order in which they came in; with `annulled` also
        the annulled ones; with `after` those that came in after the result of that number."""
        which = "" if annulled else "AND annulment.reason IS NULL "
        for row in self.store.rows(
            f"SELECT annulment.reason, {_FIXTURE}, {_RESULT} FROM result "
            "JOIN fixture ON fixture.number = result.fixture "
            "LEFT JOIN annulment ON annulment.result = result.number "
            f"WHERE result.number > ? {which}ORDER BY result.number",
            (after,),
        ):
            yield self._played(row[0], row[1 : _PLANNED + 1], row[_PLANNED + 1 :])

    def _played(self, annulled: str | None, fixture: Sequence[Any], row: Sequence[Any]) -> Played:
        seats = self.store.all(_SEATS, (row[0],))
        with self._reading(f"match {fixture[0]}"):
            return rows.played_of(fixture, row, seats, annulled)

    def result(self, number: int) -> MatchResult | None:
        """The result of the match with that number; None if it has no result that counts."""
        row = self.store.one(
            f"SELECT {_FIXTURE}, {_RESULT} FROM valid AS result "
            "JOIN fixture ON fixture.number = fixture WHERE fixture = ?",
            (number,),
        )
        if row is None:
            return None
        return self._played(None, row[:_PLANNED], row[_PLANNED:]).result

    def match_account(self, number: int, command: Callable[[PlannedMatch], str]) -> MatchAccount:
        """The account of one match, with the `command` that plays it again. Raises UsageError for
        an unknown number."""
        fixture, result = self.fixture(number), self.result(number)
        seats = [SeatAccount(*self.copy_of(bot)[:2]) for bot in fixture.seats]
        record = self.record(number)
        return MatchAccount(
            match=number,
            event=fixture.event,
            round=fixture.round + 1,
            seed=None if result is None else fixture.seed,
            seats=seats,
            voids=self._voids(number),
            result=result,
            totals=_totals(record, len(seats)),
            record=None if result is None else str(record),
            command=None if result is None else command(fixture),
        )

    def _voids(self, number: int) -> list[VoidAccount]:
        """The void and annulled attempts at a match."""
        found = self.store.all(
            "SELECT attempt, reason, 0 FROM void WHERE fixture = ?1 UNION ALL "
            "SELECT attempt, annulment.reason, 1 FROM annulment "
            "JOIN result ON result.number = result WHERE fixture = ?1 ORDER BY attempt",
            (number,),
        )
        annulled = count()  # their records are numbered from 0
        return [
            VoidAccount(at, why, str(self.folder.record(number, next(annulled))) if has else None)
            for at, why, has in found
        ]


def was_tested(report: SubmissionReport) -> bool:
    """Whether a bot reached its test match, for which the sandbox worked."""
    return report.sandbox != ""


def _require_tested(name: str, report: SubmissionReport) -> None:
    """Raise UsageError unless the bot reached its test match; otherwise it cannot be started."""
    if not was_tested(report):
        failed = next((step.detail for step in report.steps if not step.ok), "it was not taken in")
        raise UsageError(
            f"{name!r} did not get as far as a test match, so there is no program "
            f"to admit: {failed}"
        )


def _state(plays: bool, may: bool, withdrawn: str | None) -> str:
    if plays:
        return "plays"
    if not may:
        return "refused"
    return "replaced" if withdrawn is None else "withdrawn"


def _totals(record: Path, seats: int) -> list[PlayerTotals | None]:
    """What each seat used, if the record can be read."""
    if not record.is_file():
        return [None] * seats
    try:
        match = Match.ending(record)
    except ReplayError:
        return [None] * seats
    return [match.totals(seat) for seat in range(seats)]


def _block_scores(
    games: Sequence[tuple[tuple[str, ...], str | None]],
) -> tuple[tuple[str, ...], list[float]]:
    bots = tuple(sorted(games[0][0]))
    if len(bots) == 1:
        return bots, [1.0]
    beaten: defaultdict[str, list[float]] = defaultdict(lambda: [0.0])
    for seats, ranks in games:
        if ranks is not None:
            for bot, share in zip(seats, shares(rows.ranks_of(ranks, len(seats))), strict=True):
                beaten[bot].append(share)
    return bots, [sum(beaten[bot]) / max(len(beaten[bot]) - 1, 1) for bot in bots]


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
