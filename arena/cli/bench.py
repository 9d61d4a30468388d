"""The command ``arena bench [GAME] [BOT BOT…]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from arena.cli import completion, parameters
from arena.cli.parameters import WholeNumber, name_game, refuse_unquoted, refuse_where_bots_play
from arena.cli.status import print_json, tell
from arena.cli.text.layout import say
from arena.core.registry import find_game
from arena.text import counted, joined, milliseconds

if TYPE_CHECKING:
    from arena.bench import Bench


@click.command(name="bench")
@click.argument("game", default="warlight", shell_complete=completion.games)
@click.argument("bots", nargs=-1, metavar="[BOT BOT…]", shell_complete=completion.bots)
@parameters.sandbox_option("auto")
@click.option(
    "--jobs", type=WholeNumber(1), help="Matches at a time.  [default: the number of cores]"
)
@click.option(
    "--seconds",
    type=WholeNumber(1),
    default=20,
    help="How long to measure, after a first match for each job.  [default: 20]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    game: str,
    bots: tuple[str, ...],
    sandbox: str,
    jobs: int | None,
    seconds: int,
    as_json: bool,
) -> None:
    """Measure how many matches an hour this machine plays. The matches are of GAME (default:
    warlight), between these bots or copies of the starter kit in Python, and played as in a league.

    \b
    arena bench
    arena bench tncc one.py two.js --sandbox strict --jobs 4
    """
    game = name_game("bench", game, bots)
    find_game(game)
    refuse_unquoted("bench", game, bots)
    refuse_where_bots_play(bots)
    from arena.bench import bench  # loads everything that plays

    result = bench(game, bots, sandbox=sandbox, jobs=jobs, seconds=seconds, tell=tell)
    print_json(result) if as_json else say(bench_text(result))


def bench_text(result: Bench) -> str:
    """The measurement as text for people."""
    from arena.cli.text.live import span_text

    hourly, low, high = (
        f"{number:,.0f}" for number in (result.matches_per_hour, result.lowest, result.highest)
    )
    used = "" if result.cpu_ms is None else f", {milliseconds(result.cpu_ms)} of CPU time a match"
    league, sides = result.league, "both sides" if result.seats == 2 else "every seat"
    fit = len(result.bots) == result.seats
    bots = joined(result.bots) if fit else f"{len(result.bots)} bots"
    lines = [
        f"{hourly} matches an hour ({low} to {high})",
        f"{result.requests_per_s:,.0f} requests a second{used}",
        f"{league.bots} bots, one round robin from {sides}: {league.matches:,} matches in about "
        f"{span_text(league.seconds)}",
        "",
        f"{result.game} between {bots} at the level {result.sandbox}, "
        f"{result.jobs} at a time: {counted(result.matches, 'match', 'matches')} in "
        f"{result.seconds:.1f} s",
    ]
    if result.stopped:
        lines.append(
            f"in {result.stopped} of them a program was stopped, which may make a match short: "
            "arena check says why"
        )
    return "\n".join(lines)
