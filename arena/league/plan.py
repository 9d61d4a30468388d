"""Plans for a run of a league: round robin, gauntlet, Swiss rounds, or endless play.

A plan has *stages*, and a stage has *rounds* of fixtures. A round is made when the judge reaches
it, so it includes bots submitted meanwhile. A stage begins when all matches of the previous one
are over, so it may depend on their results.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence, Set
from itertools import combinations, islice
from typing import Protocol

import msgspec
from msgspec import Struct

from arena.core.rng import Stream
from arena.errors import UsageError, did_you_mean
from arena.league.league import League
from arena.league.sums import sums_of
from arena.league.types import LeaguePlayer, PlannedMatch, block_of, bye
from arena.text import shell_word
from arena.tournament.pairings import (
    gauntlet,
    most_telling,
    round_robin,
    swiss_round,
    team_groups,
    turns_of,
)
from arena.tournament.ratings import Fit, fit
from arena.tournament.schedule import Group

LEAGUE = "league"
"""The event of all matches except those of Swiss rounds."""
SWISS = "swiss"


class Stage(Struct, frozen=True):
    """Matches that do not depend on each other's results."""

    total: int | None
    """Number of matches, including those of earlier runs; None for an endless stage."""
    rounds: Iterator[list[PlannedMatch]]
    name: str = ""
    """Display name, when the plan has several stages."""


class Plan(Protocol):
    """Decides which matches a run plays."""

    def stages(self, league: League) -> Iterator[Stage]:
        """Yield the stages in order. Raises UsageError when there are too few bots."""


class Nothing(Struct, frozen=True):
    """Plans no matches, for a judge that plays only what waits without a plan."""

    def stages(self, league: League) -> Iterator[Stage]:
        """None."""
        return iter(())


class Meetings(Struct, frozen=True):
    """Round robin or gauntlet: in each round all pairs meet once, on one map, from every seat.

    With a `challenger` only the pairs of that player meet. For more than two seats, groups are
    balanced so that all pairs meet equally often. Bots of one team do not meet.
    """

    rounds: int
    challenger: str | None = None

    def stages(self, league: League) -> Iterator[Stage]:
        """One stage, then another for the missing matches whenever the players have changed."""
        before: list[LeaguePlayer] = []
        while (players := enough_players(league)) != before:
            groups = self._groups(league, players)
            total = self.rounds * len(groups) * league.terms.seats
            yield Stage(total, self._all(league, players, groups))
            before = players

    def _all(
        self, league: League, players: list[LeaguePlayer], groups: Sequence[Group]
    ) -> Iterator[list[PlannedMatch]]:
        """Yield the rounds until the players change."""
        for round in range(self.rounds):
            if league.players() != players:
                return
            yield [one for group in groups for one in meet(league, players, group, round)]

    def _groups(self, league: League, players: list[LeaguePlayer]) -> list[Group]:
        teams, seats = league.teams(players), league.terms.seats
        if seats > 2 and len(set(teams)) < len(teams):
            return list(team_groups(teams, seats))
        return [
            group
            for group in self._all_groups(seats, players)
            if len({teams[bot] for bot in group}) == len(group)
        ]

    def _all_groups(self, seats: int, players: list[LeaguePlayer]) -> tuple[Group, ...]:
        if self.challenger is None:
            return round_robin(len(players), seats)
        if seats != 2:
            raise UsageError("a gauntlet is for games of two: leave out --format gauntlet")
        names = [one.name for one in players]
        if self.challenger not in names:
            raise UsageError(
                f"no bot plays as {self.challenger!r}: {did_you_mean(self.challenger, names)}"
            )
        first = names.index(self.challenger)
        order = [first, *(other for other in range(len(names)) if other != first)]
        return tuple((order[one], order[other]) for one, other in gauntlet(len(names)))


def enough_players(league: League) -> list[LeaguePlayer]:
    """The current players. Raises UsageError when they, or their teams, are too few for a match."""
    players, seats = league.players(), league.terms.seats
    if len(players) >= seats > len(set(league.teams(players))):
        raise UsageError(
            f"a match needs bots of {seats} teams, since those of one team do not meet: let "
            "another team hand a bot in"
        )
    if len(players) < seats:
        raise UsageError(
            f"a match needs {seats} bots, but {len(players)} play in this league: add bots with: "
            f"arena league add {shell_word(league.path)} BOT…"
        )
    return players


def meet(
    league: League, players: Sequence[LeaguePlayer], group: Group, meeting: int
) -> list[PlannedMatch]:
    """The matches of a group's meeting number `meeting`."""
    bots = [players[one].bot for one in group]
    return block_of(league.origin, LEAGUE, meeting, bots, meeting)


class Swiss(Struct, frozen=True):
    """Swiss rounds: bots with similar scores meet on one map; no two bots meet twice, and none of
    one team. Only current players count; a late bot begins with no score."""

    rounds: int

    def stages(self, league: League) -> Iterator[Stage]:
        """One stage per round."""
        if league.terms.seats != 2:
            raise UsageError("Swiss rounds are for games of two: leave out --format swiss")
        enough_players(league)
        for round in range(self.rounds):
            fixtures = league.round_of(SWISS, round) or self._pair(league, round)
            matches = [one for one in fixtures if len(one.seats) > 1]
            yield Stage(len(matches), iter([matches]), f"round {round + 1} of {self.rounds}")

    def _pair(self, league: League, round: int) -> list[PlannedMatch]:
        """The fixtures of a new round; a bot without a rival gets a bye."""
        players = enough_players(league)
        bots = [player.bot for player in players]
        scores, met, byes = _so_far(league, bots)
        teams = league.teams(players)
        met |= {pair for pair in combinations(range(len(bots)), 2) if _is_of_one(teams, pair)}
        lots = list(range(len(bots)))
        Stream(league.origin, f"bye {round}").shuffle(lots)
        found = swiss_round(scores, met, byes, lots)
        fixtures = [
            one
            for pair in found.pairs
            for one in block_of(league.origin, SWISS, round, [bots[bot] for bot in pair], 0)
        ]
        if found.bye is not None:
            fixtures.append(bye(league.origin, round, bots[found.bye]))
        league.plan(fixtures)
        return fixtures


def _is_of_one(teams: Sequence[Hashable], pair: Group) -> bool:
    return teams[pair[0]] == teams[pair[1]]


def _so_far(league: League, bots: list[str]) -> tuple[list[float], set[Group], set[int]]:
    """The scores from Swiss rounds so far, the pairs that have met, and the bots that had a bye."""
    scores, met, byes = [0.0] * len(bots), set[Group](), set[int]()
    numbers = {bot: number for number, bot in enumerate(bots)}
    for seats, shares in league.blocks(SWISS):
        group = tuple(numbers[bot] for bot in seats if bot in numbers)
        if len(seats) == 1:
            byes.update(group)
        elif len(group) == 2:
            met.add((min(group), max(group)))
        for bot, share in zip(seats, shares, strict=True):
            if bot in numbers:
                scores[numbers[bot]] += (share > 0.5) + (share == 0.5) / 2
    return scores, met, byes


class Endless(Struct, frozen=True):
    """Endless play: always the group whose match narrows the table most, by the ratings so far.

    A newcomer is placed first, until it has `PLACEMENT` matches: every other block is one of a
    newcomer, team by team in turns, and the others are of teams without any (`turns_of`). The
    ratings are fitted again after a few blocks, since that of a newcomer moves with each.
    Matches count once they are planned: a bot whose matches cannot be played holds nobody up.
    """

    def stages(self, league: League) -> Iterator[Stage]:
        """What an earlier run has left, then an endless series of stages of a few blocks, chosen
        from all earlier results. A stage ends early when the players change."""
        if left := league.unplayed():
            yield Stage(None, iter([left]))
        served: dict[Hashable, int] = {}
        while True:
            entries = league.entries()
            players = enough_players(league)
            yield Stage(None, self._blocks(league, players, entries, served))

    def _blocks(
        self,
        league: League,
        players: list[LeaguePlayer],
        entries: tuple[int, ...],
        served: dict[Hashable, int],
    ) -> Iterator[list[PlannedMatch]]:
        """Yield the blocks until the players, who are those of `entries`, change."""
        so_far = league.groups(LEAGUE)
        new = {players.index(one) for one, _ in newcomers(league, players)}
        fitted = fit(len(players), sums_of(league, players).tally)
        for group in chosen(fitted, league.terms.seats, league.teams(players), new, served):
            if (now := league.entries()) != entries:
                if league.players() != players:
                    return
                entries = now
            bots = tuple(sorted(players[one].bot for one in group))
            yield meet(league, players, group, so_far[bots])
            so_far[bots] += 1


def chosen(
    fitted: Fit,
    seats: int,
    teams: Sequence[Hashable],
    new: Set[int],
    served: dict[Hashable, int],
) -> Iterator[Group]:
    """The groups of the next blocks of endless play, for the teams of the bots, the newcomers
    among these, and whose turn it was so far (`turns_of`)."""
    blocks = BLOCKS * len(teams)
    if new:
        blocks = 2 * max(PLACING_BLOCKS * len(new), len(teams) // QUICKLY_FITTED)
    turns = islice(turns_of(teams, new, served, seats), blocks)
    return most_telling(fitted, seats, turns=turns, teams=teams)


def newcomers(league: League, players: Sequence[LeaguePlayer]) -> list[tuple[LeaguePlayer, int]]:
    """The players with fewer than `PLACEMENT` planned matches, and how many each has."""
    counts = [(one, league.planned(LEAGUE, one.bot, PLACEMENT)) for one in players]
    return [(one, count) for one, count in counts if count < PLACEMENT]


PLACEMENT = 20
"""Matches after which a bot is placed."""
PLACING_BLOCKS = 2
"""Blocks per newcomer that are chosen from the same ratings."""
QUICKLY_FITTED = 15
"""For so many players a block more is chosen from the same ratings while newcomers are placed: to
fit those of 200 takes as long as several matches."""
BLOCKS = 4
"""Blocks per bot that are chosen from the same ratings."""
FORMATS = ("round-robin", "gauntlet", "swiss")
FOREVER = "forever"


class Missing(Struct, frozen=True):
    """Only what was planned and has no result, for whatever reason."""

    def stages(self, league: League) -> Iterator[Stage]:
        """One stage, if anything is missing."""
        if left := league.unplayed():
            yield Stage(len(left), iter([left]), "missing matches")


class LeagueFormat(Struct, frozen=True):
    """The format of a league, which remembers it: as a plan, that of its matches."""

    kind: str
    """One of `FORMATS`, or `FOREVER`."""
    rounds: int = 1
    challenger: str | None = None

    @property
    def plan(self) -> Plan:
        """The plan of this format."""
        if self.kind == FOREVER:
            return Endless()
        return Swiss(self.rounds) if self.kind == SWISS else Meetings(self.rounds, self.challenger)

    def stages(self, league: League) -> Iterator[Stage]:
        """The stages of the plan. The league remembers the format once the first can be played."""
        for stage in self.plan.stages(league):
            if remembered(league) != self:
                league.remember(msgspec.json.encode(self).decode())
            yield stage


def remembered(league: League) -> LeagueFormat | None:
    """The format of the last run; None before the first. (Leagues of format 4 remember none.)"""
    if (text := league.remembered()) is not None:
        return msgspec.json.decode(text, type=LeagueFormat)
    event, round = league.last_planned() or (LEAGUE, 0)
    return LeagueFormat(SWISS, round + 1) if event == SWISS else None


def choose(
    before: LeagueFormat | None,
    kind: str | None,
    rounds: int | None,
    *,
    forever: bool,
    challenger: str | None,
) -> LeagueFormat:
    """The format for these options; what they leave open is as `before`. Raises UsageError when
    they contradict each other, or the format that the league remembers."""
    if forever:
        if kind is not None or rounds is not None or challenger is not None:
            raise UsageError("--forever chooses who meets whom: leave out --format and --rounds")
        return LeagueFormat(FOREVER)
    if before is None or kind not in (None, before.kind):
        before = LeagueFormat(kind or FORMATS[0])
    if before.kind == FOREVER and rounds is not None:
        raise UsageError(
            "this league was run with --forever, which has no rounds: name the format that it "
            f"shall have now, as in --format {FORMATS[0]}, or leave out --rounds"
        )
    challenger = challenger or before.challenger
    if (challenger is not None) != (before.kind == "gauntlet"):
        raise UsageError("a gauntlet needs a challenger: --format gauntlet --challenger NAME")
    return LeagueFormat(before.kind, rounds or before.rounds, challenger)
