"""The command ``arena bisect GAME GOOD … BAD --pool BOT…``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from arena.cli import completion, parameters
from arena.cli.parameters import NUMBER, FilePath, WholeNumber, name_game, refuse_where_bots_play
from arena.cli.status import DONE, print_json, tell
from arena.cli.text.layout import say
from arena.core.registry import find_game
from arena.errors import UsageError

if TYPE_CHECKING:
    from arena.workbench.bisect import BisectStep


@click.command(name="bisect")
@click.argument("game", required=False, shell_complete=completion.games)
@click.argument("bots", nargs=-1, metavar="GOOD … BAD", shell_complete=completion.bots)
@parameters.terms_of_play
@parameters.pool_options
@click.option("--history", type=FilePath(), help="Take the versions from this file.")
@click.option(
    "--games", type=WholeNumber(1), default=20_000, help="Matches at most of each comparison."
)
@click.option(
    "--elo1",
    type=NUMBER,
    default=20.0,
    help="A version is worse if it lost so much.  [default: 20]",
)
@click.option(
    "--alpha", type=NUMBER, default=0.05, help="How often the search blames a wrong version."
)
@click.option("--jobs", type=WholeNumber(1), help="Matches at a time.  [default: 1]")
@click.option("--pin/--no-pin", default=None, help="Keep each match and its bots on one core.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(game: str | None, bots: tuple[str, ...], **options: Any) -> int:
    """Find the version that made a bot worse. Name the versions in their order, the good one first;
    or take them from a history. Each question is a comparison with the first version against the
    pool, and the search goes by halves.

    \b
    arena bisect warlight v1/ v2/ v3/ v4/ v5/ --pool rivals/
    arena bisect warlight --history strength.jsonl --pool rivals/
    """
    game = name_game("bisect", game, bots)
    find_game(game)
    refuse_where_bots_play(bots)
    if not options["pool"]:
        raise UsageError("name opponents: --pool BOT, several times or a folder of bots")
    if options["history"] is not None:
        if bots:
            raise UsageError("versions are named, and a history is given: leave out one")
        bots = tuple(_versions(options["history"], game))
    return _search(game, bots, options)


def _versions(path: Any, game: str) -> list[str]:
    """The versions of a history whose files are as they were then."""
    from pathlib import Path

    from arena.bots.address import content_address
    from arena.workbench.history import history, read_history

    found = []
    for one in history(read_history(path), game).versions:
        is_same = one.address and Path(one.command).exists()
        if is_same and content_address(Path(one.command)) == one.address:
            found.append(one.command)
        else:
            tell(f"{one.command} is no longer what the history compared: it is left out")
    return found


def _search(game: str, bots: Sequence[str], options: dict[str, Any]) -> int:
    from arena.cli.text.workbench import bisect_text, pooled
    from arena.match.spec import numbered
    from arena.tournament.sprt import Sprt
    from arena.workbench.bisect import bisect, each_test
    from arena.workbench.pool import compare_with_pool, pool_bots

    pool, conditions = pool_bots(options["pool"]), parameters.conditions(options)
    test = each_test(Sprt(elo1=options["elo1"], alpha=options["alpha"]), len(bots))
    with parameters.workers(options) as workers:

        def ask(version: int) -> BisectStep:
            arguments = parameters.pool_arguments(options, workers)
            arguments["run"] = numbered(options["run"], version + 1)
            with compare_with_pool(
                game,
                bots[version],
                bots[0],
                pool,
                test=test,
                games=options["games"],
                **arguments,
                **conditions,
            ) as comparison:
                with pooled(comparison, options["as_json"]) as advance:
                    for _ in comparison:
                        advance()
                return _step(version, comparison.report())

        report = bisect(game, bots, ask)
    print_json(report) if options["as_json"] else say(bisect_text(report))
    return DONE


def _step(version: int, report: Any) -> BisectStep:
    from arena.workbench.bisect import BisectStep

    found = report.found
    return BisectStep(
        version, report.verdict, found.elo, found.elo_low, found.elo_high, report.games
    )
