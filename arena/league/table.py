"""The table of a league: derived from its results each time, and kept nowhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from arena.league.league import League
from arena.league.rows import Player
from arena.tournament.results import Game, Tally
from arena.tournament.standings import Table, make_table


class LeagueTable(Struct, frozen=True):
    """What `arena league table --json` prints. The standings are by player, in the order in which
    their names came into the league."""

    game: str
    seed: str
    pending: int
    """Matches that were planned and have no result."""
    void: int
    """Matches that the machine made void; they were played again, or will be."""
    digest: str
    """A SHA-256 over the digests of all matches: over all that was said in them, without times. Two
    leagues with the same one had the same matches."""
    table: Table


def league_table(league: League) -> LeagueTable:
    """The table of the players of now: all matches between their present versions."""
    players = league.players()
    names = [player.name for player in players]
    return LeagueTable(
        league.terms.game,
        league.terms.seed,
        league.count("pending"),
        league.count("void"),
        results_digest(league),
        make_table(names, tally_of(league, players)),
    )


def tally_of(league: League, players: Sequence[Player]) -> Tally:
    """All results of matches between these players, who are those of now; the bots numbered as they
    are. (SQLite counts them: 100,000 take 0.5 s, and one by one 2.5 s.)"""
    numbers, tally, rows = (
        {one.bot: at for at, one in enumerate(players)},
        Tally(),
        league.store.rows,
    )
    for block, count in rows("SELECT block, blocks FROM kind"):
        tally.add_blocks([_game(game.split(), numbers) for game in block.split(",")], count)
    for name, points, why, faults, count in rows(
        "SELECT bot, points, stopped, faults, count(*) FROM counted "
        "GROUP BY bot, points, stopped, faults"
    ):
        bot = numbers[name]
        tally.add_points(bot, points, count)
        for code, times in msgspec.json.decode(faults, type=dict[str, int]).items():
            tally.faults[bot][code] += times * count
        if why is not None:
            tally.stopped[bot][why] += count
    return tally


def _game(words: Sequence[str], numbers: Mapping[str, int]) -> Game:
    return tuple(numbers[bot] for bot in words[::2]), tuple(map(int, words[1::2]))


def results_digest(league: League) -> str:
    """See `LeagueTable.digest`."""
    digests = sorted(digest for (digest,) in league.store.all("SELECT digest FROM result"))
    return hashlib.sha256("".join(digests).encode()).hexdigest()
