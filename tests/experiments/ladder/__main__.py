"""Costs of a ladder of many bots, on made-up results: ``python -m tests.experiments.ladder NAME``.

matchmaking  who meets whom: endless play as it is, and neighbours in a round of a ladder
table        ratings: the fit of all results as it is, and a rating that moves with each match
storage      time and bytes of a result in the file of a league, which is made in the working folder
             (a temporary one may be in memory), and of the sums kept of them
traffic      bytes of records, pages and tables by game, times matches and readers a day
convergence  how far ratings are from true strengths after some matches a bot, and newcomers' ranks

All times are CPU time of this process, unless a column says otherwise. The last line of a table has
the exponents of growth: a column that grows as n² has 2.
"""

from __future__ import annotations

import argparse
import gzip
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from random import Random
from statistics import median
from typing import TypeVar

import msgspec

import arena
from arena.api.games import new_bot
from arena.core.registry import find_game
from arena.league.league import League
from arena.league.sums import ALL, Kept, from_kept
from arena.league.table import league_table
from arena.league.types import (
    LeaguePlayer,
    MatchResult,
    PlannedMatch,
    SeatResult,
    block_of,
    bot_id,
    hashed,
    settle,
)
from arena.record.reader import Match
from arena.record.verify import verify
from arena.tournament.pairings import most_telling
from arena.tournament.ratings import ELO, fit
from arena.tournament.results import ResultTally
from arena.tournament.standings import make_table
from arena.view.page import page_of
from tests.experiments.ladder.world import (
    GAMES_A_BLOCK,
    Ladder,
    errors,
    newcomers,
    quantile,
    rank_correlation,
    sparse_fit,
)
from tests.league.making import passes

T = TypeVar("T")
GAMES_OF_TRAFFIC = ("warlight", "toroid", "hextrategic", "tncc", "codecharacter")
LARGEST_FIT = 200
"""Bots up to which the arena's own ratings and choices are measured, unless an option says so."""
WITHIN = 0.05
"""A newcomer is placed when its rank is within this share of all bots."""
ARRIVALS = 200
A_DAY = 86_400
"""Seconds."""
GIB = 1 << 30

# -- measuring and printing ------------------------------------------------------------------------


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What it gives, and the seconds of CPU time that it took."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def median_time(work: Callable[[], object], runs: int) -> float:
    """The median of some runs, in seconds of CPU time."""
    return median(timed(work)[1] for _ in range(runs))


def exponent(points: Iterable[tuple[float, float | None]]) -> float | None:
    """The exponent of growth: the slope of a line through the logarithms."""
    known = [(math.log(x), math.log(y)) for x, y in points if y]
    if len(known) < 2:
        return None
    mean_x, mean_y = (sum(one) / len(known) for one in zip(*known, strict=True))
    across = sum((x - mean_x) ** 2 for x, _ in known)
    return float(sum((x - mean_x) * (y - mean_y) for x, y in known) / across)


def show(title: str, heads: Sequence[str], rows: Sequence[Sequence[float | None]]) -> None:
    """Print a table whose first column is the size, and how the others grow with it."""
    width = [max(9, len(head)) for head in heads]
    growth = [exponent((row[0] or 0, row[at]) for row in rows) for at in range(1, len(heads))]

    def line(cells: Iterable[str]) -> str:
        return "  ".join(cell.rjust(size) for cell, size in zip(cells, width, strict=True))

    print(title, flush=True)
    print(line(heads))
    for row in rows:
        print(line([f"{row[0]:,.0f}", *map(figure, row[1:])]))
    print(line(["exponent", *("" if one is None else f"{one:.2f}" for one in growth)]), flush=True)


def figure(value: float | None) -> str:
    """A number with three digits that count."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


# -- made-up results -------------------------------------------------------------------------------


def invented_tally(bots: int, blocks_a_bot: int) -> ResultTally:
    """Results of a ladder, as a tally."""
    ladder = Ladder(bots, f"tally {bots}")
    for _ in range(blocks_a_bot):
        ladder.round()
    return tally_of_ladder(ladder)


def tally_of_ladder(ladder: Ladder) -> ResultTally:
    """The results of a ladder as the arena counts them."""
    tally = ResultTally()
    for bot, rivals in enumerate(ladder.rivals):
        for rival, wins in zip(rivals, ladder.points[bot], strict=True):
            if bot < rival:
                tally.add_blocks(_block(bot, rival, wins), 1)
    return tally


def _block(one: int, other: int, wins: int) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    first, second = ((1, 2) if wins > at else (2, 1) for at in range(GAMES_A_BLOCK))
    return [((one, other), first), ((other, one), second[::-1])]


def invented_league(path: Path, bots: int) -> League:
    """A league whose bots were never built."""
    league = League.begin(path, settle("warlight", None, {"seed": "1", "sandbox": "off"}))
    report = passes(league.terms, Path("bot"))
    with league.store.changing() as change:
        for number in range(bots):
            name, content = f"bot{number}", f"{number:064x}"
            player = LeaguePlayer(name, bot_id(name, content), content, "bot", 0)
            league.add_submission(change, player, report)
    return league


def invented_result(fixture: PlannedMatch, first: int) -> MatchResult:
    """A result as long as those of matches are."""
    seats = tuple(
        SeatResult(rank, float(2 - rank), "survived", None, "", {}) for rank in (first, 3 - first)
    )
    return MatchResult(
        reason="conquered",
        sentence="player1 has conquered the map in round 43",
        rounds=43,
        digest=hashed(fixture.id),
        seal=hashed(fixture.id, "seal"),
        seats=seats,
    )


# -- the subjects ----------------------------------------------------------------------------------


def matchmaking(sizes: Sequence[int], *, largest: int) -> None:
    """See above."""
    rows = []
    for bots in sizes:
        row: list[float | None] = [bots, None, None]
        if bots <= largest:
            fitted = fit(bots, invented_tally(bots, 10))
            choices = most_telling(fitted)
            _, start = timed(lambda choices=choices: next(choices))  # type: ignore[misc]
            row[1:] = start, 1000 * median_time(lambda choices=choices: next(choices), 9)  # type: ignore[misc]
        ladder = Ladder(bots, "matchmaking")
        for _ in range(5):
            ladder.round()
        pairing = median_time(ladder.pairs, 5)
        row.append(1e6 * pairing / (GAMES_A_BLOCK * (bots // 2)))
        with (
            tempfile.TemporaryDirectory() as folder,
            invented_league(Path(folder, "l.league"), bots) as league,
        ):
            row += 1000 * median_time(league.players, 3), 1e6 * median_time(league.entries, 9)
        rows.append(row)
    heads = ("bots", "first choice s", "each ms", "neighbours µs", "read players ms", "changed? µs")
    show("Choosing a match (µs: a match of a round; the last two: of the file)", heads, rows)


def table(sizes: Sequence[int], *, largest: int) -> None:
    """See above."""
    rows = []
    for bots in sizes:
        ladder = Ladder(bots, "table")
        rounds = [timed(ladder.round) for _ in range(10)]
        matches = sum(count for count, _ in rounds)
        online = 1e6 * sum(seconds for _, seconds in rounds) / matches
        order = median_time(lambda: sorted(ladder.ratings), 5)  # noqa: B023  it is called here
        (_, sweeps), sparse = timed(lambda: sparse_fit(ladder, ladder.ratings))  # noqa: B023
        row: list[float | None] = [bots, None, None, online, 1000 * order, sparse, sweeps]
        if bots <= largest:
            tally, names = tally_of_ladder(ladder), [str(bot) for bot in range(bots)]
            row[1] = timed(lambda: fit(bots, tally))[1]  # noqa: B023
            row[2] = timed(lambda: make_table(names, tally))[1]  # noqa: B023
        rows.append(row)
    heads = ("bots", "fit s", "fit, table s", "online µs", "sort ms", "sparse fit s", "sweeps")
    show("Ratings after 20 matches a bot (online: a match with its choice)", heads, rows)


def storage(sizes: Sequence[int], *, at_once: int, bots: int) -> None:
    """See above. The sizes are numbers of results."""
    rows = []
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=".") as folder:
            path = Path(folder, "l.league")
            with invented_league(path, bots) as league:
                rows.append([size, *_stored(league, size, at_once)])
    heads = ("results", "µs each", "real µs", "bytes each", "sums s", "again s",
             "1,000 more ms", "sums bytes")  # fmt: skip
    show(f"The file of a league, {at_once} results a change, each change synced", heads, rows)


def _stored(league: League, size: int, at_once: int) -> list[float | None]:
    chance, empty = Random("storage"), _file_size(league.path)
    real = time.monotonic()
    _, spent = timed(lambda: _add_results(league, chance, size, 0, at_once))
    real = time.monotonic() - real
    league.store.one("PRAGMA wal_checkpoint(TRUNCATE)")
    size_of_file = _file_size(league.path) - empty
    players = league.ranked()
    _, first = timed(lambda: from_kept(league, players, ALL, Kept.digest))
    _add_results(league, chance, 1000, size, at_once)
    _, more = timed(lambda: from_kept(league, players, ALL, Kept.pending))
    _, read = timed(lambda: from_kept(league, players, ALL, Kept.sums))
    kept = _file_size(league.folder.path / "sums" / "table.sqlite") / (size + 1000)
    return [1e6 * spent / size, 1e6 * real / size, size_of_file / size, first, read, 1000 * more,
            kept]  # fmt: skip


def _file_size(path: Path) -> int:
    return path.stat().st_size


def _add_results(league: League, chance: Random, count: int, before: int, at_once: int) -> None:
    """Plan and add so many results, as a judge does."""
    names = [one.bot for one in league.players()]
    for start in range(before, before + count, at_once):
        fixtures = []
        for meeting in range(start, min(start + at_once, before + count), GAMES_A_BLOCK):
            two = chance.sample(names, 2)
            fixtures += block_of(league.terms.seed, "league", 0, two, meeting)
        league.add_results(
            [
                (one, invented_result(one, chance.choice((1, 2))), hashed(one.id, "record"))
                for one in league.plan(fixtures)
            ]
        )


def traffic(games: Sequence[str], *, matches: int, readers: int, pages: int, bots: int) -> None:
    """See above. Bots are the starter kits in Python."""
    print(
        "A match between starter kits: CPU time of playing (the bots' too) and of the proof, bytes "
        "of the record as it travels and of the page, zipped"
    )
    heads = ("game", "rounds", "played s", "proof ms", "record", "page", "GiB a day", "Mbit/s")
    print("  ".join(f"{head:>13}" for head in heads))
    for name in games:
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder, "match.jsonl.gz")
            played = _play_kits(name, record)
            proof = median_time(lambda: verify(record), 3)  # noqa: B023  it is called here
            match, size = Match.read(record), _file_size(record)
        page = len(gzip.compress(page_of(match, "match.jsonl.gz").encode()))
        day = matches * size / GIB
        cells = (
            figure(one) for one in (played, 1000 * proof, size, page, day, day * GIB * 8e-6 / A_DAY)
        )
        print("  ".join(f"{cell:>13}" for cell in (name, str(match.rounds), *cells)), flush=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        invented_league(Path(folder, "l.league"), 50) as league,
    ):
        _add_results(league, Random("traffic"), 1000, 0, 100)
        league_table(league)  # the first one has the crosstable too
        whole = msgspec.json.encode(league_table(league, most_crossed=0))
    a_bot = len(gzip.compress(whole)) / 50
    print(f"The table: {len(whole) / 50:.0f} bytes a bot, {a_bot:.0f} zipped; "
          f"of {bots:,} bots {bots * a_bot / (1 << 20):.2f} MiB")  # fmt: skip
    print(f"{readers:,} readers with {pages} whole tables a day: "
          f"{readers * pages * bots * a_bot / GIB:,.0f} GiB; with the 100 ranks around one bot: "
          f"{readers * pages * 100 * a_bot / GIB:,.2f} GiB")  # fmt: skip


def _play_kits(name: str, record: Path) -> float:
    """Play one match into a file. The seconds of CPU time of all its processes."""
    kit = record.with_name("kit")
    new_bot(name, "python", kit)
    before = os.times()
    arena.play(name, [kit] * find_game(name).seats[0], replay=record, seed=1, sandbox="off")
    return sum(os.times()[:4]) - sum(before[:4])


def convergence(sizes: Sequence[int], *, after: Sequence[int], largest: int) -> None:
    """See above."""
    print("Errors of ratings in Elo, and rank correlation; true strengths are normal, sd 200")
    print(f"{'bots':>8}{'matches':>9}  {'ratings':<20}{'median':>7}{'95 %':>7}{'ranks':>8}")
    for bots in sizes:
        ladder, played = Ladder(bots, f"convergence {bots}"), 0
        for goal in after:
            while played < goal:
                ladder.round()
                played += GAMES_A_BLOCK
            _told(ladder, played, "online", ladder.ratings)
            _told(ladder, played, "sparse fit", sparse_fit(ladder, ladder.ratings)[0])
            if bots <= largest:
                elo = fit(bots, tally_of_ladder(ladder)).elo
                _told(ladder, played, "fit", [one / ELO for one in elo])
        if bots <= largest:
            _endless(bots, after)
        _arrived(ladder, after)


def _told(ladder: Ladder, matches: int, kind: str, ratings: Sequence[float]) -> None:
    found = errors(ladder.truth, ratings)
    print(f"{len(found):>8,}{matches:>9}  {kind:<20}{quantile(found, 0.5):>7.1f}"
          f"{quantile(found, 0.95):>7.1f}{rank_correlation(ladder.truth, ratings):>8.4f}",
          flush=True)  # fmt: skip


def _endless(bots: int, after: Sequence[int]) -> None:
    """The same with the arena's own choices and fit: endless play, fitted again after 4 blocks a
    bot, the first time after 2."""
    ladder, tally = Ladder(bots, f"convergence {bots}"), ResultTally()
    blocks = 0
    for goal in after:
        while blocks * 2 * GAMES_A_BLOCK < goal * bots:
            fitted = fit(bots, tally)
            left = math.ceil(goal * bots / (2 * GAMES_A_BLOCK)) - blocks
            for group in islice(most_telling(fitted), min(left, (4 if blocks else 2) * bots)):
                one, other = sorted(group)
                wins = ladder.result(ladder.truth[one], ladder.truth[other])
                tally.add_blocks(_block(one, other, wins), 1)
                blocks += 1
        elo = fit(bots, tally).elo
        _told(ladder, goal, "endless play, fit", [one / ELO for one in elo])


def _arrived(ladder: Ladder, after: Sequence[int]) -> None:
    """Print how newcomers get on."""
    matches = 4 * max(after)
    ways = newcomers(ladder, ARRIVALS, matches)
    shares = []
    for goal in (*after, 2 * max(after), matches):
        near = sum(way[goal // GAMES_A_BLOCK - 1].rank <= WITHIN for way in ways)
        shares.append(f"{near / len(ways):.0%} after {goal}")
    first = sorted(
        next((at for at, one in enumerate(way, 1) if one.rank <= WITHIN), len(way)) for way in ways
    )
    print(f"{ARRIVALS} newcomers, rank within {WITHIN:.0%} of all: {', '.join(shares)} matches; "
          f"the first time after {GAMES_A_BLOCK * quantile(first, 0.5)} (median), "
          f"{GAMES_A_BLOCK * quantile(first, 0.95)} (95 %)", flush=True)  # fmt: skip


# -- the command line ------------------------------------------------------------------------------


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.experiments.ladder",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subjects = parser.add_subparsers(dest="subject", required=True)

    def subject(name: str, sizes: str) -> argparse.ArgumentParser:
        one = subjects.add_parser(name)
        one.add_argument("--sizes", type=_numbers, default=_numbers(sizes), metavar="N,N")
        return one

    def fitted(one: argparse.ArgumentParser, most: int) -> None:
        one.add_argument(
            "--largest", type=int, default=most, help="bots up to which the arena's own is measured"
        )

    fitted(subject("matchmaking", "50,100,200,1000,10000,100000"), LARGEST_FIT)
    fitted(subject("table", "50,100,200,1000,10000,100000"), 1000)
    stored = subject("storage", "1000,10000,100000")
    stored.add_argument("--at-once", type=_even, default=100, help="results a change")
    stored.add_argument("--bots", type=_even, default=1000)
    sent = subjects.add_parser("traffic")
    sent.add_argument("--games", default=",".join(GAMES_OF_TRAFFIC))
    sent.add_argument("--matches", type=int, default=1_000_000, help="a day")
    sent.add_argument("--readers", type=int, default=10_000)
    sent.add_argument("--pages", type=int, default=10, help="a day and reader")
    sent.add_argument("--bots", type=int, default=100_000)
    near = subject("convergence", "100,1000,10000")
    near.add_argument("--after", type=_numbers, default=_numbers("10,30,100"), metavar="N,N")
    fitted(near, 100)
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """Measure what the command line says."""
    options = make_parser().parse_args(words)
    if options.subject == "matchmaking":
        matchmaking(options.sizes, largest=options.largest)
    elif options.subject == "table":
        table(options.sizes, largest=options.largest)
    elif options.subject == "storage":
        storage(options.sizes, at_once=options.at_once, bots=options.bots)
    elif options.subject == "traffic":
        games = options.games.split(",")
        traffic(games, matches=options.matches, readers=options.readers, pages=options.pages,
                bots=options.bots)  # fmt: skip
    else:
        convergence(options.sizes, after=options.after, largest=options.largest)
    return 0


def _numbers(text: str) -> list[int]:
    """Even numbers, in order."""
    return sorted({_even(one) for one in text.split(",")})


def _even(text: str) -> int:
    if not text.isdecimal() or int(text) < 2 or int(text) % 2:
        raise argparse.ArgumentTypeError(f"{text!r} is not an even number of 2 or more")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
