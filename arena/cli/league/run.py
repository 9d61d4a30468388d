"""``arena league run FILE``"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from arena.cli import parameters
from arena.cli import parameters as cluster_options
from arena.cli.parameters import WholeNumber
from arena.cli.status import BOT, DONE, fail, print_json, tell
from arena.cli.text import league
from arena.cli.text.layout import say
from arena.errors import ArenaError, LeagueError, UsageError
from arena.league.judge import Judge
from arena.league.league import League
from arena.league.plan import FORMATS, choose
from arena.league.table import league_table


@click.command(name="run")
@parameters.league_argument
@click.option("--rounds", type=WholeNumber(1), help="Play until there are so many.  [default: 1]")
@click.option("--forever", is_flag=True, help="Play on and on, what narrows the table most.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    help="Who meets whom.  [default: round-robin]",
)
@click.option("--challenger", metavar="NAME", help="Who meets all others in a gauntlet.")
@click.option("--jobs", type=WholeNumber(1), help="Matches at a time.  [default: 1]")
@click.option(
    "--cluster", metavar="HOST:PORT", help="Listen there, and let workers play (arena worker)."
)
@cluster_options.key_option
@click.option(
    "--pin/--no-pin",
    default=None,
    help="Keep each match and its bots on one core.  [default: if --jobs is the number of cores]",
)
@click.option(
    "--log-every",
    type=WholeNumber(1),
    default=30,
    metavar="SECONDS",
    help="How often a line tells how it goes, where there is no terminal.  [default: 30]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    file: Path,
    rounds: int | None,
    forever: bool,
    kind: str,
    challenger: str | None,
    jobs: int | None,
    cluster: str | None,
    key: Path | None,
    pin: bool | None,
    log_every: int,
    as_json: bool,
) -> int:
    """Play a league. In each round all pairs of bots meet on a map of their own, from both sides;
    with --rounds 10 it ends when they have met ten times, in this run and those before.

    Ctrl-C, SIGTERM and a closed terminal give up the matches under way, and a match without a
    result is played again by the next run, with the same seed. From another terminal, arena league
    stop FILE lets them end.
    """
    if cluster is not None and pin:
        raise UsageError("--pin is for matches on this machine: leave out --cluster or --pin")
    if cluster is not None and jobs is not None:
        raise UsageError(
            "on a cluster the workers say how many matches they play at a time: leave out --jobs "
            "here, and give it to arena worker"
        )
    if cluster is None and key is not None:
        raise UsageError("a key is for a cluster: add --cluster HOST:PORT, or leave it out")
    plan = choose(kind, rounds, forever=forever, challenger=challenger)
    with ExitStack() as stack:
        workers = None
        if cluster is not None:
            pool = cluster_options.open_pool(cluster, key, tell)
            workers = cluster_options.opener(stack.enter_context(pool))
        open_league = stack.enter_context(League(file))
        judge = Judge(open_league, plan, jobs=jobs or 1, pin=pin, cluster=workers, tell=tell)
        return _run(open_league, judge, log_every=log_every, as_json=as_json)


def _run(open_league: League, judge: Judge, *, log_every: int, as_json: bool) -> int:
    stopped: KeyboardInterrupt | ArenaError | None = None
    try:
        with league.shown(judge.progress, quiet=as_json, log_every=log_every) as advance:
            for _ in judge.run():
                advance()
    except (UsageError, LeagueError):
        raise
    except (KeyboardInterrupt, ArenaError) as error:
        stopped = error
    if as_json:
        print_json(league_table(open_league))
    else:
        say(league.summary(judge, interrupted=isinstance(stopped, KeyboardInterrupt)))
    if stopped is not None:
        return fail(stopped)
    return BOT if judge.unplayed else DONE
