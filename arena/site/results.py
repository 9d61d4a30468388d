"""What everybody may know of bots, pairs and matches: plain reads of a league.

A bot is known by the number of the first submission of its name, which never changes. Refused
versions are nobody's business but their team's, so a name without an accepted version has no page.

Once the public table is frozen, what was played after that is for organisers alone: `Sight` has the
moment until which a visitor sees results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from arena.errors import UsageError
from arena.league.league import League
from arena.league.plan import PLACEMENT, newcomers
from arena.league.rows import faults_of, ranks_of, seats_of
from arena.site.accounts import Participant
from arena.site.moments import visible_until

PAGE = 50
"""Matches on a page of a list."""
OUTCOMES = ("won", "drawn", "lost")
"""Sole first, first with others, and behind: as the standings count them."""
ANY_FAULT = "any"
NEVER = "9999"
"""After every moment that the file can have."""


class Sight(Struct, frozen=True):
    """How much of the results a visitor sees."""

    until: str = NEVER
    """UTC. Only what was over before is shown."""


def sight(league: League, viewer: Participant | None) -> Sight:
    """The sight of a visitor: all that was played before the table was frozen."""
    until = visible_until(league, viewer)
    return Sight() if until is None else Sight(until)


# -- bots ------------------------------------------------------------------------------------------


class BotName(Struct, frozen=True):
    """A bot as links name it."""

    number: int
    name: str


class BotVersion(Struct, frozen=True):
    """A version of a bot that was accepted."""

    number: int
    """From 1, among all versions of the name."""
    bot: str
    """Its id in fixtures."""
    at: str
    state: str
    """``plays``, ``replaced`` or ``withdrawn``."""
    games: int


class SeatCount(Struct, frozen=True):
    """What a bot achieved from one seat."""

    seat: int
    won: int
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        """How often it sat there."""
        return self.won + self.drawn + self.lost


class MapCount(Struct, frozen=True):
    """On how many maps, of those played from every seat, a bot of two won that many of the games:
    both, one each way, none."""

    both: int
    one: int
    none: int


ACCEPTED = "(passed OR number IN (SELECT submission FROM admission))"


def bot_names(league: League) -> dict[str, int]:
    """The numbers of all bots that have a page, by name."""
    query = (
        "SELECT name, min(number) FROM submission GROUP BY name "
        f"HAVING max({ACCEPTED})"  # a name with an accepted version
    )
    return dict(league.store.all(query))


def find_bot(league: League, number: int) -> BotName | None:
    """The bot of that number, if it has a page."""
    found = league.store.one("SELECT name FROM submission WHERE number = ?", (number,))
    if found is None or bot_names(league).get(found[0]) != number:
        return None
    return BotName(number, found[0])


def versions(league: League, name: str, sight: Sight) -> list[BotVersion]:
    """The accepted versions of a bot, the newest first."""
    player = league.player(name)
    playing = None if player is None else player.number
    rows = league.store.all(
        "SELECT version, bot, at, number, withdrawn, (SELECT count(*) FROM valid "
        "JOIN seat ON seat.result = valid.number WHERE seat.bot = one.bot AND valid.at < ?2) FROM "
        "(SELECT number, bot, at, passed, row_number() OVER (ORDER BY number) AS version, "
        "number IN (SELECT submission FROM withdrawal) AS withdrawn "
        f"FROM submission WHERE name = ?1) AS one WHERE {ACCEPTED} ORDER BY number DESC",
        (name, sight.until),
    )
    return [
        BotVersion(version, bot, at, _state(number, withdrawn, playing), games)
        for version, bot, at, number, withdrawn, games in rows
    ]


def _state(number: int, withdrawn: bool, playing: int | None) -> str:
    if number == playing:
        return "plays"
    return "withdrawn" if withdrawn else "replaced"


def by_seat(league: League, bot: str, sight: Sight) -> list[SeatCount]:
    """What one version achieved from each seat against the versions that play now."""
    rows = league.store.all(
        "SELECT seat, outcome, count(*) FROM "
        f"(SELECT seat.seat AS seat, {_OUTCOME} AS outcome FROM counted AS seat "
        "JOIN valid ON valid.number = seat.result WHERE seat.bot = ? AND valid.at < ?) "
        "GROUP BY seat, outcome",
        (bot, sight.until),
    )
    counts = {(seat, outcome): count for seat, outcome, count in rows}
    return [
        SeatCount(seat, *(counts.get((seat, outcome), 0) for outcome in OUTCOMES))
        for seat in range(league.terms.seats)
    ]


def by_map(league: League, bot: str, sight: Sight) -> MapCount | None:
    """How often one version won a map from both seats; None for games of more than two."""
    if league.terms.seats != 2:
        return None
    rows = league.store.all(
        "SELECT wins, count(*) FROM (SELECT count(*) AS games, "
        f"sum({_OUTCOME} = 'won') AS wins FROM counted AS seat "
        "JOIN valid ON valid.number = seat.result JOIN fixture ON fixture.number = valid.fixture "
        "WHERE seat.bot = ? AND valid.at < ? GROUP BY block) WHERE games = 2 GROUP BY wins",
        (bot, sight.until),
    )
    counts = dict(rows)
    return MapCount(counts.get(2, 0), counts.get(1, 0), counts.get(0, 0))


def placing(league: League) -> list[tuple[BotName, int]]:
    """The bots that are placed now, with their matches planned so far of `PLACEMENT`."""
    numbers = bot_names(league)
    return [
        (BotName(numbers[player.name], player.name), min(planned, PLACEMENT))
        for player, planned in newcomers(league, league.players())
        if player.name in numbers
    ]


# -- lists of matches ------------------------------------------------------------------------------

_RANKS = "valid.ranks"
_OWN = f"json_extract({_RANKS}, '$[' || seat.seat || ']')"
_OUTCOME = (
    f"CASE WHEN {_OWN} > 1 THEN 'lost' WHEN (SELECT count(*) FROM json_each({_RANKS}) "
    "WHERE value = 1) > 1 THEN 'drawn' ELSE 'won' END"
)


class MatchFilter(Struct, frozen=True):
    """Which matches of a bot are listed."""

    outcome: str = ""
    fault: str = ""
    """A code of a fault, a reason to be stopped, or `ANY_FAULT`."""
    rival: int = 0
    """The number of a rival; 0: all."""
    version: int = 0
    """0: all."""

    def check(self, faults: Iterable[str]) -> None:
        """Raise UsageError for what cannot be filtered by. `faults` are those that exist."""
        if self.outcome not in ("", *OUTCOMES):
            raise UsageError(f"an outcome is one of {', '.join(OUTCOMES)}")
        if self.fault not in ("", ANY_FAULT, *faults):
            raise UsageError("no match has that fault")


class SeatLine(Struct, frozen=True):
    """Who sat at a seat of a listed match, and its rank there."""

    name: str
    number: int
    version: int
    rank: int


class BotMatch(Struct, frozen=True):
    """A match in the list of a bot."""

    match: int
    cursor: int
    at: str
    seat: int
    outcome: str
    sentence: str
    rounds: int
    stopped: str | None
    faults: dict[str, int]
    """Those of the bot whose list it is."""
    seats: list[SeatLine]


class MatchPage(Struct, frozen=True):
    """A part of a list, the newest first."""

    matches: list[BotMatch]
    before: int | None
    """The cursor of the next part; None at the end."""


def faults_seen(league: League, name: str) -> list[str]:
    """The codes of faults and reasons to be stopped of all versions of a bot."""
    rows = league.store.all(
        "SELECT DISTINCT stopped, faults FROM seat WHERE bot IN "
        "(SELECT bot FROM submission WHERE name = ?)",
        (name,),
    )
    codes = {stopped for stopped, _ in rows if stopped}
    return sorted(codes.union(*(faults_of(faults) for _, faults in rows)))


def matches_of(
    league: League, name: str, wanted: MatchFilter, sight: Sight, before: int | None = None
) -> MatchPage:
    """The matches of all versions of a bot that the filter lets through, from the cursor on."""
    seats = _Seats(league)
    ours = seats.bots(name, wanted.version)
    tests = ["seat.bot IN (SELECT value FROM json_each(?))", "valid.at < ?"]
    values: list[Any] = [_json(ours), sight.until]
    if before is not None:
        tests.append("valid.number < ?")
        values.append(before)
    if wanted.outcome:
        tests.append(f"{_OUTCOME} = ?")
        values.append(wanted.outcome)
    if wanted.fault == ANY_FAULT:
        tests.append("(seat.stopped IS NOT NULL OR seat.faults != '{}')")
    elif wanted.fault:
        tests.append(
            "(seat.stopped = ? OR EXISTS (SELECT 1 FROM json_each(seat.faults) WHERE key = ?))"
        )
        values += [wanted.fault, wanted.fault]
    if wanted.rival:
        tests.append(
            "EXISTS (SELECT 1 FROM seat AS other WHERE other.result = seat.result "
            "AND other.bot IN (SELECT value FROM json_each(?)))"
        )
        values.append(_json(seats.bots(seats.name(wanted.rival), 0)))
    rows = league.store.all(
        "SELECT fixture.number, valid.number, valid.at, seat.seat, "
        f"{_OUTCOME}, valid.sentence, valid.rounds, seat.stopped, seat.faults, fixture.seats, "
        "valid.ranks FROM seat JOIN valid ON valid.number = seat.result "
        f"JOIN fixture ON fixture.number = valid.fixture WHERE {' AND '.join(tests)} "
        "ORDER BY valid.number DESC LIMIT ?",
        (*values, PAGE + 1),
    )
    found = [
        BotMatch(
            match=match,
            cursor=cursor,
            at=at,
            seat=seat,
            outcome=outcome,
            sentence=sentence,
            rounds=rounds,
            stopped=stopped,
            faults=faults_of(faults),
            seats=seats.lines(bots, ranks),
        )
        for match, cursor, at, seat, outcome, sentence, rounds, stopped, faults, bots, ranks in rows
    ]
    more = len(found) > PAGE
    return MatchPage(found[:PAGE], found[PAGE - 1].cursor if more else None)


class _Seats:
    """The bots of fixtures as people know them."""

    def __init__(self, league: League) -> None:
        self._numbers = bot_names(league)
        self._names = {number: name for name, number in self._numbers.items()}
        rows = league.store.all(
            "SELECT bot, name, min(version), max(version) FROM (SELECT bot, name, row_number() "
            "OVER (PARTITION BY name ORDER BY number) AS version FROM submission) GROUP BY bot"
        )
        self._bots = {bot: (name, first, last) for bot, name, first, last in rows}

    def name(self, number: int) -> str:
        """The name of a bot. Raises UsageError."""
        if number not in self._names:
            raise UsageError("there is no such rival")
        return self._names[number]

    def bots(self, name: str, version: int) -> list[str]:
        """The ids of a version of a name; of all with 0."""
        return [
            bot
            for bot, (one, first, last) in self._bots.items()
            if one == name and (not version or first <= version <= last)
        ]

    def lines(self, bots: str, ranks: str | None) -> list[SeatLine]:
        """Who sat at a match."""
        seats = seats_of(bots)
        places = ranks_of(ranks, len(seats)) if ranks is not None else (0,) * len(seats)
        return [self._line(bot, rank) for bot, rank in zip(seats, places, strict=True)]

    def _line(self, bot: str, rank: int) -> SeatLine:
        name, first, _ = self._bots[bot]
        return SeatLine(name, self._numbers.get(name, 0), first, rank)


# -- one match -------------------------------------------------------------------------------------


class SeatOutcome(Struct, frozen=True):
    """The outcome of one seat."""

    seat: SeatLine
    points: float
    fate: str
    stopped: str | None
    detail: str
    faults: dict[str, int]


class Attempt(Struct, frozen=True):
    """An attempt that does not count."""

    number: int
    reason: str
    annulled: bool
    """Whether an organiser annulled it; else the machine made it void."""


class MatchDetail(Struct, frozen=True):
    """A match of the league as everybody may see it."""

    number: int
    seed: str
    """Empty while no result is to be seen."""
    planned: str
    """When it was planned, UTC."""
    seats: list[SeatLine]
    attempts: list[Attempt]
    at: str | None
    """When its result came in; None when there is none that counts, or none to be seen yet."""
    sentence: str
    rounds: int
    outcomes: list[SeatOutcome]
    digest: str
    seal: str
    hidden: bool
    """Whether there may be a result that this visitor does not see yet."""
    others: list[int]
    """The other matches on the same map, from the other seats."""


def find_match(league: League, number: int, viewer: Participant | None) -> MatchDetail | None:
    """The match of that number as a visitor sees it, if it was planned."""
    until = sight(league, viewer).until
    planned = league.store.one(
        "SELECT seed, at, seats, block FROM fixture WHERE number = ? "
        "AND json_array_length(seats) > 1",
        (number,),
    )
    if planned is None:
        return None
    seed, at, bots, block = planned
    result = league.store.one(
        "SELECT number, at, sentence, rounds, ranks, digest, seal FROM valid WHERE fixture = ?",
        (number,),
    )
    # In a freeze, a match without a visible result may have been played or not.
    hidden = until != NEVER and (result is None or result[1] >= until)
    if hidden or result is None:
        result = (0, None, "", 0, None, "", "")
    # The matches of a block are planned at once, so their numbers are close together.
    others = (
        "SELECT number FROM fixture WHERE number BETWEEN ?2 - ?3 AND ?2 + ?3 AND block = ?1 "
        "AND number != ?2 ORDER BY number"
    )
    lines = _Seats(league).lines(bots, result[4])
    return MatchDetail(
        number=number,
        seed="" if result[1] is None else seed,
        planned=at,
        seats=lines,
        attempts=_attempts(league, number, until),
        at=result[1],
        sentence=result[2],
        rounds=result[3],
        outcomes=_outcomes(league, result[0], lines),
        digest=result[5],
        seal=result[6],
        hidden=hidden,
        others=[other for (other,) in league.store.all(others, (block, number, len(lines)))],
    )


def _outcomes(league: League, result: int, lines: Sequence[SeatLine]) -> list[SeatOutcome]:
    rows = league.store.all(
        "SELECT points, fate, stopped, detail, faults FROM seat WHERE result = ? ORDER BY seat",
        (result,),
    )
    return [
        SeatOutcome(line, points, fate, stopped, detail, faults_of(faults))
        for line, (points, fate, stopped, detail, faults) in zip(lines, rows, strict=False)
    ]


def _attempts(league: League, number: int, until: str) -> list[Attempt]:
    rows = league.store.all(
        "SELECT attempt, reason, 0 FROM void WHERE fixture = ?1 AND at < ?2 UNION ALL "
        "SELECT attempt, annulment.reason, 1 FROM annulment JOIN result ON result.number = result "
        "WHERE fixture = ?1 AND result.at < ?2 ORDER BY attempt",
        (number, until),
    )
    return [Attempt(at, reason, bool(annulled)) for at, reason, annulled in rows]


# -- now -------------------------------------------------------------------------------------------

PACE = 10
"""Minutes over which the pace of the judge is measured."""


class RunningMatch(Struct, frozen=True):
    """A match that is played now, or planned."""

    match: int
    seats: list[SeatLine]
    playing: bool


class Now(Struct, frozen=True):
    """What is played, and what waits."""

    running: list[RunningMatch]
    """First those that are played now, then the next."""
    pending: int
    """Matches that are planned and not over."""
    latest: list[tuple[int, str, str, list[SeatLine]]]
    """The last results: number, moment, sentence, seats."""
    pace: float
    """Matches a minute, over the last `PACE` minutes."""
    placing: list[tuple[BotName, int]]
    """Bots without a first rank, and their matches so far."""
    uploads: int
    """Uploads that wait or are examined."""
    upload_minutes: float | None
    """Estimated minutes until the last of them is examined; None when that is not known."""

    @property
    def placing_minutes(self) -> float | None:
        """Estimated minutes until all have their first rank; None when nothing is played."""
        left = sum(PLACEMENT - done for _, done in self.placing)
        return left / self.pace if self.pace else None


def now(league: League, sight: Sight) -> Now:
    """What is played now: planned matches whose record is being written."""
    seats = _Seats(league)
    pending = league.store.all(  # in a freeze, who meets whom would tell who has won
        "SELECT number, seats FROM pending WHERE at < ? ORDER BY number DESC LIMIT 200",
        (sight.until,),
    )
    running = [
        RunningMatch(number, seats.lines(bots, None), league.folder.draft(number).exists())
        for number, bots in reversed(pending)
    ]
    latest = league.store.all(
        "SELECT fixture.number, valid.at, valid.sentence, fixture.seats, valid.ranks FROM valid "
        "JOIN fixture ON fixture.number = valid.fixture WHERE valid.at < ? "
        "ORDER BY valid.number DESC LIMIT 10",
        (sight.until,),
    )
    played, waiting, examined = league.store.one(
        "SELECT (SELECT count(*) FROM result WHERE at > datetime('now', ?)), "
        "(SELECT count(*) FROM waiting), (SELECT avg(seconds) FROM "
        "(SELECT 86400 * (julianday(outcome.at) - julianday((SELECT min(at) FROM progress "
        "WHERE progress.upload = outcome.upload))) AS seconds FROM outcome "
        "ORDER BY outcome.upload DESC LIMIT 20))",
        (f"-{PACE} minutes",),
    ) or (0, 0, None)
    return Now(
        running=sorted(running, key=lambda one: (not one.playing, one.match))[:20],
        pending=league.count("pending"),
        latest=[
            (number, at, sentence, seats.lines(bots, ranks))
            for number, at, sentence, bots, ranks in latest
        ],
        pace=played / PACE,
        placing=placing(league),
        uploads=waiting,
        upload_minutes=None if examined is None else waiting * examined / 60,
    )


def _json(values: Sequence[str]) -> str:
    return msgspec.json.encode(values).decode()
