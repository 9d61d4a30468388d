"""Scrimmages: unranked matches that a team asks for, of an own version against chosen bots.

A scrimmage is a request (a row) and, once it was played, its answer. It is no match of the league:
neither fixture nor result, so no table can count it. Its record is for the teams of its bots alone.

Whoever judges the league plays them, between ranked matches (`arena.league.judge.RANKED`): the
site, ``arena league run`` or the workers of a cluster. One that was begun by a judge that was
killed has no answer and is played again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.errors import ArenaError, BotError, DiskFull, UsageError, did_you_mean
from arena.league.bots import LeagueBots
from arena.league.league import League, sync
from arena.league.types import MatchResult, from_report, spec_of
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.record.source import open_plain
from arena.site import records
from arena.site.accounts import Participant, required
from arena.site.deeds import are_hidden, shown_team
from arena.site.records import RecordSight
from arena.text import counted

WAITING = 3
"""Scrimmages of one team that may wait or be played at a time."""
HOURLY = 12
"""Scrimmages that one team may ask for in an hour."""
QUEUE = 200
"""Scrimmages of all teams that may wait at a time."""
LATEST = 100
"""Scrimmages in a team's list."""
A_BOOK = 10_000
"""More rounds than a book has positions: the seed chooses the one at which a scrimmage begins."""
FAILED = "the arena failed at this match: tell the organiser"


class _Asked(Struct, frozen=True):
    """The content of a request."""

    bots: tuple[str, ...]
    """The bot of each seat, as fixtures call it."""
    names: tuple[str, ...]
    versions: tuple[int, ...]
    seed: str


class _Ended(Struct, frozen=True):
    """The content of an answer."""

    problem: str
    """Why there is no result; else empty."""
    result: MatchResult | None = None
    sha256: str = ""
    """Over the file of the record."""


class ScrimmageSeat(Struct, frozen=True):
    """Who sits at a seat."""

    name: str
    version: int


class Scrimmage(Struct, frozen=True):
    """A scrimmage, and what became of it."""

    number: int
    at: str
    team: int | None
    """Who asked for it; null for others while names are hidden."""
    team_name: str
    """Or its pseudonym."""
    seats: list[ScrimmageSeat]
    seed: str
    """Empty until it is over."""
    is_over: bool
    problem: str
    """Why it has no result; empty if it has one, or waits."""
    result: MatchResult | None
    sha256: str
    ahead: int
    """Scrimmages that are played before it."""

    @property
    def state(self) -> str:
        """``waits``, ``played`` or ``failed``."""
        if not self.is_over:
            return "waits"
        return "failed" if self.problem else "played"


class PlayableVersion(Struct, frozen=True):
    """A version that may play a scrimmage."""

    submission: int
    name: str
    version: int
    bot: str


# -- asking ----------------------------------------------------------------------------------------


def own_versions(league: League, team: int) -> list[PlayableVersion]:
    """The versions of a team's bots that can be started, the newest first."""
    found = league.store.all(
        "SELECT * FROM (SELECT number, name, row_number() OVER "
        "(PARTITION BY name ORDER BY number) AS version, bot FROM submission "
        "WHERE name IN (SELECT bot FROM owner WHERE team = ?)) AS one "
        "WHERE number IN (SELECT number FROM submission WHERE passed "
        "UNION SELECT submission FROM admission) ORDER BY number DESC",
        (team,),
    )
    return [PlayableVersion(*row) for row in found]


def ask(league: League, who: Participant, own: int, rivals: Sequence[str], seat: int = 1) -> int:
    """Ask for a match of the own version with the submission number `own`, at `seat` (from 1),
    against the bots that play under these names, at the other seats in order. Returns the number
    of the scrimmage.

    Raises UsageError for wrong seats and versions, and when the quota is used up.
    """
    seats = league.terms.seats
    if len(rivals) != seats - 1:
        raise UsageError(f"choose {counted(seats - 1, 'rival')}: a match has {seats} seats")
    if not 1 <= seat <= seats:
        raise UsageError(f"choose a seat from 1 to {seats}")
    with league.store.changing() as change:
        _require_quota(league, who)
        mine = next((one for one in own_versions(league, who.team) if one.submission == own), None)
        if mine is None:
            raise UsageError("choose a version of your own team that has passed its test")
        every = [_playing(league, name) for name in rivals]
        every.insert(seat - 1, mine)
        asked = _Asked(
            tuple(one.bot for one in every),
            tuple(one.name for one in every),
            tuple(one.version for one in every),
            os.urandom(8).hex(),
        )
        return change.add(
            "request",
            kind="scrimmage",
            account=who.number,
            team=who.team,
            content=msgspec.json.encode(asked).decode(),
        )


def _playing(league: League, name: str) -> PlayableVersion:
    found = league.player(name)
    if found is None:
        names = [one.name for one in league.players()]
        raise UsageError(f"no bot plays as {name!r}: {did_you_mean(name, names)}")
    query = "SELECT count(*) FROM submission WHERE name = ? AND number <= ?"
    (version,) = league.store.one(query, (name, found.number)) or (1,)
    return PlayableVersion(found.number, name, version, found.bot)


def _require_quota(league: League, who: Participant) -> None:
    """Looked at inside the change that adds the request, so that of two that come at once the
    second sees the first."""
    now = required(league, who.number)
    if now.team != who.team or not now.may("take part"):
        raise UsageError("your team or your role has changed meanwhile: load the page again")
    ours, every, hourly = league.store.one(
        "SELECT count(*) FILTER (WHERE team = ?1), count(*), "
        "(SELECT count(*) FROM request WHERE kind = 'scrimmage' AND team = ?1 "
        "AND at > datetime('now', '-1 hour')) "
        f"FROM ({_OPEN})",
        (who.team,),
    ) or (0, 0, 0)
    if ours >= WAITING:
        raise UsageError(
            f"{counted(ours, 'scrimmage')} of your team wait or are played: wait for their results"
        )
    if hourly >= HOURLY:
        raise UsageError(f"your team has asked for {hourly} scrimmages in an hour: go on later")
    if every >= QUEUE:
        raise UsageError(f"{every} scrimmages wait: try again in some minutes")


_OPEN = (
    "SELECT * FROM request WHERE kind = 'scrimmage' AND number NOT IN (SELECT request FROM answer)"
)


# -- looking ---------------------------------------------------------------------------------------

_SCRIMMAGE = (
    "SELECT request.number, request.at, request.team, request.content, "
    f"answer.content, (SELECT count(*) FROM ({_OPEN}) AS o WHERE o.number < request.number) "
    "FROM request LEFT JOIN answer ON answer.request = request.number WHERE kind = 'scrimmage' "
)
_OF_TEAM = (
    "AND (request.team = ?1 OR EXISTS (SELECT 1 FROM json_each(request.content, '$.names') "
    "JOIN owner ON owner.bot = value WHERE owner.team = ?1)) "
)


def scrimmages_of(league: League, viewer: Participant) -> list[Scrimmage]:
    """The scrimmages that a team has asked for, and those against its bots, the newest first."""
    query = f"{_SCRIMMAGE}{_OF_TEAM}ORDER BY request.number DESC LIMIT ?2"
    return [
        _scrimmage(league, row, viewer) for row in league.store.all(query, (viewer.team, LATEST))
    ]


def scrimmage(league: League, number: int, viewer: Participant) -> Scrimmage | None:
    """One scrimmage; None for who is on neither side and no organiser."""
    one = "AND request.number = ?2 "
    query = f"{_SCRIMMAGE}{one}" if viewer.may("organise") else f"{_SCRIMMAGE}{_OF_TEAM}{one}"
    found = league.store.one(query, (viewer.team, number))
    return None if found is None else _scrimmage(league, found, viewer)


def waiting(league: League) -> int:
    """Scrimmages that wait or are played now."""
    (found,) = league.store.one(f"SELECT count(*) FROM ({_OPEN})") or (0,)
    return int(found)


def sight_of(league: League, found: Scrimmage, viewer: Participant) -> RecordSight | None:
    """The record of a scrimmage for one who may see it; None when it has none."""
    if found.result is None:
        return None
    own = records.own_seats(league, [seat.name for seat in found.seats], viewer)
    names = tuple([f"{seat.name} v{seat.version}" for seat in found.seats])
    return RecordSight(record_of(league, found.number), found.sha256, names, own)


def record_of(league: League, number: int) -> Path:
    """Where the record of a scrimmage is kept."""
    return league.folder.path / "scrimmages" / str(number // 1000) / f"{number}.jsonl.gz"


def _scrimmage(league: League, row: Sequence[object], viewer: Participant) -> Scrimmage:
    number, at, team, content, answer, ahead = row
    asked = msgspec.json.decode(str(content), type=_Asked)
    ended = None if answer is None else msgspec.json.decode(str(answer), type=_Ended)
    seats = [ScrimmageSeat(*one) for one in zip(asked.names, asked.versions, strict=True)]
    assert isinstance(number, int)
    assert isinstance(team, int)
    assert isinstance(ahead, int)
    return Scrimmage(
        number,
        str(at),
        team if viewer.may_see(team) or not are_hidden(league) else None,
        shown_team(league, team, viewer),
        seats,
        asked.seed if ended else "",
        ended is not None,
        ended.problem if ended else "",
        ended.result if ended else None,
        ended.sha256 if ended else "",
        ahead,
    )


# -- the judge's side ------------------------------------------------------------------------------


class Scrimmages:
    """The scrimmages of a league as its judge plays them, wherever: `arena.league.judge.Unranked`.

    Whatever happens in one, the ranked matches go on: a failure becomes its answer.
    """

    def __init__(self, league: League, tell: Callable[[str], None]) -> None:
        self._league, self._tell = league, tell
        self._begun: set[int] = set()
        """Those that were given out and have no answer yet."""

    def next(self, bots: LeagueBots) -> tuple[int, MatchSpec] | None:
        """The one that has waited longest."""
        given = msgspec.json.encode(sorted(self._begun)).decode()
        query = (
            f"SELECT number, content FROM ({_OPEN}) WHERE number NOT IN "
            "(SELECT value FROM json_each(?)) ORDER BY number LIMIT 1"
        )
        while (found := self._league.store.one(query, (given,))) is not None:
            number, content = found
            try:
                spec = self._spec(number, msgspec.json.decode(content, type=_Asked), bots)
            except BotError as error:
                self._fail(number, error)
            else:
                self._begun.add(number)
                return number, spec
        return None

    def _spec(self, number: int, asked: _Asked, bots: LeagueBots) -> MatchSpec:
        league = self._league
        spec = replace(spec_of(league.terms), seed=asked.seed)
        if league.book is not None:
            spec = league.book.begin(spec, int(asked.seed, 16) % A_BOOK)
        entrants = tuple(bots.entrant(bot) for bot in asked.bots)
        return replace(spec, entrants=entrants, replay=self._draft(number))

    def end(self, number: int, played: MatchReport | BotError) -> None:
        """Keep the record and the answer."""
        draft = self._draft(number)
        try:
            if isinstance(played, BotError):
                raise played
            result = from_report(played)
            ended = _Ended("", result, _keep(draft, record_of(self._league, number)))
        except DiskFull:
            raise
        except (ArenaError, OSError) as error:
            self._fail(number, error)
        else:
            self._answer(number, ended)
        finally:
            draft.unlink(missing_ok=True)

    def give_up(self) -> None:
        """Answer those that were begun."""
        for number in sorted(self._begun):
            self._fail(number, "the judge failed while it was played")

    def _fail(self, number: int, error: object) -> None:
        self._tell(f"scrimmage {number}: {error}")
        self._answer(number, _Ended(FAILED))

    def _answer(self, number: int, ended: _Ended) -> None:
        self._begun.discard(number)
        with self._league.store.changing() as change:
            change.add("answer", request=number, content=msgspec.json.encode(ended).decode())

    def _draft(self, number: int) -> Path:
        return self._league.folder.path / "drafts" / f"scrimmage-{number}.jsonl.gz"


def _keep(draft: Path, record: Path) -> str:
    """Move a finished record to its place. Returns the hash of the file."""
    record.parent.mkdir(parents=True, exist_ok=True)
    sync(draft)
    with open_plain(draft) as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    draft.rename(record)
    sync(record.parent)
    return sha256
