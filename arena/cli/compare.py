"""``arena compare GAME BASELINE CANDIDATE``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arena.cli.options import completion, playing
from arena.cli.options.bots import name_game, refuse_unquoted
from arena.cli.options.numbers import NUMBER, WholeNumber
from arena.cli.options.people import refuse_where_bots_play
from arena.cli.options.replay import refuse_to_overwrite
from arena.cli.status import DONE, fail, print_json, tell
from arena.cli.text.layout import say
from arena.core.registry import find_game
from arena.errors import ArenaError, UsageError

if TYPE_CHECKING:
    from arena.api.compare import Comparison


@click.command(name="compare")
@click.argument("game", required=False, shell_complete=completion.games)
@click.argument("bots", nargs=-1, metavar="BASELINE CANDIDATE", shell_complete=completion.bots)
@playing.options
@click.option("--elo0", type=NUMBER, default=0.0, help="H0: the candidate is better by so much.")
@click.option("--elo1", type=NUMBER, default=20.0, help="H1: it is better by so much.")
@click.option(
    "--alpha", type=NUMBER, default=0.05, help="How often H1 is accepted though H0 holds."
)
@click.option("--beta", type=NUMBER, default=0.05, help="How often H0 is accepted though H1 holds.")
@click.option("--normalised", is_flag=True, help="Elo0 and elo1 are normalised Elo.")
@click.option(
    "--games",
    type=WholeNumber(2),
    default=10_000,
    help="Matches at most; an even number.",
    show_default=True,
)
@click.option("--jobs", type=WholeNumber(1), default=1, help="Matches at a time.")
@click.option(
    "--pin/--no-pin",
    default=None,
    help="Keep each match and its bots on one core.  [default: if --jobs is the number of cores]",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(game: str | None, bots: tuple[str, ...], **options: Any) -> int:
    """Find out whether the bot CANDIDATE is better than the bot BASELINE: play mirrored pairs of
    matches until a sequential test (SPRT) knows.

    \b
    arena compare warlight old.py new.py --jobs 2
    """
    game = name_game("compare", game, bots)
    find_game(game)
    refuse_unquoted("compare", game, bots)
    refuse_where_bots_play(bots)
    if len(bots) != 2:
        raise UsageError(f"compare is for two bots, not {len(bots)}: name two")
    refuse_to_overwrite(options, games=options["games"])
    return _play(_comparison(game, bots, options), options["as_json"])


def _comparison(game: str, bots: tuple[str, ...], options: dict[str, Any]) -> Comparison:
    from arena.api.compare import compare
    from arena.tournament.sprt import Sprt

    asked = {name: options[name] for name in ("elo0", "elo1", "alpha", "beta", "normalised")}
    return compare(
        game,
        *bots,
        test=Sprt(**asked),
        games=options["games"],
        jobs=options["jobs"],
        pin=options["pin"],
        replay=options["replay"],
        tell=tell,
        **playing.conditions(options),
    )


def _play(comparison: Comparison, as_json: bool) -> int:
    """Play and print it. When something ends it early, what is known by then is printed."""
    from arena.cli.text.compare import compare_text
    from arena.cli.text.live import pairs

    stopped: KeyboardInterrupt | ArenaError | None = None
    try:
        with pairs(comparison, as_json) as advance:
            for _ in comparison:
                advance()
    except (KeyboardInterrupt, ArenaError) as error:
        if not comparison.played:
            raise
        stopped = error
    report = comparison.report(stopped)
    print_json(report) if as_json else say(compare_text(report))
    return DONE if stopped is None else fail(stopped)
