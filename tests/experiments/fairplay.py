"""Whether the first rank of a league can be bought: simulated contests with attackers.

``python -m tests.experiments.fairplay`` plays 4,000 contests of eleven equal bots of each kind,
with the ratings of the arena and the choices of its endless play, and prints how often the
attacker's bot is first in the table (one in eleven by chance) with the standard error of that, its
rating, and the attacker's share of the matches, on average. The kinds:

honest    hands in one version
copies    hands in twenty copies, and lets the luckiest play again
lucky     hands in copies until one leads the table, twenty at most
decoys    the same, with a bad version between two copies, so that its versions seem to differ
feeders   has eight further bots that lose to its main bot, and to nobody else, where the organiser
          allows so many of a team
club      another team has the eight feeders: nothing in the results of a match says so
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from random import Random
from typing import NamedTuple

from arena.league.plan import PLACEMENT, chosen
from arena.tournament.ratings import Fit, fit
from arena.tournament.results import ResultTally
from arena.tournament.versions import Performance, performance, shrunk
from tests.experiments.leagues import RANKS, game_law, pair_law

RIVALS = 10
COPIES, FEEDERS = 20, 8
MINE = "attacker"
EQUAL, WORSE = (pair_law(game_law(gap), 0.0) for gap in (0, -150))
LOST = [0.0] * 8 + [1.0]
"""The law of two games of which the first bot loses both."""


class Bot(NamedTuple):
    """A version that was handed in."""

    number: int
    team: Hashable
    kind: str = ""


class Contest:
    """A league of made-up bots in endless play."""

    def __init__(self, seed: str, warm_up: int = 100) -> None:
        """It begins with the rivals, who play so many blocks."""
        self.chance = Random(seed)
        self.players = [Bot(number, number) for number in range(RIVALS)]
        self.versions = RIVALS
        self.blocks = 0
        self.mine = 0
        """Blocks with bots of the attacker."""
        self._met: Counter[tuple[Bot, Bot, int]] = Counter()
        self._planned: Counter[Bot] = Counter()
        self._served: dict[Hashable, int] = {}
        self.play(warm_up)
        self.blocks = self.mine = 0

    def enter(self, *, kind: str = "", team: Hashable = MINE, replacing: bool = True) -> Bot:
        """Hand a version in, which takes the place of the team's last one."""
        if replacing:
            self.players = [bot for bot in self.players if bot.team != team]
        bot = Bot(self.versions, team, kind)
        self.versions += 1
        self.players.append(bot)
        return bot

    def place(self) -> None:
        """Play until all are placed."""
        while self._new():
            self.play(1)

    def play(self, blocks: int) -> None:
        """Play at least so many blocks, or until all are placed or somebody else comes."""
        end = self.blocks + blocks
        while self.blocks < end:
            new, teams = self._new(), [bot.team for bot in self.players]
            for one, other in chosen(self.fit(), 2, teams, new, self._served):
                self._meet(self.players[one], self.players[other])

    def _new(self) -> set[int]:
        return {at for at, bot in enumerate(self.players) if self._planned[bot] < PLACEMENT}

    def _meet(self, one: Bot, other: Bot) -> None:
        law = EQUAL
        if {"feeder", "main"} == {one.kind, other.kind}:
            law = LOST if one.kind == "feeder" else LOST[::-1]
        elif {"decoy"} & {one.kind, other.kind}:
            law = WORSE if one.kind == "decoy" else WORSE[::-1]
        self._met[one, other, self.chance.choices(range(9), law)[0]] += 1
        for bot in (one, other):
            self._planned[bot] += 2
        self.blocks += 1
        self.mine += MINE in (one.team, other.team)

    def fit(self) -> Fit:
        """The ratings of those that play now, by their own matches."""
        numbers = {bot: at for at, bot in enumerate(self.players)}
        tally = ResultTally()
        for (one, other, ended), count in self._met.items():
            if one in numbers and other in numbers:
                i, j = numbers[one], numbers[other]
                first, second = divmod(ended, 3)
                tally.add_blocks([((i, j), RANKS[first]), ((j, i), RANKS[2 - second])], count)
        return fit(len(self.players), tally)

    def table(self) -> dict[Bot, float]:
        """The ratings in the table."""
        fitted = self.fit()
        games: defaultdict[Bot, list[tuple[float, float, float]]] = defaultdict(list)
        numbers = {bot: at for at, bot in enumerate(self.players)}
        for (one, other, ended), count in self._met.items():
            for bot, rival, won in ((one, other, sum(divmod(8 - ended, 3)) / 2),
                                    (other, one, sum(divmod(ended, 3)) / 2)):  # fmt: skip
                if bot not in numbers and rival in numbers:
                    games[bot].append((fitted.elo[numbers[rival]], 2 * count, won * count))
        earlier: defaultdict[int, list[Performance]] = defaultdict(list)
        for bot, met in games.items():
            for at, player in enumerate(self.players):
                if player.team == bot.team:
                    earlier[at].append(performance(met, fitted.draw))
        return dict(zip(self.players, shrunk(fitted, earlier).elo, strict=True))

    def is_first(self, bot: Bot) -> bool:
        """Whether a bot leads the table; other bots that help it do not count."""
        table = self.table()
        return table[bot] >= max(elo for rival, elo in table.items() if rival.kind != "feeder")


# -- who takes part --------------------------------------------------------------------------------


def honest(contest: Contest) -> Bot:
    """See above, as for the others."""
    bot = contest.enter()
    contest.place()
    return bot


def copies(contest: Contest) -> Bot:
    """The luckiest plays again, as a new version without matches."""
    for _ in range(COPIES):
        contest.enter()
        contest.place()
    return contest.enter()


def lucky(contest: Contest) -> Bot:
    """Stop as soon as one leads."""
    for _ in range(COPIES):
        bot = contest.enter()
        contest.place()
        if contest.is_first(bot):
            break
    return bot


def decoys(contest: Contest) -> Bot:
    """Stop as soon as one leads."""
    for _ in range(COPIES // 2):
        contest.enter(kind="decoy")
        contest.place()
        bot = contest.enter()
        contest.place()
        if contest.is_first(bot):
            break
    return bot


def feeders(contest: Contest, team: Hashable = MINE) -> Bot:
    """The main bot comes first."""
    bot = contest.enter(kind="main")
    for _ in range(FEEDERS):
        contest.enter(kind="feeder", team=team, replacing=False)
    contest.place()
    return bot


def club(contest: Contest) -> Bot:
    """Each feeder has a team of its own, so they meet each other, too."""
    bot = contest.enter(kind="main")
    for number in range(FEEDERS):
        contest.enter(kind="feeder", team=f"friend {number}")
    contest.place()
    return bot


KINDS: dict[str, Callable[[Contest], Bot]] = {
    one.__name__: one for one in (honest, copies, lucky, decoys, feeders, club)
}


class Outcome(NamedTuple):
    """What became of an attack."""

    is_first: bool
    elo: float
    share: float
    """Of the matches, the larger one: while the attacker hands in, or afterwards."""


def attack(kind: str, seed: str, *, after: int = 0) -> Outcome:
    """Play a contest, and `after` further blocks when the attacker has done its deeds."""
    contest = Contest(seed)
    bot = KINDS[kind](contest)
    share = contest.mine / contest.blocks
    if after:
        contest.blocks = contest.mine = 0
        contest.play(after)
        share = max(share, contest.mine / contest.blocks)
    return Outcome(contest.is_first(bot), contest.table()[bot], share)


def main() -> None:
    """Print a line for each kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kinds", nargs="*", help="only these (all)")
    parser.add_argument("--contests", type=int, default=4000)
    parser.add_argument("--seed", default="1")
    parser.add_argument(
        "--after", type=int, default=300, metavar="BLOCKS", help="played at the end"
    )
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    seeds = [f"{asked.seed} {number}" for number in range(asked.contests)]
    with ProcessPoolExecutor(asked.jobs) as pool:
        for kind in asked.kinds or KINDS:
            work = partial(attack, kind, after=asked.after)
            ended = list(pool.map(work, seeds, chunksize=10))
            first, elo, share = (sum(column) / len(ended) for column in zip(*ended, strict=True))
            error = (first * (1 - first) / len(ended)) ** 0.5
            print(
                f"{kind}: first in {first:.1%} ± {error:.1%}, {elo:+.0f} Elo, "
                f"{share:.0%} of the matches",
                flush=True,
            )


if __name__ == "__main__":
    main()
