"""Plans for a run of a league: round robin, gauntlet, Swiss rounds, or endless play.

A plan has *stages*, and a stage has *rounds* of fixtures. A round is made when the judge reaches
it, so it includes bots submitted meanwhile. A stage begins when all matches of the previous one
are over, so it may depend on their results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Protocol

from msgspec import Struct

from arena.errors import UsageError, did_you_mean
from arena.league.league import League
from arena.league.sums import sums_of
from arena.league.types import LeaguePlayer, PlannedMatch, block_of, bye
from arena.text import shell_word
from arena.tournament.pairings import gauntlet, most_telling, round_robin, swiss_round
from arena.tournament.ratings import fit
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
    balanced so that all pairs meet equally often.
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

    def _groups(self, league: League, players: list[LeaguePlayer]) -> tuple[Group, ...]:
        seats = league.terms.seats
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
    """The current players. Raises UsageError when there are too few for a match."""
    players = league.players()
    if len(players) < league.terms.seats:
        raise UsageError(
            f"a match needs {league.terms.seats} bots, but {len(players)} play in this league: add "
            f"bots with: arena league add {shell_word(league.path)} BOT…"
        )
    return players


def meet(
    league: League, players: Sequence[LeaguePlayer], group: Group, meeting: int
) -> list[PlannedMatch]:
    """The matches of a group's meeting number `meeting`."""
    bots = [players[one].bot for one in group]
    return block_of(league.terms.seed, LEAGUE, meeting, bots, meeting)


class Swiss(Struct, frozen=True):
    """Swiss rounds: bots with similar scores meet on one map, and no two bots meet twice. Only
    current players count; a late bot begins with no score."""

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
        seed, bots = league.terms.seed, [player.bot for player in enough_players(league)]
        scores, met, byes = _so_far(league, bots)
        found = swiss_round(scores, met, byes)
        fixtures = [
            one
            for pair in found.pairs
            for one in block_of(seed, SWISS, round, [bots[bot] for bot in pair], 0)
        ]
        if found.bye is not None:
            fixtures.append(bye(seed, round, bots[found.bye]))
        league.plan(fixtures)
        return fixtures


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

    A newcomer is placed first. Until it has `PLACEMENT` matches, only groups with a newcomer are
    chosen, and the ratings are fitted again after a few of them, since its rating moves with each.
    Matches count once they are planned: a bot whose matches cannot be played holds nobody up.
    """

    def stages(self, league: League) -> Iterator[Stage]:
        """What an earlier run has left, then an endless series of stages of a few blocks, chosen
        from all earlier results. A stage ends early when the players change."""
        if left := league.unplayed():
            yield Stage(None, iter([left]))
        while True:
            entries = league.entries()
            players = enough_players(league)
            yield Stage(None, self._blocks(league, players, entries))

    def _blocks(
        self, league: League, players: list[LeaguePlayer], entries: tuple[int, ...]
    ) -> Iterator[list[PlannedMatch]]:
        """Yield the blocks until the players, who are those of `entries`, change."""
        so_far = league.groups(LEAGUE)
        new = {players.index(one) for one, _ in newcomers(league, players)}
        blocks = BLOCKS * len(players)
        if new:
            blocks = max(PLACING_BLOCKS * len(new), len(players) // QUICKLY_FITTED)
        fitted = fit(len(players), sums_of(league, players).tally)
        telling = most_telling(fitted, league.terms.seats, among=new or None)
        for group in islice(telling, blocks):
            if (now := league.entries()) != entries:
                if league.players() != players:
                    return
                entries = now
            bots = tuple(sorted(players[one].bot for one in group))
            yield meet(league, players, group, so_far[bots])
            so_far[bots] += 1


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


def choose(kind: str, rounds: int | None, *, forever: bool, challenger: str | None) -> Plan:
    """The plan for these options. Raises UsageError when they contradict each other."""
    if forever and (kind != "round-robin" or rounds is not None):
        raise UsageError("--forever chooses who meets whom: leave out --format and --rounds")
    if (challenger is not None) != (kind == "gauntlet"):
        raise UsageError("a gauntlet needs a challenger: --format gauntlet --challenger NAME")
    if forever:
        return Endless()
    return Swiss(rounds or 1) if kind == "swiss" else Meetings(rounds or 1, challenger)
