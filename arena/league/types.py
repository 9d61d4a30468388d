"""The values of a league: terms, players, fixtures, results, and the accounts that
`arena league show` prints."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, TypeAlias, cast

import msgspec
from msgspec import Meta, Struct

from arena.api.conditions import Conditions, empty_spec, game_of, sandbox_mode
from arena.api.positions import Book, times_of
from arena.core.clock import Clock
from arena.core.game import AnyGame
from arena.core.registry import find_game
from arena.core.steps import Outcome
from arena.errors import ReplayError, UsageError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.record.format import PlayerTotals
from arena.record.position import Position, free_settings, position_line
from arena.record.reader import Match
from arena.sandbox.levels import SandboxWish
from arena.tournament.schedule import seatings

Count: TypeAlias = Annotated[int, Meta(ge=0)]
Number: TypeAlias = Annotated[int, Meta(ge=1)]
"""Counts and row numbers in a league's file."""

# -- terms -----------------------------------------------------------------------------------------


class LeagueTerms(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """The terms of all matches of a league, as its file and its export have them. The settings
    include all of the game's."""

    game: str
    rules_version: int
    seats: Annotated[int, Meta(ge=2)]
    seed: str = ""
    """That of a league of format 4, which is public. Later ones have a table of seeds, and
    here, until they begin, what the organiser asked for."""
    settings: dict[str, Any]
    map: Any
    memory: int | None
    sandbox: str
    clock: Clock
    pondering: bool
    sequential: bool
    start_up: Count
    """Milliseconds from the start of a bot to its first answer that are not charged."""
    forfeit: bool
    meter: str
    book: str | None = None
    """The SHA-256 over the positions from which matches begin, if they do not begin at their start.
    """

    @property
    def mode(self) -> SandboxWish:
        """The walls around bots and builds."""
        return sandbox_mode(self.sandbox)


DEFAULTS = Conditions(sandbox="strict", clock="fair", start_up=10_000, forfeit=True)
"""The defaults of a league that differ from those of ``arena play``."""


def settle(
    game: str, seats: int | None, asked: Conditions, positions: Sequence[Position] = ()
) -> LeagueTerms:
    """The terms of a new league, whose matches begin at these positions, if there are any. Raises
    UsageError for invalid ones."""
    found = game_of(game)
    if positions:
        times_of(asked, found)
        seats = positions[0].seats if seats is None else seats
        if seats != positions[0].seats:
            raise UsageError(f"the book is for {positions[0].seats} seats: leave out --seats")
    seats = _seats(found, seats, asked)
    conditions: Conditions = {**DEFAULTS, **asked}
    spec = empty_spec(found, seats, conditions)
    terms = spec.terms
    return LeagueTerms(
        game=found.name,
        rules_version=found.rules_version,
        seats=seats,
        seed=str(asked.get("seed", "")),
        settings=msgspec.to_builtins(spec.settings),
        map=msgspec.to_builtins(spec.map),
        memory=terms.limits.memory,
        sandbox=str(terms.sandbox),
        clock=terms.timing.clock,
        pondering=terms.timing.pondering,
        sequential=terms.sequential,
        start_up=terms.timing.start_up,
        forfeit=terms.forfeit,
        meter=conditions.get("meter", "time"),
        book=book_hash(positions) if positions else None,
    )


def book_hash(positions: Iterable[Position]) -> str:
    """The SHA-256 over the lines of positions."""
    found = hashlib.sha256()
    for one in positions:
        found.update(position_line(one))
    return found.hexdigest()


def book_of(terms: LeagueTerms, positions: Sequence[Position], seed: str, file: str) -> Book:
    """The book of a league: its first seed shuffles the positions, its terms set all times."""
    free = free_settings(find_game(terms.game))
    times = {name: terms.settings[name] for name in free if name in terms.settings}
    return Book(tuple(positions), seed, times, file)


def _seats(game: AnyGame, asked: int | None, conditions: Conditions) -> int:
    seats = game.seats[0] if asked is None else asked
    game.check_seats(seats, on_map=conditions.get("map") is not None)
    return seats


def spec_of(terms: LeagueTerms) -> MatchSpec:
    """A match on these terms, without entrants.

    Raises UsageError when this release or this machine cannot play it.
    """
    game = find_game(terms.game)
    if game.rules_version != terms.rules_version:
        raise UsageError(
            f"the league plays {game.name} by version {terms.rules_version} of its rules, but "
            f"version {game.rules_version} is installed: use the release that it began with, or "
            "begin a new league"
        )
    return empty_spec(game, terms.seats, conditions_of(terms))


def conditions_of(terms: LeagueTerms) -> Conditions:
    """The terms as conditions for `play`: they have the same names."""
    given = msgspec.structs.asdict(terms)
    del given["seed"]
    return cast(Conditions, {key: given[key] for key in Conditions.__annotations__.keys() & given})


# -- players and fixtures --------------------------------------------------------------------------


class LeaguePlayer(Struct, frozen=True):
    """A name in a league, and the bot that plays under it: the newest that passed."""

    name: str
    bot: str
    """What fixtures call it: see `bot_id`."""
    content: str
    """The address of its files."""
    entry: str
    """The name of its folder there."""
    number: int
    """That of its submission."""


class PlannedMatch(Struct, frozen=True):
    """A match to play. Everything except the number follows from the league's seeds, the bots, and
    how often they have met."""

    number: Count
    id: str
    event: str
    round: Count
    block: str
    """Matches on one map, with exchanged seats."""
    seed: str
    """Empty until the league has the match: plans are made without its secret."""
    seats: Annotated[tuple[str, ...], Meta(min_length=1)]
    """The bot of each seat."""


# -- results ---------------------------------------------------------------------------------------


class SeatResult(Struct, frozen=True):
    """The result of one seat."""

    rank: Number
    points: float
    fate: str
    stopped: str | None
    """Why its program was ended, if it was."""
    detail: str
    """The same in words."""
    faults: dict[str, Count]


class MatchResult(Struct, frozen=True):
    """The result of a match."""

    reason: str
    sentence: str
    rounds: Annotated[int, Meta(ge=-1)]
    digest: str
    seal: str
    seats: tuple[SeatResult, ...]


class Played(Struct, frozen=True):
    """A match that was played, as the league keeps it."""

    number: Number
    """Matches are numbered in the order in which their results came in."""
    fixture: PlannedMatch
    attempt: Number
    """From 1: one more than the attempts that were void or annulled."""
    result: MatchResult
    sha256: str
    """Over the file of its record."""
    annulled: str | None
    """Why it no longer counts; None when it does."""


def from_record(match: Match) -> MatchResult:
    """The result of a match from its record alone. `SeatResult.detail` has no words of its own.

    Raises ReplayError when the record ends early.
    """
    outcome = match.outcome
    if outcome is None or not match.complete:
        raise ReplayError(f"{match!r} has no outcome")
    seats = tuple(_seat(match, outcome, seat) for seat in range(len(match.players)))
    return MatchResult(
        reason=outcome.reason,
        sentence=outcome.sentence,
        rounds=match.rounds,
        digest=match.digest,
        seal=match.seal,
        seats=seats,
    )


def from_report(report: MatchReport) -> MatchResult:
    """The result of a match from its report. It is that of `from_record`, with the details, which
    records do not contain: the record was written or proved together with the report."""
    seats = [
        SeatResult(
            rank=one.rank,
            points=one.points,
            fate=one.fate.value,
            stopped=one.stopped,
            detail=one.stopped_detail,
            faults=one.faults,
        )
        for one in report.players
    ]
    assert report.seal is not None  # the match has a record
    has_begun = report.digest is not None  # a bot may be stopped before the board is set up
    return MatchResult(
        reason=report.reason,
        sentence=report.sentence,
        rounds=report.rounds if has_begun else -1,
        digest=report.digest or "",
        seal=report.seal,
        seats=tuple(seats),
    )


def _seat(match: Match, outcome: Outcome, seat: int) -> SeatResult:
    totals = match.totals(seat)
    if totals is None:
        raise ReplayError(f"{match!r} has no totals for player{seat + 1}")
    result = outcome.ranks[seat], outcome.points[seat], outcome.fates[seat].value
    return SeatResult(*result, totals.stopped, totals.stopped or "", totals.faults)


# -- seeds ---------------------------------------------------------------------------------------


LONG_SEED = 16
"""Characters of a seed that nobody finds by trying."""


def draw_seed(asked: str = "") -> str:
    """The seed of a league: what was asked for, if it is long; else with 128 random bits."""
    if len(asked) >= LONG_SEED:
        return asked
    drawn = secrets.token_hex(16)
    return f"{asked}-{drawn}" if asked else drawn


def match_seed(secret: str, block: str) -> str:
    """The seed of the matches of a block: from those of others, it cannot be computed."""
    return hashed("seed", secret, block)[:32]


def seed_hash(seed: str) -> str:
    """What is published of a seed."""
    return hashlib.sha256(seed.encode("utf-8", "replace")).hexdigest()


class SeedAccount(Struct, frozen=True):
    """The seed from which matches are planned, as far as it is public."""

    sha256: str
    seed: str | None
    """None until the organiser has ended the league."""

    def __str__(self) -> str:
        return self.seed or f"SHA-256 {self.sha256}"


# -- what things are called ------------------------------------------------------------------------


def hashed(*parts: object) -> str:
    """SHA-256 over delimited values."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()


def bot_id(name: str, content: str, earlier: int = 0) -> str:
    """The id of a bot in fixtures. What plays again counts as another bot, without the matches of
    then: `earlier` is how often this content was handed in under this name before."""
    return hashed("bot", name, content, *([earlier] if earlier else []))[:16]


def block_of(
    origin: str, event: str, round: int, bots: Sequence[str], meeting: int
) -> list[PlannedMatch]:
    """The matches of these bots' meeting number `meeting` (from 0): on one map, each bot from every
    seat. The fixtures have no numbers and no seeds yet."""
    group = sorted(bots)
    block = block_name(origin, event, group, meeting)
    return [
        _fixture(event, round, block, tuple(group[at] for at in turn))
        for turn in seatings(len(group), meeting % 2 == 1)
    ]


def block_name(origin: str, event: str, group: Sequence[str], meeting: int) -> str:
    """The name of a block; `group` is sorted. (The seeds of format 4 were these names.)"""
    return hashed("block", origin, event, group, meeting)[:12]


def _fixture(event: str, round: int, block: str, seats: tuple[str, ...]) -> PlannedMatch:
    return PlannedMatch(
        number=0,
        id=hashed("fixture", block, seats)[:16],
        event=event,
        round=round,
        block=block,
        seed="",
        seats=seats,
    )


def bye(origin: str, round: int, bot: str) -> PlannedMatch:
    """The fixture of a bot without a rival in a Swiss round."""
    return _fixture("swiss", round, hashed("bye", origin, round, bot)[:12], (bot,))


# -- what is shown ---------------------------------------------------------------------------------


class BotAccount(Struct, frozen=True):
    """One submission."""

    name: str
    version: int
    """From 1, among those of its name."""
    content: str
    state: str
    """``plays``, ``replaced``, ``withdrawn`` or ``refused``."""
    admitted: str | None
    """Why the organiser let it play although it failed its test; null when that was not needed."""
    withdrawn: str | None
    """Why it was withdrawn; null when it was not."""


class LeagueAccount(Struct, frozen=True):
    """What `arena league show FILE --json` prints."""

    game: str
    played: int
    pending: int
    """Matches that were planned and have no result."""
    bots: list[BotAccount]


class SeatAccount(Struct, frozen=True):
    """Who sat at a seat."""

    name: str
    content: str


class VoidAccount(Struct, frozen=True):
    """An attempt that does not count: the machine made it void, or the organiser annulled it."""

    attempt: int
    """From 1."""
    reason: str
    record: str | None
    """Where the record of an annulled attempt lies; null for a void one, which has none."""


class MatchAccount(Struct, frozen=True):
    """What `arena league show FILE MATCH --json` prints."""

    match: int
    event: str
    round: int
    seed: str | None
    """None until it has a result."""
    seats: list[SeatAccount]
    voids: list[VoidAccount]
    result: MatchResult | None
    """None when it was not played yet."""
    totals: list[PlayerTotals | None]
    """What its record says that each seat used; null where that is not to be read."""
    record: str | None
    """The path of its record."""
    command: str | None
    """The command that plays the match again; None until it has a result."""
