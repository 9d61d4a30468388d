"""The command ``arena tune GAME BOT --pool BOT…``."""

from __future__ import annotations

from typing import Any

import click

from arena.cli import completion, parameters
from arena.cli.parameters import NUMBER, WholeNumber, name_one_bot
from arena.cli.status import BAD, DONE, fail, print_json, tell
from arena.cli.text.layout import say
from arena.core.registry import find_game
from arena.errors import ArenaError, UsageError


@click.command(name="tune")
@click.argument("game", required=False, shell_complete=completion.games)
@click.argument("bots", nargs=-1, metavar="BOT", shell_complete=completion.bots)
@parameters.terms_of_play
@parameters.pool_options
@click.option(
    "--games",
    type=WholeNumber(1),
    default=20_000,
    show_default=True,
    help="Matches of the tune itself.",
)
@click.option(
    "--final-games",
    type=WholeNumber(1),
    default=20_000,
    show_default=True,
    help="Matches at most of the comparison at the end.",
)
@click.option(
    "--elo1",
    type=NUMBER,
    default=10.0,
    help="The comparison's H1: better by so much.  [default: 10]",
)
@click.option(
    "--worth",
    type=NUMBER,
    default=2.0,
    help="Elo that a number one step off its best is thought to cost.  [default: 2]",
)
@click.option(
    "--window",
    type=WholeNumber(1, 4096),
    default=16,
    help="Iterations at a time: at least as many as --jobs / 4.  [default: 16]",
)
@click.option(
    "--method",
    type=click.Choice(["spsa", "cmaes"]),
    default="spsa",
    help="How to search.  [default: spsa]",
)
@click.option("--jobs", type=WholeNumber(1), help="Matches at a time.  [default: 1]")
@click.option(
    "--pin/--no-pin",
    default=None,
    help="Keep each match and its bots on one core.  [default: if --jobs is the number of cores]",
)
@click.option("--gate", is_flag=True, help="Exit status 1 unless the tuned numbers are better.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(game: str | None, bots: tuple[str, ...], **options: Any) -> int:
    """Tune the numbers that the bot.toml of BOT declares, by matches against a pool; then find out,
    on fresh seeds, whether the tuned numbers are better than those at the start.

    \b
    arena tune warlight my_bot/ --pool rivals/ --run tune.jsonl --jobs 2
    """
    game, bot = name_one_bot("tune", game, bots)
    find_game(game)
    if not options["pool"]:
        raise UsageError("name opponents: --pool BOT, several times or a folder of bots")
    return _play(game, bot, options)


def _play(game: str, bot: str, options: dict[str, Any]) -> int:
    from arena.cli.text.workbench import tune_text, tuning
    from arena.tournament.sprt import Sprt
    from arena.workbench.pool import pool_bots
    from arena.workbench.tune import TuneVerdict, tune

    stopped: KeyboardInterrupt | ArenaError | None = None
    with (
        parameters.workers(options) as workers,
        tune(
            game,
            bot,
            pool_bots(options["pool"]),
            games=options["games"],
            method=options["method"],
            worth=options["worth"],
            window=options["window"],
            test=Sprt(elo1=options["elo1"]),
            final_games=options["final_games"],
            **parameters.pool_arguments(options, workers),
            **parameters.conditions(options),
        ) as found,
    ):
        try:
            with tuning(found, options["as_json"]) as advance:
                for _ in found:
                    advance()
        except (KeyboardInterrupt, ArenaError) as error:
            if not found.done:
                raise
            stopped = error
        report = found.report(stopped)
    print_json(report) if options["as_json"] else say(tune_text(report))
    if stopped is not None:
        if options["run"] is not None:
            tell(f"the same command goes on with {options['run']}")
        return fail(stopped)
    return BAD if options["gate"] and report.verdict is not TuneVerdict.BETTER else DONE
