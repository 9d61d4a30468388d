"""The table of a league, computed from its results each time and never stored."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

import msgspec
from msgspec import Struct

from arena.league.league import League
from arena.league.rows import faults_of, points_of, ranks_of
from arena.league.types import LeaguePlayer
from arena.tournament.results import Block, ResultTally
from arena.tournament.standings import ResultTable, make_table

_PlayedGame: TypeAlias = tuple[tuple[str, ...], tuple[int, ...]]
"""Bots by seat, and their ranks by seat."""


class LeagueTable(Struct, frozen=True):
    """The document printed by `arena league table --json`. The standings are by player, in the
    order in which their names came into the league."""

    game: str
    seed: str
    pending: int
    """Planned matches without a result."""
    void: int
    """Void matches (the machine's fault); they were played again, or will be."""
    digest: str
    """SHA-256 over the digests of the counted matches, which cover everything said in them, without
    times. Tables with equal digests count the same matches."""
    table: ResultTable


def league_table(league: League) -> LeagueTable:
    """The table of the current players, without those of testers: all matches between their current
    versions."""
    players = league.ranked()
    names = [player.name for player in players]
    return LeagueTable(
        game=league.terms.game,
        seed=league.terms.seed,
        pending=league.count("pending"),
        void=league.count("void"),
        digest=results_digest(league, players),
        table=make_table(names, tally_of(league, players)),
    )


def tally_of(league: League, players: Sequence[LeaguePlayer]) -> ResultTally:
    """All results between `players`, some of the current ones; bots are numbered by their index
    there. (For 100,000 results this takes 0.3 s of CPU.)"""
    numbers, tally = {one.bot: at for at, one in enumerate(players)}, ResultTally()
    for block, count in _kinds(league).items():
        games = [_game(game) for game in block]
        if numbers.keys() >= set(games[0][0]):
            tally.add_blocks(
                [(tuple(numbers[bot] for bot in seats), ranks) for seats, ranks in games], count
            )
    between, values = _between(league, players)
    for name, points, why, faults, count in league.store.rows(
        f"SELECT bot, points, stopped, faults, count(*) FROM {between} "
        "GROUP BY bot, points, stopped, faults",
        values,
    ):
        bot = numbers[name]
        tally.add_points(bot, points_of(points), count)
        for code, times in faults_of(faults).items():
            tally.faults[bot][code] += times * count
        if why is not None:
            tally.stopped[bot][why] += count
    return tally


def blocks_by_round(
    league: League, players: Sequence[LeaguePlayer]
) -> dict[int, list[tuple[Block, int]]]:
    """The blocks between `players` by their round, from 0; bots are numbered as in `tally_of`."""
    numbers = {one.bot: at for at, one in enumerate(players)}
    found: defaultdict[int, Counter[Block]] = defaultdict(Counter)
    rounds = dict(league.store.rows("SELECT DISTINCT block, round FROM fixture"))
    rows = league.store.rows("SELECT block, game FROM played")
    for name, texts in groupby(rows, key=itemgetter(0)):
        games = [_game(text) for _, text in texts]
        if numbers.keys() >= set(games[0][0]):
            block = [(tuple(numbers[bot] for bot in seats), ranks) for seats, ranks in games]
            found[rounds[name]][tuple(sorted(block))] += 1
    return {round_: sorted(blocks.items()) for round_, blocks in found.items()}


def _game(text: str) -> _PlayedGame:
    seats, ranks = msgspec.json.decode(text, type=tuple[tuple[str, ...], msgspec.Raw])
    return seats, ranks_of(bytes(ranks).decode(), len(seats))


def _kinds(league: League) -> Counter[tuple[str, ...]]:
    """How often each outcome of a block occurred, as the view encodes its games."""
    rows = league.store.rows("SELECT block, game FROM played")
    return Counter(
        tuple(map(itemgetter(1), games)) for _, games in groupby(rows, key=itemgetter(0))
    )


def _between(league: League, players: Sequence[LeaguePlayer]) -> tuple[str, tuple[str, ...]]:
    """The seats of all matches between these players: a table in SQL, and its values. Where the
    current players are more, the matches of the others are left out."""
    others = {one.bot for one in league.players()} - {one.bot for one in players}
    if not others:
        return "counted", ()
    theirs = "SELECT result FROM seat WHERE bot IN (SELECT value FROM json_each(?))"
    ids = msgspec.json.encode(sorted(others)).decode()
    return f"(SELECT * FROM counted WHERE result NOT IN ({theirs}))", (ids,)


def results_digest(league: League, players: Sequence[LeaguePlayer]) -> str:
    """See `LeagueTable.digest`."""
    between, values = _between(league, players)
    query = f"SELECT digest FROM valid WHERE number IN (SELECT result FROM {between})"
    digests = sorted(digest for (digest,) in league.store.all(query, values))
    return hashlib.sha256("".join(digests).encode()).hexdigest()
